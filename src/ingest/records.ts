// Frames cut out of a stream that comes in pieces; and those of an event file, its records
// (docs/protocol/20-network-history-segments.md#61-binary-format): a size, a sequence number, and a serialized bus
// event.
import { StreamFault } from "./block-assembler.ts";

/** Size field and sequence number before each message. */
export const RECORD_HEAD_BYTES = 12;
const SIZE_BYTES = 4;
const SEQUENCE_BYTES = 8;
/** Of one record, without its size field; the largest ever seen is under 4 kB. */
const RECORD_BYTES_MAX = 64 * 1024 * 1024;
/** Of the message in it. */
export const EVENT_BYTES_MAX = RECORD_BYTES_MAX - SEQUENCE_BYTES;
const NOTHING = new Uint8Array(0);
/** Larger frames are put together as they come. */
const LARGE_BYTES = 1024 * 1024;

/**
 * Finds one frame after the other. Messages are views of the pieces, which must not be written to later; only a frame
 * that lies in several pieces is copied.
 */
export abstract class FrameSplitter {
  /** The message that `next` found: `bytes[start..end)`. */
  bytes: Uint8Array = NOTHING;
  start = 0;
  end = 0;
  /** Whole frames so far, that of `next` among them. */
  frames = 0;
  /** Bytes of the stream before the frame of `next`. */
  frameOffset = 0;
  /** The frame of `next` is large: it has a buffer of its own. */
  isLarge = false;
  /** Bytes of the stream that whole frames made up. */
  offset = 0;
  protected view: DataView = new DataView(NOTHING.buffer);
  /** Where the next frame begins. */
  private at = 0;
  /** The part that came of a frame that is not whole. */
  private rest: Uint8Array[] = [];
  /** The same of a large frame: it is put together as it comes, and is in memory once. */
  private large: Uint8Array | undefined;
  private restBytes = 0;
  /** Bytes that it needs to be whole, as far as that is known. */
  private neededBytes: number;
  /** Bytes behind it. */
  private piece: Uint8Array = NOTHING;

  /**
   * @param headBytes before each message
   * @param sizeBytes of its size, where it begins
   */
  constructor(
    private readonly headBytes: number,
    private readonly sizeBytes: number,
  ) {
    this.neededBytes = headBytes;
  }

  /** Bytes of the frame at a place, its head among them. @throws StreamFault for a size that cannot be */
  protected abstract frameBytes(at: number): number;

  /** The next bytes of the stream, once `next` has found all that was in those before. */
  feed(piece: Uint8Array): void {
    this.piece = piece;
  }

  /** Finds the next whole frame; false when more bytes are needed. @throws StreamFault */
  next(): boolean {
    for (;;) {
      if (this.restBytes === 0) {
        if (this.findFrame()) return true;
        this.keepRest(this.bytes.subarray(this.at));
        this.read(NOTHING);
      }
      const { piece } = this;
      if (piece.length === 0) return false;
      if (this.restBytes === 0) {
        this.piece = NOTHING;
        this.read(piece);
      } else this.completeRest(piece);
    }
  }

  /** Bytes that the frame at the end lacks at least; 0 at the end of a frame. */
  get missingBytes(): number {
    return this.restBytes === 0 ? 0 : this.neededBytes - this.restBytes;
  }

  private findFrame(): boolean {
    const { at, bytes, headBytes } = this;
    this.neededBytes = headBytes;
    if (bytes.length - at < this.sizeBytes) return false;
    const length = this.frameBytes(at);
    this.neededBytes = length;
    const next = at + length;
    if (next > bytes.length) return false;
    this.start = at + headBytes;
    this.end = next;
    this.at = next;
    this.frames++;
    this.frameOffset = this.offset;
    this.offset += length;
    return true;
  }

