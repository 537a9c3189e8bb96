// Parties and their connections; deposits, withdrawals, transfers, rewards and stake.
import { ApiError } from "../../../http/errors.ts";
import { AccountType } from "../../../wire/generated/vega.ts";
import { FieldError, wrappedText } from "../errors.ts";
import type { Resolve } from "../members.ts";
import type { Message } from "../reads.ts";
import { dateRangeOf } from "../scalars.ts";
import { as, called, type Resolvers } from "./fields.ts";
import { orderFilterOf } from "./orders.ts";
import { delegationsOf } from "./validators.ts";

/** Numbers of the directions (`datanode.api.v2.TransferDirection`). */
const DIRECTIONS: Readonly<Record<string, number>> = { From: 1, To: 2, ToOrFrom: 3 };
const PARTY_ACCOUNTS: ReadonlySet<string> = new Set([
  "ACCOUNT_TYPE_GENERAL",
  "ACCOUNT_TYPE_MARGIN",
  "ACCOUNT_TYPE_BOND",
]);

const directionOf = (direction: unknown) => DIRECTIONS[(direction ?? "ToOrFrom") as string];

/** The original prefixes the errors of these calls. */
function wrapped(failure: (source: Message) => string, resolve: Resolve): Resolve {
  return (source, args, reads) => {
    try {
      return resolve(source, args, reads);
    } catch (error) {
      if (error instanceof ApiError) throw new FieldError(wrappedText(failure(source), error));
      throw error;
    }
  };
}

/** @throws FieldError for a negative epoch */
function epochOf(value: unknown, name: string): bigint | undefined {
  if (value === undefined || value === null) return undefined;
  if ((value as number) < 0) throw new FieldError(`invalid ${name} for reward query - must be positive`);
  return BigInt(value as number);
}

function accountType(text: string): string {
  const { [text as keyof typeof AccountType]: type } = AccountType;
  if (type === undefined) throw new FieldError(`Unknown account type ${text}`);
  return text;
}

const ofParty = ({ dateRange, ...args }: Message, party: Message) => ({
  ...args,
  partyId: party.id,
  dateRange: dateRangeOf(dateRange),
});

const rewardSummaryFilter = (filter: Message | null | undefined) => {
  if (!filter) return undefined;
  for (const epoch of [filter.fromEpoch, filter.toEpoch])
    if (typeof epoch === "number" && epoch < 0)
      throw new FieldError("cannot convert to uint - must be positive", ["filter"]);
  return filter;
};

