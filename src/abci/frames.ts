// Messages of the consensus engine's socket: each behind its length as an unsigned varint.

import { MESSAGE_BYTES_MAX } from "../wire/limits.ts";

/** A length of this many bytes is above every limit. */
const LENGTH_BYTES_MAX = 5;
/** The largest 32-bit varint has five bytes, of seven bits each. */
const BITS = 7;

/** The bytes are not messages of this protocol: the connection cannot go on. */
export class FrameFault extends Error {
  override readonly name = "FrameFault";
}

/** A message behind its length. */
export function frameOf(message: Uint8Array): Uint8Array {
  const length: number[] = [];
  let rest = message.length;
  for (; rest > 127; rest >>>= BITS) length.push((rest & 127) | 128);
  length.push(rest);
  const bytes = new Uint8Array(length.length + message.length);
  bytes.set(length);
  bytes.set(message, length.length);
  return bytes;
}

/** Cuts messages out of a stream that comes in pieces. A message has memory of its own. */
export class FrameSplitter {
  private head: number[] = [];
  /** The message under way, once its length is whole. */
  private message: Uint8Array | undefined;
  private filled = 0;

  constructor(private readonly bytesMax = MESSAGE_BYTES_MAX) {}

  /** Whether a message has begun that is not whole. */
  get isInside(): boolean {
    return this.head.length > 0 || this.message !== undefined;
  }

  /** @throws FrameFault when it reaches a length that cannot be */
  *push(piece: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < piece.length; ) {
      if (this.message === undefined) {
        const length = this.lengthWith(piece[at++]!);
        if (length === undefined) continue;
        this.head = [];
        this.message = new Uint8Array(length);
        this.filled = 0;
      }
      const { message } = this;
      const part = piece.subarray(at, at + message.length - this.filled);
      message.set(part, this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled < message.length) return;
      this.message = undefined;
      yield message;
    }
  }

  /** The length, with this byte as its last; undefined while more are to come. */
  private lengthWith(byte: number): number | undefined {
    this.head.push(byte);
    if (byte > 127) {
      if (this.head.length === LENGTH_BYTES_MAX) throw new FrameFault("a length has more than five bytes");
      return undefined;
    }
    const length = this.head.reduceRight((sum, each) => sum * 2 ** BITS + (each & 127), 0);
    if (length > this.bytesMax)
      throw new FrameFault(`a message claims ${length} bytes, and ${this.bytesMax} are the most`);
    return length;
  }
}
