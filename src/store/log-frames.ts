// The frames of the store's log (the WAL), read without SQLite (sqlite.org/fileformat2.html, section 4). Each frame
// has the sum of all before it: a flipped bit ends the chain.
import { closeSync, openSync, readSync } from "node:fs";
import { endianness } from "node:os";

const HEADER_BYTES = 32;
/** In the header, and again in each frame. */
export const SALT_AT = 16;
export const SALT_BYTES = 8;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
const CHUNK_BYTES = 1024 * 1024;

/** How far a log is read: up to the end of a transaction. */
export interface LogPosition {
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
 * @param onCommit gets each transaction's pages by number, with what `sumOf` makes of their bytes
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
  // The lowest bit of the magic number says that the sums are those of big-endian words.
  const isOwnOrder = endianness() === "LE" ? MAGIC : MAGIC + 1;
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
