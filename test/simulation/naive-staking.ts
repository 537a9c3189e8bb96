// Stake, its delegation, and what it earns, as the protocol tells it
// (docs/protocol/60-state-engine-staking.md#71-stake-linking to #74-epoch-end and
// #86-reward-accounts-and-payout-order-at-epoch-end to #89-payout-events).
import { Decimal } from "../../src/wire/decimal.ts";
import type { DelegateSubmission, UndelegateSubmission } from "../../src/wire/generated/commands.ts";
import type { StakingEvent } from "../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import {
  accountOf,
  type Book,
  type BookData,
  DAY,
  type Facts,
  Movement,
  NETWORK,
  type Outcome,
  Refusal,
  type Resource,
  Type,
  UINT_MAX,
} from "./naive-book.ts";
import { type NodeStake, type Nodes, quotient, type Score, stakeOf, sum } from "./naive-nodes.ts";

interface Linking {
  readonly id: string;
  readonly isLink: boolean;
  readonly party: string;
  readonly amount: bigint;
  readonly ts: bigint;
  readonly txHash: string;
  readonly block: bigint;
  readonly index: bigint;
}

type Delegations = Map<string, Map<string, bigint>>;

export interface StakingData {
  readonly linkings: Map<string, Linking>;
  readonly seen: Set<string>;
  readonly accepted: Map<string, Linking[]>;
  totalSupply: bigint;
  supplyAsked: "" | "asked" | "known";
  pendingSupply: bigint;
  current: Delegations;
  next: Delegations;
  readonly auto: Set<string>;
  reconciled: bigint;
}

/** The parts of the ledger that stake uses. */
interface StakedLedger {
  readonly data: {
    readonly staking: StakingData;
    readonly assets: BookData["assets"];
    readonly now: bigint;
    readonly epoch: { readonly seq: bigint };
  };
  readonly facts: Facts;
  readonly book: Book;
  readonly nodes: Nodes;
  ask(id: string, kind: Resource["kind"], time: bigint, ref: string, subject: string): void;
  parameter(key: string): string;
  decimal(key: string): Decimal;
}

const NOT_A_NUMBER = "amount is not a valid base 10 number";
const { zero, one } = Decimal;

export class Staking {
  constructor(private readonly ledger: StakedLedger) {}

  private get data(): StakingData {
    return this.ledger.data.staking;
  }

  // Stake

  balance(party: string): bigint | undefined {
    const events = this.data.accepted.get(party);
    if (events === undefined) return undefined;
    const inTime = [...events].sort((a, b) => Number(a.ts - b.ts) || Number(b.isLink) - Number(a.isLink));
    let balance = 0n;
    for (const { isLink, amount } of inTime) {
      balance += isLink ? amount : -amount;
      if (balance < 0n) return 0n;
    }
    // The network counts in 256 bits.
    return min(balance, UINT_MAX);
  }

  event(
    { stakeDeposited, stakeRemoved, totalSupply, block, index }: StakingEvent,
    txId: string,
    id: string,
  ): void {
    if (totalSupply !== undefined) {
      if (this.data.supplyAsked === "known") throw new Refusal("stake total supply already processed");
      if (this.data.supplyAsked === "asked") throw new Refusal(/being processed$/);
      this.data.supplyAsked = "asked";
      this.data.pendingSupply = BigInt(totalSupply.totalSupply);
      this.ledger.ask(SUPPLY, "supply", 21n * DAY, "", "");
      return;
    }
    const { vegaPublicKey: party, amount, blockTime, ethereumAddress } = (stakeDeposited ?? stakeRemoved)!;
    const isLink = stakeDeposited !== undefined;
    const isAmount = BigInt(amount) > 0n && BigInt(amount) <= UINT_MAX;
    if (!isAmount || blockTime <= 0n) throw new Refusal(undefined);
    const hash = [block, index, txId, party, ethereumAddress, amount, isLink].join(" ");
    if (this.data.seen.has(hash)) throw new Refusal("duplicated stake deposited event");
    this.data.seen.add(hash);
    const base = { id, isLink, party, amount: BigInt(amount), ts: blockTime, txHash: txId, block, index };
    this.data.linkings.set(id, base);
    this.tell(base, 1, 0n);
    this.ledger.ask(id, "stake", 21n * DAY, "", "");
  }

