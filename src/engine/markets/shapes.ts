// Checks of a shape, the template of a provision's orders
// (docs/protocol/70-trading-orders.md#23-commands-inputdata-oneof-tag and
// docs/protocol/70-trading-liquidity.md#72-submit).
import type { CommandText } from "../../errors/result-codes.ts";
import { type LiquidityOrder, PeggedReference } from "../../wire/generated/vega.ts";

const { PEGGED_REFERENCE_MID: MID, PEGGED_REFERENCE_UNSPECIFIED: NOTHING } = PeggedReference;
const { PEGGED_REFERENCE_BEST_BID: BEST_BID, PEGGED_REFERENCE_BEST_ASK: BEST_ASK } = PeggedReference;

export type ShapeSide = "SIDE_BUY" | "SIDE_SELL";

/** @param max entries, at the most */
export function shapeProblem(
  side: ShapeSide,
  shape: readonly LiquidityOrder[],
  max: bigint,
): CommandText | undefined {
  if (shape.length === 0) return `empty ${side} shape`;
  if (BigInt(shape.length) > max) return `${side} shape size exceed max (${max})`;
  for (const entry of shape) {
    const problem = entryProblem(side, entry);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function entryProblem(
  side: ShapeSide,
  { reference, proportion, offset }: LiquidityOrder,
): CommandText | undefined {
  if (reference === NOTHING) return "order in shape without reference";
  if (proportion === 0) return "order in shape without a proportion";
  const isBuy = side === "SIDE_BUY";
  if (isBuy && reference === BEST_ASK) return "order in buy side shape with best ask price reference";
  if (!isBuy && reference === BEST_BID) return "order in sell side shape with best bid price reference";
  const distance = BigInt(offset);
  if (reference === MID && distance <= 0n)
    return isBuy ? "order in buy side shape offset must be > 0" : "order in sell shape offset must be > 0";
  if (distance < 0n)
    return isBuy ? "order in buy side shape offset must be >= 0" : "order in sell shape offset must be >= 0";
  return undefined;
}
