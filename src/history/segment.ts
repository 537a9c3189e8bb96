// Makes one segment: rows of a range of blocks to CSV, to deflate pieces, to a file. Streams: memory stays at a few
// pieces whatever the range holds. Knows no threads; who calls it decides where it runs.
import type { Database } from "bun:sqlite";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { NodeError } from "../errors.ts";
import { type BlockEnds, type BlockFact, blockRange } from "./block-range.ts";
import { deflatePiece, PIECE_BYTES } from "./deflate.ts";
import { type BlockRange, type ExportTable, RowSource } from "./rows/source.ts";
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

export interface BuildHooks {
  /** Called about every 256 KiB of text: where other work shares the thread, it gives way here. */
  pause?(): Promise<void>;
  /** The tables to write; the fifteen by default. */
  readonly tables?: readonly ExportTable[];
}

/** Makes the file of a segment from a store's connection. The same rows give the same bytes. */
export async function buildSegment(
  db: Database,
  directory: string,
  plan: SegmentPlan,
  hooks: BuildHooks = {},
): Promise<SegmentRow> {
  const ends = blockRange(db, plan.from, plan.to);
  if (!ends) {
    throw new NodeError(
      "history.segment",
      "blocks_missing",
      `the store has no block from ${plan.from} to ${plan.to}`,
    );
  }
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const unfinished = join(directory, `${plan.from}-${plan.to}${UNFINISHED_SUFFIX}`);
  const out = new SegmentWriter(await open(unfinished, "w", 0o600));
  try {
    const row = await writeSegment(db, out, plan, ends, hooks);
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

async function writeSegment(
  db: Database,
  out: SegmentWriter,
  plan: SegmentPlan,
  ends: BlockEnds,
  hooks: BuildHooks,
): Promise<SegmentRow> {
  await out.write(MAGIC);
  const source = new RowSource(db);
  const pieces: TablePiece[] = [];
  const hashes: Record<string, string> = {};
  try {
    for (const table of hooks.tables ?? EXPORT_TABLES) {
      const { piece, sha256 } = await writeTable(out, table, source, ends.range, hooks);
      pieces.push(piece);
      hashes[table.name] = sha256;
    }
  } finally {
    source.close();
  }
  const record: SegmentRecord = {
    format: 1,
    chainId: plan.chainId,
    from: plan.from,
    to: plan.to,
    first: mark(ends.first),
    last: mark(ends.last),
    databaseVersion: DATABASE_VERSION,
    previousId: plan.previousId,
    tables: hashes,
  };
  await out.write(encodeTail({ record, pieces }));
  const { chainId, from, to, previousId, databaseVersion } = record;
  return { from, to, id: segmentId(record), previousId, databaseVersion, chainId, bytes: out.length };
}

async function writeTable(
  out: SegmentWriter,
  table: ExportTable,
  source: RowSource,
  range: BlockRange,
  { pause }: BuildHooks,
): Promise<{ piece: TablePiece; sha256: string }> {
  const hash = new Bun.CryptoHasher("sha256").update(`${table.header}\n`);
  const offset = out.length;
  let rows = 0;
  let bytes = 0;
  let crc = 0;
  let deflatedCrc = 0;
  for (const text of textPieces(table.lines(source, range))) {
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
