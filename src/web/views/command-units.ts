// Amounts as people write them, in the smallest unit.
import { toWhole } from "../format.ts";

/** `-12.5` with 3 decimals as `-12500`; undefined where it is not such a number. */
export function smallestUnits(text: string, decimals: number): string | undefined {
  const isNegative = text.trim().startsWith("-");
  const whole = toWhole(isNegative ? text.trim().slice(1) : text, decimals);
  return whole === undefined || whole === "0" ? whole : `${isNegative ? "-" : ""}${whole}`;
}
