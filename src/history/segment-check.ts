// Checks a segment file byte by byte: that it is the one its row lists, and that the rows in it are those its record
// names the hashes of.
import type { FileHandle } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { crc32 } from "node:zlib";
import { DEFLATE_END, storedPiece } from "./deflate.ts";
import { EntryHasher } from "./entry-hasher.ts";
import { RowCounter } from "./row-counter.ts";
import {
  encodeTail,
  MAGIC,
  openSegment,
  readExactly,
  SegmentDamage,
  type TablePiece,
} from "./segment-format.ts";
import type { SegmentRow } from "./segment-table.ts";

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

/** A record names the hash of the CSV that an export of the segment alone holds: header line first. */
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
