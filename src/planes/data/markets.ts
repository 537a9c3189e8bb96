// Markets and their data (docs/protocol/10-data-api-endpoints.md#515-markets-and-market-data).

import { fixedText } from "../../history/csv.ts";
import { internal, invalidArgument, notFound } from "../../http/errors.ts";
import { type PageRequest, PaginationError, pageRequest, type Row } from "../../http/pagination.ts";
import {
  emptyAuctionDuration,
  emptyMarketTimestamps,
  emptyPriceMonitoringParameters,
  emptyPriceMonitoringSettings,
  type Market,
  type MarketData,
  readMarketAt,
  readMarketDataAt,
  readRiskFactorAt,
} from "../../wire/generated/vega.ts";
import { canonicalIdentifier, InvalidIdentifier, isHex64 } from "../../wire/identifiers.ts";
import { type DataContext, type Paged, truncatedNs } from "./context.ts";
import { endpoint, get, list, resource } from "./entry.ts";
import { bySyntheticTime } from "./lists.ts";
import { numberText, optionalNumberText } from "./values.ts";

const CURRENT = "markets_current c JOIN markets m ON m.block = c.block AND m.id = c.id";
const STATE_REJECTED = 2;
const STATE_SETTLED = 9;

interface MarketRow extends Row {
  data: Uint8Array;
}

/** The market as the service shows it: what it keeps as numbers without zeros, the parts it always keeps present. */
export function marketOf(data: Uint8Array): Market {
  const market = readMarketAt(data, 0, data.length);
  market.id = canonicalIdentifier(market.id);
  market.openingAuction ??= emptyAuctionDuration();
  market.marketTimestamps ??= emptyMarketTimestamps();
  market.priceMonitoringSettings ??= emptyPriceMonitoringSettings();
  market.priceMonitoringSettings.parameters ??= emptyPriceMonitoringParameters();
  for (const trigger of market.priceMonitoringSettings.parameters.triggers) {
    trigger.probability = numberText(trigger.probability);
  }
  market.lpPriceRange = optionalNumberText(market.lpPriceRange);
  market.linearSlippageFactor = optionalNumberText(market.linearSlippageFactor);
  market.quadraticSlippageFactor = optionalNumberText(market.quadraticSlippageFactor);
  return market;
}

/** Current state of a market, undefined if there is none. @throws InvalidIdentifier */
export function findMarket(context: DataContext, id: string): Market | undefined {
  const sql = `SELECT m.data FROM ${CURRENT} WHERE c.id = ?`;
  const row = context.get<MarketRow>(sql, context.ids.position(id));
  return row && marketOf(row.data);
}

/** A market id as several endpoints want it: 64 hex digits. @throws ApiError 400 */
export function checkMarketId(marketId: string | undefined): string {
  if (!marketId) throw invalidArgument("empty or missing market ID");
  if (!isHex64(marketId)) throw invalidArgument("invalid market ID");
  return marketId;
}

const getMarket = get({
  path: "/api/v2/market/{market_id}",
  request: "datanode.api.v2.GetMarketRequest",
  response: "datanode.api.v2.GetMarketResponse",
  tag: "Markets",
  summary: "Get a market",
  missing: "failed to get market for ID",
  member: "market",
  read(context, request) {
    return findMarket(context, checkMarketId(request.marketId));
  },
});

/** Decimals of a risk factor, as the original's column keeps it. */
const FACTOR_DECIMALS = 16;

function factorText(text: string): string {
  return numberText(fixedText(text, FACTOR_DECIMALS));
}

/** It has no path. */
export const getRiskFactors = resource({
  request: "datanode.api.v2.GetRiskFactorsRequest",
  response: "datanode.api.v2.GetRiskFactorsResponse",
  handle(context, request) {
    const id = checkMarketId(request.marketId);
    const sql = "SELECT data FROM risk_factors WHERE market = ?";
    const row = context.get<MarketRow>(sql, context.ids.position(id));
    if (!row) throw notFound("failed to get risk factor");
    const factor = readRiskFactorAt(row.data, 0, row.data.length);
    return {
      riskFactor: {
        market: canonicalIdentifier(factor.market),
        short: factorText(factor.short),
        long: factorText(factor.long),
      },
    };
  },
});

