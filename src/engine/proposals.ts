/** Proposals that are not decided or not enacted yet, and their events (docs/protocol/60-state-engine-governance.md#61-proposal-record). */
import type { Init } from "../wire/codec.ts";
import type { Decimal } from "../wire/decimal.ts";
import { NodeVoteType, type ProposalSubmission } from "../wire/generated/commands.ts";
import {
  type NetworkParameter,
  type NewMarketConfiguration,
  type Proposal,
  ProposalError,
  type ProposalRationale,
  ProposalState,
  type ProposalTerms,
  type UpdateMarketConfiguration,
} from "../wire/generated/vega.ts";
import { SECOND_NS, sentenceTime } from "../wire/time-text.ts";
import { type Assets, checkAssetUpdate } from "./assets.ts";
import type { Core } from "./core.ts";
import {
  CommandError,
  type ProposalErrorNumber,
  ProposalRefusal,
  ResultCode,
  refuseProposal,
} from "./errors.ts";
import type { ProposalKind } from "./parameter-definitions.ts";
import type { NetworkParameters } from "./parameters.ts";
import type { ParameterReader, StakeReader, WitnessResource } from "./ports.ts";
import type { Cell, Table } from "./state.ts";
import { shownDecimal } from "./values.ts";

export type ProposalStateNumber = (typeof ProposalState)[keyof typeof ProposalState];

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
  /** The same of liquidity providers' shares: 0 for proposals that change no market. */
  readonly requiredLpParticipation: string;
  readonly requiredLpMajority: string;
  /** The validators' finding about a new asset; undefined until they have one. */
  readonly isValid?: boolean;
}

/** Why a proposal ended, as its event states it. */
export interface ProposalEnd {
  /** Left out of the event when it is UNSPECIFIED. */
  readonly reason?: ProposalErrorNumber;
  readonly errorDetails?: string;
}

/** Kind of a proposal's change. @throws CommandError for one that this version does not know */
export function kindOf(terms: ProposalTerms): ProposalKind {
  if (terms.newMarket !== undefined) return "market";
  if (terms.updateMarket !== undefined) return "updateMarket";
  if (terms.updateNetworkParameter !== undefined) return "updateNetParam";
  if (terms.newAsset !== undefined) return "asset";
  if (terms.updateAsset !== undefined) return "updateAsset";
  if (terms.newFreeform !== undefined) return "freeform";
  throw new CommandError("not supported by this chain", { code: ResultCode.unsupported });
}

export const ASSET_VALIDATION = "governance.asset";

/**
 * Validators look at the contract of a new asset before the vote
 * (docs/protocol/60-state-engine-governance.md#53-new-asset-proposal-rules).
 */
export function assetValidation({ id, terms }: ProposalRecord): WitnessResource<string> {
  return {
    id,
    kind: ASSET_VALIDATION,
    voteType: NodeVoteType.TYPE_GOVERNANCE_VALIDATE_ASSET,
    deadlineNs: terms.validationTimestamp * SECOND_NS,
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
  draftProposal(submission: ProposalSubmission): ProposalRecord {
    const { id, party } = this.core.currentTx;
    const terms = shownTerms(submission.terms!);
    const kind = kindOf(terms);
    const prefix = `governance.proposal.${kind}`;
    const forProviders = (key: string) =>
      kind === "updateMarket" ? this.params.decimal(key).toString() : "0";
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
      requiredLpParticipation: forProviders(`${prefix}.requiredParticipationLP`),
      requiredLpMajority: forProviders(`${prefix}.requiredMajorityLP`),
    };
  }

  /** Keeps a proposal that has passed the checks, and emits it. @param kept the same as later events show it */
  openProposal(proposal: ProposalRecord, kept: ProposalRecord): void {
    this.sequence.set(proposal.sequence + 1);
    this.records.set(proposal.id, kept);
    this.emit(proposal);
  }

  /** The next state of a proposal that goes on. @returns the proposal as it is now */
  advance(proposal: ProposalRecord, state: ProposalStateNumber): ProposalRecord {
    const next = { ...proposal, state };
    this.records.set(proposal.id, next);
    this.emit(next);
    return next;
  }

  /** The last state of a proposal; it is dropped, except for checkpoints if it was enacted. */
  endProposal(proposal: ProposalRecord, state: ProposalStateNumber, why: ProposalEnd = {}): void {
    this.records.delete(proposal.id);
    if (state === ProposalState.STATE_ENACTED) this.enactedRecords.set(proposal.id, { ...proposal, state });
    this.emit({ ...proposal, state }, why);
  }

  /** Those that were enacted, by id. For checkpoints. */
  enacted(): readonly ProposalRecord[] {
    return this.enactedRecords.values();
  }

  /** New markets that were voted for and wait for their enactment, in the order of submission. For checkpoints. */
  passedMarkets(): readonly ProposalRecord[] {
    return this.active().filter(
      ({ state, terms }) => state === ProposalState.STATE_PASSED && terms.newMarket !== undefined,
    );
  }

  /**
   * Restores a proposal of a checkpoint (docs/protocol/60-state-engine-parameters.md#12-checkpoints): one that was
   * enacted, or a market's that will be.
   */
  restore(proposal: ProposalRecord): void {
    const isEnacted = proposal.state === ProposalState.STATE_ENACTED;
    (isEnacted ? this.enactedRecords : this.records).set(proposal.id, proposal);
    this.sequence.set(proposal.sequence + 1);
    this.emit(proposal);
  }

  /** Records the validators' finding; the proposal goes on in its tick. */
  recordValidation(id: string, isValid: boolean): void {
    const proposal = this.records.get(id);
    if (proposal !== undefined) this.records.set(id, { ...proposal, isValid });
  }

  private emit(proposal: ProposalRecord, { reason, errorDetails }: ProposalEnd = {}): void {
    this.core.emit("proposal", {
      ...proposalMessage(proposal),
      reason: reason || undefined,
      errorDetails,
    });
  }
}

