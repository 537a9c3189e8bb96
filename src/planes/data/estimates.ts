// Estimates: what a trade would cost, and what margin a position would take. Margins are the original's estimates, which are
// rounded once, each level by itself; the engine rounds a maintenance margin up, and works the others out from it.
import { feesOf } from "../../engine/markets/fees.ts";
import { BUY, SELL } from "../../engine/markets/stored-order.ts";
import { type Terms, termsOfMessage } from "../../engine/markets/terms.ts";
import { Grpc } from "../../errors/statuses.ts";
import type { Endpoint, Sent } from "../../http/endpoint.ts";
import { ApiError, internal, invalidArgument, notFound } from "../../http/errors.ts";
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
import { endpoint } from "./entry.ts";
import {
  type LiquidationPrices,
  liquidationPrices,
  maintenanceMargin,
  type OrderBeside,
  type Surroundings,
} from "./liquidation.ts";
import { checkMarketId, marketOf } from "./markets.ts";

const DIGITS = /^\d{1,78}$/;
/** Bounds of a decimal with an exponent: far above amounts of 256 bits. */
const NUMBER_CHARACTERS_MAX = 120;
const EXPONENT_MAX = 100;
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
  /** In the asset's units: the mark price, or what the opening auction indicates; 0 before there is one. */
  readonly price: Decimal;
  /** Likewise, always the mark price. */
  readonly markPrice: Decimal;
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
  const isAuction = (data?.auctionEnd ?? 0n) > 0n;
  const isOpening = data?.marketTradingMode === MarketTradingMode.TRADING_MODE_OPENING_AUCTION;
  const scaled = (text: string | undefined) => Decimal.of(BigInt(text || "0") * terms.priceFactor);
  const markPrice = scaled(data?.markPrice);
  const price = isAuction && isOpening ? scaled(data?.indicativePrice) : markPrice;
  return { market, terms, price, markPrice, isAuction };
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

/** As the original reads decimals: `5`, `.5`, `1e-3`. @returns undefined for another text */
function decimalOf(text = ""): Decimal | undefined {
  if (text === "" || text.length > NUMBER_CHARACTERS_MAX) return undefined;
  const exponent = /[eE]([+-]?\d+)$/.exec(text)?.[1] ?? "0";
  if (Math.abs(Number(exponent)) > EXPONENT_MAX) return undefined;
  try {
    return Decimal.parseNumber(text);
  } catch {
    return undefined;
  }
}

function priceOf(text = "", refuse: Refuse): bigint {
  if (!DIGITS.test(text)) throw refuse("invalid order price");
  return BigInt(text);
}

function sizeOf(value = 0n, refuse: Refuse): bigint {
  if (value <= 0n || value >= VOLUME_MAX) throw refuse("invalid order size");
  return value;
}

