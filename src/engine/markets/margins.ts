/**
 * Margin levels, and the money that moves to keep them (docs/protocol/70-trading-positions.md#53-margin-levels and
 * #54-when-margin-moves). Levels are emitted once at the end of a transaction, a tick or a block, with their last values.
 */
import { Decimal } from "../../wire/decimal.ts";
import { TransferType } from "../../wire/generated/vega.ts";
import type { Movement } from "../collateral.ts";
import type { MarketContext } from "./context.ts";
import { type Exposure, isFlat } from "./positions.ts";
import type { Position } from "./records.ts";
import type { MissingFunds } from "./refusals.ts";
import { BUY, SELL, type Side, type StoredOrder } from "./stored-order.ts";
import { FACTOR_PARTS, type Terms } from "./terms.ts";

export interface MarginLevels {
  readonly maintenance: bigint;
  readonly search: bigint;
  readonly initial: bigint;
  readonly release: bigint;
}

const NO_MARGIN: MarginLevels = { maintenance: 0n, search: 0n, initial: 0n, release: 0n };

const NOTHING_WAITS: ReadonlyMap<string, MarginLevels> = new Map();

/** The market, as the formulas look at it beside the position. */
interface MarginView {
  readonly terms: Terms;
  readonly boundsSlippage: boolean;
  /** Internal price. */
  readonly price: bigint;
  /** The column of auctions applies. */
  readonly isAuction: boolean;
  /** Average price at which this volume could be closed; undefined where the book is too thin. */
  exitPrice(side: Side, size: bigint): bigint | undefined;
}

/** Levels of a position (docs/protocol/70-trading-positions.md#53-margin-levels): a pure function. */
export function marginLevels(position: Exposure, view: MarginView): MarginLevels {
  const { terms } = view;
  const long = sideMargin(view, {
    open: position.size > 0n ? position.size : 0n,
    exposure: position.size + position.buy,
    ordered: position.buy,
    orderedSum: position.buySum,
    factor: terms.riskLong,
    closing: BUY,
  });
  const short = sideMargin(view, {
    open: position.size < 0n ? -position.size : 0n,
    exposure: -position.size + position.sell,
    ordered: position.sell,
    orderedSum: position.sellSum,
    factor: terms.riskShort,
    closing: SELL,
  });
  return levelsOf(long.max(short).ceiling(), terms);
}

/** The other levels of a maintenance margin. */
function levelsOf(maintenance: bigint, { search, initial, release }: Terms): MarginLevels {
  const at = (parts: bigint) => (parts * maintenance) / FACTOR_PARTS;
  return { maintenance, search: at(search), initial: at(initial), release: at(release) };
}

interface SideInput {
  readonly open: bigint;
  /** Above 0 where the side counts at all. */
  readonly exposure: bigint;
  readonly ordered: bigint;
  readonly orderedSum: bigint;
  readonly factor: Decimal;
  /** Side of the book on which the position would be closed. */
  readonly closing: Side;
}

function sideMargin(view: MarginView, input: SideInput): Decimal {
  if (input.exposure <= 0n) return Decimal.zero;
  const { terms, price } = view;
  const { open, ordered, orderedSum } = input;
  // Products and sums are exact: position and orders are one sum with one shift.
  const atRisk = open * price + (view.isAuction ? orderedSum : ordered * price);
  const risk = Decimal.shifted(atRisk, terms.positionDecimals).times(input.factor);
  return open === 0n ? risk : slippage(view, input).plus(risk);
}

function slippage(view: MarginView, { open: volume, closing }: SideInput): Decimal {
  const { terms, boundsSlippage } = view;
  const open = Decimal.shifted(volume, terms.positionDecimals);
  const factor = terms.linear.times(open).plus(terms.quadratic.times(open).times(open));
  const cap = Decimal.of(view.price).times(factor);
  if (view.isAuction) return cap;
  const exit = view.exitPrice(closing, volume);
  if (exit === undefined) return boundsSlippage ? cap : Decimal.zero;
  const difference = closing === BUY ? view.price - exit : exit - view.price;
  const cost = difference <= 0n ? Decimal.zero : Decimal.of(difference).times(open);
  return boundsSlippage ? cost.min(cap) : cost;
}

