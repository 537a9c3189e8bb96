// Votes on proposals (reference 10, section 5.12).
import { numericText, wholeText } from "../../history/numeric.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { invalidArgument } from "../../http/errors.ts";
import type { Param, Row } from "../../http/pagination.ts";
import { readVoteAt, type Vote } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, hexOf, identifierBytes } from "../../wire/identifiers.ts";
import { type DataContext, truncatedNs } from "./context.ts";

/** Latest vote of each party on each proposal. */
export const CURRENT_VOTES =
  "votes_current c JOIN votes v ON v.block = c.block AND v.proposal = c.proposal AND v.party = c.party";

export interface VoteRow extends Row {
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

const listVotes: Endpoint<DataContext> = {
  path: "/api/v2/votes",
  request: "datanode.api.v2.ListVotesRequest",
  response: "datanode.api.v2.ListVotesResponse",
  tag: "Governance",
  summary: "List votes",
  description:
    "The latest vote of each party on each proposal, by the block of that vote. At least one of `partyId` and `proposalId` must be given.",
  handle(context, request) {
    const partyId = request.partyId as string | undefined;
    const proposalId = request.proposalId as string | undefined;
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
};

/** @throws InvalidIdentifier */
function voteFilter(context: DataContext, partyId: string | undefined, proposalId: string | undefined) {
  const where: string[] = [];
  const params: Param[] = [];
  if (partyId !== undefined) {
    where.push("c.party = ?");
    params.push(context.ids.position(partyId));
  }
  if (proposalId !== undefined) {
    where.push("c.proposal = ?");
    params.push(identifierBytes(proposalId));
  }
  return { where, params };
}

export const voteEndpoints = [listVotes];
