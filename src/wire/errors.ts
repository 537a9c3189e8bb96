import type { WIRE_CODES } from "../errors/wire-codes.ts";

/** Faults of bytes, of a message to be written, or of a JSON value. The codes are stable. */
export type WireErrorCode = keyof typeof WIRE_CODES;

/**
 * The only error that the codec throws for what it is given to read: whatever the bytes, there is no RangeError
 * and no TypeError. `offset` counts from the start of the buffer, and is -1 where there are no bytes.
 */
export class WireError extends Error {
  readonly code: WireErrorCode;
  readonly offset: number;
  /** Where it happened, for example `vega.Asset.details.name`; empty until it is known. */
  readonly path: string;

  constructor(code: WireErrorCode, sentence: string, offset = -1, path = "") {
    super(path === "" ? place(sentence, offset) : `${path}: ${place(sentence, offset)}`);
    this.name = "WireError";
    this.code = code;
    this.offset = offset;
    this.path = path;
    this.sentence = sentence;
  }

  private readonly sentence: string;

  /** The same error with the message and field in front. */
  at(path: string): WireError {
    return new WireError(this.code, this.sentence, this.offset, path);
  }
}

function place(sentence: string, offset: number): string {
  return offset < 0 ? sentence : `${sentence} (at byte ${offset})`;
}
