// Provisions, their orders and the prices that pegs follow in the naive market
// (docs/protocol/70-trading-orders.md#27-pegged-orders-brief and
// docs/protocol/70-trading-liquidity.md#7-liquidity-provision).
import { isStatic, sum } from "./book.ts";
import { Decimal, ONE } from "./decimal.ts";
import { MarketMargins } from "./margins.ts";
import {
  BUY,
  bond,
  byText,
  general,
  Move,
  margin,
  type Order,
  OrderType,
  Peg,
  type Position,
  Provided,
  type Provision,
  SELL,
  type ShapeEntry,
  type Side,
  Status,
  Tif,
} from "./model.ts";

interface Repriced {
  readonly parties: ReadonlySet<string>;
  /** On the book again, or for the first time. */
  readonly entered: readonly Order[];
}

interface References {
  readonly bid: bigint;
  readonly ask: bigint;
  readonly midBuy: bigint;
  readonly midSell: bigint;
}

/** Lowest and highest price. */
interface Range {
  readonly low: bigint;
  readonly high: bigint;
}

/** Above all prices. */
const FAR = 2n ** 256n;

/** A provision's order before it is placed. */
export interface Quote {
  readonly entry: ShapeEntry;
  readonly side: Side;
  readonly price: bigint;
  readonly size: bigint;
}

export abstract class MarketLiquidity extends MarketMargins {
  private seen: References = { bid: 0n, ask: 0n, midBuy: 0n, midSell: 0n };

  get isInAuction(): boolean {
    return this.auction !== undefined && !this.isCleared;
  }

  get supplied(): bigint {
    return sum(this.provisions, ({ commitment }) => commitment);
  }

  abstract stakeNow(): bigint;

  private references(): References {
    const [bid, ask] = [this.bestStatic(BUY), this.bestStatic(SELL)];
    const both = bid > 0n && ask > 0n;
    return {
      bid,
      ask,
      midBuy: both ? (bid + ask + this.terms.priceFactor) / 2n : 0n,
      midSell: both ? (bid + ask) / 2n : 0n,
    };
  }

  private referenceOf(reference: number, side: Side, prices: References): bigint {
    if (reference === Peg.bid) return prices.bid;
    if (reference === Peg.ask) return prices.ask;
    return side === BUY ? prices.midBuy : prices.midSell;
  }

  /** Price of a pegged order now; undefined where it has none. */
  pegPrice({ peg, side }: Order): bigint | undefined {
    const prices = this.references();
    const reference = this.referenceOf(peg!.reference, side, prices);
    const offset = peg!.offset * this.terms.priceFactor;
    if (reference === 0n || (side === BUY && reference <= offset)) return undefined;
    return side === BUY ? reference - offset : reference + offset;
  }

  place(order: Order): void {
    order.batch = this.batch;
    this.book.push(order);
  }

  take(order: Order): void {
    this.book = this.book.filter((other) => other !== order);
  }

  /** Off the book, to wait for a price. */
  park(order: Order): void {
    this.take(order);
    this.register(order, order.remaining, -1n);
    this.parked = this.parked.filter((other) => other !== order);
    this.parked.push(order);
    order.status = Status.parked;
    order.price = 0n;
    this.showOrder(order);
    this.count("order parked");
  }

  parkPegs(): void {
    for (const order of this.book.filter(({ peg }) => peg !== undefined)) {
      this.park(order);
      this.releaseIfFlat(order.party);
    }
  }

  /** Orders of provisions leave the book, and their margin stays. */
  undeploy(): void {
    const provided = this.book.filter(({ provision }) => provision !== "");
    for (const order of provided.sort((a, b) => byText(a.id, b.id))) this.dropProvided(order);
    for (const provision of [...this.provisions].sort((a, b) => byText(a.party, b.party)))
      if (provision.status === Provided.active) this.setStatus(provision, Provided.undeployed);
  }

  private dropProvided(order: Order): void {
    this.take(order);
    this.register(order, order.remaining, -1n);
    this.showParked(order);
  }

