// Orders of the naive market: submitted, amended, cancelled, expired (docs/protocol/70-trading-orders.md#2-orders).
import { MarketAuctions } from "./auctions.ts";
import type { Match } from "./book.ts";
import type { Amendment, Submission } from "./commands.ts";
import { ZERO } from "./decimal.ts";
import type { Fees } from "./margins.ts";
import {
  absolute,
  BUY,
  byText,
  general,
  margin,
  type Order,
  OrderType,
  Peg,
  type Position,
  refusal,
  SELL,
  Status,
  TAKEN,
  Tif,
  Trigger,
  type Verdict,
} from "./model.ts";

const TEXTS: Readonly<Record<number, string>> = {
  7: "invalid expiresAt time",
  13: "trading not allowed",
  14: "margin check failed",
  21: "OrderError: Insufficient funds to pay fees",
  24: "gfn order received during auction trading",
  25: "gfa order received during continuous trading",
  32: "ioc order received during auction trading",
  33: "fok order received during auction trading",
  43: "party has insufficient balance in asset",
  47: "OrderError: non-persistent order trades out of price bounds",
  49: "OrderError: post only order would trade",
  50: "OrderError: reduce only order would not reduce position",
};
/** Those of existing orders that would be changed. */
const AMENDMENT_TEXTS: Readonly<Record<number, string>> = {
  21: "could not apply fees for order",
  47: "couldn't insert order in book",
  49: "couldn't insert order in book",
};
/** Of errors without one of their own. */
const DEFAULT_TEXT = "invalid OrderError";
const STOPPING = [47, 49, 50];

export abstract class MarketOrders extends MarketAuctions {
  submit(party: string, id: string, submission: Submission): Verdict {
    const { side, size, tif, isMarket, expiresNs, peg, postOnly, reduceOnly } = submission;
    const order: Order = {
      id,
      party,
      side,
      price: (submission.price ?? 0n) * this.terms.priceFactor,
      size,
      remaining: size,
      tif,
      type: isMarket ? OrderType.market : OrderType.limit,
      status: Status.active,
      reason: 0,
      createdNs: this.nowNs,
      expiresNs,
      version: 1n,
      batch: 0n,
      peg,
      provision: "",
      postOnly,
      reduceOnly,
    };
    const invalid = this.objection(order);
    if (invalid !== 0) return this.reject(order, invalid);
    this.accounts.set(margin(party), this.balance(margin(party)));
    if (peg !== undefined) {
      const price = this.auction === undefined ? this.pegPrice(order) : undefined;
      if (price === undefined) {
        order.status = Status.parked;
        this.parked.push(order);
        this.showOrder(order);
        this.followReferences([order.id]);
        this.count("order parked");
        return TAKEN;
      }
      order.price = price;
    }
    return this.enter(order);
  }

  private objection({ tif, expiresNs, createdNs, party }: Order): number {
    if (!this.canTrade) return 13;
    if (this.auction !== undefined) {
      if (tif === Tif.gfn) return 24;
      if (tif === Tif.ioc) return 32;
      if (tif === Tif.fok) return 33;
    } else if (tif === Tif.gfa) return 25;
    if (tif === Tif.gtt && expiresNs < createdNs) return 7;
    return this.accounts.has(general(party)) ? 0 : 43;
  }

  private reject(order: Order, reason: number): Verdict {
    order.status = STOPPING.includes(reason) ? Status.stopped : Status.rejected;
    order.reason = reason;
    if (reason === 13) order.version = 0n;
    this.showOrder(order);
    this.count(`order refused ${reason}`);
    return refusal(TEXTS[reason]!);
  }

