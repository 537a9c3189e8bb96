// Values on their way in and out: messages are kept as they came, the interface shows them as the original's columns
// would (docs/protocol/20-network-history-tables.md#33-value-rules-shared-by-all-tables), and takes epochs as text.
import { invalidArgument } from "../../http/errors.ts";
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

const WHOLE_NUMBER = /^[+-]?\d+$/;
/** The last epoch that a column can hold. */
export const EPOCH_MAX = 2n ** 63n - 1n;
const EPOCH_MIN = -(2n ** 63n);

/**
 * The number of an epoch, as the original's integer parser takes it.
 * @param title what its error text calls the parameter
 * @throws ApiError 400
 */
export function parseEpoch(text: string, title: string): bigint {
  const fail = (reason: string) => {
    const shown = text.slice(0, 200);
    const inner = `${title}: ${shown}: strconv.ParseInt: parsing ${JSON.stringify(shown)}: ${reason}`;
    return invalidArgument("failed to parse epoch id", inner);
  };
  if (!WHOLE_NUMBER.test(text)) throw fail("invalid syntax");
  const value = text.length > 40 ? undefined : BigInt(text.startsWith("+") ? text.slice(1) : text);
  if (value === undefined || value > EPOCH_MAX || value < EPOCH_MIN) throw fail("value out of range");
  return value;
}
