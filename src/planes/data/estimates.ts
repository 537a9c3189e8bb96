// Estimates: what a trade would cost, and what margin a position would take, by the engine's own formulas.
import { feesOf } from "../../engine/markets/fees.ts";
import { type MarginLevels, marginLevels } from "../../engine/markets/margins.ts";
import { BUY, SELL } from "../../engine/markets/order.ts";
import { type Terms, termsOfMessage } from "../../engine/markets/terms.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { type ApiError, internal, invalidArgument, notFound } from "../../http/errors.ts";
import { Decimal } from "../../wire/decimal.ts";
import type { OrderInfo } from "../../wire/generated/datanode.ts";
import {
  type Market,
  MarketTradingMode,
  readMarketDataAt,
  readRiskFactorAt,
} from "../../wire/generated/vega.ts";
import { findAsset } from "./assets.ts";
import type { DataContext } from "./context.ts";
import { liquidationPrices, type OrderBeside, signed } from "./liquidation.ts";
import { checkMarketId, marketOf } from "./markets.ts";

const DIGITS = /^\d{1,78}$/;
const AMOUNT = /^-?\d{1,78}(?:\.\d{1,20})?$/;
const LIMIT_ORDER = 1;
const VOLUME_MAX = 1n << 63n;
/** Messages of estimates that fail; the cause stands in `inner`. */
const FEE_FAILED = "failed to estimate fee";
const MARGIN_FAILED = "failed to estimate margin";
const MARKET_FAILED = "failed to get market for ID";

/** A market with what the formulas need of it. */
interface Facts {
  readonly market: Market;
  readonly terms: Terms;
  /** Internal price: the mark price, or what the opening auction indicates; 0 before there is one. */
  readonly price: bigint;
  readonly isAuction: boolean;
}

/** @throws ApiError under the name of what fails without the market */
function factsOf(context: DataContext, id: string, failure: string): Facts {
  const position = context.query(failure, () => context.ids.position(id));
  const row = context.get<{ data: Uint8Array }>(
    "SELECT m.data FROM markets_current c JOIN markets m ON m.block = c.block AND m.id = c.id WHERE c.id = ?",
    position,
  );
  if (row === undefined) throw notFound(failure);
  const market = marketOf(row.data);
  const asset = findAsset(context, market.tradableInstrument!.instrument!.future!.settlementAsset);
  if (asset === undefined) throw notFound("failed to get asset for ID");
  const stated = termsOfMessage(market, Number(asset.details!.decimals));
  const terms = { ...stated, ...riskOf(context, position) };
  const latest = context.get<{ data: Uint8Array }>(
    "SELECT data FROM market_data WHERE market = ? ORDER BY block DESC, ord DESC LIMIT 1",
    position,
  );
  const data = latest && readMarketDataAt(latest.data, 0, latest.data.length);
  const mode = data?.marketTradingMode;
  const isOpening = mode === MarketTradingMode.TRADING_MODE_OPENING_AUCTION;
  const shown = BigInt((isOpening ? data?.indicativePrice : data?.markPrice) || "0");
  const isAuction = isOpening || mode === MarketTradingMode.TRADING_MODE_MONITORING_AUCTION;
  return { market, terms, price: shown * terms.priceFactor, isAuction };
}

/** Risk factors that the network told; it works them out by its own means. */
function riskOf(context: DataContext, market: number): Partial<Terms> {
  const sql = "SELECT data FROM risk_factors WHERE market = ?";
  const row = context.get<{ data: Uint8Array }>(sql, market);
  if (row === undefined) return {};
  const { long, short } = readRiskFactorAt(row.data, 0, row.data.length);
  return { riskLong: Decimal.parse(long), riskShort: Decimal.parse(short) };
}

/** The error of a request whose fault it is told. */
type Refuse = (fault: string) => ApiError;

function priceOf(text: unknown, refuse: Refuse): bigint {
  if (typeof text !== "string" || !DIGITS.test(text)) throw refuse("invalid order price");
  return BigInt(text);
}

function sizeOf(value: unknown, refuse: Refuse): bigint {
  if (typeof value !== "bigint" || value <= 0n || value >= VOLUME_MAX) throw refuse("invalid order size");
  return value;
}

const estimateFee: Endpoint<DataContext> = {
  path: "/api/v2/estimate/fee",
  request: "datanode.api.v2.EstimateFeeRequest",
  response: "datanode.api.v2.EstimateFeeResponse",
  tag: "Markets",
  summary: "Estimate the fee of a trade",
  description: "Fees that the party pays whose order comes second, in the settlement asset's smallest units.",
  handle(context, request) {
    const id = checkMarketId(request.marketId as string | undefined);
    if (!request.price) throw invalidArgument("missing price");
    const refuse: Refuse = (fault) => invalidArgument(FEE_FAILED, fault);
    const { terms } = factsOf(context, id, FEE_FAILED);
    const price = priceOf(request.price, refuse) * terms.priceFactor;
    if (price === 0n) throw refuse("invalid order price");
    const { maker, infrastructure, liquidity } = feesOf(terms, price, sizeOf(request.size, refuse));
    return {
      fee: {
        makerFee: maker.toString(),
        infrastructureFee: infrastructure.toString(),
        liquidityFee: liquidity.toString(),
      },
    };
  },
};

