// Orders and their versions, and the depth that live orders give a market
// (docs/protocol/10-data-api-endpoints.md#515-markets-and-market-data and #516-orders).

import type { Sent } from "../../http/endpoint.ts";
import { internal, invalidArgument, notFound } from "../../http/errors.ts";
import type { Param, Row } from "../../http/pagination.ts";
import type { OrderFilter } from "../../wire/generated/datanode.ts";
import { MarketState, type Order, type PriceLevel, readOrderAt } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, hexOf, isHex64 } from "../../wire/identifiers.ts";
import { asUint64 } from "../../wire/limits.ts";
import { rfc3339, sequenceOf } from "./blocks.ts";
import { type DataContext, dateRange, isPartyFilter, truncatedNs } from "./context.ts";
import { endpoint, list } from "./entry.ts";
import { ARMS_MAX, armsOf, type Condition, mergedRows } from "./lists.ts";
import { lastTrade } from "./trades.ts";
import { lenientIdentifier, numberText } from "./values.ts";

const CURRENT = "orders_current c JOIN orders o ON o.block = c.block AND o.ord = c.ord";
/** Live orders are few beside all that ever were; the planner has no statistics to know it. */
const LIVE =
  "orders_current c INDEXED BY orders_current_live JOIN orders o ON o.block = c.block AND o.ord = c.ord";
const FAILED = "failed to get orders";
const VERSIONS_FAILED = "failed to get order versions";
/** Refusal of both lists: neither can be walked from its end. */
const NO_LAST = "'last' pagination for orders not currently supported";

interface OrderRow extends Row {
  data: Uint8Array;
}

/** An order as the service shows it: times cut to microseconds, a reason and a peg only where there is one. */
export function orderOf(data: Uint8Array): Order {
  const order = readOrderAt(data, 0, data.length);
  order.id = canonicalIdentifier(order.id);
  order.marketId = canonicalIdentifier(order.marketId);
  order.partyId = canonicalIdentifier(order.partyId);
  order.liquidityProvisionId = lenientIdentifier(order.liquidityProvisionId);
  order.price = numberText(order.price);
  order.createdAt = truncatedNs(order.createdAt);
  order.updatedAt = truncatedNs(order.updatedAt);
  order.expiresAt = truncatedNs(order.expiresAt);
  if (order.reason === 0) order.reason = undefined;
  if (order.peggedOrder?.reference === 0) order.peggedOrder = undefined;
  if (order.peggedOrder) order.peggedOrder.offset = numberText(order.peggedOrder.offset);
  return order;
}

const getOrder = endpoint({
  path: "/api/v2/order/{order_id}",
  request: "datanode.api.v2.GetOrderRequest",
  response: "datanode.api.v2.GetOrderResponse",
  tag: "Orders",
  summary: "Get an order",
  description: "In its current state, or the last state of one `version`.",
  handle(context, request) {
    const id = request.orderId;
    if (id === "") throw invalidArgument("missing orderID parameter");
    if (!isHex64(id)) throw invalidArgument("invalid orderID parameter");
    const version = request.version;
    if (version !== undefined && version <= 0) throw invalidArgument("negative order version");
    const bytes = Buffer.from(id, "hex");
    const row =
      version === undefined
        ? context.get<OrderRow>(
            `SELECT o.data FROM ${CURRENT} WHERE c.id = ? ORDER BY c.block DESC, c.ord DESC LIMIT 1`,
            bytes,
          )
        : context.get<OrderRow>(
            "SELECT data FROM orders WHERE id = ? AND version = ? ORDER BY block DESC LIMIT 1",
            bytes,
            version,
          );
    if (!row) throw notFound("order not found", `orderID: ${id}: no resource corresponding to this id`);
    return { order: orderOf(row.data) };
  },
});

/** The last row of each version of one order: two index seeks a version, however often a version was updated. */
const VERSIONS = `(WITH RECURSIVE v(version) AS (
    SELECT max(version) FROM orders WHERE id = ?
    UNION ALL SELECT (SELECT max(version) FROM orders WHERE id = ? AND version < v.version) FROM v WHERE v.version IS NOT NULL)
  SELECT version, (SELECT max(block) FROM orders WHERE id = ? AND version = v.version) AS block FROM v WHERE version IS NOT NULL) v
  CROSS JOIN orders o INDEXED BY orders_by_id ON o.id = ? AND o.version = v.version AND o.block = v.block`;

