// The receiving end of the Scalability Protocols' PAIR version 0 over a byte stream
// (docs/protocol/30-node-api-events.md#10-socket-from-core-to-data-node): a greeting of eight bytes each way, then
// messages behind their 64-bit length. Messages become records of the event log.
import { StreamFault } from "./block-assembler.ts";
import { EVENT_BYTES_MAX, FrameSplitter, RecordBuffer, RecordSplitter } from "./records.ts";

/** Zero, "SP", version 0, protocol 16 (PAIR version 0), two reserved bytes. */
export const GREETING = Uint8Array.of(0, 0x53, 0x50, 0, 0, 16, 0, 0);
const LENGTH_BYTES = 8;
/** Of a message of several events: a core sends each alone, and thousands of small ones hold up everything else. */
const BATCH_BYTES_MAX = 1024 * 1024;
/** First byte of a serialized event: the tag of its id. */
const ID_TAG = 0x0a;
const DIGIT_0 = 0x30;
const HYPHEN = 0x2d;

class MessageSplitter extends FrameSplitter {
  constructor() {
    super(LENGTH_BYTES, LENGTH_BYTES);
  }

  protected frameBytes(at: number): number {
    const length = this.view.getBigUint64(at);
    if (length > BigInt(EVENT_BYTES_MAX)) throw new StreamFault(`a message claims ${length} bytes`);
    return LENGTH_BYTES + Number(length);
  }
}

/** A message of the other side, as this one sends it. */
export function framed(message: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(LENGTH_BYTES + message.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(message.length));
  bytes.set(message, LENGTH_BYTES);
  return bytes;
}

/** Reads the greeting of the other side. */
export class Greeting {
  private read = 0;

  /** @returns the bytes behind it, once it is whole. @throws StreamFault */
  push(bytes: Uint8Array): Uint8Array | undefined {
    const length = Math.min(bytes.length, GREETING.length - this.read);
    for (let i = 0; i < length; i++) {
      if (bytes[i] !== GREETING[this.read + i]) {
        throw new StreamFault("the greeting is not that of SP PAIR version 0");
      }
    }
    this.read += length;
    return this.read === GREETING.length ? bytes.subarray(length) : undefined;
  }
}

/** Messages of a connection, behind its greeting, on their way to records. */
export class PairReceiver {
  /** Messages so far. */
  messages = 0;
  /** Height in the id of the last event. */
  height: number | undefined;
  private readonly splitter = new MessageSplitter();
  private readonly buffer = new RecordBuffer();
  /** Records before those in the buffer. */
  private parts: Uint8Array[] = [];
  private events = 0;

  /** @param connection its number in the event log */
  constructor(private readonly connection: number) {}

  /** A message has begun and is not whole. */
  get isInsideMessage(): boolean {
    return this.splitter.missingBytes > 0;
  }

  /** Takes bytes as they came, which must not be written to later. @throws StreamFault */
  push(bytes: Uint8Array): void {
    const { splitter } = this;
    splitter.feed(bytes);
    while (splitter.next()) {
      this.messages++;
      this.takeMessage(splitter.bytes, splitter.start, splitter.end);
    }
  }

  /** Whole records that wait to be appended, in order: each part is the caller's. */
  takeRecords(): Uint8Array[] {
    const parts = this.parts;
    this.parts = [];
    if (this.buffer.length > 0) parts.push(this.buffer.records.slice());
    this.buffer.clear();
    return parts;
  }

  /**
   * A message is an event, as the network's core sends it; or a batch: records of an event file, or the message of the event stream
   * of the interface (`ObserveEventBusResponse`). The first bytes tell them apart: an event's id begins with a digit.
   */
  private takeMessage(bytes: Uint8Array, start: number, end: number): void {
    const isFile = bytes[start] === 0;
    const isList = bytes[start] === ID_TAG && bytes[afterLength(bytes, start + 1)] === ID_TAG;
    if (!isFile && !isList) {
      if (this.splitter.isLarge) this.takeLargeEvent(bytes, start, end);
      else this.takeEvent(bytes, start, end);
      return;
    }
    if (end - start > BATCH_BYTES_MAX)
      throw new StreamFault(`a batch has more than ${BATCH_BYTES_MAX} bytes`);
    if (isFile) this.takeFile(bytes.subarray(start, end));
    else this.takeList(bytes, start, end);
  }

  /** Its record is made where it stands. */
  private takeLargeEvent(bytes: Uint8Array, start: number, end: number): void {
    this.parts = this.takeRecords();
    this.height = heightAt(bytes, start, end) ?? this.height;
    this.parts.push(RecordBuffer.inPlace(this.connection, this.events++ % 2 ** 32, bytes, start, end));
  }

  private takeFile(bytes: Uint8Array): void {
    const splitter = new RecordSplitter();
    splitter.feed(bytes);
    while (splitter.next()) this.takeEvent(splitter.bytes, splitter.start, splitter.end);
    if (splitter.missingBytes > 0) throw new StreamFault("a batch ends inside an event");
  }

  private takeList(bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end; ) {
      const from = afterLength(bytes, at + 1);
      const to = from + lengthAt(bytes, at + 1);
      if (bytes[at] !== ID_TAG || to > end || to <= at)
        throw new StreamFault("a batch is not a list of events");
      this.takeEvent(bytes, from, to);
      at = to;
    }
  }

  private takeEvent(bytes: Uint8Array, start: number, end: number): void {
    this.buffer.add(this.connection, this.events++ % 2 ** 32, bytes, start, end);
    this.height = heightAt(bytes, start, end) ?? this.height;
  }
}

/** Value of a length of protobuf; only as much as a message can have. */
function lengthAt(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = bytes[at + i] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) break;
  }
  return value;
}

function afterLength(bytes: Uint8Array, at: number): number {
  let i = at;
  while (i < at + 4 && (bytes[i] ?? 0) >= 0x80) i++;
  return i + 1;
}

/** Height of an event, from its id `<height>-<sequence>`. */
function heightAt(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (bytes[start] !== ID_TAG) return undefined;
  const last = Math.min(end, start + 18);
  let height = 0;
  for (let at = start + 2; at < last; at++) {
    const byte = bytes[at]!;
    if (byte === HYPHEN) return height;
    if (byte < DIGIT_0 || byte > DIGIT_0 + 9) return undefined;
    height = height * 10 + byte - DIGIT_0;
  }
  return undefined;
}
