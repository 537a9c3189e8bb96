/**
 * A market's book: an index over the orders that rest (docs/protocol/70-trading-orders.md#3-matching-and-auctions). It
 * is derived from the table of orders and follows each of its changes, so a failed transaction, a revert and a
 * load need no code here: the place of an order in its queue is a member of the order.
 */
import { type Level, Levels } from "./levels.ts";
import { BUY, opposite, SELL, type Side, type StoredOrder } from "./stored-order.ts";

const NOTHING_ASIDE: ReadonlyMap<string, bigint> = new Map();

/** A part of a resting order that an incoming one takes. */
export interface Fill {
  readonly order: StoredOrder;
  readonly size: bigint;
}

interface MatchRequest {
  readonly party: string;
  readonly side: Side;
  /** Worse prices are not taken; undefined takes any. */
  readonly limit: bigint | undefined;
  readonly size: bigint;
  /** All or nothing. */
  readonly isFillOrKill: boolean;
  /** An order of the same party ends the matching: not so in auctions. */
  readonly stopsAtOwn: boolean;
}

export interface Match {
  readonly fills: readonly Fill[];
  readonly filled: bigint;
  /** An order of the same party was met. */
  readonly metOwn: boolean;
}

/**
 * The price and volume at which a book in an auction would uncross
 * (docs/protocol/70-trading-orders.md#35-indicative-price-and-uncrossing).
 */
export interface Indication {
  readonly price: bigint;
  readonly volume: bigint;
  /** The side whose orders are taken from the book and matched with the other's. */
  readonly side: Side;
}

/** An order that an uncrossing takes from the book, and the other side's that it meets. */
export interface Extracted {
  readonly order: StoredOrder;
  readonly size: bigint;
  readonly fills: readonly Fill[];
}

const rests = (order: StoredOrder | undefined): order is StoredOrder =>
  order !== undefined && order.place > 0;

export class Book {
  private readonly sides = { [BUY]: new Levels(BUY), [SELL]: new Levels(SELL) };

  /** Grows with each change. */
  version = 0;
  /**
   * Last indication emitted in the running block, until an order that could change it comes or goes
   * (docs/protocol/70-trading-events.md#93-marketdata).
   */
  shown: Pick<Indication, "price" | "volume"> | undefined;

  /** Called for each change of one of the market's orders. */
  noteChange(before: StoredOrder | undefined, now: StoredOrder | undefined): void {
    this.version++;
    if (this.shown !== undefined && (this.bears(before) || this.bears(now))) this.shown = undefined;
    if (rests(before) && rests(now) && before.place === now.place && before.price === now.price) {
      this.sides[now.side].replace(before, now);
      return;
    }
    if (rests(before)) this.sides[before.side].remove(before);
    if (rests(now)) this.sides[now.side].insert(now);
  }

  /** Whether an order stands at the indicated price or at a better one. */
  private bears(order: StoredOrder | undefined): boolean {
    if (!rests(order)) return false;
    const { price } = this.shown!;
    return order.side === BUY ? order.price >= price : order.price <= price;
  }

  /** Levels of both sides. */
  get levelCount(): number {
    return this.sides[BUY].count + this.sides[SELL].count;
  }

  /** The best level of a side. */
  best(side: Side): Level | undefined {
    return this.sides[side].best;
  }

  /** The best level of a side that holds an order which static prices count. */
  bestStatic(side: Side): Level | undefined {
    return this.sides[side].bestStatic;
  }

  /** The level of a price. */
  at(side: Side, price: bigint): Level | undefined {
    return this.sides[side].at(price);
  }

  /** Levels of a side, from the best price on. The book must not change meanwhile. */
  levels(side: Side): Generator<Level> {
    return this.sides[side].fromBest();
  }

  /** The trades that an incoming order would make; nothing changes (docs/protocol/70-trading-orders.md#32-continuous-matching). */
  match(request: MatchRequest): Match {
    const { party, side, limit, size, isFillOrKill, stopsAtOwn } = request;
    const fills: Fill[] = [];
    let filled = 0n;
    let metOwn = false;
    this.sides[opposite(side)].walk((level) => {
      if (limit !== undefined && (side === BUY ? level.price > limit : level.price < limit)) return true;
      for (const order of level.orders) {
        if (filled === size) return true;
        if (stopsAtOwn && order.party === party) {
          metOwn = true;
          return true;
        }
        const rest = size - filled;
        const part = order.remaining < rest ? order.remaining : rest;
        fills.push({ order, size: part });
        filled += part;
      }
      return false;
    });
    if (isFillOrKill && filled < size) return { fills: [], filled: 0n, metOwn };
    return { fills, filled, metOwn };
  }