  /** Resources on which the witnesses have agreed, or failed to in time. */
  take(outcomes: readonly Outcome[]): void {
    for (const { id, resource, isAccepted } of outcomes) {
      if (resource.kind === "supply") {
        if (isAccepted) this.data.totalSupply = this.data.pendingSupply;
        this.data.supplyAsked = isAccepted ? "known" : "";
        continue;
      }
      const linking = this.data.linkings.get(id)!;
      if (isAccepted) this.accept(linking);
      this.tell(linking, isAccepted ? 2 : 3, this.ledger.data.now);
    }
  }

  private accept(linking: Linking): void {
    const events = this.data.accepted.get(linking.party);
    if (events !== undefined) {
      events.push(linking);
      return;
    }
    this.ledger.facts.add("party", linking.party);
    this.data.accepted.set(linking.party, [linking]);
  }

  private tell(
    { id, isLink, party, amount, ts, txHash, block, index }: Linking,
    status: number,
    at: bigint,
  ): void {
    this.ledger.facts.add("stake", id, isLink ? 1 : 2, ts, party, amount, status, at, txHash, block, index);
  }

  // Delegation

  delegate(party: string, { nodeId, amount: text }: DelegateSubmission): void {
    if (BigInt(text) > UINT_MAX) throw new Refusal(NOT_A_NUMBER);
    if (!this.ledger.nodes.has(nodeId)) throw new Refusal("invalid node ID");
    const stake = this.balance(party);
    if (stake === undefined) throw new Refusal("cannot find staking account for the party");
    const amount = BigInt(text);
    if (amount < this.ledger.decimal("validators.delegation.minAmount").truncated()) {
      throw new Refusal("delegation amount is lower than the minimum amount for delegation for a validator");
    }
    if (totalOf(this.data.next, party) + amount > stake)
      throw new Refusal("insufficient balance for delegation");
    put(this.data.next, party, nodeId, amountOf(this.data.next, party, nodeId) + amount);
    this.tellDelegation(this.data.next, party, nodeId, 1n);
  }

  undelegate(party: string, { nodeId, amount: text, method }: UndelegateSubmission): void {
    if (!/^\d+$/.test(text) || BigInt(text) > UINT_MAX) throw new Refusal(NOT_A_NUMBER);
    if (!this.ledger.nodes.has(nodeId)) throw new Refusal("invalid node ID");
    const { current, next } = this.data;
    const now = amountOf(current, party, nodeId);
    const later = amountOf(next, party, nodeId);
    const isNow = method === 1;
    const available = isNow && now > later ? now : later;
    const amount = BigInt(text) === 0n ? available : BigInt(text);
    if (amount > available) throw new Refusal("incorrect token amount for undelegation");
    this.data.auto.delete(party);
    if (isNow && min(now, amount) > 0n) {
      put(current, party, nodeId, now - min(now, amount));
      this.tellDelegation(current, party, nodeId, 0n);
    }
    if (min(later, amount) > 0n) {
      put(next, party, nodeId, later - min(later, amount));
      this.tellDelegation(next, party, nodeId, 1n);
    }
  }

  private tellDelegation(map: Delegations, party: string, node: string, ahead: bigint): void {
    const epoch = this.ledger.data.epoch.seq + ahead;
    this.ledger.facts.add("delegation", party, node, amountOf(map, party, node), epoch);
  }

  /** The delegation's part of a tick. */
  tick(): void {
    const { now } = this.ledger.data;
    if (now < this.data.reconciled + 30n * SECOND_NS) return;
    this.reconcile();
  }

  private reconcile(): void {
    this.data.reconciled = this.ledger.data.now;
    for (const [map, ahead] of [
      [this.data.current, 0n],
      [this.data.next, 1n],
    ] as const) {
      for (const party of [...map.keys()].sort()) {
        const total = totalOf(map, party);
        const deficit = total - (this.balance(party) ?? 0n);
        if (deficit > 0n) this.shrink(map, party, total, deficit, ahead);
      }
    }
  }

