// Markets, their data, books and candles.
import { ApiError } from "../../../http/errors.ts";
import { AccountType } from "../../../wire/generated/vega.ts";
import { rfc3339Nano } from "../../../wire/time-text.ts";
import { FieldError, wrappedText } from "../errors.ts";
import { READERS, type Resolve } from "../members.ts";
import type { Message } from "../reads.ts";
import { dateRangeOf, timeArgument, timeOf } from "../scalars.ts";
import { as, called, onlyEdge, type Resolvers } from "./fields.ts";
import { orderFilterOf } from "./orders.ts";

/** Intervals of the schema by those of candles. */
const CANDLE_INTERVALS: Readonly<Record<string, string>> = {
  INTERVAL_BLOCK: "block",
  INTERVAL_I1M: "1 minute",
  INTERVAL_I5M: "5 minutes",
  INTERVAL_I15M: "15 minutes",
  INTERVAL_I1H: "1 hour",
  INTERVAL_I6H: "6 hours",
  INTERVAL_I1D: "1 day",
};

/** @throws FieldError for an interval without candles */
export function candleIdOf(intervals: Message, marketId: string, interval: string): string {
  const list = intervals.intervalToCandleId as readonly { interval: string; candleId: string }[];
  const entry = list.find((each) => each.interval === CANDLE_INTERVALS[interval]);
  if (entry) return entry.candleId;
  throw new FieldError(`candle information not found for market: ${marketId}, interval: ${interval}`);
}

function since(text: string): bigint {
  const time = timeOf(timeArgument(text));
  return time ?? 0n;
}

const candlesConnection: Resolve = (market, args, reads) => {
  try {
    const intervals = reads.call("ListCandleIntervals", { marketId: market.id });
    return reads.call("ListCandleData", {
      candleId: candleIdOf(intervals, market.id, args.interval),
      fromTimestamp: since(args.since),
      toTimestamp: args.to ? since(args.to) : 0n,
      // Oldest first, whatever is asked for.
      pagination: { ...args.pagination, newestFirst: false },
    }).candles;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new FieldError(wrappedText(`could not retrieve candles for market ${market.id}`, error));
  }
};

