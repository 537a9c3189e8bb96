// Compares the store's rows with the segments made of them: a flipped bit in a row that the store's own checks take
// for another value changes the hash of its table.
import type { Database } from "bun:sqlite";
import { NodeError } from "../errors/node-error.ts";
import { readHead } from "../store/head.ts";
import { blockRange } from "./block-range.ts";
import { RowSource } from "./rows/source.ts";
import { marksOf, type Pause, textSlices } from "./segment.ts";
import { openSegment } from "./segment-format.ts";
import { idOfSegment, type SegmentRow } from "./segment-table.ts";
import { DATABASE_VERSION, EXPORT_TABLES } from "./tables.ts";

/**
 * Makes the tables of a segment again from the store's rows, and compares their hashes with those of its record.
 * @throws NodeError `store_damaged` when they differ, SegmentDamage when the segment's own record cannot be read
 */
export async function checkRows(
  db: Database,
  directory: string,
  row: SegmentRow,
  pause?: Pause,
): Promise<void> {
  if (idOfSegment(db, row.to) !== row.id || row.databaseVersion !== DATABASE_VERSION) return;
  const { file, index } = await openSegment(directory, row.id);
  await file.close();
  const { record } = index;
  const ends = blockRange(db, row.from, row.to);
  if (!ends) throw rowsDamaged(row, "blocks");
  const head = readHead(db);
  // A block has joined the segment's last row: the segment is about to be made again.
  if (head && head.no === ends.range.last && head.height > row.to) return;
  if (!Bun.deepEquals(marksOf(ends), { first: record.first, last: record.last }))
    throw rowsDamaged(row, "blocks");
  const source = new RowSource(db);
  try {
    for (const { name, header, lines } of EXPORT_TABLES) {
      const hash = new Bun.CryptoHasher("sha256").update(`${header}\n`);
      for (const { text } of textSlices(lines(source, ends.range))) {
        hash.update(text);
        if (pause) await pause();
      }
      if (hash.digest("hex") !== record.tables[name]) throw rowsDamaged(row, name);
    }
  } finally {
    source.close();
  }
}

function rowsDamaged({ from, to }: SegmentRow, table: string): NodeError {
  return new NodeError(
    "store.check",
    "store_damaged",
    `the store's rows of ${table} in blocks ${from} to ${to} are not those of the history segment made of them`,
    "restore the home from a backup, or load its recording into another home",
  );
}
