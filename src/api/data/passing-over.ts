// Lists with a filter on what only the stored message tells: rows are read in order and those that do not fit are
// passed over, so paging stays what it is for every list.
import { encodeCursor, type KeyValue, type PageRequest, type Row, readPage } from "../pagination.ts";
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
  const kept: R[] = [];
  let behind: boolean | undefined;
  for (let more = true; more && kept.length <= page.limit; ) {
    const chunkPage: PageRequest = { ...page, limit: CHUNK_ROWS };
    const chunk = readPage<R>(context.db, query, chunkPage, key);
    const rows = page.forward ? chunk.rows : chunk.rows.toReversed();
    behind ??= page.forward ? chunk.hasPreviousPage : chunk.hasNextPage;
    more = page.forward ? chunk.hasNextPage : chunk.hasPreviousPage;
    kept.push(...rows.filter(keep));
    const last = rows.at(-1);
    if (!last) break;
    key = query.order.map((_, i) => last[`k${i}`]!);
  }
  const ahead = kept.length > page.limit;
  const shown = kept.slice(0, page.limit);
  if (!page.forward) shown.reverse();
  const edges = shown.map((row) => ({ node: spec.node(row), cursor: encodeCursor(spec.cursor(row)) }));
  return {
    edges,
    pageInfo: {
      hasNextPage: page.forward ? ahead : behind === true,
      hasPreviousPage: page.forward ? behind === true : ahead,
      startCursor: edges[0]?.cursor ?? "",
      endCursor: edges.at(-1)?.cursor ?? "",
    },
  };
}
