// The CSV dialect and the texts of SQL values (reference 20, sections 2.6 and 2.7). A NULL is an empty field
// without quotes; everything else goes through the function of its column type.
import { identifierBytes } from "../wire/identifiers.ts";

/** SQL NULL: nothing between two commas. */
export const NULL = "";

const NEEDS_QUOTES = /[",\r\n]/;
const LOWER_HEX_64 = /^[0-9a-f]{64}$/;
const MICROSECONDS = 1_000_000;
const NANOSECONDS = 1_000_000_000n;
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
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

/** A bytea column that holds an identifier. @throws InvalidIdentifier */
export function identifier(id: string): string {
  return LOWER_HEX_64.test(id) ? `\\x${id}` : bytea(identifierBytes(id));
}

/** Text up to the second of the second asked last: rows of a block ask for the same one again and again. */
let lastSecond = Number.NaN;
let lastSecondText = "";

/** A timestamptz column, from Unix microseconds. */
export function timestamp(us: number): string {
  const second = Math.floor(us / MICROSECONDS);
  return secondAndFraction(second, us - second * MICROSECONDS);
}

/** A timestamptz column from Unix nanoseconds, cut towards the past; 0 is the epoch, never NULL. */
export function timestampNs(ns: bigint): string {
  if (ns === 0n) return EPOCH;
  const second = Number(floorDivide(ns, NANOSECONDS));
  return secondAndFraction(second, Number((ns - BigInt(second) * NANOSECONDS) / 1000n));
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