  /**
   * Average price at which a position of a size could be closed, floored; undefined where the book has too little
   * (docs/protocol/70-trading-positions.md#53-margin-levels).
   * @param aside volume that does not count, by `side/price`
   */
  exitPrice(
    side: Side,
    size: bigint,
    aside: ReadonlyMap<string, bigint> = NOTHING_ASIDE,
  ): bigint | undefined {
    let rest = size;
    let value = 0n;
    this.sides[side].walk(({ price, volume: whole }) => {
      const volume = aside.size === 0 ? whole : whole - (aside.get(`${side}/${price}`) ?? 0n);
      const part = volume < rest ? volume : rest;
      value += price * part;
      rest -= part;
      return rest === 0n;
    });
    return rest === 0n ? value / size : undefined;
  }

  /**
   * The matches of an uncrossing, the best orders first; nothing changes
   * (docs/protocol/70-trading-orders.md#35-indicative-price-and-uncrossing).
   */
  uncrossing({ side, volume }: Indication): Extracted[] {
    const extracted: Extracted[] = [];
    const others = this.fillsUpTo(opposite(side), volume)[Symbol.iterator]();
    let other = others.next();
    let used = 0n;
    for (const { order, size } of this.fillsUpTo(side, volume)) {
      const fills: Fill[] = [];
      let rest = size;
      while (rest > 0n && !other.done) {
        const left = other.value.size - used;
        const part = left < rest ? left : rest;
        fills.push({ order: other.value.order, size: part });
        rest -= part;
        used += part;
        if (used === other.value.size) {
          other = others.next();
          used = 0n;
        }
      }
      extracted.push({ order, size, fills });
    }
    return extracted;
  }

  /** Orders of a side from the best on, until they have this volume. */
  private *fillsUpTo(side: Side, volume: bigint): Generator<Fill> {
    let rest = volume;
    for (const level of this.levels(side)) {
      for (const order of level.orders) {
        if (rest === 0n) return;
        const size = order.remaining < rest ? order.remaining : rest;
        yield { order, size };
        rest -= size;
      }
    }
  }

  /**
   * Undefined where nothing crosses. Demand falls and supply grows with the price: the volume is largest at the last price
   * where supply is not more than demand, or at the next one.
   */
  indication(): Indication | undefined {
    const { [BUY]: bids, [SELL]: asks } = this.sides;
    const bid = bids.best?.price;
    const ask = asks.best?.price;
    if (bid === undefined || ask === undefined || bid < ask) return undefined;
    const demand = (price: bigint) => bids.sumTo(price);
    const supply = (price: bigint) => asks.sumTo(price);
    const isMet = (price: bigint) => supply(price) <= demand(price);
    const [lowerAsk, higherAsk] = asks.boundary(({ price }) => isMet(price));
    const [higherBid, lowerBid] = bids.boundary(({ price }) => !isMet(price));
    const isCrossing = (level: Level | undefined): level is Level =>
      level !== undefined && level.price >= ask && level.price <= bid;
    const lower = [lowerAsk, lowerBid].filter(isCrossing).map(({ price }) => price);
    const higher = [higherAsk, higherBid].filter(isCrossing).map(({ price }) => price);
    const below = lower.length > 0 ? lower.reduce((a, b) => (a > b ? a : b)) : undefined;
    const above = higher.length > 0 ? higher.reduce((a, b) => (a < b ? a : b)) : undefined;
    const volumeBelow = below === undefined ? 0n : supply(below);
    const volumeAbove = above === undefined ? 0n : demand(above);
    const volume = volumeBelow > volumeAbove ? volumeBelow : volumeAbove;
    // All prices with that volume are next to each other.
    const lowest = volumeBelow === volume ? asks.boundary(({ price }) => price <= below!)[0]!.price : above!;
    const highest = volumeAbove === volume ? bids.boundary(({ price }) => price >= above!)[0]!.price : below!;
    const [, reaching] = bids.boundary(({ price }) => demand(price) < volume);
    return {
      price: (highest + lowest) / 2n,
      volume,
      side: demand(reaching!.price) === volume ? BUY : SELL,
    };
  }
}
