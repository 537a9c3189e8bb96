/**
 * What a submitted proposal must fulfil, in the network's order and words (reference 60, section 6.4, checks 1 to
 * 13). Its form has been checked before, and the checks about markets (9 to 11) have nothing to look at here.
 */

import { type NetworkParameter, ProposalError } from "../wire/generated/vega.ts";
import { sentenceTime } from "../wire/time-text.ts";
import { checkAssetUpdate } from "./asset-details.ts";
import type { Assets } from "./assets.ts";
import type { NetworkParameters } from "./parameters.ts";
import type { StakeReader } from "./ports.ts";
import { ProposalRefusal } from "./proposal-refusal.ts";
import { kindOf, type ProposalRecord } from "./proposals.ts";

export interface CheckedAgainst {
  /** Block time, Unix nanoseconds. */
  readonly nowNs: bigint;
  readonly params: NetworkParameters;
  readonly assets: Pick<Assets, "checkProposed">;
  readonly stake: StakeReader;
}

const SECOND_NS = 1_000_000_000n;
/** Validators get at least and at most this long to look at a new asset, in nanoseconds. */
const VALIDATION_MIN_NS = SECOND_NS;
const VALIDATION_MAX_NS = 48n * 3_600n * SECOND_NS;

/** @throws ProposalRefusal for the first check that fails */
export function checkProposal(proposal: ProposalRecord, against: CheckedAgainst): void {
  checkTimes(proposal, against);
  checkProposer(proposal, against);
  checkChange(proposal, against);
  checkValidationTime(proposal, against);
}

function checkTimes({ terms }: ProposalRecord, { nowNs, params }: CheckedAgainst): void {
  const kind = kindOf(terms);
  const bound = (name: string) => nowNs + params.duration(`governance.proposal.${kind}.${name}`);
  const close = terms.closingTimestamp * SECOND_NS;
  const enact = terms.enactmentTimestamp * SECOND_NS;
  const validation = terms.validationTimestamp * SECOND_NS;
  const isEnacted = kind !== "freeform";

  if (close < bound("minClose")) {
    refuse(
      "CLOSE_TIME_TOO_SOON",
      `proposal closing time too soon, expected > ${times(", got ", bound("minClose"), close)}`,
    );
  }
  if (close > bound("maxClose")) {
    refuse(
      "CLOSE_TIME_TOO_LATE",
      `proposal closing time too late, expected < ${times(", got ", bound("maxClose"), close)}`,
    );
  }
  if (isEnacted && enact < bound("minEnact")) {
    const got = times(", got ", bound("minEnact"), enact);
    refuse("ENACT_TIME_TOO_SOON", `proposal enactment time too soon, expected > ${got}`);
  }
  if (isEnacted && enact > bound("maxEnact")) {
    const got = times(", got ", bound("maxEnact"), enact);
    refuse("ENACT_TIME_TOO_LATE", `proposal enactment time too late, expected < ${got}`);
  }
  // That closing is not in the past, which the network asks here too, follows from check 1.
  if (terms.newAsset !== undefined && close < validation) {
    const got = times(" got ", validation, close);
    refuse(
      "INCOMPATIBLE_TIMESTAMPS",
      `proposal closing time cannot be before validation time, expected > ${got}`,
    );
  }
  if (isEnacted && enact < close) {
    const got = times(" got ", close, enact);
    refuse(
      "INCOMPATIBLE_TIMESTAMPS",
      `proposal enactment time cannot be before closing time, expected > ${got}`,
    );
  }
}

function checkProposer({ party, terms }: ProposalRecord, { params, stake }: CheckedAgainst): void {
  const balance = stake.balance(party);
  if (balance === undefined) refuse("INSUFFICIENT_TOKENS", "no balance for party");
  const required = params.integer(`governance.proposal.${kindOf(terms)}.minProposerBalance`);
  if (balance >= required) return;
  const text = `proposer have insufficient governance token, expected >= ${required} got ${balance}`;
  throw new ProposalRefusal(ProposalError.PROPOSAL_ERROR_INSUFFICIENT_TOKENS, text, { required, balance });
}

function checkChange({ terms }: ProposalRecord, { assets, params }: CheckedAgainst): void {
  if (terms.newAsset !== undefined) assets.checkProposed(terms.newAsset.changes!);
  if (terms.updateAsset !== undefined) checkAssetUpdate(terms.updateAsset.changes!);
  if (terms.updateNetworkParameter !== undefined)
    checkParameter(terms.updateNetworkParameter.changes!, params);
}

function checkParameter({ key, value }: NetworkParameter, params: NetworkParameters): void {
  if (key === "") refuse("NETWORK_PARAMETER_INVALID_KEY", "empty network parameter key");
  if (value === "") refuse("NETWORK_PARAMETER_INVALID_VALUE", "empty network parameter value");
  const problem = params.validate(key, value);
  if (problem !== undefined) refuse("NETWORK_PARAMETER_VALIDATION_FAILED", problem);
}

function checkValidationTime({ terms }: ProposalRecord, { nowNs }: CheckedAgainst): void {
  if (terms.newAsset === undefined) return;
  const validation = terms.validationTimestamp * SECOND_NS;
  if (validation < nowNs + VALIDATION_MIN_NS || validation > nowNs + VALIDATION_MAX_NS) {
    refuse("NODE_VALIDATION_FAILED", "proposal validation timestamp invalid");
  }
}

/** Two times as sentences show them, Unix nanoseconds. */
function times(between: string, expected: bigint, got: bigint): string {
  return `${sentenceTime(expected)}${between}${sentenceTime(got)}`;
}

type ShortReason<K = keyof typeof ProposalError> = K extends `PROPOSAL_ERROR_${infer Name}` ? Name : never;

function refuse(reason: ShortReason, text: string): never {
  throw new ProposalRefusal(ProposalError[`PROPOSAL_ERROR_${reason}`], text);
}
