// Streams of balances and rewards (docs/protocol/10-data-api-streams.md#62-streams).
import { amountText, type StoredAmount } from "../../../store/amount.ts";
import type { AccountBalance } from "../../../wire/generated/datanode.ts";
import type { Delegation, Reward } from "../../../wire/generated/vega.ts";
import { Conditions, type DataContext } from "../context.ts";
import { rewardOf } from "../rewards.ts";
import { elementOf, fits, idIn, iterateRows } from "./filters.ts";
import { streamKind } from "./kind.ts";

const FAILED = "failed to get accounts";

interface AccountFilter {
  readonly market?: string | undefined;
  readonly party?: string | undefined;
  readonly asset?: string | undefined;
  /** 0: any. */
  readonly type: number;
}

interface AccountRow {
  readonly block: bigint;
  readonly party: bigint;
  readonly asset: bigint;
  readonly market: bigint;
  readonly type: bigint;
  readonly balance: StoredAmount;
}

const ACCOUNT = "b.block, a.party, a.asset, a.market, a.type, b.balance";

function accountOf({ ids }: DataContext, row: AccountRow): AccountBalance {
  return {
    owner: ids.text(row.party),
    balance: amountText(row.balance),
    asset: ids.text(row.asset),
    marketId: ids.text(row.market),
    type: Number(row.type),
  };
}

export const accounts = streamKind({
  path: "accounts",
  method: "ObserveAccounts",
  request: "datanode.api.v2.ObserveAccountsRequest",
  response: "datanode.api.v2.ObserveAccountsResponse",
  summary: "Follow the balances of accounts",
  description:
    "All balances that match, in pages of 50, then the last balance of each account that a block changed.",
  table: "balances",
  frame: { element: "datanode.api.v2.AccountBalance", around: "updates", member: "accounts", isList: true },
  filterOf: (context, request): AccountFilter => ({
    market: idIn(context, request.marketId, FAILED),
    party: idIn(context, request.partyId, FAILED),
    asset: idIn(context, request.asset, FAILED),
    type: request.type ?? 0,
  }),
  reader: () => ({
    read(context, { first, last }) {
      const sql = `SELECT ${ACCOUNT} FROM balances b CROSS JOIN accounts a ON a.ref = b.account
        WHERE b.block BETWEEN ? AND ? ORDER BY b.block, b.account`;
      const rows = context.all<AccountRow>(sql, first, last);
      return rows.map((row) => elementOf(row, accountOf(context, row)));
    },
  }),
  matches: ({ market, party, asset, type }, value: AccountBalance) =>
    fits(party, value.owner) &&
    fits(asset, value.asset) &&
    fits(market, value.marketId) &&
    (type === 0 || type === value.type),
  *snapshot(context, { market, party, asset, type }) {
    const conditions = new Conditions();
    if (market !== undefined) conditions.add("a.market = ?", context.ids.position(market));
    if (party !== undefined) conditions.add("a.party = ?", context.ids.position(party));
    if (asset !== undefined) conditions.add("a.asset = ?", context.ids.position(asset));
    if (type !== 0) conditions.add("a.type = ?", type);
    const where = conditions.where.length === 0 ? "" : `WHERE ${conditions.where.join(" AND ")}`;
    const sql = `SELECT ${ACCOUNT} FROM accounts a CROSS JOIN balances_current b ON b.account = a.ref ${where} ORDER BY a.ref`;
    yield* iterateRows<AccountRow>(context, sql, conditions.params, (row) =>
      elementOf(row, accountOf(context, row)),
    );
  },
});

interface RewardFilter {
  readonly asset?: string | undefined;
  readonly party?: string | undefined;
}

interface RewardRow {
  readonly block: bigint;
  readonly data: Uint8Array;
}

export const rewards = streamKind({
  path: "rewards",
  method: "ObserveRewards",
  request: "datanode.api.v2.ObserveRewardsRequest",
  response: "datanode.api.v2.ObserveRewardsResponse",
  summary: "Follow rewards",
  description: "Each reward that is paid, one a message. The original has it as a gRPC method alone.",
  table: "rewards",
  frame: { element: "vega.Reward", member: "reward", isList: false },
  filterOf: (context, request): RewardFilter => ({
    asset: idIn(context, request.assetId, "failed to get rewards"),
    party: idIn(context, request.partyId, "failed to get rewards"),
  }),
  reader: () => ({
    read(context, { first, firstOrd, last }) {
      const sql =
        "SELECT block, data FROM rewards WHERE (block, ord) >= (?, ?) AND block <= ? ORDER BY block, ord";
      const rows = context.all<RewardRow>(sql, first, firstOrd, last);
      return rows.map((row) => elementOf(row, rewardOf(row.data)));
    },
  }),
  matches: ({ asset, party }, value: Reward) => fits(asset, value.assetId) && fits(party, value.partyId),
});

interface DelegationFilter {
  readonly party?: string | undefined;
  readonly node?: string | undefined;
}

interface DelegationRow {
  readonly block: bigint;
  readonly party: bigint;
  readonly node: bigint;
  readonly epoch: bigint;
  readonly amount: StoredAmount;
}

export const delegations = streamKind({
  path: "delegations",
  method: "ObserveDelegations",
  request: "datanode.api.v2.ObserveDelegationsRequest",
  response: "datanode.api.v2.ObserveDelegationsResponse",
  summary: "Follow delegations",
  description: "Each change of a delegation, one a message. The original has it as a gRPC method alone.",
  table: "delegations",
  frame: { element: "vega.Delegation", member: "delegation", isList: false },
  filterOf: (context, request): DelegationFilter => ({
    party: idIn(context, request.partyId, "failed to get delegation"),
    node: idIn(context, request.nodeId, "failed to get delegation"),
  }),
  reader: () => ({
    read(context, { first, firstOrd, last }) {
      const sql = `SELECT block, party, node, epoch, amount FROM delegations
        WHERE (block, ord) >= (?, ?) AND block <= ? ORDER BY block, ord`;
      return context.all<DelegationRow>(sql, first, firstOrd, last).map((row) =>
        elementOf(row, {
          party: context.ids.text(row.party),
          nodeId: context.ids.text(row.node),
          amount: amountText(row.amount),
          epochSeq: String(row.epoch),
        }),
      );
    },
  }),
  matches: ({ party, node }, value: Delegation) => fits(party, value.party) && fits(node, value.nodeId),
});
