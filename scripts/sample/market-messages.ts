// A market's messages: its orders, trades and book.
import { orderMessage, type StoredOrder } from "../../src/engine/markets/stored-order.ts";
import type { Init } from "../../src/wire/codec.ts";
import { type MarketData, type Order, Side, TradeType } from "../../src/wire/generated/vega.ts";
import type { Book, Fill, LiveOrder } from "./book.ts";
import { BOUNDS_TRIGGER } from "./market-config.ts";

export interface TradeFees {
  readonly maker: bigint;
  readonly infrastructure: bigint;
  readonly liquidity: bigint;
}

/** An order's message, by the engine's list of members. Prices are in market decimals already. */
export function sampleOrderMessage(order: LiveOrder, market: string, now: bigint, reason = 0): Init<Order> {
  const { peggedOrder, liquidityProvisionId: provision } = order;
  return orderMessage(
    {
      ...order,
      side: order.side as StoredOrder["side"],
      market,
      provision,
      reason,
      updatedAt: order.createdAt === now ? 0n : now,
      version: BigInt(order.version),
      batchId: 1n,
      peg: peggedOrder && { reference: peggedOrder.reference, offset: BigInt(peggedOrder.offset) },
      reduceOnly: false,
    },
    1n,
  );
}

/**
 * The aggressor's side carries the fees, the other zeros; a trade of an opening auction has none
 * (docs/protocol/70-trading-orders.md#33-trade-message).
 */
export function tradeMessage(order: LiveOrder, { resting, price, size }: Fill, fees: TradeFees | undefined) {
  const isBuy = order.side === Side.SIDE_BUY;
  const [buy, sell] = isBuy ? [order, resting] : [resting, order];
  const paid = fees && {
    makerFee: String(fees.maker),
    infrastructureFee: String(fees.infrastructure),
    liquidityFee: String(fees.liquidity),
  };
  const free = fees && { makerFee: "0", infrastructureFee: "0", liquidityFee: "0" };
  return {
    price: String(price),
    size,
    buyer: buy.party,
    seller: sell.party,
    aggressor: fees ? order.side : Side.SIDE_UNSPECIFIED,
    buyOrder: buy.id,
    sellOrder: sell.id,
    type: TradeType.TYPE_DEFAULT,
    buyerFee: isBuy ? paid : free,
    sellerFee: isBuy ? free : paid,
  };
}

export function bookMessage(book: Book): Init<MarketData> {
  const bid = book.best(Side.SIDE_BUY);
  const offer = book.best(Side.SIDE_SELL);
  const mid = String(bid > 0n && offer > 0n ? (bid + offer) / 2n : 0n);
  const bidVolume = book.volumeAtBest(Side.SIDE_BUY);
  const offerVolume = book.volumeAtBest(Side.SIDE_SELL);
  return {
    bestBidPrice: String(bid),
    bestBidVolume: bidVolume,
    bestOfferPrice: String(offer),
    bestOfferVolume: offerVolume,
    bestStaticBidPrice: String(bid),
    bestStaticBidVolume: bidVolume,
    bestStaticOfferPrice: String(offer),
    bestStaticOfferVolume: offerVolume,
    midPrice: mid,
    staticMidPrice: mid,
  };
}

/** A tenth up and down from the reference price. */
export function boundsMessage(reference: bigint) {
  return {
    minValidPrice: String((reference * 9n) / 10n),
    maxValidPrice: String((reference * 11n) / 10n),
    trigger: BOUNDS_TRIGGER,
    referencePrice: String(reference),
  };
}
