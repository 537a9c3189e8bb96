// Proposals and votes (docs/protocol/10-data-api-endpoints.md#512-governance-votes-and-proposals).
import { numericText, wholeText } from "../../history/csv.ts";
import type { RequestOf } from "../../http/endpoint.ts";
import { invalidArgument, notFound } from "../../http/errors.ts";
import type { PageRequest, Param, Row } from "../../http/pagination.ts";
import {
  type GovernanceData,
  type Proposal,
  readProposalAt,
  readVoteAt,
  type Vote,
} from "../../wire/generated/vega.ts";
import { canonicalIdentifier, hexOf, identifierBytes, isIdentifier } from "../../wire/identifiers.ts";
import { Conditions, type Connection, type DataContext, truncatedNs, withNodes } from "./context.ts";
import { endpoint } from "./entry.ts";
import { nestedRows } from "./lists.ts";

/** Latest vote of each party on each proposal. */
const CURRENT_VOTES =
  "votes_current c JOIN votes v ON v.block = c.block AND v.proposal = c.proposal AND v.party = c.party";

interface VoteRow extends Row {
  first_time: bigint;
  data: Uint8Array;
}

/** The vote as the service shows it. Its time is that of the first event of the block it stands in. */
export function voteOf({ data, first_time }: Pick<VoteRow, "data" | "first_time">): Vote {
  const vote = readVoteAt(data, 0, data.length);
  vote.partyId = canonicalIdentifier(vote.partyId);
  vote.proposalId = canonicalIdentifier(vote.proposalId);
  vote.timestamp = truncatedNs(first_time);
  vote.totalGovernanceTokenBalance = wholeText(vote.totalGovernanceTokenBalance);
  vote.totalGovernanceTokenWeight = numericText(vote.totalGovernanceTokenWeight);
  vote.totalEquityLikeShareWeight = numericText(vote.totalEquityLikeShareWeight);
  return vote;
}

const listVotes = endpoint({
  path: "/api/v2/votes",
  request: "datanode.api.v2.ListVotesRequest",
  response: "datanode.api.v2.ListVotesResponse",
  tag: "Governance",
  summary: "List votes",
  description:
    "The latest vote of each party on each proposal, by the block of that vote. At least one of `partyId` and `proposalId` must be given.",
  handle(context, request) {
    const { partyId, proposalId } = request;
    const page = context.page(request);
    if (partyId === undefined && proposalId === undefined)
      throw invalidArgument("missing proposal id and party id");
    return context.query(
      "failed to get votes",
      () => {
        const filter = voteFilter(context, partyId, proposalId);
        const votes = context.list<VoteRow, Vote>({
          query: {
            select: "v.first_time, v.data",
            from: CURRENT_VOTES,
            ...filter,
            order: [{ sql: "c.block" }, { sql: "c.party" }, { sql: "c.proposal" }],
          },
          page,
          key: (cursor) => {
            const place = [cursor.block("vega_time"), cursor.ref("party_id")];
            return cursor.has("proposal_id") ? [...place, cursor.bytes("proposal_id")] : place;
          },
          cursor: (row) =>
            JSON.stringify({
              party_id: context.ids.text(row.k1 as bigint),
              vega_time: context.cursorTime(row.k0!),
              proposal_id: hexOf(row.k2 as Uint8Array),
            }),
          node: voteOf,
        });
        return { votes };
      },
      `proposalID: ${(proposalId ?? "").slice(0, 200)}, partyID: ${(partyId ?? "").slice(0, 200)}: `,
    );
  },
});

/** @throws InvalidIdentifier */
function voteFilter(context: DataContext, partyId: string | undefined, proposalId: string | undefined) {
  const conditions = new Conditions();
  if (partyId !== undefined) conditions.add("c.party = ?", context.ids.position(partyId));
  if (proposalId !== undefined) conditions.add("c.proposal = ?", identifierBytes(proposalId));
  return conditions;
}

const STATE_OPEN = 2;
const VOTE_NO = 1;
const VOTE_YES = 2;
const TYPE_UNSPECIFIED = 0;
const TYPE_ALL = 1;
const CURRENT = "proposals_current c JOIN proposals p ON p.block = c.block AND p.id = c.id";

interface ProposalRow extends Row {
  id: Uint8Array;
  data: Uint8Array;
}

export function proposalOf(data: Uint8Array): Proposal {
  const proposal = readProposalAt(data, 0, data.length);
  proposal.id = canonicalIdentifier(proposal.id);
  proposal.partyId = canonicalIdentifier(proposal.partyId);
  proposal.timestamp = truncatedNs(proposal.timestamp);
  proposal.requiredParticipation = numericText(proposal.requiredParticipation);
  proposal.requiredMajority = numericText(proposal.requiredMajority);
  proposal.requiredLiquidityProviderParticipation = unlessZero(
    proposal.requiredLiquidityProviderParticipation,
  );
  proposal.requiredLiquidityProviderMajority = unlessZero(proposal.requiredLiquidityProviderMajority);
  // A reason of 0 and details without a text say as much as none.
  proposal.reason ||= undefined;
  proposal.errorDetails ||= undefined;
  return proposal;
}

/** A requirement of 0 is shown as no requirement (only markets have one). */
function unlessZero(text: string | undefined): string | undefined {
  const shown = numericText(text ?? "");
  return shown === "0" ? undefined : shown;
}

