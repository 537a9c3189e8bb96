// The envelope, read in place, says the same as the whole message decoded.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { EnvelopeReader } from "../../src/wire/bus-event.ts";
import { messageDescriptor } from "../../src/wire/descriptors.ts";
import { WireError } from "../../src/wire/errors.ts";
import { type BusEvent, encodeBusEvent, readBusEventAt } from "../../src/wire/generated/events.ts";
import { readAssetAt } from "../../src/wire/generated/vega.ts";
import { runs, SEED } from "../support/seed.ts";
import { messageArbitrary } from "./arbitrary.ts";
import { codecOf } from "./codecs.ts";

const NAME = "vega.events.v1.BusEvent";
const event = {
  id: "4711-23",
  block: "B0",
  type: 18,
  version: 1,
  chainId: "test-1",
  txHash: "7A",
  asset: { id: "a1", status: 4 },
};

function read(bytes: Uint8Array): EnvelopeReader {
  const reader = new EnvelopeReader();
  reader.read(bytes, 0, bytes.length);
  return reader;
}

describe("the envelope of a bus event", () => {
  test("is read from the middle of a buffer without a copy", () => {
    const bytes = encodeBusEvent(event);
    const buffer = new Uint8Array(bytes.length + 10).fill(255);
    buffer.set(bytes, 5);
    const reader = new EnvelopeReader();
    reader.read(buffer, 5, 5 + bytes.length);
    const { height, seq, type, version, field } = reader;
    expect({ height, seq, type, version, field }).toEqual({
      height: 4711,
      seq: 23,
      type: 18,
      version: 1,
      field: 117,
    });
    expect([reader.id(), reader.block(), reader.chainId(), reader.txHash()]).toEqual([
      "4711-23",
      "B0",
      "test-1",
      "7A",
    ]);
    expect(readAssetAt(buffer, reader.payloadStart, reader.payloadEnd)).toMatchObject({
      id: "a1",
      status: 4,
    });
    expect(reader.payloadBytes().buffer).toBe(buffer.buffer);
  });

  test("leaves nothing behind for the next one", () => {
    const reader = read(encodeBusEvent(event));
    const bare = encodeBusEvent({ id: "1-0" });
    reader.read(bare, 0, bare.length);
    expect(reader).toMatchObject({
      height: 1,
      seq: 0,
      type: 0,
      version: 0,
      field: 0,
      payloadStart: 0,
      payloadEnd: 0,
    });
    expect([reader.block(), reader.chainId(), reader.txHash()]).toEqual(["", "", ""]);
  });

  test("says what the whole decoder says, for random events", () => {
    const numbers = new Map(messageDescriptor(NAME).fields.map((field) => [field.jsonName, field]));
    const property = fc.property(messageArbitrary(NAME), fc.nat(), fc.nat(), (message, height, seq) => {
      const whole = { ...message, id: `${height}-${seq}` } as unknown as BusEvent;
      const bytes = encodeBusEvent(whole);
      const envelope = read(bytes);
      expect([envelope.height, envelope.seq, envelope.type]).toEqual([height, seq, whole.type]);
      expect([envelope.block(), envelope.chainId(), envelope.txHash()]).toEqual([
        whole.block,
        whole.chainId,
        whole.txHash,
      ]);
      const set = Object.entries(whole).find(
        ([key, value]) => numbers.get(key)?.oneof !== "" && value !== undefined,
      );
      const field = set && numbers.get(set[0]);
      expect(envelope.field).toBe(field?.number ?? 0);
      if (field === undefined || set === undefined) return;
      const payload = codecOf(field.typeName).readAt(bytes, envelope.payloadStart, envelope.payloadEnd);
      expect(payload).toEqual(set[1] as Record<string, unknown>);
    });
    fc.assert(property, { numRuns: runs(300), seed: SEED });
  });

  test.each(["", "1", "1-", "-1", "a-1", "1-a", "1-2-3", " 1-2", "1 -2", "1234567890123456-1", "--"])(
    "refuses the id %j",
    (id) => {
      expect(() => read(encodeBusEvent({ ...event, id }))).toThrow(WireError);
      expect(() => read(encodeBusEvent({ ...event, id }))).toThrow("is not <height>-<seq>");
    },
  );

  test("refuses one payload twice, and takes the last of two kinds", () => {
    const payload = encodeBusEvent({ asset: { id: "a1" } });
    const bare = encodeBusEvent({ id: "1-0" });
    expect(() => read(new Uint8Array([...bare, ...payload, ...payload]))).toThrow("comes twice");
    const other = encodeBusEvent({ timeUpdate: { timestamp: 5n } });
    expect(read(new Uint8Array([...bare, ...payload, ...other])).field).toBe(101);
  });

  test("skips a payload that this version does not know, and names a broken field", () => {
    const bare = encodeBusEvent({ id: "1-0", type: 99 });
    const unknown = Uint8Array.fromHex("da7d03616263"); // field 2011, three bytes
    expect(read(new Uint8Array([...bare, ...unknown]))).toMatchObject({ field: 0, type: 99 });
    expect(() => read(Uint8Array.fromHex("0a03312d301201"))).toThrow(
      "vega.events.v1.BusEvent.block: 1 bytes",
    );
    expect(() => read(Uint8Array.fromHex("a80601"))).toThrow(
      "vega.events.v1.BusEvent.time_update: field 101 cannot",
    );
  });

  test("only WireError comes out of noise, and what is taken is what the whole decoder takes", () => {
    const good = encodeBusEvent(event);
    const flips = fc.tuple(fc.nat(good.length - 1), fc.nat(7)).map(([at, bit]) => {
      const bytes = good.slice();
      bytes[at]! ^= 1 << bit;
      return bytes;
    });
    const property = fc.property(fc.oneof(flips, fc.uint8Array({ maxLength: 50 })), (bytes) => {
      try {
        read(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(WireError);
        return;
      }
      // The envelope leaves texts and payloads unread: only those can still be refused.
      try {
        readBusEventAt(bytes, 0, bytes.length);
      } catch (error) {
        expect((error as WireError).path).toMatch(/\.(id|block|chain_id|tx_hash|asset|[a-z_]+\..*)/);
      }
    });
    fc.assert(property, { numRuns: runs(2000), seed: SEED });
  });
});