  /** Adds to the rest what it lacks, and copies no more: what follows is read where it lies. */
  private completeRest(piece: Uint8Array): void {
    const length = Math.min(piece.length, this.neededBytes - this.restBytes);
    this.keepRest(piece.subarray(0, length));
    this.piece = piece.subarray(length);
    if (this.restBytes < this.neededBytes) return;
    const whole = this.large ?? (this.rest.length === 1 ? this.rest[0]! : Buffer.concat(this.rest));
    this.isLarge = this.large !== undefined;
    this.large = undefined;
    this.rest = [];
    this.restBytes = 0;
    this.read(whole);
  }

  private keepRest(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.neededBytes > LARGE_BYTES) {
      // Memory that nothing was written to takes no room: the claim of a length alone costs nothing.
      this.large ??= this.largeOf(this.neededBytes);
      this.large.set(bytes, this.restBytes);
    } else this.rest.push(bytes);
    this.restBytes += bytes.length;
  }

  /** A buffer for a frame, with what came of it, and room for a record's head in front. */
  private largeOf(length: number): Uint8Array {
    const large = new Uint8Array(RECORD_HEAD_BYTES + length).subarray(RECORD_HEAD_BYTES);
    let at = 0;
    for (const part of this.rest) {
      large.set(part, at);
      at += part.length;
    }
    this.rest = [];
    return large;
  }

  private read(bytes: Uint8Array): void {
    if (bytes !== this.bytes && bytes.length <= LARGE_BYTES) this.isLarge = false;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }
}

const BUFFER_BYTES = 64 * 1024;
/** A buffer that an unusual amount has made this large is given back. */
const KEPT_BUFFER_BYTES_MAX = 4 * 1024 * 1024;
const { copy } = Buffer.prototype;

/** Records on their way to the event log, one behind the other in one buffer. */
export class RecordBuffer {
  private buffer = new Uint8Array(BUFFER_BYTES);
  private view = new DataView(this.buffer.buffer);
  /** Bytes of the records so far. */
  length = 0;

  /** The records so far: a view, up to the next `add` or `clear`. */
  get records(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  /** @param high and `low` words of the sequence number */
  add(high: number, low: number, bytes: Uint8Array, start: number, end: number): void {
    const length = RECORD_HEAD_BYTES + end - start;
    const at = this.length;
    if (at + length > this.buffer.length) this.resize(Math.max(at + length, 2 * this.buffer.length));
    this.view.setUint32(at, length - SIZE_BYTES);
    this.view.setUint32(at + 4, high);
    this.view.setUint32(at + 8, low);
    // Unlike `set`, it needs no view of the part.
    copy.call(bytes, this.buffer, at + RECORD_HEAD_BYTES, start, end);
    this.length = at + length;
  }

  /** The record of a message that has room for the record's head in front, in place. */
  static inPlace(high: number, low: number, bytes: Uint8Array, start: number, end: number): Uint8Array {
    const length = RECORD_HEAD_BYTES + end - start;
    const record = new Uint8Array(bytes.buffer, bytes.byteOffset + start - RECORD_HEAD_BYTES, length);
    const view = new DataView(record.buffer, record.byteOffset, RECORD_HEAD_BYTES);
    view.setUint32(0, length - SIZE_BYTES);
    view.setUint32(4, high);
    view.setUint32(8, low);
    return record;
  }

  clear(): void {
    this.length = 0;
    if (this.buffer.length > KEPT_BUFFER_BYTES_MAX) this.resize(BUFFER_BYTES);
  }

  private resize(bytes: number): void {
    const next = new Uint8Array(bytes);
    next.set(this.records);
    this.buffer = next;
    this.view = new DataView(next.buffer);
  }
}

export class RecordSplitter extends FrameSplitter {
  constructor() {
    super(RECORD_HEAD_BYTES, SIZE_BYTES);
  }

  protected frameBytes(at: number): number {
    const size = this.view.getUint32(at);
    if (size < SEQUENCE_BYTES || size > RECORD_BYTES_MAX) {
      throw new StreamFault(`record ${this.frames + 1} claims ${size} bytes`);
    }
    return SIZE_BYTES + size;
  }

  /** High word of the record's sequence number. */
  get sequenceHigh(): number {
    return this.view.getUint32(this.start - SEQUENCE_BYTES);
  }
}
