// Times and durations as texts: Unix nanoseconds to and from the forms of the interface and of Go. Fractions have no
// trailing zeros.
import { NodeError } from "../errors/node-error.ts";

/** Nanoseconds of each unit. */
export const MICROSECOND_NS = 1_000n;
export const MILLISECOND_NS = 1_000_000n;
export const SECOND_NS = 1_000_000_000n;
const MINUTE_NS = 60n * SECOND_NS;
const HOUR_NS = 60n * MINUTE_NS;

/** `2022-12-12T05:05:00.5Z`: RFC 3339 with nanoseconds, as the interface states times. */
export function rfc3339Nano(ns: bigint): string {
  const { date, time } = parts(ns);
  return `${date}T${time}Z`;
}

/** `2022-12-12 05:05:00.5 +0000 UTC`: how Go prints a time inside a sentence (docs/protocol/40-pow-spam.md#42-simple-policies). */
export function sentenceTime(ns: bigint): string {
  const { date, time } = parts(ns);
  return `${date} ${time} +0000 UTC`;
}

const DAY_SECONDS = 86_400;
const DAY_NS = 24n * HOUR_NS;

function parts(ns: bigint): { date: string; time: string } {
  // Days first: seconds of a far time are more than a number holds exactly.
  let day = Number(ns / DAY_NS);
  let rest = Number(ns % DAY_NS);
  if (rest < 0) {
    day--;
    rest += DAY_SECONDS * 1e9;
  }
  if (day !== lastDay.day) lastDay = { day, date: dateText(day) };
  const seconds = Math.floor(rest / 1e9);
  return { date: lastDay.date, time: clockText(seconds, rest - seconds * 1e9) };
}

/** Most times of a page are on one day. */
let lastDay = { day: 0, date: "1970-01-01" };

/** The calendar repeats after four hundred years. */
const CYCLE_YEARS = 400;
const CYCLE_DAYS = 146_097;

/** Date of a day, counted from 1970. Dates far beyond what the platform supports have longer years. */
function dateText(day: number): string {
  const cycles = Math.floor(day / CYCLE_DAYS);
  const date = new Date((day - cycles * CYCLE_DAYS) * DAY_SECONDS * 1000).toISOString();
  const year = String(Number(date.slice(0, 4)) + cycles * CYCLE_YEARS).padStart(4, "0");
  return `${year}${date.slice(4, 10)}`;
}

/** Time of day, with the fraction up to its last digit that is not zero. */
function clockText(seconds: number, nanos: number): string {
  const minutes = Math.floor(seconds / 60);
  const clock = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`;
  if (nanos === 0) return clock;
  let fraction = nanos;
  let digits = 9;
  for (; fraction % 10 === 0; fraction /= 10) digits--;
  return `${clock}.${String(fraction).padStart(digits, "0")}`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

const RFC3339 = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;

/**
 * Unix nanoseconds of a time in RFC 3339, as parameters give them
 * (docs/protocol/60-state-engine-governance.md#57-limits-engine); undefined for other text.
 */
export function timeNs(text: string): bigint | undefined {
  const match = RFC3339.exec(text);
  if (!match) return undefined;
  const [, date, time, fraction = "", sign, hours = "0", minutes = "0"] = match;
  const milliseconds = Date.parse(`${date}T${time}Z`);
  // Some parsers carry invalid days over to the next month.
  if (Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(`${date}T${time}`))
    return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = BigInt(Number(hours) * 60 + Number(minutes)) * MINUTE_NS;
  const local = BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
  return sign === "-" ? local + offset : local - offset;
}

const SMALL_UNITS = [
  ["ms", 1_000_000n],
  ["µs", 1_000n],
  ["ns", 1n],
] as const;

/**
 * A duration as Go prints it: `1h30m0s`, `1.5s`, `250ms`
 * (docs/protocol/60-state-engine-parameters.md#102-all-keys-and-defaults, defaults).
 */
export function durationText(ns: bigint): string {
  if (ns === 0n) return "0s";
  if (ns < 0n) return `-${durationText(-ns)}`;
  if (ns < SECOND_NS) {
    const [name, unit] = SMALL_UNITS.find(([, size]) => ns >= size)!;
    return `${withFraction(ns, unit)}${name}`;
  }
  const hours = ns >= HOUR_NS ? `${ns / HOUR_NS}h` : "";
  const minutes = ns >= MINUTE_NS ? `${(ns % HOUR_NS) / MINUTE_NS}m` : "";
  return `${hours}${minutes}${withFraction(ns % MINUTE_NS, SECOND_NS)}s`;
}

function withFraction(ns: bigint, unit: bigint): string {
  const digits = unit.toString().length - 1;
  const fraction = (ns % unit).toString().padStart(digits, "0").replace(/0+$/, "");
  return unit === 1n || fraction === "" ? `${ns / unit}` : `${ns / unit}.${fraction}`;
}

export const UNIT_NS: Readonly<Record<string, number>> = {
  h: 3.6e12,
  m: 6e10,
  s: 1e9,
  ms: 1e6,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ns: 1,
};

const PART = /(\d*)(?:\.(\d*))?(h|ms|m|s|us|µs|μs|ns)/g;
const DURATION = /^\+?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|μs|ns))+)$/;

/** Parses a duration as Go does, `24h0m0s`, to nanoseconds; not negative. @throws NodeError */
export function durationNs(text: string): bigint {
  if (!DURATION.test(text)) {
    throw new NodeError("wire.duration", "invalid_parameter", `'${text}' is not a duration such as 1h30m`);
  }
  let total = 0n;
  for (const [, whole, fraction = "", unit] of text.matchAll(PART)) {
    const unitNs = BigInt(UNIT_NS[unit!]!);
    total += BigInt(whole!) * unitNs;
    if (fraction !== "") total += (BigInt(fraction) * unitNs) / 10n ** BigInt(fraction.length);
  }
  return total;
}
