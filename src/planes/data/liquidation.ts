/**
 * The price at which a party's collateral no longer covers the maintenance margin of its position: for the position alone,
 * and with its orders of one side filled on the way. Prices are in the settlement asset's units, with the decimals that the
 * division gives, as in the original: the network's clients scale them by the asset.
 */
import { BUY, SELL } from "../../engine/markets/stored-order.ts";
import type { Terms } from "../../engine/markets/terms.ts";
import { Decimal } from "../../wire/decimal.ts";

export interface OrderBeside {
  readonly side: number;
  /** In the asset's units; of a market order it does not count. */
  readonly price: Decimal;
  readonly remaining: bigint;
  readonly isMarketOrder: boolean;
}

export interface Surroundings {
  readonly terms: Pick<Terms, "riskLong" | "riskShort" | "linear" | "quadratic" | "positionDecimals">;
  /** Price of the moment, in the asset's units. */
  readonly price: Decimal;
}

export interface LiquidationPrices {
  readonly openVolumeOnly: Decimal;
  readonly includingBuyOrders: Decimal;
  readonly includingSellOrders: Decimal;
}

/** @param collateral in the asset's units @returns undefined where a price is not defined: any would do, or none */
export function liquidationPrices(
  surroundings: Surroundings,
  size: bigint,
  collateral: Decimal,
  orders: readonly OrderBeside[],
): LiquidationPrices | undefined {
  const volume = Decimal.shifted(size, surroundings.terms.positionDecimals);
  const start: Point = { volume, price: surroundings.price, collateral };
  const openVolumeOnly = liquidationPrice(surroundings, start);
  if (openVolumeOnly === undefined) return undefined;
  const including = (side: number) => withOrders(surroundings, start, openVolumeOnly, orders, side);
  const [includingBuyOrders, includingSellOrders] = [including(BUY), including(SELL)];
  if (includingBuyOrders === undefined || includingSellOrders === undefined) return undefined;
  return { openVolumeOnly, includingBuyOrders, includingSellOrders };
}

/** A position at a price on the way. */
interface Point {
  readonly volume: Decimal;
  readonly price: Decimal;
  readonly collateral: Decimal;
}

function withOrders(
  surroundings: Surroundings,
  start: Point,
  alone: Decimal,
  orders: readonly OrderBeside[],
  side: number,
): Decimal | undefined {
  const isBuy = side === BUY;
  const own = orders
    .filter((order) => order.side === side)
    .map((order) => (order.isMarketOrder ? { ...order, price: surroundings.price } : order))
    .sort((a, b) => (isBuy ? b.price.compare(a.price) : a.price.compare(b.price)));
  let point = start;
  let liquidation = alone;
  for (const { price, remaining } of own) {
    const { volume } = point;
    // The position is closed out before the price comes to the order.
    const isOver = isBuy
      ? volume.isPositive() && price.isLess(liquidation)
      : volume.isNegative() && liquidation.isLess(price);
    if (isOver) break;
    const filled = Decimal.shifted(isBuy ? remaining : -remaining, surroundings.terms.positionDecimals);
    const gain = volume.times(price.minus(point.price));
    point = { volume: volume.plus(filled), price, collateral: point.collateral.plus(gain) };
    const next = liquidationPrice(surroundings, point);
    if (next === undefined) return undefined;
    liquidation = next;
  }
  return liquidation;
}

/**
 * The price P at which collateral + V × (P - price) is P × (slippage + |V| × risk factor); 0 of no position, and where no
 * price above zero does. Undefined where both sides grow alike.
 */
function liquidationPrice(
  { terms }: Surroundings,
  { volume, price, collateral }: Point,
): Decimal | undefined {
  if (volume.isZero()) return Decimal.zero;
  const absolute = volume.absolute();
  const risk = volume.isNegative() ? terms.riskShort : terms.riskLong;
  const slippage = terms.linear.times(absolute).plus(terms.quadratic.times(volume.times(volume)));
  const growth = slippage.plus(absolute.times(risk)).minus(volume);
  if (growth.isZero()) return undefined;
  const liquidationPrice = collateral.minus(volume.times(price)).dividedBy(growth);
  return liquidationPrice.isNegative() ? Decimal.zero : liquidationPrice;
}

/** Maintenance margin of a position with its orders, where nothing is known of the book: slippage is the most there is. */
export function maintenanceMargin(
  { terms, price }: Surroundings,
  isAuction: boolean,
  size: bigint,
  orders: readonly OrderBeside[],
): Decimal {
  const volumeOf = (units: bigint) => Decimal.shifted(units, terms.positionDecimals);
  const sum = (side: number, isMarketOrder: boolean) =>
    orders.reduce(
      (total, order) =>
        order.side === side && order.isMarketOrder === isMarketOrder ? total + order.remaining : total,
      0n,
    );
  // Market orders are taken as filled.
  const open = volumeOf(size + sum(BUY, true) - sum(SELL, true));
  const ofSide = (side: number, volume: Decimal, risk: Decimal): Decimal => {
    const ordered = volumeOf(sum(side, false));
    if (!volume.plus(ordered).isPositive()) return Decimal.zero;
    const held = volume.max(Decimal.zero);
    const slippage = terms.linear.times(held).plus(terms.quadratic.times(held.times(held)));
    const value = isAuction ? auctionValueOf(orders, side, volumeOf) : ordered.times(price);
    return price.times(slippage.plus(held.times(risk))).plus(value.times(risk));
  };
  const long = ofSide(BUY, open, terms.riskLong);
  const short = ofSide(SELL, open.negated(), terms.riskShort);
  return long.max(short).max(Decimal.zero);
}

/** In an auction orders count at their own prices. */
function auctionValueOf(
  orders: readonly OrderBeside[],
  side: number,
  volumeOf: (units: bigint) => Decimal,
): Decimal {
  return orders
    .filter((order) => order.side === side && !order.isMarketOrder)
    .reduce((sum, { price, remaining }) => sum.plus(volumeOf(remaining).times(price)), Decimal.zero);
}
