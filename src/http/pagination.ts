// Keyset paging (docs/protocol/10-data-api-serving.md#3-pagination). A page is rows after or before a cursor in a total
// order, so a walk gives every row once and ends; what the original loses or repeats is listed in
// docs/compatibility.md.
import type { Database } from "bun:sqlite";
import { WireError } from "../wire/errors.ts";
import type { Pagination } from "../wire/generated/datanode.ts";
import { base64Bytes } from "../wire/json.ts";
import type { Sent } from "./endpoint.ts";
import type { Limits } from "./limits.ts";

const DEFAULT_NEWEST_FIRST = true;

/** A request for a page, checked. */
export interface PageRequest {
  readonly limit: number;
  /** True: rows after the cursor. False: rows before it. */
  readonly forward: boolean;
  readonly newestFirst: boolean;
  /** Decoded text of the cursor, if one was given. */
  readonly cursor?: string;
}

/** The paging controls are wrong; `inner` is the original's text. */
export class PaginationError extends Error {
  override readonly name = "PaginationError";
}

/** The cursor is base64 but not one of this list's. */
export class CursorError extends Error {
  override readonly name = "CursorError";
}

/** Checks the paging controls. @throws PaginationError */
export function pageRequest(pagination: Sent<Pagination> = {}, limits: Limits): PageRequest {
  const { first, last, after, before, newestFirst } = pagination;
  if (after !== undefined && before !== undefined)
    throw new PaginationError("cannot set both a before and after cursor");
  const forward = first !== undefined || (last === undefined && before === undefined);
  const size = forward ? first : last;
  if (size !== undefined && size <= 0) throw new PaginationError("pagination limit must be greater than 0");
  const cursor = forward ? after : before;
  return {
    limit: Math.min(size ?? limits.pageRowsDefault, limits.pageRowsMax),
    forward,
    newestFirst: newestFirst ?? DEFAULT_NEWEST_FIRST,
    ...(cursor === undefined ? {} : { cursor: decodeCursor(cursor, forward ? "after" : "before") }),
  };
}

function decodeCursor(cursor: string, title: string): string {
  if (cursor === "") throw new PaginationError(`failed to decode ${title} cursor: cursor is empty`);
  try {
    return Buffer.from(base64Bytes(cursor)).toString("utf8");
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new PaginationError(`failed to decode ${title} cursor: failed to decode cursor: ${error.message}`);
  }
}

export function encodeCursor(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

/** Members of a JSON cursor. @throws CursorError */
export function cursorMembers(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CursorError("parsing cursor: parsing cursor: invalid character");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new CursorError("parsing cursor: parsing cursor: not an object");
  }
  return value as Record<string, unknown>;
}

export type KeyValue = number | bigint | string | Uint8Array;
export type Param = KeyValue | null;

/** A column of the total order, in its ascending form; `opposite` runs against the others. */
interface OrderColumn {
  readonly sql: string;
  readonly opposite?: boolean;
}

/** The rows to read, without order and limit. Every row has columns `k0`, `k1`, ... with the order columns' values. */
export interface ListQuery {
  /** Further columns, e.g. `d.data`; without parameters. */
  readonly select: string;
  readonly from: string;
  readonly where: readonly string[];
  /** Parameters of `from`, then of `where`. */
  readonly params: readonly Param[];
  readonly order: readonly OrderColumn[];
  /** A column that rises with them: the order that the rows lie in begins with it. */
  readonly leading?: string;
}

export type Row = Record<string, KeyValue | null>;

