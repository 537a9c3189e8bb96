/** The event with a market's data, once a tick and with each turn of its life (docs/protocol/70-trading-events.md#93-marketdata). */
import { asUint64 } from "../../wire/limits.ts";
import type { Level } from "./levels.ts";
import type { MarketParts } from "./market-parts.ts";
import { BUY, SELL } from "./stored-order.ts";

/** Nanoseconds of a time that was never set, as the network's clock wraps it. */
const UNSET_NS = -6_795_364_578_871_345_152n;
const MARK_FREQUENCY = "network.markPriceUpdateMaximumFrequency";

type DataParts = Pick<MarketParts, "market" | "prices" | "targetStake" | "equity" | "provisions">;

export function emitMarketData(parts: DataParts): void {
  const { market, prices, equity, provisions } = parts;
  const { status, book, auction } = market;
  const bid = book.best(BUY);
  const offer = book.best(SELL);
  const staticBid = book.bestStatic(BUY);
  const staticOffer = book.bestStatic(SELL);
  const indication = auction.isRunning ? (status.lastIndication ?? book.indication()) : undefined;
  book.shown = indication;
  const price = (level: Level | undefined) => market.toMarketPrice(level?.price ?? 0n);
  const middle = (a: Level | undefined, b: Level | undefined) =>
    market.toMarketPrice(a === undefined || b === undefined ? 0n : (a.price + b.price) / 2n);
  market.core.emit("marketData", {
    markPrice: market.toMarketPrice(status.mark),
    bestBidPrice: price(bid),
    bestBidVolume: asUint64(bid?.volume ?? 0n),
    bestOfferPrice: price(offer),
    bestOfferVolume: asUint64(offer?.volume ?? 0n),
    bestStaticBidPrice: price(staticBid),
    bestStaticBidVolume: asUint64(staticBid?.staticVolume ?? 0n),
    bestStaticOfferPrice: price(staticOffer),
    bestStaticOfferVolume: asUint64(staticOffer?.staticVolume ?? 0n),
    midPrice: middle(bid, offer),
    staticMidPrice: middle(staticBid, staticOffer),
    market: market.id,
    timestamp: market.nowNs,
    openInterest: asUint64(status.openInterest),
    auctionEnd: auction.isRunning && auction.endNs !== auction.beginNs ? auction.endNs : 0n,
    auctionStart: auction.isRunning ? auction.beginNs : 0n,
    indicativePrice: market.toMarketPrice(indication?.price ?? 0n),
    indicativeVolume: asUint64(indication?.volume ?? 0n),
    marketTradingMode: auction.mode,
    trigger: auction.trigger,
    extensionTrigger: auction.extension,
    targetStake: targetStakeOf(parts).toString(),
    suppliedStake: provisions.supplied().toString(),
    priceMonitoringBounds: prices.bounds(),
    marketValueProxy: equity.marketValue.toString(),
    liquidityProviderFeeShare: feeShares(equity),
    marketState: market.record.state,
    nextMarkToMarket: status.nextMarkNs || UNSET_NS + market.params.duration(MARK_FREQUENCY),
    lastTradedPrice: market.toMarketPrice(status.lastTraded),
  });
}

function targetStakeOf({ market, targetStake }: DataParts): bigint {
  const { auction, status } = market;
  if (!auction.isRunning) return targetStake.current();
  const { lastIndication } = status;
  return lastIndication === undefined
    ? targetStake.theoretical()
    : targetStake.standing(lastIndication.price);
}

function feeShares(equity: DataParts["equity"]) {
  return equity.list().map(({ party, share, average, score }) => ({
    party,
    equityLikeShare: share,
    averageEntryValuation: average,
    averageScore: score,
  }));
}
