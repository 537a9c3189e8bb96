// A limit order book with price-time priority (docs/protocol/70-trading-orders.md#3-matching-and-auctions). Pure: no
// accounts, no events.
import { Side } from "../../src/wire/generated/vega.ts";
import { larger, smaller } from "./ratio.ts";

export interface LiveOrder {
  readonly id: string;
  readonly party: string;
  readonly side: number;
  /** In market decimals. */
  price: bigint;
  size: bigint;
  remaining: bigint;
  readonly timeInForce: number;
  readonly type: number;
  readonly createdAt: bigint;
  readonly expiresAt: bigint;
  readonly reference: string;
  readonly liquidityProvisionId: string;
  readonly peggedOrder: { reference: number; offset: string } | undefined;
  readonly postOnly: boolean;
  version: number;
  status: number;
}

export interface Fill {
  readonly resting: LiveOrder;
  readonly price: bigint;
  readonly size: bigint;
}

export class Book {
  private readonly bids: LiveOrder[] = [];
  private readonly asks: LiveOrder[] = [];

  /** Orders of a side, best first. */
  of(side: number): readonly LiveOrder[] {
    return side === Side.SIDE_BUY ? this.bids : this.asks;
  }

  best(side: number): bigint {
    return this.of(side)[0]?.price ?? 0n;
  }

  volumeAtBest(side: number): bigint {
    const best = this.best(side);
    return sum(this.of(side).filter((order) => order.price === best));
  }

  get orders(): readonly LiveOrder[] {
    return [...this.bids, ...this.asks];
  }

  add(order: LiveOrder): void {
    const list = order.side === Side.SIDE_BUY ? this.bids : this.asks;
    const behind = list.findIndex((other) => isBetter(order, other));
    list.splice(behind < 0 ? list.length : behind, 0, order);
  }

  remove(order: LiveOrder): void {
    const list = order.side === Side.SIDE_BUY ? this.bids : this.asks;
    const at = list.indexOf(order);
    if (at >= 0) list.splice(at, 1);
  }

  /** Matches an incoming order against the other side; resting orders that are filled leave the book. */
  match(order: LiveOrder, isMarketOrder: boolean): Fill[] {
    const fills: Fill[] = [];
    for (const resting of [...this.of(opposite(order.side))]) {
      if (order.remaining === 0n || (!isMarketOrder && !crosses(order, resting.price))) break;
      fills.push(this.fill(resting, order, resting.price));
    }
    return fills;
  }

  private fill(resting: LiveOrder, order: LiveOrder, price: bigint): Fill {
    const size = smaller(resting.remaining, order.remaining);
    resting.remaining -= size;
    order.remaining -= size;
    if (resting.remaining === 0n) this.remove(resting);
    return { resting, price, size };
  }

  /**
   * The price at which an auction ends: the middle of the prices that trade most
   * (docs/protocol/70-trading-orders.md#35-indicative-price-and-uncrossing).
   */
  uncrossingPrice(): bigint {
    const prices = [...new Set(this.orders.map((order) => order.price))].sort((a, b) => (a < b ? -1 : 1));
    const volumes = prices.map((price) => {
      const bids = sum(this.bids.filter((order) => order.price >= price));
      const asks = sum(this.asks.filter((order) => order.price <= price));
      return smaller(bids, asks);
    });
    const most = volumes.reduce(larger, 0n);
    if (most === 0n) return 0n;
    const candidates = prices.filter((_, i) => volumes[i] === most);
    return (candidates[0]! + candidates[candidates.length - 1]!) / 2n;
  }

  /** Trades everything that crosses `price`, best first; the buyer stands as `order` of each trade. */
  uncross(price: bigint): { order: LiveOrder; fill: Fill }[] {
    const trades: { order: LiveOrder; fill: Fill }[] = [];
    for (const order of this.bids.filter((bid) => bid.price >= price)) {
      for (const resting of this.asks.filter((ask) => ask.price <= price)) {
        if (order.remaining === 0n) break;
        trades.push({ order, fill: this.fill(resting, order, price) });
      }
      if (order.remaining === 0n) this.remove(order);
    }
    return trades;
  }
}

function opposite(side: number): number {
  return side === Side.SIDE_BUY ? Side.SIDE_SELL : Side.SIDE_BUY;
}

function isBetter(a: LiveOrder, b: LiveOrder): boolean {
  return a.side === Side.SIDE_BUY ? a.price > b.price : a.price < b.price;
}

function crosses(order: LiveOrder, price: bigint): boolean {
  return order.side === Side.SIDE_BUY ? price <= order.price : price >= order.price;
}

function sum(orders: readonly LiveOrder[]): bigint {
  return orders.reduce((total, order) => total + order.remaining, 0n);
}
