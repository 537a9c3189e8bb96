// The event log of a sidecar: events are appended in the order in which they come, before anything else happens to them,
// to files of a folder. Each file is an event file
// (docs/protocol/30-node-api-events.md#10-socket-from-core-to-data-node); the high word of a record's sequence number
// is the number of the connection that it came by. A killed process loses nothing of it: the system has the bytes.
//
// The log is bounded. Files that are read stay as long as there is room, for other sidecars to follow; where even the
// unread ones fill it, the sender has to wait.
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { isDiskFull } from "../files/sqlite-error.ts";
import { StreamFault } from "./block-assembler.ts";
import { LogReserve } from "./log-reserve.ts";
import { RecordSplitter } from "./records.ts";

/** A record's place: number of the file, and bytes before it. */
export interface LogPlace {
  readonly file: number;
  readonly offset: number;
}

const NAME = /^(\d{12})\.evts$/;
/** The file that says up to where the log is read. */
const READ_MARK = "read";
const MARK_CHARACTERS = 48;
/** Room for events that come while the disk is full, a part of the whole log. */
const RESERVE = "reserve";
const RESERVE_PARTS = 16;
/** A file is a part of the whole log, so that old events go in small steps. */
const FILE_PARTS = 16;
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const FILE_BYTES_MIN = 64 * 1024;
const READ_BYTES = 256 * 1024;
const CONNECTIONS = 2 ** 32;

/** Bytes of a live block's events, which are in memory until it is whole. */
const BLOCK_BYTES_MAX = 128 * 1024 * 1024;
/** The log holds this many blocks of that size. */
const LOG_BLOCKS_MIN = 2;

/** Bytes of the largest block that a log of this many bytes takes. */
export function liveBlockBytes(logBytesMax: number): number {
  return Math.min(BLOCK_BYTES_MAX, Math.floor(logBytesMax / LOG_BLOCKS_MIN));
}

const pathOf = (folder: string, file: number) => join(folder, `${String(file).padStart(12, "0")}.evts`);

/** Numbers of its files, oldest first. */
export function filesOf(folder: string): number[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** Links, pipes and folders under names of the log are not its own: one would be written through, another never opens. */
export function removeForeignFiles(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const isOurName = NAME.test(entry.name) || entry.name === READ_MARK || entry.name === RESERVE;
    if (isOurName && !entry.isFile()) rmSync(join(folder, entry.name), { recursive: true });
  }
}

function isBefore(a: LogPlace, b: LogPlace): boolean {
  return a.file < b.file || (a.file === b.file && a.offset < b.offset);
}

/** Appends; on the thread that receives. */
export class EventLogWriter {
  private readonly files: { readonly no: number; bytes: number }[];
  private file = -1;
  private isOpen = false;
  /** The log is read up to here: by a reader of the same folder. */
  private readPlace: LogPlace;
  private readonly fileBytes: number;
  private readonly reserve: LogReserve;
  /** Number of the last connection. */
  private connection: number;

  /** @throws an error of the file system */
  constructor(
    private readonly folder: string,
    private readonly bytesMax: number,
  ) {
    this.fileBytes = Math.min(FILE_BYTES_MAX, Math.max(FILE_BYTES_MIN, Math.floor(bytesMax / FILE_PARTS)));
    mkdirSync(folder, { recursive: true });
    removeForeignFiles(folder);
    this.files = filesOf(folder).map((no) => ({ no, bytes: statSync(pathOf(folder, no)).size }));
    this.connection = this.cutLast();
    this.readPlace = readMark(folder) ?? { file: this.files[0]?.no ?? 1, offset: 0 };
    this.reserve = new LogReserve(join(folder, RESERVE), Math.floor(bytesMax / RESERVE_PARTS));
    this.reserve.fill();
  }

