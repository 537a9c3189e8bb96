/**
 * The cursor over protobuf bytes (protobuf encoding guide) that generated code drives.
 *
 * Optimised for ingest: one bounds check for each message instead of one for each byte. Scalars may read past the end: a
 * missing byte is undefined, which ends every loop, and `close` then fails because the cursor is not at the message's end.
 * Only `open`, which takes a range of the buffer, checks at once.
 */
import { WireError } from "./errors.ts";
import { DEPTH_MAX, FIELD_NUMBER_MAX, MESSAGE_BYTES_MAX } from "./limits.ts";

/** Wire types 3 and 4 are groups: deprecated, but they must be skipped. */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const GROUP_START = 3;
const GROUP_END = 4;
const FIXED32 = 5;

const scratch = new DataView(new ArrayBuffer(8));
/** Above this high half, high * 2^32 + low is inexact. */
const EXACT_HIGH = 0x200000;
/** Above the largest signed integer. */
const INT64_END = 1n << 63n;

export class Reader {
  readonly bytes: Uint8Array;
  pos: number;
  private readonly view: DataView;
  /** Halves of the last 64-bit varint, as unsigned numbers. */
  private low = 0;
  private high = 0;

  constructor(bytes: Uint8Array, start: number, end: number) {
    if (!(start >= 0 && start <= end && end <= bytes.length)) {
      throw new WireError(
        "range_invalid",
        `range ${start}-${end} is not in a buffer of ${bytes.length} bytes`,
      );
    }
    if (end - start > MESSAGE_BYTES_MAX) {
      throw new WireError(
        "too_large",
        `${end - start} bytes are above the limit of ${MESSAGE_BYTES_MAX}`,
        start,
      );
    }
    this.bytes = bytes;
    this.pos = start;
    this.view = scratch;
  }

  /** The next tag: field number * 8 + wire type. */
  tag(): number {
    const first = this.bytes[this.pos++]!;
    if (first < 128) return first;
    const second = this.bytes[this.pos++]!;
    if (second < 128) return (second << 7) | (first & 127);
    this.pos -= 2;
    return this.longTag();
  }

  /** A tag of three or more bytes, or an invalid one. */
  private longTag(): number {
    const start = this.pos;
    this.halves();
    if (this.high !== 0 || this.low >>> 3 > FIELD_NUMBER_MAX) {
      throw new WireError("field_number_invalid", "the field number is above 2^29 - 1", start);
    }
    return this.low;
  }

  /** Reads a length and returns the offset at which the content ends. */
  open(end: number): number {
    const start = this.pos;
    let length = this.bytes[this.pos++]!;
    if (!(length < 128)) {
      const second = this.bytes[this.pos++]!;
      if (second < 128) length = (second << 7) | (length & 127);
      else length = this.longLength(start);
    }
    const stop = this.pos + length;
    if (stop > end) {
      throw new WireError(
        "length_beyond_end",
        `${length} bytes are announced, ${end - this.pos} are left`,
        start,
      );
    }
    return stop;
  }

  private longLength(start: number): number {
    this.pos = start;
    this.halves();
    return this.high * 0x100000000 + this.low;
  }

  /** Ends a message: the cursor must be exactly at its end. */
  close(end: number): void {
    if (this.pos !== end)
      throw new WireError("truncated", "the last field does not end where the message ends", end - 1);
  }

  string(end: number): string {
    const stop = this.open(end);
    const start = this.pos;
    this.pos = stop;
    return textAt(this.bytes, start, stop);
  }

  /** A copy: a stored signature must not keep a whole file in memory. */
  bytesField(end: number): Uint8Array {
    const stop = this.open(end);
    const start = this.pos;
    this.pos = stop;
    return this.bytes.slice(start, stop);
  }

  bool(): boolean {
    const first = this.bytes[this.pos]!;
    if (first < 128) {
      this.pos++;
      return first !== 0;
    }
    this.halves();
    return this.low !== 0 || this.high !== 0;
  }

  /** For enums too. A longer varint is truncated to 32 bits, as in every implementation. */
  int32(): number {
    const first = this.bytes[this.pos]!;
    if (first < 128) {
      this.pos++;
      return first;
    }
    this.halves();
    return this.low | 0;
  }

  uint32(): number {
    return this.int32() >>> 0;
  }

  uint64(): bigint {
    const first = this.bytes[this.pos]!;
    if (first < 128) {
      this.pos++;
      return BigInt(first);
    }
    this.halves();
    if (this.high < EXACT_HIGH) return BigInt(this.high * 0x100000000 + this.low);
    this.view.setUint32(0, this.high);
    this.view.setUint32(4, this.low);
    return this.view.getBigUint64(0);
  }

  int64(): bigint {
    const value = this.uint64();
    return value < INT64_END ? value : BigInt.asIntN(64, value);
  }

  double(end: number): number {
    this.fixed(end, 8);
    return this.view.getFloat64(0, true);
  }

  float(end: number): number {
    this.fixed(end, 4);
    return this.view.getFloat32(0, true);
  }

