/**
 * The spam engine: six policies that limit what a party may send in an epoch
 * (docs/protocol/40-pow-spam.md#4-spam-policies). Like the proof-of-work engine it knows no clock and no store. The
 * calls of one block:
 *
 *   startEpoch (in the tick of a block that begins one) → change, deliver … → endBlock, and check between blocks
 */

import { type Cell, State } from "../../../engine/state.ts";
import type { SpamPolicy } from "../../../errors/rules.ts";
import { ACCEPTED, banDurationNs, type Verdict } from "../rules.ts";
import { SimplePolicy, type Tokens, VotePolicy } from "./policies.ts";

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

interface SpamSettings extends SpamParameters {
  readonly epoch: bigint;
  readonly epochLengthNs: bigint;
}

export class SpamEngine {
  private readonly settings: Cell<SpamSettings>;
  readonly simple: Readonly<Record<SimplePolicyName, SimplePolicy>>;
  readonly vote: VotePolicy;

  constructor(state = new State(), parameters: SpamParameters = SPAM_DEFAULTS) {
    const settings = state.cell<SpamSettings>("admission.spam.settings", {
      ...parameters,
      epoch: 0n,
      epochLengthNs: 0n,
    });
    this.settings = settings;
    const policy = (
      name: SimplePolicyName,
      max: (now: SpamSettings) => bigint,
      min: (now: SpamSettings) => bigint,
    ) => new SimplePolicy(name, state, () => ({ max: max(settings.get()), minTokens: min(settings.get()) }));
    this.simple = {
      proposal: policy(
        "proposal",
        (now) => now.maxProposals,
        (now) => now.minProposalTokens,
      ),
      delegation: policy(
        "delegation",
        (now) => now.maxDelegations,
        (now) => now.minDelegationTokens,
      ),
      transfer: policy(
        "transfer",
        (now) => now.maxTransfers,
        () => 0n,
      ),
      validatorJoin: policy(
        "validatorJoin",
        () => ONCE,
        (now) => now.minAnnounceTokens,
      ),
      issueSignature: policy(
        "issueSignature",
        () => ONCE,
        (now) => now.minIssueTokens,
      ),
    };
    this.vote = new VotePolicy(state, () => {
      const { maxVotes, minVoteTokens } = settings.get();
      return { max: maxVotes, minTokens: minVoteTokens };
    });
  }

  get epochSeq(): bigint {
    return this.settings.get().epoch;
  }

  /** New parameters, which count for the running epoch at once. */
  change(values: Partial<SpamParameters>): void {
    this.settings.set({ ...this.settings.get(), ...values });
  }

  /** Length of an epoch, nanoseconds: 1/48 of it is how long a later ban lasts. */
  setEpochLength(epochLengthNs: bigint): void {
    this.settings.set({ ...this.settings.get(), epochLengthNs });
  }

  /**
   * Clears counts and bans when the number is a new one; the same number again does nothing
   * (docs/protocol/40-pow-spam.md#44-epoch-timing).
   */
  startEpoch(seq: bigint): void {
    if (seq === this.epochSeq) return;
    this.settings.set({ ...this.settings.get(), epoch: seq });
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
    const duration = banDurationNs(this.settings.get().epochLengthNs);
    for (const policy of Object.values(this.simple)) policy.endBlock(timeNs, duration);
    this.vote.endBlock(height, timeNs, duration);
  }

  /** Lifts the party's bans of all policies (devnet tools). */
  pardon(party: string): boolean {
    const policies = [...Object.values(this.simple), this.vote];
    return policies.filter((policy) => policy.bans.pardon(party)).length > 0;
  }

  /** Forgets a block that was not finished. */
  reset(): void {
    for (const policy of Object.values(this.simple)) policy.reset();
    this.vote.reset();
  }
}
