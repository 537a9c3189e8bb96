// Checks every byte of a segment file: it must be the one that its row lists, and its rows must have the hashes of its record.

import type { Database } from "bun:sqlite";
import type { FileHandle } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { crc32 } from "node:zlib";
import { NodeError } from "../errors/node-error.ts";
import { readHead } from "../store/head.ts";
import { readFloors } from "../store/retention.ts";
import { blockRange } from "./block-range.ts";
import { DEFLATE_END, EntryHasher, storedPiece } from "./deflate.ts";
import { RowCounter } from "./row-counter.ts";
import { type BlockRange, type ExportTable, RowSource } from "./rows/source.ts";
import { marksOf, type Pause, textSlices } from "./segment.ts";
import {
  encodeTail,
  MAGIC,
  openSegment,
  readExactly,
  SegmentDamage,
  type TablePiece,
} from "./segment-format.ts";
import { idOfSegment, type SegmentRow } from "./segment-table.ts";
import { DATABASE_VERSION, EXPORT_TABLES } from "./tables.ts";

const READ_BYTES = 1024 * 1024;

/** @throws SegmentDamage */
export async function checkSegment(directory: string, row: SegmentRow): Promise<void> {
  const { file, size, index } = await openSegment(directory, row.id);
  try {
    const { record, pieces } = index;
    const { from, to, previousId, databaseVersion, chainId } = record;
    const listed = { from, to, id: row.id, previousId, databaseVersion, chainId, bytes: size };
    if (!isDeepStrictEqual(listed, row)) throw new SegmentDamage("it is not the one that the store lists");
    const head = await readExactly(file, 0, MAGIC.length);
    if (!head.equals(MAGIC)) throw new SegmentDamage("the beginning of the file is damaged");
    const names = pieces.map(({ name }) => name);
    if (!isDeepStrictEqual(names, Object.keys(record.tables))) {
      throw new SegmentDamage("it does not hold the tables that its record names");
    }
    let end = MAGIC.length;
    for (const piece of pieces) {
      if (piece.offset !== end) throw new SegmentDamage(`the rows of ${piece.name} are out of place`);
      await checkPiece(file, piece, record.tables[piece.name]!);
      end += piece.deflatedBytes;
    }
    if (end + encodeTail(index).length !== size) throw new SegmentDamage("there is more in it than its rows");
  } finally {
    await file.close();
  }
}

/** A record has the hash of the CSV in an export of the segment alone, header line included. */
async function checkPiece(file: FileHandle, piece: TablePiece, sha256: string): Promise<void> {
  const damaged = () => new SegmentDamage(`the rows of ${piece.name} are damaged`);
  const header = Buffer.from(`${piece.header}\n`);
  const counter = new RowCounter();
  const hasher = new EntryHasher((csv) => counter.count(csv));
  let crc = 0;
  let seen: { readonly bytes: number; readonly sha256: string };
  try {
    await hasher.update(storedPiece(header));
    for (let done = 0; done < piece.deflatedBytes; done += READ_BYTES) {
      const length = Math.min(READ_BYTES, piece.deflatedBytes - done);
      const bytes = await readExactly(file, piece.offset + done, length);
      crc = crc32(bytes, crc);
      await hasher.update(bytes);
    }
    await hasher.update(DEFLATE_END);
    seen = await hasher.finish();
  } catch (error) {
    throw error instanceof SegmentDamage ? error : damaged();
  }
  const isWhole = crc === piece.deflatedCrc && seen.sha256 === sha256;
  if (!isWhole || seen.bytes !== header.length + piece.bytes || counter.rows !== piece.rows + 1)
    throw damaged();
}

// Compares the store's rows with the segments made of them: a flipped bit that the store's own checks miss changes the hash of
// its table.

/** Callbacks with which a check yields to other work on its thread. */
interface CheckPauses {
  /** After every few milliseconds of work. No snapshot is held, except for a long table that is not ordered by block. */
  onSlice: Pause;
  /** Between two tables. */
  onTable: Pause;
}

/**
 * Rebuilds the tables of a segment from the store's rows and compares their hashes with the record's. A disk budget may
 * remove rows meanwhile.
 * @throws NodeError `store_damaged` if they differ, SegmentDamage if the record cannot be read
 */
export async function checkRows(
  db: Database,
  directory: string,
  row: SegmentRow,
  pauses?: CheckPauses,
): Promise<void> {
  if (idOfSegment(db, row.to) !== row.id || row.databaseVersion !== DATABASE_VERSION) return;
  const { file, index } = await openSegment(directory, row.id);
  await file.close();
  const { record } = index;
  const ends = blockRange(db, row.from, row.to);
  if (!ends) throw rowsDamaged(row, "blocks");
  const head = readHead(db);
  // A block joined the segment's last row: the segment will be rebuilt.
  if (head && head.no === ends.range.last && head.height > row.to) return;
  if (!Bun.deepEquals(marksOf(ends), { first: record.first, last: record.last }))
    throw rowsDamaged(row, "blocks");
  const source = new RowSource(db);
  try {
    // Rows that a disk budget removed exist only in the segment.
    const isRemoved = (name: string) => (readFloors(db).get(name)?.no ?? 0) >= ends.range.first;
    for (const table of EXPORT_TABLES) {
      if (isRemoved(table.name)) continue;
      const seen = await hashOfRows(table, source, ends.range, pauses).catch((error: unknown) => {
        // A row that was read before its removal can refer to removed rows.
        if (!isRemoved(table.name)) throw error;
      });
      if (seen !== record.tables[table.name] && !isRemoved(table.name)) throw rowsDamaged(row, table.name);
      await pauses?.onTable();
    }
  } finally {
    source.close();
  }
}

async function hashOfRows(
  { header, lines }: ExportTable,
  source: RowSource,
  range: BlockRange,
  pauses: CheckPauses | undefined,
): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256").update(`${header}\n`);
  for (const { text } of textSlices(lines(source, range))) {
    hash.update(text);
    if (pauses) await source.yieldTo(pauses.onSlice);
  }
  return hash.digest("hex");
}

function rowsDamaged({ from, to }: SegmentRow, table: string): NodeError {
  return new NodeError(
    "store.check",
    "store_damaged",
    `the store's rows of ${table} in blocks ${from} to ${to} are not those of the history segment made of them`,
    "restore the home from a backup, or load its recording into another home",
  );
}
