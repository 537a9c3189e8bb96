/**
 * The price levels of a side of a book, in chunks with sums, so that an auction finds its price among any
 * number of crossing levels without a walk
 * (docs/protocol/70-trading-orders.md#35-indicative-price-and-uncrossing): each order of an opening auction needs it.
 */
import { BUY, isStatic, type Side, type StoredOrder } from "./stored-order.ts";

/** A fuller chunk is split. */
const CHUNK_LEVELS_MAX = 32;

/** Orders of one price. */
export class Level {
  /** Of all orders, and of the orders that count for static prices. */
  volume = 0n;
  staticVolume = 0n;
  /** By place. A map keeps the order in which they came, and loses one from its middle at no cost. */
  private queue = new Map<number, StoredOrder>();
  private isSorted = true;
  /** Highest place that an order ever had. */
  private highest = 0;
  /** Highest place of those here; undefined until it is asked for. */
  private last: number | undefined = 0;

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
    if (this.last === undefined) {
      this.last = 0;
      for (const place of this.queue.keys()) if (place > this.last) this.last = place;
    }
    return this.last;
  }

  get isEmpty(): boolean {
    return this.queue.size === 0;
  }

  add(order: StoredOrder): void {
    // Nearly all are added at the end of the queue; a reverted removal returns to its place.
    if (order.place < this.highest) this.isSorted = false;
    else this.highest = order.place;
    if (this.last !== undefined && order.place > this.last) this.last = order.place;
    if (order.place === this.highest) this.last = order.place;
    this.queue.set(order.place, order);
    this.addVolume(order, order.remaining);
  }

  remove(order: StoredOrder): void {
    this.queue.delete(order.place);
    if (order.place === this.last) this.last = undefined;
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

/** Some neighbouring levels, the best first. */
interface Chunk {
  readonly levels: Level[];
  /** Of their weights; undefined until it is asked for. */
  sum: bigint | undefined;
}

export class Levels {
  private readonly chunks: Chunk[] = [];
  /** Sum of all chunks before each one, as far as nothing has changed since. */
  private readonly before: bigint[] = [];

  /** @param weightOf a level's part of a sum */
  constructor(
    private readonly side: Side,
    private readonly weightOf: (level: Level) => bigint = ({ volume }) => volume,
  ) {}

  get count(): number {
    return this.chunks.reduce((sum, { levels }) => sum + levels.length, 0);
  }

  get best(): Level | undefined {
    return this.chunks[0]?.levels[0];
  }

  /** The best level that holds an order which static prices count. */
  get bestStatic(): Level | undefined {
    let best: Level | undefined;
    this.walk((level) => {
      if (level.staticVolume > 0n) best = level;
      return best !== undefined;
    });
    return best;
  }

  at(price: bigint): Level | undefined {
    const chunk = this.chunks[this.chunkOf(price)];
    const level = chunk?.levels[this.indexIn(chunk, price)];
    return level?.price === price ? level : undefined;
  }

  insert(order: StoredOrder): void {
    const { price } = order;
    const at = Math.min(this.chunkOf(price), Math.max(0, this.chunks.length - 1));
    const chunk = this.chunks[at] ?? this.newChunk();
    const index = this.indexIn(chunk, price);
    if (chunk.levels[index]?.price !== price) chunk.levels.splice(index, 0, new Level(price));
    chunk.levels[index]!.add(order);
    this.noteChange(at);
    if (chunk.levels.length <= CHUNK_LEVELS_MAX) return;
    const half = chunk.levels.splice(CHUNK_LEVELS_MAX / 2);
    this.chunks.splice(at + 1, 0, { levels: half, sum: undefined });
  }

  remove(order: StoredOrder): void {
    const at = this.chunkOf(order.price);
    const chunk = this.chunks[at]!;
    const index = this.indexIn(chunk, order.price);
    const level = chunk.levels[index]!;
    level.remove(order);
    this.noteChange(at);
    if (level.isEmpty) chunk.levels.splice(index, 1);
    if (chunk.levels.length === 0) this.chunks.splice(at, 1);
  }

  replace(before: StoredOrder, now: StoredOrder): void {
    const at = this.chunkOf(now.price);
    const chunk = this.chunks[at]!;
    chunk.levels[this.indexIn(chunk, now.price)]!.replace(before, now);
    this.noteChange(at);
  }

  /** From the best price on. */
  *fromBest(): Generator<Level> {
    for (const { levels } of this.chunks) yield* levels;
  }

  /** Visits levels from the best price on, until the visitor returns true: faster than a generator, for each order's matching. */
  walk(visit: (level: Level) => boolean): void {
    for (const { levels } of this.chunks) {
      for (const level of levels) if (visit(level)) return;
    }
  }

  /** Sum of the levels at a price and at better ones. */
  sumTo(price: bigint): bigint {
    const at = this.chunkOf(price);
    let sum = this.sumBefore(at);
    const levels = this.chunks[at]?.levels ?? [];
    for (const level of levels) {
      if (this.isBetter(price, level.price)) break;
      sum += this.weightOf(level);
    }
    return sum;
  }

  /** Sum of the levels between two prices, both included. */
  sumBetween(low: bigint, high: bigint): bigint {
    return this.side === BUY
      ? this.sumTo(low) - this.sumTo(high + 1n)
      : this.sumTo(high) - this.sumTo(low - 1n);
  }

  /**
   * The end of a condition that holds from the best price on.
   * @returns the last level for which it holds, and the one after it
   */
  boundary(holds: (level: Level) => boolean): readonly [last: Level | undefined, next: Level | undefined] {
    const { chunks } = this;
    const at = firstIndex(chunks.length, (index) => !holds(chunks[index]!.levels.at(-1)!));
    const levels = chunks[at]?.levels ?? [];
    const index = firstIndex(levels.length, (place) => !holds(levels[place]!));
    return [index > 0 ? levels[index - 1] : chunks[at - 1]?.levels.at(-1), levels[index]];
  }

  private isBetter(a: bigint, b: bigint): boolean {
    return this.side === BUY ? a > b : a < b;
  }

  /** The chunk that a price is in or belongs into; behind all for one that is worse than the last level. */
  private chunkOf(price: bigint): number {
    const { chunks } = this;
    let low = 0;
    let high = chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const { levels } = chunks[middle]!;
      if (this.isBetter(levels[levels.length - 1]!.price, price)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Where a price is in a chunk, or would be. */
  private indexIn({ levels }: Chunk, price: bigint): number {
    let low = 0;
    let high = levels.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.isBetter(levels[middle]!.price, price)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private newChunk(): Chunk {
    const chunk: Chunk = { levels: [], sum: undefined };
    this.chunks.push(chunk);
    return chunk;
  }

  private noteChange(at: number): void {
    this.chunks[at]!.sum = undefined;
    // Sums before a chunk do not change with it.
    if (this.before.length > at + 1) this.before.length = at + 1;
  }

  /** Sum of the chunks before one. */
  private sumBefore(at: number): bigint {
    const { before, chunks } = this;
    for (let index = before.length; index <= at; index++) {
      const chunk = chunks[index - 1];
      if (chunk === undefined) {
        before[index] = 0n;
        continue;
      }
      chunk.sum ??= chunk.levels.reduce((sum, level) => sum + this.weightOf(level), 0n);
      before[index] = before[index - 1]! + chunk.sum;
    }
    return before[at]!;
  }
}

/** The first index that passes a test which all behind it pass, too; the length where none does. */
function firstIndex(length: number, passes: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
