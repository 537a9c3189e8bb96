// What a recurring transfer sends in an epoch (reference 60, section 8.4, step 1).
import { Decimal } from "../decimal.ts";

/** Binary places of the bounds: enough that they agree on the whole part except for values that are whole. */
const PLACES = 512n;

/**
 * The whole part of amount × factor^times, exactly. A power has as many digits as the factor times the exponent, so
 * it is first closed in between two bounds of a fixed width; only when their whole parts differ is it worked out.
 */
export function recurringAmount(amount: bigint, factor: Decimal, times: bigint): bigint {
  const [whole, fraction = ""] = factor.toString().split(".");
  const numerator = BigInt(`${whole}${fraction}`) << PLACES;
  const denominator = 10n ** BigInt(fraction.length);
  const low = (amount * power(numerator / denominator, times, 0n)) >> PLACES;
  const high = (amount * power(ceiling(numerator, denominator), times, 1n)) >> PLACES;
  if (low === high) return low;
  return Decimal.of(amount).times(factor.power(times)).truncated();
}

/** base^times with PLACES binary places, each product rounded down (`up` 0) or up (`up` 1). */
function power(base: bigint, times: bigint, up: bigint): bigint {
  const rounding = up * ((1n << PLACES) - 1n);
  const multiply = (a: bigint, b: bigint) => (a * b + rounding) >> PLACES;
  let result = 1n << PLACES;
  let square = base;
  for (let rest = times; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = multiply(result, square);
    if (rest > 1n) square = multiply(square, square);
  }
  return result;
}

function ceiling(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}
