// Rows of market data, liquidity provisions and markets
// (docs/protocol/20-network-history-tables.md#34-columns-per-table, tables 7, 10, 11). Their jsonb columns have two
// dialects: names in snake_case with enums as numbers, and proto-JSON
// (docs/protocol/20-network-history-tables.md#33-value-rules-shared-by-all-tables).
import {
  type LiquidityOrderReference,
  type LiquidityProviderFeeShare,
  type Market,
  type MarketData,
  type PriceMonitoringBounds,
  readLiquidityProvisionAt,
  readMarketAt,
  readMarketDataAt,
} from "../../wire/generated/vega.ts";
import { toPlain } from "../../wire/json.ts";
import {
  amount,
  decimal,
  declared,
  idOf,
  json,
  labelOf,
  nullable,
  price,
  size,
  time,
  whole,
  words,
} from "../columns.ts";
import {
  fixedText,
  identifier,
  type JsonValue,
  jsonbText,
  NULL,
  numericText,
  text,
  timestamp,
  timestampNs,
  wholeText,
} from "../csv.ts";
import {
  type BlockFacts,
  type DataRow,
  type EventRow,
  type ExportTable,
  labels,
  linesByTime,
  type RowSource,
  sequence,
} from "./source.ts";

const tradingMode = labels("vega.Market.TradingMode");
const marketState = labels("vega.Market.State");
const auctionTrigger = labels("vega.AuctionTrigger");
const provisionStatus = labels("vega.LiquidityProvision.Status");

/** `numeric(1000,16)`, column `fee`. */
const FEE_SCALE = 16;

/**
 * Market data is clustered by market. There is a seek for each market and slice of blocks: the recursion skips from market to
 * market.
 */
const MARKET_DATA_WINDOW = `
  WITH RECURSIVE seen(market) AS (
    SELECT min(market) FROM market_data
    UNION ALL SELECT (SELECT min(d.market) FROM market_data d WHERE d.market > seen.market) FROM seen WHERE seen.market IS NOT NULL)
  SELECT d.block, d.ord, d.tx, d.data FROM seen CROSS JOIN market_data d
    ON d.market = seen.market AND d.block BETWEEN ? AND ? ORDER BY d.block, d.ord`;

export const marketData: ExportTable = {
  name: "market_data",
  ...declared({
    synthetic_time: time("`vega_time` and `seq_num` microseconds"),
    tx_hash: idOf("transaction"),
    vega_time: time(),
    seq_num: whole(),
    market: idOf("market"),
    mark_price: price(),
    best_bid_price: price(),
    best_bid_volume: size(),
    best_offer_price: price(),
    best_offer_volume: size(),
    best_static_bid_price: price(),
    best_static_bid_volume: size(),
    best_static_offer_price: price(),
    best_static_offer_volume: size(),
    mid_price: price(),
    static_mid_price: price(),
    open_interest: size(),
    auction_end: whole("Unix nanoseconds; 0 outside of auctions"),
    auction_start: whole("Unix nanoseconds; 0 outside of auctions"),
    indicative_price: price(),
    indicative_volume: size(),
    market_trading_mode: labelOf("vega.Market.TradingMode"),
    auction_trigger: labelOf("vega.AuctionTrigger"),
    extension_trigger: labelOf("vega.AuctionTrigger"),
    target_stake: amount(),
    supplied_stake: amount(),
    price_monitoring_bounds: json("list, or `null`"),
    market_value_proxy: words("an amount as text, with decimals"),
    liquidity_provider_fee_shares: json("list, or `null`"),
    market_state: labelOf("vega.Market.State"),
    next_mark_to_market: time("1754 before the first one"),
  }),
  lines: linesByTime(MARKET_DATA_WINDOW, (row: EventRow, block, source) => {
    const seq = sequence(row.ord);
    const timeUs = block.timeUs + seq;
    const m = readMarketDataAt(row.data, 0, row.data.length);
    const origin = `${timestamp(timeUs)},${source.tx(row.tx, block)},${block.time},${seq}`;
    return [timeUs, `${origin},${marketDataColumns(m)}\n`];
  }),
};

