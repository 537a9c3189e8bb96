// Amounts as people write them, in the smallest unit.
import { numberProblem, toWhole } from "../format.ts";

/** `-12.5` with 3 decimals as `-12500`; undefined where it is not such a number. */
export function smallestUnits(text: string, decimals: number): string | undefined {
  const isNegative = text.trim().startsWith("-");
  const whole = toWhole(isNegative ? text.trim().slice(1) : text, decimals);
  return whole === undefined || whole === "0" ? whole : `${isNegative ? "-" : ""}${whole}`;
}

/** A text of an amount that has no number in the smallest unit yet, with the reason behind it. */
const UNREADABLE = /^(.*) \(not an amount: ([^()]*)\)$/s;

/**
 * The draft of an amount's text: its number in the smallest unit. A text without one is marked, so that it is not sent.
 * @param decimals undefined while the asset or the market is not known
 */
export function amountDraft(text: string, decimals: number | undefined): string {
  if (text.trim() === "") return "";
  if (decimals === undefined) return `${text.trim()} (not an amount: its asset or market is not known)`;
  return smallestUnits(text, decimals) ?? `${text.trim()} (not an amount: ${amountProblem(text, decimals)})`;
}

/** Why a text is not an amount with these decimals. */
export const amountProblem = (text: string, decimals: number): string =>
  numberProblem(text.trim().replace(/^-/, ""), decimals, true) ?? "not a number";

/** Text and reason of an amount that is marked; undefined of another draft. */
export function unreadableAmount(
  draft: string,
): { readonly text: string; readonly problem: string } | undefined {
  const [, text, problem] = UNREADABLE.exec(draft) ?? [];
  return text === undefined || problem === undefined ? undefined : { text, problem };
}