  /** An order of a provision keeps its price. */
  private showParked(order: Order): void {
    order.status = Status.parked;
    this.showOrder(order);
  }

  setStatus(provision: Provision, status: number): void {
    provision.status = status;
    this.showProvision(provision);
  }

  showProvision(provision: Provision): void {
    const { id, party, status, commitment, fee, version } = provision;
    this.fact("provision", id, party, status, commitment, fee.toString(), version);
  }

  /**
   * Pegged orders and provisions follow the static prices
   * (docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop).
   * @param touched ids of orders
   */
  followReferences(touched: readonly string[], isForced = false): void {
    if (this.isInAuction || !this.canTrade) return;
    let isForcedNow = isForced;
    let changed = touched;
    for (;;) {
      const now = this.references();
      const movesAll = isForcedNow;
      const moved = (name: keyof References) => movesAll || now[name] !== this.seen[name];
      // Another round comes when a provision has ended.
      isForcedNow = true;
      if (now.bid === 0n || now.ask === 0n) {
        this.parkPegs();
        this.undeploy();
        this.seen = now;
        return;
      }
      if (!(["bid", "ask", "midBuy", "midSell"] as const).some(moved) && changed.length === 0) return;
      const repriced = this.repricePegs(moved);
      changed = this.deploy(repriced);
      this.seen = now;
      this.liquidityFeeNow();
      if (changed.length === 0) return;
    }
  }

  private repricePegs(moved: (name: keyof References) => boolean): Repriced {
    const isAffected = ({ peg }: Order) => {
      if (peg === undefined) return false;
      if (peg.reference === Peg.bid) return moved("bid");
      if (peg.reference === Peg.ask) return moved("ask");
      return moved("midBuy") || moved("midSell");
    };
    const onBook = this.book.filter(isAffected).sort((a, b) => byText(a.id, b.id));
    const waiting = this.parked.filter(isAffected).sort((a, b) => byText(a.id, b.id));
    const parties = new Set<string>();
    const entered: Order[] = [];
    for (const order of onBook) {
      this.take(order);
      this.register(order, order.remaining, -1n);
    }
    for (const order of [...onBook, ...waiting]) {
      const price = this.pegPrice(order);
      const wasParked = order.status === Status.parked;
      this.parked = this.parked.filter((other) => other !== order);
      if (price === undefined) {
        order.price = 0n;
        order.status = Status.parked;
        this.parked.push(order);
      } else {
        order.price = price;
        order.status = Status.active;
        this.register(order, order.remaining);
        this.place(order);
        entered.push(order);
        parties.add(order.party);
        this.count("peg repriced");
      }
      if (!(wasParked && price === undefined)) this.showOrder(order);
    }
    return { parties, entered };
  }

  /** Orders of provisions are put again, off the book and the positions meanwhile. @returns ids of orders that were taken away */
  private deploy({ parties: pegged, entered }: Repriced): string[] {
    const old = this.book.filter(({ provision }) => provision !== "");
    this.book = this.book.filter(({ provision }) => provision === "");
    for (const order of old) this.register(order, order.remaining, -1n);
    const cancelled: string[] = [];
    const parties = [...this.provisions].sort((a, b) => byText(a.party, b.party));
    const pegParties = [...pegged].filter((party) => this.position(party) !== undefined).sort(byText);
    const updates = pegParties.map((party) => ({
      party,
      ...this.updateMargin(this.position(party)!, this.mark),
    }));
    for (const { party, shortfall, isDistressed } of updates) {
      if (shortfall > 0n) this.count("bond used by pegged orders");
      if (!isDistressed) continue;
      this.count("pegs cancelled for want of margin");
      for (const order of entered.filter((one) => one.party === party)) this.finish(order, Status.cancelled);
      this.releaseIfFlat(party);
    }
    const kept: Order[] = [];
    const dropped: Order[] = [];
    const newOrders: Order[] = [];
    for (const provision of parties) {
      const quotes = this.quotesOf(provision);
      if (provision.status !== Provided.active) this.setStatus(provision, Provided.active);
      for (const quote of quotes) {
        const live = old.find(({ id }) => id === quote.entry.id);
        const isSame =
          live !== undefined &&
          live.price === quote.price &&
          live.remaining === quote.size &&
          live.size === quote.size;
        if (isSame) kept.push(live);
        else {
          if (live !== undefined && quote.size === 0n) dropped.push(live);
          if (quote.size > 0n) newOrders.push(this.providedOrder(provision, quote));
        }
      }
    }
    this.book.push(...kept.sort((a, b) => byText(a.id, b.id)));
    for (const order of kept) this.register(order, order.remaining);
    for (const order of dropped) this.showParked(order);
    for (const order of newOrders) {
      this.register(order, order.remaining);
      this.place(order);
      this.showOrder(order);
      this.count("provided order deployed");
    }
    // Those that have such orders: a provision may be covered by its party's own ones.
    const placed = parties.filter(({ id }) => this.book.some(({ provision }) => provision === id));
    cancelled.push(...this.chargeProviders(placed));
    return cancelled;
  }

