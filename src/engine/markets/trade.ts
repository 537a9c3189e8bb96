// A trade as it is made, before its fees are known and its event is sent
// (docs/protocol/70-trading-orders.md#33-trade-message).
import type { Init } from "../../wire/codec.ts";
import { type Trade as TradeMessage, TradeType } from "../../wire/generated/vega.ts";
import { BUY, type StoredOrder } from "./stored-order.ts";

/** Fees of one side, in asset units. */
export interface TradeFee {
  readonly maker: bigint;
  readonly infrastructure: bigint;
  readonly liquidity: bigint;
}

export const NO_FEE: TradeFee = { maker: 0n, infrastructure: 0n, liquidity: 0n };

export const totalFee = ({ maker, infrastructure, liquidity }: TradeFee): bigint =>
  maker + infrastructure + liquidity;

export interface Trade {
  readonly id: string;
  /** The resting order, as it was before. */
  readonly passive: StoredOrder;
  /** The one that met it, as it came in. */
  readonly aggressor: StoredOrder;
  readonly size: bigint;
  /** Internal price. */
  readonly price: bigint;
  /** In market precision. */
  readonly shown: bigint;
  readonly timestamp: bigint;
  readonly type: number;
  /** 0 in auctions. */
  readonly side: number;
  readonly buyerFee?: TradeFee;
  readonly sellerFee?: TradeFee;
}

export const buyerOf = ({ passive, aggressor }: Trade): StoredOrder =>
  aggressor.side === BUY ? aggressor : passive;
export const sellerOf = ({ passive, aggressor }: Trade): StoredOrder =>
  aggressor.side === BUY ? passive : aggressor;

export function tradeMessage(trade: Trade): Init<TradeMessage> {
  const buyer = buyerOf(trade);
  const seller = sellerOf(trade);
  return {
    id: trade.id,
    marketId: trade.passive.market,
    price: trade.shown.toString(),
    size: trade.size,
    buyer: buyer.party,
    seller: seller.party,
    aggressor: trade.side,
    buyOrder: buyer.id,
    sellOrder: seller.id,
    timestamp: trade.timestamp,
    type: trade.type,
    buyerFee: feeMessage(trade.buyerFee),
    sellerFee: feeMessage(trade.sellerFee),
    buyerAuctionBatch: 0n,
    sellerAuctionBatch: 0n,
  };
}

function feeMessage(fee: TradeFee | undefined) {
  return (
    fee && {
      makerFee: fee.maker.toString(),
      infrastructureFee: fee.infrastructure.toString(),
      liquidityFee: fee.liquidity.toString(),
    }
  );
}

/** A trade of an incoming order with one that rests, at the price of the latter. */
export function continuousTrade(
  aggressor: StoredOrder,
  passive: StoredOrder,
  size: bigint,
  { id, priceFactor }: { readonly id: string; readonly priceFactor: bigint },
): Trade {
  return {
    id,
    passive,
    aggressor,
    size,
    price: passive.price,
    shown: passive.price / priceFactor,
    timestamp: aggressor.createdAt,
    type: TradeType.TYPE_DEFAULT,
    side: aggressor.side,
  };
}
