/** Votes on open proposals and how they are counted (reference 60, sections 6.6 and 6.7). */
import { Decimal } from "../wire/decimal.ts";
import { ProposalError, VoteValue } from "../wire/generated/vega.ts";
import type { Core } from "./core.ts";
import type { StakeReader } from "./ports.ts";
import type { ProposalErrorNumber } from "./proposal-refusal.ts";
import type { ProposalRecord } from "./proposals.ts";
import { compare, type Table } from "./state/state.ts";

export interface VoteRecord {
  readonly proposal: string;
  readonly party: string;
  /** vega.Vote.Value */
  readonly value: number;
  /** Block time of the last cast, Unix nanoseconds. */
  readonly timestampNs: bigint;
  /** The party's stake at the cast. */
  readonly balance: bigint;
}

export class Votes {
  private readonly records: Table<VoteRecord>;
  /** Keys by proposal: not part of the state. */
  private readonly keysByProposal = new Map<string, Set<string>>();

  constructor(
    private readonly core: Core,
    private readonly stake: StakeReader,
  ) {
    this.records = core.state.table("governance.votes");
    this.records.onChange((key, before, now) =>
      this.index(key, (now ?? before)!.proposal, now !== undefined),
    );
  }

  /** Takes the place of the party's earlier vote on the proposal. */
  cast(vote: VoteRecord): void {
    this.records.set(keyOf(vote), vote);
    this.emit(vote, vote.balance, "0");
  }

  /** By time, then party. */
  of(proposal: string): VoteRecord[] {
    const keys = [...(this.keysByProposal.get(proposal) ?? [])];
    return keys.map((key) => this.records.get(key)!).sort(byTime);
  }

  /** Counts the votes with the stakes of this moment. @returns undefined when the proposal has passed, else why not */
  tally(proposal: ProposalRecord): { readonly declined?: ProposalErrorNumber; readonly emit: () => void } {
    const counted = this.of(proposal.id).map((vote) => ({
      vote,
      balance: this.stake.balance(vote.party) ?? 0n,
    }));
    const total = counted.reduce((sum, { balance }) => sum + balance, 0n);
    const yes = counted.reduce(
      (sum, { vote, balance }) => sum + (vote.value === VoteValue.VALUE_YES ? balance : 0n),
      0n,
    );
    const emit = () => {
      for (const { vote, balance } of counted) this.emit(vote, balance, weight(balance, total));
    };
    return { declined: this.verdict(proposal, yes, total), emit };
  }

  /** Forgets the votes of a proposal. */
  forget(proposal: string): void {
    for (const vote of this.of(proposal)) this.records.delete(keyOf(vote));
  }

  /** Hands a party's votes on a proposal over to another key. */
  move(proposal: string, from: string, to: string): void {
    const vote = this.records.get(keyOf({ proposal, party: from }));
    if (vote === undefined) return;
    this.records.delete(keyOf(vote));
    this.cast({ ...vote, party: to });
  }

  private verdict(proposal: ProposalRecord, yes: bigint, total: bigint): ProposalErrorNumber | undefined {
    const participation = Decimal.of(this.stake.totalSupply()).times(
      Decimal.parse(proposal.requiredParticipation),
    );
    if (total === 0n || Decimal.of(total).isLess(participation)) {
      return ProposalError.PROPOSAL_ERROR_PARTICIPATION_THRESHOLD_NOT_REACHED;
    }
    const majority = Decimal.of(total).times(Decimal.parse(proposal.requiredMajority));
    return Decimal.of(yes).isLess(majority)
      ? ProposalError.PROPOSAL_ERROR_MAJORITY_THRESHOLD_NOT_REACHED
      : undefined;
  }

  private emit(vote: VoteRecord, balance: bigint, weightText: string): void {
    this.core.emit("vote", {
      partyId: vote.party,
      value: vote.value,
      proposalId: vote.proposal,
      timestamp: vote.timestampNs,
      totalGovernanceTokenBalance: balance.toString(),
      totalGovernanceTokenWeight: weightText,
      totalEquityLikeShareWeight: "0",
    });
  }

  private index(key: string, proposal: string, isThere: boolean): void {
    const keys = this.keysByProposal.get(proposal) ?? new Set();
    if (isThere) keys.add(key);
    else keys.delete(key);
    if (keys.size > 0) this.keysByProposal.set(proposal, keys);
    else this.keysByProposal.delete(proposal);
  }
}

function keyOf({ proposal, party }: Pick<VoteRecord, "proposal" | "party">): string {
  return `${proposal}/${party}`;
}

function byTime(a: VoteRecord, b: VoteRecord): number {
  if (a.timestampNs !== b.timestampNs) return a.timestampNs < b.timestampNs ? -1 : 1;
  return compare(a.party, b.party);
}

/** Share of all counted stake, 16 decimals. */
function weight(balance: bigint, total: bigint): string {
  return total === 0n ? "0" : Decimal.of(balance).dividedBy(Decimal.of(total)).toString();
}