/** Terms as events show them: the decimals of a market are printed again. */
function shownTerms(terms: ProposalTerms): ProposalTerms {
  const { newMarket, updateMarket } = terms;
  if (newMarket?.changes !== undefined)
    return { ...terms, newMarket: { ...newMarket, changes: shownMarket(newMarket.changes) } };
  if (updateMarket?.changes !== undefined)
    return { ...terms, updateMarket: { ...updateMarket, changes: shownMarket(updateMarket.changes) } };
  return terms;
}

function shownMarket<C extends NewMarketConfiguration | UpdateMarketConfiguration>(changes: C): C {
  const { priceMonitoringParameters: prices, liquidityMonitoringParameters: liquidity } = changes;
  return {
    ...changes,
    lpPriceRange: shownDecimal(changes.lpPriceRange),
    linearSlippageFactor: shownDecimal(changes.linearSlippageFactor),
    quadraticSlippageFactor: shownDecimal(changes.quadraticSlippageFactor),
    priceMonitoringParameters: prices && {
      ...prices,
      triggers: prices.triggers.map((trigger) => ({
        ...trigger,
        probability: shownDecimal(trigger.probability),
      })),
    },
    liquidityMonitoringParameters: liquidity && {
      ...liquidity,
      triggeringRatio: shownDecimal(liquidity.triggeringRatio),
    },
  };
}

/** The members that the bus and checkpoints share. */
export function proposalMessage(proposal: ProposalRecord): Init<Proposal> {
  const { id, reference, party, state, timestampNs, terms, rationale } = proposal;
  const { requiredParticipation, requiredMajority, requiredLpParticipation, requiredLpMajority } = proposal;
  return {
    ...{ id, reference, partyId: party, state, timestamp: timestampNs, terms, rationale },
    ...{ requiredParticipation, requiredMajority },
    requiredLiquidityProviderParticipation: unlessZero(requiredLpParticipation),
    requiredLiquidityProviderMajority: unlessZero(requiredLpMajority),
  };
}

/** A requirement of 0 is left out. */
function unlessZero(text: string): string | undefined {
  return text === "0" ? undefined : text;
}

// Checks of a submitted proposal, in the network's order and words
// (docs/protocol/60-state-engine-governance.md#64-submission-pipeline, checks 1 to 13). Its form has been checked
// before.

interface CheckedAgainst {
  /** Block time, Unix nanoseconds. */
  readonly nowNs: bigint;
  readonly params: NetworkParameters;
  readonly assets: Pick<Assets, "checkProposed">;
  readonly stake: StakeReader;
  readonly markets: ProposableMarkets;
  /** A proposal with this id is still being decided or enacted. */
  isOpen(id: string): boolean;
}

/** Markets, as proposals look at them (docs/protocol/70-trading-markets.md#13-newmarket-change-checks). */
export interface ProposableMarkets {
  has(id: string): boolean;
  /** @throws ProposalRefusal */
  checkNew(terms: ProposalTerms): void;
  checkUpdate(terms: ProposalTerms): void;
  /** The terms of an accepted proposal, with the network's defaults for members that they leave out. */
  completedTerms(terms: ProposalTerms): ProposalTerms;
  /** The terms as a market has them. */
  usedTerms(terms: ProposalTerms): ProposalTerms;
  /** Equity-like share of a party: a decimal from 0 to 1. */
  equityShare(market: string, party: string): Decimal;
}

/** Validators get at least and at most this long to look at a new asset, in nanoseconds. */
const VALIDATION_MIN_NS = SECOND_NS;
const VALIDATION_MAX_NS = 48n * 3_600n * SECOND_NS;

