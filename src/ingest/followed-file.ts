// An event file that is read while it is written: a file that a core appends to, a named pipe, or standard input. A core
// that restarts begins its file again; the events of the new one are read like those of another file.
import { closeSync, constants, createReadStream, fstatSync, openSync, readSync, statSync } from "node:fs";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import type { BlockAssembler } from "./block-assembler.ts";
import type { LogPlace } from "./event-log.ts";
import type { IntakeReader } from "./intake.ts";
import { RecordSplitter } from "./records.ts";

const READ_BYTES = 256 * 1024;
/** Interval at which a file is looked at when nothing more is in it. */
const LOOK_MS = 50;
/** The first bytes of a file, by which it is known after it was cut and has grown again. */
const HEAD_BYTES = 256;
/** Bytes of a pipe that wait to be stored; its writer waits then. */
const PIPED_BYTES_MAX = 8 * 1024 * 1024;
const GZIP_MAGIC = 0x1f8b;
/** For standard input. */
const STANDARD_INPUT = "-";

export interface FollowedHooks {
  /** There may be more to read. */
  onGrown(): void;
  /** Nothing more will come: standard input has ended. @param missingBytes of a record that is not whole */
  onEnd(missingBytes: number): void;
  onFailed(error: NodeError): void;
}

/** @throws NodeError `recording_unreadable` */
export function follow(path: string, assembler: BlockAssembler, hooks: FollowedHooks): IntakeReader {
  if (path === STANDARD_INPUT) return new PipeTail(undefined, assembler, hooks);
  let isPipe: boolean;
  try {
    const stat = statSync(path);
    isPipe = stat.isFIFO();
    if (!isPipe && !stat.isFile()) throw unreadable(path, "it is not a file");
  } catch (error) {
    if (error instanceof NodeError) throw error;
    throw unreadable(path, reasonOf(error));
  }
  return isPipe ? new PipeTail(path, assembler, hooks) : new GrowingFile(path, assembler, hooks);
}

/** Records of one file after the other. */
abstract class FileTail implements IntakeReader {
  protected splitter = new RecordSplitter();
  connection = 1;
  private isDamaged = false;

  constructor(private readonly assembler: BlockAssembler) {
    assembler.nextFile();
  }

  get bytes(): Uint8Array {
    return this.splitter.bytes;
  }

  get start(): number {
    return this.splitter.start;
  }

  get end(): number {
    return this.splitter.end;
  }

  get fileNo(): number {
    return this.connection;
  }

  get offset(): number {
    return this.splitter.frameOffset;
  }

  get endPlace(): LogPlace {
    return { file: this.connection, offset: this.splitter.offset };
  }

  next(): boolean {
    while (this.isDamaged || !this.splitter.next()) if (!this.readMore()) return false;
    return true;
  }

  /** The frames cannot be found again in a damaged file: the next one is waited for. */
  skipFile(): boolean {
    this.isDamaged = true;
    return false;
  }

  abstract close(): void;
  /** Feeds the splitter; false where nothing came. */
  protected abstract readMore(): boolean;

  protected beginAgain(): void {
    this.splitter = new RecordSplitter();
    this.connection++;
    this.isDamaged = false;
    this.assembler.nextFile();
  }

  protected feed(piece: Uint8Array): void {
    if (!this.isDamaged) this.splitter.feed(piece);
  }
}

class GrowingFile extends FileTail {
  private file: number;
  private readAt = 0;
  /** The first bytes of the file. */
  private head = new Uint8Array(0);
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(
    private readonly path: string,
    assembler: BlockAssembler,
    hooks: FollowedHooks,
  ) {
    super(assembler);
    this.file = this.open();
    this.timer = setInterval(() => hooks.onGrown(), LOOK_MS);
  }

  close(): void {
    clearInterval(this.timer);
    closeSync(this.file);
  }

  protected readMore(): boolean {
    if (this.isCut()) this.beginFile();
    const length = Math.min(READ_BYTES, fstatSync(this.file).size - this.readAt);
    // The rest of a file that was moved away is read before the one in its place.
    if (length <= 0) return this.isReplaced() && this.beginFile();
    // Blocks keep views of these bytes: every piece has a buffer of its own.
    const piece = new Uint8Array(length);
    const read = readSync(this.file, piece, 0, length, this.readAt);
    if (this.head.length < HEAD_BYTES) {
      const lacking = HEAD_BYTES - this.head.length;
      if (this.readAt === this.head.length)
        this.head = Buffer.concat([this.head, piece.subarray(0, Math.min(read, lacking))]);
    }
    this.readAt += read;
    this.feed(piece.subarray(0, read));
    return read > 0;
  }

