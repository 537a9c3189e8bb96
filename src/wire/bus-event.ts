/**
 * The envelope of a bus event, `vega.events.v1.BusEvent`, read by hand.
 *
 * A node reads every event's envelope but only needs a few of its texts once a block, so the reader makes
 * nothing: it notes where things stand in the input. Payloads are then read in place with the generated
 * `read…At(bytes, start, end)`.
 */
import { blame } from "./codec.ts";
import { WireError } from "./errors.ts";
import { Reader, textAt } from "./reader.ts";
import { messageDescriptor } from "./schema/index.ts";

/** Where one bus event keeps its parts. Offsets count from the start of the input; start = end is "empty". */
export interface Envelope {
  /** Block height and number within the block, from the id `<height>-<seq>`. */
  height: number;
  seq: number;
  /** `vega.events.v1.BusEventType` */
  type: number;
  version: number;
  /** Field number of the payload in `BusEvent`, for example 117 for an asset; 0 without a payload. */
  field: number;
  payloadStart: number;
  payloadEnd: number;
  idStart: number;
  idEnd: number;
  blockStart: number;
  blockEnd: number;
  chainIdStart: number;
  chainIdEnd: number;
  txHashStart: number;
  txHashEnd: number;
}

const FULL_NAME = "vega.events.v1.BusEvent";
/** Numbers of the payloads, the members of the oneof. Kinds that the schema does not know are skipped: field 0. */
const payloadFields = new Set(
  messageDescriptor(FULL_NAME)
    .fields.filter((field) => field.oneof !== "")
    .map((field) => field.number),
);
/** The same as a table. */
const isPayload = new Uint8Array(2 ** 11);
for (const number of payloadFields) isPayload[number] = 1;
/** Larger events go the long way, which looks at the limit. */
const USUAL_BYTES_MAX = 2 ** 20;
/** An envelope with one of them in another wire type is damaged: skipped, its event would be lost in silence. */
const knownFields: ReadonlySet<number> = new Set(
  messageDescriptor(FULL_NAME).fields.map(({ number }) => number),
);

/** Reads envelopes one after the other into itself: the fields hold until the next `read`. */
export class EnvelopeReader implements Envelope {
  bytes: Uint8Array = new Uint8Array(0);
  height = 0;
  seq = 0;
  type = 0;
  version = 0;
  field = 0;
  payloadStart = 0;
  payloadEnd = 0;
  idStart = 0;
  idEnd = 0;
  blockStart = 0;
  blockEnd = 0;
  chainIdStart = 0;
  chainIdEnd = 0;
  txHashStart = 0;
  txHashEnd = 0;

  /** Reads the event in `bytes[start..end)`; throws `WireError` and nothing else on bad bytes. */
  read(bytes: Uint8Array, start: number, end: number): void {
    if (this.readUsual(bytes, start, end)) return;
    this.clear(bytes, start);
    try {
      this.fields(new Reader(bytes, start, end), end);
      this.parseId();
    } catch (error) {
      if (error instanceof WireError) throw blame(error, FULL_NAME, bytes, start, end);
      throw error;
    }
  }

  /**
   * Reads what every writer makes: each field once, in the order of the numbers, texts below 128 bytes, the payload
   * last. False for anything else, which `fields` reads. Past the end bytes read as undefined,
   * which equals no tag; no part reaches beyond the end, because the last one must end there.
   */
  private readUsual(bytes: Uint8Array, start: number, end: number): boolean {
    if (start < 0 || end > bytes.length || end - start > USUAL_BYTES_MAX || bytes[start] !== 10) return false;
    const idStart = start + 2;
    const idEnd = idStart + bytes[start + 1]!;
    if (bytes[idEnd] !== 18) return false;
    const blockStart = idEnd + 2;
    const blockEnd = blockStart + bytes[idEnd + 1]!;
    if (bytes[blockEnd] !== 24) return false;
    let at = blockEnd + 2;
    let type = bytes[blockEnd + 1]!;
    if (type >= 128) type = (type & 127) | (bytes[at++]! << 7);
    if (bytes[at] !== 32 || bytes[at + 2] !== 42) return false;
    const version = bytes[at + 1]!;
    const chainIdStart = at + 4;
    const chainIdLength = bytes[at + 3]!;
    const chainIdEnd = chainIdStart + chainIdLength;
    if (bytes[chainIdEnd] !== 50) return false;
    const txHashStart = chainIdEnd + 2;
    const txHashLength = bytes[chainIdEnd + 1]!;
    const txHashEnd = txHashStart + txHashLength;
    const first = bytes[txHashEnd]!;
    const second = bytes[txHashEnd + 1]!;
    // Payload numbers are 101 and above: the tag has two bytes.
    if (first < 128 || second >= 128 || (first & 7) !== 2) return false;
    const field = ((second << 7) | (first & 127)) >>> 3;
    at = txHashEnd + 2;
    let length = bytes[at++]!;
    for (let shift = 7; length >= 2 ** shift && shift < 28; shift += 7) {
      length = (length & (2 ** shift - 1)) | (bytes[at++]! << shift);
    }
    if (at + length !== end || !isPayload[field]) return false;
    // Lengths of two bytes would have made all of the above stand elsewhere.
    const lengths = bytes[start + 1]! | bytes[idEnd + 1]! | version | chainIdLength | txHashLength;
    if (lengths >= 128 || type >= 2 ** 14) return false;
    this.bytes = bytes;
    this.idStart = idStart;
    this.idEnd = idEnd;
    if (!this.readUsualId()) return false;
    this.blockStart = blockStart;
    this.blockEnd = blockEnd;
    this.type = type;
    this.version = version;
    this.chainIdStart = chainIdStart;
    this.chainIdEnd = chainIdEnd;
    this.txHashStart = txHashStart;
    this.txHashEnd = txHashEnd;
    this.field = field;
    this.payloadStart = at;
    this.payloadEnd = end;
    return true;
  }