  /** A number for a new connection, which no other one in the log has. */
  nextConnection(): number {
    this.connection = (this.connection + 1) % CONNECTIONS;
    return this.connection;
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get unreadBytes(): number {
    const { file, offset } = this.readPlace;
    return this.files.reduce((sum, { no, bytes }) => {
      if (no < file) return sum;
      return sum + (no === file ? Math.max(0, bytes - offset) : bytes);
    }, 0);
  }

  get firstFile(): number | undefined {
    return this.files[0]?.no;
  }

  /** Nothing before this place is needed any more. */
  noteRead(place: LogPlace): void {
    if (isBefore(this.readPlace, place)) this.readPlace = place;
  }

  /**
   * Appends whole records.
   * @returns false when there is no room for them before more is read; nothing is appended then
   * @throws an error of the file system, such as a full disk; nothing is appended then
   */
  append(records: Uint8Array): boolean {
    if (!this.hasRoom(records.length)) return false;
    for (;;) {
      try {
        this.appendNow(records);
        return true;
      } catch (error) {
        // Files that are read make room first, then the reserve.
        if (!isDiskFull(error)) throw error;
        if (!this.removeReadFile() && !this.reserve.release(records.length)) throw error;
      }
    }
  }

  /** Takes the room again that a full disk took. */
  refillReserve(): void {
    this.reserve.fill();
  }

  get reserveBytes(): number {
    return this.reserve.bytes;
  }

  private appendNow(records: Uint8Array): void {
    const last = this.fileFor(records.length);
    let done = 0;
    try {
      while (done < records.length) {
        done += writeSync(this.file, records, done, records.length - done, last.bytes + done);
      }
    } catch (error) {
      ftruncateSync(this.file, last.bytes);
      throw error;
    }
    last.bytes += records.length;
  }

  /** Removes the oldest file, if all of it is read and a newer file is written to. */
  private removeReadFile(): boolean {
    const [oldest] = this.files;
    if (oldest === undefined || this.files.length < 2 || oldest.no >= this.readPlace.file) return false;
    unlinkSync(pathOf(this.folder, oldest.no));
    this.files.shift();
    return true;
  }

  close(): void {
    if (this.isOpen) closeSync(this.file);
    this.isOpen = false;
  }

  /** Makes room by removing the oldest files that are read. Records that are larger than the whole log fit an empty one. */
  private hasRoom(length: number): boolean {
    while (this.bytes + length > this.bytesMax) {
      const [oldest] = this.files;
      if (oldest === undefined || this.unreadBytes === 0) return true;
      if (oldest.no >= this.readPlace.file) return false;
      unlinkSync(pathOf(this.folder, oldest.no));
      this.files.shift();
    }
    return true;
  }

  private fileFor(length: number): { bytes: number } {
    const last = this.files.at(-1);
    const fits = last !== undefined && (last.bytes === 0 || last.bytes + length <= this.fileBytes);
    if (this.isOpen && fits) return last;
    const no = fits ? last.no : (last?.no ?? 0) + 1;
    const path = pathOf(this.folder, no);
    // An empty file that a full disk has left is used, too.
    const file = openSync(path, existsSync(path) ? "r+" : "w+");
    this.close();
    this.file = file;
    this.isOpen = true;
    if (fits) return last;
    const added = { no, bytes: 0 };
    this.files.push(added);
    return added;
  }

  /** Cuts off what a killed process has left of a record. @returns the connection of the last whole one */
  private cutLast(): number {
    let connection = 0;
    for (const last of this.files.slice(-2)) {
      const path = pathOf(this.folder, last.no);
      const splitter = new RecordSplitter();
      splitter.feed(readFileSync(path));
      try {
        while (splitter.next()) connection = splitter.sequenceHigh;
      } catch (error) {
        if (!(error instanceof StreamFault)) throw error;
      }
      if (last !== this.files.at(-1) || splitter.offset === last.bytes) continue;
      const file = openSync(path, "r+");
      ftruncateSync(file, splitter.offset);
      closeSync(file);
      last.bytes = splitter.offset;
    }
    return connection;
  }
}

/** Reads the log as it grows; on any thread, by any number of readers. */
export class EventLogReader {
  /** The record that `next` found: its message, the connection that it came by, its place. */
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  connection = 0;
  private no: number;
  private file: number | undefined;
  private mark: number | undefined;
  private readAt: number;
  /** Bytes of the file before those that the splitter counts from. */
  private base: number;
  private splitter = new RecordSplitter();

