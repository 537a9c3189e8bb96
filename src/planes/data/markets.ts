// Markets (reference 10, section 5.15).

import type { Endpoint } from "../../http/endpoint.ts";
import { invalidArgument, notFound } from "../../http/errors.ts";
import type { Row } from "../../http/pagination.ts";
import {
  emptyAuctionDuration,
  emptyMarketTimestamps,
  emptyPriceMonitoringParameters,
  emptyPriceMonitoringSettings,
  type Market,
  readMarketAt,
} from "../../wire/generated/vega.ts";
import { canonicalIdentifier, isHex64 } from "../../wire/identifiers.ts";
import type { DataContext } from "./context.ts";
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

/** A market id as several endpoints want it: 64 hex digits. @throws ApiError 400 */
export function checkMarketId(marketId: string | undefined): string {
  if (!marketId) throw invalidArgument("empty or missing market ID");
  if (!isHex64(marketId)) throw invalidArgument("invalid market ID");
  return marketId;
}

const getMarket: Endpoint<DataContext> = {
  path: "/api/v2/market/{market_id}",
  request: "datanode.api.v2.GetMarketRequest",
  response: "datanode.api.v2.GetMarketResponse",
  tag: "Markets",
  summary: "Get a market",
  handle(context, request) {
    const id = checkMarketId(request.marketId as string | undefined);
    const sql = `SELECT m.data FROM ${CURRENT} WHERE c.id = ?`;
    const row = context.get<MarketRow>(sql, context.ids.position(id));
    if (!row) throw notFound("failed to get market for ID");
    return { market: marketOf(row.data) };
  },
};

const listMarkets: Endpoint<DataContext> = {
  path: "/api/v2/markets",
  request: "datanode.api.v2.ListMarketsRequest",
  response: "datanode.api.v2.ListMarketsResponse",
  tag: "Markets",
  summary: "List markets",
  description:
    "Markets in their current state, by the time of their last update. Rejected ones are left out, settled ones with `includeSettled=false`.",
  handle(context, request) {
    const page = context.page(request);
    const includeSettled = (request.includeSettled as boolean | undefined) ?? true;
    return context.query("failed to get all markets paged", () => {
      const where = [`c.state <> ${STATE_REJECTED}`];
      if (!includeSettled) where.push(`c.state <> ${STATE_SETTLED}`);
      const markets = context.list<MarketRow, Market>({
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
      return { markets };
    });
  },
};

export const marketEndpoints = [getMarket, listMarkets];
