// What a recurring transfer sends in an epoch (reference 60, section 8.4, step 1).
import { Decimal } from "../wire/decimal.ts";

/** Binary places of the bounds: enough that they agree on the whole part for nearly all values that are not whole. */
const PLACES = 512n;
/** From here on a factor with a fraction makes no value whole: its denominator has a power above every amount. */
const NEVER_WHOLE_TIMES = 256n;

/**
 * The whole part of amount × factor^times, exactly. A power has as many digits as the factor times the exponent, so
 * it is closed in between two bounds of a fixed width; when their whole parts differ, a power that may make a whole
 * value is worked out, and for the others the bounds become closer.
 */
export function recurringAmount(amount: bigint, factor: Decimal, times: bigint): bigint {
  const [whole, fraction = ""] = factor.toString().split(".");
  const digits = BigInt(`${whole}${fraction}`);
  const denominator = 10n ** BigInt(fraction.length);
  for (let places = PLACES; ; places *= 2n) {
    const numerator = digits << places;
    const low = (amount * power(numerator / denominator, times, 0n, places)) >> places;
    const high = (amount * power(ceiling(numerator, denominator), times, 1n, places)) >> places;
    if (low === high) return low;
    if (times < NEVER_WHOLE_TIMES) return Decimal.of(amount).times(factor.power(times)).truncated();
  }
}

/** base^times with so many binary places, each product rounded down (`up` 0) or up (`up` 1). */
function power(base: bigint, times: bigint, up: bigint, places: bigint): bigint {
  const rounding = up * ((1n << places) - 1n);
  const multiply = (a: bigint, b: bigint) => (a * b + rounding) >> places;
  let result = 1n << places;
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
