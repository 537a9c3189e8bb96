// The exported CSVs' forms of values, a second time (docs/protocol/20-network-history-export.md#26-csv-dialect,
// #27-rendering-of-sql-types, docs/protocol/20-network-history-tables.md#33-value-rules-shared-by-all-tables).
import { enumDescriptor, messageDescriptor } from "../../../src/wire/descriptors.ts";
import { fixed, fixedText, ONE } from "./fixed-point.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages of many types
export type Any = any;

const WORDS: Readonly<Record<string, string>> = {
  VOTE: "00",
  network: "03",
  XYZalpha: "04",
  XYZbeta: "05",
  XYZdelta: "06",
  XYZepsilon: "07",
  XYZgamma: "08",
  fBTC: "09",
  fDAI: "0a",
  fEURO: "0b",
  fUSDC: "0c",
};

export const hex = (id: string) => WORDS[id] ?? id.toLowerCase();
export const bytea = (id: string) => `\\x${hex(id)}`;
/** The spelling that ids come back in. */
export const spelled = (id: string) =>
  Object.entries(WORDS).find(([, byte]) => byte === id.toLowerCase())?.[0] ??
  (id in WORDS ? id : id.toLowerCase());
export const text = (value: string) =>
  value === "" || /[",\r\n]/.test(value) ? `"${value.split('"').join('""')}"` : value;
export const label = (type: string, value: number) => enumDescriptor(type).nameOf.get(value) ?? String(value);

export function floorDiv(value: bigint, by: bigint): bigint {
  const rest = ((value % by) + by) % by;
  return (value - rest) / by;
}

/** timestamptz of microseconds, by way of `Date`. */
export function timeUs(us: bigint): string {
  const second = floorDiv(us, 1_000_000n);
  const [date, clock] = new Date(Number(second) * 1000).toISOString().slice(0, 19).split("T");
  const fraction = String(us - second * 1_000_000n)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `${date} ${clock}${fraction === "" ? "" : `.${fraction}`}+00`;
}
export const timeNs = (ns: bigint) => timeUs(floorDiv(ns, 1000n));

/** HUGEINT: halves away from zero. */
export function whole(value: string): string {
  const exact = fixed(value);
  const half = exact < 0n ? -ONE / 2n : ONE / 2n;
  return String((exact + half) / ONE);
}
export const numeric = (value: string) => fixedText(fixed(value));
export function scaled16(value: string): string {
  const step = ONE / 10n ** 16n;
  const exact = fixed(value);
  const units = (exact + (exact < 0n ? -step / 2n : step / 2n)) / step;
  const digits = String(units < 0n ? -units : units).padStart(17, "0");
  return `${units < 0n ? "-" : ""}${digits.slice(0, -16)}.${digits.slice(-16)}`;
}
export function float8(value: string): string {
  const number = Number(value);
  if (number === 0) return "0";
  const [mantissa, exponent] = number.toExponential().split("e") as [string, string];
  const power = Number(exponent);
  if (power < -4 || power >= 15) {
    return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  return String(number);
}

/** jsonb: keys by length and bytes, a blank behind colons and commas; a number in full. */
export function jsonb(value: Any): string {
  if (value === null) return "null";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return fixedText(fixed(String(value)));
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonb).join(", ")}]`;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  keys.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return `{${keys.map((key) => `${JSON.stringify(key)}: ${jsonb(value[key])}`).join(", ")}}`;
}

/** Struct JSON: zero values and empty texts are left out. */
export function struct(members: Record<string, Any>): Record<string, Any> {
  const isZero = (value: Any) => value === "" || value === 0 || value === 0n || value === undefined;
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isZero(value)));
}

/** Proto-JSON without unset fields. */
export function protoJson(type: string, message: Any): Record<string, Any> {
  const out: Record<string, Any> = {};
  for (const field of messageDescriptor(type).fields) {
    const value = message[field.jsonName];
    if (value === undefined) continue;
    const one = (item: Any): Any => {
      if (field.kind === "message") return protoJson(field.typeName, item);
      if (field.kind === "enum") return enumDescriptor(field.typeName).nameOf.get(item) ?? item;
      return typeof item === "bigint" ? String(item) : item;
    };
    if (field.repeated) {
      if (value.length > 0) out[field.jsonName] = value.map(one);
    } else if (field.kind === "message" || field.oneof !== "") out[field.jsonName] = one(value);
    else if (field.optional || (value !== "" && value !== 0 && value !== 0n && value !== false))
      out[field.jsonName] = one(value);
  }
  return out;
}
