/**
 * Decoding speed over a recording of bus events: the envelope and the whole payload of every event.
 *
 * `bun bench/wire.ts [recording.evts.gz]` prints one JSON line. The best of several passes counts: on a shared
 * machine the others measure the neighbours.
 */
import { EnvelopeReader } from "../src/wire/bus-event.ts";
import { messageDescriptor, splitName } from "../src/wire/descriptors.ts";
import * as events from "../src/wire/generated/events.ts";
import * as vega from "../src/wire/generated/vega.ts";

const PASSES = 12;
const file = process.argv[2] ?? "data/sample.evts.gz";
const bytes = Bun.gunzipSync(new Uint8Array(await Bun.file(file).arrayBuffer()));
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Calls `each` with the range of every record: uint32 size (of what follows), uint64 seq, event. */
function walk(each: (start: number, end: number) => void): number {
  let count = 0;
  for (let pos = 0; pos + 12 <= bytes.length; count++) {
    const end = pos + 4 + view.getUint32(pos);
    each(pos + 12, end);
    pos = end;
  }
  return count;
}

function best(each: (start: number, end: number) => void): number {
  let rate = 0;
  for (let pass = 0; pass < PASSES; pass++) {
    const begin = Bun.nanoseconds();
    const count = walk(each);
    rate = Math.max(rate, (count * 1e9) / (Bun.nanoseconds() - begin));
  }
  return Math.round(rate);
}

type ReadAt = (bytes: Uint8Array, start: number, end: number) => unknown;

/** The generated reader of every payload, by its field number in `BusEvent`. */
function payloadReaders(): Map<number, ReadAt> {
  const readers = new Map<number, ReadAt>();
  for (const field of messageDescriptor("vega.events.v1.BusEvent").fields) {
    if (field.oneof === "") continue;
    const [packageName, localName] = splitName(field.typeName);
    const generated: Readonly<Record<string, unknown>> = packageName === "vega" ? vega : events;
    readers.set(field.number, generated[`read${localName}At`] as ReadAt);
  }
  return readers;
}

const envelope = new EnvelopeReader();
const readers = payloadReaders();
let kept: unknown;
const results = {
  name: "wire",
  file: file.split("/").at(-1),
  events: walk(() => {}),
  bytes: bytes.length,
  envelopePerSecond: best((start, end) => envelope.read(bytes, start, end)),
  envelopeAndPayloadPerSecond: best((start, end) => {
    envelope.read(bytes, start, end);
    kept = readers.get(envelope.field)?.(bytes, envelope.payloadStart, envelope.payloadEnd);
  }),
  wholeMessagePerSecond: best((start, end) => {
    kept = events.readBusEventAt(bytes, start, end);
  }),
};
console.log(JSON.stringify(results));
if (kept === undefined) throw new Error("no payload was read");
