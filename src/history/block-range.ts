// Heights to rows of `blocks`. Rows ascend in time and height, their numbers have no gaps, and the first height can
// have two of them (reference 20, section 6.4); there is no index on heights, so a search halves the rows.
import type { Database } from "bun:sqlite";
import { hashOfRow } from "../store/block-hash.ts";
import type { BlockRange } from "./rows/source.ts";

export interface BlockEnds {
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

/** Rows from the first block at or above `from` to the last at or below `to`; undefined when there is none. */
export function blockRange(db: Database, from: number, to: number): BlockEnds | undefined {
  const ends = db.query("SELECT min(no) AS first, max(no) AS last FROM blocks").get() as {
    first: bigint | null;
    last: bigint | null;
  };
  if (ends.first === null || ends.last === null) return undefined;
  const count = { first: Number(ends.first), end: Number(ends.last) + 1 };
  const first = firstRow(db, count, (height) => height >= from);
  const last = firstRow(db, count, (height) => height > to) - 1;
  if (first > last) return undefined;
  return { range: { first, last }, first: blockFact(db, first), last: blockFact(db, last) };
}

/** Lowest height in the store; undefined for an empty one. */
export function lowestHeight(db: Database): number | undefined {
  const row = db.query("SELECT height FROM blocks ORDER BY no LIMIT 1").get() as { height: bigint } | null;
  return row ? Number(row.height) : undefined;
}

/** First row in [first, end) whose height passes, or `end`. The test must stay true once it is. */
function firstRow(
  db: Database,
  rows: { first: number; end: number },
  passes: (height: number) => boolean,
): number {
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
