// Event files: records of a validator's event stream, plain or gzip
// (docs/protocol/20-network-history-segments.md#61-binary-format to #64-the-doubled-first-height). Read as a stream:
// whole blocks are delivered, and the place where a damaged file stops is named exactly.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import type { Block } from "../wire/block.ts";
import { StreamFault } from "./block-assembler.ts";
import { InflateFault, inflate } from "./gunzip.ts";
import { RecordSplitter } from "./records.ts";

const READ_BYTES = 256 * 1024;
/** Without O_NONBLOCK, opening a pipe would wait for its writer. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const GZIP_MAGIC = [0x1f, 0x8b] as const;

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

/** Makes blocks of events. */
interface Assembler<B> {
  /** Height of a block that has begun and not ended. */
  readonly openHeight: number | undefined;
  /** Another file begins: its events go on with the block that has not ended. */
  nextFile(): void;
  /** Adds an event, and returns the block that it completes. @throws StreamFault, WireError */
  push(bytes: Uint8Array, start: number, end: number, record: number, offset: number): B | undefined;
}

/** Reads one event file block by block; `end` is set when the blocks are through. */
export class RecordingReader<B = Block> {
  end: RecordingEnd | undefined;
  private readonly splitter = new RecordSplitter();
  /** Bytes of the stream that sound records made up. */
  private offset = 0;
  private records = 0;
  private damage: Damage | undefined;
  private bytesRead = 0;
  private bytesTotal = 0;

  /** @param assembler of the file before, where this one goes on with it */
  constructor(
    private readonly path: string,
    private readonly assembler: Assembler<B>,
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
  async *batches(): AsyncGenerator<B[]> {
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

  private parse(piece: Uint8Array): B[] {
    const blocks: B[] = [];
    const { splitter, assembler } = this;
    try {
      splitter.feed(piece);
      while (splitter.next()) {
        const { bytes, start, end } = splitter;
        const block = assembler.push(bytes, start, end, splitter.frames, splitter.frameOffset);
        if (block) blocks.push(block);
        this.records = splitter.frames;
        this.offset = splitter.offset;
      }
    } catch (error) {
      this.fail(
        error instanceof StreamFault ? error.message : `record ${this.records + 1}: ${reasonOf(error)}`,
      );
    }
    return blocks;
  }

  private checkEnd(): void {
    const missing = this.splitter.missingBytes;
    if (missing > 0) {
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
