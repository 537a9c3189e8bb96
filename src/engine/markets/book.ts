/**
 * A market's book: an index over the orders that rest (reference 70, section 3). It is derived from the table of orders and
 * told of each of its changes, so that a failed transaction, a revert and a load need nothing of their own: the place of an
 * order in its queue is a member of the order.
 */
import { BUY, isStatic, opposite, SELL, type Side, type StoredOrder } from "./order.ts";

/** Orders of one price. */
const NOTHING_ASIDE: ReadonlyMap<string, bigint> = new Map();

export class Level {
  /** Of all orders, and of those that static prices count. */
  volume = 0n;
  staticVolume = 0n;
  /** By place. A map keeps the order in which they came, and loses one from its middle at no cost. */
  private queue = new Map<number, StoredOrder>();
  private last = 0;
  private isSorted = true;

  constructor(readonly price: bigint) {}

  /** In the order of their places. */
  get orders(): Iterable<StoredOrder> {
    if (!this.isSorted) {
      this.queue = new Map([...this.queue].sort(([a], [b]) => a - b));
      this.isSorted = true;
    }
    return this.queue.values();
  }

  /** Place of the last order. */
  get lastPlace(): number {
    let last = 0;
    for (const place of this.queue.keys()) if (place > last) last = place;
    return last;
  }

  get isEmpty(): boolean {
    return this.queue.size === 0;
  }

  add(order: StoredOrder): void {
    // Nearly all come to the end of the queue; one that is taken back comes to where it was.
    if (order.place < this.last) this.isSorted = false;
    else this.last = order.place;
    this.queue.set(order.place, order);
    this.addVolume(order, order.remaining);
  }

  remove(order: StoredOrder): void {
    this.queue.delete(order.place);
    this.addVolume(order, -order.remaining);
  }

  /** The same order in the same place, with another volume. */
  replace(before: StoredOrder, now: StoredOrder): void {
    this.queue.set(now.place, now);
    this.addVolume(before, -before.remaining);
    this.addVolume(now, now.remaining);
  }

  private addVolume(order: StoredOrder, volume: bigint): void {
    this.volume += volume;
    if (isStatic(order)) this.staticVolume += volume;
  }
}

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

/** The price and volume at which a book in an auction would uncross (section 3.5). */
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

/** A side of the book: the best price is the last level. */
class BookSide {
  readonly levels: Level[] = [];

  constructor(private readonly side: Side) {}

  get best(): Level | undefined {
    return this.levels.at(-1);
  }

  get bestStatic(): Level | undefined {
    for (let i = this.levels.length - 1; i >= 0; i--)
      if (this.levels[i]!.staticVolume > 0n) return this.levels[i];
    return undefined;
  }

  /** From the best price on. */
  *fromBest(): Generator<Level> {
    for (let i = this.levels.length - 1; i >= 0; i--) yield this.levels[i]!;
  }

  insert(order: StoredOrder): void {
    const at = this.indexOf(order.price);
    let level = this.levels[at];
    if (level?.price !== order.price) {
      level = new Level(order.price);
      this.levels.splice(at, 0, level);
    }
    level.add(order);
  }

  remove(order: StoredOrder): void {
    const at = this.indexOf(order.price);
    const level = this.levels[at]!;
    level.remove(order);
    if (level.isEmpty) this.levels.splice(at, 1);
  }

  replace(before: StoredOrder, now: StoredOrder): void {
    this.levels[this.indexOf(now.price)]!.replace(before, now);
  }

  /** The level of a price. */
  at(price: bigint): Level | undefined {
    const level = this.levels[this.indexOf(price)];
    return level?.price === price ? level : undefined;
  }