export interface PageRows<R> {
  readonly rows: R[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** Where the rows of a list come from. `descending` is against the base order, which is ascending. */
interface PageSource<R> {
  /** Rows in reading order from the key on (its own row included), at most `limit`. */
  fetch(descending: boolean, limit: number): R[];
  /** True if the row stands exactly at the key. */
  isAtKey(row: R): boolean;
  /** True if there is a row strictly behind the key, seen in reading direction. */
  existsBehind(descending: boolean): boolean;
}

/**
 * Reads one page. `key` is the cursor's place: values of the order columns, or of the first few of them (a value
 * between two rows' values is fine). It takes a single query, and a second one of one row only when the cursor's row was removed.
 */
export function readPage<R extends Row>(
  db: Database,
  query: ListQuery,
  page: PageRequest,
  key?: readonly KeyValue[],
): PageRows<R> {
  const keyColumns = query.order.slice(0, key?.length ?? 0);
  return assemblePage<R>(page, key !== undefined, {
    fetch(descending, limit) {
      const params = key ? comparisonParams(keyColumns, key) : [];
      return db
        .query(pageSql(query, descending, keyColumns.length))
        .all(...withComparison(query, params), limit) as R[];
    },
    isAtKey: (row) => isAt(row, key!),
    existsBehind: (descending) => existsBehind(db, query, descending, key!),
  });
}

/** Puts a page together from any source (docs/protocol/10-data-api-serving.md#34-page-assembly-and-pageinfo, without its losses). */
export function assemblePage<R>(page: PageRequest, hasKey: boolean, source: PageSource<R>): PageRows<R> {
  // Base order is ascending; display runs backwards when the newest come first; "last" reads against the display.
  const descending = page.forward === page.newestFirst;
  const fetched = source.fetch(descending, page.limit + (hasKey ? 2 : 1));
  let behind = false;
  if (hasKey) {
    if (fetched.length > 0 && source.isAtKey(fetched[0]!)) {
      fetched.shift();
      behind = true;
    } else behind = source.existsBehind(descending);
  }
  const ahead = fetched.length > page.limit;
  const rows = ahead ? fetched.slice(0, page.limit) : fetched;
  if (page.forward) return { rows, hasNextPage: ahead, hasPreviousPage: behind };
  return { rows: rows.reverse(), hasNextPage: behind, hasPreviousPage: ahead };
}

function pageSql(query: ListQuery, descending: boolean, keyColumns: number): string {
  const leading = query.leading === undefined ? [] : [{ sql: query.leading }];
  // SQLite merges two lists in order only when all that orders them is selected.
  const keys = [
    ...query.order.map((column, i) => `${column.sql} AS k${i}`),
    ...leading.map((column) => `${column.sql} AS leading`),
  ].join(", ");
  const where = [...query.where];
  // First, because of two bounds on one side SQLite takes the earlier one for its index: a page far inside a date
  // range then starts at the cursor, not at the end of the range.
  if (keyColumns > 0) where.unshift(comparison(query.order.slice(0, keyColumns), descending, true));
  const order = [...leading, ...query.order]
    .map((column) => `${column.sql} ${isDown(column, descending) ? "DESC" : "ASC"}`)
    .join(", ");
  const condition = where.length > 0 ? ` WHERE ${where.join(" AND ")}` : "";
  const select = query.select === "" ? keys : `${keys}, ${query.select}`;
  return `SELECT ${select} FROM ${query.from}${condition} ORDER BY ${order} LIMIT ?`;
}

/** The query's parameters with those of the comparison, which stands first in the condition. */
function withComparison(query: ListQuery, params: readonly Param[]): Param[] {
  const before = query.from.split("?").length - 1;
  return [...query.params.slice(0, before), ...params, ...query.params.slice(before)];
}

function isDown(column: OrderColumn, descending: boolean): boolean {
  return column.opposite ? !descending : descending;
}

/** "At or beyond the key" in reading direction; columns that run against each other are spelled out. */
function comparison(order: readonly OrderColumn[], descending: boolean, inclusive: boolean): string {
  const columns = order.map((column) => column.sql).join(", ");
  const marks = order.map(() => "?").join(", ");
  if (!order.some((column) => column.opposite)) {
    return `(${columns}) ${descending ? "<" : ">"}${inclusive ? "=" : ""} (${marks})`;
  }
  const alternatives = order.map((column, i) => {
    const equal = order.slice(0, i).map((earlier) => `${earlier.sql} = ?`);
    const last = i === order.length - 1 && inclusive ? "=" : "";
    return `(${[...equal, `${column.sql} ${isDown(column, descending) ? "<" : ">"}${last} ?`].join(" AND ")})`;
  });
  // The bound on the first column is implied by the alternatives; an index can start from it.
  const start = `${order[0]!.sql} ${isDown(order[0]!, descending) ? "<" : ">"}= ?`;
  return `${start} AND (${alternatives.join(" OR ")})`;
}

function comparisonParams(order: readonly OrderColumn[], key: readonly KeyValue[]): KeyValue[] {
  if (!order.some((column) => column.opposite)) return [...key];
  return [key[0]!, ...order.flatMap((_, i) => key.slice(0, i + 1))];
}

function isAt(row: Row, key: readonly KeyValue[]): boolean {
  return key.every((value, i) => sameValue(row[`k${i}`]!, value));
}

function sameValue(a: KeyValue, b: KeyValue): boolean {
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (typeof a === "string" || typeof b === "string") return a === b;
  // biome-ignore lint/suspicious/noDoubleEquals: a column is a bigint, a key may be a number
  return a == b;
}

function existsBehind(
  db: Database,
  query: ListQuery,
  descending: boolean,
  key: readonly KeyValue[],
): boolean {
  const order = query.order.slice(0, key.length);
  const where = [comparison(order, !descending, false), ...query.where].join(" AND ");
  const sql = `SELECT 1 AS found FROM ${query.from} WHERE ${where} LIMIT 1`;
  return db.query(sql).get(...withComparison(query, comparisonParams(order, key))) !== null;
}
