// The file of a segment. A segment is immutable. Its id is the hash of its record, which covers its content and the
// previous segment: two nodes with the same rows and the same range get the same id.
//
//   8 bytes     "LYRASEG1"
//   ...         the rows of each table, without header line, as deflate pieces (deflate.ts)
//   n bytes     the index: JSON of the record, and the offset of each table's piece
//   4 bytes     n, little-endian
//   4 bytes     CRC-32 of the index, little-endian
//   8 bytes     "LYRASEG1" again: missing in a truncated file
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";

export const MAGIC = Buffer.from("LYRASEG1", "latin1");
const FOOTER_BYTES = 16;
/** An index has about 6 kB; a far larger length is damage. */
const INDEX_BYTES_MAX = 16 * 1024 * 1024;
/** Hint for a damaged file, whose rows are in the store. */
export const REMAKE_HINT =
  "restore its file from a backup, or remove it and restart the node to make it again";

export interface BlockMark {
  readonly height: number;
  /** RFC 3339 with microseconds. */
  readonly time: string;
  /** Lower-case hex. */
  readonly hash: string;
}

/** Record of a segment. The id is the SHA-256 of its JSON text, members in this order. */
export interface SegmentRecord {
  readonly format: 1;
  readonly chainId: string;
  readonly from: number;
  readonly to: number;
  readonly first: BlockMark;
  readonly last: BlockMark;
  /** Version of the exported columns (docs/protocol/20-network-history-tables.md#32-schema-versions). */
  readonly databaseVersion: number;
  /** Id of the previous segment; empty for the first. */
  readonly previousId: string;
  /** By table name: SHA-256 of the CSV in an export of this segment alone, header line included. */
  readonly tables: Readonly<Record<string, string>>;
}

/** The rows of one table in a segment file. */
export interface TablePiece {
  readonly name: string;
  /** Column names, without line feed. */
  readonly header: string;
  readonly rows: number;
  /** Length of the rows, inflated. */
  readonly bytes: number;
  /** CRC-32 of the rows, inflated. */
  readonly crc: number;
  readonly offset: number;
  readonly deflatedBytes: number;
  /** CRC-32 of the compressed piece, which can be checked without inflating. */
  readonly deflatedCrc: number;
}

export interface SegmentIndex {
  readonly record: SegmentRecord;
  readonly pieces: readonly TablePiece[];
}

export class SegmentDamage extends Error {
  override readonly name = "SegmentDamage";
}

export function segmentId(record: SegmentRecord): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(record)).digest("hex");
}

export function segmentPath(directory: string, id: string): string {
  return join(directory, `${id}.seg`);
}

/** Index and footer, which follow the pieces. */
export function encodeTail(index: SegmentIndex): Uint8Array {
  const json = Buffer.from(JSON.stringify(index));
  const footer = Buffer.alloc(FOOTER_BYTES);
  footer.writeUInt32LE(json.length, 0);
  footer.writeUInt32LE(crc32(json), 4);
  MAGIC.copy(footer, 8);
  return Buffer.concat([json, footer]);
}

interface OpenSegment {
  readonly file: FileHandle;
  readonly size: number;
  readonly index: SegmentIndex;
}

/** Opens a segment file and checks that its index hashes to `id`. The caller closes the file. @throws SegmentDamage */
export async function openSegment(directory: string, id: string): Promise<OpenSegment> {
  const file = await open(segmentPath(directory, id), "r");
  try {
    const { size } = await file.stat();
    const index = await readIndex(file, size);
    if (segmentId(index.record) !== id)
      throw new SegmentDamage("the index does not hash to the segment's id");
    return { file, size, index };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readIndex(file: FileHandle, size: number): Promise<SegmentIndex> {
  if (size < MAGIC.length + FOOTER_BYTES) throw new SegmentDamage("the file is too short");
  const footer = await readExactly(file, size - FOOTER_BYTES, FOOTER_BYTES);
  if (!footer.subarray(8).equals(MAGIC)) throw new SegmentDamage("the end of the file is missing");
  const length = footer.readUInt32LE(0);
  const offset = size - FOOTER_BYTES - length;
  if (length > INDEX_BYTES_MAX || offset < MAGIC.length) throw new SegmentDamage("the index is damaged");
  const json = await readExactly(file, offset, length);
  if (crc32(json) !== footer.readUInt32LE(4)) throw new SegmentDamage("the index is damaged");
  return JSON.parse(json.toString()) as SegmentIndex;
}

/** Reads `length` bytes or fails. @throws SegmentDamage */
export async function readExactly(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(buffer, done, length - done, offset + done);
    if (bytesRead === 0) throw new SegmentDamage("the file is shorter than its index says");
    done += bytesRead;
  }
  return buffer;
}

export function pieceOf(index: SegmentIndex, table: string): TablePiece | undefined {
  return index.pieces.find((piece) => piece.name === table);
}
