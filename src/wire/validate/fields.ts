/** The checks that many commands share, and how texts are read (reference 30, section 3.3). */
import { isEthereumAddress } from "../../crypto/secp256k1.ts";
import * as say from "../../errors/validation.ts";
import { isHex64 } from "../identifiers.ts";
import { enumDescriptor } from "../schema/index.ts";
import { type Check, first, part, rule } from "./check.ts";
import { decimalProblem } from "./go-numbers.ts";

type Get<T, U> = (value: T) => U;

/** Bytes of a reference and of similar texts. Limits of texts are in bytes, although messages say characters. */
export const REFERENCE_BYTES_MAX = 100;

export function longerThan(text: string, bytesMax: number): boolean {
  // A UTF-16 unit is at most three bytes: most texts need no counting.
  return text.length * 3 > bytesMax && Buffer.byteLength(text) > bytesMax;
}

/** A text, bytes or a list that must not be empty. */
export function required<T>(property: string, of: Get<T, { readonly length: number }>): Check<T> {
  return rule(property, say.IS_REQUIRED, (value) => of(value).length === 0);
}

/** A part that must be there. */
export function present<T>(property: string, of: Get<T, object | undefined>): Check<T> {
  return rule(property, say.IS_REQUIRED, (value) => of(value) === undefined);
}

/** A part that must be there, and checks on it. */
export function needed<T, U extends object>(
  property: string,
  of: Get<T, U | undefined>,
  ...checks: readonly Check<U>[]
): Check<T> {
  return first(present(property, of), part(of, ...checks));
}

/** An identifier: exactly 64 hexadecimal digits in either case. */
export function identifier<T>(property: string, of: Get<T, string>): Check<T> {
  return first(
    required(property, of),
    rule(property, say.SHOULD_BE_AN_ID, (value) => !isHex64(of(value))),
  );
}

export function publicKey<T>(property: string, of: Get<T, string>): Check<T> {
  return first(
    required(property, of),
    rule(property, say.SHOULD_BE_A_PUBLIC_KEY, (value) => !isHex64(of(value))),
  );
}

export function ethereumAddress<T>(property: string, of: Get<T, string>): Check<T> {
  return first(required(property, of), optionalEthereumAddress(property, of));
}

export function optionalEthereumAddress<T>(property: string, of: Get<T, string>): Check<T> {
  return rule(
    property,
    say.NOT_AN_ETHEREUM_ADDRESS,
    (value) => of(value) !== "" && !isEthereumAddress(of(value)),
  );
}

export function shortReference<T>(property: string, of: Get<T, string>): Check<T> {
  return rule(property, say.REFERENCE_TOO_LONG, (value) => longerThan(of(value), REFERENCE_BYTES_MAX));
}

/** An enum that must be set, to a number that has a name. */
export function choice<T>(property: string, of: Get<T, number>, enumName: string): Check<T> {
  return first(
    rule(property, say.IS_REQUIRED, (value) => of(value) === 0),
    rule(property, say.IS_NOT_VALID, (value) => !isNamed(enumName, of(value))),
  );
}

export function isNamed(enumName: string, value: number): boolean {
  return enumDescriptor(enumName).nameOf.has(value);
}

/** A whole number above zero, of any size. Zero and less are said to be missing, like an empty text. */
export function amount<T>(property: string, of: Get<T, string>): Check<T> {
  return first(
    rule(property, say.IS_REQUIRED, (value) => {
      const text = of(value);
      return text === "" || (isInteger(text) && integerSign(text) <= 0);
    }),
    rule(property, say.NOT_AN_INTEGER, (value) => !isInteger(of(value))),
  );
}

/** A decimal number above zero, and what else is asked of it. */
export function positiveNumber<T>(
  property: string,
  of: Get<T, string>,
  ...checks: readonly Check<T>[]
): Check<T> {
  return first(
    rule(property, say.IS_NOT_A_NUMBER, (value) => decimal(of(value)) === undefined),
    rule(property, say.MUST_BE_POSITIVE, (value) => decimal(of(value))!.sign <= 0),
    ...checks,
  );
}

/** A whole number above zero that must be given. */
export function positiveInteger<T>(property: string, of: Get<T, string>): Check<T> {
  return first(
    required(property, of),
    rule(property, say.IS_NOT_A_NUMBER, (value) => !isInteger(of(value))),
    rule(property, say.MUST_BE_POSITIVE, (value) => integerSign(of(value)) <= 0),
  );
}

const INTEGER = /^[+-]?\d+$/;

/** A base-10 whole number with an optional sign, of any length. */
export function isInteger(text: string): boolean {
  return INTEGER.test(text);
}

/** -1, 0 or 1. By the text alone: making a bigint of a million digits would take seconds. */
export function integerSign(text: string): number {
  return signOf(text, text);
}

function signOf(text: string, digits: string): number {
  if (!/[1-9]/.test(digits)) return 0;
  return text.startsWith("-") ? -1 : 1;
}

/** A decimal number of any size, as sign and a value rounded to a double (infinite where a double ends). */
export interface Decimal {
  readonly sign: number;
  readonly value: number;
}

/**
 * Reads a decimal number as amounts and factors are written; undefined when it is none. The limits that values
 * are compared with are whole numbers or 0.9, where rounding to a double can only move a value onto the limit
 * that differs from it in the 17th digit.
 */
export function decimal(text: string): Decimal | undefined {
  if (decimalProblem(text) !== undefined) return undefined;
  return { sign: signOf(text, text.replace(/[eE].*/, "")), value: Number(text) };
}
