/**
 * Admission: who may send what, and when. The proof-of-work engine and the spam engine as one, in the order of the
 * original (docs/protocol/30-node-api-endpoints.md#72-checktx-order, #73-delivertx-order and
 * #75-block-life-cycle-relevant-order), for a devnet, a sidecar and a test alike.
 *
 * The chain calls, for each block:
 *
 *   beginBlock → startEpoch and setParameter as they fall → deliver … → endBlock → commit
 *
 * and `check` for the mempool at any time. All that blocks bring about lies in tables of the state that is given, so that
 * it is taken back, stored and hashed with the engine's; after a rollback or a load comes `resume`. Nothing here takes a
 * time, asks a store, or throws for what a transaction holds.
 */
import { State } from "../../engine/state.ts";
import { NodeError } from "../../errors/node-error.ts";
import { Decimal } from "../../wire/decimal.ts";
import type {
  GetSpamStatisticsResponse,
  PoWStatistic,
  SpamStatistic,
  VoteSpamStatistics,
} from "../../wire/generated/core-api.ts";
import { UINT64_MAX } from "../../wire/limits.ts";
import { durationNs, rfc3339Nano } from "../../wire/time-text.ts";
import { COMMANDS, type CommandKind } from "../../wire/transaction-commands.ts";
import { PowEngine, type PowHolder, type PowTransaction } from "./pow/engine.ts";
import type { PowParameters } from "./pow/windows.ts";
import type { AdmissionRules, Verdict } from "./rules.ts";
import { SpamEngine, type SpamParameters, type SpamRequest } from "./spam/engine.ts";
import type { SimplePolicy, Tokens, VotePolicy } from "./spam/policies.ts";

/** A transaction's facts for admission. */
export interface AdmissionTransaction
  extends Pick<PowTransaction, "party" | "hash" | "blockHeight" | "tid" | "nonce"> {
  /** The command's member of `InputData`. */
  readonly command: CommandKind;
  /** The proposal voted on, for votes. */
  readonly proposal?: string;
}

export class Admission {
  readonly pow: PowEngine;
  readonly spam: SpamEngine;
  private timeNs = 0n;

  constructor(
    readonly chainId: string,
    readonly rules: AdmissionRules = "default",
    readonly state = new State(),
  ) {
    this.pow = new PowEngine(rules, state);
    this.spam = new SpamEngine(state);
  }

  /** Takes a network parameter as it is set or changed. @returns whether it is one of admission's */
  setParameter(key: string, value: string): boolean {
    const target = {
      changePow: this.pow.change.bind(this.pow),
      changeSpam: this.spam.change.bind(this.spam),
      setEpochLength: (epochLengthNs: bigint) => {
        this.pow.setEpochLength(epochLengthNs);
        this.spam.setEpochLength(epochLengthNs);
      },
    };
    return applyParameter(target, key, value);
  }

  /** @param hash lower-case hex @param timeNs the block's own time: bans are still released by the previous block's time */
  beginBlock(height: bigint, hash: string, timeNs: bigint): void {
    this.pow.beginBlock(height, hash, this.timeNs);
    this.timeNs = timeNs;
  }

  startEpoch(seq: bigint): void {
    this.spam.startEpoch(seq);
  }

  /** For the mempool; nothing is remembered of it. @param tokens in the party's staking account; undefined when it has none */
  check(tx: AdmissionTransaction, tokens: Tokens): Verdict {
    const verdict = this.pow.check(powTransaction(tx));
    return verdict.accepted ? this.spam.check(spamRequest(tx), tokens) : verdict;
  }

  /** The part of `check` that follows from the last block alone, counts of the spam policies left out: a block may hold it. */
  proves(tx: AdmissionTransaction): Verdict {
    return this.pow.proves(powTransaction(tx));
  }

  /** A transaction is in the mempool, after its `check` or for what was good at this very block before. */
  reserve(tx: AdmissionTransaction): void {
    this.pow.reserve(powHolder(tx));
  }

  /** A transaction left the mempool, and no block has it. */
  release(tx: AdmissionTransaction): void {
    this.pow.release(powHolder(tx));
  }

  /** A submission was refused, whatever refused it. */
  refuse(tx: AdmissionTransaction): void {
    this.pow.refuse(powHolder(tx));
  }

  /** In a block. A transaction that a spam policy refuses has used up its proof all the same. */
  deliver(tx: AdmissionTransaction): Verdict {
    const verdict = this.pow.deliver(powTransaction(tx), this.timeNs);
    return verdict.accepted ? this.spam.deliver(spamRequest(tx)) : verdict;
  }

  endBlock(): void {
    this.pow.endBlock();
    this.spam.endBlock(this.pow.currentHeight, this.timeNs);
  }

  /** The mempool checks what remains in it again after this, and holds it again. */
  commit(): void {
    this.pow.commit();
  }

