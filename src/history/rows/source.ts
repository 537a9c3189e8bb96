// The source of every exported table: a read-only connection, shared look-ups, and the order of lines.
import type { Database, Statement } from "bun:sqlite";
import { LruCache } from "../../cache/lru.ts";
import { hashOfRow } from "../../store/head.ts";
import { compare } from "../../wire/arithmetic.ts";
import { enumDescriptor } from "../../wire/descriptors.ts";
import type { Columns } from "../columns.ts";
import { bytea, timestamp } from "../csv.ts";

/** Rows of `blocks`, both ends included; empty when `last` is below `first`. */
export interface BlockRange {
  readonly first: number;
  readonly last: number;
}

/** An exported table, of fifteen (docs/protocol/20-network-history-tables.md#34-columns-per-table). */
export interface ExportTable {
  /** Name in lower case, as in file names: `market_data`. */
  readonly name: string;
  readonly columns: Columns;
  /** Column names, without the line feed. */
  readonly header: string;
  /** CSV lines with their line feeds, in the order of docs/protocol/20-network-history-export.md#25-row-order-inside-a-segment. */
  lines(source: RowSource, range: BlockRange): Iterable<string>;
}

/** A row that keeps its event's message. */
export interface DataRow {
  readonly block: bigint;
  readonly tx: bigint;
  readonly data: Uint8Array;
}

/** A row of a kind that can occur several times in a block. */
export interface EventRow extends DataRow {
  readonly ord: bigint;
}

export interface BlockFacts {
  readonly no: number;
  readonly timeUs: number;
  /** As CSV. */
  readonly time: string;
  /** As CSV. */
  readonly hash: string;
}

/** Cached entries of a kind. */
const REMEMBERED_MAX = 20_000;
const TXS_REMEMBERED_MAX = 2_000;

/** Blocks in the first slice of a table; the next are wider or narrower, by its number of rows. */
const SLICE_BLOCKS = 16;
/** Some milliseconds of work. */
const SLICE_ROWS_MIN = 500;
const SLICE_ROWS_MAX = 4 * SLICE_ROWS_MIN;

export class RowSource {
  private readonly selectBlock: Statement;
  private readonly selectTx: Statement;
  private readonly selectAccount: Statement;
  private readonly selectId: Statement;
  private readonly accounts = new LruCache<number, string>(REMEMBERED_MAX);
  private readonly ids = new LruCache<number, string>(REMEMBERED_MAX);
  /** Most transactions have several rows in a block. */
  private readonly txs = new LruCache<number, string>(TXS_REMEMBERED_MAX);
  private lastBlock: BlockFacts | undefined;
  /** A snapshot that this source opened. */
  private isHolding = false;

  constructor(readonly db: Database) {
    this.selectBlock = db.prepare("SELECT time, height, hash FROM blocks WHERE no = ?");
    this.selectTx = db.prepare("SELECT hash FROM txs WHERE id = ?");
    this.selectAccount = db.prepare("SELECT hash FROM accounts WHERE ref = ?");
    this.selectId = db.prepare("SELECT bytes FROM ids WHERE ref = ?");
  }

  /**
   * Iterates over rows. The first few are collected, so that the statement of a short query is closed before the caller
   * continues; a long query keeps its own statement open. Several can run side by side.
   */
  *walk<Row>(sql: string, ...values: number[]): Generator<Row> {
    const statement = this.db.prepare(sql);
    try {
      const rows = statement.iterate(...values) as IterableIterator<Row>;
      const first: Row[] = [];
      for (let row = rows.next(); !row.done; row = rows.next()) {
        first.push(row.value);
        if (first.length === SLICE_ROWS_MAX) break;
      }
      yield* first;
      if (first.length === SLICE_ROWS_MAX) yield* rows;
    } finally {
      statement.finalize();
    }
  }

