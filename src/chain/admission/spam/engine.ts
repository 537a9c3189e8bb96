/**
 * The spam engine: six policies that limit what a party may send in an epoch
 * (docs/protocol/40-pow-spam.md#4-spam-policies). Like the proof-of-work engine it knows no clock and no store. The
 * calls of one block:
 *
 *   startEpoch (in the tick of a block that begins one) → change, deliver … → endBlock, and check between blocks
 */

import type { SpamPolicy } from "../../../errors/rules.ts";
import { ACCEPTED, banDurationNs, type Verdict } from "../rules.ts";
import {
  SimplePolicy,
  type SimplePolicyState,
  type Tokens,
  VotePolicy,
  type VotePolicyState,
} from "./policies.ts";

type SimplePolicyName = Exclude<SpamPolicy, "vote">;

/** A command's facts for a policy. */
export interface SpamRequest {
  /** Undefined for a command that no policy counts. */
  readonly policy: SpamPolicy | undefined;
  readonly party: string;
  /** The proposal voted on, for votes. */
  readonly proposal?: string | undefined;
}

/** Values of the `spam.protection.*` network parameters, decimals cut to whole numbers (docs/protocol/40-pow-spam.md#23-spam-policies). */
export interface SpamParameters {
  readonly maxVotes: bigint;
  readonly minVoteTokens: bigint;
  readonly maxProposals: bigint;
  readonly minProposalTokens: bigint;
  readonly maxDelegations: bigint;
  readonly minDelegationTokens: bigint;
  readonly maxTransfers: bigint;
  /** `reward.staking.delegation.minimumValidatorStake` */
  readonly minAnnounceTokens: bigint;
  /** `spam.protection.minMultisigUpdates` */
  readonly minIssueTokens: bigint;
}

const TOKEN = 10n ** 18n;

/** Defaults (docs/protocol/40-pow-spam.md#23-spam-policies). */
export const SPAM_DEFAULTS: SpamParameters = {
  maxVotes: 3n,
  minVoteTokens: 100n * TOKEN,
  maxProposals: 3n,
  minProposalTokens: 100_000n * TOKEN,
  maxDelegations: 390n,
  minDelegationTokens: TOKEN,
  maxTransfers: 20n,
  minAnnounceTokens: 0n,
  minIssueTokens: 100n * TOKEN,
};

/** These two have no parameter: once an epoch (docs/protocol/40-pow-spam.md#41-which-command-uses-which-policy). */
const ONCE = 1n;

/** State between blocks as plain JSON in one canonical form. */
export interface SpamState {
  readonly epoch: string;
  readonly epochLengthNs: string;
  readonly simple: Readonly<Record<SimplePolicyName, SimplePolicyState>>;
  readonly vote: VotePolicyState;
}

export class SpamEngine {
  private epoch = 0n;
  private epochLengthNs = 0n;
  readonly simple: Readonly<Record<SimplePolicyName, SimplePolicy>>;
  readonly vote: VotePolicy;

  constructor(parameters: SpamParameters = SPAM_DEFAULTS) {
    const { maxProposals, maxDelegations, maxTransfers, maxVotes, minVoteTokens } = parameters;
    this.simple = {
      proposal: new SimplePolicy("proposal", maxProposals, parameters.minProposalTokens),
      delegation: new SimplePolicy("delegation", maxDelegations, parameters.minDelegationTokens),
      transfer: new SimplePolicy("transfer", maxTransfers, 0n),
      validatorJoin: new SimplePolicy("validatorJoin", ONCE, parameters.minAnnounceTokens),
      issueSignature: new SimplePolicy("issueSignature", ONCE, parameters.minIssueTokens),
    };
    this.vote = new VotePolicy(maxVotes, minVoteTokens);
  }

  get epochSeq(): bigint {
    return this.epoch;
  }

  /** New parameters, which count for the running epoch at once. */
  change(values: Partial<SpamParameters>): void {
    const { proposal, delegation, transfer, validatorJoin, issueSignature } = this.simple;
    proposal.max = values.maxProposals ?? proposal.max;
    proposal.minTokens = values.minProposalTokens ?? proposal.minTokens;
    delegation.max = values.maxDelegations ?? delegation.max;
    delegation.minTokens = values.minDelegationTokens ?? delegation.minTokens;
    transfer.max = values.maxTransfers ?? transfer.max;
    validatorJoin.minTokens = values.minAnnounceTokens ?? validatorJoin.minTokens;
    issueSignature.minTokens = values.minIssueTokens ?? issueSignature.minTokens;
    this.vote.max = values.maxVotes ?? this.vote.max;
    this.vote.minTokens = values.minVoteTokens ?? this.vote.minTokens;
  }

  /** Length of an epoch, nanoseconds: 1/48 of it is how long a later ban lasts. */
  setEpochLength(epochLengthNs: bigint): void {
    this.epochLengthNs = epochLengthNs;
  }

  /**
   * Clears counts and bans when the number is a new one; the same number again does nothing
   * (docs/protocol/40-pow-spam.md#44-epoch-timing).
   */
  startEpoch(seq: bigint): void {
    if (seq === this.epoch) return;
    this.epoch = seq;
    for (const policy of Object.values(this.simple)) policy.startEpoch();
    this.vote.startEpoch();
  }

  check({ policy, party, proposal = "" }: SpamRequest, tokens: Tokens): Verdict {
    if (policy === undefined) return ACCEPTED;
    return policy === "vote"
      ? this.vote.check(party, proposal, tokens)
      : this.simple[policy].check(party, tokens);
  }

  deliver({ policy, party, proposal = "" }: SpamRequest): Verdict {
    if (policy === undefined) return ACCEPTED;
    return policy === "vote" ? this.vote.deliver(party, proposal) : this.simple[policy].deliver(party);
  }

  /** @param timeNs of the block that ends */
  endBlock(height: bigint, timeNs: bigint): void {
    const duration = banDurationNs(this.epochLengthNs);
    for (const policy of Object.values(this.simple)) policy.endBlock(timeNs, duration);
    this.vote.endBlock(height, timeNs, duration);
  }

  /** Lifts the party's bans of all policies (devnet tools). */
  pardon(party: string): boolean {
    const policies = [...Object.values(this.simple), this.vote];
    return policies.filter((policy) => policy.bans.pardon(party)).length > 0;
  }

  save(): SpamState {
    const { proposal, delegation, transfer, validatorJoin, issueSignature } = this.simple;
    return {
      epoch: this.epoch.toString(),
      epochLengthNs: this.epochLengthNs.toString(),
      simple: {
        proposal: proposal.save(),
        delegation: delegation.save(),
        transfer: transfer.save(),
        validatorJoin: validatorJoin.save(),
        issueSignature: issueSignature.save(),
      },
      vote: this.vote.save(),
    };
  }

  load(state: SpamState): void {
    this.epoch = BigInt(state.epoch);
    this.epochLengthNs = BigInt(state.epochLengthNs);
    for (const [name, policy] of Object.entries(this.simple)) {
      policy.load(state.simple[name as SimplePolicyName]);
    }
    this.vote.load(state.vote);
  }
}
