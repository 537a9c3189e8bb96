// Reading for views: an answer that follows the chain, pages of a list.
import { useEffect, useRef, useState } from "preact/hooks";
import { connection, get, getFromNode, getText, onBeat, RequestFailure } from "./node.ts";

export interface Reading<T> {
  /** The newest answer; undefined until the first. */
  readonly data: T | undefined;
  readonly failure: RequestFailure | undefined;
}

interface ReadOptions {
  /** Whether it is read again after new blocks; default true. */
  readonly isLive?: boolean;
  /** Of the node API in place of the data API. */
  readonly isOfNode?: boolean;
  /** The answer is text, not JSON. */
  readonly isText?: boolean;
}

const NOTHING: Reading<never> = { data: undefined, failure: undefined };

/** @param path of the API, with its query; undefined reads nothing */
export function useRead<T>(path: string | undefined, options: ReadOptions = {}): Reading<T> {
  const { isLive = true, isOfNode = false, isText = false } = options;
  const [reading, setReading] = useState<Reading<T>>(NOTHING);
  const lastPath = useRef<string>(undefined);
  const isReady = connection.value === "open";
  useEffect(() => {
    if (path !== lastPath.current) setReading(NOTHING);
    lastPath.current = path;
    if (path === undefined || !isReady) return undefined;
    const ask: (path: string, signal: AbortSignal) => Promise<unknown> = isText
      ? getText
      : isOfNode
        ? getFromNode
        : get;
    const abort = new AbortController();
    let isReading = false;
    let isDue = false;
    const read = async () => {
      isDue = isReading;
      if (isReading) return;
      isReading = true;
      try {
        const data = (await ask(path, abort.signal)) as T;
        if (!abort.signal.aborted) setReading({ data, failure: undefined });
      } catch (error) {
        // While the node is away, what was last read stays.
        if (!abort.signal.aborted && error instanceof RequestFailure && error.status > 0)
          setReading({ data: undefined, failure: error });
      }
      isReading = false;
      if (isDue && !abort.signal.aborted) void read();
    };
    void read();
    // A node that answers more slowly than blocks come is read as fast as it answers.
    const unfollow = isLive ? onBeat(() => void read()) : undefined;
    return () => {
      unfollow?.();
      abort.abort();
    };
  }, [path, isLive, isReady, isOfNode, isText]);
  return reading;
}

/** @param path of the data API with an answer that is text */
export const useText = (path: string) => useRead<string>(path, { isText: true });

export interface Pages<Row> extends Reading<readonly Row[]> {
  readonly page: number;
  readonly next: (() => void) | undefined;
  readonly previous: (() => void) | undefined;
}

interface PagesOptions<Answer, Row> {
  /** @param cursor of the page; undefined: the first */
  readonly path: (cursor: string | undefined) => string | undefined;
  readonly rows: (answer: Answer) => readonly Row[];
  /** Cursor of the next page; undefined on the last. */
  readonly next: (answer: Answer) => string | undefined;
  readonly isLive?: boolean;
}

/** A list, a page at a time; only the first page follows the chain. */
export function usePages<Answer, Row>({
  path,
  rows,
  next,
  isLive = true,
}: PagesOptions<Answer, Row>): Pages<Row> {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const first = path(undefined);
  const lastFirst = useRef(first);
  // Another list begins at its first page.
  const isOther = lastFirst.current !== first;
  if (isOther) {
    lastFirst.current = first;
    if (cursors.length > 0) setCursors([]);
  }
  const { data, failure } = useRead<Answer>(path(isOther ? undefined : cursors.at(-1)), {
    isLive: isLive && cursors.length === 0,
  });
  const following = data && next(data);
  return {
    data: data && rows(data),
    failure,
    page: cursors.length + 1,
    next: following === undefined ? undefined : () => setCursors([...cursors, following]),
    previous: cursors.length === 0 ? undefined : () => setCursors(cursors.slice(0, -1)),
  };
}

/** A list of the data API: `edges` and `pageInfo` in one member. */
export interface Connection<Node> {
  readonly edges: readonly { readonly node: Node; readonly cursor: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

const PAGE_ROWS = 25;

/** @param path of the list, with its filters; undefined reads nothing */
export function useList<Node>(
  path: string | undefined,
  member: string,
  { rows = PAGE_ROWS, isLive = true }: { readonly rows?: number; readonly isLive?: boolean } = {},
): Pages<Node> {
  type Answer = Readonly<Record<string, Connection<Node>>>;
  return usePages<Answer, Node>({
    path: (cursor) => {
      if (path === undefined) return undefined;
      const after = cursor === undefined ? "" : `&pagination.after=${encodeURIComponent(cursor)}`;
      return `${path}${path.includes("?") ? "&" : "?"}pagination.first=${rows}${after}`;
    },
    rows: (answer) => answer[member]?.edges.map(({ node }) => node) ?? [],
    next: (answer) => {
      const info = answer[member]?.pageInfo;
      return info?.hasNextPage ? info.endCursor : undefined;
    },
    isLive,
  });
}
