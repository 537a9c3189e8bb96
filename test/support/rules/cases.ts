// The form of the cases for validation rules: a valid command, and for each rule what breaks it.
import type { CommandKind } from "../../../src/wire/transaction-commands.ts";

/** Values by dotted path into the JSON form of a command; undefined takes the member away. */
export type Patch = Readonly<Record<string, unknown>>;

export interface RuleCase {
  /** `property (message)`, with `#` where the position in a list goes. */
  readonly rule: string;
  /** The valid command that is patched; the first one unless told. */
  readonly on?: string;
  readonly broken: Patch;
  /** A patch that comes close and is still valid; without one the command itself is the passing case. */
  readonly kept?: Patch;
  /** The whole text of the errors; the rule alone unless told. */
  readonly text?: string;
}

export interface CommandCases {
  /** Valid commands in JSON form, by what they are. */
  readonly valid: Readonly<Record<string, object>>;
  readonly cases: readonly RuleCase[];
}

export type CasesByKind = { readonly [K in CommandKind]?: CommandCases };

export const ID = "ab".repeat(32);
export const KEY = "CD".repeat(32);
export const ADDRESS = `0x${"5b".repeat(20)}`;
/** 100 and 101 bytes in 50 and 51 characters: limits count bytes. */
export const BYTES_100 = "é".repeat(50);
export const BYTES_101 = `${BYTES_100}a`;

/** A copy by way of JSON: what two members shared is then two things. */
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value));

export function patched(valid: object, patch: Patch): object {
  const copy = copyOf(valid) as Record<string, unknown>;
  for (const [path, value] of Object.entries(patch)) {
    const steps = path.split(".");
    const last = steps.pop()!;
    let place = copy;
    for (const step of steps) place = (place[step] ??= {}) as Record<string, unknown>;
    if (value === undefined) delete place[last];
    else place[last] = copyOf(value);
  }
  return copy;
}

/** The cases that every identifier has. */
export function identifierCases(property: string, path: string): RuleCase[] {
  return hex64Cases(property, path, "should be a valid vega ID");
}

export function publicKeyCases(property: string, path: string): RuleCase[] {
  return hex64Cases(property, path, "should be a valid vega public key");
}

function hex64Cases(property: string, path: string, message: string): RuleCase[] {
  return [
    requiredCase(property, path),
    { rule: `${property} (${message})`, broken: { [path]: "ab".repeat(31) }, kept: { [path]: KEY } },
  ];
}

export function requiredCase(property: string, path: string, on?: string): RuleCase {
  return { rule: `${property} (is required)`, broken: { [path]: undefined }, ...(on && { on }) };
}

export function addressCases(property: string, path: string): RuleCase[] {
  return [requiredCase(property, path), wrongAddressCase(property, path)];
}

export function wrongAddressCase(property: string, path: string): RuleCase {
  return {
    rule: `${property} (is not a valid ethereum address)`,
    broken: { [path]: `0x${"5b".repeat(19)}` },
    kept: { [path]: "5B".repeat(20) },
  };
}

/** The cases of an enum that must be set to a number with a name. */
export function choiceCases(property: string, path: string, on?: string): RuleCase[] {
  return [
    requiredCase(property, path, on),
    { rule: `${property} (is not a valid value)`, broken: { [path]: 99 }, ...(on && { on }) },
  ];
}