/** Votes of all given proposals in one query, by proposal in hex, each list by party. */
export function votesOn(
  context: DataContext,
  proposals: readonly Pick<ProposalRow, "id">[],
): Map<string, Vote[]> {
  const ids = [...new Set(proposals.map(({ id }) => hexOf(id)))];
  const rows = nestedRows<VoteRow & { proposal: Uint8Array }>(
    context,
    `SELECT v.proposal, v.first_time, v.data FROM json_each(?) j
     CROSS JOIN votes_current c ON c.proposal = unhex(j.value)
     JOIN votes v ON v.block = c.block AND v.proposal = c.proposal AND v.party = c.party
     ORDER BY j.key, c.party`,
    JSON.stringify(ids),
  );
  const votes = new Map<string, Vote[]>(ids.map((id) => [id, []]));
  for (const row of rows) votes.get(hexOf(row.proposal))!.push(voteOf(row));
  return votes;
}

/** The maps by party are never filled, in the original neither. */
export function governanceData(
  row: Pick<ProposalRow, "id" | "data">,
  votes: Map<string, Vote[]>,
): GovernanceData {
  const cast = votes.get(hexOf(row.id)) ?? [];
  return {
    proposal: proposalOf(row.data),
    yes: cast.filter((vote) => vote.value === VOTE_YES),
    no: cast.filter((vote) => vote.value === VOTE_NO),
    yesParty: new Map(),
    noParty: new Map(),
  };
}

const getGovernanceData = endpoint({
  path: "/api/v2/governance",
  request: "datanode.api.v2.GetGovernanceDataRequest",
  response: "datanode.api.v2.GetGovernanceDataResponse",
  tag: "Governance",
  summary: "Get a proposal and its votes",
  description:
    "By `proposalId`, or else by `reference`; of several proposals with one reference the one updated last.",
  handle(context, request) {
    const { proposalId, reference } = request;
    if (proposalId === undefined && reference === undefined)
      throw invalidArgument("missing proposal ID or reference");
    const failure = "failed to get proposal";
    const prefix = `proposalID: ${(proposalId ?? "").slice(0, 200)}, reference: ${(reference ?? "").slice(0, 200)}: `;
    return context.query(
      failure,
      () => {
        const row =
          proposalId === undefined
            ? findProposal(context, "c.reference = ?", reference!)
            : findProposal(context, "c.id = ?", identifierBytes(proposalId));
        if (!row) throw notFound(failure, `${prefix}no resource corresponding to this id`);
        return { data: governanceData(row, votesOn(context, [row])) };
      },
      prefix,
    );
  },
});

function findProposal(
  context: DataContext,
  condition: "c.id = ?" | "c.reference = ?",
  value: Param,
): ProposalRow | undefined {
  const sql = `SELECT c.id, p.data FROM ${CURRENT} WHERE ${condition} ORDER BY c.block DESC, c.id DESC LIMIT 1`;
  return context.get<ProposalRow>(sql, value);
}

const listGovernanceData = endpoint({
  path: "/api/v2/governances",
  request: "datanode.api.v2.ListGovernanceDataRequest",
  response: "datanode.api.v2.ListGovernanceDataResponse",
  tag: "Governance",
  summary: "List proposals and their votes",
  description:
    "Open proposals first, then the others; among each, by the block of the latest state. `proposalReference` selects proposals with exactly that reference.",
  handle(context, request) {
    const page = context.page(request);
    const party = (request.proposerPartyId ?? "").slice(0, 200);
    return context.query(
      "failed to get proposals",
      () => ({ connection: pageOfProposals(context, page, request) }),
      `proposerPartyID: ${party}: `,
    );
  },
});

type ProposalsRequest = RequestOf<"datanode.api.v2.ListGovernanceDataRequest">;

function pageOfProposals(
  context: DataContext,
  page: PageRequest,
  request: ProposalsRequest,
): Connection<GovernanceData> {
  const rows = context.list<ProposalRow, ProposalRow>({
    query: {
      select: "c.id, p.data",
      from: CURRENT,
      ...proposalFilter(context, request),
      // The open ones lead in both directions.
      order: [{ sql: "c.open", opposite: !page.newestFirst }, { sql: "c.block" }, { sql: "c.id" }],
    },
    page,
    key: (cursor) => [
      cursor.number("state") === STATE_OPEN ? 1 : 0,
      cursor.block("vega_time"),
      cursor.bytes("id"),
    ],
    cursor: (row) => {
      const { id, state } = readProposalAt(row.data, 0, row.data.length);
      return JSON.stringify({ state, vega_time: context.cursorTime(row.k1!), id: canonicalIdentifier(id) });
    },
    node: (row) => row,
  });
  const proposals = rows.edges.map(({ node }) => node);
  const votes = votesOn(context, proposals);
  const nodes = proposals.map((proposal) => governanceData(proposal, votes));
  return withNodes(rows, nodes);
}

/** @throws InvalidIdentifier */
function proposalFilter(context: DataContext, request: ProposalsRequest): Conditions {
  const { proposalState, proposalType, proposerPartyId, proposalReference } = request;
  const conditions = new Conditions();
  if (proposalState !== undefined) conditions.add("c.state = ?", proposalState);
  // The number 0 in column `kind` marks terms without a change; as a filter it matches nothing.
  if (proposalType === TYPE_UNSPECIFIED) conditions.add("1 = 0");
  else if (proposalType !== undefined && proposalType !== TYPE_ALL)
    conditions.add("c.kind = ?", proposalType);
  // A party that is not an identifier has no proposals. (For every other list that is an error.)
  if (proposerPartyId !== undefined && !isIdentifier(proposerPartyId)) conditions.add("1 = 0");
  else if (proposerPartyId !== undefined)
    conditions.add("c.party = ?", context.ids.position(proposerPartyId));
  if (proposalReference) conditions.add("c.reference = ?", proposalReference);
  return conditions;
}

export const governanceEndpoints = [listVotes, getGovernanceData, listGovernanceData];
