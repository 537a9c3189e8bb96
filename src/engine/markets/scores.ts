/** Likelihood that a provider's orders trade, compared with the others' (docs/protocol/70-trading-liquidity.md#77-distribution). */
import { Decimal } from "../../wire/decimal.ts";
import { LiquidityProvisionStatus, type TradableInstrument } from "../../wire/generated/vega.ts";
import { type MarketContext, TAU_SCALING } from "./context.ts";
import type { MarketParts } from "./market-parts.ts";
import { riskModelOf } from "./risk.ts";
import { BUY, SELL, type Side } from "./stored-order.ts";
import { decimalOf } from "./terms.ts";

const HALF = Decimal.parse("0.5");
/** Steps of the grid on which the risk model is asked, to the best price. */
const STEPS = 1_000;
/** Parts of a step in which offsets from the best price are measured. */
const STEP_PARTS = 1_000;
/** The grid ends with the first probability that is no more than this. */
const LAST = 1e-8;
const MINIMUM = "market.liquidity.minimum.probabilityOfTrading.lpOrders";

/** Prices of providers' orders that count, and those at which they can trade. */
interface Range {
  readonly low: bigint;
  readonly high: bigint;
  readonly allowed: { readonly min: bigint; readonly max: bigint } | undefined;
}

/** Scores of the active providers, 1 in all; empty where no provider is active. */
export function liquidityScores({
  market,
  provisions,
  prices,
}: Pick<MarketParts, "market" | "provisions" | "prices">): Map<string, Decimal> {
  const range = provisions.range();
  const active = provisions.list().filter(({ status }) => status === LiquidityProvisionStatus.STATUS_ACTIVE);
  if (range === undefined || active.length === 0) return new Map();
  // A single provider gets everything, whatever the probabilities.
  if (active.length === 1) return new Map([[active[0]!.party, Decimal.one]]);
  const allowed = prices.allowed();
  const raw = active.map(({ party }) => {
    const side = (which: Side) => sideScore(market, party, which, { ...range, allowed });
    return [party, side(BUY).min(side(SELL))] as const;
  });
  const total = raw.reduce((sum, [, score]) => sum.plus(score), Decimal.zero);
  const equal = Decimal.one.dividedBy(Decimal.of(BigInt(active.length)));
  return new Map(
    raw.map(([party, score]) => [party, total.isZero() ? equal : score.dividedBy(total)] as const),
  );
}

/** Works out price bounds and probabilities of trading again. */
export function refreshModels({ market, prices }: Pick<MarketParts, "market" | "prices">): void {
  prices.refresh();
  const scoredBid = market.book.bestStatic(BUY)?.price;
  const scoredAsk = market.book.bestStatic(SELL)?.price;
  // Without one of them the probabilities stay as they are.
  if (scoredBid === undefined || scoredAsk === undefined) return;
  const scoredScaling = market.params.decimal(TAU_SCALING).toString();
  market.updateStatus({ scoredBid, scoredAsk, scoredModel: undefined, scoredScaling });
}

/**
 * The market's rules were changed: probabilities stay those of the former model until they are worked out again
 * (docs/protocol/70-trading-markets.md#17-market-update).
 */
export function keepScoredModel(market: MarketContext, instrument: TradableInstrument): void {
  const { logNormalRiskModel, simpleRiskModel } = instrument;
  market.updateStatus({ scoredModel: market.status.scoredModel ?? { logNormalRiskModel, simpleRiskModel } });
}

function sideScore(market: MarketContext, party: string, side: Side, range: Range): Decimal {
  let weighted = Decimal.zero;
  let volume = 0n;
  for (const order of market.index.ordersOf.get(party)?.values() ?? []) {
    if (order.side !== side || order.place === 0 || order.price < range.low || order.price > range.high)
      continue;
    weighted = weighted.plus(
      probabilityOf(market, order.price, side, range).times(Decimal.of(order.remaining)),
    );
    volume += order.remaining;
  }
  return volume === 0n ? Decimal.zero : weighted.dividedBy(Decimal.of(volume));
}

function probabilityOf(market: MarketContext, price: bigint, side: Side, { allowed }: Range): Decimal {
  if (allowed !== undefined && (price < allowed.min || price > allowed.max)) return Decimal.zero;
  // Static, as the references of provisions are.
  const best = market.book.bestStatic(side)?.price ?? 0n;
  if (side === BUY ? price >= best : price <= best) return HALF;
  const { scoredBid, scoredAsk, scoredModel, scoredScaling } = market.status;
  const model = scoredModel === undefined ? market.terms.model : riskModelOf(scoredModel);
  const base = Number((side === BUY ? scoredBid : scoredAsk) || best);
  const scaling = Number(scoredScaling ?? market.params.decimal(TAU_SCALING).toString());
  // In millionths of the best price of this moment, as the network does, whichever the grid was made for.
  const parts = offsetParts(price < best ? best - price : price - best, best);
  const cell = Math.floor(parts / STEP_PARTS);
  const between = (parts % STEP_PARTS) / STEP_PARTS;
  const at = (index: number) => {
    // Exactly 0 at the last step of bids, where the model's end is.
    const distance = (index * base) / STEPS;
    const there = side === BUY ? base - distance : base + distance;
    return model.reaches(there, base, side === BUY, scaling);
  };
  const [near, far] = [at(cell), at(cell + 1)];
  if (near <= LAST || at(Math.max(0, cell - 1)) <= LAST) return market.params.decimal(MINIMUM);
  const probability = decimalOf(near + (far - near) * between).times(HALF);
  return probability.max(market.params.decimal(MINIMUM));
}

function offsetParts(distance: bigint, best: bigint): number {
  const part = Decimal.of(distance).dividedBy(Decimal.of(best));
  return Number(part.times(Decimal.of(BigInt(STEPS * STEP_PARTS))).floor());
}
