// Ledger entries of a party and asset as CSV (reference 10, section 5.13). Rows are read in batches, each only when
// the client has taken the one before: an export of any length holds one batch in memory, and delays other
// requests by one batch at the most.

import { ApiError, internal, invalidArgument } from "../../http/errors.ts";
import type { Param } from "../../http/pagination.ts";
import type { RequestFields } from "../../http/query.ts";
import { amountText } from "../../store/amount.ts";
import { canonicalIdentifier, isHex64 } from "../../wire/identifiers.ts";
import { enumDescriptor } from "../../wire/schema/index.ts";
import { rfc3339 } from "./blocks.ts";
import { type DataContext, dateRange, partyNumber } from "./context.ts";
import { ENTRIES_OF_PARTY, type LedgerRow, wholeSeconds } from "./ledger.ts";

const HEADER =
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
 * The export as a response. What is wrong with the request is told by the status, before the first byte.
 * @param onEnd called once, when the last byte is taken, the client has left or reading has failed
 * @param onFailure called before that when reading has failed
 */
export function exportLedgerEntries(
  context: DataContext,
  request: RequestFields,
  onEnd: () => void = () => {},
  onFailure: () => void = () => {},
): Response {
  let query: ExportQuery;
  try {
    query = checkRequest(context, request);
  } catch (error) {
    onEnd();
    if (!(error instanceof ApiError)) throw error;
    return new Response(errorText(error), {
      status: error.status,
      headers: { "content-type": "application/json" },
    });
  }
  return new Response(csvStream(context, query, onEnd, onFailure), {
    headers: {
      "content-type": "text/csv",
      "content-disposition": `attachment;filename=${fileName(query)}`,
    },
  });
}

function errorText(error: ApiError): string {
  return JSON.stringify({ error: error.body });
}

function checkRequest(context: DataContext, request: RequestFields): ExportQuery {
  const { partyId = "", assetId = "" } = request as { partyId?: string; assetId?: string };
  if (partyId === "") throw invalidArgument("missing party id");
  if (!isHex64(partyId)) throw invalidArgument("invalid party id");
  if (assetId === "") throw invalidArgument("missing asset ID");
  if (!isHex64(assetId)) throw invalidArgument("invalid asset ID");
  const range = wholeSeconds(request.dateRange as RequestFields | undefined);
  const { where, params } = dateRange(context, range, "p.block");
  // Rows of later blocks are not part of an export that has begun.
  const last = context.get<{ no: bigint | null }>("SELECT max(no) AS no FROM blocks")?.no ?? 0n;
  return {
    partyNo: partyNumber(context, partyId),
    partyId: canonicalIdentifier(partyId),
    assetId: canonicalIdentifier(assetId),
    start: range.startTimestamp as bigint | undefined,
    end: range.endTimestamp as bigint | undefined,
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
  const encoder = new TextEncoder();
  const batches = readBatches(context, query);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          for (;;) {
            const { value, done } = batches.next();
            if (done) {
              controller.close();
              onEnd();
              return;
            }
            if (value !== "") {
              controller.enqueue(encoder.encode(value));
              return;
            }
            // A batch without a row of the asset: others have their turn before the next one.
            await new Promise((resolve) => setImmediate(resolve));
          }
        } catch (error) {
          // The status is sent already: the error stands at the end of the body, as in the original.
          const told = internal(
            "failed to export ledger entries",
            error instanceof Error ? error.message : "",
          );
          controller.enqueue(encoder.encode(errorText(told)));
          controller.close();
          onFailure();
          onEnd();
        }
      },
      cancel() {
        batches.return("");
        onEnd();
      },
    },
    { highWaterMark: 1 },
  );
}

/** The CSV, a batch of entries at a time; a batch may have no row that counts. */
function* readBatches(context: DataContext, query: ExportQuery): Generator<string, string> {
  yield HEADER;
  let after: readonly [block: bigint, n: bigint] = [0n, -1n];
  const sql = `SELECT p.block AS k0, p.n AS k1, ${ENTRIES_OF_PARTY.select} FROM ${ENTRIES_OF_PARTY.from}
    WHERE p.party_no = ? AND (p.block, p.n) > (?, ?) AND ${query.where.join(" AND ")}
    ORDER BY p.block, p.n LIMIT ?`;
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

/** What the entry does to the party's money. */
function effectOf(quantity: string, sends: boolean, receives: boolean): string {
  if ((sends && receives) || quantity === "0") return "0";
  return sends ? `-${quantity}` : quantity;
}

function accountTypeLabel(type: number): string {
  if (type === HOLDING) return "HOLDING";
  const name = enumDescriptor("vega.AccountType").nameOf.get(type);
  return name === undefined ? "UNKNOWN" : name.slice(ACCOUNT_TYPE_PREFIX.length);
}
