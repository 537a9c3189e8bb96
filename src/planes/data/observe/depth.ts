// Streams of market depth (docs/protocol/10-data-api-streams.md#62-streams): the whole book after each block that
// changed it, or the price levels that changed. The books of the markets that are followed are kept in memory and
// brought forward by order rows.
import {
  type MarketDepth,
  type MarketDepthUpdate,
  type Order,
  type PriceLevel,
  readOrderAt,
} from "../../../wire/generated/vega.ts";
import { canonicalIdentifier } from "../../../wire/identifiers.ts";
import { asUint64 } from "../../../wire/limits.ts";
import { sequenceOf } from "../blocks.ts";
import type { DataContext } from "../context.ts";
import { bookSequence, isOfBook, liveOrdersAt, liveOrdersOf } from "../orders.ts";
import { elementOf } from "./filters.ts";
import { type BlockSpan, type ChangeReader, streamKind } from "./kind.ts";
import { type Element, type Place, rowsBehind } from "./message.ts";
import { type MarketsFilter, marketsIn, marketsOf } from "./trading.ts";

const ORDER = { active: 1, buy: 1 } as const;

interface Resting {
  readonly isBuy: boolean;
  readonly price: bigint;
  readonly remaining: bigint;
}

interface Level {
  orders: bigint;
  volume: bigint;
}

/** An order as the book holds it; undefined if the book lacks it. */
function restingOf(order: Order): Resting | undefined {
  const { status, remaining, side, price } = order;
  const isIn = status === ORDER.active && isOfBook(order);
  return isIn && remaining > 0n ? { isBuy: side === ORDER.buy, price: BigInt(price), remaining } : undefined;
}

/** Levels of one side, and which of them a block has changed. */
class Side {
  readonly levels = new Map<bigint, Level>();
  readonly changed = new Set<bigint>();

  constructor(private readonly isLowestFirst: boolean) {}

  /** @param sign 1 adds an order, -1 takes it away */
  add({ price, remaining }: Resting, sign: 1n | -1n): void {
    const level = this.levels.get(price) ?? { orders: 0n, volume: 0n };
    level.orders += sign;
    level.volume += sign * remaining;
    if (level.orders === 0n) this.levels.delete(price);
    else this.levels.set(price, level);
    this.changed.add(price);
  }

  /** Best price first. */
  list(prices: Iterable<bigint>): PriceLevel[] {
    return [...prices]
      .sort((a, b) => (a < b === this.isLowestFirst ? -1 : 1))
      .map((price) => {
        const { orders = 0n, volume = 0n } = this.levels.get(price) ?? {};
        return { price: price.toString(), numberOfOrders: orders, volume: asUint64(volume) };
      });
  }
}

class DepthBook {
  readonly buy = new Side(false);
  readonly sell = new Side(true);
  private readonly orders = new Map<string, Resting>();
  /** Of the last update; of the book at first, as `GET /api/v2/market/depth/{market_id}/latest` has it. */
  sequence = 0n;

  /** @param last row of the last block that the book shows whole */
  constructor(
    readonly marketId: string,
    readonly last: number,
  ) {}

  apply(order: Order): void {
    const id = canonicalIdentifier(order.id);
    const before = this.orders.get(id);
    const now = restingOf(order);
    if (before) this.side(before).add(before, -1n);
    if (now) this.side(now).add(now, 1n);
    if (now) this.orders.set(id, now);
    else this.orders.delete(id);
  }

  get isChanged(): boolean {
    return this.buy.changed.size > 0 || this.sell.changed.size > 0;
  }

  settle(): void {
    this.buy.changed.clear();
    this.sell.changed.clear();
  }

  private side({ isBuy }: Resting): Side {
    return isBuy ? this.buy : this.sell;
  }
}

interface OrderRow {
  readonly block: bigint;
  readonly ord: bigint;
  readonly data: Uint8Array;
}

class DepthReader implements ChangeReader<MarketsFilter> {
  private readonly books = new Map<string, DepthBook>();

  /** @param tell makes the message of a book; undefined where its last block changed nothing */
  constructor(private readonly tell: (book: DepthBook, sequence: bigint) => object | undefined) {}

