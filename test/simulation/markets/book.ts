// Book, positions and margin levels of the naive market (docs/protocol/70-trading-orders.md#31-book to
// #35-indicative-price-and-uncrossing, docs/protocol/70-trading-positions.md#51-position-record and #53-margin-levels).
import { Decimal, ZERO } from "./decimal.ts";
import {
  absolute,
  BUY,
  type Order,
  OrderType,
  opposite,
  type Position,
  SELL,
  type Side,
  Tif,
} from "./model.ts";
import { MarketState } from "./state.ts";

interface Fill {
  readonly passive: Order;
  readonly size: bigint;
}

export interface Match {
  readonly fills: readonly Fill[];
  /** It met an order of its own party. */
  readonly isSelf: boolean;
}

export interface Uncrossing {
  /** Internal. */
  readonly price: bigint;
  readonly volume: bigint;
  readonly side: Side;
}

/** Maintenance, search, initial, release. */
export type Levels = readonly [bigint, bigint, bigint, bigint];

export abstract class MarketBook extends MarketState {
  /** A side's orders, the best first. */
  queue(side: Side, orders: readonly Order[] = this.book): Order[] {
    const sign = side === BUY ? -1 : 1;
    return orders
      .filter((order) => order.side === side)
      .sort((a, b) => (a.price < b.price ? -sign : a.price > b.price ? sign : 0));
  }

  best(side: Side): bigint {
    return this.queue(side)[0]?.price ?? 0n;
  }

  /** Best price of orders that are neither pegged nor of a provision; 0 where there is none. */
  bestStatic(side: Side): bigint {
    return this.queue(side).find(isStatic)?.price ?? 0n;
  }

  volumeAt(side: Side, price: bigint, counts: (order: Order) => boolean = () => true): bigint {
    return sum(
      this.book.filter((order) => order.side === side && order.price === price && counts(order)),
      ({ remaining }) => remaining,
    );
  }

  /** The trades of an order, without a change. */
  matchOf(order: Order, mayMeetOwn = false): Match {
    const hasLimit = order.type === OrderType.limit;
    const within = this.queue(opposite(order.side)).filter(
      ({ price }) => !hasLimit || (order.side === BUY ? price <= order.price : price >= order.price),
    );
    const fills: Fill[] = [];
    let rest = order.remaining;
    for (const passive of within) {
      if (rest === 0n) break;
      if (passive.party === order.party && !mayMeetOwn)
        return { fills: order.tif === Tif.fok ? [] : fills, isSelf: true };
      const size = rest < passive.remaining ? rest : passive.remaining;
      fills.push({ passive, size });
      rest -= size;
    }
    return { fills: order.tif === Tif.fok && rest > 0n ? [] : fills, isSelf: false };
  }

  /** Where the two sides would uncross; undefined where they do not. */
  uncrossing(): Uncrossing | undefined {
    const [bid, ask] = [this.best(BUY), this.best(SELL)];
    if (bid === 0n || ask === 0n || ask > bid) return undefined;
    const prices = [...new Set(this.book.map(({ price }) => price))].filter(
      (price) => price >= ask && price <= bid,
    );
    const volumeAt = (price: bigint) => {
      const buys = sum(this.book, (one) => (one.side === BUY && one.price >= price ? one.remaining : 0n));
      const sells = sum(this.book, (one) => (one.side === SELL && one.price <= price ? one.remaining : 0n));
      return buys < sells ? buys : sells;
    };
    const volume = prices.map(volumeAt).reduce((a, b) => (a > b ? a : b));
    const reaching = prices.filter((price) => volumeAt(price) === volume);
    const [low, high] = [reaching.reduce(smaller), reaching.reduce(larger)];
    let rest = volume;
    for (const price of [...new Set(this.queue(BUY).map((order) => order.price))]) {
      rest -= this.volumeAt(BUY, price);
      if (rest <= 0n) break;
    }
    return { price: (low + high) / 2n, volume, side: rest === 0n ? BUY : SELL };
  }

  position(party: string): Position | undefined {
    return this.positions.find((position) => position.party === party);
  }

  hasUnsettled(party: string): boolean {
    return this.unsettled.some((trade) => trade.party === party);
  }

  /** @param sign -1 takes the order's volume away */
  register(order: Order, volume: bigint, sign: 1n | -1n = 1n): Position {
    let position = this.position(order.party);
    if (position === undefined) {
      position = { party: order.party, size: 0n, buy: 0n, sell: 0n, buySum: 0n, sellSum: 0n };
      this.positions.push(position);
    }
    if (order.side === BUY) {
      position.buy += sign * volume;
      position.buySum += sign * volume * order.price;
    } else {
      position.sell += sign * volume;
      position.sellSum += sign * volume * order.price;
    }
    return position;
  }

  get openInterest(): bigint {
    return sum(this.positions, ({ size }) => (size > 0n ? size : 0n));
  }

  /** Average price at which the book would take a volume off; undefined where it is too thin. */
  private exitPrice(side: Side, volume: bigint): bigint | undefined {
    let [rest, value] = [volume, 0n];
    for (const { price, remaining } of this.queue(side)) {
      const part = rest < remaining ? rest : remaining;
      value += price * part;
      rest -= part;
    }
    return rest > 0n ? undefined : value / volume;
  }

  levelsOf(position: Position, price: bigint): Levels {
    const isAuction = this.auction !== undefined && !this.isCleared;
    const { sizeFactor, long, short } = this.terms;
    const open = Decimal.of(position.size).over(sizeFactor);
    const buy = Decimal.of(position.buy).over(sizeFactor);
    const sell = Decimal.of(position.sell).over(sizeFactor);
    const side = (is: Side, risk: Decimal, volume: Decimal, orders: Decimal, sum: bigint): Decimal => {
      const at = Decimal.of(price);
      const v = volume.max(ZERO);
      const cap = at.times(this.terms.linear.times(v).plus(this.terms.quadratic.times(v).times(v)));
      const exit =
        v.sign === 0 || isAuction
          ? undefined
          : this.exitPrice(is === BUY ? BUY : SELL, absolute(position.size));
      let slippage = cap;
      if (exit !== undefined) {
        const worse = is === BUY ? price - exit : exit - price;
        slippage = Decimal.of(worse > 0n ? worse : 0n)
          .times(v)
          .min(cap);
      }
      const ofOrders = isAuction
        ? Decimal.of(sum).over(sizeFactor).times(risk)
        : orders.times(risk).times(at);
      return slippage.plus(v.times(risk).times(at)).plus(ofOrders);
    };
    let worst = ZERO;
    if (open.plus(buy).sign > 0) worst = worst.max(side(BUY, long, open, buy, position.buySum));
    if (open.minus(sell).sign < 0)
      worst = worst.max(side(SELL, short, ZERO.minus(open), sell, position.sellSum));
    const maintenance = worst.ceil();
    const [search, initial, release] = this.terms.scaling.map((by) => (by * maintenance) / 100_000n) as [
      bigint,
      bigint,
      bigint,
    ];
    return [maintenance, search, initial, release];
  }
}

export const isStatic = (order: Order): boolean => order.peg === undefined && order.provision === "";

export function sum<T>(of: readonly T[], value: (one: T) => bigint): bigint {
  return of.reduce((total, one) => total + value(one), 0n);
}

const smaller = (a: bigint, b: bigint) => (a < b ? a : b);
const larger = (a: bigint, b: bigint) => (a > b ? a : b);
