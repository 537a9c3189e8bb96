// The context of the data API's resources: a read-only connection, identifiers, block times, and the making of pages.
import type { Database } from "bun:sqlite";
import type { Sent } from "../../http/endpoint.ts";
import { ApiError, internal, invalidArgument } from "../../http/errors.ts";
import type { Limits } from "../../http/limits.ts";
import {
  CursorError,
  cursorMembers,
  encodeCursor,
  type KeyValue,
  type ListQuery,
  type PageRequest,
  PaginationError,
  type Param,
  pageRequest,
  type Row,
  readPage,
} from "../../http/pagination.ts";
import { GarbageLimit } from "../../store/garbage-limit.ts";
import type { ChainHead } from "../../store/head.ts";
import { Ids } from "../../store/ids.ts";
import type { AccountFilter, DateRange, Pagination } from "../../wire/generated/datanode.ts";
import {
  InvalidIdentifier,
  identifierBytes,
  isHex64,
  isIdentifier,
  NETWORK_PARTY,
} from "../../wire/identifiers.ts";
import { BlockTimes, parseRfc3339, rfc3339 } from "./blocks.ts";

/** Store facts that do not live in tables. */
interface DataContextOptions {
  readonly limits: Limits;
  /** Program version and commit, for `/api/v2/info`. */
  readonly build: { readonly version: string; readonly commit: string };
  /** Folder of the store; the history segments lie beside it. */
  readonly home?: string;
}

interface Edge<N> {
  readonly node: N;
  readonly cursor: string;
}

/** `pageInfo` and `edges` of every list (docs/protocol/10-data-api-serving.md#34-page-assembly-and-pageinfo), as messages of the wire. */
export interface Connection<N> {
  readonly edges: Edge<N>[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string;
    readonly endCursor: string;
  };
}

/** A request of a list. */
export interface Paged {
  readonly pagination?: Sent<Pagination>;
}

export interface ListSpec<R extends Row, N> {
  readonly query: ListQuery;
  readonly page: PageRequest;
  /** Values of the order columns (or the first few of them) that a cursor names. */
  key(cursor: CursorReader): KeyValue[];
  /** Decoded text of a row's cursor. */
  cursor(row: R): string;
  node(row: R): N;
}

/** Rows of pages between two collections of garbage: a second of work. */
const GARBAGE_ROWS = 50_000;

export class DataContext {
  readonly ids: Ids;
  readonly blocks: BlockTimes;
  readonly limits: Limits;
  readonly build: DataContextOptions["build"];
  readonly home: string;
  /** Set for the length of a request: the head of the snapshot that the request reads. */
  head: ChainHead | undefined;

  private readonly garbage = new GarbageLimit(GARBAGE_ROWS);

  constructor(
    readonly db: Database,
    private readonly options: DataContextOptions,
  ) {
    this.ids = new Ids(db);
    this.blocks = new BlockTimes(db);
    this.limits = options.limits;
    this.build = options.build;
    this.home = options.home ?? "";
  }

  /** The same on the same connection, with nothing remembered. */
  renewed(): DataContext {
    return new DataContext(this.db, this.options);
  }

  /** The checked paging controls of a request. @throws ApiError 400 `invalid pagination` */
  page({ pagination }: Paged): PageRequest {
    try {
      return pageRequest(pagination, this.limits);
    } catch (error) {
      if (error instanceof PaginationError) throw invalidArgument("invalid pagination", error.message);
      throw error;
    }
  }

  /** A page as edges and page info. @throws CursorError */
  list<R extends Row, N>(spec: ListSpec<R, N>): Connection<N> {
    const { page } = spec;
    const key = page.cursor === undefined ? undefined : spec.key(new CursorReader(page.cursor, this));
    const { rows, hasNextPage, hasPreviousPage } = readPage<R>(this.db, spec.query, page, key);
    this.garbage.noteWork(rows.length);
    const edges = rows.map((row) => ({ node: spec.node(row), cursor: encodeCursor(spec.cursor(row)) }));
    return connectionOf(edges, hasNextPage, hasPreviousPage);
  }

