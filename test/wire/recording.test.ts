// A whole recording of a real network, when there is one beside the project: every event is read, a sample is
// compared with the oracle, and written again it must give the bytes it came from.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { EnvelopeReader } from "../../src/wire/bus-event.ts";
import { messageDescriptor } from "../../src/wire/descriptors.ts";
import { encodeBusEvent, readBusEventAt } from "../../src/wire/generated/events.ts";
import { codecOf } from "./codecs.ts";
import { oracleDecode } from "./oracle.ts";

const NAME = "vega.events.v1.BusEvent";
const file = fileURLToPath(new URL("../../../shared/data/smoketest_to_block_5000.evts.gz", import.meta.url));
const present = existsSync(file);
if (!present) console.log("recording.test: no recording beside the project, the walk over one is skipped");

/** Every first event of a kind, and a fraction of the others, goes to the oracle too. */
const ORACLE_STRIDE = 25;

test.if(present)(
  "a recording is read whole, as the oracle reads it, and written back byte for byte",
  async () => {
    const bytes = Bun.gunzipSync(new Uint8Array(await Bun.file(file).arrayBuffer()));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const payloads = new Map(messageDescriptor(NAME).fields.map((field) => [field.number, field]));
    const envelope = new EnvelopeReader();
    const kinds = new Map<number, number>();
    let count = 0;
    let different = 0;
    let pos = 0;
    // Framing: uint32 size of what follows, uint64 sequence number, the event
    // (docs/protocol/20-network-history-segments.md#6-recorded-event-files).
    for (; pos < bytes.length; count++) {
      const start = pos + 12;
      const end = pos + 4 + view.getUint32(pos);
      expect(view.getBigUint64(pos + 4)).toBe(BigInt(count + 1));
      envelope.read(bytes, start, end);
      const event = readBusEventAt(bytes, start, end);
      const field = payloads.get(envelope.field)!;
      const payload = codecOf(field.typeName).readAt(bytes, envelope.payloadStart, envelope.payloadEnd);
      const seen = kinds.get(envelope.field) ?? 0;
      kinds.set(envelope.field, seen + 1);
      if (!Bun.deepEquals(payload, event[field.jsonName as keyof typeof event], true))
        throw new Error(event.id);
      if (`${envelope.height}-${envelope.seq}` !== event.id) throw new Error(event.id);
      if (Buffer.compare(encodeBusEvent(event), bytes.subarray(start, end)) !== 0) different++;
      if (seen === 0 || count % ORACLE_STRIDE === 0) {
        expect(Bun.deepEquals(oracleDecode(NAME, bytes.subarray(start, end)), event, true), event.id).toBe(
          true,
        );
      }
      pos = end;
    }
    console.log(
      `recording.test: ${count} events of ${kinds.size} kinds, ${different} written back differently`,
    );
    expect(pos).toBe(bytes.length);
    expect(count).toBe(31_837);
    expect(different).toBe(0);
  },
);
