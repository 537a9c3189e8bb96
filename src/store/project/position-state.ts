/**
 * The values of a position, which no event carries: they are computed from settlements and trades
 * (docs/protocol/20-network-history-tables.md#36-how-positions-rows-are-computed;
 * docs/protocol/70-trading-events.md#95-how-position-rows-are-computed). Settled values, and pending copies that also
 * count trades which are not settled yet.
 */
import { absolute } from "../../wire/arithmetic.ts";
import { Decimal } from "../../wire/decimal.ts";
import type { Position } from "../../wire/generated/vega.ts";
import { asInt64 } from "../../wire/limits.ts";

/** Distressed states of `vega.PositionStatus`. */
export const Status = { unspecified: 0, ordersClosed: 1, closedOut: 2, distressed: 4 } as const;

export interface PositionState {
  openVolume: bigint;
  realised: Decimal;
  unrealised: Decimal;
  entryPrice: Decimal;
  entryMarketPrice: Decimal;
  loss: Decimal;
  adjustment: Decimal;
  pendingOpenVolume: bigint;
  pendingRealised: Decimal;
  pendingUnrealised: Decimal;
  pendingEntryPrice: Decimal;
  pendingEntryMarketPrice: Decimal;
  lossSocialisation: Decimal;
  status: number;
}

export function emptyPosition(): PositionState {
  const zero = Decimal.zero;
  return {
    openVolume: 0n,
    realised: zero,
    unrealised: zero,
    entryPrice: zero,
    entryMarketPrice: zero,
    loss: zero,
    adjustment: zero,
    pendingOpenVolume: 0n,
    pendingRealised: zero,
    pendingUnrealised: zero,
    pendingEntryPrice: zero,
    pendingEntryMarketPrice: zero,
    lossSocialisation: zero,
    status: Status.unspecified,
  };
}

/** The stored form: the fourteen values as text, in the order of the interface above. */
export function positionText(p: PositionState): string {
  return JSON.stringify(Object.values(p).map(String));
}

export function parsePosition(text: string): PositionState {
  const v = JSON.parse(text) as string[];
  const decimal = (i: number) => Decimal.parse(v[i]!);
  return {
    openVolume: BigInt(v[0]!),
    realised: decimal(1),
    unrealised: decimal(2),
    entryPrice: decimal(3),
    entryMarketPrice: decimal(4),
    loss: decimal(5),
    adjustment: decimal(6),
    pendingOpenVolume: BigInt(v[7]!),
    pendingRealised: decimal(8),
    pendingUnrealised: decimal(9),
    pendingEntryPrice: decimal(10),
    pendingEntryMarketPrice: decimal(11),
    lossSocialisation: decimal(12),
    status: Number(v[13]),
  };
}

/** As the API shows it: the pending values, rounded. */
export function shownPosition(p: PositionState): Omit<Position, "marketId" | "partyId" | "updatedAt"> {
  return {
    openVolume: asInt64(p.pendingOpenVolume),
    realisedPnl: p.pendingRealised.rounded().toString(),
    unrealisedPnl: p.pendingUnrealised.rounded().toString(),
    averageEntryPrice: p.pendingEntryMarketPrice.rounded().toString(),
    lossSocialisationAmount: p.lossSocialisation.rounded().toString(),
    positionStatus: p.status,
  };
}

/** A trade of signed `size` at `price` that is not settled yet. Realised profit is not divided by the factor here. */
export function applyTrade(p: PositionState, size: bigint, price: Decimal, factor: Decimal): void {
  const { opened, closed } = split(p.pendingOpenVolume, size);
  p.pendingRealised = p.pendingRealised.plus(price.minus(p.pendingEntryPrice).times(Decimal.of(closed)));
  p.pendingOpenVolume -= closed;
  p.pendingEntryPrice = average(p.pendingEntryPrice, p.pendingOpenVolume, opened, price);
  p.pendingEntryMarketPrice = average(p.pendingEntryMarketPrice, p.pendingOpenVolume, opened, price);
  p.pendingOpenVolume += opened;
  p.pendingUnrealised = marked(p.pendingOpenVolume, price, p.pendingEntryPrice, factor);
}

/** A trade of a settlement. */
export interface TradeSettlement {
  readonly size: bigint;
  readonly price: Decimal;
  readonly marketPrice: Decimal;
}

export function applySettlement(
  p: PositionState,
  trades: readonly TradeSettlement[],
  price: Decimal,
  factor: Decimal,
): void {
  for (const trade of trades) {
    const { opened, closed } = split(p.openVolume, trade.size);
    const profit = trade.price.minus(p.entryPrice).times(Decimal.of(closed)).dividedBy(factor);
    p.realised = p.realised.plus(profit);
    p.openVolume -= closed;
    p.entryPrice = average(p.entryPrice, p.openVolume, opened, trade.price);
    p.entryMarketPrice = average(p.entryMarketPrice, p.openVolume, opened, trade.marketPrice);
    p.openVolume += opened;
  }
  p.unrealised = marked(p.openVolume, price, p.entryPrice, factor);
  copyToPending(p);
}

export function applyLossSocialization(p: PositionState, amount: Decimal): void {
  if (amount.isNegative()) {
    p.loss = p.loss.plus(amount);
    p.lossSocialisation = p.lossSocialisation.minus(amount);
  } else {
    p.adjustment = p.adjustment.plus(amount);
    p.lossSocialisation = p.lossSocialisation.plus(amount);
  }
  p.realised = p.realised.plus(amount);
  copyToPending(p);
}

export function applyDistressed(p: PositionState, margin: Decimal): void {
  p.realised = p.realised.plus(p.unrealised).minus(margin);
  p.unrealised = Decimal.zero;
  p.entryPrice = Decimal.zero;
  p.openVolume = 0n;
  p.status = Status.closedOut;
  copyToPending(p);
}

export function applyMarketSettlement(p: PositionState, price: Decimal, factor: Decimal): void {
  const profit = Decimal.of(p.openVolume).times(price.minus(p.entryPrice)).dividedBy(factor);
  p.realised = p.realised.plus(profit);
  p.unrealised = Decimal.zero;
  p.openVolume = 0n;
  copyToPending(p);
}

/** The party is in distress, or no longer. */
export function toggleDistress(p: PositionState): void {
  p.status = p.status === Status.distressed ? Status.unspecified : Status.distressed;
}

function copyToPending(p: PositionState): void {
  p.pendingOpenVolume = p.openVolume;
  p.pendingRealised = p.realised;
  p.pendingUnrealised = p.unrealised;
  p.pendingEntryPrice = p.entryPrice;
  p.pendingEntryMarketPrice = p.entryMarketPrice;
}

function split(volume: bigint, size: bigint): { opened: bigint; closed: bigint } {
  if (volume === 0n || volume > 0n === size > 0n) return { opened: size, closed: 0n };
  const closed = absolute(size) > absolute(volume) ? volume : -size;
  return { opened: size + closed, closed };
}

function average(current: Decimal, volume: bigint, opened: bigint, price: Decimal): Decimal {
  if (volume + opened === 0n) return Decimal.zero;
  const weighted = current.times(Decimal.of(volume)).plus(price.times(Decimal.of(opened)));
  return weighted.dividedBy(Decimal.of(volume + opened));
}

function marked(volume: bigint, price: Decimal, entryPrice: Decimal, factor: Decimal): Decimal {
  if (volume === 0n) return Decimal.zero;
  return Decimal.of(volume).times(price.minus(entryPrice)).dividedBy(factor);
}
