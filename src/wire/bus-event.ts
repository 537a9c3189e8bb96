/**
 * The envelope of a bus event, `vega.events.v1.BusEvent`, read by hand.
 *
 * A node reads every event's envelope but needs few of its texts, once a block. The reader therefore allocates nothing: it
 * records offsets into the input. Payloads are then read in place with the generated `read…At(bytes, start, end)`.
 */
import { withFieldPath } from "./codec.ts";
import { messageDescriptor } from "./descriptors.ts";
import { WireError } from "./errors.ts";
import { Reader, textAt } from "./reader.ts";

const FULL_NAME = "vega.events.v1.BusEvent";
/** Numbers of the payloads, the members of the oneof. Kinds that the schema does not know are skipped: field 0. */
const payloadFields = new Set(
  messageDescriptor(FULL_NAME)
    .fields.filter((field) => field.oneof !== "")
    .map((field) => field.number),
);
/** An envelope with one of them in another wire type is damaged; skipping the field would lose its event silently. */
const knownFields: ReadonlySet<number> = new Set(
  messageDescriptor(FULL_NAME).fields.map(({ number }) => number),
);

/** Reads envelopes into itself: the fields are valid until the next `read`. */
export class EnvelopeReader {
  bytes: Uint8Array = new Uint8Array(0);
  /** Block height and number within the block, from the id `<height>-<seq>`. */
  height = 0;
  seq = 0;
  /** `vega.events.v1.BusEventType` */
  type = 0;
  version = 0;
  /** Field number of the payload in `BusEvent`, for example 117 for an asset; 0 without a payload. */
  field = 0;
  /** Offsets of the parts from the start of the input; start = end is "empty". */
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

  /** Reads the event in `bytes[start..end)`; throws only `WireError` for invalid bytes. */
  read(bytes: Uint8Array, start: number, end: number): void {
    this.clear(bytes, start);
    try {
      this.fields(new Reader(bytes, start, end), end);
      this.parseId();
    } catch (error) {
      if (error instanceof WireError) throw withFieldPath(error, FULL_NAME, bytes, start, end);
      throw error;
    }
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
    if (this.field === number) this.refuseDuplicatePayload(number, reader.pos);
    this.payloadEnd = reader.open(end);
    this.payloadStart = reader.pos;
    this.field = number;
    reader.pos = this.payloadEnd;
  }

  private refuseType(tag: number, offset: number): never {
    const text = `field ${tag >>> 3} cannot have wire type ${tag & 7}`;
    throw new WireError("wire_type_mismatch", text, offset);
  }

  /** Two payloads of one kind would have to be merged, which a range cannot express; no writer emits them. */
  private refuseDuplicatePayload(number: number, offset: number): never {
    throw new WireError("payload_repeated", `payload field ${number} comes twice`, offset);
  }

  private parseId(): void {
    const { bytes, idStart, idEnd } = this;
    let pos = idStart;
    const height = this.digits(pos, idEnd);
    pos = this.digitsEnd;
    if (bytes[pos] !== 45 /* - */ || pos >= idEnd) this.refuseId();
    this.height = height;
    this.seq = this.digits(pos + 1, idEnd);
    if (this.digitsEnd !== idEnd) this.refuseId();
  }

  private digitsEnd = 0;

  /** A whole number of 1 to 15 digits: always exact as a JavaScript number. */
  private digits(start: number, end: number): number {
    let value = 0;
    let pos = start;
    for (; pos < end; pos++) {
      const digit = this.bytes[pos]! - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    if (pos === start || pos - start > 15) this.refuseId();
    this.digitsEnd = pos;
    return value;
  }

  private refuseId(): never {
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
