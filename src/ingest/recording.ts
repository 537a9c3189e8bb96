// Event files: records of a validator's event stream, plain or gzip (reference 20, sections 6.1 to 6.4).
// Read as a stream: whole blocks are delivered, and the place where a damaged file stops is named exactly.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import type { Block } from "../wire/block.ts";
import { BlockAssembler, StreamFault } from "./block-assembler.ts";
import { InflateFault, inflate } from "./gunzip.ts";

const READ_BYTES = 256 * 1024;
/** Without O_NONBLOCK, opening a pipe would wait for its writer. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const GZIP_MAGIC = [0x1f, 0x8b] as const;
/** Size field and sequence number before each message. */
const FRAME_HEAD_BYTES = 12;
const SIZE_BYTES = 4;
const SEQUENCE_BYTES = 8;
/** The largest record accepted; the largest ever seen is under 4 kB. */
const RECORD_BYTES_MAX = 64 * 1024 * 1024;

/** Where and why reading stopped before the end of the file. */
export interface Damage {
  /** Bytes of the inflated stream before the first bad one. */
  readonly offset: number;
  /** Number of the record, from 1. */
  readonly record: number;
  readonly reason: string;
}

export interface RecordingProgress {
  /** Bytes of the file (as it lies on disk) consumed so far. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
}

export interface RecordingEnd {
  readonly records: number;
  readonly damage?: Damage;
  /** Height of a block that had begun when the file ended; not delivered. */
  readonly unfinishedHeight?: number;
}

/** Checks files before anything is made for them. @throws NodeError when one of the files cannot be read */
export function checkRecordings(paths: readonly string[]): void {
  for (const path of paths) closeSync(openRecording(path).file);
}

interface OpenFile {
  readonly file: number;
  readonly isGzip: boolean;
  readonly bytes: number;
}

function openRecording(path: string): OpenFile {
  let file: number | undefined;
  try {
    file = openSync(path, READ_FLAGS);
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error("it is not a file");
    const magic = new Uint8Array(GZIP_MAGIC.length);
    readSync(file, magic, 0, magic.length, 0);
    return { file, isGzip: GZIP_MAGIC.every((byte, i) => magic[i] === byte), bytes: stat.size };
  } catch (error) {
    if (file !== undefined) closeSync(file);
    throw new NodeError(
      "replay",
      "recording_unreadable",
      `${path}: ${codeOf(error)}`,
      "give the path of an event file (.evts or .evts.gz)",
    );
  }
}

/** Reads one event file block by block; `end` is set when the blocks are through. */
export class RecordingReader {
  end: RecordingEnd | undefined;
  /** Pieces of the stream that are not parsed yet. */
  private rest: Uint8Array[] = [];
  private restBytes = 0;
  /** Bytes that the next record needs to be whole. */
  private neededBytes = FRAME_HEAD_BYTES;
  /** Bytes of the stream that whole records made up. */
  private offset = 0;
  private records = 0;
  private damage: Damage | undefined;
  private bytesRead = 0;
  private bytesTotal = 0;

  /** @param assembler of the file before, where this one goes on with it */
  constructor(
    private readonly path: string,
    private readonly assembler: BlockAssembler = new BlockAssembler(),
  ) {
    assembler.nextFile();
  }

  get progress(): RecordingProgress {
    return { bytesRead: this.bytesRead, bytesTotal: this.bytesTotal };
  }

  /**
   * Batches of whole blocks, one for each piece read, which may be empty. Never throws for damaged content; see
   * `end.damage`. A gzip file delivers its first block after its check sum was verified.
   * @throws NodeError when the file cannot be opened
   */
  async *batches(): AsyncGenerator<Block[]> {
    const { file, isGzip } = this.openFile();
    const onRead = (bytes: number) => {
      this.bytesRead = bytes;
    };
    try {
      const pieces = isGzip ? inflate(file, this.bytesTotal, onRead) : plain(file, onRead);
      for await (const piece of pieces) {
        yield this.parse(piece);
        if (this.damage) break;
      }
      if (!this.damage) this.checkEnd();
    } catch (error) {
      const isInflating = error instanceof InflateFault;
      this.fail(isInflating ? error.message : `the file cannot be read any further: ${codeOf(error)}`);
    } finally {
      closeSync(file);
    }
    const unfinishedHeight = this.assembler.openHeight;
    this.end = {
      records: this.records,
      ...(this.damage ? { damage: this.damage } : {}),
      ...(unfinishedHeight !== undefined ? { unfinishedHeight } : {}),
    };
  }