  /** Where a price is, or would be. */
  private indexOf(price: bigint): number {
    let low = 0;
    let high = this.levels.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const { price: there } = this.levels[middle]!;
      if (this.side === BUY ? there < price : there > price) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const rests = (order: StoredOrder | undefined): order is StoredOrder =>
  order !== undefined && order.place > 0;

export class Book {
  private readonly sides = { [BUY]: new BookSide(BUY), [SELL]: new BookSide(SELL) };

  /** Grows with each change. */
  version = 0;

  /** Told of a change of one of the market's orders. */
  noteChange(before: StoredOrder | undefined, now: StoredOrder | undefined): void {
    this.version++;
    if (rests(before) && rests(now) && before.place === now.place && before.price === now.price) {
      this.sides[now.side].replace(before, now);
      return;
    }
    if (rests(before)) this.sides[before.side].remove(before);
    if (rests(now)) this.sides[now.side].insert(now);
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

  /** The trades that an incoming order would make; nothing changes (section 3.2). */
  match(request: MatchRequest): Match {
    const { party, side, limit, size, isFillOrKill, stopsAtOwn } = request;
    const fills: Fill[] = [];
    let filled = 0n;
    let metOwn = false;
    search: for (const level of this.levels(opposite(side))) {
      if (limit !== undefined && (side === BUY ? level.price > limit : level.price < limit)) break;
      for (const order of level.orders) {
        if (filled === size) break search;
        if (stopsAtOwn && order.party === party) {
          metOwn = true;
          break search;
        }
        const rest = size - filled;
        const part = order.remaining < rest ? order.remaining : rest;
        fills.push({ order, size: part });
        filled += part;
      }
    }
    if (isFillOrKill && filled < size) return { fills: [], filled: 0n, metOwn };
    return { fills, filled, metOwn };
  }

  /**
   * Average price at which a position of a size could be closed, floored; undefined where the book has too little (section 5.3).
   * @param aside volume that does not count, by `side/price`
   */
  exitPrice(
    side: Side,
    size: bigint,
    aside: ReadonlyMap<string, bigint> = NOTHING_ASIDE,
  ): bigint | undefined {
    let rest = size;
    let value = 0n;
    for (const { price, volume: whole } of this.levels(side)) {
      const volume = aside.size === 0 ? whole : whole - (aside.get(`${side}/${price}`) ?? 0n);
      const part = volume < rest ? volume : rest;
      value += price * part;
      rest -= part;
      if (rest === 0n) return value / size;
    }
    return undefined;
  }

  /** The matches of an uncrossing, the best orders first; nothing changes (section 3.5). */
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

  /** Orders of a side from the best on, until so much volume is there. */
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

  /** Undefined where nothing crosses. */
  indication(): Indication | undefined {
    const bid = this.best(BUY);
    const ask = this.best(SELL);
    if (bid === undefined || ask === undefined || bid.price < ask.price) return undefined;
    const bids = crossing(this.levels(BUY), (price) => price >= ask.price);
    const asks = crossing(this.levels(SELL), (price) => price <= bid.price).reverse();
    // Prices from high to low: bids gather, asks fall away.
    const prices = [...new Set([...bids, ...asks].map(({ price }) => price))].sort((a, b) =>
      a > b ? -1 : 1,
    );
    let demand = 0n;
    let supply = asks.reduce((sum, { volume }) => sum + volume, 0n);
    let bidAt = 0;
    let askAt = 0;
    let best = { volume: 0n, high: 0n, low: 0n };
    for (const price of prices) {
      while (bidAt < bids.length && bids[bidAt]!.price >= price) demand += bids[bidAt++]!.volume;
      while (askAt < asks.length && asks[askAt]!.price > price) supply -= asks[askAt++]!.volume;
      const volume = demand < supply ? demand : supply;
      if (volume > best.volume) best = { volume, high: price, low: price };
      else if (volume === best.volume) best.low = price;
    }
    let rest = best.volume;
    for (const { volume } of bids) {
      rest -= volume;
      if (rest <= 0n) break;
    }
    return { price: (best.high + best.low) / 2n, volume: best.volume, side: rest === 0n ? BUY : SELL };
  }
}

function crossing(levels: Iterable<Level>, isCrossing: (price: bigint) => boolean): Level[] {
  const found: Level[] = [];
  for (const level of levels) {
    if (!isCrossing(level.price)) break;
    found.push(level);
  }
  return found;
}
