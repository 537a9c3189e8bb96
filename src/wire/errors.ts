import type { WIRE_CODES } from "../errors/wire-codes.ts";

/** Faults in bytes, in a message to encode, or in a JSON value. The codes are stable. */
export type WireErrorCode = keyof typeof WIRE_CODES;

/**
 * The only error that the codec throws for its input: no bytes cause a RangeError or TypeError. `offset` counts from the
 * start of the buffer; it is -1 if the input is not bytes.
 */
export class WireError extends Error {
  readonly code: WireErrorCode;
  readonly offset: number;
  /** Path of the field, for example `vega.Asset.details.name`; empty until it is set. */
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

  /** The same error with message and field as its path. */
  at(path: string): WireError {
    return new WireError(this.code, this.sentence, this.offset, path);
  }
}

function place(sentence: string, offset: number): string {
  return offset < 0 ? sentence : `${sentence} (at byte ${offset})`;
}
