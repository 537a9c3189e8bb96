// Numbers as the network's rules read them. Its checks use three parsers of the Go world, and each takes other texts;
// what the engine does with such a text afterwards is its own matter.

/** Sign, Inf or NaN, in any case: `strconv.ParseFloat`. */
const NOT_FINITE = /^[+-]?(?:inf|infinity)$|^nan$/i;
/** Digits with single underscores between them: after a digit or a base's prefix, before a digit. */
const DIGITS = "\\d(?:_?\\d)*";
const DECIMAL_FLOAT = new RegExp(
  `^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][+-]?${DIGITS})?$`,
);
const HEX = "[0-9a-fA-F](?:_?[0-9a-fA-F])*";
const HEX_FLOAT = new RegExp(`^[+-]?0[xX]_?(?:${HEX}(?:\\.(?:${HEX})?)?|\\.${HEX})[pP][+-]?\\d+$`);

/**
 * `strconv.ParseFloat(text, 64)`: decimal or hexadecimal, with underscores, Inf and NaN.
 * @returns undefined for another text, and for a number beyond the largest double
 */
export function float64Of(text: string): number | undefined {
  if (NOT_FINITE.test(text)) {
    if (/nan/i.test(text)) return Number.NaN;
    return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (DECIMAL_FLOAT.test(text)) {
    const value = Number(text.replaceAll("_", ""));
    return Number.isFinite(value) ? value : undefined;
  }
  if (!HEX_FLOAT.test(text)) return undefined;
  const value = hexFloat(text.replaceAll("_", ""));
  return Number.isFinite(value) ? value : undefined;
}

/** The value of a hexadecimal number with a binary exponent, to the precision of a double. */
function hexFloat(text: string): number {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?\d+)$/.exec(text)!;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  if (digits === "") return 0;
  // Sixteen digits hold more than a double does; the others only move the point.
  const kept = digits.slice(0, 16);
  const places = 4 * (digits.length - kept.length - fraction.length) + clamp(Number(exponent));
  const value = scaled(Number.parseInt(kept, 16), places);
  return sign === "-" ? -value : value;
}

function clamp(exponent: number): number {
  return Math.max(-100_000, Math.min(100_000, exponent));
}

/** value × 2^places without an overflow on the way. */
function scaled(value: number, places: number): number {
  const half = Math.trunc(places / 2);
  return value * 2 ** half * 2 ** (places - half);
}

const PREFIXED: readonly (readonly [form: RegExp, digit: RegExp])[] = [
  ["bB", "01"],
  ["oO", "0-7"],
  ["xX", "0-9a-fA-F"],
].map(([letter, digits]) => {
  const run = `[${digits}](?:_?[${digits}])*`;
  const form = `^[+-]?0[${letter}]_?(?:${run}(?:\\.(?:${run})?)?|\\.${run})(?:[pP][+-]?\\d+)?$`;
  return [new RegExp(form), /[1-9a-fA-F]/] as const;
});
const BIG_DECIMAL = new RegExp(
  `^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eEpP][+-]?${DIGITS})?$`,
);

/**
 * `big.Float` read with base 0: prefixes 0b, 0o and 0x, underscores, exponents of any size, Inf.
 * @returns the sign; undefined for another text
 */
export function bigFloatSign(text: string): -1 | 0 | 1 | undefined {
  const sign = text.startsWith("-") ? -1 : 1;
  if (/^[+-]?(?:inf|Inf)$/.test(text)) return sign;
  for (const [form, digit] of PREFIXED) {
    if (form.test(text)) return digit.test(mantissa(text).slice(text.search(/\d/) + 2)) ? sign : 0;
  }
  if (!BIG_DECIMAL.test(text)) return undefined;
  return /[1-9]/.test(text.replace(/[eEpP].*/, "")) ? sign : 0;
}

function mantissa(text: string): string {
  return text.replace(/[pP].*/, "");
}

const EXPONENT_DIGITS = /^[+-]?\d+$/;
const EXPONENT_MAX = 2 ** 31 - 1;

/**
 * What `decimal.NewFromString` (shopspring) says of a text that it does not take; undefined for a decimal number.
 * Later problems name the text without its exponent, as there.
 */
export function decimalProblem(text: string): string | undefined {
  const failed = (shown: string, why = "") => `can't convert ${shown} to decimal${why}`;
  const [number, exponent] = splitExponent(text);
  if (exponent !== undefined) {
    if (!EXPONENT_DIGITS.test(exponent)) return failed(text, ": exponent is not numeric");
    if (Math.abs(Number(exponent)) > EXPONENT_MAX) return failed(text, ": fractional part too long");
  }
  const parts = number.split(".");
  if (parts.length > 2) return failed(number, ": too many .s");
  if (!/^[+-]?\d+$/.test(parts.join(""))) return failed(number);
  return undefined;
}

function splitExponent(text: string): [number: string, exponent: string | undefined] {
  const at = text.search(/[eE]/);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