const listMarkets = list({
  path: "/api/v2/markets",
  request: "datanode.api.v2.ListMarketsRequest",
  response: "datanode.api.v2.ListMarketsResponse",
  tag: "Markets",
  summary: "List markets",
  description:
    "Markets in their current state, by the time of their last update. Rejected ones are left out, settled ones with `includeSettled=false`.",
  failure: "failed to get all markets paged",
  member: "markets",
  rows(context, page, request) {
    const includeSettled = request.includeSettled ?? true;
    const where = [`c.state <> ${STATE_REJECTED}`];
    if (!includeSettled) where.push(`c.state <> ${STATE_SETTLED}`);
    return context.list<MarketRow, Market>({
      query: {
        select: "m.data",
        from: CURRENT,
        where,
        params: [],
        order: [{ sql: "c.block" }, { sql: "c.id" }],
      },
      page,
      key: (cursor) => {
        const block = cursor.block("vegaTime");
        return cursor.has("id") ? [block, cursor.ref("id")] : [block];
      },
      cursor: (row) =>
        JSON.stringify({
          vegaTime: context.cursorTime(row.k0!),
          id: context.ids.text(row.k1 as bigint),
        }),
      node: (row) => marketOf(row.data),
    });
  },
});

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
export function marketDataOf(context: DataContext, data: Uint8Array, block: number | bigint): MarketData {
  const marketData = readMarketDataAt(data, 0, data.length);
  marketData.market = canonicalIdentifier(marketData.market);
  for (const name of NUMBERS) marketData[name] = numberText(marketData[name]);
  marketData.timestamp = context.timeNs(block);
  marketData.nextMarkToMarket = truncatedNs(marketData.nextMarkToMarket);
  marketData.lastTradedPrice = "";
  return marketData;
}

const getLatestMarketData = endpoint({
  path: "/api/v2/market/data/{market_id}/latest",
  request: "datanode.api.v2.GetLatestMarketDataRequest",
  response: "datanode.api.v2.GetLatestMarketDataResponse",
  tag: "Markets",
  summary: "Get the latest market data of a market",
  handle(context, request) {
    const id = request.marketId;
    const sql = "SELECT data, block FROM market_data WHERE market = ? ORDER BY block DESC, ord DESC LIMIT 1";
    const row = context.get<MarketDataRow>(sql, knownPosition(context, id));
    // No market is a failure here, not a missing resource (docs/protocol/10-data-api-streams.md#9-easily-missed, number 25).
    if (!row) throw internal("failed to get market data", `no market data for market: ${id.slice(0, 200)}`);
    return { marketData: marketDataOf(context, row.data, row.block as bigint) };
  },
});

/** Capital letters match nothing here, unlike elsewhere (docs/protocol/10-data-api-endpoints.md#515-markets-and-market-data). */
export function knownPosition(context: DataContext, id: string): number | null {
  if (id !== id.toLowerCase()) return null;
  try {
    return context.ids.position(id);
  } catch (error) {
    if (error instanceof InvalidIdentifier) return null;
    throw error;
  }
}

const listLatestMarketData = endpoint({
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
});

const getMarketDataHistory = endpoint({
  path: "/api/v2/market/data/{market_id}",
  request: "datanode.api.v2.GetMarketDataHistoryByIDRequest",
  response: "datanode.api.v2.GetMarketDataHistoryByIDResponse",
  tag: "Markets",
  summary: "List the market data of a market between two times",
  description:
    "Block times from `startTimestamp` to `endTimestamp`, both inclusive and 0 when not given: without an end there is nothing.",
  handle(context, request) {
    const page = historyPage(context, request);
    const start = request.startTimestamp ?? 0n;
    const end = request.endTimestamp ?? 0n;
    const prefix = "could not retrieve historic market data: ";
    if (end < start)
      throw internal(HISTORY_FAILED, `${prefix}invalid date range, end date must be after start date`);
    return context.query(
      HISTORY_FAILED,
      () => ({ marketData: history(context, request.marketId, page, start, end) }),
      prefix,
    );
  },
});

/** The checked paging controls; here wrong ones are a failure of the list (docs/protocol/10-data-api-serving.md#31-input-handling). */
function historyPage(context: DataContext, { pagination }: Paged): PageRequest {
  try {
    return pageRequest(pagination, context.limits);
  } catch (error) {
    if (error instanceof PaginationError)
      throw internal(HISTORY_FAILED, `${error.message}: invalid pagination`);
    throw error;
  }
}

function history(context: DataContext, marketId: string, page: PageRequest, start: bigint, end: bigint) {
  return context.list<MarketDataRow, MarketData>({
    query: {
      select: "d.data",
      from: "market_data d",
      where: ["d.market = ?", "d.block >= ?", "d.block < ?"],
      params: [
        context.ids.position(marketId),
        context.blocks.firstAtOrAfter(Number(start / 1000n)),
        context.blocks.firstAtOrAfter(Number(end / 1000n) + 1),
      ],
      order: [{ sql: "d.block" }, { sql: "d.ord" }],
    },
    page,
    ...bySyntheticTime(context),
    node: (row) => marketDataOf(context, row.data, row.k0 as bigint),
  });
}

export const marketEndpoints = [
  getMarket,
  listMarkets,
  getLatestMarketData,
  listLatestMarketData,
  getMarketDataHistory,
];
