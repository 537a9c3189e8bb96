// Amounts are whole numbers up to 256 bits. In the store one that fits a signed 64-bit column is INTEGER,
// a larger one a big-endian BLOB without leading zeros: 9 bytes where text takes 20 (docs/architecture.md).

export type StoredAmount = bigint | Uint8Array;

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
/** Largest amount the network's integers can hold: 256 bits. */
const AMOUNT_MAX = 2n ** 256n - 1n;
const DIGITS = /^\d{1,78}$/;
/** Up to 18 digits always fit a signed 64-bit integer. */
const SAFE_DIGITS = 18;

class InvalidAmount extends Error {
  override readonly name = "InvalidAmount";
  constructor(readonly value: string) {
    super(`not a whole number of at most 256 bits: '${value.slice(0, 100)}'`);
  }
}

/**
 * Amount of a decimal text; empty text is zero
 * (docs/protocol/20-network-history-tables.md#33-value-rules-shared-by-all-tables).
 * @throws InvalidAmount
 */
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

/** Decimal text of a column value, as the API and the CSV show it; sums of amounts may be larger than any of them. */
export function amountText(stored: StoredAmount): string {
  return loadAmount(stored).toString();
}