  /** All margins, then the ends of provisions that are new, then penalties, then the ends of others. */
  private chargeProviders(provisions: readonly Provision[]): string[] {
    const moved = this.facts.length;
    const charged = provisions.map((provision) => {
      const { party, isNew } = provision;
      const held = this.balance(margin(party));
      return { provision, isNew, held, ...this.updateMargin(this.position(party)!, this.mark) };
    });
    const hasMoved = this.facts.length > moved;
    const ended: string[] = [];
    const end = (provision: Provision) => {
      ended.push(...this.endProvision(provision, Provided.cancelled));
      this.releaseIfFlat(provision.party);
    };
    for (const { provision, isNew, held, shortfall } of charged) {
      if (!isNew) continue;
      if (shortfall === 0n) {
        provision.isNew = false;
        continue;
      }
      this.count("provision void");
      end(provision);
      const { party } = provision;
      const more = this.balance(margin(party)) - held;
      if (more > 0n) this.move(margin(party), general(party), more, Move.marginHigh);
    }
    for (const { provision, isNew, shortfall } of charged) {
      if (isNew || shortfall === 0n) continue;
      this.count("bond used by a deployment");
      this.slash(provision.party, shortfall);
    }
    for (const { provision, isNew, isDistressed } of charged) {
      if (isNew || !isDistressed) continue;
      this.count("provider distressed by its deployment");
      end(provision);
    }
    if (hasMoved) this.sharesNow();
    return ended;
  }

  /** Each look at liquidity fills bonds up to their commitments first. */
  refillBonds(): void {
    for (const { party, commitment } of this.provisions) {
      const missing = commitment - this.balance(bond(party));
      if (this.collect([general(party)], bond(party), missing, Move.bondLow) > 0n)
        this.count("bond refilled");
    }
  }

  abstract onlyReduces(order: Order, position: Position): boolean;

  /** The first orders of a provision, in continuous trading, come in one by one: all of them, or none. */
  deployFirst(provision: Provision): boolean {
    const { party } = provision;
    this.setStatus(provision, Provided.active);
    const orders = this.quotesOf(provision)
      .filter(({ size }) => size > 0n)
      .map((quote) => this.providedOrder(provision, quote));
    const held = this.balance(margin(party));
    for (const [index, order] of orders.entries()) {
      const position = this.register(order, order.remaining);
      if (this.onlyReduces(order, position) || this.canCarry(order)) {
        this.place(order);
        this.showOrder(order);
        continue;
      }
      this.register(order, order.remaining, -1n);
      this.count(`provision rejected for want of margin, after ${index > 0 ? "some" : "no"} orders`);
      for (const other of orders.slice(index))
        this.showOrder({ ...other, status: Status.rejected, reason: 14 });
      this.endProvision(provision, Provided.rejected);
      this.move(margin(party), general(party), this.balance(margin(party)) - held, Move.marginHigh);
      return false;
    }
    provision.isNew = false;
    return true;
  }

