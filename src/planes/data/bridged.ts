// Deposits and withdrawals are kept and paged alike: by the block of their last update, their id and their party.

import { invalidArgument } from "../../http/errors.ts";
import type { Row } from "../../http/pagination.ts";
import type { RequestFields } from "../../http/query.ts";
import { hexOf } from "../../wire/identifiers.ts";
import { type DataContext, dateRange, isPartyFilter } from "./context.ts";

export interface BridgedRow extends Row {
  data: Uint8Array;
}

type Page = ReturnType<DataContext["page"]>;

/** Joins the current state of each to its row; `c` and `d` name the two. */
export function currentOf(table: "deposits" | "withdrawals"): string {
  return `${table}_current c JOIN ${table} d ON d.block = c.block AND d.id = c.id AND d.party = c.party`;
}

/** The request's party, "" when all are wanted. @throws ApiError 400 */
export function partyOf(request: RequestFields): string {
  const partyId = (request.partyId as string | undefined) ?? "";
  if (partyId !== "" && !isPartyFilter(partyId)) throw invalidArgument("invalid party id");
  return partyId;
}

/** One page. The date range applies to the time of the last update. */
export function listBridged<T>(
  context: DataContext,
  request: RequestFields,
  list: {
    readonly table: "deposits" | "withdrawals";
    readonly partyId: string;
    readonly page: Page;
    node(data: Uint8Array): T;
  },
) {
  const range = dateRange(context, request.dateRange as RequestFields | undefined, "c.block");
  if (list.partyId !== "") {
    range.where.push("c.party = ?");
    range.params.push(context.ids.position(list.partyId));
  }
  const order = [{ sql: "c.block" }, { sql: "c.id" }, { sql: "c.party" }];
  return context.list<BridgedRow, T>({
    query: { select: "d.data", from: currentOf(list.table), ...range, order },
    page: list.page,
    key: (cursor) => {
      const place = [cursor.block("vegaTime"), cursor.bytes("id")];
      return cursor.has("partyId") ? [...place, cursor.ref("partyId")] : place;
    },
    cursor: (row) =>
      JSON.stringify({
        vegaTime: context.cursorTime(row.k0!),
        id: hexOf(row.k1 as Uint8Array),
        partyId: context.ids.text(row.k2 as bigint),
      }),
    node: (row) => list.node(row.data),
  });
}

/** The latest state of one, by id. */
export function findBridged(
  context: DataContext,
  table: "deposits" | "withdrawals",
  id: string,
): Uint8Array | undefined {
  const sql = `SELECT d.data FROM ${currentOf(table)} WHERE c.id = ? ORDER BY c.block DESC LIMIT 1`;
  return context.get<BridgedRow>(sql, Buffer.from(id, "hex"))?.data;
}
