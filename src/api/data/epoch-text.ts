// Epoch numbers that requests carry as text (reference 10, sections 5.4 and 5.18).
import { invalidArgument } from "../errors.ts";

const WHOLE_NUMBER = /^[+-]?\d+$/;
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

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
  if (value === undefined || value > INT64_MAX || value < INT64_MIN) throw fail("value out of range");
  return value;
}

/** An unsigned bound as a column can be compared with it: epochs end long before 63 bits do. */
export function epochBound(value: bigint): bigint {
  return value > INT64_MAX ? INT64_MAX : value;
}
