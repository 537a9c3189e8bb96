// What admission says of a transaction.
import { type AdmissionRule, ruleText } from "../../errors/rules.ts";

/** Result code of every refusal by proof of work, replay or spam rule (reference 30, section 7.1). */
export const REFUSED_CODE = 89;

export interface Refusal {
  readonly accepted: false;
  /** Stable name of the rule that refused, e.g. `pow_tid_used`. */
  readonly rule: AdmissionRule;
  /** The original's text, word for word. */
  readonly text: string;
  /** The caller's own numbers, by name: for the details of the answer. */
  readonly numbers: Readonly<Record<string, bigint>>;
}

interface Acceptance {
  readonly accepted: true;
}

export type Verdict = Acceptance | Refusal;

export const ACCEPTED: Acceptance = { accepted: true };

/** @param gaps for the gaps of the rule's text, in order */
export function refuse(
  rule: AdmissionRule,
  numbers: Readonly<Record<string, bigint>> = {},
  gaps: readonly (string | number)[] = [],
): Refusal {
  return { accepted: false, rule, text: ruleText(rule, gaps), numbers };
}