/** Outcome of one party's margin update. */
export interface MarginOutcome {
  readonly party: string;
  /** The margin account could not be brought to the maintenance margin. */
  readonly isDistressed: boolean;
  /** The part that the general account did not have, for which the bond stands in. */
  readonly shortfall: bigint;
  /** The margin is where it can stay: another look at it would show nothing. */
  readonly isAtRest: boolean;
}

export class Margins {
  /** Levels to emit, by party. */
  private readonly buffer = new Map<string, MarginLevels>();
  /** Volume that stands on the book and does not count, by side and price. */
  private aside: ReadonlyMap<string, bigint> | undefined;

  constructor(private readonly market: MarketContext) {}

  /** Margins go by the rules of auctions. */
  private get isAuction(): boolean {
    const { isRunning, isLeaving } = this.market.auction;
    return isRunning && !isLeaving;
  }

  /** @param price internal; the mark price unless a caller knows better */
  view(price: bigint = this.market.status.mark): MarginView {
    const { market } = this;
    return {
      terms: market.terms,
      boundsSlippage: market.ports.rules.boundsSlippage,
      price,
      isAuction: this.isAuction,
      exitPrice: (side, size) => market.book.exitPrice(side, size, this.aside),
    };
  }

  /** Price of margins: the mark price, or the indicative price of an opening auction. */
  priceFor(fallback: bigint): bigint {
    const { market } = this;
    const { isLeaving } = market.auction;
    if (!market.isOpening || isLeaving) return market.status.mark;
    return market.book.indication()?.price ?? fallback;
  }

  /** Works margins out as if these orders were off the book. */
  withoutOrders(orders: readonly StoredOrder[], run: () => void): void {
    const aside = new Map<string, bigint>();
    for (const { side, price, remaining } of orders) {
      const key = `${side}/${price}`;
      aside.set(key, (aside.get(key) ?? 0n) + remaining);
    }
    this.aside = aside;
    try {
      run();
    } finally {
      this.aside = undefined;
    }
  }

  levels(position: Exposure, price: bigint): MarginLevels {
    return marginLevels(position, this.view(price));
  }

  show(party: string, levels: MarginLevels): void {
    this.buffer.set(party, levels);
  }

  /**
   * A closed-out party: emitted at once, between its orders and its trade. The levels that showed its distress follow
   * later (docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties, step 8).
   */
  showNone(party: string): void {
    this.emit(party, NO_MARGIN);
  }

  /** Emits the levels of each party that has new ones, by party. */
  flush(): void {
    for (const party of [...this.buffer.keys()].sort()) this.emit(party, this.buffer.get(party)!);
    this.buffer.clear();
  }

  private emit(party: string, { maintenance, search, initial, release }: MarginLevels): void {
    const { market } = this;
    market.core.emit("marginLevels", {
      maintenanceMargin: maintenance.toString(),
      searchLevel: search.toString(),
      initialMargin: initial.toString(),
      collateralReleaseLevel: release.toString(),
      partyId: party,
      marketId: market.id,
      asset: market.accounts.asset,
      timestamp: market.nowNs,
    });
  }

  /** Levels that are not emitted yet. */
  waiting(): ReadonlyMap<string, MarginLevels> {
    return this.buffer.size === 0 ? NOTHING_WAITS : new Map(this.buffer);
  }

  /** Drops the levels of a rolled-back command, and keeps those that waited before it. */
  restoreLevels(waiting: ReadonlyMap<string, MarginLevels>): void {
    this.buffer.clear();
    for (const [party, levels] of waiting) this.buffer.set(party, levels);
  }

  /**
   * Margin for a new or changed order. @param mayUseBond of the market's providers
   * @param movements receives the movements, for one event
   * @returns the amount from the bond; undefined, with nothing moved, if the party has too little
   */
  coverOrder(
    party: string,
    position: Exposure,
    { price, mayUseBond, movements }: { price: bigint; mayUseBond: boolean; movements: Movement[] },
  ): bigint | undefined {
    const [margin, general, bond] = this.balances(party);
    const levels = this.levels(position, price);
    if (margin + general + bond < levels.initial) return undefined;
    const missing = levels.initial - margin;
    const fromBond = missing > general ? missing - general : 0n;
    // The levels are emitted even if the order is refused for its bond.
    this.show(party, levels);
    if (fromBond > 0n && !mayUseBond) return undefined;
    if (missing > 0n) movements.push(this.topUp(party, missing));
    return fromBond;
  }

