// Streams of orders, trades, positions, margins, provisions and market data
// (docs/protocol/10-data-api-streams.md#62-streams).
import { UNKNOWN_MARKET } from "../../../errors/api-error.ts";
import { internal } from "../../../http/errors.ts";
import type {
  LiquidityProvision,
  MarginLevels,
  MarketData,
  Order,
  Position,
  Trade,
} from "../../../wire/generated/vega.ts";
import { canonicalIdentifier, InvalidIdentifier } from "../../../wire/identifiers.ts";
import { Conditions, type DataContext } from "../context.ts";
import { provisionOf } from "../liquidity.ts";
import { marketDataOf } from "../markets.ts";
import { orderOf } from "../orders.ts";
import { marginLevelsOf, positionOf } from "../positions.ts";
import { tradeOf } from "../trades.ts";
import { elementOf, fits, fitsOne, idIn, idsIn, iterateRows } from "./filters.ts";
import { type BlockSpan, streamKind } from "./kind.ts";

interface DataRow {
  readonly block: bigint;
  readonly data: Uint8Array;
}

/** Rows of a table that is clustered on (block, ord). */
function rowsByOrd(
  context: DataContext,
  table: "orders" | "trades",
  { first, firstOrd, last }: BlockSpan,
): DataRow[] {
  const sql = `SELECT block, data FROM ${table} WHERE (block, ord) >= (?, ?) AND block <= ? ORDER BY block, ord`;
  return context.all<DataRow>(sql, first, firstOrd, last);
}

interface OrderFilter {
  readonly markets: readonly string[];
  readonly parties: readonly string[];
  readonly excludeLiquidity: boolean;
}

const LIVE_ORDERS =
  "orders_current c INDEXED BY orders_current_live CROSS JOIN orders o ON o.block = c.block AND o.ord = c.ord";

export const orders = streamKind({
  path: "orders",
  method: "ObserveOrders",
  request: "datanode.api.v2.ObserveOrdersRequest",
  response: "datanode.api.v2.ObserveOrdersResponse",
  summary: "Follow orders",
  description:
    "The live orders that match, in pages of 50, then the last state of each version that a block changed. `excludeLiquidity` concerns the live orders at the beginning alone, as in the original.",
  table: "orders",
  frame: { element: "vega.Order", around: "updates", member: "orders", isList: true },
  filterOf: (_context, request): OrderFilter => ({
    markets: idsIn(request.marketIds, "market"),
    parties: idsIn(request.partyIds, "party"),
    excludeLiquidity: request.excludeLiquidity === true,
  }),
  reader: () => ({
    read: (context, span) =>
      rowsByOrd(context, "orders", span).map((row) => elementOf(row, orderOf(row.data))),
  }),
  matches: ({ markets, parties }, value: Order) =>
    fitsOne(markets, value.marketId) && fitsOne(parties, value.partyId),
  *snapshot(context, { markets, parties, excludeLiquidity }) {
    const refs = (ids: readonly string[]) => ids.map((id) => context.ids.position(id));
    const conditions = new Conditions();
    conditions.add("c.live = 1");
    conditions.addOneOf("c.market", markets.length > 0 ? refs(markets) : undefined);
    conditions.addOneOf("c.party", parties.length > 0 ? refs(parties) : undefined);
    if (excludeLiquidity) conditions.add("c.from_liquidity = 0");
    const where = conditions.where.join(" AND ");
    const sql = `SELECT o.block, o.data FROM ${LIVE_ORDERS} WHERE ${where} ORDER BY c.created DESC, c.id`;
    yield* iterateRows<DataRow>(context, sql, conditions.params, (row) => elementOf(row, orderOf(row.data)));
  },
});

interface TradeFilter {
  readonly markets: readonly string[];
  readonly parties: readonly string[];
}

export const trades = streamKind({
  path: "trades",
  method: "ObserveTrades",
  request: "datanode.api.v2.ObserveTradesRequest",
  response: "datanode.api.v2.ObserveTradesResponse",
  summary: "Follow trades",
  description: "The trades of each block, up to 50 a message. A party is on either side.",
  table: "trades",
  frame: { element: "vega.Trade", member: "trades", isList: true },
  filterOf: (_context, request): TradeFilter => ({
    markets: idsIn(request.marketIds, "market"),
    parties: idsIn(request.partyIds, "party"),
  }),
  reader: () => ({
    read: (context, span) =>
      rowsByOrd(context, "trades", span).map((row) => elementOf(row, tradeOf(context, row.data, row.block))),
  }),
  matches: ({ markets, parties }, value: Trade) =>
    fitsOne(markets, value.marketId) && fitsOne(parties, value.buyer, value.seller),
});

interface PartyAndMarket {
  readonly party?: string | undefined;
  readonly market?: string | undefined;
}

function partyAndMarket(
  context: DataContext,
  request: { readonly partyId?: string; readonly marketId?: string },
  failure: string,
): PartyAndMarket {
  return {
    party: idIn(context, request.partyId, failure),
    market: idIn(context, request.marketId, failure),
  };
}

const fitsBoth = (filter: PartyAndMarket, { partyId, marketId }: { partyId: string; marketId: string }) =>
  fits(filter.party, partyId) && fits(filter.market, marketId);

interface PositionRow {
  readonly block: bigint;
  readonly k0: bigint;
  readonly k1: bigint;
  readonly k2: bigint;
  readonly state: string;
}

const POSITION = "p.block, p.block AS k0, p.party AS k1, p.market AS k2, p.state";

