// Candles, made from trades when they are asked for
// (docs/protocol/10-data-api-endpoints.md#515-markets-and-market-data): trades in order, one by one or summed up
// by the minute. The sums of minutes that have ended are kept, so that a candle of a busy day reads its trades once and not
// for every request.
import { LruCache } from "../../cache/lru.ts";
import { internal, invalidArgument } from "../../http/errors.ts";
import { encodeCursor, type PageRequest } from "../../http/pagination.ts";
import type { Candle } from "../../wire/generated/datanode.ts";
import { readTradeAt } from "../../wire/generated/vega.ts";
import { isHex64 } from "../../wire/identifiers.ts";
import { asUint64 } from "../../wire/limits.ts";
import { nanoseconds, rfc3339, sequenceOf } from "./blocks.ts";
import { type Connection, CursorReader, connectionOf, type DataContext, perContext } from "./context.ts";
import { endpoint } from "./entry.ts";
import { checkMarketId } from "./markets.ts";
import { numberText } from "./values.ts";

const MINUTE_US = 60_000_000;
const CHUNK_ROWS = 2_000;
/** Minutes remembered, twice this at the most: about 200 bytes each. */
const MINUTES_MAX = 20_000;
/** Cost of finding a minute, in trades read. */
const MINUTE_COST = 8;

/** Numbers of blocks, first inclusive, last exclusive. */
interface BlockRange {
  readonly first: number;
  readonly end: number;
}

