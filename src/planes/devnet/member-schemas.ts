// Elysia's schema of a tool's body, from its declaration: what a member may be in JSON, how it is read, and the sentence that
// refuses it. Whole numbers may be written as numbers or as texts.

import { type TSchema, t } from "elysia";
import { didYouMean } from "../../errors/nearest.ts";
import { isOptional, plainName } from "../../http/declaration.ts";
import { type ApiError, badRequest } from "../../http/errors.ts";
import { integer } from "../../http/schema-of.ts";
import { durationNs, timeNs } from "../../wire/time-text.ts";
import { parseBlockMode } from "./block-mode.ts";
import type { Declaration } from "./declarations.ts";
import type { Member, MemberKind } from "./members.ts";
import { assetNamed, type NameReport, partyNamed } from "./names.ts";

const HASH = "^[0-9a-fA-F]{64}$";
const UINT = "^\\d{1,78}$";
const isUint = new RegExp(UINT);
const isHash = new RegExp(HASH);
/** As far as a 64-bit number of nanoseconds goes. */
const DURATION_MAX = "2562047h";
const DURATION_MAX_NS = (1n << 63n) - 1n;
/** A text that is meant as a time, right or wrong: `yesterday` is a wrong time, `-5` a wrong number. */
const NOT_A_NUMBER = /^\d{4}-|[A-Za-z]/;
const SHOWN_CHARACTERS = 60;

/** A member of a body, and the names of the devnet that answers. */
interface Place {
  readonly name: string;
  readonly member: Member;
  readonly names: () => NameReport;
}

interface Rule {
  /** Schema of its JSON. @param about description and error */
  schema(member: Member, about: object): TSchema;
  /** Completes the sentence that refuses other JSON: "'blocks' must be ...". */
  must(member: Member): string;
  /** The value for the tool's function. @throws ApiError 400 */
  read?(value: unknown, place: Place): unknown;
}

const textSchema: Rule["schema"] = (_, about) => t.String({ minLength: 1, ...about });
const text = { schema: textSchema, must: () => "a text" };
const number: Pick<Rule, "schema" | "must"> = {
  schema: (_, about) => t.Union([t.String({ pattern: UINT }), integer({ minimum: 0 })], about),
  must: () => "a whole number, 0 or more",
};

const RULES: Readonly<Record<MemberKind, Rule>> = {
  text,
  price: text,
  party: { ...text, read: (value, { names }) => partyNamed(String(value), names) },
  asset: { ...text, read: (value, { names }) => assetNamed(String(value), names()) },
  wholeNumber: { ...number, read: (value, { name }) => wholeNumber(name, value) },
  amount: {
    ...number,
    read(value, { name }) {
      const amount = wholeNumber(name, value);
      if (amount === 0n) throw mustBe(name, "above zero", "0");
      return amount;
    },
  },
  count: {
    schema: ({ most }, about) =>
      t.Union([t.String({ pattern: UINT }), integer({ minimum: 1, maximum: Number(most) })], about),
    must: ({ most }) => `a whole number from 1 to ${most}`,
    read(value, { name, member }) {
      const count = Number(value);
      if (count >= 1 && count <= Number(member.most)) return count;
      throw mustBe(name, RULES.count.must(member), value);
    },
  },
  flag: { schema: (_, about) => t.Boolean(about), must: () => "true or false" },
  object: { schema: (_, about) => t.Record(t.String(), t.Unknown(), about), must: () => "an object" },
  hash: {
    ...text,
    read(value, { name }) {
      if (isHash.test(String(value))) return value;
      throw badRequest(`'${name}' must be 64 hexadecimal digits`);
    },
  },
  hashes: {
    schema: (_, about) => t.Union([t.String(), t.Array(t.String({ pattern: HASH }), { minItems: 1 })], about),
    must: () => "transactions' hashes, each of 64 hexadecimal digits",
    read(value, { name, member }) {
      const hashes = typeof value === "string" ? value.split(",") : (value as string[]);
      if (!hashes.every((hash) => isHash.test(hash))) throw mustBe(name, RULES.hashes.must(member), value);
      if (hashes.length > Number(member.most)) throw mustBe(name, `at most ${member.most} hashes`, value);
      return hashes.map((hash) => hash.toUpperCase());
    },
  },
  duration: { ...text, read: (value, { name, member }) => duration(name, String(value), member) },
  time: {
    schema: (_, about) => t.Union([t.String(), integer({ minimum: 0 })], about),
    must: number.must,
    read: (value, { name }) => time(name, value),
  },
  mode: {
    ...text,
    read(value, { name }) {
      const mode = parseBlockMode(String(value));
      if (mode !== undefined) return mode;
      throw badRequest(`'${name}' must be instant, manual, a length such as 1s, or mixed:1s`);
    },
  },
};

