/**
 * Governance (docs/protocol/60-state-engine-governance.md#6-governance): proposals from their submission through
 * validation, vote and tally to their enactment.
 */

import { compare } from "../wire/arithmetic.ts";
import { Decimal } from "../wire/decimal.ts";
import type { ProposalSubmission, VoteSubmission } from "../wire/generated/commands.ts";
import { ProposalError, ProposalState, VoteValue } from "../wire/generated/vega.ts";
import type { Assets } from "./assets.ts";
import type { Core } from "./core.ts";
import {
  CommandError,
  commandErrorOf,
  type ProposalErrorNumber,
  ProposalRefusal,
  refuseProposal,
} from "./errors.ts";
import { ETHEREUM_CONFIG } from "./parameter-definitions.ts";
import type { NetworkParameters } from "./parameters.ts";
import type { StakeReader, WitnessPort } from "./ports.ts";
import {
  ASSET_VALIDATION,
  assetValidation,
  checkProposal,
  kindOf,
  type ProposableMarkets,
  type ProposalEnd,
  type ProposalRecord,
  Proposals,
} from "./proposals.ts";
import type { Table } from "./state.ts";

/** Markets as proposals make and change them. */
export interface GovernedMarkets extends ProposableMarkets {
  /** A market of an accepted proposal is made. @throws CommandError */
  propose(proposal: ProposalRecord): void;
  onVoteClosed(id: string, isPassed: boolean): void;
  /** @throws CommandError when the market is not there any more */
  update(proposal: ProposalRecord): void;
}

export class Governance {
  readonly proposals: Proposals;
  readonly votes: Votes;

  constructor(
    private readonly core: Core,
    private readonly params: NetworkParameters,
    private readonly assets: Assets,
    private readonly stake: StakeReader,
    private readonly witness: WitnessPort,
    private readonly markets: GovernedMarkets,
    private readonly onFault: (subject: string, error: unknown) => void,
  ) {
    this.proposals = new Proposals(core, params);
    this.votes = new Votes(core, stake, markets);
    witness.onOutcome<string>(ASSET_VALIDATION, (id, _payload, isValid) =>
      this.proposals.recordValidation(id, isValid),
    );
  }

  /**
   * Check of the mempool and of the handler (docs/protocol/60-state-engine-blocks.md#16-transactions, CheckTx).
   * @throws CommandError, which leaves no event
   */
  checkProposal({ terms }: ProposalSubmission): void {
    kindOf(terms!);
    const key = terms!.updateNetworkParameter?.changes?.key ?? "";
    // An empty key has a reason of its own among the proposal's checks.
    if (key === "") return;
    if (!this.params.has(key)) throw new CommandError("unknown key");
    if (key === ETHEREUM_CONFIG)
      throw new CommandError(`network parameter update disabled for ${ETHEREUM_CONFIG}`);
  }

  /**
   * A proposal (docs/protocol/60-state-engine-governance.md#64-submission-pipeline).
   * @throws CommandError; a ProposalRefusal keeps its event
   */
  submitProposal(submission: ProposalSubmission): void {
    this.checkProposal(submission);
    const proposal = this.proposals.draftProposal(submission);
    if (this.isKnown(proposal.id)) throw new CommandError("proposal with given ID already exists");
    try {
      const { core, params, assets, stake, markets } = this;
      const isOpen = (id: string) => this.proposals.get(id) !== undefined;
      checkProposal(proposal, { nowNs: core.nowNs, params, assets, stake, markets, isOpen });
    } catch (error) {
      if (error instanceof ProposalRefusal) {
        this.proposals.endProposal(proposal, ProposalState.STATE_REJECTED, endOf(error));
      }
      throw error;
    }
    const { newAsset, newMarket } = proposal.terms;
    if (newAsset !== undefined) this.assets.propose(proposal.id, newAsset.changes!);
    const opened = { ...proposal, terms: this.markets.completedTerms(proposal.terms) };
    // New markets store their completed terms now; updates store them at enactment.
    this.proposals.openProposal(opened, newMarket === undefined ? opened : this.withUsedTerms(opened));
    if (newMarket !== undefined) this.markets.propose(opened);
    if (newAsset !== undefined) this.witness.requestVotes(assetValidation(proposal));
  }