/** Some trades in a row, by the time of the block they are in. */
interface Piece {
  /** Of the block of a trade, or where a minute begins. Unix microseconds. */
  readonly timeUs: number;
  readonly sum: TradeSum;
  /** Cost of its first reading, in trades. */
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
class TradeSum {
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

function tradeSum(data: Uint8Array, timeUs: number): TradeSum {
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
function* tradesOf(
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
function* minutesOf(
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

/** Length of each interval in microseconds. A block is a period of one: no two have the same microsecond. */
const INTERVALS: ReadonlyArray<readonly [name: string, lengthUs: number]> = [
  ["block", 1],
  ["1 minute", MINUTE_US],
  ["5 minutes", 5 * MINUTE_US],
  ["15 minutes", 15 * MINUTE_US],
  ["1 hour", 60 * MINUTE_US],
  ["6 hours", 360 * MINUTE_US],
  ["1 day", 1440 * MINUTE_US],
];
const ID_PREFIX = "trades_candle_";
const FAILED = "failed to get candle data";
/** Trades read for one page. A page that needs more ends early, with at least one candle, and a next page. */
const TRADES_PER_PAGE_MAX = 100_000;

function idPart(interval: string): string {
  return interval.replaceAll(" ", "_");
}

const LENGTH_BY_ID_PART = new Map(INTERVALS.map(([name, lengthUs]) => [idPart(name), lengthUs]));

const listCandleIntervals = endpoint({
  path: "/api/v2/candle/intervals",
  request: "datanode.api.v2.ListCandleIntervalsRequest",
  response: "datanode.api.v2.ListCandleIntervalsResponse",
  tag: "Candles",
  summary: "List the candle intervals of a market",
  description: "The same for every market, known or not.",
  handle(_context, request) {
    const marketId = checkMarketId(request.marketId);
    const intervalToCandleId = INTERVALS.map(([interval]) => ({
      interval,
      candleId: `${ID_PREFIX}${idPart(interval)}_${marketId}`,
    }));
    return { intervalToCandleId };
  },
});

const listCandleData = endpoint({
  path: "/api/v2/candle",
  request: "datanode.api.v2.ListCandleDataRequest",
  response: "datanode.api.v2.ListCandleDataResponse",
  tag: "Candles",
  summary: "List candles",
  description:
    "Candles of a market and interval that begin at or after `fromTimestamp` and before `toTimestamp` (0: no bound). A period without trades has none. A page may hold fewer than asked for and still have a next one.",
  handle(context, request) {
    const from = request.fromTimestamp ?? 0n;
    const to = request.toTimestamp ?? 0n;
    if (from !== 0n && to !== 0n && to < from) throw invalidArgument("invalid candle timestamps range");
    const page = context.page(request);
    const candleId = request.candleId ?? "";
    if (candleId === "") throw invalidArgument("candle id is a required parameter");
    const series = parseCandleId(context, candleId);
    return context.query(FAILED, () => ({ candles: candlePage(context, series, from, to, page) }));
  },
});

interface Series {
  readonly market: number;
  readonly lengthUs: number;
}

/** @param failure what fails with an id that is wrong @throws ApiError 500 */
export function parseCandleId(context: DataContext, candleId: string, failure = FAILED): Series {
  const match = /^trades_candle_([a-z0-9_]+)_([0-9a-fA-F]+)$/.exec(candleId);
  const lengthUs = match ? LENGTH_BY_ID_PART.get(match[1]!) : undefined;
  if (!match || lengthUs === undefined || !isHex64(match[2]!)) {
    throw internal(failure, `getting candle data for time span: invalid candle id:${candleId.slice(0, 200)}`);
  }
  return { market: context.ids.position(match[2]!), lengthUs };
}

function candlePage(
  context: DataContext,
  series: Series,
  from: bigint,
  to: bigint,
  page: PageRequest,
): Connection<Candle> {
  /** First block of the first period that starts at or after a time. */
  const blockOfPeriod = (timeUs: number) =>
    context.blocks.firstAtOrAfter(Math.ceil(timeUs / series.lengthUs) * series.lengthUs);
  const whole: BlockRange = {
    first: from === 0n ? 0 : blockOfPeriod(Number(from / 1000n)),
    end: to === 0n ? Number.MAX_SAFE_INTEGER : blockOfPeriod(Number(to / 1000n)),
  };
  const descending = page.forward === page.newestFirst;
  let range = whole;
  let behind = false;
  if (page.cursor !== undefined) {
    const timeUs = new CursorReader(page.cursor, context).timeUs("periodStart");
    const edge = blockOfPeriod(descending ? timeUs : timeUs + 1);
    const older = { first: whole.first, end: Math.min(whole.end, edge) };
    const newer = { first: Math.max(whole.first, edge), end: whole.end };
    range = descending ? older : newer;
    behind = hasTrades(context, series.market, descending ? newer : older);
  }
  const { candles, ahead } = readCandles(context, series, range, descending, page.limit);
  if (!page.forward) candles.reverse();
  const edges = candles.map((candle) => ({
    node: candle.message,
    cursor: encodeCursor(JSON.stringify({ periodStart: rfc3339(candle.startUs) })),
  }));
  return page.forward ? connectionOf(edges, ahead, behind) : connectionOf(edges, behind, ahead);
}

function hasTrades(context: DataContext, market: number, range: BlockRange): boolean {
  const sql = "SELECT 1 AS found FROM trades WHERE market = ? AND block >= ? AND block < ? LIMIT 1";
  return context.get(sql, market, range.first, range.end) !== undefined;
}

/** A candle that is being made of pieces in one direction of time. */
class CandleInMaking {
  constructor(
    readonly startUs: number,
    private readonly sum: TradeSum,
    private readonly descending: boolean,
  ) {}

  add(piece: TradeSum): void {
    if (this.descending) this.sum.prepend(piece);
    else this.sum.append(piece);
  }

  get message(): Candle {
    const { first, last, high, low, volume, lastUpdateUs } = this.sum;
    return {
      start: nanoseconds(this.startUs),
      lastUpdate: nanoseconds(lastUpdateUs),
      high: high.toString(),
      low: low.toString(),
      open: first.toString(),
      close: last.toString(),
      volume: asUint64(BigInt(volume)),
    };
  }
}

/** Reads trades in order until the page is full. Periods follow block time, so that a page ends between blocks. */
function readCandles(
  context: DataContext,
  { market, lengthUs }: Series,
  range: BlockRange,
  descending: boolean,
  limit: number,
): { candles: CandleInMaking[]; ahead: boolean } {
  const candles: CandleInMaking[] = [];
  let read = 0;
  const isOfMinutes = lengthUs > MINUTE_US && lengthUs % MINUTE_US === 0;
  const pieces = isOfMinutes
    ? minutesOf(context, market, range, descending)
    : tradesOf(context, market, range, descending);
  for (const { timeUs, sum, cost } of pieces) {
    const startUs = Math.floor(timeUs / lengthUs) * lengthUs;
    const candle = candles.at(-1);
    if (candle?.startUs !== startUs) {
      if (candles.length === limit || read >= TRADES_PER_PAGE_MAX) return { candles, ahead: true };
      candles.push(new CandleInMaking(startUs, sum.copy(), descending));
    } else if (read >= TRADES_PER_PAGE_MAX && candles.length > 1) {
      candles.pop();
      return { candles, ahead: true };
    } else candle.add(sum);
    read += cost;
  }
  return { candles, ahead: false };
}

/** Candles that the trades of a turn changed: blocks come one by one, so they are one or two. */
const CHANGED_MAX = 1_000;

/** The candles that trades of the blocks are in, oldest first, each with the last of those blocks that has trades. */
export function candlesSince(
  context: DataContext,
  series: Series,
  first: number,
  last: number,
): { readonly candle: Candle; readonly block: number }[] {
  const sql =
    "SELECT min(block) AS first, max(block) AS last FROM trades WHERE market = ? AND block BETWEEN ? AND ?";
  const traded = context.get<{ first: bigint | null; last: bigint }>(sql, series.market, first, last)!;
  if (traded.first === null) return [];
  const { lengthUs } = series;
  const startUs = Math.floor(context.blocks.timeUs(Number(traded.first)) / lengthUs) * lengthUs;
  const range = { first: context.blocks.firstAtOrAfter(startUs), end: Number(traded.last) + 1 };
  const { candles } = readCandles(context, series, range, false, CHANGED_MAX);
  return candles.map(({ message }) => ({ candle: message, block: Number(traded.last) }));
}

/** The newest candle, if there is one. */
export function lastCandle(context: DataContext, series: Series): Candle | undefined {
  const all = { first: 0, end: Number.MAX_SAFE_INTEGER };
  return readCandles(context, series, all, true, 1).candles[0]?.message;
}

export const candleEndpoints = [listCandleIntervals, listCandleData];
