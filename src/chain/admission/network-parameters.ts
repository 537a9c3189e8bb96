// Network parameters that steer admission, from their texts (reference 40, sections 2.1 and 2.3). Ranges have been
// checked where a parameter is accepted; here a text only has to be readable.

import { NodeError } from "../../errors/node-error.ts";
import { Decimal } from "../../wire/decimal.ts";
import { durationNs } from "../../wire/time-text.ts";
import type { PowParameters } from "./pow/parameter-sets.ts";
import type { SpamParameters } from "./spam/engine.ts";

interface ParameterTarget {
  changePow(values: Partial<PowParameters>): void;
  changeSpam(values: Partial<SpamParameters>): void;
  setEpochLength(epochLengthNs: bigint): void;
}

type Apply = (target: ParameterTarget, value: string) => void;

const spam =
  (name: keyof SpamParameters): Apply =>
  (target, value) =>
    target.changeSpam({ [name]: wholeNumber(value) });

const APPLY: Readonly<Record<string, Apply>> = {
  "spam.pow.numberOfPastBlocks": (target, value) => target.changePow({ pastBlocks: wholeNumber(value) }),
  "spam.pow.difficulty": (target, value) => target.changePow({ difficulty: Number(wholeNumber(value)) }),
  "spam.pow.hashFunction": (target, value) => target.changePow({ hashFunction: value }),
  "spam.pow.numberOfTxPerBlock": (target, value) => target.changePow({ txPerBlock: wholeNumber(value) }),
  "spam.pow.increaseDifficulty": (target, value) =>
    target.changePow({ increasingDifficulty: wholeNumber(value) > 0n }),
  "validators.epoch.length": (target, value) => target.setEpochLength(durationNs(value)),
  "spam.protection.max.votes": spam("maxVotes"),
  "spam.protection.voting.min.tokens": spam("minVoteTokens"),
  "spam.protection.max.proposals": spam("maxProposals"),
  "spam.protection.proposal.min.tokens": spam("minProposalTokens"),
  "spam.protection.max.delegations": spam("maxDelegations"),
  "spam.protection.delegation.min.tokens": spam("minDelegationTokens"),
  "spam.protection.maxUserTransfersPerEpoch": spam("maxTransfers"),
  "reward.staking.delegation.minimumValidatorStake": spam("minAnnounceTokens"),
  "spam.protection.minMultisigUpdates": spam("minIssueTokens"),
};

/** @returns whether the key is one of admission's */
export function applyParameter(target: ParameterTarget, key: string, value: string): boolean {
  const apply = Object.hasOwn(APPLY, key) ? APPLY[key] : undefined;
  apply?.(target, value);
  return apply !== undefined;
}

/** Whole numbers, and decimals cut to whole numbers. */
function wholeNumber(text: string): bigint {
  const value = /\d/.test(text) ? decimalOf(text) : undefined;
  if (value === undefined || value.isNegative()) throw unreadable(text, "a number, 0 or more");
  return value.truncated();
}

function decimalOf(text: string): Decimal | undefined {
  try {
    return Decimal.parseNumber(text);
  } catch {
    return undefined;
  }
}

function unreadable(text: string, wanted: string): NodeError {
  return new NodeError("admission.parameter", "invalid_parameter", `'${text}' is not ${wanted}`);
}
