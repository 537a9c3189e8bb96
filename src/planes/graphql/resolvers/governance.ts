// Proposals, their terms and votes.
import { Decimal } from "../../../wire/decimal.ts";
import type { Vote } from "../../../wire/generated/vega.ts";
import { FieldError } from "../errors.ts";
import { as, called, type Resolvers } from "./fields.ts";

/** Members of terms by the type of the change. */
const CHANGES: Readonly<Record<string, string>> = {
  newMarket: "NewMarket",
  updateMarket: "UpdateMarket",
  updateNetworkParameter: "UpdateNetworkParameter",
  newAsset: "NewAsset",
  updateAsset: "UpdateAsset",
  newFreeform: "NewFreeform",
};

/** The votes for one answer, counted. */
function voteSide(votes: readonly Vote[]): object {
  let tokens = 0n;
  let weight = 0;
  let share = Decimal.parse("0");
  for (const vote of votes) {
    tokens += BigInt(vote.totalGovernanceTokenBalance || "0");
    weight += Number(vote.totalGovernanceTokenWeight || "0");
    share = share.plus(Decimal.parse(vote.totalEquityLikeShareWeight || "0"));
  }
  return {
    votes,
    totalNumber: String(votes.length),
    totalWeight: String(weight),
    totalTokens: String(tokens),
    totalEquityLikeShareWeight: share.toString(),
  };
}

export const governance: Resolvers = {
  Query: {
    proposal(_, { id, reference }, reads) {
      if (typeof id === "string") return reads.call("GetGovernanceData", { proposalId: id }).data;
      if (typeof reference === "string") return reads.call("GetGovernanceData", { reference }).data;
      throw new FieldError("missing id or reference");
    },
    proposalsConnection: called("ListGovernanceData", "connection", (args) => ({
      proposalType: args.proposalType,
      proposalState: args.inState,
      pagination: args.pagination,
    })),
  },
  Proposal: { votes: ({ yes, no }) => ({ yes: voteSide(yes ?? []), no: voteSide(no ?? []) }) },
  ProposalVoteSide: { votes: ({ votes }, _, reads) => (votes.length === 0 ? null : reads.rows(votes)) },
  ProposalTerms: {
    change(terms) {
      for (const [member, typeName] of Object.entries(CHANGES))
        if (terms[member]) return as(typeName, terms[member]);
      throw new FieldError("unsupported proposal terms changes");
    },
  },
  NewFreeform: { _doNotUse: () => false },
};
