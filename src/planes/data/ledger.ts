// Ledger entries, as a list and as CSV (docs/protocol/10-data-api-endpoints.md#513-ledger-entries). The parties' own
// entries are read, through their index: a busy party, a rare one and an unknown one cost about the same.
import type { RequestOf, Sent } from "../../http/endpoint.ts";
import { ApiError, internal, invalidArgument } from "../../http/errors.ts";
import type { ListQuery, Param, Row } from "../../http/pagination.ts";
import { amountText, type StoredAmount } from "../../store/amount.ts";
import { byParty } from "../../store/eras.ts";
import { enumDescriptor } from "../../wire/descriptors.ts";
import type { AccountFilter, AggregatedLedgerEntry, DateRange } from "../../wire/generated/datanode.ts";
import { canonicalIdentifier, isAssetIdentifier, isHex64 } from "../../wire/identifiers.ts";
import { SECOND_NS } from "../../wire/time-text.ts";
import { rfc3339 } from "./blocks.ts";
import { Conditions, type DataContext, dateRange, partyNumber } from "./context.ts";
import { endpoint } from "./entry.ts";

/** Entries of two parties are counted up to here to find the shorter list. */
const COUNT_MAX = 1000;
const SINGLE_PARTY = "filtering ledger entries: filtering ledger entries should be limited to a single party";

const ENTRY = `CROSS JOIN ledger l ON l.block = p.block AND l.n = p.n
  CROSS JOIN accounts f ON f.ref = l.from_account CROSS JOIN accounts t ON t.ref = l.to_account`;
const COLUMNS = `l.quantity, l.type, l.from_balance, l.to_balance, f.asset,
  f.party AS from_party, f.market AS from_market, f.type AS from_type,
  t.party AS to_party, t.market AS to_market, t.type AS to_type`;

interface LedgerRow extends Row {
  quantity: StoredAmount;
  type: bigint;
  from_balance: StoredAmount;
  to_balance: StoredAmount;
  asset: bigint;
  from_party: bigint;
  from_market: bigint;
  from_type: bigint;
  to_party: bigint;
  to_market: bigint;
  to_type: bigint;
}

/** Entries of one party, by block and place in the block; the first parameter is the party's number. */
const ENTRIES_OF_PARTY = {
  select: COLUMNS,
  from: `${byParty("ledger_by_party")} ${ENTRY}`,
  order: [{ sql: "p.block" }, { sql: "p.n" }],
  leading: "e.no",
} as const;

/** Of an export, over HTTP and over gRPC. */
type ExportRequest = RequestOf<"datanode.api.v2.ExportLedgerEntriesRequest">;

interface Condition {
  readonly sql: string;
  readonly params: readonly Param[];
}

/** Condition on one side of an entry; `account` is its table. The entry's asset is the sender's on either side. */
function sideCondition(
  context: DataContext,
  filter: Sent<AccountFilter>,
  account: "f" | "t",
): Condition | undefined {
  const conditions = new Conditions();
  const refOf = (id: string) => context.ids.position(id);
  if (filter.assetId) conditions.add("f.asset = ?", refOf(filter.assetId));
  conditions.addOneOf(`${account}.party`, filter.partyIds?.map(refOf));
  conditions.addOneOf(`${account}.market`, filter.marketIds?.map(refOf));
  conditions.addOneOf(`${account}.type`, filter.accountTypes);
  const { where, params } = conditions;
  return where.length === 0 ? undefined : { sql: `(${where.join(" AND ")})`, params };
}

/** Bounds of the ledger's date ranges count in whole seconds. */
function wholeSeconds({ startTimestamp, endTimestamp }: Sent<DateRange> = {}): Sent<DateRange> {
  const cut = (value: bigint) => {
    const seconds = value / SECOND_NS;
    const isBefore = value < 0n && seconds * SECOND_NS !== value;
    return (isBefore ? seconds - 1n : seconds) * SECOND_NS;
  };
  return {
    ...(startTimestamp !== undefined && { startTimestamp: cut(startTimestamp) }),
    ...(endTimestamp !== undefined && { endTimestamp: cut(endTimestamp) }),
  };
}

