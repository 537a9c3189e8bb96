// Rows of `blocks` by height: the table is keyed by number, and heights rise with the numbers.
import type { Database } from "bun:sqlite";
import { hashOfRow } from "../../store/head.ts";
import { hexOf } from "../../wire/identifiers.ts";

export interface BlockRow {
  readonly no: bigint;
  readonly height: bigint;
  /** Unix microseconds. */
  readonly time: bigint;
  /** Empty where it follows from height and time: see `hashOf`. */
  readonly hash: Uint8Array;
}

/** Lower-case hexadecimal. */
export const hashOf = (row: BlockRow): string => hexOf(hashOfRow(row));

/** Number of the first block of at least this height; one past the last block where there is none. */
export function firstBlockFrom(db: Database, height: number): number {
  const last = Number((db.query("SELECT coalesce(max(no), 0) AS no FROM blocks").get() as { no: bigint }).no);
  const heightOf = db.query("SELECT height FROM blocks WHERE no >= ? ORDER BY no LIMIT 1");
  let [low, high] = [0, last + 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = heightOf.get(middle) as { height: bigint } | null;
    if (row !== null && Number(row.height) < height) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The row that holds a height: blocks of one time share a row, which has the height of the first. */
export function blockAt(db: Database, height: number): BlockRow | undefined {
  const row = db
    .query("SELECT no, height, time, hash FROM blocks WHERE no < ? ORDER BY no DESC LIMIT 1")
    .get(firstBlockFrom(db, height + 1)) as BlockRow | null;
  return row ?? undefined;
}