  /**
   * The state was loaded, or taken back, to what it was at the end of this block: forgets what a block after it has begun.
   * Checks of the mempool since the last commit stay valid. @param timeNs of that block, Unix nanoseconds
   */
  resume(height: bigint, timeNs: bigint): void {
    this.timeNs = timeNs;
    this.pow.resume(height);
    this.spam.reset();
  }
}

function powHolder({ command, hash, tid }: AdmissionTransaction): PowHolder {
  return { isValidatorCommand: COMMANDS[command].isValidatorCommand, hash, tid };
}

function powTransaction(tx: AdmissionTransaction): PowTransaction {
  const { displayName: commandName, isValidatorCommand } = COMMANDS[tx.command];
  const { party, hash, blockHeight, tid, nonce } = tx;
  return { party, hash, blockHeight, tid, nonce, commandName, isValidatorCommand };
}

function spamRequest({ command, party, proposal }: AdmissionTransaction): SpamRequest {
  return { policy: COMMANDS[command].spamPolicy, party, proposal };
}

// The answer of GET /statistics/spam/{partyId}: `vega.api.v1.GetSpamStatisticsResponse`
// (docs/protocol/00-interface.md#2-resources-and-their-fields and #46-get-spam-statistics;
// docs/protocol/40-pow-spam.md#5-spam-statistics). Times are RFC 3339 with nanoseconds, as the interface states, where
// the original wrote plain numbers; a member that says nothing (no ban, no further transaction) is absent.

interface StatisticsSource {
  readonly chainId: string;
  readonly pow: PowEngine;
  readonly spam: SpamEngine;
  readonly rules: AdmissionRules;
}

/** @param party the sending key, as text; one that never sent anything has zero counts */
export function spamStatistics(source: StatisticsSource, party: string): GetSpamStatisticsResponse {
  const { simple, vote, epochSeq } = source.spam;
  return {
    chainId: source.chainId,
    statistics: {
      proposals: simpleStatistic(simple.proposal, party),
      delegations: simpleStatistic(simple.delegation, party),
      transfers: simpleStatistic(simple.transfer, party),
      nodeAnnouncements: simpleStatistic(simple.validatorJoin, party),
      votes: voteStatistics(vote, party, source.rules),
      pow: powStatistic(source.pow, party),
      issueSignatures: simpleStatistic(simple.issueSignature, party),
      epochSeq,
    },
  };
}

const timeOrAbsent = (ns: bigint | undefined) => (ns === undefined ? undefined : rfc3339Nano(ns));

function simpleStatistic(policy: SimplePolicy, party: string): SpamStatistic {
  return {
    countForEpoch: policy.countOf(party),
    maxForEpoch: policy.max,
    bannedUntil: timeOrAbsent(policy.bans.of(party)),
    minTokensRequired: policy.minTokens.toString(),
  };
}

function voteStatistics(policy: VotePolicy, party: string, rules: AdmissionRules): VoteSpamStatistics {
  // The original leaves out that the minimum is raised (docs/protocol/40-pow-spam.md#8-easily-missed, 14); a wallet
  // needs what a vote takes now.
  const minTokens = rules === "0.71.6" ? policy.minTokens : policy.effectiveMinTokens;
  return {
    statistics: policy.countsOf(party).map(({ proposal, count }) => ({
      proposal,
      countForEpoch: count,
      minTokensRequired: minTokens.toString(),
    })),
    maxForEpoch: policy.max,
    bannedUntil: timeOrAbsent(policy.bans.of(party)),
  };
}

function powStatistic(pow: PowEngine, party: string): PoWStatistic {
  return {
    blockStates: pow.blockStates(party).map(({ height, hash, seen, expected, parameters }) => ({
      blockHeight: height,
      blockHash: hash,
      transactionsSeen: seen,
      expectedDifficulty: expected,
      hashFunction: parameters.hashFunction,
      difficulty: BigInt(parameters.difficulty),
      // The parameter has no upper bound, what can be told has one.
      txPerBlock: parameters.txPerBlock < UINT64_MAX ? parameters.txPerBlock : UINT64_MAX,
      increasingDifficulty: parameters.increasingDifficulty,
    })),
    bannedUntil: timeOrAbsent(pow.bannedUntil(party)),
    numberOfPastBlocks: pow.parameters?.pastBlocks ?? 0n,
  };
}

// Network parameters that steer admission, from their texts (docs/protocol/40-pow-spam.md#21-proof-of-work and
// #23-spam-policies). Ranges have been checked where a parameter is accepted; here a text only has to be readable.

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

/** Keys of the network parameters that steer admission. */
export const ADMISSION_PARAMETERS: readonly string[] = Object.keys(APPLY);

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

function unreadable(text: string, expected: string): NodeError {
  return new NodeError("admission.parameter", "invalid_parameter", `'${text}' is not ${expected}`);
}