  /** It became shorter, or begins with other events than before. */
  private isCut(): boolean {
    if (fstatSync(this.file).size < this.readAt) return true;
    const head = new Uint8Array(this.head.length);
    readSync(this.file, head, 0, head.length, 0);
    return Buffer.compare(head, this.head) !== 0;
  }

  private isReplaced(): boolean {
    const stats = statSync(this.path, { throwIfNoEntry: false });
    // Between its removal and the next one nothing can be read.
    return stats !== undefined && stats.ino !== fstatSync(this.file).ino;
  }

  private beginFile(): true {
    const file = this.open();
    closeSync(this.file);
    this.file = file;
    this.readAt = 0;
    this.head = new Uint8Array(0);
    this.beginAgain();
    return true;
  }

  private open(): number {
    let file: number;
    try {
      file = openSync(this.path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      throw unreadable(this.path, reasonOf(error));
    }
    // A path that was a file may be a pipe by now, which has no places to read at.
    if (!fstatSync(file).isFile()) {
      closeSync(file);
      throw unreadable(this.path, "it is not a file any more");
    }
    const magic = new Uint8Array(2);
    readSync(file, magic, 0, magic.length, 0);
    if (new DataView(magic.buffer).getUint16(0) !== GZIP_MAGIC) return file;
    closeSync(file);
    throw unreadable(this.path, `it is compressed: zcat FILE | lyra replay --follow ${STANDARD_INPUT}`);
  }
}

/** A named pipe, whose next writer is waited for; or standard input, which ends. */
class PipeTail extends FileTail {
  private readonly pieces: Uint8Array[] = [];
  private waitingBytes = 0;
  private room = Promise.withResolvers<void>();
  private isClosed = false;
  private hasEnded = false;
  private stream: ReturnType<typeof createReadStream> | undefined;

  /** @param path undefined for standard input */
  constructor(
    private readonly path: string | undefined,
    assembler: BlockAssembler,
    private readonly hooks: FollowedHooks,
  ) {
    super(assembler);
    this.pump().catch((error) => hooks.onFailed(error));
  }

  close(): void {
    this.isClosed = true;
    this.room.resolve();
    this.stream?.destroy();
  }

  protected readMore(): boolean {
    const piece = this.pieces.shift();
    if (piece === undefined) {
      if (this.hasEnded && !this.isClosed) this.hooks.onEnd(this.splitter.missingBytes);
      this.hasEnded = false;
      return false;
    }
    // The mark between two writers.
    if (piece.length === 0) {
      this.beginAgain();
      return true;
    }
    this.waitingBytes -= piece.length;
    if (this.waitingBytes < PIPED_BYTES_MAX) this.room.resolve();
    this.feed(piece);
    return true;
  }

  private async pump(): Promise<void> {
    do {
      await this.readStream();
      if (this.path !== undefined) this.pieces.push(new Uint8Array(0));
    } while (this.path !== undefined && !this.isClosed);
    this.hasEnded = true;
    this.hooks.onGrown();
  }

  private async readStream(): Promise<void> {
    const { path } = this;
    this.stream =
      path === undefined
        ? createReadStream("", { fd: 0, autoClose: false, highWaterMark: READ_BYTES })
        : createReadStream(path, { highWaterMark: READ_BYTES });
    try {
      for await (const piece of this.stream) {
        this.pieces.push(new Uint8Array(piece as Buffer));
        this.waitingBytes += (piece as Buffer).length;
        this.hooks.onGrown();
        if (this.waitingBytes < PIPED_BYTES_MAX) continue;
        this.room = Promise.withResolvers();
        await this.room.promise;
      }
    } catch (error) {
      // Closed by this side.
      if (!this.isClosed) throw unreadable(path ?? "standard input", reasonOf(error));
    }
  }
}

function unreadable(path: string, reason: string): NodeError {
  return new NodeError(
    "replay",
    "recording_unreadable",
    `${path}: ${reason}`,
    "give the path of an event file that is written, a named pipe, or - for standard input",
  );
}
