/** The most that an order alone can ask for as margin and fees, for people who decide on it. */
import { type Market, Side } from "../../wire/generated/vega.ts";
import { feesOf } from "./fees.ts";
import { marginLevels } from "./margins.ts";
import { termsOfMessage } from "./terms.ts";
import { totalFee } from "./trade.ts";

interface OrderAlone {
  readonly side: number;
  readonly size: bigint;
  /** In the market's precision: of a limit order its own, unless the mark price is higher. */
  readonly price: bigint;
}

/**
 * Initial margin of a party that has nothing else in the market once the whole order is filled, when closing it would cost as
 * much as the market's slippage factors count (docs/protocol/70-trading-positions.md#53-margin-levels).
 * @returns in the settlement asset's smallest units
 */
export function worstMargin(
  market: Market,
  assetDecimals: number,
  { side, size, price }: OrderAlone,
): bigint {
  const terms = termsOfMessage(market, assetDecimals);
  const position = {
    size: side === Side.SIDE_SELL ? -size : size,
    buy: 0n,
    sell: 0n,
    buySum: 0n,
    sellSum: 0n,
  };
  return marginLevels(position, {
    terms,
    boundsSlippage: true,
    price: price * terms.priceFactor,
    isAuction: false,
    exitPrice: () => undefined,
  }).initial;
}

/** Fees of the whole order, traded at once at its price. @returns in the settlement asset's smallest units */
export function worstFee(market: Market, assetDecimals: number, { size, price }: OrderAlone): bigint {
  const terms = termsOfMessage(market, assetDecimals);
  return totalFee(feesOf(terms, price * terms.priceFactor, size));
}
