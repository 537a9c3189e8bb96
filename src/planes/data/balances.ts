// Balance changes (reference 10, section 4.1): the list that is asked for most, so its pages are put together from
// bytes that are made once for each account and each block (balance-texts.ts).

import type { Endpoint } from "../../http/endpoint.ts";
import type { Param } from "../../http/pagination.ts";
import type { RequestFields } from "../../http/query.ts";
import { accountHash, probeAccount } from "../../store/accounts.ts";
import { amountText } from "../../store/amount.ts";
import { type BalancePage, type BalancePlace, type BalanceQuery, readBalances } from "./balance-rows.ts";
import { BalanceTexts, PageBytes } from "./balance-texts.ts";
import { accountFilterOf, CursorReader, type DataContext, inList } from "./context.ts";

/** With at most this many accounts behind an asset or market filter, their parties are read one by one. */
const FEW_ACCOUNTS = 64;

const texts = new WeakMap<DataContext, BalanceTexts>();

function textsOf(context: DataContext): BalanceTexts {
  let made = texts.get(context);
  if (!made) {
    made = new BalanceTexts(context);
    texts.set(context, made);
  }
  return made;
}

function checkRequest(context: DataContext, request: RequestFields): BalanceQuery {
  const filter = accountFilterOf(request);
  const page = context.page(request);
  return context.query(
    "failed to get balances",
    () => {
      const key = page.cursor === undefined ? undefined : cursorKey(context, page.cursor);
      const { where, params } = accountConditions(context, filter);
      const range = (request.dateRange ?? {}) as { startTimestamp?: bigint; endTimestamp?: bigint };
      const blockOf = (ns: bigint | undefined) =>
        ns === undefined ? undefined : context.blocks.firstAtOrAfter(Number(ns / 1000n));
      return {
        page,
        key,
        parties: partiesToRead(context, filter.partyIds, where, params),
        accountWhere: where,
        accountParams: params,
        fromBlock: blockOf(range.startTimestamp),
        beforeBlock: blockOf(range.endTimestamp),
      };
    },
    "querying balances: ",
  );
}

function accountConditions(
  context: DataContext,
  filter: { assetId?: string; marketIds?: string[]; accountTypes?: number[] },
) {
  const where: string[] = [];
  const params: Param[] = [];
  if (filter.assetId) {
    where.push("a.asset = ?");
    params.push(context.ids.position(filter.assetId));
  }
  if (filter.marketIds?.length) {
    where.push(inList("a.market", filter.marketIds.length));
    params.push(...filter.marketIds.map((id) => context.ids.position(id)));
  }
  if (filter.accountTypes?.length) {
    where.push(inList("a.type", filter.accountTypes.length));
    params.push(...filter.accountTypes);
  }
  return { where, params };
}

/** The parties named, or the few behind a narrow filter; undefined when the whole history is to be read. */
function partiesToRead(
  context: DataContext,
  partyIds: string[] | undefined,
  where: readonly string[],
  params: readonly Param[],
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
  const { ref, found } = probeAccount(hash, at);
  return found ? ref : ref - 0.5;
}

interface PageEnds {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string;
  readonly endCursor: string;
}

/** Ends of a page by its outer cursors; one that ended early goes on where it stopped looking. */
function pageEnds(
  made: BalanceTexts,
  query: BalanceQuery,
  page: BalancePage,
  first = "",
  last = "",
): PageEnds {
  const { hasNextPage, hasPreviousPage, endedAt } = page;
  const stopped = endedAt && made.cursor(endedAt);
  const ends = query.page.forward
    ? { startCursor: first, endCursor: stopped ?? last }
    : { startCursor: stopped ?? first, endCursor: last };
  return { hasNextPage, hasPreviousPage, ...ends };
}

export const listBalanceChanges: Endpoint<DataContext> = {
  path: "/api/v2/balance/changes",
  request: "datanode.api.v2.ListBalanceChangesRequest",
  response: "datanode.api.v2.ListBalanceChangesResponse",
  tag: "Balances",
  summary: "List balance changes",
  description:
    "One row for each block at which an account's balance changed: the last balance in that block, by block time and account. A filter that passes over very many rows ends a page early: it may hold fewer than asked for, or none, and still have a next one.",
  handle(context, request) {
    const query = checkRequest(context, request);
    const page = readBalances(context, query);
    const made = textsOf(context);
    const edges = page.rows.map((row) => {
      const account = made.account(Number(row.account));
      const block = made.block(Number(row.block));
      const node = {
        timestamp: BigInt(block.timeUs) * 1000n,
        balance: amountText(row.balance),
        partyId: account.party,
        assetId: account.asset,
        marketId: account.market,
        accountType: account.type,
      };
      return { node, cursor: made.cursor(row) };
    });
    const pageInfo = pageEnds(made, query, page, edges[0]?.cursor, edges.at(-1)?.cursor);
    return { balances: { edges, pageInfo } };
  },
  json(context, request) {
    const query = checkRequest(context, request);
    const page = readBalances(context, query);
    const { rows } = page;
    const made = textsOf(context);
    const bytes = new PageBytes();
    bytes.text('{"balances":{"edges":[');
    for (const row of rows) made.writeEdge(row, bytes);
    // The comma behind the last one.
    if (rows.length > 0) bytes.end--;
    const [first, last] = [rows[0], rows.at(-1)].map((row) => row && made.cursor(row));
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageEnds(made, query, page, first, last);
    bytes.text(`],"pageInfo":{"hasNextPage":${hasNextPage},"hasPreviousPage":${hasPreviousPage}`);
    bytes.text(`,"startCursor":"${startCursor}","endCursor":"${endCursor}"}}}`);
    return bytes.taken();
  },
};
