// Amounts in commands and chain events: base-10 whole numbers of at most 256 bits (reference 60, conventions).
import { CommandError } from "./errors.ts";
import { parseUint } from "./parameter-types.ts";

export const AMOUNT_MAX = (1n << 256n) - 1n;

/** @param refusal the text for what is no amount @throws CommandError */
export function readAmount(text: string, refusal: string): bigint {
  const amount = parseUint(text.startsWith("+") ? text.slice(1) : text);
  if (amount === undefined) throw new CommandError(refusal);
  return amount;
}

/** Identifiers in chain events may carry 0x in front (section 3.2, step 4). */
export function without0x(text: string): string {
  return text.startsWith("0x") ? text.slice(2) : text;
}
