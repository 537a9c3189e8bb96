// The text PostgreSQL gives a jsonb value (reference 20, section 2.7): one line, a space after each colon and
// comma, object keys by byte length first and then bytewise.
import { plainDouble } from "./numeric.ts";

export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** Members that are undefined are left out. Numbers may be bigint: nanosecond times do not fit a double. */
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

/** Byte length in UTF-8 first, then bytes. */
export function compareKeys(a: string, b: string): number {
  if (ASCII.test(a) && ASCII.test(b) && a.length !== b.length) return a.length - b.length;
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length - right.length || Buffer.compare(left, right);
}