  /** Of an order that was not covered: the margin that it takes, and what there was for it. */
  missing(
    party: string,
    position: Exposure,
    { price, mayUseBond }: { price: bigint; mayUseBond: boolean },
  ): MissingFunds {
    const [margin, general, bond] = this.balances(party);
    const needed = this.levels(position, price).initial;
    const available = margin + general + (mayUseBond ? bond : 0n);
    return {
      ...{ needed, available, margin, general, ...(mayUseBond && { bond }) },
      ...this.market.assetUnit,
    };
  }

  /**
   * The rule after mark to market and after repricing (docs/protocol/70-trading-positions.md#54-when-margin-moves).
   * Movements go into a list, for one event.
   * @param isRecheck moves nothing for a party that cannot fill its margin up to the maintenance margin
   */
  update(
    party: string,
    position: Exposure,
    price: bigint,
    movements: Movement[],
    isRecheck = false,
  ): MarginOutcome {
    const { accounts } = this.market;
    const [margin, general, bond] = this.balances(party);
    const untouched = { party, isDistressed: false, shortfall: 0n, isAtRest: false };
    if (isFlat(position)) {
      this.show(party, NO_MARGIN);
      // Outside of auctions an entry of zero is emitted too.
      if (margin > 0n || !this.isAuction) movements.push(this.give(party, margin));
      return untouched;
    }
    const levels = this.levels(position, price);
    if (margin >= levels.search) {
      this.show(party, levels);
      if (margin < levels.release || this.isAuction) return { ...untouched, isAtRest: true };
      // An entry of zero too, where the levels are too small to differ.
      movements.push(this.give(party, margin - levels.initial));
      return { ...untouched, isAtRest: levels.initial < levels.release };
    }
    this.show(party, levels);
    // The network counts the margin itself among the money that could fill it up.
    if (isRecheck && margin + general + bond < levels.maintenance - margin) return untouched;
    const missing = levels.initial - margin;
    const movement = accounts.has(accounts.general(party)) ? this.topUp(party, missing) : undefined;
    if (movement !== undefined) movements.push(movement);
    const now = accounts.balance(accounts.margin(party));
    const least = levels.maintenance > margin ? levels.maintenance : margin;
    const shortfall = missing > general ? missing - general : 0n;
    const isAtRest = now >= levels.search && now < levels.release;
    return { party, isDistressed: now < least, shortfall, isAtRest };
  }

  /** The margin of one party, by the rule of rechecks. */
  recheck(position: Position): void {
    const movements: Movement[] = [];
    this.update(position.party, position, this.priceFor(this.market.status.mark), movements, true);
    this.market.accounts.emit(movements);
  }

  /** Returns all margin of a party without position and orders. */
  releaseAll(party: string): void {
    const { accounts } = this.market;
    const margin = accounts.balance(accounts.margin(party));
    if (margin > 0n) accounts.emit([this.give(party, margin)]);
  }

  /** Returns the margin of a failed command; its levels stay emitted. @param held the margin account's balance before */
  restore(party: string, held: bigint): void {
    const { accounts } = this.market;
    const moved = accounts.balance(accounts.margin(party)) - held;
    accounts.emit([this.give(party, moved > 0n ? moved : 0n)]);
  }

  /** Margin, general and bond balance. */
  balances(party: string): readonly [margin: bigint, general: bigint, bond: bigint] {
    const { accounts } = this.market;
    const { margin, general, bond } = accounts.of(party);
    return [accounts.balance(margin), accounts.balance(general), accounts.balance(bond)];
  }

  fundsOf(party: string): bigint {
    return this.balances(party).reduce((sum, balance) => sum + balance, 0n);
  }

  private topUp(party: string, amount: bigint): Movement {
    const { accounts } = this.market;
    const { margin, general, bond } = accounts.of(party);
    return accounts.move([general, bond], margin, amount, TransferType.TRANSFER_TYPE_MARGIN_LOW);
  }

  private give(party: string, amount: bigint): Movement {
    const { accounts } = this.market;
    const { margin, general } = accounts.of(party);
    return accounts.move([margin], general, amount, TransferType.TRANSFER_TYPE_MARGIN_HIGH);
  }
}