  /** First row or undefined. */
  get<R>(sql: string, ...params: Param[]): R | undefined {
    return (this.db.query(sql).get(...params) as R | null) ?? undefined;
  }

  all<R>(sql: string, ...params: Param[]): R[] {
    return this.db.query(sql).all(...params) as R[];
  }

  /** Time of a block, nanoseconds: what messages carry. */
  timeNs(block: number | bigint): bigint {
    return BigInt(this.blocks.timeUs(Number(block))) * 1000n;
  }

  /** Time of a block as cursors write it. */
  cursorTime(block: KeyValue): string {
    return rfc3339(this.blocks.timeUs(Number(block)));
  }

  /**
   * Runs a query part of an endpoint: a malformed identifier is the client's fault (400), a cursor of another list
   * is not told apart from a failed query by the original (500); both carry the endpoint's own message.
   */
  query<T>(failure: string, run: () => T, innerPrefix = ""): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (error instanceof InvalidIdentifier) {
        throw invalidArgument(
          failure,
          `${innerPrefix}decoding '${error.value.slice(0, 200)}': ${error.message}`,
        );
      }
      if (error instanceof CursorError) throw internal(failure, error.message);
      throw error;
    }
  }
}

/** Edges with their page info. */
export function connectionOf<N>(
  edges: Edge<N>[],
  hasNextPage = false,
  hasPreviousPage = false,
): Connection<N> {
  const [startCursor, endCursor] = [edges[0]?.cursor ?? "", edges.at(-1)?.cursor ?? ""];
  return { edges, pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor } };
}

/** The same edges with other nodes. */
export function withNodes<N>({ edges, pageInfo }: Connection<unknown>, nodes: readonly N[]): Connection<N> {
  return { edges: edges.map(({ cursor }, i) => ({ node: nodes[i]!, cursor })), pageInfo };
}

/** Makes a value once for each context; a renewed context gets a new one. */
export function perContext<T>(make: (context: DataContext) => T): (context: DataContext) => T {
  const values = new WeakMap<DataContext, T>();
  return (context) => {
    let one = values.get(context);
    if (one === undefined) values.set(context, (one = make(context)));
    return one;
  };
}

/** Text of a number that JSON has no exact form for. */
const WHOLE_64 = /^\d{1,19}$/;

/** A member of a cursor: a number, as long as JSON is exact about it. */
export function cursorNumber(value: bigint): number | string {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
}

/** Reads the members of a JSON cursor as values of order columns. @throws CursorError */
export class CursorReader {
  private parsed: Record<string, unknown> | undefined;

  constructor(
    /** The decoded text, for the one list whose cursor is not JSON. */
    readonly text: string,
    private readonly context: DataContext,
  ) {}

  private get members(): Record<string, unknown> {
    this.parsed ??= cursorMembers(this.text);
    return this.parsed;
  }

  string(name: string): string {
    const value = this.members[name];
    if (typeof value !== "string") throw new CursorError(`parsing cursor: member ${name} is missing`);
    return value;
  }

  /** A whole number. */
  number(name: string): number {
    const value = this.members[name];
    if (typeof value !== "number" || !Number.isSafeInteger(value)) {
      throw new CursorError(`parsing cursor: member ${name} is not a number`);
    }
    return value;
  }

  /** A whole number as `cursorNumber` writes it. */
  whole(name: string): number | bigint {
    const value = this.members[name];
    if (typeof value !== "string" || !WHOLE_64.test(value)) return this.number(name);
    return BigInt.asIntN(64, BigInt(value)) < 0n ? this.number(name) : BigInt(value);
  }

  /** Block number of a time; between two blocks when no block has it. */
  block(name: string): number {
    return this.context.blocks.position(this.timeUs(name)).no;
  }

