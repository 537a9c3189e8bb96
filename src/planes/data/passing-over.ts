// Lists with a filter on what only the stored message tells: rows are read in order and those that do not fit are
// passed over, so paging stays what it is for every list.
import type { Database } from "bun:sqlite";
import {
  encodeCursor,
  type KeyValue,
  type ListQuery,
  type PageRequest,
  type Row,
  readPage,
} from "../../http/pagination.ts";
import { type Connection, CursorReader, type DataContext, type ListSpec } from "./context.ts";

const CHUNK_ROWS = 1_000;

/** `context.list` over the rows that `keep` accepts. @throws CursorError */
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
  return {
    edges,
    pageInfo: {
      hasNextPage: page.forward ? ahead : behind,
      hasPreviousPage: page.forward ? behind : ahead,
      startCursor: edges[0]?.cursor ?? "",
      endCursor: edges.at(-1)?.cursor ?? "",
    },
  };
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
