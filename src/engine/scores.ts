/**
 * Scores of validators at the end of an epoch (docs/protocol/60-state-engine-staking.md#76-scores-at-epoch-end): pure
 * functions. Products are exact, quotients have 16 decimals.
 */

import { sha3Of } from "../crypto/sha.ts";
import { Decimal } from "../wire/decimal.ts";
import { INITIAL_POWER } from "./nodes.ts";
import type { NodeStatus, ParameterReader } from "./ports.ts";
import { NO_STAKE, type NodeStake, type StakeByNode } from "./stakes.ts";

const { zero, one } = Decimal;
/** Minimum performance of a validator of status tendermint. */
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

/** Components of a node's performance. */
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
  const seats = Decimal.of(BigInt(tendermintIds.length)).dividedBy(params.competitionLevel);
  return Decimal.of(totalStake(tendermintIds, stakes)).dividedBy(params.validatorsMin.max(seats));
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

/** The contract's signers, which decide on multisig scores. */
interface ContractSigners {
  isSigner(address: string): boolean;
  signers(): readonly string[];
}

/**
 * Whether the best nodes of the tendermint group are signers of the contract; all scores are 0 while it has a signer
 * that is not a validator. @param weights raw score times performance, by node
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

// Voting power of the validators of status tendermint
// (docs/protocol/60-state-engine-staking.md#76-scores-at-epoch-end): their part of all scores, in ten
// thousandths, and never nothing.

const WHOLE = Decimal.of(10_000n);

/** @param scores raw score times performance, by node */
export function votingPower(scores: ReadonlyMap<string, Decimal>): Map<string, bigint> {
  const sum = sumOf(scores.values());
  return new Map(
    [...scores].map(([id, score]) => {
      if (!sum.isPositive()) return [id, INITIAL_POWER] as const;
      const power = score.dividedBy(sum).times(WHOLE).truncated();
      return [id, power > 0n ? power : 1n] as const;
    }),
  );
}

// Statuses of the nodes in the next epoch (docs/protocol/60-state-engine-staking.md#76-scores-at-epoch-end,
// "Promotion/demotion"): pure functions over the ranking. Slots of status tendermint are filled first, then those of
// status ersatz.

export interface RankedNode {
  readonly nodeId: string;
  readonly status: NodeStatus;
  /** Height at which it got its status. */
  readonly statusHeight: number;
  readonly ranking: Decimal;
  /** Whether the multisig contract has its address as a signer. */
  readonly isSigner: boolean;
}

interface Slots {
  readonly tendermint: number;
  readonly ersatz: number;
}

/** The multisig contract, as far as it forbids demotions. */
interface ContractState {
  readonly signers: number;
  /** Thousandths that must be surpassed. */
  readonly threshold: number;
}

/**
 * Each group in turn gets to its number of slots; when it has exactly that many, the best of the others takes the
 * place of the worst, also where the slots have just been filled or given up.
 * @returns the status of every node in the next epoch
 */
export function nextStatuses(
  nodes: readonly RankedNode[],
  slots: Slots,
  contract: ContractState,
  random: Randomness,
): Map<string, NodeStatus> {
  const statuses = new Statuses(nodes, random);
  const validators = statuses.ranked(({ status }) => status === "tendermint");
  const replaced = statuses.settle(validators, {
    slots: slots.tendermint,
    candidates: statuses.ranked(({ status }) => status !== "tendermint"),
    leaving: demotable(validators, validators.length - slots.tendermint, contract),
    up: "tendermint",
    down: "ersatz",
  });
  const isStandby = (node: RankedNode) => statuses.of(node) === "ersatz";
  const standby = statuses.ranked((node) => isStandby(node) && node !== replaced);
  // Behind the others, whatever its ranking: it may compete for a place again.
  if (replaced !== undefined) standby.push(replaced);
  statuses.settle(standby, {
    slots: slots.ersatz,
    candidates: statuses.ranked((node) => statuses.of(node) === "pending"),
    leaving: standby.slice(slots.ersatz),
    up: "ersatz",
    down: "pending",
  });
  return statuses.all;
}

interface Change {
  readonly slots: number;
  /** Best first. */
  readonly candidates: readonly RankedNode[];
  /** Members without a slot. */
  readonly leaving: readonly RankedNode[];
  readonly up: NodeStatus;
  readonly down: NodeStatus;
}

