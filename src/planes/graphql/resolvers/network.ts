// The network: parameters, limits, versions, statistics, history, balances and movements of money, entities.
import { durationText } from "../../../wire/time-text.ts";
import { FieldError } from "../errors.ts";
import type { Message } from "../reads.ts";
import { dateRangeOf, NO_TIME } from "../scalars.ts";
import { answered, called, type Resolvers } from "./fields.ts";

/** The filter of movements as the data API has it. @throws FieldError */
function ledgerFilter(filter: Message | null | undefined): object | undefined {
  if (!filter) return undefined;
  if (filter.CloseOnAccountFilters === null)
    throw new FieldError("<nil> is not a bool", ["filter", "CloseOnAccountFilters"]);
  return {
    closeOnAccountFilters: filter.CloseOnAccountFilters,
    fromAccountFilter: filter.FromAccountFilter,
    toAccountFilter: filter.ToAccountFilter,
    transferTypes: filter.TransferTypes,
  };
}

export const network: Resolvers = {
  Query: {
    coreSnapshots: called("ListCoreSnapshots", "coreSnapshots"),
    entities: answered("ListEntities", ({ txHash }) => ({ transactionHash: txHash })),
    balanceChanges: called("ListBalanceChanges", "balances", ({ filter, dateRange, pagination }) => ({
      filter,
      dateRange: dateRangeOf(dateRange),
      pagination,
    })),
    ledgerEntries: called("ListLedgerEntries", "ledgerEntries", ({ filter, dateRange, pagination }) => ({
      filter: ledgerFilter(filter),
      dateRange: dateRangeOf(dateRange),
      pagination,
    })),
    mostRecentHistorySegment: called("GetMostRecentNetworkHistorySegment", "segment"),
    networkLimits: called("GetNetworkLimits", "limits"),
    networkParameter: called("GetNetworkParameter", "networkParameter"),
    networkParametersConnection: called("ListNetworkParameters", "networkParameters"),
    protocolUpgradeStatus: answered("GetProtocolUpgradeStatus"),
    protocolUpgradeProposals: called(
      "ListProtocolUpgradeProposals",
      "protocolUpgradeProposals",
      ({ inState, approvedBy, pagination }) => ({ status: inState, approvedBy, pagination }),
    ),
    statistics: (_, __, reads) => reads.ofChain("Statistics").statistics,
    lastBlockHeight: (_, __, reads) => String(reads.ofChain("LastBlockHeight").height),
  },
  TransactionResult: { error: ({ status, failure }) => (status ? null : (failure?.error ?? "")) },
  // The original leaves these out of rows that it finds by their transaction.
  AccountDetails: { marketId: ({ marketId }) => marketId ?? "" },
  AccountEvent: { balance: () => "" },
  LedgerEntry: { timestamp: () => NO_TIME },
  Statistics: {
    blockDuration: ({ blockDuration }) => durationText(blockDuration ?? 0n),
  },
};