  private fixed(end: number, size: number): void {
    const start = this.pos;
    this.pos += size;
    if (this.pos > end)
      throw new WireError("truncated", `${size} bytes are needed, ${end - start} are left`, start);
    for (let index = 0; index < size; index++) this.view.setUint8(index, this.bytes[start + index]!);
  }

  /** Reads a varint of up to ten bytes into `low` and `high`. */
  private halves(): void {
    const { bytes } = this;
    const start = this.pos;
    let pos = start;
    let byte = bytes[pos++]!;
    let low = byte & 127;
    for (let shift = 7; byte >= 128 && shift < 28; shift += 7) {
      byte = bytes[pos++]!;
      low |= (byte & 127) << shift;
    }
    let middle = 0;
    let high = 0;
    if (byte >= 128) {
      for (let shift = 0; (shift === 0 || byte >= 128) && shift < 28; shift += 7) {
        byte = bytes[pos++]!;
        middle |= (byte & 127) << shift;
      }
      for (let shift = 0; byte >= 128 && shift < 14; shift += 7) {
        byte = bytes[pos++]!;
        high |= (byte & 127) << shift;
      }
    }
    if (!(byte < 128)) this.refuseVarint(start);
    // The tenth byte may hold one bit only: 64 bits in all.
    if (high > 255) throw new WireError("varint_overlong", "the varint is longer than 64 bits", start);
    this.pos = pos;
    this.low = (low | (middle << 28)) >>> 0;
    this.high = ((middle >>> 4) | (high << 24)) >>> 0;
  }

  private refuseVarint(start: number): never {
    if (start + 10 > this.bytes.length) throw new WireError("truncated", "the varint has no end", start);
    throw new WireError("varint_overlong", "the varint is longer than ten bytes", start);
  }

  /**
   * Skips an unknown field, or a known one with another wire type: the network's decoder (Go) treats both as unknown.
   */
  skip(tag: number, end: number): void {
    this.skipValue(tag, end, 0);
  }

  private skipValue(tag: number, end: number, depth: number): void {
    const number = tag >>> 3;
    if (number === 0)
      throw new WireError("field_number_invalid", "field number 0 does not exist", this.pos - 1);
    switch (tag & 7) {
      case VARINT:
        this.halves();
        break;
      case FIXED64:
        this.fixed(end, 8);
        break;
      case LENGTH:
        this.pos = this.open(end);
        break;
      case GROUP_START:
        this.skipGroup(number, end, depth + 1);
        break;
      case GROUP_END:
        throw new WireError("group_unbalanced", `the end of group ${number} has no start`, this.pos - 1);
      case FIXED32:
        this.fixed(end, 4);
        break;
      default:
        throw new WireError("wire_type_invalid", `wire type ${tag & 7} does not exist`, this.pos - 1);
    }
  }

  private skipGroup(number: number, end: number, depth: number): void {
    if (depth > DEPTH_MAX)
      throw new WireError("too_deep", `more than ${DEPTH_MAX} groups are nested`, this.pos);
    while (this.pos < end) {
      const tag = this.tag();
      if ((tag & 7) !== GROUP_END) {
        this.skipValue(tag, end, depth);
      } else if (tag >>> 3 === number) {
        return;
      } else {
        throw new WireError("group_unbalanced", `group ${number} ends as group ${tag >>> 3}`, this.pos - 1);
      }
    }
    throw new WireError("truncated", `group ${number} has no end`, end - 1);
  }
}

// Decoding of strings, a hot path: for short texts an ASCII check with `latin1Slice` is fastest, for longer ones `utf8Slice`;
// `TextDecoder` takes twice as long as either.

type Slice = (this: Uint8Array, start: number, end: number) => string;
const prototype = Buffer.prototype as unknown as { utf8Slice: Slice; latin1Slice: Slice };
const utf8Slice = prototype.utf8Slice;
const latin1Slice = prototype.latin1Slice;

const SHORT_BYTES_MAX = 32;
const characters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
/** `ignoreBOM` keeps a leading U+FEFF in the text: it is a character like any other. */
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text in `bytes[start..end)`. The caller has checked the range. */
export function textAt(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length === 0) return "";
  if (length <= SHORT_BYTES_MAX) {
    let seen = 0;
    for (let index = start; index < end; index++) seen |= bytes[index]!;
    if (seen < 128) return length === 1 ? characters[seen]! : latin1Slice.call(bytes, start, end);
  }
  const text = utf8Slice.call(bytes, start, end);
  // A replacement character is either in the input, which is valid, or replaces invalid UTF-8.
  return text.includes("\ufffd") ? strictTextAt(bytes, start, end) : text;
}

/** The same for bytes that the caller knows to be ASCII. */
export function latinAt(bytes: Uint8Array, start: number, end: number): string {
  return start === end ? "" : latin1Slice.call(bytes, start, end);
}

function strictTextAt(bytes: Uint8Array, start: number, end: number): string {
  try {
    return strict.decode(bytes.subarray(start, end));
  } catch {
    throw new WireError("invalid_utf8", "the text is not valid UTF-8", start);
  }
}