  timeUs(name: string): number {
    const timeUs = parseRfc3339(this.string(name));
    if (timeUs === undefined) throw new CursorError(`parsing cursor: member ${name} is not a time`);
    return timeUs;
  }

  /** Reference of an identifier; between two references when the store does not know it. */
  ref(name: string): number {
    try {
      return this.context.ids.position(this.string(name));
    } catch (error) {
      if (error instanceof InvalidIdentifier) throw new CursorError(`parsing cursor: ${error.message}`);
      throw error;
    }
  }

  /** Bytes of an identifier: hex, or a well-known word. */
  bytes(name: string): Uint8Array {
    const text = this.string(name);
    if (!isIdentifier(text)) throw new CursorError(`parsing cursor: member ${name} is not hex`);
    return identifierBytes(text);
  }

  has(name: string): boolean {
    return this.members[name] !== undefined && this.members[name] !== null;
  }
}

/** Conditions of a query, all of which must hold, with their parameters. */
export class Conditions {
  readonly where: string[] = [];
  readonly params: Param[] = [];

  add(condition: string, ...params: readonly Param[]): void {
    this.where.push(condition);
    this.params.push(...params);
  }

  /** The column has one of the values; no condition when there are none. */
  addOneOf(column: string, values: readonly Param[] | undefined): void {
    if (values !== undefined && values.length > 0) this.add(inList(column, values.length), ...values);
  }
}

/**
 * Condition and bounds of a date range on a block column: start inclusive, end exclusive
 * (docs/protocol/10-data-api-serving.md#24-date-ranges).
 */
export function dateRange(
  context: DataContext,
  { startTimestamp, endTimestamp }: Sent<DateRange> = {},
  column: string,
): Conditions {
  const conditions = new Conditions();
  const blockOf = (ns: bigint) => context.blocks.firstAtOrAfter(Number(ns / 1000n));
  if (startTimestamp !== undefined) conditions.add(`${column} >= ?`, blockOf(startTimestamp));
  if (endTimestamp !== undefined) conditions.add(`${column} < ?`, blockOf(endTimestamp));
  return conditions;
}

/** True for what endpoints accept as a party or market in a filter: 64 hex digits, or `network`. */
export function isPartyFilter(text: string): boolean {
  return text === NETWORK_PARTY || isHex64(text);
}

/** Running number of no party. */
const NO_PARTY = -1;

/** Running number of a party, or of none for an unknown id. @throws InvalidIdentifier */
export function partyNumber(context: DataContext, id: string): number {
  return context.ids.find(id)?.no ?? NO_PARTY;
}

/** `column IN (?, ?)`, or an impossible condition for an empty list of known values. */
export function inList(column: string, count: number): string {
  if (count === 0) return "1 = 0";
  if (count === 1) return `${column} = ?`;
  return `${column} IN (${Array.from({ length: count }, () => "?").join(", ")})`;
}

/** Parameters are JSON numbers, a nanosecond must stay exact: cut to microseconds, as the original stores times. */
export function truncatedNs(ns: bigint): bigint {
  const us = ns / 1000n;
  return (ns < 0n && us * 1000n !== ns ? us - 1n : us) * 1000n;
}

/** The filter of accounts and balances. @throws ApiError 400 */
export function accountFilterOf({
  filter = {},
}: {
  readonly filter?: Sent<AccountFilter>;
}): Sent<AccountFilter> {
  // The message says party for both, as in the original (docs/protocol/10-data-api-streams.md#9-easily-missed, no. 7).
  if (filter.marketIds?.some((id) => !isPartyFilter(id)))
    throw invalidArgument("invalid party id", "one or more market id is invalid");
  if (filter.partyIds?.some((id) => !isPartyFilter(id)))
    throw invalidArgument("invalid party id", "one or more party id is invalid");
  return filter;
}
