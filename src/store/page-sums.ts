/**
 * A sum of each page of the store, in a file beside it. Pages reach the store only by a checkpoint, and the writer alone
 * makes those: the sums of the pages in the log are on the disk before it begins. Until the log restarts its pages
 * are read from there, so that a checkpoint that was cut off is made again before any comparison.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { endianness } from "node:os";

const MAGIC = "LYRASUM1";
/** Also the unit in which sums are read and written: those of 4 MB of pages. */
const BLOCK_BYTES = 4096;
const ENTRY_BYTES = 8;
const ENTRIES = BLOCK_BYTES / ENTRY_BYTES;
const BASELINE_PAGES = 128;
/** Where in the first block the mark of the log stands: salt, frames, a sum of both. */
const MARK_AT = 64;
const MARK_BYTES = 16;
/** Distinguishes a damaged sum from a damaged page. */
const CHECK_WORD = 0x6c797261;

interface PageSum {
  readonly kind: "sum" | "none" | "damaged";
  readonly sum: number;
}

/** End of the log when its blocks were last known to be durable. */
interface LogMark {
  /** Of the log's header: it changes when the log restarts. */
  readonly salt: string;
  readonly frames: number;
}

export function sumOf(page: Uint8Array): number {
  return Bun.hash.crc32(page);
}

export function sumsPath(storePath: string): string {
  return `${storePath}-sums`;
}

/** The sums as a file, for readers and for the writer. */
export class PageSumFile {
  private constructor(
    private readonly file: number,
    readonly pageBytes: number,
    /** Pages existed before their sums: earlier damage is not found. */
    readonly isLater: boolean,
  ) {}

  /** @returns undefined without a readable file */
  static open(path: string, flags: "r" | "r+"): PageSumFile | undefined {
    if (!existsSync(path)) return undefined;
    const file = openSync(path, flags);
    const header = Buffer.alloc(BLOCK_BYTES);
    const length = readSync(file, header, 0, BLOCK_BYTES, 0);
    const isWhole = length === BLOCK_BYTES && header.readUInt32LE(24) === sumOf(header.subarray(0, 24));
    if (isWhole && header.toString("latin1", 0, 8) === MAGIC)
      return new PageSumFile(file, header.readUInt32LE(8), header[16] === 1);
    closeSync(file);
    return undefined;
  }

  static create(path: string, pageBytes: number, isLater: boolean): PageSumFile {
    const header = Buffer.alloc(BLOCK_BYTES);
    header.write(MAGIC, 0, "latin1");
    header.writeUInt32LE(pageBytes, 8);
    header[16] = isLater ? 1 : 0;
    header.writeUInt32LE(sumOf(header.subarray(0, 24)), 24);
    const file = openSync(path, "w+", 0o600);
    writeSync(file, header, 0, BLOCK_BYTES, 0);
    return new PageSumFile(file, pageBytes, isLater);
  }

  /** Undefined without a mark, or with a damaged one. */
  readMark(): LogMark | undefined {
    const bytes = Buffer.alloc(MARK_BYTES);
    readSync(this.file, bytes, 0, MARK_BYTES, MARK_AT);
    const frames = bytes.readUInt32LE(8);
    if (frames === 0 || bytes.readUInt32LE(12) !== sumOf(bytes.subarray(0, 12))) return undefined;
    return { salt: bytes.toString("latin1", 0, 8), frames };
  }

  /** Not synced: a mark that is lost finds less, and is never ahead of the log. */
  writeMark(mark: LogMark | undefined): void {
    const bytes = Buffer.alloc(MARK_BYTES);
    if (mark !== undefined) {
      bytes.write(mark.salt, 0, "latin1");
      bytes.writeUInt32LE(mark.frames, 8);
      bytes.writeUInt32LE(sumOf(bytes.subarray(0, 12)), 12);
    }
    writeSync(this.file, bytes, 0, MARK_BYTES, MARK_AT);
  }

  /** Pages up to the last one with a sum. */
  get pages(): number {
    return Math.max(0, Math.floor((fstatSync(this.file).size - BLOCK_BYTES) / ENTRY_BYTES));
  }

  /** @param first counted from 1 */
  read(first: number, count: number): PageSum[] {
    const bytes = Buffer.alloc(count * ENTRY_BYTES);
    readSync(this.file, bytes, 0, bytes.length, placeOf(first));
    return Array.from({ length: count }, (_, i) => {
      const sum = bytes.readUInt32LE(i * ENTRY_BYTES);
      const check = bytes.readUInt32LE(i * ENTRY_BYTES + 4);
      if (sum === 0 && check === 0) return { kind: "none", sum };
      return { kind: check === checkOf(first + i, sum) ? "sum" : "damaged", sum };
    });
  }

  write(sums: ReadonlyMap<number, number>): void {
    const blocks = Map.groupBy(sums, ([page]) => Math.floor((page - 1) / ENTRIES));
    for (const [block, entries] of blocks) {
      const bytes = Buffer.alloc(BLOCK_BYTES);
      const place = placeOf(block * ENTRIES + 1);
      let length = readSync(this.file, bytes, 0, BLOCK_BYTES, place);
      for (const [page, sum] of entries) {
        const at = ((page - 1) % ENTRIES) * ENTRY_BYTES;
        bytes.writeUInt32LE(sum, at);
        bytes.writeUInt32LE(checkOf(page, sum), at + 4);
        length = Math.max(length, at + ENTRY_BYTES);
      }
      writeSync(this.file, bytes, 0, length, place);
    }
  }