  /** Steps 7 to 16. */
  private enter(order: Order): Verdict {
    const position = this.register(order, order.remaining);
    let aside = 0n;
    if (order.reduceOnly) {
      const open = absolute(position.size);
      const isReducing = position.size !== 0n && position.size > 0n === (order.side === SELL);
      if (!isReducing || (order.tif === Tif.fok && order.remaining > open)) return this.undo(order, 50);
      if (order.remaining > open) {
        aside = order.remaining - open;
        order.remaining = open;
      }
    } else if (!this.onlyReduces(order, position) && !this.canCarry(order)) return this.undo(order, 14);
    let match: Match = { fills: [], isSelf: false };
    let fees: Fees[] = [];
    if (this.auction === undefined) {
      match = this.matchOf(order);
      const refused = this.beforeTrading(order, match);
      if (refused !== 0) {
        order.remaining += aside;
        return this.undo(order, refused);
      }
      // It may have begun an auction.
      if (this.auction !== undefined) match = { fills: [], isSelf: false };
      else fees = match.fills.map(({ passive, size }) => this.feesOf(passive.price, size));
    }
    if (this.auction !== undefined && order.peg !== undefined) {
      this.parkNew(order);
      return TAKEN;
    }
    this.execute(order, match, fees, aside);
    return TAKEN;
  }

  /** A pegged order has begun an auction, and waits for its end. */
  private parkNew(order: Order): void {
    this.register(order, order.remaining, -1n);
    order.price = 0n;
    order.status = Status.parked;
    this.parked.push(order);
    this.showOrder(order);
    this.releaseIfFlat(order.party);
    this.count("pegged order began an auction");
  }

  private undo(order: Order, reason: number): Verdict {
    this.register(order, order.remaining, -1n);
    const verdict = this.reject(order, reason);
    // These two come before any margin is moved.
    if (reason !== 14 && reason !== 50) this.releaseIfFlat(order.party);
    return verdict;
  }

  onlyReduces(order: Order, { size, buy, sell }: Position): boolean {
    if (size === 0n || size > 0n === (order.side === BUY)) return false;
    const open = absolute(size);
    if (order.type === OrderType.market) return order.remaining <= open;
    return order.peg === undefined && (order.side === SELL ? sell : buy) <= open;
  }

  /** Post-only, price monitoring and fees. @returns a reason to refuse the order, or 0 */
  private beforeTrading(order: Order, { fills }: Match): number {
    if (order.postOnly && fills.length > 0) return 49;
    const priced = fills.map(({ passive, size }) => ({ price: passive.price, size }));
    const isFirst = this.meetPrices(priced) === "asleep";
    const violated = this.violatedBy(priced);
    if (violated.length > 0) {
      const persists = order.tif === Tif.gtc || order.tif === Tif.gtt;
      if (!persists) {
        this.switchOn(violated);
        return 47;
      }
      this.enterAuction(
        Trigger.price,
        violated.reduce((all, { extensionNs }) => all + extensionNs, 0n),
      );
      return 0;
    }
    // Prices count from here on, also of an order that cannot pay for its trades
    // (docs/protocol/70-trading-orders.md#25-submission-step-by-step and
    // docs/protocol/70-trading-liquidity.md#81-price-monitoring).
    if (!isFirst) this.recordPrices(priced);
    const fees = fills.map(({ passive, size }) => ({
      maker: passive.party,
      fees: this.feesOf(passive.price, size),
    }));
    if (fills.length > 0 && !this.payFees(order.party, fees)) return 21;
    return 0;
  }