  /**
   * The rows of a range, ordered by block, some blocks at a time. Each slice holds one snapshot of the store; otherwise every
   * look-up would open its own.
   * @param sql with the first and the last block as its two parameters
   */
  *slices<Row extends { readonly block: bigint }>(
    sql: string,
    { first, last }: BlockRange,
  ): Generator<readonly Row[]> {
    const statement = this.db.prepare(`${sql} LIMIT ?3`);
    try {
      let blocks = SLICE_BLOCKS;
      for (let from = first; from <= last; ) {
        const to = Math.min(from + blocks - 1, last);
        this.openSnapshot();
        const rows = statement.all(from, to, SLICE_ROWS_MAX) as Row[];
        if (rows.length < SLICE_ROWS_MAX) {
          yield rows;
          if (rows.length < SLICE_ROWS_MIN) blocks *= 2;
          from = to + 1;
        } else {
          // The limit may cut the last block; a block alone is read without a limit.
          const end = rows.at(-1)!.block;
          const whole = rows.findIndex(({ block }) => block === end);
          yield whole > 0 ? rows.slice(0, whole) : (statement.all(from, Number(end), -1) as Row[]);
          from = whole > 0 ? Number(end) : Number(end) + 1;
          blocks = Math.max(1, blocks >> 1);
        }
        this.release();
      }
    } finally {
      this.release();
      statement.finalize();
    }
  }

  /**
   * Runs other work in the middle of a query, without a snapshot: the writer's log can restart only when no reader holds an old
   * snapshot, and the caller may share the writer's thread. Rows that were read before can be gone afterwards.
   */
  async yieldTo(pause: () => Promise<void>): Promise<void> {
    const isHeld = this.isHolding;
    this.release();
    await pause();
    if (isHeld) this.openSnapshot();
  }

  private openSnapshot(): void {
    if (this.db.inTransaction) return;
    this.db.run("BEGIN");
    this.isHolding = true;
  }

  private release(): void {
    if (this.isHolding) this.db.run("COMMIT");
    this.isHolding = false;
  }

  block(no: bigint): BlockFacts {
    const key = Number(no);
    if (this.lastBlock?.no === key) return this.lastBlock;
    const row = this.selectBlock.get(key) as {
      time: bigint;
      height: bigint;
      hash: Uint8Array;
    } | null;
    if (!row) throw new Error(`rows name block row ${key}, which is not in the store`);
    const timeUs = Number(row.time);
    this.lastBlock = { no: key, timeUs, time: timestamp(timeUs), hash: bytea(hashOfRow(row)) };
    return this.lastBlock;
  }

  /** Column `tx` as CSV: 0 is the hash of the row's own block. */
  tx(tx: bigint, block: BlockFacts): string {
    if (tx === 0n) return block.hash;
    return this.remembered(this.txs, this.selectTx, "hash", Number(tx));
  }

  /** Account reference to the account id, as CSV. */
  account(ref: bigint): string {
    return this.remembered(this.accounts, this.selectAccount, "hash", Number(ref));
  }

  /** Reference of an interned identifier, as CSV. */
  id(ref: bigint): string {
    return this.remembered(this.ids, this.selectId, "bytes", Number(ref));
  }

  close(): void {
    for (const statement of [this.selectBlock, this.selectTx, this.selectAccount, this.selectId]) {
      statement.finalize();
    }
  }

  private remembered(
    cache: LruCache<number, string>,
    statement: Statement,
    column: "hash" | "bytes",
    key: number,
  ): string {
    let text = cache.get(key);
    if (text === undefined) {
      text = this.bytes(statement, column, key);
      cache.set(key, text);
    }
    return text;
  }

  private bytes(statement: Statement, column: "hash" | "bytes", key: number): string {
    const row = statement.get(key) as Record<string, Uint8Array> | null;
    if (!row) throw new Error(`the store names reference ${key} and has no row for it`);
    return bytea(row[column]!);
  }
}