export const parties: Resolvers = {
  Query: {
    party: (_, { id }, reads) => (id === "" ? null : reads.byId("GetParty", "partyId", id).party),
    partiesConnection: called("ListParties", "parties", ({ id, ...args }) => ({ ...args, partyId: id })),
    deposit: called("GetDeposit", "deposit"),
    deposits: called("ListDeposits", "deposits", (args) => ofParty(args, {})),
    withdrawal: called("GetWithdrawal", "withdrawal"),
    withdrawals: called("ListWithdrawals", "withdrawals", (args) => ofParty(args, {})),
    transfersConnection: called("ListTransfers", "transfers", ({ partyId, direction, pagination }) => ({
      pubkey: partyId,
      direction: directionOf(direction),
      pagination,
    })),
    epochRewardSummaries: called("ListEpochRewardSummaries", "summaries", ({ filter, pagination }) => ({
      filter: rewardSummaryFilter(filter),
      pagination,
    })),
  },
  Party: {
    accountsConnection(party, { marketId, assetId, type, pagination }, reads) {
      if (type && !PARTY_ACCOUNTS.has(type)) throw new FieldError(`invalid account type for party ${type}`);
      const filter = {
        partyIds: [party.id],
        marketIds: marketId ? [marketId] : [],
        assetId,
        accountTypes: type ? [type] : [],
      };
      return reads.call("ListAccounts", { filter, pagination }).accounts;
    },
    ordersConnection: called("ListOrders", "orders", ({ pagination, filter }, party) => ({
      pagination,
      filter: { ...orderFilterOf(filter), partyIds: [party.id] },
    })),
    tradesConnection: called("ListTrades", "trades", ({ marketId, dataRange, pagination }, party) => ({
      partyIds: [party.id],
      marketIds: marketId ? [marketId] : [],
      dateRange: dateRangeOf(dataRange, "dataRange"),
      pagination,
    })),
    positionsConnection: called("ListPositions", "positions", ({ market, pagination }, party) => ({
      partyId: party.id,
      marketId: market,
      pagination,
    })),
    marginsConnection: called("ListMarginLevels", "marginLevels", (args, party) => ({
      ...args,
      partyId: party.id,
    })),
    proposalsConnection: called("ListGovernanceData", "connection", (args, party) => ({
      proposerPartyId: party.id,
      proposalType: args.proposalType,
      proposalState: args.inState,
      pagination: args.pagination,
    })),
    votesConnection(party, { pagination }, reads) {
      const { votes } = reads.call("ListVotes", { partyId: party.id, pagination });
      const edges = votes.edges.map(({ node, cursor }: { node: Message; cursor: string }) => ({
        node: { vote: node, proposalId: node.proposalId },
        cursor,
      }));
      return { ...votes, edges };
    },
    withdrawalsConnection: wrapped(
      ({ id }) => `could not retrieve withdrawals for party ${id}`,
      called("ListWithdrawals", "withdrawals", ofParty),
    ),
    depositsConnection: wrapped(
      ({ id }) => `could not retrieve deposits for party ${id}`,
      called("ListDeposits", "deposits", ofParty),
    ),
    liquidityProvisionsConnection: called(
      "ListLiquidityProvisions",
      "liquidityProvisions",
      (args, party) => ({
        ...args,
        partyId: party.id,
      }),
    ),
    delegationsConnection: delegationsOf(({ nodeId }, party) => ({ partyId: party.id, nodeId })),
    stakingSummary: (party, { pagination }, reads) =>
      reads.call("GetStake", { partyId: party.id, pagination }),
    rewardsConnection: wrapped(
      () => "could not retrieve rewards information",
      called("ListRewards", "rewards", ({ fromEpoch, toEpoch, ...args }, party) => ({
        ...args,
        partyId: party.id,
        fromEpoch: epochOf(fromEpoch, "fromEpoch"),
        toEpoch: epochOf(toEpoch, "toEpoch"),
      })),
    ),
    rewardSummaries(party, { assetId }, reads) {
      const { summaries } = reads.call("ListRewardSummaries", { partyId: party.id, assetId });
      return summaries.length === 0 ? null : reads.rows(summaries);
    },
    transfersConnection: called("ListTransfers", "transfers", ({ direction, pagination }, party) => ({
      pubkey: party.id,
      direction: directionOf(direction),
      pagination,
    })),
  },
  ProposalVoteConnection: { edges: ({ edges }, _, reads) => reads.rows(edges) },
  StakingSummary: { linkings: ({ stakeLinkings }) => stakeLinkings },
  RewardSummary: {
    // Of the asset that is asked for, not of the summary's, as in the original.
    rewardsConnection: called("ListRewards", "rewards", ({ assetId, pagination }, { partyId }) => ({
      partyId,
      assetId,
      pagination,
    })),
  },
  Reward: {
    rewardType: ({ rewardType }) => accountType(rewardType),
    epoch: ({ epoch }, _, reads) => reads.call("GetEpoch", { id: epoch }).epoch,
  },
  EpochRewardSummary: { rewardType: ({ rewardType }) => accountType(rewardType) },
  Withdrawal: {
    txHash: ({ txHash }) => txHash || null,
    details: ({ ext }) => (ext?.erc20 ? as("Erc20WithdrawalDetails", ext.erc20) : null),
  },
  Transfer: {
    kind({ oneOff, recurring }) {
      if (oneOff) return as("OneOffTransfer", oneOff);
      if (recurring) return as("RecurringTransfer", recurring);
      throw new FieldError("unsupported transfer kind");
    },
  },
};