  /** Steps 12 to 16: trades, rest, events. */
  private execute(
    order: Order,
    { fills, isSelf }: Match,
    fees: readonly Fees[],
    aside: bigint,
    isAmended = false,
  ) {
    const isResting = order.tif !== Tif.ioc && order.tif !== Tif.fok;
    order.batch = this.batch;
    for (const { size } of fills) order.remaining -= size;
    if (order.remaining === 0n) order.status = Status.filled;
    else if (isSelf || !isResting) {
      order.status = fills.length > 0 ? Status.partial : Status.stopped;
      if (order.tif === Tif.fok) order.status = Status.stopped;
    }
    if (isSelf) {
      if (isAmended && order.remaining > 0n && order.remaining < order.size) order.status = Status.partial;
      order.reason = 20;
      this.count("self-trade stopped");
    }
    order.remaining += aside;
    if (order.reduceOnly && order.remaining > 0n) order.status = Status.stopped;
    if (aside > 0n) this.count("reduce-only cut");
    if (order.status === Status.active) this.place(order);
    const filled = fills.length > 0;
    if (filled && order.remaining > 0n) this.count("partial fill");
    if (!isAmended) this.showOrder(order);
    const shown: [bigint, bigint][] = [];
    for (const { passive, size } of fills) {
      shown.push([passive.price, passive.price / this.terms.priceFactor]);
      this.reducePassive(passive, size);
    }
    let value = ZERO;
    for (const [at, { passive, size }] of fills.entries()) {
      const [price, text] = shown[at]!;
      const [buy, sell] = order.side === BUY ? [order, passive] : [passive, order];
      this.showTrade(buy, sell, size, text, order.side, 1, fees[at], order.side);
      this.applyTrade(buy, sell, size, price, text);
      this.lastTraded = price;
      value = value.plus(this.tradeValue(price, size));
    }
    this.equity.recordTraded(value.floor());
    const isOver = order.status !== Status.active;
    if (isOver && order.remaining > 0n) this.register(order, order.remaining, -1n);
    const touched = [order.id, ...fills.map(({ passive }) => passive.id)];
    // Once with its trades, and once after the order (docs/protocol/70-trading-orders.md#25-submission-step-by-step,
    // step 16).
    if (filled && this.auction === undefined) this.followReferences(touched);
    const now = isOver ? order : [...this.book, ...this.parked].find(({ id }) => id === order.id);
    if (isAmended && now !== undefined) this.showOrder(now);
    // The margin of the parties that it has met waits for the block's end, and so does that of an amended order.
    if (!isAmended) this.releaseIfFlat(order.party);
    if (this.auction === undefined) this.followReferences(touched);
  }

  cancel(party: string, id: string): Verdict {
    if (!this.canTrade) return refusal("trading not allowed");
    const order = [...this.book, ...this.parked].find((one) => one.id === id);
    if (order === undefined) return refusal("unable to find the order in the market");
    if (order.provision !== "") return refusal("OrderError: Edit Not Allowed");
    if (order.party !== party) return refusal("OrderError: Invalid Party ID");
    this.cancelOrder(order);
    return TAKEN;
  }

  private cancelOrder(order: Order): void {
    this.finish(order, Status.cancelled);
    this.releaseIfFlat(order.party);
    this.followReferences([order.id]);
    this.count("cancelled");
  }

  cancelAll(party: string): Verdict {
    if (!this.canTrade) return refusal("trading not allowed");
    const own = [...this.book, ...this.parked].filter(
      (order) => order.party === party && order.provision === "",
    );
    for (const order of own.sort((a, b) => byText(a.id, b.id))) {
      this.finish(order, Status.cancelled);
      this.releaseIfFlat(party);
    }
    if (own.length === 0) return TAKEN;
    this.followReferences(own.map(({ id }) => id));
    this.count("cancelled", own.length);
    return TAKEN;
  }

  amend(party: string, amendment: Amendment): Verdict {
    if (!this.canTrade) return refusal("trading not allowed");
    const order = [...this.book, ...this.parked].find(({ id }) => id === amendment.order);
    if (order === undefined) return refusal("OrderError: Invalid Order ID");
    const invalid = amendObjection(order, amendment, party);
    if (invalid !== "") return refusal(invalid === DEFAULT_TEXT ? invalid : `OrderError: ${invalid}`);
    const amended = this.amendedOrder(order, amendment);
    const unfit = pegObjection(amended);
    if (unfit !== "") {
      this.count("amendment refused for its peg");
      return refusal(`OrderError: ${unfit}`);
    }
    if (order.remaining + amendment.sizeDelta <= 0n) {
      this.cancelOrder(order);
      this.count("cancelled by an amendment");
      return TAKEN;
    }
    const { expiresNs } = amended;
    if (expiresNs === 0n ? amended.tif === Tif.gtt : expiresNs < order.createdNs)
      return refusal("OrderError: Invalid Expiration Datetime");
    if (expiresNs !== 0n && expiresNs < this.nowNs) {
      this.count("expired by an amendment");
      amended.status = Status.expired;
      this.drop(order);
      this.showOrder(amended);
      this.followReferences([order.id]);
      return TAKEN;
    }
    return order.peg === undefined ? this.amendPlain(order, amended) : this.amendPegged(order, amended);
  }

