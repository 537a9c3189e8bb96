// Risk models of the naive market (docs/protocol/70-trading-positions.md#52-risk-factors and
// docs/protocol/70-trading-liquidity.md#81-price-monitoring), by slow and plain numerics.
import { Decimal } from "./decimal.ts";
import type { Terms } from "./model.ts";

/** Standard normal distribution: the error function by its series, its tail by a continued fraction. */
export function phi(x: number): number {
  if (Math.abs(x) > 2) {
    let fraction = Math.abs(x);
    for (let k = 400; k > 0; k--) fraction = Math.abs(x) + k / fraction;
    const tail = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI) / fraction;
    return x > 0 ? 1 - tail : tail;
  }
  let [term, total] = [x, x];
  for (let k = 1; Math.abs(term) > 1e-18; k++) {
    term *= (x * x) / (2 * k + 1);
    total += term;
  }
  return 0.5 + (total * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/** Inverse of {@link phi} by halving; of small probabilities in the lower half, where digits are. */
export function inversePhi(p: number): number {
  if (p > 0.5) return -inversePhi(1 - p);
  let [low, high] = [-40, 0];
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2;
    if (phi(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Long and short factor of a log-normal model. */
export function logNormalFactors(lambda: number, tau: number, mu: number, sigma: number): [number, number] {
  const q = inversePhi(lambda);
  const s = sigma * Math.sqrt(tau);
  const growth = Math.exp(mu * tau) / lambda;
  return [1 - growth * phi(q - s), growth * phi(q + s) - 1];
}

const YEAR_SECONDS = 31_557_600;

/** Prices between which a model expects the price to stay. */
export function rangeOf(
  { logNormal, simple }: Terms,
  reference: Decimal,
  horizonSeconds: number,
  probability: number,
): [Decimal, Decimal] {
  if (simple !== undefined) {
    const low = reference.minus(Decimal.of(Math.abs(simple.down)));
    return [low.max(Decimal.of(0n)), reference.plus(Decimal.of(simple.up))];
  }
  const { mu, sigma } = logNormal!;
  const years = horizonSeconds / YEAR_SECONDS;
  const mean = Math.log(reference.number) + (mu - (sigma * sigma) / 2) * years;
  const z = inversePhi((1 - probability) / 2) * sigma * Math.sqrt(years);
  return [Decimal.of(Math.exp(mean + z)), Decimal.of(Math.exp(mean - z))];
}
