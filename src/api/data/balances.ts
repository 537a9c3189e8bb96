// Balance changes (reference 10, section 4.1): the list that is asked for most, so its pages are joined from
// texts that are made once for each account and each block.
import { accountHash, probeAccount } from "../../store/accounts.ts";
import { amountText, type StoredAmount } from "../../store/amount.ts";
import { hexOf } from "../../wire/identifiers.ts";
import { enumDescriptor } from "../../wire/schema/index.ts";
import type { Endpoint } from "../endpoint.ts";
import { GenerationCache } from "../generation-cache.ts";
import { assemblePage, type PageRequest, type PageRows, type Param } from "../pagination.ts";
import type { RequestFields } from "../query.ts";
import { rfc3339 } from "./blocks.ts";
import { accountFilterOf, CursorReader, type DataContext, inList } from "./context.ts";

/** With at most this many accounts behind an asset or market filter, their parties are read one by one. */
const FEW_ACCOUNTS = 64;
/** Texts kept of accounts and of blocks, twice this at the most: about 200 bytes each. */
const TEXTS_MAX = 150_000;

interface BalanceRow {
  readonly block: bigint;
  readonly account: bigint;
  readonly balance: StoredAmount;
}

/** What a row shows of its account, and the account's part of a cursor. Identifiers are shared between accounts. */
interface AccountText {
  readonly party: string;
  readonly asset: string;
  readonly market: string;
  readonly type: number;
  /** The type's name as JSON. */
  readonly typeJson: string;
  readonly cursor: string;
}

interface BlockText {
  readonly timeUs: number;
  /** The node up to the balance. */
  readonly json: string;
  /** Base64 of the cursor up to the account: padded to a multiple of three bytes so that the parts can be joined. */
  readonly cursor: string;
}

class BalanceTexts {
  private readonly accounts = new GenerationCache<number, AccountText>(TEXTS_MAX);
  private readonly blocks = new GenerationCache<number, BlockText>(TEXTS_MAX);

  constructor(private readonly context: DataContext) {}

  account(ref: number): AccountText {
    const known = this.accounts.get(ref);
    if (known) return known;
    const made = this.makeAccount(ref);
    this.accounts.set(ref, made);
    return made;
  }

  block(no: number): BlockText {
    const known = this.blocks.get(no);
    if (known) return known;
    const timeUs = this.context.blocks.timeUs(no);
    let head = `{"vega_time":"${rfc3339(timeUs)}",`;
    head = head.padEnd(Math.ceil(head.length / 3) * 3, " ");
    const made = {
      timeUs,
      json: `{"node":{"timestamp":"${timeUs === 0 ? "0" : `${timeUs}000`}","balance":"`,
      cursor: btoa(head),
    };
    this.blocks.set(no, made);
    return made;
  }

  private makeAccount(ref: number): AccountText {
    const sql = "SELECT hash, party, asset, market, type FROM accounts WHERE ref = ?";
    const row = this.context.get<{
      hash: Uint8Array;
      party: bigint;
      asset: bigint;
      market: bigint;
      type: bigint;
    }>(sql, ref)!;
    const [party, asset, market] = [row.party, row.asset, row.market].map((id) =>
      this.context.ids.text(id),
    ) as [string, string, string];
    const type = Number(row.type);
    const typeName = enumDescriptor("vega.AccountType").nameOf.get(type);
    // The original's cursors also repeat the account's parts (and lack its id); they are read, not written.
    const tail = `"AccountID":"${hexOf(row.hash)}"}`;
    return {
      party,
      asset,
      market,
      type,
      typeJson: typeName === undefined ? String(type) : `"${typeName}"`,
      cursor: btoa(tail),
    };
  }
}

const texts = new WeakMap<DataContext, BalanceTexts>();

function textsOf(context: DataContext): BalanceTexts {
  let made = texts.get(context);
  if (!made) {
    made = new BalanceTexts(context);
    texts.set(context, made);
  }
  return made;
}

