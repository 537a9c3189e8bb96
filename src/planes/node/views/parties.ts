// Views of the parties and their holdings: accounts, parties, stake, delegations.

import { amountText, type StoredAmount } from "../../../store/amount.ts";
import type { Account, PartyStake } from "../../../wire/generated/core-api.ts";
import { readStakeLinkingAt, StakeLinkingStatus, StakeLinkingType } from "../../../wire/generated/events.ts";
import { AccountType, type Delegation } from "../../../wire/generated/vega.ts";
import { NETWORK_PARTY } from "../../../wire/identifiers.ts";
import type { DataContext } from "../../data/context.ts";
import { endpoint } from "../../data/entry.ts";
import { Filter } from "./filter.ts";

const TAG = "State of the parties";
/** The owner, as this service writes it, of accounts without one (docs/protocol/30-node-api-endpoints.md#52-corestateservice). */
const NO_OWNER = "0".repeat(64);
const TYPE_NAMES = new Map<number, string>(
  Object.entries(AccountType).map(([name, number]) => [number, name]),
);

interface AccountRow {
  readonly party: bigint;
  readonly market: bigint;
  readonly asset: bigint;
  readonly type: bigint;
  readonly balance: StoredAmount;
}

const accounts = endpoint({
  path: "/accounts",
  request: "vega.api.v1.ListAccountsRequest",
  response: "vega.api.v1.ListAccountsResponse",
  tag: TAG,
  summary: "List accounts",
  description:
    "Of a party, of a market, or of a party in a market. With neither, the accounts that belong to no party and no market.",
  narrowing: "give party or market",
  handle(context, request) {
    const party = request.party ?? "";
    const market = request.market ?? "";
    const filter = new Filter(context).reference("a.market", market);
    if (party !== "") filter.reference("a.party", party === NO_OWNER ? NETWORK_PARTY : party);
    else if (market === "") {
      filter.reference("a.party", NETWORK_PARTY).equal("a.market", context.ids.find("")?.ref ?? null);
    }
    const rows = filter.rows<AccountRow>(
      `a.party, a.market, a.asset, a.type, b.balance
       FROM accounts a CROSS JOIN balances_current b ON b.account = a.ref`,
      "a.ref",
      "give party or market",
    );
    return { accounts: rows.map((row) => accountOf(context, row)) };
  },
});

function accountOf({ ids }: DataContext, row: AccountRow): Account {
  const owner = ids.text(row.party);
  return {
    party: owner === NETWORK_PARTY ? NO_OWNER : owner,
    market: ids.text(row.market),
    balance: amountText(row.balance),
    asset: ids.text(row.asset),
    type: TYPE_NAMES.get(Number(row.type)) ?? String(row.type),
  };
}

const parties = endpoint({
  path: "/parties",
  request: "vega.api.v1.ListPartiesRequest",
  response: "vega.api.v1.ListPartiesResponse",
  tag: TAG,
  summary: "List parties",
  description: "By id.",
  narrowing: "the data API has pages",
  handle(context) {
    const rows = new Filter(context).rows<{ id: bigint }>("id FROM parties", "id", "the data API has pages");
    return { parties: rows.map(({ id }) => ({ id: context.ids.text(id) })) };
  },
});

interface LinkingRow {
  readonly party: bigint;
  readonly data: Uint8Array;
}

const partiesStake = endpoint({
  path: "/parties/stake",
  request: "vega.api.v1.ListPartiesStakeRequest",
  response: "vega.api.v1.ListPartiesStakeResponse",
  tag: TAG,
  summary: "List the parties' stake and the linkings it comes from",
  description: "By party; linkings in their latest state, by block and id.",
  narrowing: "give party",
  handle(context, request) {
    const rows = new Filter(context).reference("c.party", request.party ?? "").rows<LinkingRow>(
      `c.party, s.data FROM stake_linkings_current c
         CROSS JOIN stake_linkings s ON s.block = c.block AND s.id = c.id`,
      "c.party, c.block, c.id",
      "give party",
    );
    const byParty = Map.groupBy(rows, (row) => row.party);
    return { partiesStake: [...byParty].map(([party, linkings]) => stakeOf(context, party, linkings)) };
  },
});

function stakeOf({ ids }: DataContext, party: bigint, rows: readonly LinkingRow[]): PartyStake {
  const stakeLinkings = rows.map(({ data }) => readStakeLinkingAt(data, 0, data.length));
  let available = 0n;
  for (const { type, status, amount } of stakeLinkings) {
    if (status !== StakeLinkingStatus.STATUS_ACCEPTED) continue;
    if (type === StakeLinkingType.TYPE_LINK) available += BigInt(amount);
    if (type === StakeLinkingType.TYPE_UNLINK) available -= BigInt(amount);
  }
  return { party: ids.text(party), currentStakeAvailable: available.toString(), stakeLinkings };
}

interface DelegationRow {
  readonly party: bigint;
  readonly node: bigint;
  readonly epoch: bigint;
  readonly amount: StoredAmount;
}

/** A number that an epoch can have in the store. */
const EPOCH = /^\d{1,18}$/;

const delegations = endpoint({
  path: "/delegations",
  request: "vega.api.v1.ListDelegationsRequest",
  response: "vega.api.v1.ListDelegationsResponse",
  tag: TAG,
  summary: "List delegations",
  description: "The latest amount of each epoch, party and node, in this order.",
  narrowing: "give epochSeq, party or node",
  handle(context, request) {
    const filter = new Filter(context)
      .reference("party", request.party ?? "")
      .reference("node", request.node ?? "");
    const epoch = request.epochSeq ?? "";
    if (epoch !== "") filter.equal("epoch", EPOCH.test(epoch) ? BigInt(epoch) : null);
    const rows = filter.rows<DelegationRow>(
      "party, node, epoch, amount FROM delegations_current",
      "epoch, party, node",
      "give epochSeq, party or node",
    );
    return { delegations: rows.map((row) => delegationOf(context, row)) };
  },
});

function delegationOf({ ids }: DataContext, { party, node, epoch, amount }: DelegationRow): Delegation {
  return {
    party: ids.text(party),
    nodeId: ids.text(node),
    amount: amountText(amount),
    epochSeq: epoch.toString(),
  };
}

export const partyViews = [accounts, parties, partiesStake, delegations];