  /** @param from where to begin; at the oldest file where that place is gone */
  constructor(
    private readonly folder: string,
    from?: LogPlace,
  ) {
    const files = filesOf(folder);
    const place = from !== undefined && files.includes(from.file) ? from : undefined;
    this.no = place?.file ?? files.find((no) => no > (from?.file ?? 0)) ?? files[0] ?? from?.file ?? 1;
    this.readAt = place?.offset ?? 0;
    this.base = this.readAt;
  }

  /** Where the record of `next` begins. */
  get place(): LogPlace {
    return { file: this.no, offset: this.offset };
  }

  get fileNo(): number {
    return this.no;
  }

  get offset(): number {
    return this.base + this.splitter.frameOffset;
  }

  /** Behind the record of `next`. */
  get endPlace(): LogPlace {
    return { file: this.no, offset: this.base + this.splitter.offset };
  }

  /** Finds the next record; false at the end of what is written. @throws StreamFault for a damaged file; see `skipFile` */
  next(): boolean {
    while (!this.splitter.next()) if (!this.readMore()) return false;
    const { splitter } = this;
    this.bytes = splitter.bytes;
    this.start = splitter.start;
    this.end = splitter.end;
    this.connection = splitter.sequenceHigh;
    return true;
  }

  /** Goes on with the next file, where there is one. */
  skipFile(): boolean {
    const next = filesOf(this.folder).find((no) => no > this.no);
    if (next === undefined) return false;
    this.closeFile();
    this.no = next;
    this.readAt = 0;
    this.base = 0;
    this.splitter = new RecordSplitter();
    return true;
  }

  /** Keeps a place for the next start (`readMark`). It may lag: what is read twice is known by then. */
  keepPlace(place: LogPlace): void {
    if (this.mark === undefined) {
      // Only in an existing home: a moved one comes back to its place.
      if (!existsSync(this.folder)) mkdirSync(this.folder);
      const path = join(this.folder, READ_MARK);
      this.mark = openSync(path, existsSync(path) ? "r+" : "w+");
    }
    // Of one length, so that each text covers the last one whole.
    writeSync(this.mark, JSON.stringify(place).padEnd(MARK_CHARACTERS), 0);
  }

  close(): void {
    this.closeFile();
    if (this.mark !== undefined) closeSync(this.mark);
    this.mark = undefined;
  }

  private closeFile(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }

  private readMore(): boolean {
    // Looked for first: a file that has a next one does not grow any more.
    const hasNext = existsSync(pathOf(this.folder, this.no + 1));
    if (this.readPiece()) return true;
    return hasNext && this.skipFile();
  }

  private readPiece(): boolean {
    if (this.file === undefined) {
      const path = pathOf(this.folder, this.no);
      if (!existsSync(path)) return false;
      this.file = openSync(path, "r");
    }
    const length = Math.min(READ_BYTES, fstatSync(this.file).size - this.readAt);
    if (length <= 0) return false;
    // Blocks keep views of these bytes: every piece has a buffer of its own.
    const piece = new Uint8Array(length);
    const read = readSync(this.file, piece, 0, length, this.readAt);
    if (read === 0) return false;
    this.readAt += read;
    this.splitter.feed(piece.subarray(0, read));
    return true;
  }
}

/** Where reading goes on; undefined where nothing was read, or nothing is known of it. */
export function readMark(folder: string): LogPlace | undefined {
  try {
    const { file, offset } = JSON.parse(readFileSync(join(folder, READ_MARK), "utf8")) as LogPlace;
    return Number.isSafeInteger(file) && Number.isSafeInteger(offset) ? { file, offset } : undefined;
  } catch {
    return undefined;
  }
}
