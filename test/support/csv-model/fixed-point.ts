// Decimals as whole multiples of 10^-400: sums and products of test values are exact, and every line is plain enough
// to be trusted. The other implementation is src/wire/decimal.ts.

export type Fixed = bigint;

const SCALE = 400n;
export const ONE: Fixed = 10n ** SCALE;

/** A number of an event; empty is zero. */
export function fixed(text: string): Fixed {
  const [mantissa, exponent = "0"] = text.toLowerCase().split("e") as [string, string?];
  const [whole, fraction = ""] = mantissa.replace(/^[+-]/, "").split(".") as [string, string?];
  const power = SCALE - BigInt(fraction.length) + BigInt(exponent);
  if (power < 0n) throw new Error(`too small for this: ${text}`);
  const value = BigInt(`0${whole}${fraction}`) * 10n ** power;
  return mantissa.startsWith("-") ? -value : value;
}

/** Quotient to 16 decimals, halves away from zero. */
export function over(a: Fixed, b: Fixed): Fixed {
  const step = 10n ** 16n;
  const isNegative = a < 0n !== b < 0n;
  const [n, d] = [a < 0n ? -a : a, b < 0n ? -b : b];
  const units = (n * step * 2n + d) / (d * 2n);
  return (isNegative ? -units : units) * (ONE / step);
}

/** Without trailing zeros, and without a point where none is needed. */
export function fixedText(value: Fixed): string {
  const digits = String(value < 0n ? -value : value).padStart(Number(SCALE) + 1, "0");
  const whole = digits.slice(0, -Number(SCALE));
  const fraction = digits.slice(-Number(SCALE)).replace(/0+$/, "");
  return `${value < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
