// Makes one segment: rows of a range of blocks to CSV, to deflate pieces, to a file. Streams: memory stays at a few
// pieces whatever the range holds. Knows no threads; who calls it decides where it runs.
import type { Database } from "bun:sqlite";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { NodeError } from "../errors.ts";
import { type BlockFact, blockRange } from "./block-range.ts";
import { deflatePiece, PIECE_BYTES } from "./deflate.ts";
import { RowSource } from "./rows/source.ts";
import {
  type BlockMark,
  encodeTail,
  MAGIC,
  type SegmentRecord,
  segmentId,
  segmentPath,
  type TablePiece,
} from "./segment-format.ts";
import type { SegmentRow } from "./segment-table.ts";
import { DATABASE_VERSION, EXPORT_TABLES } from "./tables.ts";

/** Files that end so were not finished; whoever starts next removes them. */
export const UNFINISHED_SUFFIX = ".seg.tmp";
/** Files are given to the disk this often, so that the last flush is short. */
const SYNC_BYTES = 32 * 1024 * 1024;

export interface SegmentPlan {
  readonly chainId: string;
  readonly from: number;
  readonly to: number;
  /** Id of the segment before; empty for the first. */
  readonly previousId: string;
}

/** The rows of one table. */
export interface TableContent {
  readonly name: string;
  /** Column names, without line feed. */
  readonly header: string;
  /** CSV lines with their line feeds. */
  readonly lines: Iterable<string>;
}

export interface SegmentContent extends SegmentPlan {
  readonly first: BlockMark;
  readonly last: BlockMark;
  readonly databaseVersion: number;
  readonly tables: Iterable<TableContent>;
}

/** Called about every 256 KiB of text: where other work shares the thread, it gives way here. */
export type Pause = () => Promise<void>;

/** Makes the file of a segment from a store's connection. The same rows give the same bytes. */
export async function buildSegment(
  db: Database,
  directory: string,
  plan: SegmentPlan,
  pause?: Pause,
): Promise<SegmentRow> {
  const ends = blockRange(db, plan.from, plan.to);
  if (!ends) {
    throw new NodeError(
      "history.segment",
      "blocks_missing",
      `the store has no block from ${plan.from} to ${plan.to}`,
    );
  }
  const source = new RowSource(db);
  const { chainId, from, to, previousId } = plan;
  const tables = EXPORT_TABLES.map(({ name, header, lines }) => ({
    name,
    header,
    lines: lines(source, ends.range),
  }));
  const marks = { first: mark(ends.first), last: mark(ends.last) };
  try {
    const databaseVersion = DATABASE_VERSION;
    const content = { chainId, from, to, previousId, ...marks, databaseVersion, tables };
    return await writeSegment(directory, content, pause);
  } finally {
    source.close();
  }
}

/** Makes the file of a segment: under its name once it is whole and on the disk, not before. */
export async function writeSegment(
  directory: string,
  content: SegmentContent,
  pause?: Pause,
): Promise<SegmentRow> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const unfinished = join(directory, `${content.from}-${content.to}${UNFINISHED_SUFFIX}`);
  const out = new SegmentWriter(await open(unfinished, "w", 0o600));
  try {
    const row = await writeContent(out, content, pause);
    await out.close();
    await rename(unfinished, segmentPath(directory, row.id));
    await syncDirectory(directory);
    return row;
  } catch (error) {
    await out.close().catch(() => {});
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function writeContent(out: SegmentWriter, content: SegmentContent, pause?: Pause): Promise<SegmentRow> {
  await out.write(MAGIC);
  const pieces: TablePiece[] = [];
  const tables: Record<string, string> = {};
  for (const table of content.tables) {
    const { piece, sha256 } = await writeTable(out, table, pause);
    pieces.push(piece);
    tables[table.name] = sha256;
  }
  const { chainId, from, to, first, last, databaseVersion, previousId } = content;
  // The order of the members is part of the format: the id is a hash of this text.
  const record: SegmentRecord = {
    format: 1,
    chainId,
    from,
    to,
    first,
    last,
    databaseVersion,
    previousId,
    tables,
  };
  await out.write(encodeTail({ record, pieces }));
  return { from, to, id: segmentId(record), previousId, databaseVersion, chainId, bytes: out.length };
}

async function writeTable(
  out: SegmentWriter,
  table: TableContent,
  pause?: Pause,
): Promise<{ piece: TablePiece; sha256: string }> {
  const hash = new Bun.CryptoHasher("sha256").update(`${table.header}\n`);
  const offset = out.length;
  let rows = 0;
  let bytes = 0;
  let crc = 0;
  let deflatedCrc = 0;
  for (const text of textPieces(table.lines)) {
    const piece = Buffer.from(text.lines);
    hash.update(piece);
    crc = crc32(piece, crc);
    rows += text.rows;
    bytes += piece.length;
    if (pause) await pause();
    const deflated = deflatePiece(piece);
    deflatedCrc = crc32(deflated, deflatedCrc);
    await out.write(deflated);
    if (pause) await pause();
  }
  const piece: TablePiece = {
    name: table.name,
    header: table.header,
    rows,
    bytes,
    crc,
    offset,
    deflatedBytes: out.length - offset,
    deflatedCrc,
  };
  return { piece, sha256: hash.digest("hex") };
}

function* textPieces(lines: Iterable<string>): Generator<{ lines: string; rows: number }> {
  let text = "";
  let rows = 0;
  for (const line of lines) {
    text += line;
    rows++;
    if (text.length >= PIECE_BYTES) {
      yield { lines: text, rows };
      text = "";
      rows = 0;
    }
  }
  if (rows > 0) yield { lines: text, rows };
}

/** Appends to the unfinished file; on `close` everything is on the disk. */
class SegmentWriter {
  length = 0;
  private unsynced = 0;
  private isOpen = true;

  constructor(private readonly file: FileHandle) {}

  async write(bytes: Uint8Array): Promise<void> {
    let done = 0;
    while (done < bytes.length) {
      const { bytesWritten } = await this.file.write(bytes, done, bytes.length - done, this.length + done);
      done += bytesWritten;
    }
    this.length += bytes.length;
    this.unsynced += bytes.length;
    if (this.unsynced < SYNC_BYTES) return;
    await this.file.datasync();
    this.unsynced = 0;
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    try {
      await this.file.sync();
    } finally {
      await this.file.close();
    }
  }
}

/** A rename is only certain once its directory is on the disk. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function mark({ height, timeUs, hash }: BlockFact): BlockMark {
  return { height, time: rfc3339(timeUs), hash };
}

/** With microseconds: `2023-05-02T09:15:30.123456Z`. */
function rfc3339(us: number): string {
  const milliseconds = Math.floor(us / 1000);
  const rest = String(us - milliseconds * 1000).padStart(3, "0");
  return new Date(milliseconds).toISOString().replace("Z", `${rest}Z`);
}