const proposal: Resolve = (market, _, reads) => {
  try {
    return reads.call("GetGovernanceData", { proposalId: market.id }).data;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
};

const { ACCOUNT_TYPE_MARGIN, ACCOUNT_TYPE_INSURANCE, ACCOUNT_TYPE_FEES_LIQUIDITY } = AccountType;

function riskModel(simple: object | undefined, logNormal: object | undefined): object | null {
  if (logNormal) return as("LogNormalRiskModel", logNormal);
  return simple ? as("SimpleRiskModel", simple) : null;
}

/** The original answers a market's without the auction extension (docs/compatibility.md). */
function withoutExtension(parameters: Message | undefined): object {
  return { ...parameters, auctionExtension: 0n };
}

/** Lists that are nullable and yet empty, not null: the original builds them. */
const list =
  (member: string): Resolve =>
  (source, _, reads) =>
    reads.rows(source[member] ?? []);

/** A time that the schema calls text: null before the first one. */
const auctionTime =
  (member: string): Resolve =>
  (data) => {
    const ns = (data[member] ?? 0n) as bigint;
    return ns <= 0n ? null : rfc3339Nano(ns);
  };

const marketData = {
  priceMonitoringBounds: list("priceMonitoringBounds"),
  liquidityProviderFeeShare: list("liquidityProviderFeeShare"),
  auctionStart: auctionTime("auctionStart"),
  auctionEnd: auctionTime("auctionEnd"),
  nextMarkToMarket: ((data) => rfc3339Nano(data.nextMarkToMarket ?? 0n)) as Resolve,
};

export const markets: Resolvers = {
  Query: {
    market: (_, { id }, reads) => READERS.Market!(id, reads),
    marketsConnection(_, { id, ...args }, reads) {
      if (typeof id === "string") return onlyEdge(READERS.Market!(id, reads));
      return reads.call("ListMarkets", args).markets;
    },
    getMarketDataHistoryConnectionByID: called("GetMarketDataHistoryByID", "marketData", (args) => ({
      marketId: args.id,
      startTimestamp: timeOf(args.start, "start"),
      endTimestamp: timeOf(args.end, "end"),
      pagination: args.pagination,
    })),
  },
  Market: {
    accountsConnection: called("ListAccounts", "accounts", ({ partyId, pagination }, market) => ({
      filter: {
        marketIds: [market.id],
        ...(partyId
          ? { partyIds: [partyId], accountTypes: [ACCOUNT_TYPE_MARGIN] }
          : { accountTypes: [ACCOUNT_TYPE_INSURANCE, ACCOUNT_TYPE_FEES_LIQUIDITY] }),
      },
      pagination,
    })),
    candlesConnection,
    data: called("GetLatestMarketData", "marketData", (_, { id }) => ({ marketId: id })),
    depth(market, { maxDepth }, reads) {
      if (typeof maxDepth === "number" && maxDepth <= 0)
        throw new FieldError("invalid maxDepth, must be a positive number");
      return reads.call("GetLatestMarketDepth", { marketId: market.id, maxDepth });
    },
    liquidityProvisionsConnection: called(
      "ListLiquidityProvisions",
      "liquidityProvisions",
      ({ partyId, live, pagination }, market) => ({
        marketId: market.id,
        partyId: partyId ?? "",
        live: live ?? false,
        pagination,
      }),
    ),
    ordersConnection: called("ListOrders", "orders", ({ pagination, filter }, market) => ({
      pagination,
      filter: { ...orderFilterOf(filter), marketIds: [market.id] },
    })),
    proposal,
    riskFactors: called("GetRiskFactors", "riskFactor", (_, { id }) => ({ marketId: id })),
    tradesConnection: called("ListTrades", "trades", ({ dateRange, pagination }, market) => ({
      marketIds: [market.id],
      dateRange: dateRangeOf(dateRange),
      pagination,
    })),
    liquidityMonitoringParameters: (market) => withoutExtension(market.liquidityMonitoringParameters),
    priceMonitoringSettings: (market) => market.priceMonitoringSettings ?? {},
  },
  Instrument: { product: ({ future }) => future && as("Future", future) },
  TradableInstrument: {
    riskModel: ({ simpleRiskModel, logNormalRiskModel }) => riskModel(simpleRiskModel, logNormalRiskModel),
  },
  NewMarket: {
    riskParameters: ({ changes }) =>
      riskModel(changes?.simple && { params: changes.simple }, changes?.logNormal),
  },
  UpdateMarketConfiguration: {
    liquidityMonitoringParameters: (changes) => withoutExtension(changes.liquidityMonitoringParameters),
    riskParameters(changes) {
      if (changes.simple) return as("UpdateMarketSimpleRiskModel", changes);
      return changes.logNormal ? as("UpdateMarketLogNormalRiskModel", changes) : null;
    },
  },
  PriceMonitoringParameters: { triggers: list("triggers") },
  PriceMonitoringTrigger: { probability: ({ probability }) => Number(probability) },
  MarketData: {
    ...marketData,
    commitments({ market }, _, reads) {
      const { liquidityProvisions } = reads.call("ListLiquidityProvisions", { marketId: market });
      const side = (member: string) => ({
        [member]: liquidityProvisions.edges.flatMap(({ node }: { node: Message }) => node[member] ?? []),
      });
      return { ...side("sells"), ...side("buys") };
    },
  },
  MarketDataCommitments: { sells: list("sells"), buys: list("buys") },
  ObservableMarketData: marketData,
  MarketDepth: {
    lastTrade: ({ marketId }, _, reads) => reads.call("GetLastTrade", { marketId }).trade ?? null,
  },
  ObservableMarketDepth: {
    lastTrade: ({ marketId }, _, reads) => reads.call("GetLastTrade", { marketId }).trade,
  },
};
