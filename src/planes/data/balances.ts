// Accounts with their current balances, and balance changes
// (docs/protocol/10-data-api-endpoints.md#41-listbalancechanges and #51-listaccounts).
import { LruCache } from "../../cache/lru.ts";
import type { RequestOf, Sent } from "../../http/endpoint.ts";
import type { Row } from "../../http/pagination.ts";
import { amountText, type StoredAmount } from "../../store/amount.ts";
import { accountHash, probeAccount } from "../../store/ids.ts";
import type { AccountBalance, AccountFilter } from "../../wire/generated/datanode.ts";
import { hexOf } from "../../wire/identifiers.ts";
import { type BalancePlace, type BalanceQuery, readBalances } from "./balance-rows.ts";
import {
  accountFilterOf,
  Conditions,
  CursorReader,
  connectionOf,
  type DataContext,
  perContext,
} from "./context.ts";
import { endpoint } from "./entry.ts";

/** With at most this many accounts behind an asset or market filter, their parties are read one by one. */
const FEW_ACCOUNTS = 64;

/** Accounts and blocks whose texts are kept: the history is read in order, and its rows name the same ones again. */
const ACCOUNTS_MAX = 100_000;
const BLOCKS_MAX = 10_000;

interface AccountText {
  readonly party: string;
  readonly asset: string;
  readonly market: string;
  readonly type: number;
  /** Base64 of a cursor from the account on. */
  readonly cursor: string;
}

interface BlockText {
  readonly timestamp: bigint;
  /** Base64 of a cursor up to the account: padded to a multiple of three bytes, so that the parts can be joined. */
  readonly cursor: string;
}

interface AccountRow {
  readonly hash: Uint8Array;
  readonly party: bigint;
  readonly asset: bigint;
  readonly market: bigint;
  readonly type: bigint;
}

/** Texts that rows show of their accounts and blocks. */
class BalanceTexts {
  private readonly accounts = new LruCache<number, AccountText>(ACCOUNTS_MAX);
  private readonly blocks = new LruCache<number, BlockText>(BLOCKS_MAX);

  constructor(private readonly context: DataContext) {}

  block(no: number): BlockText {
    const cached = this.blocks.get(no);
    if (cached !== undefined) return cached;
    const cursor = `{"vega_time":"${this.context.cursorTime(no)}",`;
    const length = Math.ceil(cursor.length / 3) * 3;
    const texts = { timestamp: this.context.timeNs(no), cursor: btoa(cursor.padEnd(length, " ")) };
    this.blocks.set(no, texts);
    return texts;
  }

  account(ref: number): AccountText {
    const cached = this.accounts.get(ref);
    if (cached !== undefined) return cached;
    const { ids } = this.context;
    const sql = "SELECT hash, party, asset, market, type FROM accounts WHERE ref = ?";
    const row = this.context.get<AccountRow>(sql, ref)!;
    const texts = {
      party: ids.text(row.party),
      asset: ids.text(row.asset),
      market: ids.text(row.market),
      type: Number(row.type),
      // The original's cursors also repeat the account's parts (and lack its id); those are read, not written.
      cursor: btoa(`"AccountID":"${hexOf(row.hash)}"}`),
    };
    this.accounts.set(ref, texts);
    return texts;
  }

  cursor({ block, account }: BalancePlace): string {
    return this.block(Number(block)).cursor + this.account(Number(account)).cursor;
  }
}

const textsOf = perContext((context) => new BalanceTexts(context));

type BalancesRequest = RequestOf<"datanode.api.v2.ListBalanceChangesRequest">;

function checkRequest(context: DataContext, request: BalancesRequest): BalanceQuery {
  const filter = accountFilterOf(request);
  const page = context.page(request);
  return context.query(
    "failed to get balances",
    () => {
      const key = page.cursor === undefined ? undefined : cursorKey(context, page.cursor);
      const accounts = accountConditions(context, filter);
      const { startTimestamp, endTimestamp } = request.dateRange ?? {};
      const blockOf = (ns: bigint | undefined) =>
        ns === undefined ? undefined : context.blocks.firstAtOrAfter(Number(ns / 1000n));
      return {
        page,
        key,
        parties: partiesToRead(context, filter.partyIds, accounts),
        accounts,
        fromBlock: blockOf(startTimestamp),
        beforeBlock: blockOf(endTimestamp),
      };
    },
    "querying balances: ",
  );
}

/** Conditions on `accounts a`, except for its party. */
function accountConditions(context: DataContext, filter: Sent<AccountFilter>): Conditions {
  const conditions = new Conditions();
  const refOf = (id: string) => context.ids.position(id);
  if (filter.assetId) conditions.add("a.asset = ?", refOf(filter.assetId));
  conditions.addOneOf("a.market", filter.marketIds?.map(refOf));
  conditions.addOneOf("a.type", filter.accountTypes);
  return conditions;
}

