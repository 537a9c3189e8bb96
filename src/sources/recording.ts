// Event files: records of a validator's event stream, plain or gzip (reference 20, sections 6.1 to 6.4).
// Read as a stream; what is whole is delivered, and the place where a damaged file stops is said exactly.
import { createReadStream, type ReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { ExitCode, NodeError, reasonOf } from "../errors.ts";
import type { Block } from "./block.ts";
import { BlockAssembler, StreamFault } from "./block-assembler.ts";

const READ_BYTES = 1024 * 1024;
/** Size field and sequence number before each message. */
const FRAME_HEAD_BYTES = 12;
const SEQUENCE_BYTES = 8;
/** The largest record accepted; the largest ever seen is under 4 kB. */
export const RECORD_BYTES_MAX = 64 * 1024 * 1024;

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

/** Reads one event file block by block; `end` is set when the blocks are through. */
export class RecordingReader {
  end: RecordingEnd | undefined;
  private readonly assembler: BlockAssembler;
  private rest: Uint8Array = new Uint8Array(0);
  private offset = 0;
  private records = 0;
  private damage: Damage | undefined;
  private raw: ReadStream | undefined;
  private bytesTotal = 0;

  constructor(
    private readonly path: string,
    assembler?: BlockAssembler,
  ) {
    this.assembler = assembler ?? new BlockAssembler();
  }

  get progress(): RecordingProgress {
    return { bytesRead: this.raw?.bytesRead ?? 0, bytesTotal: this.bytesTotal };
  }

  /** Batches of whole blocks, one for each piece read. Never throws for damaged content; see `end.damage`. @throws NodeError when the file cannot be opened */
  async *batches(): AsyncGenerator<Block[]> {
    const stream = await this.openStream();
    try {
      for await (const piece of stream) {
        const blocks = this.take(piece as Uint8Array);
        if (blocks.length > 0) yield blocks;
        if (this.damage) break;
      }
      if (!this.damage && this.rest.length > 0) {
        const missing = this.missingBytes();
        this.fail(
          `the file ends inside record ${this.records + 1}: at least ${missing} more bytes belong to it`,
        );
      }
    } catch (error) {
      this.fail(`the compressed data cannot be read: ${reasonOf(error)}`);
    } finally {
      this.raw?.destroy();
    }
    this.end = {
      records: this.records,
      ...(this.damage ? { damage: this.damage } : {}),
      ...(this.assembler.openHeight !== undefined ? { unfinishedHeight: this.assembler.openHeight } : {}),
    };
  }

  private async openStream(): Promise<AsyncIterable<unknown>> {
    const magic = new Uint8Array(2);
    try {
      const file = await open(this.path, "r");
      try {
        const stat = await file.stat();
        if (!stat.isFile()) throw new Error("it is not a file");
        this.bytesTotal = stat.size;
        await file.read(magic, 0, 2, 0);
      } finally {
        await file.close();
      }
    } catch (error) {
      const reason =
        (error as { code?: string }).code === "ENOENT" ? "there is no such file" : reasonOf(error);
      throw new NodeError(
        "replay",
        "recording_unreadable",
        `${this.path}: ${reason}`,
        "give the path of an event file (.evts or .evts.gz)",
        ExitCode.failed,
      );
    }
    this.raw = createReadStream(this.path, { highWaterMark: READ_BYTES });
    if (magic[0] !== 0x1f || magic[1] !== 0x8b) return this.raw;
    const gunzip = createGunzip({ chunkSize: READ_BYTES });
    this.raw.on("error", (error) => gunzip.destroy(error));
    return this.raw.pipe(gunzip);
  }

  private take(piece: Uint8Array): Block[] {
    const bytes = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece]);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const blocks: Block[] = [];
    let at = 0;
    try {
      while (bytes.length - at >= FRAME_HEAD_BYTES) {
        const size = view.getUint32(at);
        if (size < SEQUENCE_BYTES || size > RECORD_BYTES_MAX) {
          throw new StreamFault(`record ${this.records + 1} claims ${size} bytes`);
        }
        const next = at + 4 + size;
        if (next > bytes.length) break;
        const block = this.assembler.push(bytes, at + FRAME_HEAD_BYTES, next);
        this.records++;
        if (block) blocks.push(block);
        at = next;
      }
    } catch (error) {
      this.offset += at;
      this.fail(
        error instanceof StreamFault ? error.message : `record ${this.records + 1}: ${reasonOf(error)}`,
      );
      return blocks;
    }
    this.offset += at;
    this.rest = bytes.subarray(at);
    return blocks;
  }

  private missingBytes(): number {
    if (this.rest.length < FRAME_HEAD_BYTES) return FRAME_HEAD_BYTES - this.rest.length;
    const size = new DataView(this.rest.buffer, this.rest.byteOffset, 4).getUint32(0);
    return 4 + size - this.rest.length;
  }

  private fail(reason: string): void {
    this.damage ??= { offset: this.offset, record: this.records + 1, reason };
  }
}
