/**
 * Types of network parameters with their bounds (reference 60, section 10). A type says in the network's words what
 * is wrong with a text; whoever asks puts the key in front.
 */
import { durationNs } from "../chain/admission/network-parameters.ts";
import { reasonOf } from "../errors/node-error.ts";
import { Decimal } from "../wire/decimal.ts";
import { durationText } from "./duration-text.ts";

export type ParameterKind = "decimal" | "uint" | "int" | "duration" | "string" | "json";

export interface ParameterType {
  readonly kind: ParameterKind;
  /** @returns why the text is no value of this type, or undefined when it is one */
  problem(text: string): string | undefined;
}

/** Limits as texts of the type they bound. */
export interface Bounds {
  readonly min?: string;
  readonly max?: string;
  /** The value must be greater. */
  readonly above?: string;
  /** The value must be less. */
  readonly below?: string;
}

const UINT_MAX = (1n << 256n) - 1n;
export const INT64_MAX = (1n << 63n) - 1n;
const INT_MIN = -(1n << 63n);
/** Digits of the largest uint: longer texts are not even read. */
const UINT_DIGITS_MAX = 78;

/** The largest number of 256 bits. */
export const UINT_MAX_TEXT = UINT_MAX.toString();

export function decimal(bounds: Bounds = {}): ParameterType {
  return bounded("decimal", bounds, {
    parse: parseDecimal,
    compare: (a, b) => a.compare(b),
    print: (value) => value.toString(),
    malformed: (text) => `can't convert ${text} to decimal`,
  });
}

export function uint(bounds: Bounds = {}): ParameterType {
  return bounded("uint", bounds, { ...WHOLE, parse: parseShortUint, malformed: () => "invalid uint" });
}

export function int(bounds: Bounds = {}): ParameterType {
  return bounded("int", bounds, {
    ...WHOLE,
    parse: parseInt64,
    malformed: (text) => `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`,
  });
}

export function duration(bounds: Bounds = {}): ParameterType {
  return bounded("duration", bounds, {
    ...WHOLE,
    parse: parseDuration,
    print: durationText,
    malformed: (text) => `time: invalid duration ${JSON.stringify(text)}`,
  });
}

/** @param problem what else is asked of the text */
export function string(problem: (text: string) => string | undefined = () => undefined): ParameterType {
  return { kind: "string", problem };
}

/** @param problem what is asked of the text, its being JSON included (parameter-json.ts) */
export function json(problem: (text: string) => string | undefined): ParameterType {
  return { kind: "json", problem };
}

/** Characters of a decimal that is written out: far above what 256 bits and any sensible fraction need. */
const DECIMAL_CHARACTERS_MAX = 200;

/** A decimal as the network reads it, an exponent allowed; undefined for anything else. */
export function parseDecimal(text: string): Decimal | undefined {
  if (!/\d/.test(text) || text.length > DECIMAL_CHARACTERS_MAX) return undefined;
  try {
    const value = Decimal.parseNumber(text);
    return value.toString().length > DECIMAL_CHARACTERS_MAX ? undefined : value;
  } catch {
    return undefined;
  }
}

/** A whole number of at most 256 bits, base 10. */
export function parseUint(text: string): bigint | undefined {
  if (!/^\d+$/.test(text) || text.replace(/^0+/, "").length > UINT_DIGITS_MAX) return undefined;
  const value = BigInt(text);
  return value > UINT_MAX ? undefined : value;
}

/** The same where it is read as a decimal afterwards: not any number of zeros in front. */
function parseShortUint(text: string): bigint | undefined {
  return text.length > DECIMAL_CHARACTERS_MAX ? undefined : parseUint(text);
}

const DURATION_CHARACTERS_MAX = 100;

/** Nanoseconds of a duration in Go's notation. */
export function parseDuration(text: string): bigint | undefined {
  if (text.length > DURATION_CHARACTERS_MAX) return undefined;
  try {
    const value = /^-[^+]/.test(text) ? -durationNs(text.slice(1)) : durationNs(text);
    return value > INT64_MAX || value < INT_MIN ? undefined : value;
  } catch {
    return undefined;
  }
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,30}$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return value > INT64_MAX || value < INT_MIN ? undefined : value;
}

interface Reading<V> {
  parse(text: string): V | undefined;
  compare(a: V, b: V): number;
  print(value: V): string;
  malformed(text: string): string;
}

const WHOLE = {
  compare: (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0),
  print: (value: bigint) => value.toString(),
};

/** The four ways to bound a value, with the sign that the text of a refusal shows. */
const RULES = [
  { member: "min", sign: ">=", holds: (order: number) => order >= 0 },
  { member: "above", sign: ">", holds: (order: number) => order > 0 },
  { member: "max", sign: "<=", holds: (order: number) => order <= 0 },
  { member: "below", sign: "<", holds: (order: number) => order < 0 },
] as const;

function bounded<V>(kind: ParameterKind, bounds: Bounds, reading: Reading<V>): ParameterType {
  const rules = RULES.flatMap(({ member, sign, holds }) => {
    const text = bounds[member];
    return text === undefined ? [] : [{ limit: reading.parse(text)!, sign, holds }];
  });
  return {
    kind,
    problem(text) {
      const value = reading.parse(text);
      if (value === undefined) return reading.malformed(shortened(text));
      const broken = rules.find(({ limit, holds }) => !holds(reading.compare(value, limit)));
      return broken && `expect ${broken.sign} ${reading.print(broken.limit)} got ${reading.print(value)}`;
    },
  };
}

const REPEATED_CHARACTERS_MAX = 200;

/** A client's text as refusals repeat it. A lone surrogate, which JSON and a cut can bring, has no place in an event. */
export function shortened(text: string): string {
  const cut = text.length > REPEATED_CHARACTERS_MAX ? `${text.slice(0, REPEATED_CHARACTERS_MAX)}…` : text;
  return cut.toWellFormed();
}

/** Runs a check that throws; the reason is the problem. */
export function problemOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}