  private openFile(): OpenFile {
    const opened = openRecording(this.path);
    this.bytesTotal = opened.bytes;
    return opened;
  }

  private parse(piece: Uint8Array): Block[] {
    const blocks: Block[] = [];
    try {
      const from = this.restBytes > 0 ? this.completeRest(piece, blocks) : 0;
      if (from < piece.length) this.keepRest(piece.subarray(this.parseRecords(piece, from, blocks)));
    } catch (error) {
      this.fail(
        error instanceof StreamFault ? error.message : `record ${this.records + 1}: ${reasonOf(error)}`,
      );
    }
    return blocks;
  }

  /** Completes the record that the last piece ended in, and copies no more: the rest is read where it lies. */
  private completeRest(piece: Uint8Array, blocks: Block[]): number {
    let from = 0;
    while (this.restBytes > 0 && from < piece.length) {
      const to = Math.min(piece.length, from + this.neededBytes - this.restBytes);
      this.keepRest(piece.subarray(from, to));
      from = to;
      if (this.restBytes < this.neededBytes) break;
      // A large record comes in many pieces: they are put together once.
      const record = this.rest.length === 1 ? this.rest[0]! : Buffer.concat(this.rest);
      this.rest = [];
      this.restBytes = 0;
      this.keepRest(record.subarray(this.parseRecords(record, 0, blocks)));
    }
    return from;
  }

  private keepRest(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.rest.push(bytes);
    this.restBytes += bytes.length;
  }

  /** Parses whole records from a place on; returns where they end. */
  private parseRecords(bytes: Uint8Array, from: number, blocks: Block[]): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = from;
    for (;;) {
      this.neededBytes = FRAME_HEAD_BYTES;
      if (bytes.length - at < SIZE_BYTES) return at;
      const size = view.getUint32(at);
      if (size < SEQUENCE_BYTES || size > RECORD_BYTES_MAX) {
        throw new StreamFault(`record ${this.records + 1} claims ${size} bytes`);
      }
      this.neededBytes = SIZE_BYTES + size;
      const next = at + SIZE_BYTES + size;
      if (next > bytes.length) return at;
      const block = this.assembler.push(bytes, at + FRAME_HEAD_BYTES, next, this.records + 1, this.offset);
      if (block) blocks.push(block);
      this.records++;
      this.offset += next - at;
      at = next;
    }
  }

  private checkEnd(): void {
    if (this.restBytes > 0) {
      const missing = this.neededBytes - this.restBytes;
      this.fail(
        `the file ends inside record ${this.records + 1}: at least ${missing} more bytes belong to it`,
      );
    } else if (this.records === 0) this.fail("the file is empty");
  }

  private fail(reason: string): void {
    this.damage ??= { offset: this.offset, record: this.records + 1, reason };
  }
}

function* plain(file: number, onRead: (bytes: number) => void): Generator<Uint8Array> {
  for (let at = 0; ; ) {
    // Blocks keep views of these bytes: every piece has a buffer of its own.
    const bytes = new Uint8Array(READ_BYTES);
    const length = readSync(file, bytes, 0, READ_BYTES, at);
    if (length === 0) return;
    at += length;
    onRead(at);
    yield bytes.subarray(0, length);
  }
}

/** Reason why a file cannot be read, without the path that the system's own sentence repeats. */
function codeOf(error: unknown): string {
  const code = (error as { code?: string }).code;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES" || code === "EPERM") return "it may not be read";
  return code ? `it cannot be read (${code})` : reasonOf(error);
}
