// The validators of the naive ledger: who has which power, who proposed, and the scores at the end of an epoch. Every
// node is a tendermint validator for good: promotion is not modelled
// (docs/protocol/60-state-engine-staking.md#75-validator-set-events and #76-scores-at-epoch-end).
import { Decimal } from "../../src/wire/decimal.ts";
import { type Facts, Refusal } from "./naive-book.ts";

export interface NodeData {
  readonly id: string;
  readonly key: string;
  readonly ethereumAddress: string;
  power: bigint;
  /** Blocks proposed in this epoch. */
  proposed: bigint;
}

export interface NodesData {
  /** By node id. */
  readonly list: NodeData[];
  /** Ethereum addresses that the contract knows. */
  readonly signers: string[];
  /** An epoch ended in this block. */
  isNewEpoch: boolean;
}

/** The parts of the ledger that validators use. */
interface ValidatedLedger {
  readonly data: { readonly nodes: NodesData };
  readonly facts: Facts;
  decimal(key: string): Decimal;
}

export interface Score {
  readonly node: NodeData;
  readonly raw: Decimal;
  readonly performance: Decimal;
  readonly score: Decimal;
  readonly normalised: Decimal;
}

export interface NodeStake {
  readonly self: bigint;
  readonly others: bigint;
}

const { zero, one } = Decimal;

export class Nodes {
  /** The normalised score that the chain gave a node, asked only where it is left to chance. */
  chosen: (nodeId: string, epoch: bigint) => string = () => "";

  constructor(private readonly ledger: ValidatedLedger) {}

  private get data(): NodesData {
    return this.ledger.data.nodes;
  }

  get list(): readonly NodeData[] {
    return this.data.list;
  }

  has(id: string): boolean {
    return this.list.some((node) => node.id === id);
  }

  mustBeNode(key: string): void {
    if (!this.list.some((node) => node.key === key))
      throw new Refusal("node signature not sent by validator");
  }

  /** Whether the power of those who voted suffices. */
  hasPower(votes: ReadonlySet<string>): boolean {
    const power = sum(this.list.filter(({ key }) => votes.has(key)).map((node) => node.power));
    return !Decimal.of(power).dividedBy(Decimal.of(this.totalPower())).isLess(this.required);
  }

  /** Whether the number of those who signed suffices. */
  hasHeads(signatures: ReadonlySet<string>): boolean {
    const heads = this.list.filter(({ key }) => signatures.has(key)).length;
    return !Decimal.of(BigInt(heads))
      .dividedBy(Decimal.of(BigInt(this.list.length)))
      .isLess(this.required);
  }

  countProposer(id: string): void {
    this.list.find((node) => node.id === id)!.proposed += 1n;
  }

  endBlock(): void {
    if (this.data.isNewEpoch) for (const node of this.list) node.proposed = 0n;
    this.data.isNewEpoch = false;
  }

  /** Scores of the epoch that ended, and the powers for the next one. */
  endEpoch(epoch: bigint, stakes: readonly NodeStake[], nextStakes: readonly NodeStake[]): Score[] {
    this.data.isNewEpoch = true;
    const raws = this.raws(stakes);
    const performances = this.list.map((node, at) => this.performance(node, stakes[at]!));
    const multisig = this.multisig(raws.map((raw, at) => raw.times(performances[at]!)));
    const scores = raws.map((raw, at) => raw.times(performances[at]!).times(multisig[at]!));
    const normalised = this.normalise(scores, epoch);
    this.list.forEach((node, at) => {
      const texts = [scores[at], normalised[at], performances[at], raws[at], "tendermint", multisig[at]];
      this.ledger.facts.add("score", node.id, epoch, ...texts.map(String));
    });
    // The beginning of the next epoch: its ranking and powers are by the stake that it will have.
    const nextPerformances = this.list.map((node, at) => this.performance(node, nextStakes[at]!));
    this.setPowers(nextStakes, nextPerformances);
    const total = sum(nextStakes.map(stakeOf));
    this.list.forEach((node, at) => {
      const share = total === 0n ? zero : quotient(stakeOf(nextStakes[at]!), total);
      const incumbent = one.plus(this.ledger.decimal("network.validators.incumbentBonus"));
      const ranking = share.times(nextPerformances[at]!).times(incumbent);
      const texts = [share, nextPerformances[at]!, ranking].map(String);
      this.ledger.facts.add("ranking", node.id, ...texts, "tendermint", "tendermint", epoch + 1n, node.power);
    });
    return this.list.map((node, at) => ({
      node,
      raw: raws[at]!,
      performance: performances[at]!,
      score: scores[at]!,
      normalised: normalised[at]!,
    }));
  }

