// Shared by proof of work and spam policies: the choice of rules, verdicts, bans.

import type { Table } from "../../engine/state.ts";
import { type AdmissionRule, ruleText } from "../../errors/rules.ts";
import { SECOND_NS } from "../../wire/time-text.ts";

/**
 * Rules that admission follows where the original's behaviour is a defect.
 *
 * - `default`: what the rules are meant to be.
 * - `0.71.6`: what the public network did, defects included (docs/protocol/40-pow-spam.md, the places marked [D]). A
 * sidecar that has
 *   to come to the network's verdicts needs these.
 *
 * They differ in: counters of the other parties of a height (3.4), forgetting after the window shrinks (3.5),
 * difficulty 256 (1.2), the expected difficulty after over-delivery (5.3), the current height in the block states
 * (5.3), and the minimum for votes in the statistics while it is raised (5.2).
 */
export type AdmissionRules = "default" | "0.71.6";

/** Result code of every refusal by proof of work, replay or spam rule (docs/protocol/30-node-api-endpoints.md#71-abci-result-codes). */
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

// Bans: proof of work and every spam policy keep such a list of their own.

const BAN_NS_MIN = 30n * SECOND_NS;
/** 1/48 cut to 16 decimals, as a whole number of 10^-16 (docs/protocol/40-pow-spam.md#36-bans). */
const EPOCH_SHARE = 208_333_333_333_333n;
const SHARE_UNIT = 10n ** 16n;

/** Duration of a ban: 1/48 of an epoch, at least half a minute. */
export function banDurationNs(epochLengthNs: bigint): bigint {
  const share = (epochLengthNs * EPOCH_SHARE) / SHARE_UNIT;
  return share > BAN_NS_MIN ? share : BAN_NS_MIN;
}

export class Bans {
  /** @param until release times by party, Unix nanoseconds */
  constructor(private readonly until: Table<bigint>) {}

  /** When the party is released, Unix nanoseconds; undefined when it is not banned. */
  of(party: string): bigint | undefined {
    return this.until.get(party);
  }

  ban(party: string, untilNs: bigint): void {
    this.until.set(party, untilNs);
  }

  pardon(party: string): boolean {
    if (!this.until.has(party)) return false;
    this.until.delete(party);
    return true;
  }

  /** Releases every party whose time has come: at its release time, not a nanosecond earlier. */
  release(nowNs: bigint): void {
    if (this.until.size === 0) return;
    for (const [party, untilNs] of this.until.entries()) if (untilNs <= nowNs) this.until.delete(party);
  }

  clear(): void {
    for (const party of this.until.keys()) this.until.delete(party);
  }
}