  private amendedOrder(order: Order, amendment: Amendment): Order {
    const tif = amendment.tif || order.tif;
    return {
      ...order,
      price: amendment.price === undefined ? order.price : amendment.price * this.terms.priceFactor,
      size: order.size + amendment.sizeDelta,
      remaining: order.remaining + amendment.sizeDelta,
      tif,
      expiresNs: amendment.expiresNs ?? (amendment.tif === Tif.gtc ? 0n : order.expiresNs),
      version: order.version + 1n,
      peg: order.peg && {
        reference: amendment.pegReference || order.peg.reference,
        offset: amendment.pegOffset ?? order.peg.offset,
      },
    };
  }

  /** Without an event. */
  private drop(order: Order): void {
    if (this.book.includes(order)) this.register(order, order.remaining, -1n);
    this.take(order);
    this.parked = this.parked.filter((other) => other !== order);
  }

  private amendPegged(order: Order, amended: Order): Verdict {
    const price = this.auction === undefined ? this.pegPrice(amended) : undefined;
    if (price === undefined) {
      if (order.status === Status.parked) {
        this.parked[this.parked.indexOf(order)] = amended;
        amended.price = 0n;
      } else {
        this.drop(order);
        this.showOrder({ ...order, price: 0n, status: Status.parked });
        amended.price = 0n;
        amended.status = Status.parked;
        this.parked.push(amended);
        this.releaseIfFlat(order.party);
      }
      this.showOrder(amended);
      this.followReferences([order.id]);
      this.count("amended while parked");
      return TAKEN;
    }
    amended.price = price;
    if (order.status !== Status.parked) return this.amendPlain(order, amended);
    amended.status = Status.active;
    const [parked, accounts, shown] = [this.parked, this.accounts.copy(), this.facts.length];
    this.parked = this.parked.filter((other) => other !== order);
    const hasRecord = this.position(order.party) !== undefined;
    const verdict = this.enter(amended);
    // Only a margin that cannot be paid leaves it where it was.
    if (verdict.isTaken || verdict.text !== TEXTS[14]) return verdict;
    this.parked = parked;
    this.takeBack(order, accounts, shown);
    if (!hasRecord) this.positions = this.positions.filter(({ party }) => party !== order.party);
    this.count("amendment refused while parked");
    return refusal("insufficient funds for initial margin");
  }

  private amendPlain(order: Order, amended: Order): Verdict {
    const isNewPrice = amended.price !== order.price;
    const isLarger = amended.size > order.size;
    const isSmaller = amended.size < order.size;
    const isOther = amended.tif !== order.tif || amended.expiresNs !== order.expiresNs;
    if (isNewPrice || isLarger || isSmaller || isOther) {
      this.register(order, order.remaining, -1n);
      this.register(amended, amended.remaining);
      if (!this.canCarry(amended)) {
        this.register(amended, amended.remaining, -1n);
        this.register(order, order.remaining);
        this.count("amendment refused 14");
        return refusal("margin check failed");
      }
    }
    if (!isNewPrice && !isLarger) {
      this.book[this.book.indexOf(order)] = amended;
      if (isSmaller) {
        const position = this.position(order.party)!;
        this.updateMargin(position, this.checkPriceOf(amended), true);
        this.count("amended to a smaller size");
      }
      this.showOrder(amended);
      if (this.auction === undefined) this.followReferences([amended.id]);
      return TAKEN;
    }
    this.count("amendment lost its priority");
    return this.replace(order, amended);
  }