export const positions = streamKind({
  path: "positions",
  method: "ObservePositions",
  request: "datanode.api.v2.ObservePositionsRequest",
  response: "datanode.api.v2.ObservePositionsResponse",
  summary: "Follow positions",
  description: "The positions that match, in pages of 50, then each that a block changed.",
  table: "positions",
  frame: { element: "vega.Position", around: "updates", member: "positions", isList: true },
  filterOf: (context, request): PartyAndMarket =>
    partyAndMarket(context, request, "failed to get positions for party"),
  reader: () => ({
    read(context, { first, last }) {
      const sql = `SELECT ${POSITION} FROM positions p WHERE p.block BETWEEN ? AND ? ORDER BY p.block, p.party, p.market`;
      return context
        .all<PositionRow>(sql, first, last)
        .map((row) => elementOf(row, positionOf(context, { ...row })));
    },
  }),
  matches: (filter, value: Position) => fitsBoth(filter, value),
  *snapshot(context, { party, market }) {
    const conditions = new Conditions();
    if (party !== undefined) conditions.add("c.party = ?", context.ids.position(party));
    if (market !== undefined) conditions.add("c.market = ?", context.ids.position(market));
    const where = conditions.where.length === 0 ? "" : `WHERE ${conditions.where.join(" AND ")}`;
    const sql = `SELECT ${POSITION} FROM positions_current c CROSS JOIN positions p
      ON p.block = c.block AND p.party = c.party AND p.market = c.market ${where}`;
    yield* iterateRows<PositionRow>(context, sql, conditions.params, (row) =>
      elementOf(row, positionOf(context, { ...row })),
    );
  },
});

export const marginLevels = streamKind({
  path: "margin/levels",
  method: "ObserveMarginLevels",
  request: "datanode.api.v2.ObserveMarginLevelsRequest",
  response: "datanode.api.v2.ObserveMarginLevelsResponse",
  summary: "Follow margin levels",
  description: "The last margin levels of each account that a block changed, one a message.",
  table: "margin_levels",
  frame: { element: "vega.MarginLevels", member: "marginLevels", isList: false },
  filterOf: (context, request): PartyAndMarket =>
    partyAndMarket(context, request, "failed to get margin levels"),
  reader: () => ({
    read(context, { first, last }) {
      const sql = "SELECT block, data FROM margin_levels WHERE block BETWEEN ? AND ? ORDER BY block, account";
      const rows = context.all<DataRow>(sql, first, last);
      return rows.map((row) => elementOf(row, marginLevelsOf(context, row.data, row.block)));
    },
  }),
  matches: (filter, value: MarginLevels) => fitsBoth(filter, value),
});

export const liquidityProvisions = streamKind({
  path: "liquidity-provisions",
  method: "ObserveLiquidityProvisions",
  request: "datanode.api.v2.ObserveLiquidityProvisionsRequest",
  response: "datanode.api.v2.ObserveLiquidityProvisionsResponse",
  summary: "Follow liquidity provisions",
  description: "The last state of each provision that a block changed.",
  table: "liquidity_provisions",
  frame: { element: "vega.LiquidityProvision", member: "liquidityProvisions", isList: true },
  filterOf: (context, request): PartyAndMarket =>
    partyAndMarket(context, request, "failed to get liquidity provision"),
  reader: () => ({
    read(context, { first, last }) {
      const sql =
        "SELECT block, data FROM liquidity_provisions WHERE block BETWEEN ? AND ? ORDER BY block, id";
      const rows = context.all<DataRow>(sql, first, last);
      return rows.map((row) => elementOf(row, provisionOf(row.data)));
    },
  }),
  matches: (filter, value: LiquidityProvision) => fitsBoth(filter, value),
});

export interface MarketsFilter {
  readonly markets: readonly string[];
}

/** Markets that there are; none gives nothing. @throws ApiError 500 for an unknown one, as in the original */
export function marketsIn(
  context: DataContext,
  { marketIds: ids = [] }: { readonly marketIds?: readonly string[] },
): MarketsFilter {
  for (const id of ids) {
    if (isMarket(context, id)) continue;
    throw internal(`${UNKNOWN_MARKET}${id.slice(0, 200)}: malformed request`);
  }
  return { markets: [...new Set(ids.map(canonicalIdentifier))].sort() };
}

function isMarket(context: DataContext, id: string): boolean {
  try {
    const ref = context.ids.position(id);
    return context.get("SELECT 1 AS found FROM markets_current WHERE id = ?", ref) !== undefined;
  } catch (error) {
    if (error instanceof InvalidIdentifier) return false;
    throw error;
  }
}

/** The markets of all filters. */
export function marketsOf(filters: Iterable<MarketsFilter>): Set<string> {
  const all = new Set<string>();
  for (const { markets } of filters) for (const id of markets) all.add(id);
  return all;
}

export const marketData = streamKind({
  path: "markets/data",
  method: "ObserveMarketsData",
  request: "datanode.api.v2.ObserveMarketsDataRequest",
  response: "datanode.api.v2.ObserveMarketsDataResponse",
  needs: ["marketIds"],
  summary: "Follow market data",
  description: "Market data of the markets that `marketIds` names, after each block that has some.",
  table: "market_data",
  frame: { element: "vega.MarketData", member: "marketData", isList: true },
  filterOf: marketsIn,
  reader: () => ({
    read(context, { first, firstOrd, last }, filters) {
      const sql = `SELECT block, ord, data FROM market_data WHERE market = ? AND (block, ord) >= (?, ?) AND block <= ?
        ORDER BY block, ord`;
      const rows = [...marketsOf(filters)].flatMap((id) =>
        context.all<DataRow & { ord: bigint }>(sql, context.ids.position(id), first, firstOrd, last),
      );
      rows.sort((a, b) => Number(a.block - b.block) || Number(a.ord - b.ord));
      return rows.map((row) => elementOf(row, marketDataOf(context, row.data, row.block)));
    },
  }),
  matches: ({ markets }, value: MarketData) => markets.includes(value.market),
});