  sync(): void {
    fdatasyncSync(this.file);
  }

  close(): void {
    closeSync(this.file);
  }
}

function placeOf(page: number): number {
  return BLOCK_BYTES + (page - 1) * ENTRY_BYTES;
}

function checkOf(page: number, sum: number): number {
  return (sum ^ CHECK_WORD ^ Math.imul(page, 0x9e3779b1)) >>> 0;
}

/** The writer's side. */
export class PageSums {
  private position: LogPosition | undefined;
  private log: number | undefined;
  private hasMark = true;
  private dropped = 0;

  private constructor(
    private readonly storePath: string,
    private readonly file: PageSumFile,
  ) {}

  /** Opens the sums of a store; where there are none, the pages as they are now are summed. */
  static open(storePath: string, pageBytes: number): PageSums {
    const path = sumsPath(storePath);
    const existing = PageSumFile.open(path, "r+");
    if (existing?.pageBytes === pageBytes) return new PageSums(storePath, existing);
    existing?.close();
    return new PageSums(storePath, makeBaseline(storePath, path, pageBytes));
  }

  /** Sums what has come into the log. To be called before each checkpoint. @returns the frames that are summed */
  record(isDurable: boolean): number {
    const sums = new Map<number, number>();
    const before = this.position;
    const after = readLog(
      `${this.storePath}-wal`,
      before,
      (pages) => {
        for (const [page, sum] of pages) sums.set(page, sum);
      },
      sumOf,
    );
    if (sums.size > 0) {
      this.file.write(sums);
      if (isDurable) this.file.sync();
    }
    this.position = after;
    return after?.frames ?? 0;
  }

  /**
   * Marks how far the log reaches, once that is durable.
   * @returns to be called then; it does nothing when the log has been emptied meanwhile
   */
  markLog(frames: number): () => void {
    const { dropped } = this;
    const salt = readSalt((this.log ??= openSync(`${this.storePath}-wal`, "r")));
    return () => {
      if (dropped !== this.dropped) return;
      this.hasMark = true;
      try {
        this.file.writeMark({ salt, frames });
      } catch {
        // The mark from before stands, and finds less. The blocks are safe.
      }
    };
  }

  /** To be called before the log is emptied: an empty log with a mark counts as lost. */
  dropMark(): void {
    this.dropped++;
    if (this.hasMark) this.file.writeMark(undefined);
    this.hasMark = false;
  }

  close(): void {
    this.dropped++;
    this.file.close();
    if (this.log !== undefined) closeSync(this.log);
  }

  /** Sums that could not be written would call sound pages damaged: the next writer makes them again. */
  discard(): void {
    rmSync(sumsPath(this.storePath), { force: true });
  }
}

function readSalt(log: number): string {
  const salt = Buffer.alloc(SALT_BYTES);
  readSync(log, salt, 0, SALT_BYTES, SALT_AT);
  return salt.toString("latin1");
}

/**
 * Missing length of a log that was acknowledged: at a flipped bit the log ends for SQLite.
 * @returns undefined when nothing is gone, or without a mark
 */
export function lostFrames(
  storePath: string,
): { readonly sound: number; readonly written: number } | undefined {
  const file = PageSumFile.open(sumsPath(storePath), "r");
  if (file === undefined) return undefined;
  try {
    // A log can restart, or be emptied, between what one look reads: only what the next one finds again is lost.
    let previous: readonly [LogMark, LogPosition | undefined] | undefined;
    for (let mark = file.readMark(); mark !== undefined; mark = file.readMark()) {
      const state = readLogState(`${storePath}-wal`);
      if (state !== undefined && (state.salt !== mark.salt || state.frames >= mark.frames)) return undefined;
      if (Bun.deepEquals(previous, [mark, state])) return { sound: state?.frames ?? 0, written: mark.frames };
      previous = [mark, state];
    }
    return undefined;
  } finally {
    file.close();
  }
}

function readLogState(path: string): LogPosition | undefined {
  return readLog(
    path,
    undefined,
    () => {},
    () => 0,
  );
}

function makeBaseline(storePath: string, path: string, pageBytes: number): PageSumFile {
  const store = openSync(storePath, "r");
  const temporary = `${path}.tmp`;
  try {
    const sumFile = PageSumFile.create(temporary, pageBytes, fstatSync(store).size > pageBytes);
    const chunk = Buffer.alloc(BASELINE_PAGES * pageBytes);
    for (let first = 1; ; first += BASELINE_PAGES) {
      const length = readSync(store, chunk, 0, chunk.length, (first - 1) * pageBytes);
      const pages = Math.floor(length / pageBytes);
      const sums = new Map<number, number>();
      for (let i = 0; i < pages; i++)
        sums.set(first + i, sumOf(chunk.subarray(i * pageBytes, (i + 1) * pageBytes)));
      sumFile.write(sums);
      if (pages < BASELINE_PAGES) break;
    }
    sumFile.sync();
    renameSync(temporary, path);
    return sumFile;
  } finally {
    closeSync(store);
  }
}

