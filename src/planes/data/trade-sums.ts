// What candles are made of: the trades of a market in order, one by one or summed up by the minute. The sums of minutes
// that are over are remembered, so that a candle of a busy day reads its trades once and not for every request.

import { LruCache } from "../../cache/lru.ts";
import { readTradeAt } from "../../wire/generated/vega.ts";
import { Skim } from "../../wire/skim.ts";
import { type DataContext, perContext } from "./context.ts";
import { sequenceOf } from "./synthetic-time.ts";
import { numberText } from "./values.ts";

export const MINUTE_US = 60_000_000;
const CHUNK_ROWS = 2_000;
/** Minutes remembered, twice this at the most: about 200 bytes each. */
const MINUTES_MAX = 20_000;
/** What it costs to find a minute, in trades read. */
const MINUTE_COST = 8;

/** Numbers of blocks, first inclusive, last exclusive. */
export interface BlockRange {
  readonly first: number;
  readonly end: number;
}

/** Some trades in a row, by the time of the block they are in. */
export interface Piece {
  /** Of the block of a trade, or where a minute begins. Unix microseconds. */
  readonly timeUs: number;
  readonly sum: TradeSum;
  /** What it takes to read it at first, in trades. */
  readonly cost: number;
}

/** A price or a volume; a number as long as it is exact. The two kinds compare with each other. */
type Whole = number | bigint;

function added(a: Whole, b: Whole): Whole {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return BigInt(a) + BigInt(b);
}

/** Prices and volume of trades in a row. */
export class TradeSum {
  constructor(
    public first: Whole,
    public last: Whole,
    public high: Whole,
    public low: Whole,
    public volume: Whole,
    public lastUpdateUs: number,
  ) {}

  copy(): TradeSum {
    return new TradeSum(this.first, this.last, this.high, this.low, this.volume, this.lastUpdateUs);
  }

  /** Adds what came after. */
  append(later: TradeSum): void {
    this.last = later.last;
    this.join(later);
  }

  /** Adds what came before. */
  prepend(earlier: TradeSum): void {
    this.first = earlier.first;
    this.join(earlier);
  }

  private join(other: TradeSum): void {
    if (other.high > this.high) this.high = other.high;
    if (other.low < this.low) this.low = other.low;
    this.volume = added(this.volume, other.volume);
    if (other.lastUpdateUs > this.lastUpdateUs) this.lastUpdateUs = other.lastUpdateUs;
  }
}

// Price and size are all that is needed of a trade, and are taken from the bytes where they are plain.
const skim = new Skim("vega.Trade", { price: { is: "digits", max: 15 }, size: { is: "below", bits: 49 } }, [
  "price",
  "size",
]);

function tradeSum(data: Uint8Array, timeUs: number): TradeSum {
  if (skim.isPlain(data, 0, data.length)) {
    const price = Number(skim.text(0));
    return new TradeSum(price, price, price, price, skim.number(1), timeUs);
  }
  const trade = readTradeAt(data, 0, data.length);
  const price = BigInt(numberText(trade.price));
  return new TradeSum(price, price, price, price, trade.size, timeUs);
}

interface TradeRow {
  block: bigint;
  ord: bigint;
  data: Uint8Array;
}

/** Trades of a market in order, in chunks: nothing stays open when the reader stops. */
export function* tradesOf(
  context: DataContext,
  market: number,
  range: BlockRange,
  descending: boolean,
): Generator<Piece> {
  const [operator, order] = descending ? ["<", "DESC"] : [">", "ASC"];
  // Each chunk starts at the place: a second bound on the same side could be the one SQLite starts from.
  const bound = descending ? "block >= ?" : "block < ?";
  const sql = `SELECT block, ord, data FROM trades WHERE market = ? AND (block, ord) ${operator} (?, ?) AND ${bound}
    ORDER BY block ${order}, ord ${order} LIMIT ?`;
  const last = descending ? range.first : range.end;
  let place: [number, number] = descending ? [range.end, 0] : [range.first, -1];
  for (;;) {
    const rows = context.all<TradeRow>(sql, market, ...place, last, CHUNK_ROWS);
    for (const row of rows) {
      const timeUs = context.blocks.timeUs(Number(row.block));
      yield { timeUs, sum: tradeSum(row.data, timeUs + sequenceOf(row.ord)), cost: 1 };
    }
    const end = rows.at(-1);
    if (!end || rows.length < CHUNK_ROWS) return;
    place = [Number(end.block), Number(end.ord)];
  }
}

interface Minute {
  readonly sum: TradeSum;
  readonly cost: number;
}

const minutesKnown = perContext(() => new LruCache<string, Minute>(MINUTES_MAX));

/** The minutes that have trades, in order. The ends of the range must lie between two minutes. */
export function* minutesOf(
  context: DataContext,
  market: number,
  range: BlockRange,
  descending: boolean,
): Generator<Piece> {
  const [edge, order] = descending ? ["max", "block < ?"] : ["min", "block >= ?"];
  const bound = descending ? "block >= ?" : "block < ?";
  const sql = `SELECT ${edge}(block) AS block FROM trades WHERE market = ? AND ${order} AND ${bound}`;
  let place = descending ? range.end : range.first;
  for (;;) {
    const next = context.get<{ block: bigint | null }>(
      sql,
      market,
      place,
      descending ? range.first : range.end,
    )?.block;
    if (next === undefined || next === null) return;
    const timeUs = Math.floor(context.blocks.timeUs(Number(next)) / MINUTE_US) * MINUTE_US;
    const minute = {
      first: context.blocks.firstAtOrAfter(timeUs),
      end: context.blocks.firstAtOrAfter(timeUs + MINUTE_US),
    };
    yield { timeUs, ...minuteSum(context, market, timeUs, minute) };
    place = descending ? minute.first : minute.end;
  }
}

function minuteSum(context: DataContext, market: number, timeUs: number, blocks: BlockRange): Minute {
  const key = `${market} ${timeUs}`;
  const remembered = minutesKnown(context).get(key);
  if (remembered) return remembered;
  let sum: TradeSum | undefined;
  let cost = MINUTE_COST;
  for (const trade of tradesOf(context, market, blocks, false)) {
    if (sum) sum.append(trade.sum);
    else sum = trade.sum;
    cost++;
  }
  const minute = { sum: sum!, cost };
  // Time never goes back: once a block is past the minute, no trade of it will come.
  if ((context.head?.timeUs ?? 0) >= timeUs + MINUTE_US) minutesKnown(context).set(key, minute);
  return minute;
}
