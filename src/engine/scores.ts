/**
 * Scores of validators at the end of an epoch (reference 60, section 7.6): pure functions. Products are exact,
 * quotients have 16 decimals.
 */
import { Decimal } from "../wire/decimal.ts";
import type { NodeStatus, ParameterReader } from "./ports.ts";
import type { Randomness } from "./randomness.ts";
import { NO_STAKE, type NodeStake, type StakeByNode } from "./stakes.ts";

const { zero, one } = Decimal;
/** Least performance of a validator of status tendermint, whatever it has proposed. */
const PERFORMANCE_MIN = Decimal.parse("0.05");
const TENTH = Decimal.parse("0.1");
const TWO = Decimal.of(2n);

/** The parameters that scores depend on. */
export interface ScoreParameters {
  readonly competitionLevel: Decimal;
  readonly validatorsMin: Decimal;
  readonly optimalStakeMultiplier: Decimal;
  readonly selfStakeMin: Decimal;
  readonly performanceScaling: Decimal;
  readonly ethereumEventsMin: bigint;
  readonly incumbentBonus: Decimal;
  readonly multisigSigners: number;
}

export function scoreParameters(params: ParameterReader): ScoreParameters {
  return {
    competitionLevel: params.decimal("reward.staking.delegation.competitionLevel"),
    validatorsMin: params.decimal("reward.staking.delegation.minValidators"),
    optimalStakeMultiplier: params.decimal("reward.staking.delegation.optimalStakeMultiplier"),
    selfStakeMin: params.decimal("reward.staking.delegation.minimumValidatorStake"),
    performanceScaling: params.decimal("validator.performance.scaling.factor"),
    ethereumEventsMin: params.integer("network.validators.minimumEthereumEventsForNewValidator"),
    incumbentBonus: params.decimal("network.validators.incumbentBonus"),
    multisigSigners: Number(params.integer("network.validators.multisig.numberOfSigners")),
  };
}

/** What a node's performance is made of. */
export interface PerformanceFacts {
  readonly status: NodeStatus;
  readonly stake: NodeStake;
  /** Blocks that it proposed in the epoch. */
  readonly proposed: bigint;
  readonly blocks: bigint;
  readonly power: bigint;
  readonly totalPower: bigint;
  readonly forwarded: bigint;
  /** Of the last ten heartbeats. */
  readonly heartbeats: number;
}

export function performanceScore(facts: PerformanceFacts, params: ScoreParameters): Decimal {
  if (Decimal.of(facts.stake.self).isLess(params.selfStakeMin)) return zero;
  if (facts.status === "tendermint") return proposerPerformance(facts, params.performanceScaling);
  if (facts.forwarded < params.ethereumEventsMin) return zero;
  return TENTH.times(Decimal.of(BigInt(facts.heartbeats)));
}

function proposerPerformance(facts: PerformanceFacts, scaling: Decimal): Decimal {
  const { proposed, blocks, power, totalPower } = facts;
  if (blocks === 0n || power === 0n) return PERFORMANCE_MIN;
  const own = Decimal.of(proposed);
  const actual = own.plus(own.times(scaling).max(TWO)).dividedBy(Decimal.of(blocks));
  const expected = Decimal.of(power).dividedBy(Decimal.of(totalPower));
  return actual.dividedBy(expected).min(one).max(PERFORMANCE_MIN);
}

/** Each node's part of all stake. */
export function stakeScores(nodeIds: readonly string[], stakes: StakeByNode): Map<string, Decimal> {
  const total = Decimal.of(totalStake(nodeIds, stakes));
  return mapNodes(nodeIds, (id) => (total.isZero() ? zero : stakeOf(id, stakes).dividedBy(total)));
}

export function totalStake(nodeIds: readonly string[], stakes: StakeByNode): bigint {
  return nodeIds.reduce((sum, id) => sum + (stakes.get(id) ?? NO_STAKE).total, 0n);
}

/** Stake up to which a node's score grows: what each would have if it were spread well. */
export function optimalStake(
  tendermintIds: readonly string[],
  stakes: StakeByNode,
  params: ScoreParameters,
): Decimal {
  const wanted = Decimal.of(BigInt(tendermintIds.length)).dividedBy(params.competitionLevel);
  return Decimal.of(totalStake(tendermintIds, stakes)).dividedBy(params.validatorsMin.max(wanted));
}

/** A group's scores by stake: what exceeds the optimum does not count, what exceeds it by far counts against. */
export function rawScores(
  nodeIds: readonly string[],
  stakes: StakeByNode,
  optimal: Decimal,
  params: ScoreParameters,
): Map<string, Decimal> {
  const total = Decimal.of(totalStake(nodeIds, stakes));
  return mapNodes(nodeIds, (id) => {
    if (total.isZero()) return zero;
    const stake = stakeOf(id, stakes);
    const flattened = stake.minus(optimal).max(zero);
    const penalty = stake.minus(params.optimalStakeMultiplier.times(optimal)).max(zero);
    return stake.minus(flattened).minus(penalty).dividedBy(total).max(zero).min(one);
  });
}

/** What of the contract decides on multisig scores. */
export interface ContractSigners {
  isSigner(address: string): boolean;
  signers(): readonly string[];
}

/**
 * Whether the best nodes of the tendermint group are signers of the contract; nobody scores while it has a signer
 * that is no validator. @param weights raw score times performance, by node
 */
export function multisigScores(
  nodes: readonly { readonly nodeId: string; readonly ethereumAddress: string }[],
  weights: ReadonlyMap<string, Decimal>,
  contract: ContractSigners,
  signersNeeded: number,
): Map<string, Decimal> {
  const addresses = new Set(nodes.map(({ ethereumAddress }) => ethereumAddress.toLowerCase()));
  const hasStranger = contract.signers().some((signer) => !addresses.has(signer.toLowerCase()));
  const ranked = [...nodes].sort((a, b) => weights.get(b.nodeId)!.compare(weights.get(a.nodeId)!));
  const top = new Set(ranked.slice(0, signersNeeded));
  return new Map(
    nodes.map((node) => {
      const isFine = !hasStranger && (!top.has(node) || contract.isSigner(node.ethereumAddress));
      return [node.nodeId, isFine ? one : zero] as const;
    }),
  );
}

/** Each score's part of their sum. Where rounding takes the parts above 1, a node drawn by lot gives the excess up. */
export function normalised(scores: ReadonlyMap<string, Decimal>, random: Randomness): Map<string, Decimal> {
  const sum = sumOf(scores.values());
  if (!sum.isPositive()) return mapNodes([...scores.keys()], () => zero);
  const parts = new Map([...scores].map(([id, score]) => [id, score.dividedBy(sum)] as const));
  const excess = sumOf(parts.values()).minus(one);
  if (excess.isPositive()) {
    const able = [...parts.keys()].filter((id) => !parts.get(id)!.isLess(excess));
    const unlucky = able[random.below(able.length)]!;
    parts.set(unlucky, parts.get(unlucky)!.minus(excess));
  }
  return parts;
}

export function sumOf(decimals: Iterable<Decimal>): Decimal {
  let sum = zero;
  for (const decimal of decimals) sum = sum.plus(decimal);
  return sum;
}

function stakeOf(id: string, stakes: StakeByNode): Decimal {
  return Decimal.of((stakes.get(id) ?? NO_STAKE).total);
}

function mapNodes(nodeIds: readonly string[], score: (id: string) => Decimal): Map<string, Decimal> {
  return new Map(nodeIds.map((id) => [id, score(id)] as const));
}