// The frames of the store's log (the WAL), read without SQLite (sqlite.org/fileformat2.html, section 4). Each frame
// has the sum of all before it: a flipped bit ends the chain.

const HEADER_BYTES = 32;
/** In the header, and again in each frame. */
const SALT_AT = 16;
const SALT_BYTES = 8;
const FRAME_HEADER_BYTES = 24;
const LOG_MAGIC = 0x377f0682;
const CHUNK_BYTES = 1024 * 1024;

/** End of the read part of a log: the end of a transaction. */
interface LogPosition {
  /** Two words that each new beginning of the log changes. */
  readonly salt: string;
  readonly frames: number;
  readonly sum: readonly [number, number];
}

interface OpenLog {
  readonly file: number;
  readonly pageBytes: number;
  readonly salt: string;
  readonly seed: readonly [number, number];
}

/**
 * Reads the committed frames that follow a position, oldest first.
 * @param onCommit gets each transaction's pages by number, with the `sumOf` of their bytes
 * @returns where the last transaction ends; undefined for a log that is empty or not there
 */
export function readLog(
  path: string,
  from: LogPosition | undefined,
  onCommit: (pages: ReadonlyMap<number, number>) => void,
  sumOf: (page: Uint8Array) => number,
): LogPosition | undefined {
  const log = openLog(path);
  if (log === undefined) return undefined;
  try {
    const start = from?.salt === log.salt ? from : { salt: log.salt, frames: 0, sum: log.seed };
    return readFrames(log, start, onCommit, sumOf);
  } finally {
    closeSync(log.file);
  }
}

function openLog(path: string): OpenLog | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const header = Buffer.alloc(HEADER_BYTES);
  const length = readSync(file, header, 0, HEADER_BYTES, 0);
  // The lowest bit of the magic number stands for sums of big-endian words.
  const isOwnOrder = endianness() === "LE" ? LOG_MAGIC : LOG_MAGIC + 1;
  const seed: [number, number] = [0, 0];
  addSum(seed, new Int32Array(header.buffer, header.byteOffset, 6), 0, 6);
  const isWhole = length === HEADER_BYTES && hasSum(header, HEADER_BYTES - 8, seed);
  if (!isWhole || header.readUInt32BE(0) !== isOwnOrder) {
    closeSync(file);
    return undefined;
  }
  return {
    file,
    pageBytes: header.readUInt32BE(8),
    salt: header.toString("latin1", SALT_AT, SALT_AT + SALT_BYTES),
    seed,
  };
}

function readFrames(
  log: OpenLog,
  start: LogPosition,
  onCommit: (pages: ReadonlyMap<number, number>) => void,
  sumOf: (page: Uint8Array) => number,
): LogPosition {
  const frameBytes = FRAME_HEADER_BYTES + log.pageBytes;
  const chunk = Buffer.from(new ArrayBuffer(Math.max(1, Math.floor(CHUNK_BYTES / frameBytes)) * frameBytes));
  const words = new Int32Array(chunk.buffer);
  const sum: [number, number] = [start.sum[0], start.sum[1]];
  let pages = new Map<number, number>();
  let committed = start;
  let frames = start.frames;
  for (;;) {
    const length = readSync(log.file, chunk, 0, chunk.length, HEADER_BYTES + frames * frameBytes);
    const whole = Math.floor(length / frameBytes);
    for (let i = 0; i < whole; i++) {
      const at = i * frameBytes;
      if (chunk.toString("latin1", at + 8, at + 16) !== log.salt) return committed;
      addSum(sum, words, at / 4, at / 4 + 2);
      addSum(sum, words, (at + FRAME_HEADER_BYTES) / 4, (at + frameBytes) / 4);
      if (!hasSum(chunk, at + 16, sum)) return committed;
      frames++;
      pages.set(chunk.readUInt32BE(at), sumOf(chunk.subarray(at + FRAME_HEADER_BYTES, at + frameBytes)));
      // The size of the store stands in the last frame of a transaction.
      if (chunk.readUInt32BE(at + 4) === 0) continue;
      onCommit(pages);
      pages = new Map();
      committed = { salt: log.salt, frames, sum: [sum[0], sum[1]] };
    }
    if (whole * frameBytes < chunk.length) return committed;
  }
}

function addSum(sum: [number, number], words: Int32Array, from: number, to: number): void {
  let [a, b] = sum;
  for (let i = from; i < to; i += 2) {
    // Each step cut to 32 bits: the compiler stays with integers.
    a = (((a + words[i]!) | 0) + b) | 0;
    b = (((b + words[i + 1]!) | 0) + a) | 0;
  }
  sum[0] = a;
  sum[1] = b;
}

function hasSum(bytes: Buffer, at: number, sum: readonly [number, number]): boolean {
  return bytes.readInt32BE(at) === sum[0] && bytes.readInt32BE(at + 4) === sum[1];
}
