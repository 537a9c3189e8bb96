// Reading for views: an answer that follows the chain, pages of a list.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { type AnswerOf, type CallName, call, type ListName, type RequestOf, type RowOf } from "./calls.ts";
import { connection, get, getFromNode, getText, onBeat, RequestFailure, reverts } from "./node.ts";

export interface Reading<T> {
  /** The newest answer; undefined until the first. */
  readonly data: T | undefined;
  readonly failure: RequestFailure | undefined;
}

interface ReadOptions {
  /** Whether it is read again after new blocks; default true. */
  readonly isLive?: boolean;
  /** It is read again when this changes. */
  readonly turn?: string;
}

interface PathOptions extends ReadOptions {
  /** It is of the node API in place of the data API. */
  readonly isOfNode?: boolean;
  /** The answer is text, not JSON. */
  readonly isText?: boolean;
}

const NOTHING: Reading<never> = { data: undefined, failure: undefined };
/** Waits before a read that failed for a moment is tried again. */
const RETRY_MS = [500, 1_000, 2_000, 4_000] as const;
/** Statuses that pass: too much at once, not ready, too slow. */
const PASSING: ReadonlySet<number> = new Set([0, 429, 502, 503, 504]);

/**
 * An answer, read again after new blocks.
 * @param name of a call of `lyra/client` @param query undefined reads nothing
 */
export function useCall<Name extends CallName>(
  name: Name,
  query: RequestOf<Name> | undefined,
  options?: ReadOptions,
): Reading<AnswerOf<Name>> {
  const key = query === undefined ? undefined : `${name} ${JSON.stringify(query)}`;
  return useAnswer(key, (signal) => call(name, query!, signal), options);
}

/** The same of an address that `lyra/client` does not have. @param path with its query; undefined reads nothing */
export function useRead<T>(path: string | undefined, options: PathOptions = {}): Reading<T> {
  const { isOfNode = false, isText = false } = options;
  const read = (signal: AbortSignal) =>
    isText ? getText(path!, signal) : isOfNode ? getFromNode(path!, signal) : get(path!, signal);
  return useAnswer(path, read as (signal: AbortSignal) => Promise<T>, options);
}

/** @param key of what is read; undefined reads nothing */
function useAnswer<T>(
  key: string | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
  { isLive = true, turn }: ReadOptions = {},
): Reading<T> {
  const [reading, setReading] = useState<Reading<T>>(NOTHING);
  const lastKey = useRef<string>(undefined);
  const live = useRef(isLive);
  live.current = isLive;
  const isReady = connection.value === "open";
  useEffect(() => {
    if (key !== lastKey.current) setReading(NOTHING);
    lastKey.current = key;
    if (key === undefined || !isReady) return undefined;
    const closing = new AbortController();
    const { signal } = closing;
    let isReading = false;
    let isDue = false;
    let failures = 0;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      clearTimeout(retry);
      retry = undefined;
      isDue = isReading;
      if (isReading) return;
      isReading = true;
      try {
        const data = await ask(signal);
        if (signal.aborted) return;
        failures = 0;
        setReading({ data, failure: undefined });
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof RequestFailure)) throw error;
        // While the node is away, what was last read stays.
        if (connection.value !== "open") return;
        if (PASSING.has(error.status)) {
          const waitMs = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]!;
          // real time: the node is another process.
          retry = setTimeout(() => {
            retry = undefined;
            if (document.visibilityState === "visible") void read();
          }, waitMs);
          setReading(({ data }) => ({ data, failure: data === undefined ? error : undefined }));
        } else setReading({ data: undefined, failure: error });
      } finally {
        isReading = false;
      }
      if (isDue && retry === undefined) void read();
    };
    void read();
    // A node that answers more slowly than blocks come is read as fast as it answers.
    const unfollow = onBeat(() => {
      if ((live.current || failures > 0) && retry === undefined) void read();
    });
    return () => {
      unfollow();
      clearTimeout(retry);
      closing.abort();
    };
  }, [key, isReady, turn]);
  return reading;
}

/** @param path of the data API with an answer that is text */
export const useText = (path: string) => useRead<string>(path, { isText: true });

export interface Pages<Row> extends Reading<readonly Row[]> {
  readonly page: number;
  readonly next: (() => void) | undefined;
  readonly previous: (() => void) | undefined;
}

/** The cursors of the pages behind the first that are open; another list begins at its first page. */
function useCursors(list: string | undefined) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const last = useRef(list);
  const isOther = last.current !== list;
  if (isOther) {
    last.current = list;
    if (cursors.length > 0) setCursors([]);
  }
  const open = isOther ? [] : cursors;
  return {
    cursor: open.at(-1),
    isFirst: open.length === 0,
    /** @param next cursor of the page behind this one; undefined on the last */
    pages: <Row>(reading: Reading<readonly Row[]>, next: string | undefined): Pages<Row> => ({
      ...reading,
      page: open.length + 1,
      next: next === undefined ? undefined : () => setCursors([...open, next]),
      previous: open.length === 0 ? undefined : () => setCursors(open.slice(0, -1)),
    }),
  };
}

interface PagesOptions<Answer, Row> {
  /** @param cursor of the page; undefined: the first */
  readonly path: (cursor: string | undefined) => string | undefined;
  readonly rows: (answer: Answer) => readonly Row[];
  /** Cursor of the next page; undefined on the last. */
  readonly next: (answer: Answer) => string | undefined;
  readonly isLive?: boolean;
}

/** A list by its path, a page at a time; only the first page follows the chain. */
export function usePages<Answer, Row>(options: PagesOptions<Answer, Row>): Pages<Row> {
  const { path, rows, next, isLive = true } = options;
  const { cursor, isFirst, pages } = useCursors(path(undefined));
  const { data, failure } = useRead<Answer>(path(cursor), { isLive: isLive && isFirst });
  return pages({ data: data && rows(data), failure }, data && next(data));
}

interface Page<Row> {
  readonly edges: readonly { readonly node: Row }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

const PAGE_ROWS = 25;

/**
 * A list, a page at a time; only the first page follows the chain.
 * @param name of a call of `lyra/client` @param query undefined reads nothing
 */
export function useList<Name extends ListName>(
  name: Name,
  query: Omit<RequestOf<Name>, "pagination"> | undefined,
  { rows = PAGE_ROWS, isLive = true }: { readonly rows?: number; readonly isLive?: boolean } = {},
): Pages<RowOf<Name>> {
  const { cursor, isFirst, pages } = useCursors(query && `${name} ${JSON.stringify(query)}`);
  const pagination = { first: rows, ...(cursor !== undefined && { after: cursor }) };
  const { data, failure } = useCall(name, query && ({ ...query, pagination } as unknown as RequestOf<Name>), {
    isLive: isLive && isFirst,
  });
  const page = data && pageIn<RowOf<Name>>(data);
  const { hasNextPage, endCursor } = page?.pageInfo ?? {};
  return pages({ data: page?.edges.map(({ node }) => node), failure }, hasNextPage ? endCursor : undefined);
}

/** The one member of a list's answer that has edges. */
function pageIn<Row>(answer: object): Page<Row> | undefined {
  return Object.values(answer).find((member) => Array.isArray(member?.edges)) as Page<Row> | undefined;
}

/** A value that speaks of blocks: it goes with them. */
export function useOfThisChain<T>(initial: T): Signal<T> {
  const value = useSignal(initial);
  const turn = reverts.value;
  useEffect(() => {
    value.value = initial;
  }, [turn]);
  return value;
}