  /** Nothing is left of a refused amendment. */
  private takeBack({ party }: Order, accounts: Iterable<[string, bigint]>, shown: number): void {
    for (const [name, balance] of accounts) this.accounts.set(name, balance);
    this.facts.splice(shown);
    this.forgetLevels(party);
  }

  private replace(order: Order, amended: Order): Verdict {
    if (this.auction !== undefined) {
      this.take(order);
      this.place(amended);
      this.showOrder(amended);
      return TAKEN;
    }
    let match = this.matchOf(amended);
    // An auction that it begins does not find it on the book.
    const at = this.book.indexOf(order);
    this.take(order);
    const refused = this.beforeTrading(amended, match);
    if (refused !== 0) {
      this.book.splice(at, 0, order);
      this.register(amended, amended.remaining, -1n);
      this.register(order, order.remaining);
      // Margin and prices stay as they have come to be.
      this.count(`amendment refused ${refused}`);
      return refusal(AMENDMENT_TEXTS[refused]!);
    }
    // An auction has parked what it found on the book.
    if (this.auction !== undefined) {
      match = { fills: [], isSelf: false };
      if (amended.peg !== undefined) {
        this.parkNew(amended);
        return TAKEN;
      }
    }
    const fees = match.fills.map(({ passive, size }) => this.feesOf(passive.price, size));
    this.execute(amended, match, fees, 0n, true);
    return TAKEN;
  }

  /** At a tick (docs/protocol/70-trading-orders.md#29-expiry). */
  protected expireOrders(): void {
    const due = [...this.book, ...this.parked].filter(
      ({ tif, expiresNs }) => tif !== Tif.gtc && expiresNs !== 0n && expiresNs <= this.nowNs,
    );
    if (due.length === 0) return;
    for (const order of due) this.drop(order);
    this.count("expired", due.length);
    this.fact("expired", ...due.map(({ id }) => id).sort());
    if (this.auction === undefined) this.followReferences(due.map(({ id }) => id));
  }
}

function amendObjection(order: Order, amendment: Amendment, party: string): string {
  const { tif, expiresNs, price, pegOffset, pegReference } = amendment;
  if (order.party !== party) return "Invalid Party ID";
  if (order.provision !== "") return "Edit Not Allowed";
  if (tif === Tif.gtt && expiresNs === undefined)
    return "Cannot amend order to GTT without an expiryAt field";
  if (tif === Tif.gtc && expiresNs !== undefined) return "Cannot set ExpiryAt and GTC";
  if (tif === Tif.fok || tif === Tif.ioc) return "Cannot amend TIF to FOK or IOC";
  if (tif === Tif.gtt && expiresNs! <= order.createdNs) return "ExpiryAt field must not be before CreatedAt";
  const isBound = (of: number) => of === Tif.gfa || of === Tif.gfn;
  if (isBound(tif) && tif !== order.tif) return "Cannot amend TIF to GFA or GFN";
  if (isBound(order.tif) && tif !== 0 && tif !== order.tif) return "Cannot amend TIF from GFA or GFN";
  if (order.peg === undefined && (pegOffset !== undefined || pegReference !== 0))
    return "cannot amend pegged details on a non pegged order";
  return order.peg !== undefined && price !== undefined ? DEFAULT_TEXT : "";
}

function pegObjection({ side, peg }: Order): string {
  if (peg === undefined) return "";
  if (side === BUY && peg.reference === Peg.ask) return "buy cannot reference best ask price";
  if (side === SELL && peg.reference === Peg.bid) return "sell cannot reference best bid price";
  return peg.reference === Peg.mid && peg.offset === 0n ? "offset must be greater than zero" : "";
}