export function bodySchema({ members }: Declaration): TSchema {
  const properties = Object.entries(members).map(([word, member]) => {
    const name = plainName(word);
    const schema = memberSchema(name, member);
    return [name, isOptional(word) ? t.Optional(schema) : schema];
  });
  const memberNames = new Set(properties.map(([name]) => name));
  const error = ({ found: value }: Refused) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return "the request body must be a JSON object";
    const stray = Object.keys(value).find((name) => !memberNames.has(name)) ?? "";
    const shown = stray.slice(0, SHOWN_CHARACTERS);
    return `there is no '${shown}' here${didYouMean(shown, Object.keys(members).map(plainName))}`;
  };
  return t.Object(Object.fromEntries(properties), { additionalProperties: false, error });
}

/**
 * A body that fits its schema, as the tool's function gets it. Elysia's `t.Transform` does not serve: it knows the error of a
 * reading by the name of its class, which bundling changes, and then goes on with the value unread.
 * @param names of the devnet that answers @throws ApiError 400
 */
export function readMembers({ members }: Declaration, body: unknown, names: () => NameReport): object {
  const values = body as Readonly<Record<string, unknown>>;
  const read = Object.entries(members).flatMap(([word, member]) => {
    const name = plainName(word);
    const value = values[name];
    if (value === undefined) return [];
    return [[name, RULES[member.kind].read?.(value, { name, member, names }) ?? value]];
  });
  return Object.fromEntries(read);
}

/** Argument of a schema's function `error`: the whole body. */
interface Refused {
  readonly found?: unknown;
}

function memberSchema(name: string, member: Member): TSchema {
  const rule = RULES[member.kind];
  const error = ({ found: parent }: Refused) => {
    const value = (parent as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) return member.missing ?? `'${name}' is required`;
    return mustBe(name, rule.must(member), value).message;
  };
  const description = `${member.meaning[0]!.toUpperCase()}${member.meaning.slice(1)}.`;
  return rule.schema(member, { description, error });
}

/** At most 256 bits. @throws ApiError 400 */
function wholeNumber(name: string, value: unknown): bigint {
  const isNumber =
    typeof value === "number" ? Number.isSafeInteger(value) && value >= 0 : isUint.test(String(value));
  const number = isNumber ? BigInt(value as string | number) : undefined;
  if (number !== undefined && number >> 256n === 0n) return number;
  throw mustBe(name, "a whole number, 0 or more", value);
}

/** Nanoseconds of `1h30m`, `10s`, `500ms`. @throws ApiError 400 */
function duration(name: string, value: string, { most }: Member): bigint {
  let length: bigint;
  try {
    length = durationNs(value);
  } catch {
    throw mustBe(name, "a duration such as 1h30m or 500ms", value);
  }
  if (length > DURATION_MAX_NS) throw mustBe(name, `at most ${DURATION_MAX}`, value);
  if (most !== undefined && length > durationNs(String(most)))
    throw badRequest(`'${name}' must be at most ${most}`);
  return length;
}

/** Unix nanoseconds of an RFC 3339 time in UTC, or of a whole number of them. @throws ApiError 400 */
function time(name: string, value: unknown): bigint {
  if (typeof value !== "string" || !NOT_A_NUMBER.test(value)) return wholeNumber(name, value);
  const ns = value.endsWith("Z") ? timeNs(value) : undefined;
  if (ns === undefined) throw mustBe(name, "a time such as 2030-01-01T00:00:00Z", value);
  return ns;
}

function mustBe(name: string, what: string, value: unknown): ApiError {
  return badRequest(`'${name}' must be ${what}, not ${shown(value)}`);
}

function shown(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `'${String(value).slice(0, SHOWN_CHARACTERS)}'`;
}