/** Label of an enum value; an unknown number stays a number. */
export function labels(enumName: string): (value: number) => string {
  const { nameOf } = enumDescriptor(enumName);
  return (value) => nameOf.get(value) ?? String(value);
}

const SEQUENCE_MASK = 0xffffff;

/** Sequence number in a column `ord` or `n`; the bits above it number the blocks that share a row. */
export function sequence(ord: bigint): number {
  return Number(ord) & SEQUENCE_MASK;
}

// The order of rows (docs/protocol/20-network-history-export.md#25-row-order-inside-a-segment). The store's
// clustering gives the right order almost always. The exceptions are sorted here, with at most the rows of a block in memory:
// references have only six bytes of an identifier, blocks that share a time restart their sequence numbers, and microseconds
// added to a block's time can exceed the time of the next block.

interface Line<Key extends string | number> {
  /** Row of `blocks`. Lines come grouped by it, ascending. */
  readonly block: number;
  readonly key: Key;
  readonly text: string;
}

/** A row's line and its sort key within the block. */
type KeyedLine<Key, Row> = (
  row: Row,
  block: BlockFacts,
  source: RowSource,
) => readonly [key: Key, text: string];

/** Lines of a query's rows, sorted by key within each block. @param sql as for `slices` */
export function linesByKey<Key extends string | number, Row extends { readonly block: bigint }>(
  sql: string,
  line: KeyedLine<Key, Row>,
): ExportTable["lines"] {
  return (source, range) => byBlockAndKey(keyedLines(source, range, sql, line));
}

/** The same, sorted by time in microseconds, which is the block's or later. */
export function linesByTime<Row extends { readonly block: bigint }>(
  sql: string,
  line: KeyedLine<number, Row>,
): ExportTable["lines"] {
  return (source, range) =>
    byTime(keyedLines(source, range, sql, line), (no) => source.block(BigInt(no)).timeUs);
}

function* keyedLines<Key extends string | number, Row extends { readonly block: bigint }>(
  source: RowSource,
  range: BlockRange,
  sql: string,
  line: KeyedLine<Key, Row>,
): Generator<Line<Key>> {
  for (const rows of source.slices<Row>(sql, range)) {
    for (const row of rows) {
      const block = source.block(row.block);
      const [key, text] = line(row, block, source);
      yield { block: block.no, key, text };
    }
  }
}

/** Sorts the lines of each block by key; stable. */
function* byBlockAndKey<Key extends string | number>(lines: Iterable<Line<Key>>): Generator<string> {
  let held: Line<Key>[] = [];
  for (const line of lines) {
    if (held.length > 0 && held[0]!.block !== line.block) {
      yield* texts(held);
      held = [];
    }
    held.push(line);
  }
  yield* texts(held);
}

/** Lines by key. No line has a key below the `floor` of its block, and floors ascend with the blocks. */
function* byTime(lines: Iterable<Line<number>>, floor: (block: number) => number): Generator<string> {
  let held: Line<number>[] = [];
  let block = -1;
  for (const line of lines) {
    if (line.block !== block) {
      block = line.block;
      const from = floor(block);
      yield* texts(held.filter((waiting) => waiting.key < from));
      held = held.filter((waiting) => waiting.key >= from);
    }
    held.push(line);
  }
  yield* texts(held);
}

function* texts<Key extends string | number>(lines: Line<Key>[]): Generator<string> {
  if (!isSorted(lines)) lines.sort((a, b) => compare(a.key, b.key));
  for (const line of lines) yield line.text;
}

function isSorted<Key extends string | number>(lines: readonly Line<Key>[]): boolean {
  for (let i = 1; i < lines.length; i++) if (lines[i - 1]!.key > lines[i]!.key) return false;
  return true;
}

/** Compares like concatenated byte strings: a comma sorts below every hex digit. */
export function bytesKey(...hex: string[]): string {
  return hex.join(",");
}
