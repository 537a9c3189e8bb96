// The naive market's state (docs/protocol/70-*.md): arrays and maps, looked through whenever something is asked.
// Written from the protocol without looking at the engine.
import type { Accounts } from "./accounts.ts";
import { Decimal } from "./decimal.ts";
import { Equity } from "./equity.ts";
import {
  type Home,
  least,
  type Order,
  type Position,
  type Provision,
  State,
  type Terms,
  Trigger,
  type Unsettled,
} from "./model.ts";
import { Scores } from "./scores.ts";

/** The state, and money between accounts. */
export abstract class MarketState {
  nowNs: bigint;
  state: number = State.pending;
  /** Undefined while trading is continuous. */
  auction:
    | { readonly trigger: number; extension: number; readonly startNs: bigint; endNs: bigint }
    | undefined;
  /** An auction that was decided to end: margins are those of continuous trading. */
  isCleared = false;
  mark = 0n;
  lastTraded = 0n;
  nextMarkNs: bigint;
  batch = 0n;
  liquidityFee = Decimal.of(0n);
  settlementPrice: bigint | undefined;
  readonly equity: Equity;
  readonly scores: Scores;
  /** Market value as the last tick or change of a provision has found it. */
  marketValue = Decimal.of(0n);

  /** In the order of arrival. */
  book: Order[] = [];
  parked: Order[] = [];
  positions: Position[] = [];
  unsettled: Unsettled[] = [];
  readonly settled = new Map<string, { size: bigint; mark: bigint }>();
  provisions: Provision[] = [];
  interest: { readonly timeNs: bigint; readonly volume: bigint }[] = [];
  readonly accounts: Accounts;
  private readonly pendingLevels = new Map<string, string>();
  /** Facts that clients see, one on a line. */
  facts: string[] = [];
  /** Number of visits to a state of interest. */
  readonly counts = new Map<string, number>();

  constructor(
    /** They are replaced when the market is updated. */
    public terms: Terms,
    readonly home: Home,
  ) {
    this.accounts = home.accounts;
    this.nowNs = terms.startNs;
    this.nextMarkNs = ZERO_TIME_NS + terms.markFrequencyNs;
    this.equity = new Equity(terms.startNs);
    this.scores = new Scores(
      () => this.terms,
      (what) => this.count(what),
    );
    for (const account of ["insurance", "settlement", "liquidityFees", "makerFees"]) this.open(account);
    for (const account of ["infrastructureFees", "globalReward"]) this.open(account);
  }

  get canTrade(): boolean {
    return this.state === State.pending || this.state === State.active || this.state === State.suspended;
  }

  get isOpening(): boolean {
    return this.auction?.trigger === Trigger.opening;
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }

  fact(kind: string, ...members: readonly (string | number | bigint)[]): void {
    this.facts.push(`${kind} ${members.join(" ")}`);
  }

  /** Of several levels of a party only the last ones are shown. */
  showLevels(party: string, levels: readonly bigint[]): void {
    this.pendingLevels.set(party, levels.join("/"));
  }

  forgetLevels(party: string): void {
    this.pendingLevels.delete(party);
  }

  flushLevels(): void {
    for (const party of [...this.pendingLevels.keys()].sort())
      this.fact("levels", party, this.pendingLevels.get(party)!);
    this.pendingLevels.clear();
  }

  open(account: string): void {
    if (!this.accounts.has(account)) this.accounts.set(account, 0n);
  }

  balance(account: string): bigint {
    return this.accounts.get(account) ?? 0n;
  }

  move(from: string, to: string, amount: bigint, type: number): void {
    if (amount === 0n) return;
    if (amount < 0n || this.balance(from) < amount) throw new Error(`${from} cannot pay ${amount}`);
    this.accounts.set(from, this.balance(from) - amount);
    this.accounts.set(to, this.balance(to) + amount);
    this.fact("move", type, this.accounts.full(from), this.accounts.full(to), amount);
  }

  /** As much of an amount as sources hold, one after the other. @returns what was moved */
  collect(sources: readonly string[], to: string, amount: bigint, type: number): bigint {
    let rest = amount;
    for (const source of sources) {
      const part = least(rest, this.balance(source));
      this.move(source, to, part, type);
      rest -= part;
    }
    return amount - rest;
  }

  showOrder(order: Order, more: { readonly price?: bigint } = {}): void {
    const price = more.price ?? order.price / this.terms.priceFactor;
    const { id, party, side, size, remaining, tif, type, status, reason, version, batch, peg } = order;
    const pegged = peg === undefined ? "-" : `${peg.reference}/${peg.offset}`;
    this.fact(
      ...(["order", id, party, side, price, size, remaining, tif, type, status, reason, version] as const),
      ...[batch, order.createdNs, order.expiresNs, pegged, order.provision || "-"],
    );
  }
}

/** The time before any other, as it wraps (docs/protocol/70-trading-positions.md#61-mark-price). */
const ZERO_TIME_NS = -6_795_364_578_871_345_152n;
