// Heights to rows of `blocks`. Rows ascend in time and height, their numbers have no gaps, and the first height can
// have two of them (docs/protocol/20-network-history-segments.md#64-the-doubled-first-height); there is no index on
// heights, so a search halves the rows.
import type { Database } from "bun:sqlite";
import { hashOfRow, readHead } from "../store/head.ts";
import type { BlockRange } from "./rows/source.ts";

export interface BlockEnds {
  /** Empty if all blocks of these heights share the row of an earlier block. */
  readonly range: BlockRange;
  readonly first: BlockFact;
  readonly last: BlockFact;
}

export interface BlockFact {
  readonly height: number;
  /** Unix microseconds. */
  readonly timeUs: number;
  /** Lower-case hex. */
  readonly hash: string;
}

/** Rows from the first block at or above `from` to the last at or below `to`; undefined if there are none. */
export function blockRange(db: Database, from: number, to: number): BlockEnds | undefined {
  const all = rowBounds(db);
  if (!all) return undefined;
  const first = firstRow(db, all, (height) => height >= from);
  const last = firstRow(db, all, (height) => height > to) - 1;
  if (first > last) {
    const isBehindHead = last < all.end - 1 || (readHead(db)?.height ?? 0) >= to;
    if (last < all.first || !isBehindHead) return undefined;
    const shared = blockFact(db, last);
    return { range: { first, last }, first: shared, last: shared };
  }
  return { range: { first, last }, first: blockFact(db, first), last: blockFact(db, last) };
}

/**
 * Height of the first row above a height; undefined if there is none. It is the next height unless blocks of the same time
 * share the row before (store/schema.ts).
 */
export function nextRowHeight(db: Database, height: number): number | undefined {
  const all = rowBounds(db);
  if (!all) return undefined;
  const no = firstRow(db, all, (candidate) => candidate > height);
  return no < all.end ? blockFact(db, no).height : undefined;
}

/** Height of the last row at or below a height: the row of the block at that height. */
export function lastRowHeight(db: Database, height: number): number | undefined {
  const all = rowBounds(db);
  if (!all) return undefined;
  const no = firstRow(db, all, (candidate) => candidate > height) - 1;
  return no >= all.first ? blockFact(db, no).height : undefined;
}

/** Lowest height in the store; undefined for an empty one. */
export function lowestHeight(db: Database): number | undefined {
  const row = db.query("SELECT height FROM blocks ORDER BY no LIMIT 1").get() as { height: bigint } | null;
  return row ? Number(row.height) : undefined;
}

interface RowNumbers {
  readonly first: number;
  readonly end: number;
}

function rowBounds(db: Database): RowNumbers | undefined {
  const { first, last } = db.query("SELECT min(no) AS first, max(no) AS last FROM blocks").get() as {
    first: bigint | null;
    last: bigint | null;
  };
  return first === null || last === null ? undefined : { first: Number(first), end: Number(last) + 1 };
}

/** Binary search: the first row in [first, end) whose height passes a monotone test, or `end`. */
function firstRow(db: Database, rows: RowNumbers, passes: (height: number) => boolean): number {
  let low = rows.first;
  let high = rows.end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (passes(blockFact(db, middle).height)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function blockFact(db: Database, no: number): BlockFact {
  const row = db.query("SELECT time, height, hash FROM blocks WHERE no = ?").get(no) as {
    time: bigint;
    height: bigint;
    hash: Uint8Array;
  };
  return {
    height: Number(row.height),
    timeUs: Number(row.time),
    hash: Buffer.from(hashOfRow(row)).toString("hex"),
  };
}
