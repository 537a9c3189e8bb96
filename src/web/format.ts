// Numbers, times and names as texts. Amounts are whole numbers of any size, so they are handled as texts.
import { DECIMALS_MAX, grouped, withDecimals } from "../wire/amount-text.ts";

const isTooMany = (decimals: number) => Math.abs(decimals) > DECIMALS_MAX;

/** `1,234.5` with 3 decimals as `1234500`; undefined where it is not such a number. */
export function toWhole(text: string, decimals: number): string | undefined {
  const [, before = "", after = ""] = /^([\d,]*)\.?(\d*)$/.exec(text.trim()) ?? [];
  const digits = before.replaceAll(",", "");
  if (isTooMany(decimals)) return undefined;
  if (digits + after === "" || after.length > Math.max(0, decimals)) return undefined;
  const whole = (digits + after.padEnd(Math.max(0, decimals), "0")).replace(/^0+(?=\d)/, "");
  if (decimals >= 0 || whole === "0") return whole;
  const zeros = "0".repeat(-decimals);
  return whole.endsWith(zeros) ? whole.slice(0, decimals) : undefined;
}

/** Why a text is not a number with these decimals; undefined where it is one, or empty. */
export function numberProblem(text: string, decimals: number, isZero = false): string | undefined {
  if (text.trim() === "") return undefined;
  const whole = toWhole(text, decimals);
  if (whole === "0" && !isZero) return "it is 0";
  if (whole !== undefined) return undefined;
  if (toWhole(text, Math.min(text.length, DECIMALS_MAX)) === undefined)
    return "not a number, such as 1,234.5";
  if (decimals < 0) return `not a multiple of ${withDecimals("1", decimals)}`;
  return decimals === 0 ? "whole numbers only" : `more than ${decimals} decimal${decimals === 1 ? "" : "s"}`;
}

export const count = (value: number) => grouped(String(Math.trunc(value)));

/** `3c8b4f…d2a1` */
export function shortId(id: string): string {
  return id.length > 14 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id;
}

const pad = (value: number, digits = 2) => String(value).padStart(digits, "0");

/** The time of day here, with the date where it is another day. */
export function localTime(ms: number, nowMs = Date.now()): string {
  const at = new Date(ms);
  const time = `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
  const isToday = new Date(nowMs).toDateString() === at.toDateString();
  return isToday ? time : `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())} ${time}`;
}

export function utcTime(ms: number): string {
  return `${new Date(ms)
    .toISOString()
    .replace("T", " ")
    .replace(/\.000Z$/, "Z")
    .replace("Z", "")} UTC`;
}

/** `12 s`, `5 min`, `3 h`, `2 d` */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${count(Math.floor(seconds / 86_400))} d`;
}

/** `ACCOUNT_TYPE_GENERAL` as `general`. */
export function enumWords(value: string | undefined, prefix: string): string {
  return (value ?? "").replace(prefix, "").replaceAll("_", " ").toLowerCase();
}

/** Nanoseconds or RFC 3339 as Unix milliseconds; undefined where it is neither, or zero. */
export function timeMs(text: string | undefined): number | undefined {
  if (text === undefined || text === "" || text === "0") return undefined;
  const ms = /^\d+$/.test(text) ? Number(BigInt(text) / 1_000_000n) : Date.parse(text);
  return Number.isFinite(ms) ? ms : undefined;
}

/** From here on three digits are those of the next step. */
const STEP = 999.5;

/** `1.23`, `12.3`, `123`, and all digits of a larger one. */
function threeDigits(value: number): string {
  if (value >= STEP) return count(Math.round(value));
  return value < 1e-6 ? "0" : value.toPrecision(3);
}

export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  // Rounded as a whole number: 41.15 is a little less as a binary fraction.
  const whole = Math.round(value);
  const unit = whole < 1e15 ? 10 ** Math.max(0, String(whole).length - 3) : 1;
  let size = Math.round(whole / unit) * unit;
  let step = 0;
  for (; size >= STEP && step < units.length - 1; step++) size = Math.max(1, size / 1_000);
  return `${step === 0 ? size : threeDigits(size)} ${units[step]}`;
}

/** A length of time as it was measured: `0.123 ms`, `1.23 s`. */
export function measured(ms: number): string {
  return ms < STEP ? `${threeDigits(ms)} ms` : `${threeDigits(Math.max(1, ms / 1_000))} s`;
}

/** Signs that cannot be seen, or turn the direction of writing; a line's end and a tabulator are kept. */
const HIDDEN = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Marks stacked on one letter climb over the lines above. */
const STACKED = /(\p{M}{3})\p{M}+/gu;
const PLAIN = /^[\n\t\x20-\x7e]*$/;

/** A text of others with everything in it visible: `a\u{202e}b`. */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .toWellFormed()
    .replace(HIDDEN, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`)
    .replace(STACKED, "$1…");
}
