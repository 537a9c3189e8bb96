// Which rules admission follows where the original's behaviour is a defect.
import { type AdmissionRule, ruleText } from "../../errors/rules.ts";

/**
 * - `default`: what the rules are meant to be.
 * - `0.71.6`: what the public network did, defects included (reference 40, the places marked [D]). A sidecar that has
 *   to come to the network's verdicts needs these.
 *
 * They differ in: counters of the other parties of a height (3.4), forgetting after the window shrinks (3.5),
 * difficulty 256 (1.2), the expected difficulty after over-delivery (5.3), the current height in the block states
 * (5.3), and the minimum for votes in the statistics while it is raised (5.2).
 */
export type AdmissionRules = "default" | "0.71.6";

// What admission says of a transaction.

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
