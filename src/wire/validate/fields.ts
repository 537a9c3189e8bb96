/** Checks shared by many commands, and parsing of texts (docs/protocol/30-node-api-transactions.md#33-message-catalogue). */
import { isEthereumAddress } from "../../crypto/secp256k1.ts";
import * as messages from "../../errors/validation.ts";
import { enumDescriptor } from "../descriptors.ts";
import { isHex64 } from "../identifiers.ts";
import { type Check, first, part, rule } from "./check.ts";

type Get<T, U> = (value: T) => U;

/** Most bytes of a reference and of similar texts. Limits of texts are in bytes, although messages say characters. */
export const REFERENCE_BYTES_MAX = 100;

export function longerThan(text: string, bytesMax: number): boolean {
  // A UTF-16 unit is at most three bytes: most texts need no counting.
  return text.length * 3 > bytesMax && Buffer.byteLength(text) > bytesMax;
}

/** A text, bytes or a list that must not be empty. */
export function required<T>(property: string, of: Get<T, { readonly length: number }>): Check<T> {
  return rule(property, messages.IS_REQUIRED, (value) => of(value).length === 0);
}

/** A required part. */
export function present<T>(property: string, of: Get<T, object | undefined>): Check<T> {
  return rule(property, messages.IS_REQUIRED, (value) => of(value) === undefined);
}

/** A required part with checks on it. */
export function needed<T, U extends object>(
  property: string,
  of: Get<T, U | undefined>,
  ...checks: readonly Check<U>[]
): Check<T> {
  return first(present(property, of), part(of, ...checks));
}

/** An identifier: exactly 64 hexadecimal digits in either case. */
export function identifier<T>(property: string, of: Get<T, string>): Check<T> {
  return first(
    required(property, of),
    rule(property, messages.SHOULD_BE_AN_ID, (value) => !isHex64(of(value))),
  );
}

export function publicKey<T>(property: string, of: Get<T, string>): Check<T> {
  return first(
    required(property, of),
    rule(property, messages.SHOULD_BE_A_PUBLIC_KEY, (value) => !isHex64(of(value))),
  );
}

export function ethereumAddress<T>(property: string, of: Get<T, string>): Check<T> {
  return first(required(property, of), optionalEthereumAddress(property, of));
}

export function optionalEthereumAddress<T>(property: string, of: Get<T, string>): Check<T> {
  return rule(
    property,
    messages.NOT_AN_ETHEREUM_ADDRESS,
    (value) => of(value) !== "" && !isEthereumAddress(of(value)),
  );
}

export function shortReference<T>(property: string, of: Get<T, string>): Check<T> {
  return rule(property, messages.REFERENCE_TOO_LONG, (value) => longerThan(of(value), REFERENCE_BYTES_MAX));
}

/** A required enum; its number must have a name. */
export function choice<T>(property: string, of: Get<T, number>, enumName: string): Check<T> {
  return first(
    rule(property, messages.IS_REQUIRED, (value) => of(value) === 0),
    rule(property, messages.IS_NOT_VALID, (value) => !isNamed(enumName, of(value))),
  );
}

export function isNamed(enumName: string, value: number): boolean {
  return enumDescriptor(enumName).nameOf.has(value);
}

/** A whole number above zero, of any size. Zero and negative numbers are reported as missing, like an empty text. */
export function amount<T>(property: string, of: Get<T, string>): Check<T> {
  return first(
    rule(property, messages.IS_REQUIRED, (value) => {
      const text = of(value);
      return text === "" || (isInteger(text) && integerSign(text) <= 0);
    }),
    rule(property, messages.NOT_AN_INTEGER, (value) => !isInteger(of(value))),
  );
}