  /** A vote (docs/protocol/60-state-engine-governance.md#67-votes). @throws CommandError */
  submitVote({ proposalId, value }: VoteSubmission): void {
    const { party } = this.core.currentTx;
    const proposal = this.proposals.get(proposalId);
    if (proposal === undefined) throw new CommandError("proposal does not exist");
    if (!isOpenForVotes(proposal)) throw new CommandError("proposal is not open for votes");
    const balance = this.stake.balance(party);
    if (balance === undefined) throw new CommandError("no balance for party");
    const share = this.votes.shareOf(proposal, party);
    if (proposal.terms.updateMarket !== undefined && balance === 0n && !share.isPositive()) {
      throw new CommandError("vote requires tokens or equity-like share");
    }
    const required = this.params.integer(`governance.proposal.${kindOf(proposal.terms)}.minVoterBalance`);
    if (balance < required && !share.isPositive()) {
      throw new CommandError("vote requires more tokens than the party has", {
        numbers: { required, balance },
      });
    }
    const timestampNs = this.core.nowNs;
    this.votes.cast({ proposal: proposalId, party, value, timestampNs, balance, share: share.toString() });
  }

  /** The last of the tick's listeners (docs/protocol/60-state-engine-governance.md#65-governance-tick-last-tick-listener). */
  onTick(): void {
    const now = this.core.nowSeconds;
    const enacting: ProposalRecord[] = [];
    const dropped: ProposalRecord[] = [];
    const decided: { readonly id: string; readonly isPassed: boolean }[] = [];
    for (const active of this.proposals.active()) {
      const isClosing = active.state === ProposalState.STATE_OPEN && active.terms.closingTimestamp < now;
      const proposal = isClosing ? this.close(active) : active;
      if (isClosing && active.terms.newMarket !== undefined) {
        decided.push({ id: active.id, isPassed: proposal !== undefined });
      }
      if (proposal === undefined) dropped.push(active);
      else if (isDue(proposal, now)) (this.prepare(proposal) ? enacting : dropped).push(proposal);
    }
    this.applyValidations();
    for (const { id, terms } of dropped) if (terms.newAsset !== undefined) this.assets.reject(id);
    for (const { id, isPassed } of decided) this.markets.onVoteClosed(id, isPassed);
    for (const proposal of enacting) this.enact(proposal);
  }

  /** A validator has a new key: its votes on open proposals go along (docs/protocol/60-state-engine-governance.md#67-votes). */
  moveVotes(oldKey: string, newKey: string): void {
    for (const { id } of this.proposals.active()) this.votes.move(id, oldKey, newKey);
  }

  /** Counts the votes. @returns the passed proposal, or undefined when it is declined */
  private close(proposal: ProposalRecord): ProposalRecord | undefined {
    const { declined, emit } = this.votes.tally(proposal);
    let passed: ProposalRecord | undefined;
    if (declined === undefined) passed = this.proposals.advance(proposal, ProposalState.STATE_PASSED);
    else this.proposals.endProposal(proposal, ProposalState.STATE_DECLINED, { reason: declined });
    emit();
    this.votes.removeAll(proposal.id);
    return passed;
  }

  /** @returns false when the proposal has failed */
  private prepare(proposal: ProposalRecord): boolean {
    const { newAsset, updateAsset, updateMarket, updateNetworkParameter: parameter } = proposal.terms;
    return this.orFail(proposal, () => {
      if (parameter !== undefined) {
        const problem = this.params.validate(parameter.changes!.key, parameter.changes!.value);
        if (problem !== undefined) refuseProposal("NETWORK_PARAMETER_INVALID_VALUE", problem);
      }
      if (newAsset !== undefined) this.assets.awaitListing(proposal.id);
      if (updateAsset !== undefined) this.assets.checkUpdatable(updateAsset.assetId, updateAsset.changes!);
      if (updateMarket !== undefined && !this.markets.has(updateMarket.marketId))
        refuseProposal("INVALID_MARKET", `market "${updateMarket.marketId}" doesn't exist anymore`);
    });
  }

  private applyValidations(): void {
    for (const proposal of this.proposals.active()) {
      if (proposal.state !== ProposalState.STATE_WAITING_FOR_NODE_VOTE || proposal.isValid === undefined)
        continue;
      if (proposal.isValid) {
        this.proposals.advance(proposal, ProposalState.STATE_OPEN);
        continue;
      }
      const reason = ProposalError.PROPOSAL_ERROR_NODE_VALIDATION_FAILED;
      this.proposals.endProposal(proposal, ProposalState.STATE_REJECTED, { reason });
      this.votes.removeAll(proposal.id);
      this.assets.reject(proposal.id);
    }
  }

  private enact(proposal: ProposalRecord): void {
    if (this.orFail(proposal, () => this.apply(proposal))) {
      this.proposals.endProposal(this.withUsedTerms(proposal), ProposalState.STATE_ENACTED);
    }
  }

  private withUsedTerms(proposal: ProposalRecord): ProposalRecord {
    return { ...proposal, terms: this.markets.usedTerms(proposal.terms) };
  }

