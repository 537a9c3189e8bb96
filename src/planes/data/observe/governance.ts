// Streams of votes and proposals (docs/protocol/10-data-api-streams.md#62-streams).
import { invalidArgument } from "../../../http/errors.ts";
import type { GovernanceData, Vote } from "../../../wire/generated/vega.ts";
import { governanceData, voteOf, votesOn } from "../governance.ts";
import { elementOf, fits, idIn } from "./filters.ts";
import { streamKind } from "./kind.ts";

const VOTES_FAILED = "failed to get votes";

interface VoteFilter {
  readonly party?: string | undefined;
  readonly proposal?: string | undefined;
}

interface VoteRow {
  readonly block: bigint;
  readonly first_time: bigint;
  readonly data: Uint8Array;
}

export const votes = streamKind({
  path: "votes",
  method: "ObserveVotes",
  request: "datanode.api.v2.ObserveVotesRequest",
  response: "datanode.api.v2.ObserveVotesResponse",
  summary: "Follow votes",
  description:
    "Votes of a party (`partyId`) or, without one, on a proposal (`proposalId`); one of them is needed. One a message.",
  table: "votes",
  frame: { element: "vega.Vote", member: "vote", isList: false },
  filterOf(context, request): VoteFilter {
    const party = idIn(context, request.partyId, VOTES_FAILED);
    if (party !== undefined) return { party };
    const proposal = idIn(context, request.proposalId, VOTES_FAILED);
    if (proposal === undefined) throw invalidArgument("missing proposal id or party id");
    return { proposal };
  },
  reader: () => ({
    read(context, { first, last }) {
      const sql =
        "SELECT block, first_time, data FROM votes WHERE block BETWEEN ? AND ? ORDER BY block, proposal, party";
      return context.all<VoteRow>(sql, first, last).map((row) => elementOf(row, voteOf(row)));
    },
  }),
  matches: ({ party, proposal }, value: Vote) =>
    fits(party, value.partyId) && fits(proposal, value.proposalId),
});

interface ProposalRow {
  readonly block: bigint;
  readonly id: Uint8Array;
  readonly data: Uint8Array;
}

export const governance = streamKind({
  path: "governance",
  method: "ObserveGovernance",
  request: "datanode.api.v2.ObserveGovernanceRequest",
  response: "datanode.api.v2.ObserveGovernanceResponse",
  summary: "Follow proposals",
  description: "Each state of a proposal, of one party or of all, with the votes that it has; one a message.",
  table: "proposals",
  frame: { element: "vega.GovernanceData", member: "data", isList: false },
  filterOf: (context, request): { readonly party?: string | undefined } => ({
    party: idIn(context, request.partyId, "failed to get proposals"),
  }),
  reader: () => ({
    read(context, { first, last }) {
      const sql = "SELECT block, id, data FROM proposals WHERE block BETWEEN ? AND ? ORDER BY block, id";
      const rows = context.all<ProposalRow>(sql, first, last);
      if (rows.length === 0) return [];
      const cast = votesOn(context, rows);
      return rows.map((row) => elementOf(row, governanceData(row, cast)));
    },
  }),
  matches: ({ party }, { proposal }: GovernanceData) => fits(party, proposal?.partyId ?? ""),
});
