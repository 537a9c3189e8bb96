// Columns that come out of one message alone (docs/protocol/20-network-history-tables.md#34-columns-per-table;
// docs/protocol/70-trading-events.md#94-table-rules).
import {
  type Any,
  bytea,
  jsonb,
  label,
  numeric,
  protoJson,
  scaled16,
  struct,
  text,
  timeNs,
  whole,
} from "./texts.ts";

export function tradeCells(m: Any): unknown[] {
  const fees = [m.buyerFee, m.sellerFee].flatMap((fee) =>
    [fee?.makerFee, fee?.infrastructureFee, fee?.liquidityFee].map((value) => whole(value ?? "0")),
  );
  return [
    bytea(m.id),
    bytea(m.marketId),
    whole(m.price),
    m.size,
    bytea(m.buyer),
    bytea(m.seller),
    m.aggressor,
    bytea(m.buyOrder),
    bytea(m.sellOrder),
    m.type,
    ...fees,
    m.buyerAuctionBatch,
    m.sellerAuctionBatch,
  ];
}

export function marketDataCells(m: Any): unknown[] {
  const bounds = m.priceMonitoringBounds.map((bound: Any) => ({
    ...struct({
      max_valid_price: bound.maxValidPrice,
      min_valid_price: bound.minValidPrice,
      reference_price: bound.referencePrice,
    }),
    ...(bound.trigger && {
      trigger: struct({
        horizon: bound.trigger.horizon,
        probability: bound.trigger.probability,
        auction_extension: bound.trigger.auctionExtension,
      }),
    }),
  }));
  const shares = m.liquidityProviderFeeShare.map((share: Any) =>
    struct({
      party: share.party,
      average_score: share.averageScore,
      equity_like_share: share.equityLikeShare,
      average_entry_valuation: share.averageEntryValuation,
    }),
  );
  const list = (items: Any[]) => text(jsonb(items.length === 0 ? null : items));
  return [
    bytea(m.market),
    whole(m.markPrice),
    whole(m.bestBidPrice),
    m.bestBidVolume,
    whole(m.bestOfferPrice),
    m.bestOfferVolume,
    whole(m.bestStaticBidPrice),
    m.bestStaticBidVolume,
    whole(m.bestStaticOfferPrice),
    m.bestStaticOfferVolume,
    whole(m.midPrice),
    whole(m.staticMidPrice),
    m.openInterest,
    m.auctionEnd,
    m.auctionStart,
    whole(m.indicativePrice),
    m.indicativeVolume,
    label("vega.Market.TradingMode", m.marketTradingMode),
    label("vega.AuctionTrigger", m.trigger),
    label("vega.AuctionTrigger", m.extensionTrigger),
    whole(m.targetStake),
    whole(m.suppliedStake),
    list(bounds),
    text(m.marketValueProxy),
    list(shares),
    label("vega.Market.State", m.marketState),
    timeNs(m.nextMarkToMarket),
  ];
}

export function provisionCells(m: Any, tx: string, time: string): unknown[] {
  const shape = (orders: Any[]) =>
    text(
      jsonb(
        orders.map((order) => ({
          ...struct({ order_id: order.orderId }),
          ...(order.liquidityOrder && { liquidity_order: struct(order.liquidityOrder) }),
        })),
      ),
    );
  return [
    bytea(m.id),
    bytea(m.partyId),
    timeNs(m.createdAt),
    timeNs(m.updatedAt),
    bytea(m.marketId),
    whole(m.commitmentAmount),
    scaled16(m.fee),
    shape(m.sells),
    shape(m.buys),
    m.version,
    label("vega.LiquidityProvision.Status", m.status),
    text(m.reference),
    tx,
    time,
  ];
}

export function marketCells(m: Any): unknown[] {
  const parameters = m.priceMonitoringSettings?.parameters;
  const triggers = (parameters?.triggers ?? []).map((trigger: Any) => ({
    horizon: trigger.horizon,
    probability: numeric(trigger.probability),
    auctionExtension: trigger.auctionExtension,
  }));
  const liquidity = m.liquidityMonitoringParameters;
  const factors = m.fees?.factors;
  const json = (value: Any) => text(jsonb(value));
  return [
    text(m.tradableInstrument?.instrument?.id ?? ""),
    json(m.tradableInstrument ? protoJson("vega.TradableInstrument", m.tradableInstrument) : {}),
    m.decimalPlaces,
    json(factors ? { factors: struct(factors) } : {}),
    json(struct(m.openingAuction ?? {})),
    json(parameters ? { priceMonitoringParameters: triggers.length > 0 ? { triggers } : {} } : {}),
    json({
      ...struct({
        triggeringRatio: liquidity?.triggeringRatio,
        auctionExtension: liquidity?.auctionExtension,
      }),
      ...(liquidity?.targetStakeParameters && {
        targetStakeParameters: struct(liquidity.targetStakeParameters),
      }),
    }),
    label("vega.Market.TradingMode", m.tradingMode),
    label("vega.Market.State", m.state),
    json(struct(m.marketTimestamps ?? {})),
    m.positionDecimalPlaces,
    text(m.lpPriceRange),
    m.quadraticSlippageFactor === "" ? "" : numeric(m.quadraticSlippageFactor),
    m.linearSlippageFactor === "" ? "" : numeric(m.linearSlippageFactor),
  ];
}
