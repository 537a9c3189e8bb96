/**
 * Governance (reference 60, section 6): proposals from their submission through validation, vote and tally to their
 * enactment.
 */
import type { ProposalSubmission, VoteSubmission } from "../wire/generated/commands.ts";
import { ProposalError, ProposalState } from "../wire/generated/vega.ts";
import type { Assets } from "./assets.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { ETHEREUM_CONFIG } from "./parameter-definitions.ts";
import type { NetworkParameters } from "./parameters.ts";
import type { Domain, StakeReader, WitnessPort } from "./ports.ts";
import { checkProposal } from "./proposal-checks.ts";
import { ProposalRefusal } from "./proposal-refusal.ts";
import {
  ASSET_VALIDATION,
  assetValidation,
  kindOf,
  type ProposalEnd,
  type ProposalRecord,
  Proposals,
} from "./proposals.ts";
import { type VoteRecord, Votes } from "./votes.ts";

export class Governance implements Domain {
  readonly proposals: Proposals;
  private readonly votes: Votes;

  constructor(
    private readonly core: Core,
    private readonly params: NetworkParameters,
    private readonly assets: Assets,
    private readonly limits: Limits,
    private readonly stake: StakeReader,
    private readonly witness: WitnessPort,
  ) {
    this.proposals = new Proposals(core, params);
    this.votes = new Votes(core, stake);
    witness.onOutcome<string>(ASSET_VALIDATION, (id, _payload, isValid) => this.proposals.note(id, isValid));
  }

  /** Commands that may be refused before their handler sees them. @throws CommandError code 51 */
  checkEnabled(command: Parameters<Limits["checkEnabled"]>[0]): void {
    this.limits.checkEnabled(command);
  }

  /** What the mempool and the handler ask alike (section 1.6, CheckTx). @throws CommandError, which leaves no event */
  checkProposal({ terms }: ProposalSubmission): void {
    kindOf(terms!);
    const key = terms!.updateNetworkParameter?.changes?.key ?? "";
    // An empty key has a reason of its own among the proposal's checks.
    if (key === "") return;
    if (!this.params.has(key)) throw new CommandError("unknown key");
    if (key === ETHEREUM_CONFIG)
      throw new CommandError(`network parameter update disabled for ${ETHEREUM_CONFIG}`);
  }

  /** A proposal (section 6.4). @throws CommandError; a ProposalRefusal keeps its event */
  submit(submission: ProposalSubmission): void {
    this.checkProposal(submission);
    const proposal = this.proposals.draft(submission);
    if (this.isKnown(proposal.id)) throw new CommandError("proposal with given ID already exists");
    try {
      const { core, params, assets, stake } = this;
      checkProposal(proposal, { nowNs: core.nowNs, params, assets, stake });
    } catch (error) {
      if (error instanceof ProposalRefusal) {
        this.proposals.end(proposal, ProposalState.STATE_REJECTED, endOf(error));
      }
      throw error;
    }
    const { newAsset } = proposal.terms;
    if (newAsset !== undefined) this.assets.propose(proposal.id, newAsset.changes!);
    this.proposals.open(proposal);
    if (newAsset !== undefined) this.witness.start(assetValidation(proposal));
  }

  /** A vote (section 6.7). @throws CommandError */
  vote({ proposalId, value }: VoteSubmission): void {
    const { party } = this.core.currentTx;
    const proposal = this.proposals.get(proposalId);
    if (proposal === undefined) throw new CommandError("proposal does not exist");
    if (!isOpenForVotes(proposal)) throw new CommandError("proposal is not open for votes");
    const balance = this.stake.balance(party);
    if (balance === undefined) throw new CommandError("no balance for party");
    const required = this.params.integer(`governance.proposal.${kindOf(proposal.terms)}.minVoterBalance`);
    if (balance < required) {
      throw new CommandError("vote requires more tokens than the party has", {
        numbers: { required, balance },
      });
    }
    this.votes.cast({ proposal: proposalId, party, value, timestampNs: this.core.nowNs, balance });
  }

  /** The last of the tick's listeners (section 6.5). */
  onTick(): void {
    const now = this.core.nowSeconds;
    const enacting: ProposalRecord[] = [];
    const dropped: ProposalRecord[] = [];
    for (const active of this.proposals.active()) {
      const isClosing = active.state === ProposalState.STATE_OPEN && active.terms.closingTimestamp < now;
      const proposal = isClosing ? this.close(active) : active;
      if (proposal === undefined) dropped.push(active);
      else if (isDue(proposal, now)) (this.prepare(proposal) ? enacting : dropped).push(proposal);
    }
    this.takeValidations();
    for (const { id, terms } of dropped) if (terms.newAsset !== undefined) this.assets.reject(id);
    for (const proposal of enacting) this.enact(proposal);
  }

  /** A validator has a new key: its votes on open proposals go along (section 6.7). */
  moveVotes(oldKey: string, newKey: string): void {
    for (const { id } of this.proposals.active()) this.votes.move(id, oldKey, newKey);
  }

  /** A proposal that is not through yet. */
  proposal(id: string): ProposalRecord | undefined {
    return this.proposals.get(id);
  }

  /** Votes on a proposal that is open, by time. */
  votesOn(id: string): readonly VoteRecord[] {
    return this.votes.of(id);
  }

  /** Counts the votes. @returns the passed proposal, or undefined when it is declined */
  private close(proposal: ProposalRecord): ProposalRecord | undefined {
    const { declined, emit } = this.votes.tally(proposal);
    let passed: ProposalRecord | undefined;
    if (declined === undefined) passed = this.proposals.advance(proposal, ProposalState.STATE_PASSED);
    else this.proposals.end(proposal, ProposalState.STATE_DECLINED, { reason: declined });
    emit();
    this.votes.forget(proposal.id);
    return passed;
  }

  /** @returns false when the proposal has failed */
  private prepare(proposal: ProposalRecord): boolean {
    if (proposal.terms.newAsset === undefined) return true;
    return this.orFail(proposal, () => this.assets.awaitListing(proposal.id));
  }

  private takeValidations(): void {
    for (const proposal of this.proposals.active()) {
      if (proposal.state !== ProposalState.STATE_WAITING_FOR_NODE_VOTE || proposal.isValid === undefined)
        continue;
      if (proposal.isValid) {
        this.proposals.advance(proposal, ProposalState.STATE_OPEN);
        continue;
      }
      const reason = ProposalError.PROPOSAL_ERROR_NODE_VALIDATION_FAILED;
      this.proposals.end(proposal, ProposalState.STATE_REJECTED, { reason });
      this.votes.forget(proposal.id);
      this.assets.reject(proposal.id);
    }
  }

  private enact(proposal: ProposalRecord): void {
    if (this.orFail(proposal, () => this.apply(proposal))) {
      this.proposals.end(proposal, ProposalState.STATE_ENACTED);
    }
  }

  private apply({ id, terms }: ProposalRecord): void {
    const { updateNetworkParameter: parameter, updateAsset: update } = terms;
    if (parameter !== undefined) this.params.setAtEnactment(parameter.changes!.key, parameter.changes!.value);
    if (terms.newAsset !== undefined) this.assets.enact(id);
    if (update !== undefined) this.assets.stageUpdate(id, update.assetId, update.changes!);
  }

  /** Does a step of the enactment; a refusal ends the proposal as failed. @returns whether it worked */
  private orFail(proposal: ProposalRecord, step: () => void): boolean {
    try {
      step();
      return true;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.proposals.end(proposal, ProposalState.STATE_FAILED, endOf(error));
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
