/**
 * The events of the last blocks, beside the store: for streams of events that begin behind an earlier block. They are
 * kept from the first stream of events on, until none was open for a while, and are written before the block is committed:
 * a stream that was open when its node was killed finds them after the restart.
 *
 * Two files are filled in turn. A record takes the place of all records of its height and above, because a block that was
 * not committed, or was taken back, is followed by another of its height. A reader compares its hash with the store's.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";

/** Blocks without a stream of events after which nothing more is kept. */
const IDLE_BLOCKS_MAX = 1_000;
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const NAMES = ["recent-events.0", "recent-events.1"] as const;
/** Length of the events, their sum, number of the record, height, first bytes of the block's hash. */
const HEADER_BYTES = 28;
const HASH_BYTES = 8;

const pathsIn = (home: string) => NAMES.map((name) => join(home, name));

interface RecordPlace {
  readonly descriptor: number;
  /** Counts all records: the file with the higher numbers is the newer one. */
  readonly number: number;
  readonly height: number;
  /** The first hexadecimal digits, lower case. */
  readonly hash: string;
  readonly crc: number;
  /** Of the events. */
  readonly start: number;
  readonly length: number;
}

/** Records of a file up to its end, or to one that was not written to its end. */
function recordsIn(descriptor: number): RecordPlace[] {
  const { size } = fstatSync(descriptor);
  const header = Buffer.alloc(HEADER_BYTES);
  const records: RecordPlace[] = [];
  for (let at = 0; at + HEADER_BYTES <= size; ) {
    readSync(descriptor, header, 0, HEADER_BYTES, at);
    const start = at + HEADER_BYTES;
    const length = header.readUInt32LE(0);
    const number = header.readUInt32LE(8);
    const before = records.at(-1);
    if (start + length > size || (before !== undefined && number !== before.number + 1)) break;
    records.push({
      descriptor,
      number,
      height: Number(header.readBigUInt64LE(12)),
      hash: header.toString("hex", 20, 20 + HASH_BYTES),
      crc: header.readUInt32LE(4),
      start,
      length,
    });
    at = start + length;
  }
  return records;
}

const endOf = (records: readonly RecordPlace[]) => {
  const last = records.at(-1);
  return last === undefined ? 0 : last.start + last.length;
};

/** The writer's side: one for each store that is written. */
export class RecentEvents {
  /** Of both files, once there is something to keep. */
  private descriptors: readonly number[] | undefined;
  private current = 0;
  private end = 0;
  private number = 0;
  /** Height up to which blocks are kept. */
  private keptUpTo = 0;

  constructor(
    private readonly home: string,
    private readonly fileBytesMax = FILE_BYTES_MAX,
  ) {
    if (pathsIn(home).some((path) => existsSync(path))) this.open();
  }

  /** A stream of events is open as of a height. */
  noteFollowed(height: number): void {
    this.keptUpTo = Math.max(this.keptUpTo, height + IDLE_BLOCKS_MAX);
  }

  /** The chain took blocks back: the heights behind this one are those of other blocks. */
  noteReverted(height: number): void {
    this.keptUpTo = Math.min(this.keptUpTo, height + IDLE_BLOCKS_MAX);
  }

  /** Whether the events of a block are to be kept. */
  keeps(height: number): boolean {
    if (height <= this.keptUpTo) return true;
    if (this.number > 0) this.clear();
    return false;
  }

  /**
   * Keeps the events of a block that is about to be committed. A disk that does not take them ends it: streams that begin
   * behind earlier blocks are refused then, and no block fails.
   * @param hash hexadecimal
   */
  append(height: number, hash: string, events: Uint8Array): void {
    try {
      this.open();
      if (this.end > this.fileBytesMax) this.turn();
      const header = Buffer.alloc(HEADER_BYTES);
      header.writeUInt32LE(events.length, 0);
      header.writeUInt32LE(crc32(events), 4);
      header.writeUInt32LE(this.number + 1, 8);
      header.writeBigUInt64LE(BigInt(height), 12);
      header.write(hash.slice(0, 2 * HASH_BYTES), 20, "hex");
      const record = Buffer.concat([header, events]);
      const descriptor = this.descriptors![this.current]!;
      if (writeSync(descriptor, record, 0, record.length, this.end) !== record.length)
        throw new Error("full");
      this.end += record.length;
      this.number++;
    } catch {
      this.keptUpTo = 0;
    }
  }

  close(): void {
    for (const descriptor of this.descriptors ?? []) closeSync(descriptor);
    this.descriptors = undefined;
  }

  private open(): void {
    if (this.descriptors !== undefined) return;
    const flags = constants.O_RDWR | constants.O_CREAT;
    this.descriptors = pathsIn(this.home).map((path) => openSync(path, flags, 0o600));
    const files = this.descriptors.map(recordsIn);
    const lasts = files.map((records) => records.at(-1));
    this.current = (lasts[0]?.number ?? 0) >= (lasts[1]?.number ?? 0) ? 0 : 1;
    this.end = endOf(files[this.current]!);
    const last = lasts[this.current];
    this.number = last?.number ?? 0;
    if (last !== undefined) this.noteFollowed(last.height);
  }

  /** The older file is filled again. */
  private turn(): void {
    this.current = 1 - this.current;
    this.end = 0;
    ftruncateSync(this.descriptors![this.current]!, 0);
  }

  private clear(): void {
    for (const descriptor of this.descriptors ?? []) ftruncateSync(descriptor, 0);
    this.end = 0;
    this.number = 0;
  }
}

interface RecentBlock {
  /** The first hexadecimal digits, lower case. */
  readonly hash: string;
  /** As `EventTap` packs them. */
  readonly events: Uint8Array;
}

/** The reader's side, on any thread: for one stream, up to its `close`. */
export class RecentEventsReader {
  private readonly descriptors: readonly number[];
  private records: readonly RecordPlace[] = [];

  constructor(home: string) {
    this.descriptors = pathsIn(home)
      .filter((path) => existsSync(path))
      .map((path) => openSync(path, "r"));
    this.refresh();
  }

  /** @returns undefined where its events are not kept, or not written yet */
  block(height: number): RecentBlock | undefined {
    const place = this.place(height) ?? this.refreshed(height);
    if (place === undefined) return undefined;
    const { descriptor, start, length, crc, hash } = place;
    const events = new Uint8Array(length);
    const isWhole = readSync(descriptor, events, 0, length, start) === length && crc32(events) === crc;
    return isWhole ? { hash, events } : undefined;
  }

  close(): void {
    for (const descriptor of this.descriptors) closeSync(descriptor);
  }

  private place(height: number): RecordPlace | undefined {
    return this.records.find((record) => record.height === height);
  }

  private refreshed(height: number): RecordPlace | undefined {
    this.refresh();
    return this.place(height);
  }

  private refresh(): void {
    const all = this.descriptors.flatMap(recordsIn).sort((a, b) => a.number - b.number);
    const records: RecordPlace[] = [];
    for (const record of all) {
      while (records.length > 0 && records.at(-1)!.height >= record.height) records.pop();
      records.push(record);
    }
    this.records = records;
  }
}