/** The rows to look through: of the shorter list when an entry must be in both, else of both lists, each row once. */
function sourceOf(context: DataContext, parties: readonly number[], both: boolean) {
  const [first, second] = parties as [number, number | undefined];
  if (second === undefined)
    return { from: ENTRIES_OF_PARTY.from, where: ["p.party_no = ?"], params: [first] };
  if (both) {
    const counted = parties.map((no) => countUpTo(context, no));
    const shorter = counted[0]! <= counted[1]! ? first : second;
    return { from: ENTRIES_OF_PARTY.from, where: ["p.party_no = ?"], params: [shorter] };
  }
  // SQLite merges the two in order, reading no more of each than the page needs.
  const union = `(SELECT e.no AS era, o.block, o.n FROM ${byParty("ledger_by_party", "o")} WHERE o.party_no = ?
    UNION ALL SELECT e.no AS era, o.block, o.n FROM ${byParty("ledger_by_party", "o")} WHERE o.party_no = ? AND NOT EXISTS
      (SELECT 1 FROM ledger_by_party q WHERE q.era = o.era AND q.party_no = ? AND q.block = o.block AND q.n = o.n))`;
  return { from: `${union} p ${ENTRY}`, leading: "p.era", where: [], params: [first, second, first] };
}

function countUpTo(context: DataContext, partyNo: number): bigint {
  const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM ${byParty("ledger_by_party")} WHERE p.party_no = ? LIMIT ?)`;
  return context.get<{ n: bigint }>(sql, partyNo, COUNT_MAX)!.n;
}

function ledgerQuery(
  context: DataContext,
  { filter = {}, dateRange: period }: RequestOf<"datanode.api.v2.ListLedgerEntriesRequest">,
): ListQuery {
  const sides = [filter.fromAccountFilter ?? {}, filter.toAccountFilter ?? {}];
  const named = sides.flatMap((side) => side.partyIds ?? []);
  if (named.every((id) => id === "") || sides.some((side) => (side.partyIds?.length ?? 0) > 1)) {
    throw internal("failed to query ledger entries", SINGLE_PARTY);
  }
  const both = filter.closeOnAccountFilters === true;
  const parties = [...new Set(named.map((id) => partyNumber(context, id)))];
  const { where, params, ...source } = sourceOf(context, parties, both);
  const query = new Conditions();
  for (const condition of where) query.add(condition);
  query.params.push(...params);
  const conditions = [sideCondition(context, sides[0]!, "f"), sideCondition(context, sides[1]!, "t")].filter(
    (condition) => condition !== undefined,
  );
  query.add(
    `(${conditions.map(({ sql }) => sql).join(both ? " AND " : " OR ")})`,
    ...conditions.flatMap((condition) => condition.params),
  );
  query.addOneOf("l.type", filter.transferTypes);
  const range = dateRange(context, wholeSeconds(period), "p.block");
  query.where.push(...range.where);
  query.params.push(...range.params);
  return { ...ENTRIES_OF_PARTY, ...source, ...query };
}

function entryOf(context: DataContext, row: LedgerRow): AggregatedLedgerEntry {
  const text = (ref: bigint) => context.ids.text(ref) || undefined;
  return {
    timestamp: context.timeNs(row.k0 as bigint),
    quantity: amountText(row.quantity),
    transferType: Number(row.type),
    assetId: text(row.asset),
    fromAccountType: Number(row.from_type),
    toAccountType: Number(row.to_type),
    fromAccountPartyId: text(row.from_party),
    toAccountPartyId: text(row.to_party),
    fromAccountMarketId: text(row.from_market),
    toAccountMarketId: text(row.to_market),
    fromAccountBalance: amountText(row.from_balance),
    toAccountBalance: amountText(row.to_balance),
  };
}

const listLedgerEntries = endpoint({
  path: "/api/v2/ledgerentry/history",
  request: "datanode.api.v2.ListLedgerEntriesRequest",
  response: "datanode.api.v2.ListLedgerEntriesResponse",
  tag: "Ledger",
  summary: "List ledger entries",
  description:
    "Entries of one party (or of two, one on each side), by block time and place in the block. With `closeOnAccountFilters` an entry must match both account filters, without it either. The bounds of the date range are cut to whole seconds.",
  handle(context, request) {
    const page = context.page(request);
    return context.query(
      "failed to query ledger entries",
      () => ({
        ledgerEntries: context.list<LedgerRow, AggregatedLedgerEntry>({
          query: ledgerQuery(context, request),
          page,
          key: (cursor) => {
            const block = cursor.block("vega_time");
            return cursor.has("entry") ? [block, cursor.number("entry")] : [block];
          },
          cursor: (row) => JSON.stringify({ vega_time: context.cursorTime(row.k0!), entry: Number(row.k1) }),
          node: (row) => entryOf(context, row),
        }),
      }),
      "filtering ledger entries: ",
    );
  },
});

export const ledgerEndpoints = [listLedgerEntries];

export const CSV_TYPE = "text/csv";
const CSV_HEADER =
  "vega_time,quantity,effect,transfer_type,asset_id,account_from_market_id,account_from_party_id,account_from_account_type,account_from_balance,account_to_market_id,account_to_party_id,account_to_account_type,account_to_balance\n";
/** Entries looked at in one batch: about half a megabyte of CSV. */
const BATCH_ROWS = 1000;
const ACCOUNT_TYPE_PREFIX = "ACCOUNT_TYPE_";
/** A label of the export alone: no account type has this number. */
const HOLDING = 18;

interface ExportQuery {
  readonly partyNo: number;
  readonly partyId: string;
  readonly assetId: string;
  /** Unix nanoseconds, whole seconds. */
  readonly start: bigint | undefined;
  readonly end: bigint | undefined;
  readonly where: readonly string[];
  readonly params: readonly Param[];
}

/**
 * The export as a response. An invalid request is refused by the status, before the first byte.
 * @param onEnd called once, when the last byte is taken, the client has left or reading has failed
 * @param onFailure called before that when reading has failed
 */
export function exportLedgerEntries(
  context: DataContext,
  request: ExportRequest,
  onEnd: () => void = () => {},
  onFailure: () => void = () => {},
): Response {
  let query: ExportQuery;
  try {
    query = checkExport(context, request);
  } catch (error) {
    onEnd();
    if (!(error instanceof ApiError)) throw error;
    return new Response(errorText(error), {
      status: error.status,
      headers: { "content-type": "application/json" },
    });
  }
  return new Response(csvStream(context, query, onEnd, onFailure), {
    headers: { "content-type": CSV_TYPE, "content-disposition": disposition(query) },
  });
}

/**
 * The same in pieces, for other ways of sending them.
 * @throws ApiError for an invalid request; reading the pieces throws what `ledgerExportError` translates
 */
export function openLedgerExport(
  context: DataContext,
  request: ExportRequest,
): { readonly disposition: string; readonly pieces: AsyncGenerator<Uint8Array, undefined> } {
  const query = checkExport(context, request);
  return { disposition: disposition(query), pieces: csvPieces(context, query) };
}

async function* csvPieces(context: DataContext, query: ExportQuery): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder();
  for (const batch of readBatches(context, query)) {
    // A batch without a row of the asset: others have their turn before the next one.
    if (batch === "") await new Promise((resolve) => setImmediate(resolve));
    else yield encoder.encode(batch);
  }
}

export function ledgerExportError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return internal("failed to export ledger entries", error instanceof Error ? error.message : "");
}

function disposition(query: ExportQuery): string {
  return `attachment;filename=${fileName(query)}`;
}

function errorText(error: ApiError): string {
  return JSON.stringify({ error: error.body });
}

function checkExport(
  context: DataContext,
  { partyId = "", assetId = "", dateRange: period }: ExportRequest,
): ExportQuery {
  if (partyId === "") throw invalidArgument("missing party id");
  if (!isHex64(partyId)) throw invalidArgument("invalid party id");
  if (assetId === "") throw invalidArgument("missing asset ID");
  if (!isAssetIdentifier(assetId)) throw invalidArgument("invalid asset ID");
  const range = wholeSeconds(period);
  const { where, params } = dateRange(context, range, "p.block");
  // Rows of later blocks are not part of an export that has begun.
  const last = context.get<{ no: bigint | null }>("SELECT max(no) AS no FROM blocks")?.no ?? 0n;
  return {
    partyNo: partyNumber(context, partyId),
    partyId: canonicalIdentifier(partyId),
    assetId: canonicalIdentifier(assetId),
    start: range.startTimestamp,
    end: range.endTimestamp,
    where: [...where, "p.block <= ?"],
    params: [...params, last],
  };
}

function fileName({ partyId, assetId, start, end }: ExportQuery): string {
  const time = (ns: bigint) => rfc3339(Number(ns / 1000n)).replaceAll(":", "_");
  const from = start === undefined ? "" : `_${time(start)}`;
  const to = end === undefined ? "" : `-${time(end)}`;
  return `ledger_entries_${partyId}_${assetId}${from}${to}.csv`;
}

function csvStream(
  context: DataContext,
  query: ExportQuery,
  onEnd: () => void,
  onFailure: () => void,
): ReadableStream<Uint8Array> {
  const pieces = csvPieces(context, query);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await pieces.next();
          if (!done) return controller.enqueue(value);
          controller.close();
          onEnd();
        } catch (error) {
          // The status is sent already: the error stands at the end of the body, as in the original.
          controller.enqueue(Buffer.from(errorText(ledgerExportError(error))));
          controller.close();
          onFailure();
          onEnd();
        }
      },
      async cancel() {
        await pieces.return(undefined);
        onEnd();
      },
    },
    { highWaterMark: 1 },
  );
}

/**
 * The CSV, a batch of entries at a time, each read when the client has taken the one before: an export of any length
 * holds one batch in memory, and delays other requests by one batch. A batch may have no row that counts.
 */
function* readBatches(context: DataContext, query: ExportQuery): Generator<string, string> {
  yield CSV_HEADER;
  let after: readonly [block: bigint, n: bigint] = [0n, -1n];
  const sql = `SELECT p.block AS k0, p.n AS k1, ${ENTRIES_OF_PARTY.select} FROM ${ENTRIES_OF_PARTY.from}
    WHERE p.party_no = ? AND (p.block, p.n) > (?, ?) AND ${query.where.join(" AND ")}
    ORDER BY e.no, p.block, p.n LIMIT ?`;
  for (;;) {
    const rows = context.all<LedgerRow>(sql, query.partyNo, ...after, ...query.params, BATCH_ROWS);
    const last = rows.at(-1);
    if (!last) return "";
    let text = "";
    for (const row of rows) {
      if (context.ids.text(row.asset) === query.assetId) text += csvLine(context, query, row);
    }
    yield text;
    if (rows.length < BATCH_ROWS) return "";
    after = [last.k0 as bigint, last.k1 as bigint];
  }
}

function csvLine(context: DataContext, query: ExportQuery, row: LedgerRow): string {
  const text = (ref: bigint) => context.ids.text(ref) || '""';
  const time = rfc3339(context.blocks.timeUs(Number(row.k0)));
  const quantity = amountText(row.quantity);
  const fromParty = text(row.from_party);
  const toParty = text(row.to_party);
  return `${[
    time.replace("T", " ").replace("Z", "+00"),
    quantity,
    effectOf(quantity, fromParty === query.partyId, toParty === query.partyId),
    enumDescriptor("vega.TransferType").nameOf.get(Number(row.type)) ?? "UNKNOWN",
    text(row.asset),
    text(row.from_market),
    fromParty,
    accountTypeLabel(Number(row.from_type)),
    amountText(row.from_balance),
    text(row.to_market),
    toParty,
    accountTypeLabel(Number(row.to_type)),
    amountText(row.to_balance),
  ].join(",")}\n`;
}

/** Signed effect of the entry on the party's balance. */
function effectOf(quantity: string, sends: boolean, receives: boolean): string {
  if ((sends && receives) || quantity === "0") return "0";
  return sends ? `-${quantity}` : quantity;
}

function accountTypeLabel(type: number): string {
  if (type === HOLDING) return "HOLDING";
  const name = enumDescriptor("vega.AccountType").nameOf.get(type);
  return name === undefined ? "UNKNOWN" : name.slice(ACCOUNT_TYPE_PREFIX.length);
}
