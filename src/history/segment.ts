// Builds one segment: rows of a range of blocks to CSV, to deflate pieces, to a file. A stream: memory is a few pieces for any
// range. The caller decides on which thread it runs.
import type { Database } from "bun:sqlite";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { NodeError } from "../errors/node-error.ts";
import { type BlockEnds, type BlockFact, blockRange } from "./block-range.ts";
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

/** Suffix of unfinished files, which the next start removes. */
export const UNFINISHED_SUFFIX = ".seg.tmp";
/** Text between two pauses: a few milliseconds of work. */
const SLICE_CHARACTERS = 64 * 1024;

export interface SegmentPlan {
  readonly chainId: string;
  readonly from: number;
  readonly to: number;
  /** Id of the previous segment; empty for the first. */
  readonly previousId: string;
}

/** The rows of one table. */
interface TableContent {
  readonly name: string;
  /** Column names, without line feed. */
  readonly header: string;
  /** CSV lines with their line feeds. */
  readonly lines: Iterable<string>;
}

interface SegmentContent extends SegmentPlan {
  readonly first: BlockMark;
  readonly last: BlockMark;
  readonly databaseVersion: number;
  readonly tables: Iterable<TableContent>;
}

/** Called after every few milliseconds of work, to yield to other work on the thread. */
export type Pause = () => Promise<void>;

/** Builds the file of a segment from a store's connection. The same rows give the same bytes. */
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
  try {
    const databaseVersion = DATABASE_VERSION;
    const content = { chainId, from, to, previousId, ...marksOf(ends), databaseVersion, tables };
    return await writeSegment(directory, content, pause);
  } finally {
    source.close();
  }
}

/** Writes the file of a segment; it gets its name once it is complete and on disk. */
export async function writeSegment(
  directory: string,
  content: SegmentContent,
  pause?: Pause,
): Promise<SegmentRow> {
  // Do not create the home: one that was moved away may come back to its place.
  await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  const unfinished = join(directory, `${content.from}-${content.to}${UNFINISHED_SUFFIX}`);
  const out = new SegmentWriter(await open(unfinished, "w", 0o600));
  try {
    const row = await writeContent(out, content, pause);
    await out.close();
    await rename(unfinished, segmentPath(directory, row.id));
    await syncDirectory(directory);
    return row;
  } catch (error) {
    await out.abandon().catch(() => {});
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
  { name, header, lines }: TableContent,
  pause?: Pause,
): Promise<{ piece: TablePiece; sha256: string }> {
  const hash = new Bun.CryptoHasher("sha256").update(`${header}\n`);
  const offset = out.length;
  const sum = { rows: 0, bytes: 0, crc: 0, deflatedCrc: 0 };
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const compress = async () => {
    const deflated = deflatePiece(Buffer.concat(waiting));
    sum.deflatedCrc = crc32(deflated, sum.deflatedCrc);
    waiting = [];
    waitingBytes = 0;
    await out.write(deflated);
    if (pause) await pause();
  };
  for (const slice of textSlices(lines)) {
    const bytes = Buffer.from(slice.text);
    hash.update(bytes);
    sum.crc = crc32(bytes, sum.crc);
    sum.rows += slice.rows;
    sum.bytes += bytes.length;
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (pause) await pause();
    if (waitingBytes >= PIECE_BYTES) await compress();
  }
  if (waitingBytes > 0) await compress();
  const piece: TablePiece = { name, header, ...sum, offset, deflatedBytes: out.length - offset };
  return { piece, sha256: hash.digest("hex") };
}

/** Joins lines to pieces of a few milliseconds of work. */
export function* textSlices(lines: Iterable<string>): Generator<{ text: string; rows: number }> {
  let text = "";
  let rows = 0;
  for (const line of lines) {
    text += line;
    rows++;
    if (text.length < SLICE_CHARACTERS) continue;
    yield { text, rows };
    text = "";
    rows = 0;
  }
  if (rows > 0) yield { text, rows };
}

export function marksOf({ first, last }: BlockEnds): { first: BlockMark; last: BlockMark } {
  return { first: mark(first), last: mark(last) };
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

// Writes a file sequentially, in large steps; it is done once it is on disk.

const BUFFER_BYTES = 256 * 1024;
/** Bytes between two flushes to disk, so that the last flush is short. */
const SYNC_BYTES = 32 * 1024 * 1024;

class SegmentWriter {
  /** Bytes written so far. */
  length = 0;
  private waiting: Uint8Array[] = [];
  private waitingBytes = 0;
  private flushedBytes = 0;
  private syncedBytes = 0;
  private isOpen = true;

  constructor(private readonly file: FileHandle) {}

  async write(bytes: Uint8Array): Promise<void> {
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    this.length += bytes.length;
    if (this.waitingBytes >= BUFFER_BYTES) await this.flush();
    if (this.flushedBytes - this.syncedBytes < SYNC_BYTES) return;
    await this.file.datasync();
    this.syncedBytes = this.flushedBytes;
  }

  /** Settles when everything is on disk. */
  async close(): Promise<void> {
    try {
      await this.flush();
      await this.file.sync();
    } finally {
      await this.abandon();
    }
  }

  /** Closes the file without a flush. */
  async abandon(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.file.close();
  }

  private async flush(): Promise<void> {
    const bytes = Buffer.concat(this.waiting);
    this.waiting = [];
    this.waitingBytes = 0;
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.file.write(
        bytes,
        done,
        bytes.length - done,
        this.flushedBytes + done,
      );
      done += bytesWritten;
    }
    this.flushedBytes += bytes.length;
  }
}

/** A rename is durable only once its directory is on disk. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