function marketDataColumns(m: MarketData): string {
  const best = `${wholeText(m.bestBidPrice)},${m.bestBidVolume},${wholeText(m.bestOfferPrice)},${m.bestOfferVolume}`;
  const fixed = `${wholeText(m.bestStaticBidPrice)},${m.bestStaticBidVolume},${wholeText(m.bestStaticOfferPrice)},${m.bestStaticOfferVolume}`;
  const prices = `${wholeText(m.markPrice)},${best},${fixed},${wholeText(m.midPrice)},${wholeText(m.staticMidPrice)}`;
  const auction = `${m.auctionEnd},${m.auctionStart},${wholeText(m.indicativePrice)},${m.indicativeVolume}`;
  const triggers = `${auctionTrigger(m.trigger)},${auctionTrigger(m.extensionTrigger)}`;
  const mode = `${tradingMode(m.marketTradingMode)},${triggers}`;
  const stake = `${wholeText(m.targetStake)},${wholeText(m.suppliedStake)}`;
  const bounds = listOrNull(m.priceMonitoringBounds, boundsJson);
  const shares = listOrNull(m.liquidityProviderFeeShare, feeShareJson);
  const state = `${marketState(m.marketState)},${timestampNs(m.nextMarkToMarket)}`;
  return `${identifier(m.market)},${prices},${m.openInterest},${auction},${mode},${stake},${bounds},${text(m.marketValueProxy)},${shares},${state}`;
}

/** A jsonb column: an absent list is jsonb's null, not SQL's. */
function listOrNull<T>(list: readonly T[], form: (item: T) => JsonValue): string {
  return list.length === 0 ? "null" : text(jsonbText(list.map(form)));
}

function boundsJson(m: PriceMonitoringBounds): JsonValue {
  return {
    min_valid_price: nonZero(m.minValidPrice),
    max_valid_price: nonZero(m.maxValidPrice),
    trigger: m.trigger && {
      horizon: nonZero(m.trigger.horizon),
      probability: nonZero(m.trigger.probability),
      auction_extension: nonZero(m.trigger.auctionExtension),
    },
    reference_price: nonZero(m.referencePrice),
  };
}

function feeShareJson(m: LiquidityProviderFeeShare): JsonValue {
  return {
    party: nonZero(m.party),
    equity_like_share: nonZero(m.equityLikeShare),
    average_entry_valuation: nonZero(m.averageEntryValuation),
    average_score: nonZero(m.averageScore),
  };
}

export const liquidityProvisions: ExportTable = {
  name: "liquidity_provisions",
  ...declared({
    id: idOf("provision"),
    party_id: idOf("party"),
    created_at: time(),
    updated_at: time(),
    market_id: idOf("market"),
    commitment_amount: amount(),
    fee: decimal("a factor with 16 decimals"),
    sells: json("orders with their references"),
    buys: json("orders with their references"),
    version: whole(),
    status: labelOf("vega.LiquidityProvision.Status"),
    reference: words(),
    tx_hash: idOf("transaction"),
    vega_time: time(),
  }),
  *lines(source, { first, last }) {
    const sql =
      "SELECT block, tx, data FROM liquidity_provisions WHERE block BETWEEN ? AND ? ORDER BY id, block";
    for (const row of source.walk<DataRow>(sql, first, last)) {
      const block = source.block(row.block);
      const m = readLiquidityProvisionAt(row.data, 0, row.data.length);
      const times = `${timestampNs(m.createdAt)},${timestampNs(m.updatedAt)}`;
      const money = `${wholeText(m.commitmentAmount)},${fixedText(m.fee, FEE_SCALE)}`;
      const shapes = `${text(jsonbText(m.sells.map(shapeJson)))},${text(jsonbText(m.buys.map(shapeJson)))}`;
      const state = `${m.version},${provisionStatus(m.status)},${text(m.reference)}`;
      const origin = `${source.tx(row.tx, block)},${block.time}`;
      yield `${identifier(m.id)},${identifier(m.partyId)},${times},${identifier(m.marketId)},${money},${shapes},${state},${origin}\n`;
    }
  },
};

function shapeJson(m: LiquidityOrderReference): JsonValue {
  return {
    order_id: nonZero(m.orderId),
    liquidity_order: m.liquidityOrder && {
      reference: nonZero(m.liquidityOrder.reference),
      proportion: nonZero(m.liquidityOrder.proportion),
      offset: nonZero(m.liquidityOrder.offset),
    },
  };
}