/** A decimal number above zero, with further checks. */
export function positiveNumber<T>(
  property: string,
  of: Get<T, string>,
  ...checks: readonly Check<T>[]
): Check<T> {
  return first(
    rule(property, messages.IS_NOT_A_NUMBER, (value) => decimal(of(value)) === undefined),
    rule(property, messages.MUST_BE_POSITIVE, (value) => decimal(of(value))!.sign <= 0),
    ...checks,
  );
}

/** A required whole number above zero. */
export function positiveInteger<T>(property: string, of: Get<T, string>): Check<T> {
  return first(
    required(property, of),
    rule(property, messages.IS_NOT_A_NUMBER, (value) => !isInteger(of(value))),
    rule(property, messages.MUST_BE_POSITIVE, (value) => integerSign(of(value)) <= 0),
  );
}

const INTEGER = /^[+-]?\d+$/;

/** A base-10 whole number with an optional sign, of any length. */
export function isInteger(text: string): boolean {
  return INTEGER.test(text);
}

/** -1, 0 or 1, from the text alone: a bigint of a million digits would take seconds. */
export function integerSign(text: string): number {
  return signOf(text, text);
}

function signOf(text: string, digits: string): number {
  if (!/[1-9]/.test(digits)) return 0;
  return text.startsWith("-") ? -1 : 1;
}

/** A decimal number of any size, as its sign and a value rounded to a double (infinite beyond the largest). */
export interface Decimal {
  readonly sign: number;
  readonly value: number;
}

/** Parses a decimal number in the form of amounts and factors; undefined for other text. */
export function decimal(text: string): Decimal | undefined {
  if (decimalProblem(text) !== undefined) return undefined;
  const digits = splitExponent(text)[0].replace(".", "");
  return { sign: signOf(digits, digits), value: Number(text) };
}

/** Whether a decimal number is above a limit, exactly. @param powerOfTen the limit */
export function exceeds(text: string, powerOfTen: number): boolean {
  const { value } = decimal(text)!;
  if (value !== powerOfTen) return value > powerOfTen;
  // The double is rounded, so the text decides: does a non-zero digit follow its one?
  return /^[+.0]*1.*[1-9]/.test(splitExponent(text)[0]);
}

// Numbers as the network parses them: its checks use three Go parsers, which accept different texts.

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
 * @returns undefined for other text, and for a number beyond the largest double
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
  // Sixteen digits exceed a double's precision; further digits only move the point.
  const kept = digits.slice(0, 16);
  const places = 4 * (digits.length - kept.length - fraction.length) + clamp(Number(exponent));
  const value = scaled(Number.parseInt(kept, 16), places);
  return sign === "-" ? -value : value;
}

function clamp(exponent: number): number {
  return Math.max(-100_000, Math.min(100_000, exponent));
}

const TWO_TO_512 = Number(1n << 512n);

/** value × 2^places without intermediate overflow. */
function scaled(value: number, places: number): number {
  const isSmaller = places < 0;
  let [result, rest] = [value, Math.abs(places)];
  for (; rest > 512 && result > 0 && result < Number.POSITIVE_INFINITY; rest -= 512)
    result = isSmaller ? result / TWO_TO_512 : result * TWO_TO_512;
  const unit = Number(1n << BigInt(Math.min(rest, 512)));
  return isSmaller ? result / unit : result * unit;
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
 * `big.Float` parsed with base 0: prefixes 0b, 0o and 0x, underscores, exponents of any size, Inf.
 * @returns the sign; undefined for other text
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

type DecimalProblem = `can't convert ${string} to decimal${string}`;
const EXPONENT_DIGITS = /^[+-]?\d+$/;
const EXPONENT_MAX = 2 ** 31 - 1;

/**
 * The error of `decimal.NewFromString` (shopspring) for a text; undefined for a decimal number.
 * Later errors have the text without its exponent, as in shopspring.
 */
export function decimalProblem(text: string): DecimalProblem | undefined {
  const failed = (shown: string, why = ""): DecimalProblem => `can't convert ${shown} to decimal${why}`;
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
