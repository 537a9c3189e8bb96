// Every message there and back, against the plain oracle, and on broken bytes.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { generate } from "../../scripts/generate-wire.ts";
import { WireError } from "../../src/wire/errors.ts";
import { messageNames } from "../support/message-names.ts";
import { runs } from "../support/seed.ts";
import { messageArbitrary } from "./arbitrary.ts";
import { type AnyMessage, type Codec, codecOf } from "./codecs.ts";
import { oracleDecode } from "./oracle.ts";

const SEED = 20230117;
const RUNS_PER_MESSAGE = 4;

test("the generated files are what the schema makes today", async () => {
  for (const [file, text] of generate()) {
    const path = new URL(`../../src/wire/generated/${file}.ts`, import.meta.url);
    expect((await Bun.file(path).text()) === text, `${file}.ts is stale: run "bun run generate"`).toBe(true);
  }
});

test("every message comes back equal, byte for byte and field for field", () => {
  for (const name of messageNames()) {
    const codec = codecOf(name);
    expect(oracleDecode(name, new Uint8Array(0))).toEqual(codec.empty());
    for (const message of fc.sample(messageArbitrary(name), { numRuns: RUNS_PER_MESSAGE, seed: SEED })) {
      const bytes = codec.encode(message);
      const decoded = codec.decode(bytes);
      if (!Bun.deepEquals(decoded, message, true)) expect(decoded, name).toStrictEqual(message);
      if (!Bun.deepEquals(oracleDecode(name, bytes), message, true))
        throw new Error(`the oracle differs on ${name}`);
      expect(Buffer.compare(codec.encode(decoded), bytes), name).toBe(0);
    }
  }
});

/** The message that a decoder makes of bytes, or the word "refused"; any other error goes up. */
function outcome(decode: () => unknown): unknown {
  try {
    return decode();
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) throw error;
    return "refused";
  }
}

/** Only `WireError` may come out of the codec, whatever went in. */
function codecOutcome(codec: Pick<Codec, "decode">, bytes: Uint8Array): unknown {
  try {
    return codec.decode(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return "refused";
  }
}

interface Mangled {
  name: string;
  bytes: Uint8Array;
}

const names = ["vega.events.v1.BusEvent", "vega.commands.v1.InputData", "vega.GovernanceData", "vega.Market"];

/** Good messages, cut, flipped, doubled and stuffed; and plain noise. */
function mangled(name: string): fc.Arbitrary<Mangled> {
  const codec = codecOf(name);
  const good = messageArbitrary(name).map((message: AnyMessage) => codec.encode(message));
  const change = fc.oneof(
    fc.record({ cut: fc.nat(400) }),
    fc.record({ at: fc.nat(400), bit: fc.nat(7) }),
    fc.record({ insert: fc.uint8Array({ minLength: 1, maxLength: 4 }), at: fc.nat(400) }),
    fc.record({ twice: fc.constant(true) }),
  );
  const changed = fc.tuple(good, change).map(([bytes, how]) => {
    if ("cut" in how) return bytes.slice(0, how.cut);
    if ("twice" in how) return new Uint8Array([...bytes, ...bytes]);
    const at = Math.min(how.at, bytes.length);
    if ("insert" in how) return new Uint8Array([...bytes.slice(0, at), ...how.insert, ...bytes.slice(at)]);
    const copy = bytes.slice();
    if (at < copy.length) copy[at]! ^= 1 << how.bit;
    return copy;
  });
  return fc.oneof(changed, fc.uint8Array({ maxLength: 60 })).map((bytes) => ({ name, bytes }));
}

function agree(codec: Pick<Codec, "decode">, { name, bytes }: Mangled): boolean {
  return Bun.deepEquals(
    codecOutcome(codec, bytes),
    outcome(() => oracleDecode(name, bytes)),
    true,
  );
}

describe("broken bytes", () => {
  test.each(names)("%s: refused or read exactly as the oracle does", (name) => {
    const property = fc.property(mangled(name), (sample) => agree(codecOf(name), sample));
    fc.assert(property, { numRuns: runs(700), seed: SEED });
  });

  // Each canary is a fault that a decoder could have; a fuzz that misses it could not find anything.
  const canaries: Record<string, (codec: Codec, bytes: Uint8Array) => unknown> = {
    "takes a cut message for a whole one": (codec, bytes) =>
      codecOutcome(codec, bytes) === "refused" ? codec.empty() : codec.decode(bytes),
    "refuses what is good": (codec, bytes) =>
      bytes.length > 40 ? codec.decode(new Uint8Array([0])) : codec.decode(bytes),
    "ignores the last byte": (codec, bytes) => codec.decode(bytes.slice(0, -1)),
  };
  test.each(Object.keys(canaries))("canary: the fuzz finds a decoder that %s", (canary) => {
    const codec = codecOf(names[0]!);
    const faulty = { decode: (bytes: Uint8Array) => canaries[canary]!(codec, bytes) as AnyMessage };
    const property = fc.property(mangled(names[0]!), (sample) => agree(faulty, sample));
    expect(fc.check(property, { numRuns: 700, seed: SEED, endOnFailure: true }).failed).toBe(true);
  });

  test("a decoder that throws something else than a WireError fails the fuzz", () => {
    const faulty = {
      decode: (): never => {
        throw new RangeError("canary");
      },
    };
    expect(() => codecOutcome(faulty, new Uint8Array(1))).toThrow("canary");
  });

  test("every truncation of a message is refused or is a shorter message, as the oracle says", () => {
    for (const name of names) {
      const [message] = fc.sample(messageArbitrary(name), { numRuns: 1, seed: SEED });
      const bytes = codecOf(name).encode(message!).subarray(0, 1500);
      for (let end = 0; end < bytes.length; end++) {
        expect(agree(codecOf(name), { name, bytes: bytes.subarray(0, end) }), `${name} cut at ${end}`).toBe(
          true,
        );
      }
    }
  });
});