  private shrink(map: Delegations, party: string, total: bigint, deficit: bigint, ahead: bigint): void {
    const nodes = [...map.get(party)!.keys()].sort();
    let left = deficit;
    for (const node of nodes) {
      const amount = amountOf(map, party, node);
      const part = (amount * deficit) / total;
      put(map, party, node, amount - part);
      left -= part;
    }
    for (const node of nodes) {
      const amount = amountOf(map, party, node);
      if (left === 0n || amount === 0n) continue;
      put(map, party, node, amount - 1n);
      left -= 1n;
    }
    this.data.auto.delete(party);
    for (const node of nodes) this.tellDelegation(map, party, node, ahead);
  }

  // Ends and starts of epochs

  endEpoch(epoch: bigint): void {
    this.reconcile();
    const ended = this.data.current;
    this.roll();
    const stakes = this.stakesOn(ended);
    const scores = this.ledger.nodes.endEpoch(epoch, stakes, this.stakesOn(this.data.current));
    this.payRewards(epoch, ended, stakes, scores);
  }

  startEpoch(): void {
    const { next } = this.data;
    for (const [party, nodes] of next) {
      for (const node of nodes.keys()) this.tellDelegation(next, party, node, 1n);
    }
  }

  private roll(): void {
    const { current, next, auto } = this.data;
    // Parties that changed something in this epoch are left alone for once.
    const idle = [...auto].filter((party) => isSame(current.get(party), next.get(party))).sort();
    const rolled: Delegations = new Map();
    for (const [party, nodes] of next) {
      for (const [node, amount] of nodes) {
        if (amount > 0n || amountOf(current, party, node) > 0n) put(rolled, party, node, amount);
      }
    }
    this.data.current = rolled;
    this.data.next = structuredClone(rolled);
    for (const party of idle) this.delegateRest(party);
    for (const party of rolled.keys()) {
      const stake = this.balance(party) ?? 0n;
      if (stake > 0n && !quotient(totalOf(rolled, party), stake).isLess(Decimal.parse("0.95")))
        auto.add(party);
    }
  }

  private delegateRest(party: string): void {
    const { current } = this.data;
    const total = totalOf(current, party);
    const rest = (this.balance(party) ?? 0n) - total;
    if (total === 0n || rest <= 0n) return;
    for (const [node, amount] of [...current.get(party)!].sort()) {
      const more = amount + (amount * rest) / total;
      if (more === amount) continue;
      put(this.data.current, party, node, more);
      put(this.data.next, party, node, more);
      this.tellDelegation(this.data.current, party, node, 1n);
    }
  }

  private stakesOn(map: Delegations): NodeStake[] {
    return this.ledger.nodes.list.map(({ id, key }) => {
      const all = sum([...map.values()].map((nodes) => nodes.get(id) ?? 0n));
      const self = amountOf(map, key, id);
      return { self, others: all - self };
    });
  }

  // Rewards

  private payRewards(
    epoch: bigint,
    ended: Delegations,
    stakes: readonly NodeStake[],
    scores: readonly Score[],
  ): void {
    const rewardAsset = this.ledger.parameter("reward.asset");
    const pay = (asset: string, type: number, name: string) =>
      this.pay(epoch, asset, type, name, ended, stakes, scores);
    pay(rewardAsset, Type.treasury, "ACCOUNT_TYPE_GLOBAL_REWARD");
    for (const asset of [...this.ledger.data.assets.keys()].sort()) {
      pay(asset, Type.infrastructure, "ACCOUNT_TYPE_FEES_INFRASTRUCTURE");
    }
  }

  /** Of the treasury's payout, for each participant. */
  private capOf(type: number): bigint | undefined {
    const cap = this.ledger.decimal("reward.staking.delegation.maxPayoutPerParticipant").truncated();
    return type === Type.treasury && cap > 0n ? cap : undefined;
  }