/** The parties named, or the few behind a narrow filter; undefined when the whole history is to be read. */
function partiesToRead(
  context: DataContext,
  partyIds: readonly string[] | undefined,
  { where, params }: Conditions,
): number[] | undefined {
  if (partyIds?.length) {
    const numbers = partyIds.map((id) => context.ids.find(id)?.no).filter((no) => no !== undefined);
    return [...new Set(numbers)];
  }
  if (where.length === 0) return undefined;
  const sql = `SELECT a.party_no AS no FROM accounts a WHERE ${where.join(" AND ")} LIMIT ${FEW_ACCOUNTS + 1}`;
  const rows = context.all<{ no: bigint }>(sql, ...params);
  if (rows.length > FEW_ACCOUNTS) return undefined;
  return [...new Set(rows.map((row) => Number(row.no)))];
}

/** A cursor names time and account; the account's id follows from the other members when it is not given. */
function cursorKey(context: DataContext, text: string): BalancePlace {
  const cursor = new CursorReader(text, context);
  const hash = cursor.has("AccountID")
    ? cursor.bytes("AccountID")
    : accountHash(
        cursor.string("AssetID"),
        cursor.string("PartyID"),
        cursor.string("MarketID"),
        cursor.number("Type"),
      );
  return { block: cursor.block("vega_time"), account: accountPosition(context, hash) };
}

/** Where an account id sorts among the references of accounts; unknown ones fall between two. */
export function accountPosition(context: DataContext, hash: Uint8Array): number {
  const at = (ref: number) =>
    context.get<{ hash: Uint8Array }>("SELECT hash FROM accounts WHERE ref = ?", ref)?.hash;
  const { ref, found: isStored } = probeAccount(hash, at);
  return isStored ? ref : ref - 0.5;
}

export const listBalanceChanges = endpoint({
  path: "/api/v2/balance/changes",
  request: "datanode.api.v2.ListBalanceChangesRequest",
  response: "datanode.api.v2.ListBalanceChangesResponse",
  tag: "Balances",
  summary: "List balance changes",
  description:
    "A row for each block at which an account's balance changed: the last balance in that block, by block time and account. A filter that passes over very many rows ends a page early: it may hold fewer than asked for, or none, and still have a next one.",
  handle(context, request) {
    const query = checkRequest(context, request);
    const page = readBalances(context, query);
    const texts = textsOf(context);
    const edges = page.rows.map((row) => {
      const block = texts.block(Number(row.block));
      const account = texts.account(Number(row.account));
      const node = {
        timestamp: block.timestamp,
        balance: amountText(row.balance),
        partyId: account.party,
        assetId: account.asset,
        marketId: account.market,
        accountType: account.type,
      };
      return { node, cursor: block.cursor + account.cursor };
    });
    const { pageInfo } = connectionOf(edges, page.hasNextPage, page.hasPreviousPage);
    // A page that ended early goes on where it stopped looking.
    const stopped = page.endedAt && texts.cursor(page.endedAt);
    const end = stopped && (query.page.forward ? { endCursor: stopped } : { startCursor: stopped });
    return { balances: { edges, pageInfo: { ...pageInfo, ...end } } };
  },
});

interface ListedAccount extends Row {
  hash: Uint8Array;
  party: bigint;
  asset: bigint;
  market: bigint;
  type: bigint;
  balance: StoredAmount;
}

const listAccounts = endpoint({
  path: "/api/v2/accounts",
  request: "datanode.api.v2.ListAccountsRequest",
  response: "datanode.api.v2.ListAccountsResponse",
  tag: "Accounts",
  summary: "List accounts",
  description:
    "The current balance of every account that ever had one, by the account's id: a hash, so the order is stable but says nothing.",
  handle(context, request) {
    const page = context.page(request);
    const filter = accountFilterOf(request);
    return context.query(
      "failed to get accounts",
      () => {
        const conditions = accountConditions(context, filter);
        conditions.addOneOf(
          "a.party",
          filter.partyIds?.map((id) => context.ids.position(id)),
        );
        const accounts = context.list<ListedAccount, AccountBalance>({
          query: {
            select: "a.hash, a.party, a.asset, a.market, a.type, b.balance",
            // CROSS JOIN: the accounts are chosen by their own indexes. Those without a balance are left out.
            from: "accounts a CROSS JOIN balances_current b ON b.account = a.ref",
            ...conditions,
            order: [{ sql: "a.ref" }],
          },
          page,
          key: (cursor) => [accountPosition(context, cursor.bytes("account_id"))],
          cursor: (row) => JSON.stringify({ account_id: hexOf(row.hash) }),
          node: (row) => ({
            owner: context.ids.text(row.party),
            balance: amountText(row.balance),
            asset: context.ids.text(row.asset),
            marketId: context.ids.text(row.market),
            type: Number(row.type),
          }),
        });
        return { accounts };
      },
      "querying account balances: ",
    );
  },
});

export const accountEndpoints = [listAccounts];