  private apply(proposal: ProposalRecord): void {
    const { id, terms } = proposal;
    const { updateNetworkParameter: parameter, updateAsset: update } = terms;
    if (parameter !== undefined) this.params.setValue(parameter.changes!.key, parameter.changes!.value);
    if (terms.newAsset !== undefined) this.assets.enact(id);
    if (update !== undefined) this.assets.stageUpdate(id, update.assetId, update.changes!);
    if (terms.updateMarket !== undefined) this.markets.update(proposal);
  }

  /**
   * Does a step of the enactment; a refusal ends the proposal as failed. So does a fault of the engine, with nothing done:
   * otherwise one proposal could stop the chain. @returns whether it worked
   */
  private orFail(proposal: ProposalRecord, step: () => void): boolean {
    const { state, log } = this.core;
    const mark = state.mark();
    const events = log.length;
    try {
      step();
      return true;
    } catch (error) {
      const refusal = commandErrorOf(error, (fault) => {
        state.rollback(mark);
        log.truncate(events);
        this.onFault(`proposal ${proposal.id}`, fault);
      });
      this.proposals.endProposal(proposal, ProposalState.STATE_FAILED, endOf(refusal));
      return false;
    }
  }

  private isKnown(id: string): boolean {
    return this.proposals.get(id) !== undefined || this.assets.get(id) !== undefined;
  }
}

function isOpenForVotes({ state }: ProposalRecord): boolean {
  return state === ProposalState.STATE_OPEN || state === ProposalState.STATE_WAITING_FOR_NODE_VOTE;
}

/** Passed, and its time has come; a freeform proposal has none. @param now Unix seconds */
function isDue({ state, terms }: ProposalRecord, now: bigint): boolean {
  if (state !== ProposalState.STATE_PASSED) return false;
  return terms.newFreeform !== undefined || terms.enactmentTimestamp < now;
}

function endOf(error: CommandError): ProposalEnd {
  const errorDetails = error.message;
  return error instanceof ProposalRefusal ? { reason: error.reason, errorDetails } : { errorDetails };
}

// Votes on open proposals and how they are counted (docs/protocol/60-state-engine-governance.md#66-tally-by-tokens and
// #67-votes).

interface VoteRecord {
  readonly proposal: string;
  readonly party: string;
  /** vega.Vote.Value */
  readonly value: number;
  /** Block time of the last cast, Unix nanoseconds. */
  readonly timestampNs: bigint;
  /** The party's stake at the cast. */
  readonly balance: bigint;
  /** Its equity-like share of the market that would change: a decimal, 0 for other proposals. */
  readonly share: string;
}

export class Votes {
  private readonly records: Table<VoteRecord>;
  /** Keys by proposal: not part of the state. */
  private readonly keysByProposal = new Map<string, Set<string>>();

  constructor(
    private readonly core: Core,
    private readonly stake: StakeReader,
    private readonly markets: Pick<GovernedMarkets, "equityShare">,
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

  /** Equity-like share of a party in the market that a proposal would change. */
  shareOf({ terms }: ProposalRecord, party: string): Decimal {
    const { updateMarket } = terms;
    return updateMarket === undefined ? Decimal.zero : this.markets.equityShare(updateMarket.marketId, party);
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
      for (const { vote, balance } of counted) {
        const share = this.shareOf(proposal, vote.party).toString();
        this.emit({ ...vote, share }, balance, weight(balance, total));
      }
    };
    const declined = this.verdict(proposal, yes, total);
    const isShort = declined === ProposalError.PROPOSAL_ERROR_PARTICIPATION_THRESHOLD_NOT_REACHED;
    if (!isShort || proposal.terms.updateMarket === undefined) return { declined, emit };
    return { declined: this.providersVerdict(proposal), emit };
  }

  /**
   * With too few tokens the market's providers decide: shares, not parts of them
   * (docs/protocol/60-state-engine-governance.md#66-tally-by-tokens).
   */
  private providersVerdict(proposal: ProposalRecord): ProposalErrorNumber | undefined {
    let yes = Decimal.zero;
    let all = Decimal.zero;
    for (const { party, value } of this.of(proposal.id)) {
      const share = this.shareOf(proposal, party);
      all = all.plus(share);
      if (value === VoteValue.VALUE_YES) yes = yes.plus(share);
    }
    if (all.isLess(Decimal.parse(proposal.requiredLpParticipation))) {
      return ProposalError.PROPOSAL_ERROR_PARTICIPATION_THRESHOLD_NOT_REACHED;
    }
    return yes.isLess(Decimal.parse(proposal.requiredLpMajority))
      ? ProposalError.PROPOSAL_ERROR_MAJORITY_THRESHOLD_NOT_REACHED
      : undefined;
  }

  /** Removes the votes on a proposal. */
  removeAll(proposal: string): void {
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
      totalEquityLikeShareWeight: vote.share,
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