  private setPowers(stakes: readonly NodeStake[], performances: readonly Decimal[]): void {
    const scores = this.raws(stakes).map((raw, at) => raw.times(performances[at]!));
    const total = scores.reduce((all, score) => all.plus(score), zero);
    this.list.forEach((node, at) => {
      const power = total.isZero()
        ? 10n
        : scores[at]!.dividedBy(total).times(Decimal.of(10_000n)).truncated();
      node.power = power < 1n ? 1n : power;
    });
  }

  private performance(node: NodeData, { self }: NodeStake): Decimal {
    const least = this.ledger.decimal("reward.staking.delegation.minimumValidatorStake");
    if (Decimal.of(self).isLess(least)) return zero;
    const low = Decimal.parse("0.05");
    const all = sum(this.list.map(({ proposed }) => proposed));
    if (all === 0n) return low;
    const proposed = Decimal.of(node.proposed);
    const scaled = proposed.times(this.ledger.decimal("validator.performance.scaling.factor"));
    const actual = proposed.plus(scaled.max(Decimal.of(2n))).dividedBy(Decimal.of(all));
    const expected = quotient(node.power, this.totalPower());
    return actual.dividedBy(expected).min(one).max(low);
  }

  private raws(stakes: readonly NodeStake[]): Decimal[] {
    const total = sum(stakes.map(stakeOf));
    const level = this.ledger.decimal("reward.staking.delegation.competitionLevel");
    const count = Decimal.of(BigInt(this.list.length)).dividedBy(level);
    const least = this.ledger.decimal("reward.staking.delegation.minValidators");
    const optimal = Decimal.of(total).dividedBy(count.max(least));
    const most = optimal.times(this.ledger.decimal("reward.staking.delegation.optimalStakeMultiplier"));
    return stakes.map((node) => {
      if (total === 0n) return zero;
      const stake = Decimal.of(stakeOf(node));
      const left = stake.minus(zero.max(stake.minus(optimal))).minus(zero.max(stake.minus(most)));
      return left.dividedBy(Decimal.of(total)).min(one).max(zero);
    });
  }

  private multisig(scores: readonly Decimal[]): Decimal[] {
    const isForeign = (signer: string) => !this.list.some((node) => node.ethereumAddress === signer);
    if (this.data.signers.some(isForeign)) return scores.map(() => zero);
    // As many as sign come before the rest: here always all of them.
    return this.list.map((node) => (this.data.signers.includes(node.ethereumAddress) ? one : zero));
  }

  private normalise(scores: readonly Decimal[], epoch: bigint): Decimal[] {
    const total = scores.reduce((all, score) => all.plus(score), zero);
    if (total.isZero()) return scores.map(() => zero);
    const shares = scores.map((score) => score.dividedBy(total));
    const excess = shares.reduce((all, share) => all.plus(share), zero).minus(one);
    if (!excess.isPositive()) return shares;
    // Rounding gave away more than there is: a node chosen at random gives it back, and which one is not for us to say.
    const loser = this.list.findIndex((node, at) => {
      return this.chosen(node.id, epoch) === String(shares[at]!.minus(excess));
    });
    return shares.map((share, at) => (at === loser ? share.minus(excess) : share));
  }

  private totalPower(): bigint {
    return sum(this.list.map(({ power }) => power));
  }

  private get required(): Decimal {
    return this.ledger.decimal("validators.vote.required");
  }
}

export function stakeOf({ self, others }: NodeStake): bigint {
  return self + others;
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, amount) => all + amount, 0n);
}

export function quotient(part: bigint, whole: bigint): Decimal {
  return Decimal.of(part).dividedBy(Decimal.of(whole));
}
