// Checks of event fields before they are stored. Values that pass can be shown again, as JSON and as CSV; values that
// the original's columns refuse are refused with the name of the field
// (docs/protocol/20-network-history-export.md#27-rendering-of-sql-types,
// docs/protocol/20-network-history-tables.md#33-value-rules-shared-by-all-tables to #35-enum-labels).

import { Decimal } from "../wire/decimal.ts";
import { enumDescriptor } from "../wire/descriptors.ts";
import { canonicalIdentifier, identifierBytes } from "../wire/identifiers.ts";
import { parseAmount, type StoredAmount, storeAmountText } from "./amount.ts";

const SHOWN_CHARACTERS = 60;

/** A value that cannot be stored. */
export class FieldFault extends Error {
  override readonly name = "FieldFault";
  /** @param field name in the event's message, parts of parts with a point: `buyer_fee.maker_fee` */
  constructor(
    readonly field: string,
    readonly reason: string,
    value: string | number | bigint,
  ) {
    super(`${field} ${reason}: ${shown(value)}`);
  }
}

/** Foreign text, made safe for a terminal. */
function shown(value: string | number | bigint): string {
  if (typeof value !== "string") return String(value);
  const cut = value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}...` : value;
  return JSON.stringify(cut).replace(/\p{C}/gu, "?");
}

/** Bytes of an identifier. @throws FieldFault */
export function idBytes(text: string, field: string): Uint8Array {
  try {
    return identifierBytes(text);
  } catch (error) {
    throw new FieldFault(field, `is ${(error as Error).message}`, text);
  }
}

/** The form an identifier comes back in. @throws FieldFault */
export function idText(text: string, field: string): string {
  try {
    return canonicalIdentifier(text);
  } catch (error) {
    throw new FieldFault(field, `is ${(error as Error).message}`, text);
  }
}

/** An identifier that is kept in the event's own message. Most have been met before: those are known by their form. */
export function checkId(text: string, field: string): void {
  if (!HEX_64.test(text)) idBytes(text, field);
}

const HEX_64 = /^[0-9a-f]{64}$/;

/** A whole number of at most 256 bits; empty is zero. @throws FieldFault */
export function checkAmount(text: string, field: string): bigint {
  try {
    return parseAmount(text);
  } catch {
    throw new FieldFault(field, "is not a whole number of at most 256 bits", text);
  }
}

/** The same, as a column keeps it. @throws FieldFault */
export function storedAmount(text: string, field: string): StoredAmount {
  try {
    return storeAmountText(text);
  } catch {
    throw new FieldFault(field, "is not a whole number of at most 256 bits", text);
  }
}

/** Most numbers are of this form and short. */
const PLAIN_NUMBER = /^-?\d{1,100}(?:\.\d{1,100})?$/;
const NUMBER = /^[+-]?(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d{1,5}))?$/;
/** `numeric(1000, 16)`, the narrowest column, holds this many digits before the point. */
const NUMBER_DIGITS_MAX = 984;

/** A number of any of the numeric columns; empty is zero. @throws FieldFault */
export function checkNumber(text: string, field: string): void {
  if (text === "" || PLAIN_NUMBER.test(text)) return;
  const match = NUMBER.exec(text);
  if (!match) throw new FieldFault(field, "is not a decimal number", text);
  const [, whole = "", fraction = "", only = "", exponent = "0"] = match;
  const digits = whole.length + fraction.length + only.length + Math.abs(Number(exponent));
  if (digits > NUMBER_DIGITS_MAX) {
    throw new FieldFault(field, `has more than ${NUMBER_DIGITS_MAX} digits`, text);
  }
}

/** A plain decimal that is calculated with; empty is zero. @throws FieldFault */
export function checkDecimal(text: string, field: string): Decimal {
  if (text.length <= DECIMAL_CHARACTERS_MAX) {
    try {
      return Decimal.parse(text);
    } catch {
      // Thrown below, with the name of the field.
    }
  }
  throw new FieldFault(
    field,
    `is not a decimal number of at most ${DECIMAL_CHARACTERS_MAX} characters`,
    text,
  );
}

const DECIMAL_CHARACTERS_MAX = 200;

/** A value of a `double precision` column: finite; empty is zero. @throws FieldFault */
export function checkFloat(text: string, field: string): void {
  if (text === "" || PLAIN_NUMBER.test(text)) return;
  if (!NUMBER.test(text) || !Number.isFinite(Number(text))) {
    throw new FieldFault(field, "is not a floating point number", text);
  }
}

/** JSON has no other numbers. @throws FieldFault */
export function checkFinite(value: number, field: string): void {
  if (!Number.isFinite(value)) throw new FieldFault(field, "is not a finite number", value);
}

/** A whole number in text, such as an epoch: exact as a JavaScript number. @throws FieldFault */
export function wholeNumber(text: string, field: string): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new FieldFault(field, "is not a whole number below 2^53", text);
  return value;
}

/** The same for an epoch that comes as a number: readers look at the one after it, too. @throws FieldFault */
export function checkEpoch(value: bigint, field: string): bigint {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new FieldFault(field, "is 2^53 or more", value);
  return value;
}

const INT8_MAX = 2n ** 63n - 1n;
const INT4_MAX = 2n ** 31n - 1n;
const INT2_MAX = 2 ** 15 - 1;

/** An unsigned number in a `bigint` column. @throws FieldFault */
export function checkInt8(value: bigint, field: string): bigint {
  if (value > INT8_MAX) throw new FieldFault(field, "is 2^63 or more", value);
  return value;
}

/** A number in an `int` column. @throws FieldFault */
export function checkInt4(value: bigint, field: string): void {
  if (value > INT4_MAX || value < -INT4_MAX - 1n) throw new FieldFault(field, "does not fit 32 bits", value);
}

/** An enum in a `smallint` column. @throws FieldFault */
export function checkInt2(value: number, field: string): void {
  if (value > INT2_MAX || value < -INT2_MAX - 1) throw new FieldFault(field, "does not fit 16 bits", value);
}

/** Check of an enum whose column knows its labels and no others (docs/protocol/20-network-history-tables.md#35-enum-labels). */
export function labelCheck(enumName: string): (value: number, field: string) => void {
  const { nameOf } = enumDescriptor(enumName);
  return (value, field) => {
    if (!nameOf.has(value)) throw new FieldFault(field, `is no ${enumName}`, value);
  };
}

const ADDRESS = /^0x(?:[0-9a-fA-F]{2})*$/;

/**
 * An Ethereum address in lower case (docs/protocol/10-data-api-endpoints.md#49-listethereumkeyrotations); an empty one
 * stays empty.
 * @throws FieldFault
 */
export function lowerAddress(text: string, field: string): string {
  if (text !== "" && !ADDRESS.test(text)) throw new FieldFault(field, "is not 0x and hex", text);
  return text.toLowerCase();
}
