/**
 * Numbers, amounts and durations as commands and network parameters write them
 * (docs/protocol/60-state-engine-blocks.md#conventions and
 * docs/protocol/60-state-engine-parameters.md#10-network-parameters).
 */
import type { CommandText } from "../errors/result-codes.ts";
import { Decimal } from "../wire/decimal.ts";
import { durationNs } from "../wire/time-text.ts";
import { CommandError } from "./errors.ts";

/** The largest number of 256 bits. */
export const UINT_MAX = (1n << 256n) - 1n;
export const INT64_MAX = (1n << 63n) - 1n;
const INT_MIN = -(1n << 63n);
/** Digits of the largest uint: longer texts are not even read. */
const UINT_DIGITS_MAX = 78;

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

/**
 * A decimal as events show it, in any notation: `1.0` is `1` (docs/protocol/10-data-api-serving.md#23-numbers).
 * Text that cannot be read as a decimal stays as it is.
 */
export function shownDecimal(text: string): string {
  if (text === "") return "";
  try {
    return Decimal.parseNumber(text).toString();
  } catch {
    return text;
  }
}

/** A whole number of at most 256 bits, base 10. */
export function parseUint(text: string): bigint | undefined {
  if (!/^\d+$/.test(text) || text.replace(/^0+/, "").length > UINT_DIGITS_MAX) return undefined;
  const value = BigInt(text);
  return value > UINT_MAX ? undefined : value;
}

/** The same where it is read as a decimal afterwards: not any number of zeros in front. */
export function parseShortUint(text: string): bigint | undefined {
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

export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,30}$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return value > INT64_MAX || value < INT_MIN ? undefined : value;
}

const REPEATED_CHARACTERS_MAX = 200;

/** A client's text as refusals repeat it. A lone surrogate, which JSON and a cut can bring, has no place in an event. */
export function shortened(text: string): string {
  const cut = text.length > REPEATED_CHARACTERS_MAX ? `${text.slice(0, REPEATED_CHARACTERS_MAX)}…` : text;
  return cut.toWellFormed();
}

/**
 * An amount of a command or chain event (docs/protocol/60-state-engine-blocks.md#conventions).
 * @param refusal the text for anything else
 * @throws CommandError
 */
export function readAmount(text: string, refusal: CommandText): bigint {
  const amount = amountIn(text);
  if (amount === undefined) throw new CommandError(refusal);
  return amount;
}

/** An amount as commands, chain events and checkpoints write it; undefined for anything else. */
export function amountIn(text: string): bigint | undefined {
  return parseUint(text.startsWith("+") ? text.slice(1) : text);
}

/**
 * Identifiers in chain events may carry 0x in front
 * (docs/protocol/60-state-engine-accounts.md#32-chain-event-intake-all-kinds, step 4).
 */
export function without0x(text: string): string {
  return text.startsWith("0x") ? text.slice(2) : text;
}

/** The value, or 0 for a negative one. */
export const positivePart = (value: bigint): bigint => (value > 0n ? value : 0n);
