// Amounts are whole numbers up to 256 bits. In the store one that fits a signed 64-bit column is INTEGER,
// a larger one a big-endian BLOB without leading zeros: 9 bytes where text takes 20 (docs/architecture.md).

import { latinAt } from "../wire/text.ts";

export type StoredAmount = bigint | Uint8Array;

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
/** Largest amount the network's integers can hold: 256 bits. */
export const AMOUNT_MAX = 2n ** 256n - 1n;
const DIGITS = /^\d{1,78}$/;
/** Up to 18 digits always fit a signed 64-bit integer. */
const SAFE_DIGITS = 18;

export class InvalidAmount extends Error {
  override readonly name = "InvalidAmount";
  constructor(readonly value: string) {
    super(`not a whole number of at most 256 bits: '${value.slice(0, 100)}'`);
  }
}

/** Amount of a decimal text; empty text is zero (reference 20, section 3.3). @throws InvalidAmount */
export function parseAmount(text: string): bigint {
  if (text === "") return 0n;
  if (!DIGITS.test(text)) throw new InvalidAmount(text);
  const value = BigInt(text);
  if (text.length > SAFE_DIGITS && value > AMOUNT_MAX) throw new InvalidAmount(text);
  return value;
}

/** Column value of a decimal text. @throws InvalidAmount */
export function storeAmountText(text: string): StoredAmount {
  if (text.length <= SAFE_DIGITS && /^\d+$/.test(text)) return BigInt(text);
  return storeAmount(parseAmount(text));
}

export function storeAmount(value: bigint): StoredAmount {
  if (value <= INT64_MAX && value >= INT64_MIN) return value;
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
}

export function loadAmount(stored: StoredAmount): bigint {
  if (typeof stored === "bigint") return stored;
  // Six bytes at a time are exact as a number; asking a small array for its buffer would cost more than all this.
  const length = stored.length;
  const head = length % 6;
  let value = BigInt(wholeNumber(stored, 0, head));
  for (let at = head; at < length; at += 6) value = (value << 48n) | BigInt(wholeNumber(stored, at, at + 6));
  return value;
}

function wholeNumber(bytes: Uint8Array, start: number, end: number): number {
  let number = 0;
  for (let i = start; i < end; i++) number = number * 256 + bytes[i]!;
  return number;
}

/** Digits of the largest amount. */
export const AMOUNT_DIGITS_MAX = 78;
const AMOUNT_BYTES_MAX = 32;
const LIMB = 1_000_000;
const LIMB_DIGITS = 6;
/** An amount in pieces of six digits, the lowest first: the numbers on the way to it stay exact. */
const limbs = new Float64Array(AMOUNT_DIGITS_MAX / LIMB_DIGITS);
const scratch = Buffer.alloc(AMOUNT_DIGITS_MAX);
const ZERO = 0x30;

/** Decimal text of a column value, as the API and the CSV show it; sums of amounts may be larger than any of them. */
export function amountText(stored: StoredAmount): string {
  if (typeof stored !== "bigint") {
    if (stored.length > AMOUNT_BYTES_MAX) return loadAmount(stored).toString();
    return latinAt(scratch, 0, writeAmount(stored, scratch, 0));
  }
  const number = Number(stored);
  return Number.isSafeInteger(number) ? String(number) : stored.toString();
}

/**
 * Writes that text of an amount in ASCII, in half the time in which a big integer makes one.
 * @param into has room for `AMOUNT_DIGITS_MAX` from `at` on
 * @returns where it ends
 */
export function writeAmount(stored: StoredAmount, into: Buffer, at: number): number {
  if (typeof stored !== "bigint") return writeLimbs(limbsOfBytes(stored), into, at);
  const number = Number(stored);
  if (number >= 0 && number <= Number.MAX_SAFE_INTEGER) return writeLimbs(pushWhole(0, number), into, at);
  return at + into.write(stored.toString(), at, "latin1");
}

/** @returns how many limbs there are */
function limbsOfBytes(bytes: Uint8Array): number {
  const head = bytes.length % 4;
  let count = pushWhole(0, wholeNumber(bytes, 0, head));
  for (let from = head; from < bytes.length; from += 4) {
    // All limbs times 2^32, and the next four bytes: below 10^6 * 2^32, which is exact.
    let carry = wholeNumber(bytes, from, from + 4);
    for (let i = 0; i < count; i++) {
      const value = limbs[i]! * 2 ** 32 + carry;
      carry = Math.floor(value / LIMB);
      limbs[i] = value - carry * LIMB;
    }
    count = pushWhole(count, carry);
  }
  return count;
}

/** Puts a number on top of the limbs that there are. */
function pushWhole(count: number, number: number): number {
  let rest = number;
  let next = count;
  while (rest > 0) {
    const above = Math.floor(rest / LIMB);
    limbs[next++] = rest - above * LIMB;
    rest = above;
  }
  return next;
}

function writeLimbs(count: number, into: Buffer, at: number): number {
  if (count === 0) {
    into[at] = ZERO;
    return at + 1;
  }
  const top = limbs[count - 1]!;
  let width = 1;
  for (let power = 10; top >= power; power *= 10) width++;
  writeDigits(top, width, into, at);
  let end = at + width;
  for (let i = count - 2; i >= 0; i--, end += LIMB_DIGITS) writeDigits(limbs[i]!, LIMB_DIGITS, into, end);
  return end;
}

function writeDigits(limb: number, width: number, into: Buffer, at: number): void {
  let rest = limb | 0;
  for (let i = at + width - 1; i >= at; i--) {
    const above = (rest / 10) | 0;
    into[i] = ZERO + rest - above * 10;
    rest = above;
  }
}