  /** A party's position as further orders would make it. */
  private exposureWith(party: string, orders: readonly Pick<Order, "side" | "size" | "price">[]): Position {
    const none = { party, size: 0n, buy: 0n, sell: 0n, buySum: 0n, sellSum: 0n };
    const exposure = { ...(this.position(party) ?? none) };
    for (const { side, size, price } of orders) {
      if (side === BUY) exposure.buy += size;
      else exposure.sell += size;
      if (side === BUY) exposure.buySum += size * price;
      else exposure.sellSum += size * price;
    }
    return exposure;
  }

  /**
   * Why an amended provision's orders cannot be paid for without its bond; empty where they can
   * (docs/protocol/70-trading-liquidity.md#79-amend-and-cancel).
   */
  shapesObjection(
    amended: Pick<Provision, "party" | "commitment" | "buys" | "sells">,
    provision: Provision,
  ): string {
    const price = this.isOpening ? this.uncrossing()?.price : this.mark;
    // A mark of 0: another auction has followed on the opening one, and no price is known.
    if (price === undefined || price === 0n) return "";
    const { party } = amended;
    const old = this.book
      .filter((order) => order.provision === provision.id)
      .map(({ side, remaining, price: at }) => ({ side, size: -remaining, price: at }));
    // In an auction all of them stand around the known price, as far away as they like.
    const quotes =
      this.auction === undefined
        ? this.quotesOf(amended)
        : this.quotesOf(
            amended,
            { bid: price, ask: price, midBuy: price, midSell: price },
            { low: this.terms.priceFactor, high: FAR },
          );
    if (this.auction !== undefined && quotes.every(({ size }) => size === 0n)) {
      this.count("amended by a provider whose own orders are enough, in an auction");
      return "";
    }
    const levels = this.levelsOf(this.exposureWith(party, [...old, ...quotes]), price);
    const [maintenance, , initial] = levels;
    const missing = initial - this.balance(margin(party));
    const funds = this.totalOf(party);
    const isShort = missing > this.balance(general(party));
    if (this.auction !== undefined) {
      if (funds < maintenance) return "margin would be below maintenance: insufficient margin";
      if (funds >= initial) this.showLevels(party, levels);
      if (isShort) return "margin would require bond: insufficient margin";
    } else {
      if (funds < initial) return "insufficient funds for initial margin";
      if (isShort)
        return "margin would be below maintenance with amend during continuous: insufficient margin";
    }
    if (this.auction !== undefined && missing > 0n)
      this.move(general(party), margin(party), missing, Move.marginLow);
    return "";
  }

  /** A provision ends: its orders go, the bond returns. @returns ids of its orders */
  endProvision(provision: Provision, status: number): string[] {
    const { party } = provision;
    const orders = this.book.filter((order) => order.provision === provision.id);
    for (const order of orders) this.finish(order, Status.cancelled);
    this.provisions = this.provisions.filter((other) => other !== provision);
    this.equity.remove(party);
    this.shownShares.delete(party);
    this.setStatus(provision, status);
    // An account that penalties have emptied stays.
    if (this.balance(bond(party)) > 0n) {
      this.move(bond(party), general(party), this.balance(bond(party)), Move.bondHigh);
      this.accounts.delete(bond(party));
    }
    this.sharesNow();
    return orders.map(({ id }) => id);
  }

  /** An order leaves the book or the parked ones with a final status. */
  finish(order: Order, status: number): void {
    if (this.book.includes(order)) this.register(order, order.remaining, -1n);
    this.take(order);
    this.parked = this.parked.filter((other) => other !== order);
    order.status = status;
    this.showOrder(order);
  }

  private providedOrder(provision: Provision, { entry, side, price, size }: Quote): Order {
    return {
      id: entry.id,
      party: provision.party,
      side,
      price,
      size,
      remaining: size,
      tif: Tif.gtc,
      type: OrderType.limit,
      status: Status.active,
      reason: 0,
      createdNs: provision.createdNs,
      expiresNs: 0n,
      version: 1n,
      batch: this.batch,
      peg: undefined,
      provision: provision.id,
      postOnly: false,
      reduceOnly: false,
    };
  }