  private pay(
    epoch: bigint,
    asset: string,
    type: number,
    name: string,
    ended: Delegations,
    stakes: readonly NodeStake[],
    scores: readonly Score[],
  ): void {
    const source = accountOf(NETWORK, asset, type);
    const budget = this.ledger.book.balance(source);
    if (budget === 0n || sum(stakes.map(stakeOf)) === 0n) return;
    const amounts = new Map<string, bigint>();
    const cap = this.capOf(type);
    /** @returns what is given of it: nobody gets more than the cap, of all validators together */
    const give = (party: string, amount: bigint): bigint => {
      const have = amounts.get(party) ?? 0n;
      const payout = cap === undefined ? amount : min(amount, cap - have);
      amounts.set(party, have + payout);
      return payout;
    };
    scores.forEach(({ node, normalised }, at) => {
      if (!normalised.isPositive()) return;
      const earned = normalised.times(Decimal.of(budget));
      const { others } = stakes[at]!;
      const share = this.ledger.decimal("reward.staking.delegation.delegatorShare");
      const fraction = share.times(Decimal.of(others)).dividedBy(Decimal.of(stakeOf(stakes[at]!)));
      give(node.key, one.minus(fraction).times(earned).truncated());
      const pot = fraction.times(earned).truncated();
      const delegators = [...ended]
        .filter(([party, nodes]) => party !== node.key && (nodes.get(node.id) ?? 0n) > 0n)
        .map(([party, nodes]) => [party, nodes.get(node.id)!] as const);
      split(pot, delegators, others, cap, give);
    });
    const parties = [...amounts.keys()].sort();
    const total = sum([...amounts.values()]);
    if (total === 0n) return;
    for (const party of parties) {
      this.ledger.book.move(
        Movement.reward,
        source,
        this.ledger.book.general(party, asset),
        amounts.get(party)!,
      );
    }
    this.ledger.book.flush();
    for (const party of parties) {
      const amount = amounts.get(party)!;
      const percent = quotient(amount, total).times(Decimal.of(100n));
      this.ledger.facts.add("reward", party, epoch, asset, amount, String(percent), name);
    }
  }
}

/** The delegators' pot, by their weights, and what rounding left over by the same weights once more. */
function split(
  pot: bigint,
  delegators: readonly (readonly [party: string, amount: bigint])[],
  total: bigint,
  cap: bigint | undefined,
  give: (party: string, amount: bigint) => bigint,
): void {
  const weights = [...delegators]
    .sort()
    .map(([party, amount]) => ({ party, weight: quotient(amount, total) }));
  const excess = weights.reduce((all, { weight }) => all.plus(weight), zero).minus(one);
  if (excess.isPositive()) {
    const largest = weights.reduce((a, b) => (a.weight.isLess(b.weight) ? b : a));
    largest.weight = largest.weight.minus(excess);
  }
  let left = pot;
  for (let round = 0; round < 10 && left > 0n; round++) {
    const before = left;
    for (const { party, weight } of weights)
      left -= give(party, weight.times(Decimal.of(before)).truncated());
    if (left === before) break;
    if (cap !== undefined && left * 1_000n < cap) break;
  }
}

/** The witnesses' name for the total supply, here. */
export const SUPPLY = "total supply";

function amountOf(map: Delegations, party: string, node: string): bigint {
  return map.get(party)?.get(node) ?? 0n;
}

export function totalOf(map: Delegations, party: string): bigint {
  return sum([...(map.get(party)?.values() ?? [])]);
}

function isSame(
  a: ReadonlyMap<string, bigint> = new Map(),
  b: ReadonlyMap<string, bigint> = new Map(),
): boolean {
  return [...a.keys(), ...b.keys()].every((node) => (a.get(node) ?? 0n) === (b.get(node) ?? 0n));
}

function put(map: Delegations, party: string, node: string, amount: bigint): void {
  let nodes = map.get(party);
  if (nodes === undefined) {
    nodes = new Map();
    map.set(party, nodes);
  }
  nodes.set(node, amount);
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
