// The CSV dialect and the texts of SQL values (reference 20, sections 2.6 and 2.7). A NULL is an empty field
// without quotes; everything else goes through the function of its column type.
import { identifierBytes } from "../wire/identifiers.ts";

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
  if (second !== lastSecond) {
    lastSecond = second;
    lastSecondText = secondText(second);
  }
  const fraction = us - second * MICROSECONDS;
  if (lastSecondText.endsWith(" BC")) {
    return `${lastSecondText.slice(0, -3)}${fractionText(fraction)}+00 BC`;
  }
  return `${lastSecondText}${fractionText(fraction)}+00`;
}

/** A timestamptz column from Unix nanoseconds, cut towards the past; 0 is the epoch, never NULL. */
export function timestampNs(ns: bigint): string {
  return ns === 0n ? EPOCH : timestamp(microseconds(ns));
}

/** Unix nanoseconds to microseconds, rounded towards the past (reference 20, section 3.3). */
export function microseconds(ns: bigint): number {
  const us = ns / 1000n;
  return Number(ns < 0n && us * 1000n !== ns ? us - 1n : us);
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
  const shown = year > 0 ? year : 1 - year;
  return `${String(shown).padStart(4, "0")}-${two(month)}-${two(date)} ${clock}${year > 0 ? "" : " BC"}`;
}

/** Day since 1970-01-01 to a date of the proleptic Gregorian calendar, for any year (Howard Hinnant's method). */
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
