// Unix nanoseconds to microseconds: the quick way for the times that occur says what whole numbers say.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { microseconds } from "../../../src/store/project/context.ts";
import { runs } from "../../support/seed.ts";

/** Rounded towards the past. */
function plain(ns: bigint): number {
  return Number(ns >= 0n ? ns / 1_000n : -((-ns + 999n) / 1_000n));
}

test.each([
  [0n, 0],
  [999n, 0],
  [1_000n, 1],
  [-1n, -1],
  [-1_000n, -1],
  [-1_001n, -2],
  [1_674_004_004_022_698_621n, 1_674_004_004_022_698],
  [-62_135_596_800_000_000_000n / 10n, -6_213_559_680_000_000],
])("%p ns are %p us", (ns, us) => expect(microseconds(ns)).toBe(us));

test("for any 64 bits", () => {
  const any = fc.oneof(
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
    fc.bigInt(2n ** 62n - 9n, 2n ** 62n + 9n),
    fc.bigInt(-5_000n, 5_000n),
  );
  const property = fc.property(any, (ns) => {
    expect(microseconds(ns)).toBe(plain(ns));
  });
  fc.assert(property, { numRuns: runs(5_000) });
});