const listOrderVersions = endpoint({
  path: "/api/v2/order/versions/{order_id}",
  request: "datanode.api.v2.ListOrderVersionsRequest",
  response: "datanode.api.v2.ListOrderVersionsResponse",
  tag: "Orders",
  summary: "List the versions of an order",
  description: "The last state of each version, newest first; only forward.",
  handle(context, request) {
    const id = request.orderId;
    if (id === "") throw invalidArgument("missing orderID parameter");
    if (!isHex64(id)) throw invalidArgument("invalid orderID parameter");
    const page = context.page(request);
    if (!page.forward) throw internal(VERSIONS_FAILED, `orderID: ${id}: ${NO_LAST}`);
    const bytes = Buffer.from(id, "hex");
    return context.query(VERSIONS_FAILED, () => {
      const orders = context.list<OrderRow, Order>({
        query: {
          select: "o.data",
          from: VERSIONS,
          where: [],
          params: [bytes, bytes, bytes, bytes],
          // Creation times rise with the blocks of one order, so this is the documented order.
          order: [{ sql: "v.block" }, { sql: "v.version" }],
        },
        page,
        key: (cursor) => {
          const block = cursor.block("vegaTime");
          return cursor.has("version") ? [block, cursor.number("version")] : [block];
        },
        cursor: (row) => {
          const members = orderCursor(context, row.data, id.toLowerCase(), row.k0 as bigint);
          return JSON.stringify({ ...members, version: Number(row.k1) });
        },
        node: (row) => orderOf(row.data),
      });
      return { orders };
    });
  },
});

function orderCursor(context: DataContext, data: Uint8Array, id: string, block: bigint) {
  const createdUs = Number(truncatedNs(readOrderAt(data, 0, data.length).createdAt) / 1000n);
  return { createdAt: rfc3339(createdUs), id, vegaTime: context.cursorTime(block) };
}

const listOrders = list({
  path: "/api/v2/orders",
  request: "datanode.api.v2.ListOrdersRequest",
  response: "datanode.api.v2.ListOrdersResponse",
  tag: "Orders",
  summary: "List orders",
  description:
    "Orders in their current state, newest creation first; only that way round, and only forward. The date range applies to the time of the last update.",
  failure: FAILED,
  member: "orders",
  rows(context, page, request) {
    const { from, params } = orderRows(context, request.filter ?? {});
    if (!page.newestFirst) throw internal(FAILED, "oldest first order query is not currently supported");
    if (!page.forward) throw internal(FAILED, NO_LAST);
    return context.list<OrderRow, Order>({
      query: {
        select: "t.block, t.data",
        from,
        where: [],
        params,
        // Creation descending, id ascending; an id has one current row, so this is total (the block is not needed).
        order: [{ sql: "t.created" }, { sql: "t.id", opposite: true }],
      },
      page,
      key: (cursor) => {
        const createdUs = cursor.timeUs("createdAt");
        return cursor.has("id") ? [createdUs, cursor.bytes("id")] : [createdUs];
      },
      cursor: (row) =>
        JSON.stringify({
          createdAt: rfc3339(Number(row.k0)),
          id: hexOf(row.k1 as Uint8Array),
          vegaTime: context.cursorTime(row.block!),
        }),
      node: (row) => orderOf(row.data),
    });
  },
});

function orderRows(context: DataContext, filter: Sent<OrderFilter>): { from: string; params: Param[] } {
  const markets = checkedRefs(context, filter.marketIds, "market");
  const parties = checkedRefs(context, filter.partyIds, "party");
  const conditions = dateRange(context, filter.dateRange, "c.block");
  conditions.addOneOf("c.status", filter.statuses);
  conditions.addOneOf("c.type", filter.types);
  conditions.addOneOf("c.tif", filter.timeInForces);
  if (filter.excludeLiquidity) conditions.add("c.from_liquidity = 0");
  if (filter.reference !== undefined) conditions.add("c.reference = ?", filter.reference);
  const columns = "c.created AS created, c.id AS id, c.block AS block, o.data AS data";
  if (filter.liveOnly) {
    conditions.add("c.live = 1");
    const owned = liveArms(context, parties, markets);
    if (owned.length > 0) return mergedRows(columns, LIVE, conditions, owned);
    conditions.addOneOf("c.party", parties);
    conditions.addOneOf("c.market", markets);
    return mergedRows(columns, LIVE, conditions, []);
  }
  let arms: Condition[] = armsOf("c.market", markets);
  if (parties.length > 0) {
    conditions.addOneOf("c.market", markets);
    arms = armsOf("c.party", parties);
  }
  return mergedRows(columns, CURRENT, conditions, arms);
}

