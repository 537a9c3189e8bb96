/**
 * Proposals of a checkpoint, and the markets that come of them
 * (docs/protocol/60-state-engine-parameters.md#12-checkpoints): without orders, positions and provisions, in an opening
 * auction that begins with the chain.
 */

import { type Checkpoint, decodeMarketTracker, decodeProposals } from "../wire/generated/checkpoint.ts";
import { ProposalState, type ProposalTerms } from "../wire/generated/vega.ts";
import { SECOND_NS } from "../wire/time-text.ts";
import { checkCommand } from "../wire/validate/commands.ts";
import type { CheckpointDomains } from "./checkpoint-save.ts";
import { ProposalRefusal } from "./errors.ts";
import { checkNewMarket, checkUpdateMarket } from "./markets/proposals.ts";
import type { ProposalRecord, ProposalStateNumber } from "./proposals.ts";

const LEAST_TIMES = ["governance.proposal.market.minEnact", "market.auction.minimumDuration"];

/** @throws Error for a proposal that is incomplete */
export function loadProposals(content: Checkpoint, domains: CheckpointDomains): void {
  const open = openMarkets(content);
  const changes = new Map<string, ProposalRecord>();
  for (const proposal of proposalsOf(content)) {
    const { id, state, terms } = proposal;
    const kept = terms.newMarket !== undefined && open.has(id) ? reopened(proposal, domains) : undefined;
    // A passed proposal is of use with its market alone.
    if (kept === undefined && state !== ProposalState.STATE_ENACTED) continue;
    domains.governance.proposals.restore(kept ?? proposal);
    const changed = terms.updateMarket?.marketId;
    if (changed === undefined) continue;
    const last = changes.get(changed);
    if (last === undefined || last.terms.enactmentTimestamp < terms.enactmentTimestamp)
      changes.set(changed, proposal);
  }
  for (const proposal of changes.values()) applyChange(proposal, domains);
}

/** Markets that had not ended; a market without activity records is not created again. */
function openMarkets({ marketTracker }: Checkpoint): ReadonlySet<string> {
  const { marketActivity } = decodeMarketTracker(marketTracker);
  return new Set(marketActivity.filter(({ readyToDelete }) => !readyToDelete).map(({ market }) => market));
}

function proposalsOf({ governance }: Checkpoint): ProposalRecord[] {
  const saved = decodeProposals(governance).proposals.filter(
    ({ state }) => state === ProposalState.STATE_ENACTED || state === ProposalState.STATE_PASSED,
  );
  return saved.map((proposal, sequence) => {
    const { id, reference, partyId, state, timestamp, terms, rationale } = proposal;
    if (terms === undefined || rationale === undefined) throw new Error("a proposal is incomplete");
    return {
      ...{ sequence, id, reference, party: partyId, state: state as ProposalStateNumber },
      ...{ timestampNs: timestamp, terms, rationale },
      requiredParticipation: proposal.requiredParticipation,
      requiredMajority: proposal.requiredMajority,
      requiredLpParticipation: proposal.requiredLiquidityProviderParticipation ?? "0",
      requiredLpMajority: proposal.requiredLiquidityProviderMajority ?? "0",
    };
  });
}

/**
 * Makes the market of a proposal again. When it was open, or its time has come, it opens as soon as the network lets it.
 * @returns the proposal with its new time; undefined where no such market can be, as when its trading would have ended
 */
function reopened(proposal: ProposalRecord, domains: CheckpointDomains): ProposalRecord | undefined {
  const { core, params, markets } = domains;
  const now = core.nowSeconds;
  const waits = LEAST_TIMES.map((key) => (params.duration(key) + SECOND_NS - 1n) / SECOND_NS);
  const soonest = now + waits.reduce((longest, wait) => (wait > longest ? wait : longest));
  const { enactmentTimestamp } = proposal.terms;
  const isToOpen = proposal.state === ProposalState.STATE_ENACTED || enactmentTimestamp <= now;
  const terms = isToOpen ? { ...proposal.terms, enactmentTimestamp: soonest } : proposal.terms;
  const auction = isToOpen ? { ...terms, closingTimestamp: now } : terms;
  if (!isWhole(proposal, auction) || isRefused(() => checkNewMarket(auction, domains))) return undefined;
  markets.reopen({ ...proposal, terms: auction });
  return { ...proposal, terms };
}

/** A change has all terms of its market: the last one alone counts. */
function applyChange(proposal: ProposalRecord, { markets }: CheckpointDomains): void {
  const { terms } = proposal;
  if (markets.get(terms.updateMarket!.marketId) === undefined) return;
  if (isWhole(proposal, terms) && !isRefused(() => checkUpdateMarket(terms))) markets.update(proposal);
}

/** Files of other versions have proposals that this one would not take, and could not work with. */
function isWhole({ reference, rationale }: ProposalRecord, terms: ProposalTerms): boolean {
  return checkCommand("proposalSubmission", { reference, rationale, terms }).isEmpty;
}

function isRefused(check: () => void): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (!(error instanceof ProposalRefusal)) throw error;
    return true;
  }
}