  /** Lowest and highest price of provisions. */
  range(): Range {
    const { bid, ask } = this.references();
    const tick = this.terms.priceFactor;
    const mid = Decimal.of(bid + ask).times(Decimal.of("0.5"));
    let low = (mid.times(ONE.minus(this.terms.lpRange)).ceil() + tick - 1n) / tick;
    let high = mid.times(ONE.plus(this.terms.lpRange)).floor() / tick;
    low *= tick;
    high *= tick;
    if (low <= 0n) low = tick;
    if (low >= high) high = low + tick;
    if (low >= ask) low = ask - tick;
    if (high <= bid) high = bid + tick;
    return { low, high };
  }

  /** Sizes and prices of all entries (docs/protocol/70-trading-liquidity.md#73-order-sizes-and-prices). */
  quotesOf(
    provision: Pick<Provision, "party" | "commitment" | "buys" | "sells">,
    prices = this.references(),
    range: Range = this.range(),
  ): Quote[] {
    return [
      ...this.sideQuotes(provision, BUY, prices, range),
      ...this.sideQuotes(provision, SELL, prices, range),
    ];
  }

  private sideQuotes(
    provision: Pick<Provision, "party" | "commitment" | "buys" | "sells">,
    side: Side,
    prices: References,
    { low, high }: Range,
  ): Quote[] {
    const { priceFactor, sizeFactor } = this.terms;
    const own = this.book.filter(
      (order) =>
        order.party === provision.party &&
        order.side === side &&
        order.provision === "" &&
        order.price >= low &&
        order.price <= high,
    );
    const supplied = Decimal.of(sum(own, ({ price, remaining }) => price * remaining))
      .over(sizeFactor)
      .trunc();
    const obligation = Decimal.of(provision.commitment).times(this.terms.stakeToVolume).round().trunc();
    const rest = obligation - supplied;
    const entries = side === BUY ? provision.buys : provision.sells;
    const whole = Decimal.of(sum(entries, ({ proportion }) => proportion));
    return entries.map((entry) => {
      const reference = this.referenceOf(entry.reference, side, prices);
      const offset = entry.offset * priceFactor;
      let price = side === BUY ? reference - offset : reference + offset;
      if (price < priceFactor) price = priceFactor;
      if (price < low || price > high) price = side === BUY ? low : high;
      const share = Decimal.of(entry.proportion).over(whole);
      const size =
        rest <= 0n ? 0n : Decimal.of(rest).times(share).times(sizeFactor).over(Decimal.of(price)).ceil();
      return { entry, side, price, size };
    });
  }

  /** Fee factor of the market by its provisions and its target stake (docs/protocol/70-trading-liquidity.md#76-liquidity-fee-factor). */
  liquidityFeeNow(): void {
    const sorted = [...this.provisions].sort((a, b) => a.fee.minus(b.fee).sign || byText(a.party, b.party));
    const target = this.stakeNow();
    let total = 0n;
    let fee = Decimal.of(0n);
    for (const provision of sorted) {
      fee = provision.fee;
      total += provision.commitment;
      if (total >= target) break;
    }
    this.liquidityFee = fee;
  }

  /**
   * Shares that clients see: they stay what they were while a provision is inactive
   * (docs/protocol/70-trading-liquidity.md#78-equity-like-share-and-market-value-proxy).
   */
  readonly shownShares = new Map<string, Decimal>();

  sharesNow(): void {
    if (this.provisions.some(({ status }) => status !== Provided.active)) return;
    const parties = this.provisions.map(({ party }) => party);
    for (const party of parties) this.shownShares.set(party, this.equity.shareOf(party, parties));
  }

  valueNow(): void {
    this.marketValue = this.equity.value(this.nowNs, this.terms.valueWindowNs);
  }

  hasStaticSides(): boolean {
    return (
      this.book.some((one) => one.side === BUY && isStatic(one)) &&
      this.book.some((one) => one.side === SELL && isStatic(one))
    );
  }
}