  /** `<height>-<seq>` of at most nine digits each. */
  private readUsualId(): boolean {
    const { bytes, idStart, idEnd } = this;
    let height = 0;
    let pos = idStart;
    for (let digit = bytes[pos]! - 48; digit >= 0 && digit <= 9 && pos < idEnd; digit = bytes[++pos]! - 48) {
      height = height * 10 + digit;
    }
    const dash = pos;
    if (dash === idStart || dash - idStart > 9 || dash >= idEnd || bytes[dash] !== 45) return false;
    let seq = 0;
    for (pos++; pos < idEnd; pos++) {
      const digit = bytes[pos]! - 48;
      if (digit < 0 || digit > 9) return false;
      seq = seq * 10 + digit;
    }
    if (idEnd - dash < 2 || idEnd - dash > 10) return false;
    this.height = height;
    this.seq = seq;
    return true;
  }

  private clear(bytes: Uint8Array, start: number): void {
    this.bytes = bytes;
    this.type = this.version = this.field = 0;
    this.payloadStart = this.payloadEnd = start;
    this.idStart = this.idEnd = start;
    this.blockStart = this.blockEnd = start;
    this.chainIdStart = this.chainIdEnd = start;
    this.txHashStart = this.txHashEnd = start;
  }

  private fields(reader: Reader, end: number): void {
    while (reader.pos < end) {
      const tag = reader.tag();
      switch (tag) {
        case 10:
          this.idEnd = reader.open(end);
          this.idStart = reader.pos;
          reader.pos = this.idEnd;
          break;
        case 18:
          this.blockEnd = reader.open(end);
          this.blockStart = reader.pos;
          reader.pos = this.blockEnd;
          break;
        case 24:
          this.type = reader.int32();
          break;
        case 32:
          this.version = reader.uint32();
          break;
        case 42:
          this.chainIdEnd = reader.open(end);
          this.chainIdStart = reader.pos;
          reader.pos = this.chainIdEnd;
          break;
        case 50:
          this.txHashEnd = reader.open(end);
          this.txHashStart = reader.pos;
          reader.pos = this.txHashEnd;
          break;
        default:
          this.payload(reader, tag, end);
      }
    }
    reader.close(end);
  }

  private payload(reader: Reader, tag: number, end: number): void {
    const number = tag >>> 3;
    if ((tag & 7) !== 2 || !payloadFields.has(number)) {
      if (knownFields.has(number)) this.refuseType(tag, reader.pos - 1);
      reader.skip(tag, end);
      return;
    }
    if (this.field === number) this.refuseTwo(number, reader.pos);
    this.payloadEnd = reader.open(end);
    this.payloadStart = reader.pos;
    this.field = number;
    reader.pos = this.payloadEnd;
  }

  private refuseType(tag: number, offset: number): never {
    const text = `field ${tag >>> 3} cannot have wire type ${tag & 7}`;
    throw new WireError("wire_type_mismatch", text, offset);
  }

  /** Two payloads of one kind would have to be merged, which no range can show; no writer makes them. */
  private refuseTwo(number: number, offset: number): never {
    throw new WireError("payload_repeated", `payload field ${number} comes twice`, offset);
  }

  private parseId(): void {
    const { bytes, idStart, idEnd } = this;
    let pos = idStart;
    const height = this.digits(pos, idEnd);
    pos = this.digitsEnd;
    if (bytes[pos] !== 45 /* - */ || pos >= idEnd) this.badId();
    this.height = height;
    this.seq = this.digits(pos + 1, idEnd);
    if (this.digitsEnd !== idEnd) this.badId();
  }

  private digitsEnd = 0;

  /** A whole number of one to fifteen digits: always exact as a JavaScript number. */
  private digits(start: number, end: number): number {
    let value = 0;
    let pos = start;
    for (; pos < end; pos++) {
      const digit = this.bytes[pos]! - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    if (pos === start || pos - start > 15) this.badId();
    this.digitsEnd = pos;
    return value;
  }

  private badId(): never {
    throw new WireError("event_id_invalid", "the id is not <height>-<seq>", this.idStart);
  }

  id(): string {
    return textAt(this.bytes, this.idStart, this.idEnd);
  }

  /** Hash of the block, upper-case hex as the chain gives it. */
  block(): string {
    return textAt(this.bytes, this.blockStart, this.blockEnd);
  }

  chainId(): string {
    return textAt(this.bytes, this.chainIdStart, this.chainIdEnd);
  }

  txHash(): string {
    return textAt(this.bytes, this.txHashStart, this.txHashEnd);
  }

  /** The payload's bytes, as a view of the input: copy it before the input is reused. */
  payloadBytes(): Uint8Array {
    return this.bytes.subarray(this.payloadStart, this.payloadEnd);
  }
}