  prepare(context: DataContext, { markets }: MarketsFilter, place: Place, isPast: boolean): void {
    // Of a row that later blocks share, their orders follow.
    const last = isPast && Number.isFinite(place.part) ? place.no - 1 : place.no;
    for (const id of markets) {
      if (this.books.has(id)) continue;
      const book = new DepthBook(id, last);
      const market = context.ids.position(id);
      const before = isPast ? rowsBehind(place) : undefined;
      const live = before ? liveOrdersAt(context, market, before) : liveOrdersOf(context, market);
      for (const { order } of live) book.apply(order);
      book.sequence = bookSequence(context, market, live, before);
      book.settle();
      this.books.set(id, book);
    }
  }

  read(
    context: DataContext,
    { first, firstOrd, last }: BlockSpan,
    filters: Iterable<MarketsFilter>,
  ): Element[] {
    const followed = marketsOf(filters);
    for (const id of this.books.keys()) if (!followed.has(id)) this.books.delete(id);
    const sql =
      "SELECT block, ord, data FROM orders WHERE (block, ord) >= (?, ?) AND block <= ? ORDER BY block, ord";
    const elements: Element[] = [];
    /** Books with orders in the block, and the place of the last one. */
    const touched = new Map<DepthBook, bigint>();
    let block = 0n;
    const settle = () => {
      for (const [book, ord] of touched) {
        const sequence = context.timeNs(block) + BigInt(sequenceOf(ord));
        const message = this.tell(book, sequence);
        if (message !== undefined) elements.push(elementOf({ block }, message));
        book.sequence = sequence;
        book.settle();
      }
      touched.clear();
    };
    for (const row of context.all<OrderRow>(sql, first, firstOrd, last)) {
      if (row.block !== block) settle();
      block = row.block;
      const order = readOrderAt(row.data, 0, row.data.length);
      const book = this.books.get(canonicalIdentifier(order.marketId));
      // Its first orders are those of the block that its stream begins at.
      if (book === undefined || Number(row.block) <= book.last) continue;
      if (!isOfBook(order)) continue;
      book.apply(order);
      touched.set(book, row.ord);
    }
    settle();
    return elements;
  }
}

const matches = ({ markets }: MarketsFilter, { marketId }: { marketId: string }) =>
  markets.includes(marketId);

export const marketDepth = streamKind({
  path: "markets/depth",
  method: "ObserveMarketsDepth",
  request: "datanode.api.v2.ObserveMarketsDepthRequest",
  response: "datanode.api.v2.ObserveMarketsDepthResponse",
  needs: ["marketIds"],
  summary: "Follow the depth of markets",
  description: "The whole book of a market that `marketIds` names, after each block that changed it.",
  table: "orders",
  frame: { element: "vega.MarketDepth", member: "marketDepth", isList: true },
  filterOf: marketsIn,
  reader: () =>
    new DepthReader(({ marketId, buy, sell, isChanged }, sequenceNumber): MarketDepth | undefined =>
      isChanged
        ? {
            marketId,
            buy: buy.list(buy.levels.keys()),
            sell: sell.list(sell.levels.keys()),
            sequenceNumber,
          }
        : undefined,
    ),
  matches,
});

export const marketDepthUpdates = streamKind({
  path: "markets/depth/updates",
  method: "ObserveMarketsDepthUpdates",
  request: "datanode.api.v2.ObserveMarketsDepthUpdatesRequest",
  response: "datanode.api.v2.ObserveMarketsDepthUpdatesResponse",
  needs: ["marketIds"],
  summary: "Follow changes of the depth of markets",
  description:
    "The price levels that a block with orders of the market changed, in the markets that `marketIds` names. A level without orders is gone. `previousSequenceNumber` is the `sequenceNumber` of the update before, and of the depth as it is read between them.",
  table: "orders",
  frame: { element: "vega.MarketDepthUpdate", member: "update", isList: true },
  filterOf: marketsIn,
  reader: () =>
    new DepthReader(
      ({ marketId, buy, sell, sequence }, sequenceNumber): MarketDepthUpdate => ({
        marketId,
        buy: buy.list(buy.changed),
        sell: sell.list(sell.changed),
        sequenceNumber,
        previousSequenceNumber: sequence,
      }),
    ),
  matches,
});