/** A checked request: which rows, in which window of blocks, from which place. */
interface BalanceQuery {
  readonly page: PageRequest;
  /** Running numbers of the parties to read, or undefined for all. */
  readonly parties: readonly number[] | undefined;
  /** Conditions on `accounts a`. */
  readonly accountWhere: readonly string[];
  readonly accountParams: readonly Param[];
  /** First block of the range, and the block after its last. */
  readonly fromBlock: number | undefined;
  readonly beforeBlock: number | undefined;
  readonly key: readonly [block: number, account: number] | undefined;
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
function cursorKey(context: DataContext, text: string): readonly [number, number] {
  const cursor = new CursorReader(text, context);
  const hash = cursor.has("AccountID")
    ? cursor.bytes("AccountID")
    : accountHash(
        cursor.string("AssetID"),
        cursor.string("PartyID"),
        cursor.string("MarketID"),
        cursor.number("Type"),
      );
  return [cursor.block("vega_time"), accountPosition(context, hash)];
}

/** Where an account id sorts among the references of accounts; unknown ones fall between two. */
export function accountPosition(context: DataContext, hash: Uint8Array): number {
  const at = (ref: number) =>
    context.get<{ hash: Uint8Array }>("SELECT hash FROM accounts WHERE ref = ?", ref)?.hash;
  const { ref, found } = probeAccount(hash, at);
  return found ? ref : ref - 0.5;
}

function readBalances(context: DataContext, query: BalanceQuery): PageRows<BalanceRow> {
  return assemblePage<BalanceRow>(query.page, query.key !== undefined, {
    fetch: (descending, limit) => fetchRows(context, query, descending, limit, descending ? "<=" : ">="),
    isAtKey: (row) => Number(row.block) === query.key![0] && Number(row.account) === query.key![1],
    existsBehind: (descending) =>
      fetchRows(context, query, !descending, 1, descending ? ">" : "<").length > 0,
  });
}

function fetchRows(
  context: DataContext,
  query: BalanceQuery,
  descending: boolean,
  limit: number,
  operator: string,
): BalanceRow[] {
  const sql = rowsSql(query, descending, operator);
  const params: Param[] = [...query.accountParams];
  if (query.fromBlock !== undefined) params.push(query.fromBlock);
  if (query.beforeBlock !== undefined) params.push(query.beforeBlock);
  if (query.key) params.push(...query.key);
  params.push(limit);
  const statement = context.db.query(sql);
  if (!query.parties) return statement.all(...params) as BalanceRow[];
  if (query.parties.length === 1) return statement.all(query.parties[0]!, ...params) as BalanceRow[];
  const rows = query.parties.flatMap((no) => statement.all(no, ...params) as BalanceRow[]);
  const sign = descending ? -1 : 1;
  rows.sort((a, b) =>
    a.block === b.block ? (a.account < b.account ? -sign : sign) : a.block < b.block ? -sign : sign,
  );
  return rows.slice(0, limit);
}

function rowsSql(query: BalanceQuery, descending: boolean, operator: string): string {
  const where: string[] = [];
  if (query.parties) where.push("b.party_no = ?");
  where.push(...query.accountWhere);
  if (query.fromBlock !== undefined) where.push("b.block >= ?");
  if (query.beforeBlock !== undefined) where.push("b.block < ?");
  if (query.key) where.push(`(b.block, b.account) ${operator} (?, ?)`);
  const table = query.parties ? "balances_by_party" : "balances";
  // CROSS JOIN keeps the order of the tables: the history is walked in order and each account looked up.
  const join = query.accountWhere.length > 0 ? " CROSS JOIN accounts a ON a.ref = b.account" : "";
  const direction = descending ? "DESC" : "ASC";
  const condition = where.length > 0 ? ` WHERE ${where.join(" AND ")}` : "";
  return `SELECT b.block, b.account, b.balance FROM ${table} b${join}${condition} ORDER BY b.block ${direction}, b.account ${direction} LIMIT ?`;
}

export const listBalanceChanges: Endpoint<DataContext> = {
  path: "/api/v2/balance/changes",
  request: "datanode.api.v2.ListBalanceChangesRequest",
  response: "datanode.api.v2.ListBalanceChangesResponse",
  tag: "Balances",
  summary: "List balance changes",
  description:
    "One row for each block at which an account's balance changed: the last balance in that block, by block time and account.",
  handle(context, request) {
    const { rows, hasNextPage, hasPreviousPage } = readBalances(context, checkRequest(context, request));
    const made = textsOf(context);
    const edges = rows.map((row) => {
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
      return { node, cursor: block.cursor + account.cursor };
    });
    const startCursor = edges[0]?.cursor ?? "";
    const endCursor = edges.at(-1)?.cursor ?? "";
    return { balances: { edges, pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor } } };
  },
  json(context, request) {
    const { rows, hasNextPage, hasPreviousPage } = readBalances(context, checkRequest(context, request));
    const made = textsOf(context);
    let body = '{"balances":{"edges":[';
    let startCursor = "";
    let endCursor = "";
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const block = made.block(Number(row.block));
      const account = made.account(Number(row.account));
      endCursor = block.cursor + account.cursor;
      if (i === 0) startCursor = endCursor;
      else body += ",";
      const { party, asset, market, typeJson } = account;
      body += `${block.json}${amountText(row.balance)}","partyId":"${party}","assetId":"${asset}","marketId":"${market}`;
      body += `","accountType":${typeJson}},"cursor":"${endCursor}"}`;
    }
    return `${body}],"pageInfo":{"hasNextPage":${hasNextPage},"hasPreviousPage":${hasPreviousPage},"startCursor":"${startCursor}","endCursor":"${endCursor}"}}}`;
  },
};
