/**
 * Facts of markets that rewards depend on: fees of the epoch by party, values, proposers
 * (docs/protocol/70-trading-orders.md#45-activity-tracking-for-rewards).
 */
import { Decimal } from "../../wire/decimal.ts";
import { DispatchMetric } from "../../wire/generated/vega.ts";
import type { MarketScore } from "../recurring.ts";
import type { Market } from "./market.ts";
import type { Activity, RewardedMarket } from "./records.ts";

export function measuredBy(
  { makerPaid, makerReceived, liquidityReceived }: Activity,
  metric: number,
): bigint {
  if (metric === DispatchMetric.DISPATCH_METRIC_MAKER_FEES_PAID) return makerPaid;
  if (metric === DispatchMetric.DISPATCH_METRIC_MAKER_FEES_RECEIVED) return makerReceived;
  if (metric === DispatchMetric.DISPATCH_METRIC_LP_FEES_RECEIVED) return liquidityReceived;
  return 0n;
}

export function rewardedOf({ context }: Market): RewardedMarket {
  const { id, accounts, record, status } = context;
  const { sequence, proposer } = record;
  return { id, sequence, asset: accounts.asset, proposer, tradedValue: status.tradedValue };
}

export function paidKey(market: string, asset: string, funder: string, scope: readonly string[]): string {
  return `${market}/${asset}/${funder}/${[...scope].sort().join(",")}`;
}

/** Where rounding takes the scores above 1, the largest gives the excess up. */
export function capped(scores: MarketScore[]): MarketScore[] {
  const excess = scores.reduce((sum, { score }) => sum.plus(score), Decimal.zero).minus(Decimal.one);
  if (!excess.isPositive()) return scores;
  const largest = scores.reduce((a, b) => (a.score.isLess(b.score) ? b : a));
  return scores.map((one) => (one === largest ? { ...one, score: one.score.minus(excess) } : one));
}
