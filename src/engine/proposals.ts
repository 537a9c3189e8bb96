/** Proposals that are not decided or not enacted yet, and their events (reference 60, section 6.1). */
import { NodeVoteType, type ProposalSubmission } from "../wire/generated/commands.ts";
import { type ProposalRationale, ProposalState, type ProposalTerms } from "../wire/generated/vega.ts";
import type { Core } from "./core.ts";
import { CommandError, ResultCode } from "./errors.ts";
import type { ProposalKind } from "./parameter-definitions.ts";
import type { ParameterReader, WitnessResource } from "./ports.ts";
import type { ProposalErrorNumber } from "./proposal-refusal.ts";
import type { Cell, Table } from "./state/state.ts";

export type ProposalStateNumber = (typeof ProposalState)[keyof typeof ProposalState];

/** Kinds that this chain can enact: those that need no market. */
export type EnactableKind = Exclude<ProposalKind, "market" | "updateMarket">;

export interface ProposalRecord {
  /** Order of submission. */
  readonly sequence: number;
  readonly id: string;
  readonly reference: string;
  readonly party: string;
  readonly state: ProposalStateNumber;
  /** Block time of the submission, Unix nanoseconds. */
  readonly timestampNs: bigint;
  /** Times are Unix seconds. */
  readonly terms: ProposalTerms;
  readonly rationale: ProposalRationale;
  /** Decimals, as they were required when the proposal was submitted. */
  readonly requiredParticipation: string;
  readonly requiredMajority: string;
  /** What the validators found out about a new asset; undefined until they have. */
  readonly isValid?: boolean;
}

/** Why a proposal ended, as its event tells it. */
export interface ProposalEnd {
  /** Left out of the event when it is UNSPECIFIED. */
  readonly reason?: ProposalErrorNumber;
  readonly errorDetails?: string;
}

/** Kind of a proposal's change. @throws CommandError for markets, which this chain does not have */
export function kindOf(terms: ProposalTerms): EnactableKind {
  if (terms.updateNetworkParameter !== undefined) return "updateNetParam";
  if (terms.newAsset !== undefined) return "asset";
  if (terms.updateAsset !== undefined) return "updateAsset";
  if (terms.newFreeform !== undefined) return "freeform";
  throw new CommandError("not supported by this chain", { code: ResultCode.unsupported });
}

export const ASSET_VALIDATION = "governance.asset";

/** What validators look at before a new asset is voted on: its contract (section 5.3). */
export function assetValidation({ id, terms }: ProposalRecord): WitnessResource<string> {
  return {
    id,
    kind: ASSET_VALIDATION,
    voteType: NodeVoteType.TYPE_GOVERNANCE_VALIDATE_ASSET,
    deadlineNs: terms.validationTimestamp * 1_000_000_000n,
    payload: id,
  };
}

export class Proposals {
  private readonly records: Table<ProposalRecord>;
  private readonly enactedRecords: Table<ProposalRecord>;
  private readonly sequence: Cell<number>;
  /** In order of submission; made again when a proposal has changed. Not part of the state. */
  private ordered: readonly ProposalRecord[] | undefined;

  constructor(
    private readonly core: Core,
    private readonly params: ParameterReader,
  ) {
    this.records = core.state.table("governance.proposals");
    this.enactedRecords = core.state.table("governance.enacted");
    this.sequence = core.state.cell("governance.sequence", 0);
    this.records.onChange(() => {
      this.ordered = undefined;
    });
  }

  get(id: string): ProposalRecord | undefined {
    return this.records.get(id);
  }

  /** In order of submission: those that wait for validators, for votes, or for their enactment. */
  active(): readonly ProposalRecord[] {
    this.ordered ??= this.records.values().sort((a, b) => a.sequence - b.sequence);
    return this.ordered;
  }

  /** The proposal that the transaction in hand submits; not kept yet. */
  draft(submission: ProposalSubmission): ProposalRecord {
    const { id, party } = this.core.currentTx;
    const terms = submission.terms!;
    const prefix = `governance.proposal.${kindOf(terms)}`;
    return {
      sequence: this.sequence.get(),
      id,
      reference: submission.reference,
      party,
      state: terms.newAsset ? ProposalState.STATE_WAITING_FOR_NODE_VOTE : ProposalState.STATE_OPEN,
      timestampNs: this.core.nowNs,
      terms,
      rationale: submission.rationale!,
      requiredParticipation: this.params.decimal(`${prefix}.requiredParticipation`).toString(),
      requiredMajority: this.params.decimal(`${prefix}.requiredMajority`).toString(),
    };
  }

  /** Keeps a proposal that has passed the checks, and tells of it. */
  open(proposal: ProposalRecord): void {
    this.sequence.set(proposal.sequence + 1);
    this.records.set(proposal.id, proposal);
    this.emit(proposal);
  }

  /** The next state of a proposal that goes on. @returns the proposal as it is now */
  advance(proposal: ProposalRecord, state: ProposalStateNumber): ProposalRecord {
    const next = { ...proposal, state };
    this.records.set(proposal.id, next);
    this.emit(next);
    return next;
  }

  /** The last state of a proposal; it is forgotten, but for a checkpoint's sake if it was enacted. */
  end(proposal: ProposalRecord, state: ProposalStateNumber, why: ProposalEnd = {}): void {
    this.records.delete(proposal.id);
    if (state === ProposalState.STATE_ENACTED) this.enactedRecords.set(proposal.id, { ...proposal, state });
    this.emit({ ...proposal, state }, why);
  }

  /** Those that were enacted, by id. For checkpoints. */
  enacted(): readonly ProposalRecord[] {
    return this.enactedRecords.values();
  }

  /** One that was enacted before the chain began anew (section 12). */
  restore(proposal: ProposalRecord): void {
    this.enactedRecords.set(proposal.id, proposal);
    this.emit(proposal);
  }

  /** Notes what the validators found out; the proposal goes on in its tick. */
  note(id: string, isValid: boolean): void {
    const proposal = this.records.get(id);
    if (proposal !== undefined) this.records.set(id, { ...proposal, isValid });
  }

  private emit(proposal: ProposalRecord, { reason, errorDetails }: ProposalEnd = {}): void {
    this.core.emit("proposal", {
      id: proposal.id,
      reference: proposal.reference,
      partyId: proposal.party,
      state: proposal.state,
      timestamp: proposal.timestampNs,
      terms: proposal.terms,
      reason: reason || undefined,
      errorDetails,
      rationale: proposal.rationale,
      requiredParticipation: proposal.requiredParticipation,
      requiredMajority: proposal.requiredMajority,
      // Only changes of markets ask for a share of liquidity providers.
      requiredLiquidityProviderParticipation: "0",
      requiredLiquidityProviderMajority: "0",
    });
  }
}