const estimateMargin: Endpoint<DataContext> = {
  path: "/api/v2/estimate/margin",
  request: "datanode.api.v2.EstimateMarginRequest",
  response: "datanode.api.v2.EstimateMarginResponse",
  tag: "Markets",
  summary: "Estimate the margin of an order",
  description:
    "Margin levels of a party that has no position and no other orders in the market. Only a limit order has a price of its own.",
  handle(context, request) {
    const refuse: Refuse = (fault) => invalidArgument(MARGIN_FAILED, fault);
    if (request.side !== BUY && request.side !== SELL) throw refuse("invalid order side");
    const facts = factsOf(context, (request.marketId as string | undefined) ?? "", MARGIN_FAILED);
    const { terms } = facts;
    const isLimitOrder = request.type === LIMIT_ORDER;
    const own = isLimitOrder ? priceOf(request.price, refuse) * terms.priceFactor : facts.price;
    if (own === 0n) throw refuse("invalid order price");
    const size = sizeOf(request.size, refuse);
    const isBuy = request.side === BUY;
    const position = {
      size: 0n,
      buy: isBuy ? size : 0n,
      sell: isBuy ? 0n : size,
      buySum: isBuy ? size * own : 0n,
      sellSum: isBuy ? 0n : size * own,
    };
    const levels = marginLevels(position, {
      terms,
      boundsSlippage: true,
      price: facts.price || own,
      isAuction: facts.isAuction,
      exitPrice: () => undefined,
    });
    const partyId = (request.partyId as string | undefined) ?? "";
    return { marginLevels: levelsMessage(facts, levels, partyId) };
  },
};

/** Levels of no block: they have no time. */
function levelsMessage({ market, terms }: Facts, levels: MarginLevels, partyId: string) {
  return {
    maintenanceMargin: levels.maintenance.toString(),
    searchLevel: levels.search.toString(),
    initialMargin: levels.initial.toString(),
    collateralReleaseLevel: levels.release.toString(),
    partyId,
    marketId: market.id,
    asset: terms.asset,
    timestamp: 0n,
  };
}

const ORDERS_MAX = 1_000;

/** Orders beside a position; REST's query cannot say any. @throws ApiError */
function ordersOf(value: unknown, priceFactor: bigint): OrderBeside[] {
  const orders = (value as readonly Partial<OrderInfo>[] | undefined) ?? [];
  if (orders.length > ORDERS_MAX) throw invalidArgument(`at most ${ORDERS_MAX} orders`);
  return orders.map(({ side, price, remaining, isMarketOrder = false }) => {
    if (side !== BUY && side !== SELL) throw invalidArgument("invalid order side");
    const own = isMarketOrder ? 0n : priceOf(price, invalidArgument) * priceFactor;
    return { side, price: own, remaining: sizeOf(remaining, invalidArgument), isMarketOrder };
  });
}

function potentialOf(orders: readonly OrderBeside[]) {
  const volume = (side: number) =>
    orders.reduce((sum, order) => (order.side === side ? sum + order.remaining : sum), 0n);
  const value = (side: number) =>
    orders.reduce((sum, order) => (order.side === side ? sum + order.price * order.remaining : sum), 0n);
  return { buy: volume(BUY), sell: volume(SELL), buySum: value(BUY), sellSum: value(SELL) };
}

/** Markets of an older network have no slippage factors. @throws ApiError 500 with the original's text */
function checkFactors({ linearSlippageFactor, quadraticSlippageFactor }: Market): void {
  if (linearSlippageFactor === "") throw internal("can't parse linear slippage factor: ");
  if (quadraticSlippageFactor === "") throw internal("can't parse quadratic slippage factor: ");
}

const estimatePosition: Endpoint<DataContext> = {
  path: "/api/v2/estimate/position",
  request: "datanode.api.v2.EstimatePositionRequest",
  response: "datanode.api.v2.EstimatePositionResponse",
  tag: "Markets",
  summary: "Estimate the margin of a position, and where it would be closed out",
  description:
    "The best case closes without slippage, the worst with the most that the market's factors ask for. With `collateralAvailable` also the price at which that no longer covers the maintenance margin, in the market's price units; empty where no price does. Orders count towards the margin; the liquidation prices that include buy or sell orders let these fill one after the other, the nearest first, as long as the position stands. A query cannot say orders: they are for gRPC.",
  handle(context, request) {
    const id = request.marketId as string | undefined;
    if (!id) throw invalidArgument("empty or missing market ID");
    const size = (request.openVolume as bigint | undefined) ?? 0n;
    const collateral = request.collateralAvailable as string | undefined;
    if (collateral && !AMOUNT.test(collateral)) throw invalidArgument("invalid collateral amount");
    const facts = factsOf(context, id, MARKET_FAILED);
    checkFactors(facts.market);
    const { terms, price, isAuction } = facts;
    const orders = ordersOf(request.orders, terms.priceFactor);
    // Market orders are taken as filled at the price of the moment.
    const filled = orders.filter(({ isMarketOrder }) => isMarketOrder);
    const volume = filled.reduce((sum, order) => sum + signed(order), size);
    const position = { size: volume, ...potentialOf(orders.filter((order) => !order.isMarketOrder)) };
    const levels = (of: Terms) => {
      const view = { terms: of, boundsSlippage: true, price, isAuction, exitPrice: () => undefined };
      return levelsMessage(facts, marginLevels(position, view), "");
    };
    const withoutSlippage = { ...terms, linear: Decimal.zero, quadratic: Decimal.zero };
    const margin = { worstCase: levels(terms), bestCase: levels(withoutSlippage) };
    if (!collateral) return { margin };
    const at = (hasSlippage: boolean) =>
      liquidationPrices({ terms, price, hasSlippage }, size, Decimal.parse(collateral), orders);
    return { margin, liquidation: { worstCase: at(true), bestCase: at(false) } };
  },
};

export const estimateEndpoints: readonly Endpoint<DataContext>[] = [
  estimateFee,
  estimateMargin,
  estimatePosition,
];