export const markets: ExportTable = {
  name: "markets",
  ...declared({
    id: idOf("market"),
    tx_hash: idOf("transaction"),
    vega_time: time(),
    instrument_id: words("mostly empty"),
    tradable_instrument: json("instrument, margin factors, risk model"),
    decimal_places: whole("of prices"),
    fees: json(),
    opening_auction: json(),
    price_monitoring_settings: json(),
    liquidity_monitoring_parameters: json(),
    trading_mode: labelOf("vega.Market.TradingMode"),
    state: labelOf("vega.Market.State"),
    market_timestamps: json("Unix nanoseconds as numbers: beyond the exact range of a double"),
    position_decimal_places: whole("of sizes"),
    lp_price_range: words("a decimal"),
    quadratic_slippage_factor: nullable(decimal()),
    linear_slippage_factor: nullable(decimal()),
  }),
  *lines(source, { first, last }) {
    const sql = `SELECT m.block, m.tx, m.data FROM markets m JOIN ids i ON i.ref = m.id
      WHERE m.block BETWEEN ? AND ? ORDER BY i.bytes, m.block`;
    for (const row of source.walk<DataRow>(sql, first, last)) {
      const block = source.block(row.block);
      yield marketLine(source, row, block, readMarketAt(row.data, 0, row.data.length));
    }
  },
};

function marketLine(source: RowSource, row: DataRow, block: BlockFacts, m: Market): string {
  const instrument = (m.tradableInstrument && toPlain("vega.TradableInstrument", m.tradableInstrument)) ?? {};
  const json = (value: JsonValue) => text(jsonbText(value));
  const settings = [feesJson(m), auctionJson(m), priceMonitoringJson(m), liquidityMonitoringJson(m)].map(
    json,
  );
  return `${[
    identifier(m.id),
    source.tx(row.tx, block),
    block.time,
    text(m.tradableInstrument?.instrument?.id ?? ""),
    json(instrument as JsonValue),
    m.decimalPlaces,
    ...settings,
    tradingMode(m.tradingMode),
    marketState(m.state),
    json(timestampsJson(m)),
    m.positionDecimalPlaces,
    text(m.lpPriceRange),
    m.quadraticSlippageFactor === "" ? NULL : numericText(m.quadraticSlippageFactor),
    m.linearSlippageFactor === "" ? NULL : numericText(m.linearSlippageFactor),
  ].join(",")}\n`;
}

function feesJson({ fees }: Market): JsonValue {
  const factors = fees?.factors;
  return {
    factors: factors && {
      makerFee: nonZero(factors.makerFee),
      infrastructureFee: nonZero(factors.infrastructureFee),
      liquidityFee: nonZero(factors.liquidityFee),
    },
  };
}

function auctionJson({ openingAuction }: Market): JsonValue {
  return { duration: nonZero(openingAuction?.duration), volume: nonZero(openingAuction?.volume) };
}

/** Triggers keep zero members; the probability is a decimal without trailing zeros. */
function priceMonitoringJson({ priceMonitoringSettings }: Market): JsonValue {
  const parameters = priceMonitoringSettings?.parameters;
  if (!parameters) return {};
  const triggers = parameters.triggers.map((m) => ({
    horizon: m.horizon,
    probability: numericText(m.probability),
    auctionExtension: m.auctionExtension,
  }));
  return { priceMonitoringParameters: triggers.length === 0 ? {} : { triggers } };
}

function liquidityMonitoringJson({ liquidityMonitoringParameters: m }: Market): JsonValue {
  const target = m?.targetStakeParameters;
  return {
    targetStakeParameters: target && {
      timeWindow: nonZero(target.timeWindow),
      scalingFactor: nonZero(target.scalingFactor),
    },
    triggeringRatio: nonZero(m?.triggeringRatio),
    auctionExtension: nonZero(m?.auctionExtension),
  };
}

function timestampsJson({ marketTimestamps: m }: Market): JsonValue {
  return {
    proposed: nonZero(m?.proposed),
    pending: nonZero(m?.pending),
    open: nonZero(m?.open),
    close: nonZero(m?.close),
  };
}

/** Zero values are omitted. */
function nonZero<T extends string | number | bigint>(value: T | undefined): T | undefined {
  return value === undefined || value === "" || value === 0 || value === 0n ? undefined : value;
}
