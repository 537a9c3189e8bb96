// Market data: one message a market and block (reference 10, section 5.15).

import type { Endpoint } from "../../http/endpoint.ts";
import { internal } from "../../http/errors.ts";
import { type PageRequest, PaginationError, pageRequest, type Row } from "../../http/pagination.ts";
import type { RequestFields } from "../../http/query.ts";
import { type MarketData, readMarketDataAt } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, InvalidIdentifier } from "../../wire/identifiers.ts";
import { type DataContext, truncatedNs } from "./context.ts";
import { syntheticCursor, syntheticCursorPlace } from "./synthetic-time.ts";
import { numberText } from "./values.ts";

const NUMBERS = [
  "markPrice",
  "bestBidPrice",
  "bestOfferPrice",
  "bestStaticBidPrice",
  "bestStaticOfferPrice",
  "midPrice",
  "staticMidPrice",
  "indicativePrice",
  "targetStake",
  "suppliedStake",
] as const;
const HISTORY_FAILED = "failed to get market data history";

interface MarketDataRow extends Row {
  data: Uint8Array;
}

/** Market data as the service shows it: at block time, and without the last traded price, which it does not keep. */
function marketDataOf(context: DataContext, data: Uint8Array, block: number | bigint): MarketData {
  const marketData = readMarketDataAt(data, 0, data.length);
  marketData.market = canonicalIdentifier(marketData.market);
  for (const name of NUMBERS) marketData[name] = numberText(marketData[name]);
  marketData.timestamp = context.timeNs(block);
  marketData.nextMarkToMarket = truncatedNs(marketData.nextMarkToMarket);
  marketData.lastTradedPrice = "";
  return marketData;
}

const getLatestMarketData: Endpoint<DataContext> = {
  path: "/api/v2/market/data/{market_id}/latest",
  request: "datanode.api.v2.GetLatestMarketDataRequest",
  response: "datanode.api.v2.GetLatestMarketDataResponse",
  tag: "Markets",
  summary: "Get the latest market data of a market",
  handle(context, request) {
    const id = request.marketId as string;
    const sql = "SELECT data, block FROM market_data WHERE market = ? ORDER BY block DESC, ord DESC LIMIT 1";
    const row = context.get<MarketDataRow>(sql, knownPosition(context, id));
    // No market is a failure here, not a missing resource (reference 10, section 9, number 25).
    if (!row) throw internal("failed to get market data", `no market data for market: ${id.slice(0, 200)}`);
    return { marketData: marketDataOf(context, row.data, row.block as bigint) };
  },
};

function knownPosition(context: DataContext, id: string): number | null {
  try {
    return context.ids.position(id);
  } catch (error) {
    if (error instanceof InvalidIdentifier) return null;
    throw error;
  }
}

const listLatestMarketData: Endpoint<DataContext> = {
  path: "/api/v2/markets/data",
  request: "datanode.api.v2.ListLatestMarketDataRequest",
  response: "datanode.api.v2.ListLatestMarketDataResponse",
  tag: "Markets",
  summary: "List the latest market data of every market",
  description: "By market id, without paging.",
  handle(context) {
    const latest =
      "SELECT block, ord FROM market_data n WHERE n.market = c.id ORDER BY block DESC, ord DESC LIMIT 1";
    const rows = context.all<MarketDataRow>(
      `SELECT d.data, d.block FROM markets_current c JOIN market_data d
        ON d.market = c.id AND (d.block, d.ord) = (${latest}) ORDER BY c.id LIMIT ?`,
      context.limits.pageRowsMax,
    );
    return { marketsData: rows.map((row) => marketDataOf(context, row.data, row.block as bigint)) };
  },
};

const getMarketDataHistory: Endpoint<DataContext> = {
  path: "/api/v2/market/data/{market_id}",
  request: "datanode.api.v2.GetMarketDataHistoryByIDRequest",
  response: "datanode.api.v2.GetMarketDataHistoryByIDResponse",
  tag: "Markets",
  summary: "List the market data of a market between two times",
  description:
    "Block times from `startTimestamp` to `endTimestamp`, both inclusive and 0 when not given: without an end there is nothing.",
  handle(context, request) {
    const page = historyPage(context, request);
    const start = (request.startTimestamp as bigint | undefined) ?? 0n;
    const end = (request.endTimestamp as bigint | undefined) ?? 0n;
    const prefix = "could not retrieve historic market data: ";
    if (end < start)
      throw internal(HISTORY_FAILED, `${prefix}invalid date range, end date must be after start date`);
    return context.query(
      HISTORY_FAILED,
      () => ({ marketData: history(context, request, page, start, end) }),
      prefix,
    );
  },
};

/** The checked paging controls; here wrong ones are a failure of the list (reference 10, section 3.1). */
function historyPage(context: DataContext, request: RequestFields): PageRequest {
  try {
    return pageRequest(request.pagination as RequestFields | undefined, context.limits);
  } catch (error) {
    if (error instanceof PaginationError)
      throw internal(HISTORY_FAILED, `${error.message}: invalid pagination`);
    throw error;
  }
}

function history(
  context: DataContext,
  request: RequestFields,
  page: PageRequest,
  start: bigint,
  end: bigint,
) {
  return context.list<MarketDataRow, MarketData>({
    query: {
      select: "d.data",
      from: "market_data d",
      where: ["d.market = ?", "d.block >= ?", "d.block < ?"],
      params: [
        context.ids.position(request.marketId as string),
        context.blocks.firstAtOrAfter(Number(start / 1000n)),
        context.blocks.firstAtOrAfter(Number(end / 1000n) + 1),
      ],
      order: [{ sql: "d.block" }, { sql: "d.ord" }],
    },
    page,
    key: (cursor) =>
      syntheticCursorPlace(
        context,
        cursor.timeUs("synthetic_time"),
        cursor.has("ord") ? cursor.number("ord") : undefined,
      ),
    cursor: (row) => JSON.stringify(syntheticCursor(context, row.k0 as bigint, row.k1 as bigint)),
    node: (row) => marketDataOf(context, row.data, row.k0 as bigint),
  });
}

export const marketDataEndpoints = [getLatestMarketData, listLatestMarketData, getMarketDataHistory];