class Statuses {
  readonly all: Map<string, NodeStatus>;
  private readonly lots: ReadonlyMap<string, number>;
  /** Nodes whose status has changed. */
  private readonly moved = new Set<RankedNode>();

  constructor(
    private readonly nodes: readonly RankedNode[],
    random: Randomness,
  ) {
    this.all = new Map(nodes.map(({ nodeId, status }) => [nodeId, status] as const));
    this.lots = new Map(nodes.map(({ nodeId }) => [nodeId, random.below(0xffff_ffff)] as const));
  }

  of({ nodeId }: RankedNode): NodeStatus {
    return this.all.get(nodeId)!;
  }

  ranked(isWanted: (node: RankedNode) => boolean): RankedNode[] {
    return this.sorted(this.nodes.filter(isWanted));
  }

  /** @returns the member that lost its place */
  settle(members: readonly RankedNode[], change: Change): RankedNode | undefined {
    const { slots, candidates, leaving, up, down } = change;
    const free = Math.max(0, slots - members.length);
    const joining = candidates.filter(({ ranking }) => ranking.isPositive()).slice(0, free);
    for (const node of leaving) this.move(node, down);
    for (const node of joining) this.move(node, up);
    const inside = this.sorted([...members.filter((node) => !leaving.includes(node)), ...joining]);
    const outside = this.sorted([...candidates.filter((node) => !joining.includes(node)), ...leaving]);
    const [worst, best] = [inside.at(-1), outside[0]];
    if (inside.length !== slots || worst === undefined || best === undefined) return undefined;
    if (!worst.ranking.isLess(best.ranking)) return undefined;
    this.move(worst, down);
    this.move(best, up);
    return worst;
  }

  private move(node: RankedNode, status: NodeStatus): void {
    this.all.set(node.nodeId, status);
    this.moved.add(node);
  }

  /** Best first; of equals the one that has its status for longer, then by lot. */
  private sorted(nodes: readonly RankedNode[]): RankedNode[] {
    const since = (node: RankedNode) => (this.moved.has(node) ? Number.POSITIVE_INFINITY : node.statusHeight);
    return [...nodes].sort(
      (a, b) =>
        b.ranking.compare(a.ranking) ||
        compareHeights(since(a), since(b)) ||
        this.lots.get(a.nodeId)! - this.lots.get(b.nodeId)! ||
        (a.nodeId < b.nodeId ? -1 : 1),
    );
  }
}

/** Also of infinite ones. */
function compareHeights(a: number, b: number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * The worst validators, as many as there are too many. A signer of the contract goes only while the others can still
 * surpass its threshold, and is the last to go in an epoch; one that must stay keeps all that are better, too.
 */
function demotable(
  validators: readonly RankedNode[],
  count: number,
  { signers, threshold }: ContractState,
): readonly RankedNode[] {
  const signing = validators.filter(({ isSigner }) => isSigner).length;
  const mayDemoteSigner = signers > 0 && Math.floor(((signing - 1) * 1000) / signers) > threshold;
  const worstFirst = validators.slice(validators.length - Math.max(0, count)).reverse();
  const firstSigner = worstFirst.findIndex(({ isSigner }) => isSigner);
  if (firstSigner === -1) return worstFirst;
  return worstFirst.slice(0, mayDemoteSigner ? firstSigner + 1 : firstSigner);
}

// The engine's only numbers drawn by lot. They are not chance: every node that executes the same block
// draws the same numbers, because they follow from the block time
// (docs/protocol/60-state-engine-blocks.md#14-beginblock-order, step 8).

/** Bytes of a digest that make a number: 48 bits, which a double holds exactly. */
const NUMBER_BYTES = 6;

export class Randomness {
  private drawn = 0;

  /**
   * @param seconds block time, Unix seconds
   * @param purpose use of the numbers: two uses in one block get different ones
   */
  constructor(
    private readonly seconds: bigint,
    private readonly purpose: string,
  ) {}

  /** A whole number from 0 to `limit - 1`. @param limit at most 2^32: the skew of the remainder stays below 2^-16 */
  below(limit: number): number {
    const digest = sha3Of(Buffer.from(`${this.purpose}/${this.seconds}/${this.drawn++}`, "utf8"));
    return Buffer.from(digest).readUIntBE(0, NUMBER_BYTES) % limit;
  }
}
