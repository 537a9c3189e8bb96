/** The two forms in which the API takes a transaction: base64 of its bytes, or a JSON object (reference 30, 5.1). */
import { WireError } from "./errors.ts";
import { fromJson } from "./from-json.ts";
import type { Transaction } from "./generated/commands.ts";
import { type PlainObject, toPlain } from "./json.ts";
import { TRANSACTION_BYTES_MAX } from "./transaction.ts";
import { serializeTransaction } from "./transaction-build.ts";

const TRANSACTION = "vega.commands.v1.Transaction";
const BASE64_DIGITS = /^[A-Za-z0-9+/]*$/;

export function transactionBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/**
 * The bytes of a raw submission: standard base64 with its padding (section 1, REST conventions).
 * @throws WireError with the original's words for other text
 */
export function transactionBytes(base64: string): Uint8Array {
  const digits = base64.replace(/={1,2}$/, "");
  if (base64.length % 4 !== 0 || digits.length % 4 === 1 || !BASE64_DIGITS.test(digits)) {
    const stray = digits.search(/[^A-Za-z0-9+/]/);
    throw new WireError(
      "json_invalid",
      `illegal base64 data at input byte ${stray < 0 ? base64.length : stray}`,
    );
  }
  return new Uint8Array(Buffer.from(digits, "base64"));
}

/**
 * The bytes of a typed submission. The node serialises the object itself, so that equal objects have one hash
 * whatever their sender's order of fields was.
 * @throws WireError for an object that is no transaction
 */
export function transactionBytesOfJson(value: unknown): Uint8Array {
  return serializeTransaction(fromJson<Transaction>(TRANSACTION, value, { unknown: "ignore" }));
}

/** The object that a typed submission holds; `stored` leaves out what is zero. */
export function transactionJson(transaction: Transaction): PlainObject {
  return toPlain(TRANSACTION, transaction, "stored");
}

/** Characters of base64 that a transaction of the largest size has: a longer text need not be read. */
export const TRANSACTION_BASE64_MAX = Math.ceil(TRANSACTION_BYTES_MAX / 3) * 4;
