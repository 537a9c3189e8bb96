// Times as texts, against the platform's own and back.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { rfc3339Nano, sentenceTime, timeNs } from "../../src/wire/time-text.ts";
import { runs, SEED } from "../support/seed.ts";

test.each([
  [0n, "1970-01-01T00:00:00Z"],
  [1_500_000_000n, "1970-01-01T00:00:01.5Z"],
  [86_399_999_999_999n, "1970-01-01T23:59:59.999999999Z"],
  [-1n, "1969-12-31T23:59:59.999999999Z"],
  [951_782_400_000_000_010n, "2000-02-29T00:00:00.00000001Z"],
  [253_402_300_800_000_000_000n, "10000-01-01T00:00:00Z"],
])("%p ns are %p", (ns, text) => {
  expect(rfc3339Nano(ns)).toBe(text);
});

test("any time is the platform's text to the millisecond, and is read back to the nanosecond", () => {
  const milliseconds = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
  fc.assert(
    fc.property(milliseconds, fc.integer({ min: 0, max: 999_999 }), (ms, beyond) => {
      const ns = BigInt(ms) * 1_000_000n + BigInt(beyond);
      const text = rfc3339Nano(ns);
      expect(timeNs(text)).toBe(ns);
      expect(text.slice(0, 19)).toBe(new Date(ms).toISOString().slice(0, 19));
      expect(sentenceTime(ns)).toBe(`${text.slice(0, -1).replace("T", " ")} +0000 UTC`);
    }),
    { seed: SEED, numRuns: runs(5_000) },
  );
});