/** An arm for each party and market; none without a party, or where these are very many. */
function liveArms(context: DataContext, parties: readonly number[], markets: readonly number[]): Condition[] {
  const owners = new Set(parties);
  if (owners.size === 0) return [];
  const places = new Set(markets.length > 0 ? markets : marketsWithLiveOrders(context));
  if (owners.size * places.size > ARMS_MAX) return [];
  return [...places].flatMap((market) =>
    [...owners].map((party) => ({ where: ["c.market = ?", "c.party = ?"], params: [market, party] })),
  );
}

/** An index seek for each. */
function marketsWithLiveOrders(context: DataContext): number[] {
  const next = "SELECT min(market) FROM orders_current INDEXED BY orders_current_live WHERE live = 1";
  const rows = context.all<{ market: bigint }>(
    `WITH RECURSIVE v(market) AS (${next}
       UNION ALL SELECT (${next} AND market > v.market) FROM v WHERE v.market IS NOT NULL)
     SELECT market FROM v WHERE market IS NOT NULL`,
  );
  return rows.map(({ market }) => Number(market));
}

/**
 * References of filter values. A wrong market also reads "invalid party id"
 * (docs/protocol/10-data-api-streams.md#9-easily-missed, number 7).
 */
export function checkedRefs(
  context: DataContext,
  values: readonly string[] | undefined,
  title: "party" | "market",
): number[] {
  return (values ?? []).map((id) => {
    if (!isPartyFilter(id)) throw invalidArgument("invalid party id", `one or more ${title} id is invalid`);
    return context.ids.position(id);
  });
}

const STATUS_ACTIVE = 1;
const SIDE = { buy: 1, sell: 2 } as const;

interface LiveRow {
  data: Uint8Array;
  block: bigint;
  ord: bigint;
}

/** Orders and volume at each price of one side. */
class BookSide {
  private readonly levels = new Map<bigint, { numberOfOrders: bigint; volume: bigint }>();

  add(order: Order): void {
    const price = BigInt(order.price);
    const level = this.levels.get(price);
    if (!level) this.levels.set(price, { numberOfOrders: 1n, volume: order.remaining });
    else {
      level.numberOfOrders++;
      level.volume += order.remaining;
    }
  }

  /** The best `depthMax` levels, best price first. */
  list(lowestFirst: boolean, depthMax: number): PriceLevel[] {
    const prices = [...this.levels.keys()].sort((a, b) => (a < b === lowestFirst ? -1 : 1));
    return prices.slice(0, depthMax).map((price) => {
      const { numberOfOrders, volume } = this.levels.get(price)!;
      return { price: price.toString(), numberOfOrders, volume: asUint64(volume) };
    });
  }
}

interface MarketDepth {
  readonly buy: BookSide;
  readonly sell: BookSide;
  readonly sequenceNumber: bigint;
}

/** Place of a row of `orders`. */
interface RowPlace {
  readonly block: number;
  readonly ord: number;
}

const BEHIND_ALL: RowPlace = { block: Number.MAX_SAFE_INTEGER, ord: 0 };
const LIVE_ORDERS = `SELECT o.data, o.block, o.ord FROM orders_current c INDEXED BY orders_current_live
  JOIN orders o ON o.block = c.block AND o.ord = c.ord WHERE c.market = ? AND c.live = 1`;

/** Rows that are looked through for a book's last one: about two milliseconds of work. */
const LAST_ROWS_MAX = 2_000;
const LIMIT_ORDER = 1;
const [IOC, FOK] = [3, 4];

/** Orders that can come to a book: the others' rows say nothing of it but by the orders that they trade with. */
export function isOfBook({ type, timeInForce }: Pick<Order, "type" | "timeInForce">): boolean {
  return type === LIMIT_ORDER && timeInForce !== IOC && timeInForce !== FOK;
}

/**
 * The sequence of a market's book: that of the last row of an order, also of one that has left it, so that a read says what
 * the stream of updates says. Of a market without an order among the last rows, of its live orders; 0 of one that has ended.
 * @param before as it was before this row
 */
export function bookSequence(
  context: DataContext,
  marketRef: number,
  live: readonly { readonly sequence: bigint }[],
  before: RowPlace = BEHIND_ALL,
): bigint {
  if (live.length === 0 && isOver(context, marketRef)) return 0n;
  const row = context.get<Pick<LiveRow, "block" | "ord">>(
    `SELECT o.block, o.ord FROM (SELECT block, ord, id FROM orders WHERE (block, ord) < (?, ?)
        ORDER BY block DESC, ord DESC LIMIT ${LAST_ROWS_MAX}) o
      WHERE EXISTS (SELECT 1 FROM orders_current c
        WHERE c.id = o.id AND c.market = ? AND c.type = ${LIMIT_ORDER} AND c.tif NOT IN (${IOC}, ${FOK}))
      ORDER BY o.block DESC, o.ord DESC LIMIT 1`,
    before.block,
    before.ord,
    marketRef,
  );
  if (row !== undefined) return context.timeNs(row.block) + BigInt(sequenceOf(row.ord));
  return live.reduce((last, { sequence }) => (sequence > last ? sequence : last), 0n);
}

