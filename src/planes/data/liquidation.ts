/**
 * The price at which a party's collateral no longer covers the maintenance margin of its position (reference 70, section 5.3): for
 * the position alone, and with its orders of one side filled on the way.
 */
import { BUY, SELL } from "../../engine/markets/order.ts";
import type { Terms } from "../../engine/markets/terms.ts";
import { Decimal } from "../../wire/decimal.ts";

export interface OrderBeside {
  readonly side: number;
  /** Internal; 0 of a market order. */
  readonly price: bigint;
  readonly remaining: bigint;
  readonly isMarketOrder: boolean;
}

interface Surroundings {
  readonly terms: Terms;
  /** Internal price of the moment. */
  readonly price: bigint;
  /** Closing costs as much as the market's slippage factors count. */
  readonly hasSlippage: boolean;
}

export const signed = ({ side, remaining }: OrderBeside): bigint => (side === BUY ? remaining : -remaining);

/** In the market's price units, each empty where no price does. @param collateral in the asset's smallest units */
export function liquidationPrices(
  surroundings: Surroundings,
  size: bigint,
  collateral: Decimal,
  orders: readonly OrderBeside[],
) {
  const start: Point = { size, price: surroundings.price, collateral };
  const text = (price: Decimal | undefined) => {
    const found = price && price.rounded() / surroundings.terms.priceFactor;
    return found === undefined || found < 0n ? "" : found.toString();
  };
  const including = (side: number) => text(withOrders(surroundings, start, orders, side));
  return {
    openVolumeOnly: text(liquidationPrice(surroundings, start)),
    includingBuyOrders: including(BUY),
    includingSellOrders: including(SELL),
  };
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** A position at a price on the way. */
interface Point {
  readonly size: bigint;
  readonly price: bigint;
  readonly collateral: Decimal;
}

function withOrders(
  surroundings: Surroundings,
  start: Point,
  orders: readonly OrderBeside[],
  side: number,
): Decimal | undefined {
  const own = orders.filter((order) => order.side === side);
  const rests = own.filter(({ isMarketOrder }) => !isMarketOrder);
  rests.sort((a, b) => (side === BUY ? compare(b.price, a.price) : compare(a.price, b.price)));
  const filled = own.filter(({ isMarketOrder }) => isMarketOrder);
  let point = { ...start, size: filled.reduce((sum, order) => sum + signed(order), start.size) };
  for (const order of rests) {
    if (isOverBefore(liquidationPrice(surroundings, point), point, order)) break;
    const contracts = Decimal.shifted(point.size, surroundings.terms.positionDecimals);
    const gain = contracts.times(Decimal.of(order.price - point.price));
    point = {
      size: point.size + signed(order),
      price: order.price,
      collateral: point.collateral.plus(gain),
    };
  }
  return liquidationPrice(surroundings, point);
}

/** The position is closed out before the price comes to the order. */
function isOverBefore(
  liquidation: Decimal | undefined,
  { size }: Point,
  { side, price }: OrderBeside,
): boolean {
  if (liquidation === undefined) return false;
  const at = Decimal.of(price);
  if (side === BUY && size > 0n) return !liquidation.isLess(at);
  if (side === SELL && size < 0n) return !at.isLess(liquidation);
  return false;
}

/** The price P at which collateral + V × (P - price) is |V| × P × (slippage + risk factor); undefined without one. */
function liquidationPrice(
  { terms, hasSlippage }: Surroundings,
  { size, price, collateral }: Point,
): Decimal | undefined {
  if (size === 0n || price === 0n) return undefined;
  const volume = Decimal.shifted(size, terms.positionDecimals);
  const absolute = volume.absolute();
  const risk = size > 0n ? terms.riskLong : terms.riskShort;
  const slippage = terms.linear.plus(terms.quadratic.times(absolute));
  const factor = hasSlippage ? risk.plus(slippage) : risk;
  const below = absolute.times(factor).minus(volume);
  if (below.isZero()) return undefined;
  return collateral.minus(volume.times(Decimal.of(price))).dividedBy(below);
}
