// Lists that are more than one range of one index: nested in an object, merged from several values of a filter, or
// filtered by fields that only the stored message has.
import type { Database } from "bun:sqlite";
import { Grpc } from "../../errors/statuses.ts";
import { ApiError } from "../../http/errors.ts";
import {
  encodeCursor,
  type KeyValue,
  type ListQuery,
  type PageRequest,
  type Param,
  type Row,
  readPage,
} from "../../http/pagination.ts";
import { type Connection, CursorReader, connectionOf, type DataContext, type ListSpec } from "./context.ts";

/** Least size of a nested row in an answer: two ids of 64 digits. */
const NESTED_ROW_BYTES_MIN = 128;

/**
 * All rows of a nested list. More of them than an answer may hold are refused before they are read, as the
 * finished answer would be (docs/protocol/10-data-api-serving.md#19-compression-and-size-limits).
 * @param sql a SELECT without LIMIT
 * @throws ApiError 429
 */
export function nestedRows<R>(context: DataContext, sql: string, ...params: Param[]): R[] {
  const maximum = Math.floor(context.limits.responseBytesMax / NESTED_ROW_BYTES_MIN);
  const rows = context.all<R>(`${sql} LIMIT ?`, ...params, maximum + 1);
  if (rows.length <= maximum) return rows;
  throw new ApiError(
    Grpc.resourceExhausted,
    `the answer is larger than ${context.limits.responseBytesMax} bytes: ask for fewer rows with pagination.first`,
  );
}

/** Values of a filter that get a SELECT each; with more, the rows are sorted. SQLite merges 500 at the most. */
export const ARMS_MAX = 200;

export interface Condition {
  readonly where: readonly string[];
  readonly params: readonly Param[];
}

/**
 * A table expression `t` of the rows that meet `common` and one of `arms` (which exclude each other). An index gives the
 * rows of each arm in order, and SQLite merges a UNION ALL without sorting, so a page costs its own length.
 */
export function mergedRows(
  columns: string,
  table: string,
  common: Condition,
  arms: readonly Condition[],
): { from: string; params: Param[] } {
  const all = arms.length > 0 ? arms : [{ where: [], params: [] }];
  const selects = all.map((arm) => {
    const conditions = [...arm.where, ...common.where];
    const where = conditions.length > 0 ? ` WHERE ${conditions.join(" AND ")}` : "";
    return `SELECT ${columns} FROM ${table}${where}`;
  });
  return {
    from: `(${selects.join(" UNION ALL ")}) t`,
    params: all.flatMap((arm) => [...arm.params, ...common.params]),
  };
}

/** An arm for each value, or a single one that names them all when they are many; no arms for no values. */
export function armsOf(column: string, values: readonly Param[]): Condition[] {
  const different = [...new Set(values)];
  if (different.length <= ARMS_MAX)
    return different.map((value) => ({ where: [`${column} = ?`], params: [value] }));
  return [{ where: [`${column} IN (${different.map(() => "?").join(", ")})`], params: different }];
}

const CHUNK_ROWS = 1_000;

/**
 * `context.list` over the rows that `keep` accepts: they are read in order, and those that do not fit are passed over.
 * @throws CursorError
 */
export function listKept<R extends Row, N>(
  context: DataContext,
  spec: ListSpec<R, N>,
  keep: (row: R) => boolean,
): Connection<N> {
  const { page, query } = spec;
  let key: KeyValue[] | undefined;
  if (page.cursor !== undefined) key = spec.key(new CursorReader(page.cursor, context));
  const behind = key !== undefined && hasKeptBehind(context.db, query, page, keep, key);
  const kept = keptRows<R>(context.db, query, page, keep, key, page.limit + 1);
  const ahead = kept.length > page.limit;
  const shown = kept.slice(0, page.limit);
  if (!page.forward) shown.reverse();
  const edges = shown.map((row) => ({ node: spec.node(row), cursor: encodeCursor(spec.cursor(row)) }));
  return page.forward ? connectionOf(edges, ahead, behind) : connectionOf(edges, behind, ahead);
}

/** The first `count` rows that count, in reading order, strictly after the key. */
function keptRows<R extends Row>(
  db: Database,
  query: ListQuery,
  page: PageRequest,
  keep: (row: R) => boolean,
  from: readonly KeyValue[] | undefined,
  count: number,
): R[] {
  const kept: R[] = [];
  let key = from;
  for (let more = true; more && kept.length < count; ) {
    const chunk = readPage<R>(db, query, { ...page, limit: CHUNK_ROWS }, key);
    const rows = page.forward ? chunk.rows : chunk.rows.toReversed();
    more = page.forward ? chunk.hasNextPage : chunk.hasPreviousPage;
    kept.push(...rows.filter(keep));
    const last = rows.at(-1);
    if (!last) break;
    key = query.order.map((_, i) => last[`k${i}`]!);
  }
  return kept;
}

/** True if a row that counts stands at the key, as the cursor's own does, or behind it. */
function hasKeptBehind<R extends Row>(
  db: Database,
  query: ListQuery,
  page: PageRequest,
  keep: (row: R) => boolean,
  key: readonly KeyValue[],
): boolean {
  const isAtKey = key.map((_, i) => `${query.order[i]!.sql} = ?`);
  const atKey = { ...query, where: [...query.where, ...isAtKey], params: [...query.params, ...key] };
  if (keptRows(db, atKey, page, keep, undefined, 1).length > 0) return true;
  return keptRows(db, query, { ...page, forward: !page.forward }, keep, key, 1).length > 0;
}

/** Place and cursor of rows in the order of (block, ord), whose time is that of the block and the ord. */
export function bySyntheticTime({ blocks }: DataContext) {
  return {
    key: (cursor: CursorReader) =>
      blocks.syntheticCursorPlace(
        cursor.timeUs("synthetic_time"),
        cursor.has("ord") ? cursor.number("ord") : undefined,
      ),
    cursor: ({ k0, k1 }: Row) => JSON.stringify(blocks.syntheticCursor(k0 as bigint, k1 as bigint)),
  };
}