const STATES_OVER: readonly number[] = [
  MarketState.STATE_REJECTED,
  MarketState.STATE_CANCELLED,
  MarketState.STATE_CLOSED,
  MarketState.STATE_SETTLED,
];

function isOver(context: DataContext, marketRef: number): boolean {
  const sql = "SELECT state FROM markets_current WHERE id = ?";
  const state = context.get<{ state: bigint }>(sql, marketRef)?.state;
  return state !== undefined && STATES_OVER.includes(Number(state));
}

/**
 * The live orders of a market, each with its sequence: block time in nanoseconds plus the place in the block. Parked ones
 * have no price and are in no level, but count for the sequence of the book.
 */
export function liveOrdersOf(
  context: DataContext,
  marketRef: number,
): { readonly order: Order; readonly sequence: bigint }[] {
  return context.all<LiveRow>(LIVE_ORDERS, marketRef).map((row) => liveOrderOf(context, row));
}

/** The same as it was before a row of `orders`. */
export function liveOrdersAt(
  context: DataContext,
  marketRef: number,
  { block, ord }: RowPlace,
): ReturnType<typeof liveOrdersOf> {
  const unchanged = context.all<LiveRow>(
    `${LIVE_ORDERS} AND (o.block, o.ord) < (?, ?)`,
    marketRef,
    block,
    ord,
  );
  const changed = context.all<{ id: Uint8Array }>(
    `SELECT DISTINCT o.id FROM orders o WHERE (o.block, o.ord) >= (?, ?)
      AND EXISTS (SELECT 1 FROM orders_current c WHERE c.id = o.id AND c.market = ?)`,
    block,
    ord,
    marketRef,
  );
  const sql = `SELECT data, block, ord FROM orders WHERE id = ? AND (block, ord) < (?, ?)
    ORDER BY block DESC, ord DESC LIMIT 1`;
  const before = changed.flatMap(({ id }) => context.get<LiveRow>(sql, id, block, ord) ?? []);
  return [...unchanged, ...before].map((row) => liveOrderOf(context, row));
}

function liveOrderOf(
  context: DataContext,
  row: LiveRow,
): { readonly order: Order; readonly sequence: bigint } {
  return {
    order: readOrderAt(row.data, 0, row.data.length),
    sequence: context.timeNs(row.block) + BigInt(sequenceOf(row.ord)),
  };
}

/** The book of a market now. */
function marketDepth(context: DataContext, marketRef: number): MarketDepth {
  const buy = new BookSide();
  const sell = new BookSide();
  const live = liveOrdersOf(context, marketRef);
  for (const { order } of live) {
    if (order.status !== STATUS_ACTIVE || order.remaining === 0n) continue;
    if (order.side === SIDE.buy) buy.add(order);
    else if (order.side === SIDE.sell) sell.add(order);
  }
  return { buy, sell, sequenceNumber: bookSequence(context, marketRef, live) };
}

const getLatestMarketDepth = endpoint({
  path: "/api/v2/market/depth/{market_id}/latest",
  request: "datanode.api.v2.GetLatestMarketDepthRequest",
  response: "datanode.api.v2.GetLatestMarketDepthResponse",
  tag: "Markets",
  summary: "Get the market depth of a market",
  description:
    "Price levels of the live orders, best price first, at most `maxDepth` a side (0: all). Both sides are empty for an unknown market.",
  handle(context, request) {
    const id = request.marketId;
    if (id === "") throw invalidArgument("empty or missing market ID");
    const depthMax = Number(request.maxDepth ?? 0n) || Number.POSITIVE_INFINITY;
    return context.query("failed to get trades for market", () => {
      const { buy, sell, sequenceNumber } = marketDepth(context, context.ids.position(id));
      return {
        marketId: canonicalIdentifier(id),
        buy: buy.list(false, depthMax),
        sell: sell.list(true, depthMax),
        lastTrade: lastTrade(context, id),
        sequenceNumber,
      };
    });
  },
});

export const orderEndpoints = [getOrder, listOrderVersions, listOrders, getLatestMarketDepth];
