// Epoch numbers that requests carry as text (reference 10, sections 5.4 and 5.18).
import { invalidArgument } from "../../http/errors.ts";

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
