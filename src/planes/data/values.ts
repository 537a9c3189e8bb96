// How stored values come back out: messages are kept as they came, the interface shows them as the original's
// columns would (reference 20, section 3.3).
import { Decimal } from "../../wire/decimal.ts";
import { canonicalIdentifier, isHex } from "../../wire/identifiers.ts";

const PLAIN = /^(?:0|[1-9]\d*)$/;
const NUMBER = /^[+-]?\d{1,150}(?:\.\d{0,40})?$/;

/** A number out of a numeric column: empty is `0`, no plus sign, no zeros at either end. */
export function numberText(text: string): string {
  if (text === "") return "0";
  if (PLAIN.test(text) || !NUMBER.test(text)) return text;
  return Decimal.parse(text).toString();
}

/** An optional number: empty stays empty. */
export function optionalNumberText(text: string): string {
  return text === "" ? "" : numberText(text);
}

/** An identifier that nothing checked when it was stored: lower case if it is hex, else as it is. */
export function lenientIdentifier(text: string): string {
  return isHex(text) ? canonicalIdentifier(text) : text;
}