/** @throws ProposalRefusal for the first check that fails */
export function checkProposal(proposal: ProposalRecord, against: CheckedAgainst): void {
  checkTimes(proposal, against);
  checkProposer(proposal, against);
  checkChangedMarket(proposal, against);
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
    refuseProposal(
      "CLOSE_TIME_TOO_SOON",
      `proposal closing time too soon, expected > ${times(", got ", bound("minClose"), close)}`,
    );
  }
  if (close > bound("maxClose")) {
    refuseProposal(
      "CLOSE_TIME_TOO_LATE",
      `proposal closing time too late, expected < ${times(", got ", bound("maxClose"), close)}`,
    );
  }
  if (isEnacted && enact < bound("minEnact")) {
    const got = times(", got ", bound("minEnact"), enact);
    refuseProposal("ENACT_TIME_TOO_SOON", `proposal enactment time too soon, expected > ${got}`);
  }
  if (isEnacted && enact > bound("maxEnact")) {
    const got = times(", got ", bound("maxEnact"), enact);
    refuseProposal("ENACT_TIME_TOO_LATE", `proposal enactment time too late, expected < ${got}`);
  }
  // That closing is not in the past, which the network asks here too, follows from check 1.
  if (terms.newAsset !== undefined && close < validation) {
    const got = times(" got ", validation, close);
    refuseProposal(
      "INCOMPATIBLE_TIMESTAMPS",
      `proposal closing time cannot be before validation time, expected > ${got}`,
    );
  }
  if (isEnacted && enact < close) {
    const got = times(" got ", close, enact);
    refuseProposal(
      "INCOMPATIBLE_TIMESTAMPS",
      `proposal enactment time cannot be before closing time, expected > ${got}`,
    );
  }
}

function checkProposer({ party, terms }: ProposalRecord, { params, stake }: CheckedAgainst): void {
  const balance = stake.balance(party);
  if (balance === undefined) refuseProposal("INSUFFICIENT_TOKENS", "no balance for party");
  const required = params.integer(`governance.proposal.${kindOf(terms)}.minProposerBalance`);
  if (balance >= required) return;
  const text = `proposer have insufficient governance token, expected >= ${required} got ${balance}`;
  throw new ProposalRefusal(ProposalError.PROPOSAL_ERROR_INSUFFICIENT_TOKENS, text, { required, balance });
}

/** Checks 9 to 11. */
function checkChangedMarket(
  { party, terms }: ProposalRecord,
  { markets, params, isOpen }: CheckedAgainst,
): void {
  if (terms.updateMarket === undefined) return;
  const { marketId } = terms.updateMarket;
  if (!markets.has(marketId)) refuseProposal("INVALID_MARKET", "market does not exist");
  if (isOpen(marketId)) refuseProposal("INVALID_MARKET", "market has been enacted yet");
  const required = params.decimal("governance.proposal.updateMarket.minProposerEquityLikeShare");
  const share = markets.equityShare(marketId, party);
  if (!share.isLess(required)) return;
  refuseProposal(
    "INSUFFICIENT_EQUITY_LIKE_SHARE",
    `proposer have insufficient equity-like share, expected >= ${required} got ${share}`,
  );
}

function checkChange({ terms }: ProposalRecord, { assets, params, markets }: CheckedAgainst): void {
  if (terms.newMarket !== undefined) markets.checkNew(terms);
  if (terms.updateMarket !== undefined) markets.checkUpdate(terms);
  if (terms.newAsset !== undefined) assets.checkProposed(terms.newAsset.changes!);
  if (terms.updateAsset !== undefined) checkAssetUpdate(terms.updateAsset.changes!);
  if (terms.updateNetworkParameter !== undefined)
    checkParameter(terms.updateNetworkParameter.changes!, params);
}

function checkParameter({ key, value }: NetworkParameter, params: NetworkParameters): void {
  if (key === "") refuseProposal("NETWORK_PARAMETER_INVALID_KEY", "empty network parameter key");
  if (value === "") refuseProposal("NETWORK_PARAMETER_INVALID_VALUE", "empty network parameter value");
  const problem = params.validate(key, value);
  if (problem !== undefined) refuseProposal("NETWORK_PARAMETER_VALIDATION_FAILED", problem);
}

function checkValidationTime({ terms }: ProposalRecord, { nowNs }: CheckedAgainst): void {
  if (terms.newAsset === undefined) return;
  const validation = terms.validationTimestamp * SECOND_NS;
  if (validation < nowNs + VALIDATION_MIN_NS || validation > nowNs + VALIDATION_MAX_NS) {
    refuseProposal("NODE_VALIDATION_FAILED", "proposal validation timestamp invalid");
  }
}

/** Two times as sentences show them, Unix nanoseconds. */
function times(between: string, expected: bigint, got: bigint): string {
  return `${sentenceTime(expected)}${between}${sentenceTime(got)}`;
}
