/**
 * Writes canonical proto3: generated code writes fields by ascending number and omits defaults, so equal messages give equal
 * bytes. A nested message is written behind one byte reserved for its length, and moved if the length needs more: most
 * messages are shorter than 128 bytes.
 */
import { WireError } from "./errors.ts";
import { INT64_MAX, UINT64_MAX } from "./limits.ts";

const encoder = new TextEncoder();
const utf8Write = (
  Buffer.prototype as unknown as {
    utf8Write: (this: Uint8Array, text: string, offset: number, length: number) => number;
  }
).utf8Write;
/** UTF-8 bytes of a UTF-16 code unit, at most. */
const UTF8_BYTES_MAX = 3;

/** Bytes that the shared writer keeps between messages. */
const KEPT_BYTES_MAX = 1024 * 1024;

/** A 64-bit integer as two halves, little-endian as on every supported machine; avoids the garbage of bigint division. */
const wide = new BigUint64Array(1);
const halves = new Uint32Array(wide.buffer);
const INT64_MIN = -(1n << 63n);

export class Writer {
  private buffer = Buffer.allocUnsafeSlow(1024);
  private view = new DataView(this.buffer.buffer);
  /** The same bytes as a Uint8Array, whose `slice` copies. */
  private plain = new Uint8Array(this.buffer.buffer);
  private pos = 0;

  /** A copy of the written bytes. Resets the writer and drops a huge buffer. */
  finish(): Uint8Array {
    const written = this.plain.slice(0, this.pos);
    this.reset();
    return written;
  }

  reset(): void {
    this.pos = 0;
    if (this.buffer.length > KEPT_BYTES_MAX) this.grow(KEPT_BYTES_MAX);
  }

  private reserve(size: number): void {
    if (this.pos + size <= this.buffer.length) return;
    this.grow(Math.max(this.buffer.length * 2, this.pos + size));
  }

  private grow(size: number): void {
    const other = Buffer.allocUnsafeSlow(size);
    other.set(this.buffer.subarray(0, this.pos));
    this.buffer = other;
    this.view = new DataView(other.buffer);
    this.plain = new Uint8Array(other.buffer);
  }

  /** An unsigned 32-bit varint: tags and lengths. */
  raw(value: number): void {
    this.reserve(5);
    let rest = value;
    while (rest > 127) {
      this.buffer[this.pos++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.buffer[this.pos++] = rest;
  }

  private rawHalves(low: number, high: number): void {
    if (high === 0) {
      this.raw(low);
      return;
    }
    this.reserve(10);
    let lower = low;
    let upper = high;
    while (upper > 0) {
      this.buffer[this.pos++] = (lower & 127) | 128;
      lower = ((lower >>> 7) | (upper << 25)) >>> 0;
      upper >>>= 7;
    }
    this.raw(lower);
  }

  /** Starts a length-delimited field; pass the result to `close`. */
  open(tag: number): number {
    this.raw(tag);
    this.reserve(1);
    return ++this.pos;
  }

  close(start: number): void {
    const length = this.pos - start;
    if (length < 128) {
      this.buffer[start - 1] = length;
      return;
    }
    const extra = length < 1 << 14 ? 1 : length < 1 << 21 ? 2 : length < 1 << 28 ? 3 : 4;
    this.reserve(extra);
    this.buffer.copyWithin(start + extra, start, this.pos);
    this.pos = start - 1;
    this.raw(length);
    this.pos += length;
  }

  string(tag: number, text: string): void {
    this.raw(tag);
    if (text.length < 128) {
      this.reserve(1 + UTF8_BYTES_MAX * text.length);
      const start = this.pos + 1;
      const length = utf8Write.call(this.buffer, text, start, UTF8_BYTES_MAX * text.length);
      // ASCII: as many bytes as characters.
      if (length < 128 && (length === text.length || text.isWellFormed())) {
        this.buffer[this.pos] = length;
        this.pos = start + length;
        return;
      }
    }
    if (!text.isWellFormed())
      throw new WireError("value_invalid", "the text has a lone surrogate: it has no UTF-8");
    this.rawBytes(encoder.encode(text));
  }

  bytesField(tag: number, value: Uint8Array): void {
    this.raw(tag);
    this.rawBytes(value);
  }

  private rawBytes(value: Uint8Array): void {
    this.raw(value.length);
    this.reserve(value.length);
    this.buffer.set(value, this.pos);
    this.pos += value.length;
  }

  bool(tag: number, value: boolean): void {
    this.raw(tag);
    this.rawBool(value);
  }

  int32(tag: number, value: number): void {
    this.raw(tag);
    this.rawInt32(value);
  }

  uint32(tag: number, value: number): void {
    this.raw(tag);
    this.rawUint32(value);
  }

  int64(tag: number, value: bigint): void {
    this.raw(tag);
    this.rawInt64(value);
  }

  uint64(tag: number, value: bigint): void {
    this.raw(tag);
    this.rawUint64(value);
  }

  double(tag: number, value: number): void {
    this.raw(tag);
    this.reserve(8);
    this.view.setFloat64(this.pos, value, true);
    this.pos += 8;
  }

  float(tag: number, value: number): void {
    this.raw(tag);
    this.reserve(4);
    this.view.setFloat32(this.pos, value, true);
    this.pos += 4;
  }

  rawBool(value: boolean): void {
    this.raw(value ? 1 : 0);
  }

  rawInt32(value: number): void {
    if (value !== (value | 0)) throw new WireError("value_invalid", `${value} is not a 32-bit integer`);
    this.rawHalves(value >>> 0, value < 0 ? 0xffffffff : 0);
  }

  rawUint32(value: number): void {
    if (value !== value >>> 0)
      throw new WireError("value_invalid", `${value} is not an unsigned 32-bit integer`);
    this.raw(value);
  }

  rawInt64(value: bigint): void {
    if (value < INT64_MIN || value > INT64_MAX) {
      throw new WireError("value_invalid", `${value} is not a 64-bit integer`);
    }
    this.rawUint64(BigInt.asUintN(64, value));
  }

  rawUint64(value: bigint): void {
    if (value < 0n || value > UINT64_MAX) {
      throw new WireError("value_invalid", `${value} is not an unsigned 64-bit integer`);
    }
    wide[0] = value;
    this.rawHalves(halves[0]!, halves[1]!);
  }
}