const estimateFee = endpoint({
  path: "/api/v2/estimate/fee",
  request: "datanode.api.v2.EstimateFeeRequest",
  response: "datanode.api.v2.EstimateFeeResponse",
  tag: "Markets",
  summary: "Estimate the fee of a trade",
  description: "Fees that the party pays whose order comes second, in the settlement asset's smallest units.",
  handle(context, request) {
    const id = checkMarketId(request.marketId);
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
});

const estimateMargin = endpoint({
  path: "/api/v2/estimate/margin",
  request: "datanode.api.v2.EstimateMarginRequest",
  response: "datanode.api.v2.EstimateMarginResponse",
  tag: "Markets",
  summary: "Estimate the margin of an order",
  description:
    "Margin levels of a party that has no position and no other orders in the market, by the price of a limit order, and by the mark price for any other.",
  handle(context, request) {
    const refuse: Refuse = (fault) => invalidArgument(MARGIN_FAILED, fault);
    if (request.side !== BUY && request.side !== SELL) throw refuse("invalid order side");
    const facts = factsOf(context, request.marketId ?? "", MARGIN_FAILED);
    const { terms, markPrice } = facts;
    const isLimitOrder = request.type === LIMIT_ORDER;
    // Whole units of the market: what a price has beside them does not count.
    const price = isLimitOrder ? decimalOf(request.price)?.truncated() : undefined;
    if (isLimitOrder && (price === undefined || price <= 0n)) throw refuse("invalid order price");
    const own = price === undefined ? markPrice : Decimal.of(price * terms.priceFactor);
    if (own.isZero()) throw refuse("invalid order price");
    const size = Decimal.shifted(sizeOf(request.size, refuse), terms.positionDecimals);
    const risk = request.side === BUY ? terms.riskLong : terms.riskShort;
    const partyId = request.partyId ?? "";
    return { marginLevels: levelsMessage(facts, size.times(risk).times(own), partyId) };
  },
});

/** Each level is rounded by itself. They are of no block, and have no time. */
function levelsMessage({ market, terms }: Facts, maintenance: Decimal, partyId: string) {
  const { scalingFactors } = market.tradableInstrument?.marginCalculator ?? {};
  const level = (factor = 0) =>
    maintenance
      .times(Decimal.parseNumber(String(factor)))
      .rounded()
      .toString();
  return {
    maintenanceMargin: level(1),
    searchLevel: level(scalingFactors?.searchLevel),
    initialMargin: level(scalingFactors?.initialMargin),
    collateralReleaseLevel: level(scalingFactors?.collateralRelease),
    partyId,
    marketId: market.id,
    asset: terms.asset,
    timestamp: 0n,
  };
}

const ORDERS_MAX = 1_000;

/** Orders beside a position; REST's query cannot say any. An order of no side does not count. @throws ApiError */
function ordersOf(orders: readonly Sent<OrderInfo>[] = [], priceFactor: bigint): OrderBeside[] {
  if (orders.length > ORDERS_MAX) throw invalidArgument(`at most ${ORDERS_MAX} orders`);
  return orders.map(({ side = 0, price, remaining = 0n, isMarketOrder = false }) => {
    const own = isMarketOrder && !price ? Decimal.zero : decimalOf(price);
    if (own === undefined) throw invalidArgument("invalid order price");
    if (remaining >= VOLUME_MAX) throw invalidArgument("invalid order size");
    return { side, price: own.times(Decimal.of(priceFactor)), remaining, isMarketOrder };
  });
}

/** Markets of an older network have no slippage factors. @throws ApiError 500 with the original's text */
function checkFactors({ linearSlippageFactor, quadraticSlippageFactor }: Market): void {
  if (linearSlippageFactor === "") throw internal("can't parse linear slippage factor: ");
  if (quadraticSlippageFactor === "") throw internal("can't parse quadratic slippage factor: ");
}

const estimatePosition = endpoint({
  path: "/api/v2/estimate/position",
  request: "datanode.api.v2.EstimatePositionRequest",
  response: "datanode.api.v2.EstimatePositionResponse",
  tag: "Markets",
  summary: "Estimate the margin of a position, and where it would be closed out",
  description:
    "The best case closes without slippage, the worst with the most that the market's factors ask for. With `collateralAvailable` also the price at which that no longer covers the maintenance margin, in the settlement asset's units and with decimals; 0 where no price does. Orders count towards the margin; the liquidation prices that include buy or sell orders let these fill one after the other, the nearest first, as long as the position stands. A query cannot say orders: they are for gRPC.",
  handle(context, request) {
    const id = request.marketId;
    if (!id) throw invalidArgument("empty or missing market ID");
    const size = request.openVolume ?? 0n;
    const collateral = request.collateralAvailable;
    const available = collateral ? decimalOf(collateral) : Decimal.zero;
    if (available === undefined) throw invalidArgument("invalid collateral amount");
    const facts = factsOf(context, id, MARKET_FAILED);
    const { terms, price, isAuction } = facts;
    const orders = ordersOf(request.orders, terms.priceFactor);
    checkFactors(facts.market);
    const worst: Surroundings = { terms, price };
    const best: Surroundings = { terms: { ...terms, linear: Decimal.zero, quadratic: Decimal.zero }, price };
    const levels = (surroundings: Surroundings) =>
      levelsMessage(facts, maintenanceMargin(surroundings, isAuction, size, orders), "");
    const margin = { worstCase: levels(worst), bestCase: levels(best) };
    if (!collateral) return { margin };
    const prices = (surroundings: Surroundings) =>
      pricesMessage(liquidationPrices(surroundings, size, available, orders));
    return { margin, liquidation: { bestCase: prices(best), worstCase: prices(worst) } };
  },
});

/** @throws ApiError 500 with the original's text where a price is not defined */
function pricesMessage(prices: LiquidationPrices | undefined) {
  if (prices === undefined) throw new ApiError(Grpc.unknown, "liquidation price not defined");
  const { openVolumeOnly, includingBuyOrders, includingSellOrders } = prices;
  return {
    openVolumeOnly: openVolumeOnly.toString(),
    includingBuyOrders: includingBuyOrders.toString(),
    includingSellOrders: includingSellOrders.toString(),
  };
}

export const estimateEndpoints: readonly Endpoint<DataContext>[] = [
  estimateFee,
  estimateMargin,
  estimatePosition,
];
