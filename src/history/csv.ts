// The CSV dialect and the texts of SQL values (docs/protocol/20-network-history-export.md#26-csv-dialect and
// #27-rendering-of-sql-types). A NULL is an empty field without quotes; everything else goes through the function of
// its column type.

import { identifierBytes } from "../wire/identifiers.ts";
import { SECOND_NS } from "../wire/time-text.ts";

/** SQL NULL: nothing between two commas. */
export const NULL = "";

const NEEDS_QUOTES = /[",\r\n]/;
const LOWER_HEX_64 = /^[0-9a-f]{64}$/;
const MICROSECONDS = 1_000_000;
const DAY_SECONDS = 86_400;

/** A text or jsonb column. */
export function text(value: string): string {
  if (value === "") return '""';
  return NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** A bool column. */
export function bool(value: boolean): string {
  return value ? "t" : "f";
}

/** A bytea column. */
export function bytea(bytes: Uint8Array): string {
  return `\\x${bytes.toHex()}`;
}

/** A bytea column that holds an identifier. @throws InvalidIdentifier */
export function identifier(id: string): string {
  return LOWER_HEX_64.test(id) ? `\\x${id}` : bytea(identifierBytes(id));
}

/** Text of the last second formatted: rows of a block have the same one. */
let lastSecond = Number.NaN;
let lastSecondText = "";

/** A timestamptz column, from Unix microseconds. */
export function timestamp(us: number): string {
  const second = Math.floor(us / MICROSECONDS);
  return secondAndFraction(second, us - second * MICROSECONDS);
}

/** A timestamptz column from Unix nanoseconds, rounded down; 0 is the epoch, never NULL. */
export function timestampNs(ns: bigint): string {
  if (ns === 0n) return EPOCH;
  const second = Number(floorDivide(ns, SECOND_NS));
  return secondAndFraction(second, Number((ns - BigInt(second) * SECOND_NS) / 1000n));
}

function secondAndFraction(second: number, us: number): string {
  if (second !== lastSecond) {
    lastSecond = second;
    lastSecondText = secondText(second);
  }
  return `${lastSecondText}${fractionText(us)}+00`;
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient;
}

function fractionText(us: number): string {
  if (us === 0) return "";
  const digits = String(us).padStart(6, "0");
  let end = 6;
  while (digits.charCodeAt(end - 1) === 0x30) end--;
  return `.${digits.slice(0, end)}`;
}

function secondText(second: number): string {
  const day = Math.floor(second / DAY_SECONDS);
  const { year, month, date } = civilDate(day);
  const rest = second - day * DAY_SECONDS;
  const clock = `${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
  return `${year}-${two(month)}-${two(date)} ${clock}`;
}

/**
 * Day since 1970-01-01 to a date (Howard Hinnant's method). Times are 64-bit nanoseconds, so years have four digits:
 * 1677 to 2262.
 */
function civilDate(day: number): { year: number; month: number; date: number } {
  const z = day + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return { year, month, date: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1 };
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

const EPOCH = timestamp(0);

// PostgreSQL's texts of numbers, as in the exported CSVs
// (docs/protocol/20-network-history-export.md#27-rendering-of-sql-types). Events carry decimals as text; most are plain
// digits already and pass through untouched.

/** Accepted by the original's decimal type: sign, digits, fraction, exponent. */
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;
const CANONICAL_WHOLE = /^(?:0|[1-9]\d*)$/;
/** `numeric(1000, ...)` holds no more digits than this. */
const DIGITS_MAX = 1000;

interface Parts {
  readonly negative: boolean;
  /** Digits of the number times 10^scale. */
  readonly digits: string;
  readonly scale: number;
}

/** HUGEINT column: a whole number; halves are rounded away from zero; empty text is 0. */
export function wholeText(text: string): string {
  if (CANONICAL_WHOLE.test(text)) return text;
  if (text === "") return "0";
  return plainText(rounded(parse(text), 0));
}

/** `numeric` without a scale: plain decimal without trailing zeros; empty text is 0. */
export function numericText(text: string): string {
  if (CANONICAL_WHOLE.test(text)) return text;
  if (text === "") return "0";
  const plain = plainText(parse(text));
  return plain.includes(".") ? trimmed(plain) : plain;
}

/** `numeric(1000, scale)`: always `scale` decimals. */
export function fixedText(text: string, scale: number): string {
  return plainText(rounded(parse(text === "" ? "0" : text), scale));
}

/** `double precision`: shortest text that reads back the same, exponents below 1e-4 and from 1e15 up. */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-4 && magnitude < 1e15) return String(value);
  const [mantissa, exponent] = value.toExponential().split("e") as [string, string];
  const size = exponent.slice(1);
  return `${mantissa}e${exponent[0]}${size.length < 2 ? `0${size}` : size}`;
}

/** A double inside jsonb: PostgreSQL keeps it as a decimal, so no exponent is ever shown. */
function plainDouble(value: number): string {
  const text = String(value);
  return text.includes("e") ? plainText(parse(text)) : text;
}

function parse(text: string): Parts {
  const match = FORM.exec(text);
  const whole = match?.[2] ?? "";
  const fraction = match?.[3] ?? "";
  if (!match || whole + fraction === "") throw new RangeError(`not a decimal number: '${text.slice(0, 60)}'`);
  const exponent = Number(match[4] ?? 0);
  if (whole.length + fraction.length + Math.abs(exponent) > DIGITS_MAX) {
    throw new RangeError(`a number of more than ${DIGITS_MAX} digits: '${text.slice(0, 60)}'`);
  }
  const scale = fraction.length - exponent;
  const digits = whole + fraction;
  const negative = match[1] === "-";
  return scale < 0
    ? { negative, digits: digits + "0".repeat(-scale), scale: 0 }
    : { negative, digits, scale };
}

/** To exactly `scale` decimals, halves away from zero. */
function rounded(parts: Parts, scale: number): Parts {
  if (parts.scale <= scale) {
    return { ...parts, digits: parts.digits + "0".repeat(scale - parts.scale), scale };
  }
  const cut = parts.scale - scale;
  const all = parts.digits.padStart(parts.scale + 1, "0");
  const kept = BigInt(all.slice(0, all.length - cut));
  const up = all.charCodeAt(all.length - cut) >= 0x35;
  return { negative: parts.negative, digits: (up ? kept + 1n : kept).toString(), scale };
}

function plainText({ negative, digits, scale }: Parts): string {
  const padded = digits.padStart(scale + 1, "0");
  const whole = padded.slice(0, padded.length - scale).replace(/^0+(?=\d)/, "");
  const text = scale === 0 ? whole : `${whole}.${padded.slice(padded.length - scale)}`;
  return negative && /[1-9]/.test(text) ? `-${text}` : text;
}

/** Removes trailing zeros behind the point. */
function trimmed(text: string): string {
  return text.replace(/\.?0+$/, "");
}

// The text PostgreSQL gives a jsonb value (docs/protocol/20-network-history-export.md#27-rendering-of-sql-types): one
// line, a space after each colon and comma, object keys by byte length first and then bytewise.

export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** Undefined members are omitted. Numbers may be bigint: nanosecond times do not fit a double. */
export function jsonbText(value: JsonValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return plainDouble(value);
  if (value === null || typeof value !== "object") return String(value);
  if (isList(value)) return `[${value.map(jsonbText).join(", ")}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort(compareKeys)) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}: ${jsonbText(member)}`);
  }
  return `{${members.join(", ")}}`;
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}

const ASCII = /^[\x20-\x7e]*$/;

/** Compares the byte length in UTF-8, then the bytes. */
function compareKeys(a: string, b: string): number {
  if (ASCII.test(a) && ASCII.test(b) && a.length !== b.length) return a.length - b.length;
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length - right.length || Buffer.compare(left, right);
}
