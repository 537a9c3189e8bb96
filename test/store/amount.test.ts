// Amounts between their column and their text, beside the runtime's own big integers.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { amountText, loadAmount, storeAmount } from "../../src/store/amount.ts";
import { runs, SEED } from "../support/seed.ts";

const AMOUNT_MAX = 2n ** 256n - 1n;

/** Around the borders of bytes, digits and columns too. */
const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: AMOUNT_MAX }),
  fc.bigInt({ min: 0n, max: 2n ** 64n }),
  fc
    .tuple(
      fc.constantFrom(2n, 10n, 256n, 1_000_000n),
      fc.integer({ min: 0, max: 256 }),
      fc.integer({ min: -2, max: 2 }),
    )
    .map(([base, exponent, more]) => base ** BigInt(exponent) + BigInt(more))
    .filter((value) => value >= 0n && value <= AMOUNT_MAX),
);

test(`a stored amount comes back as number and as text (seed ${SEED})`, () => {
  const property = fc.property(amount, (value) => {
    const stored = storeAmount(value);
    expect(loadAmount(stored)).toBe(value);
    expect(amountText(stored)).toBe(value.toString());
  });
  fc.assert(property, { seed: SEED, numRuns: runs(3_000) });
});

test("a sum of many amounts has its text, however long it became", () => {
  for (const bits of [256n, 259n, 260n, 300n]) {
    expect(amountText(storeAmount(2n ** bits))).toBe(String(2n ** bits));
  }
});

test("values of a column beyond amounts have their text too", () => {
  for (const value of [-1n, -(2n ** 53n), -(2n ** 63n), 2n ** 63n - 1n]) {
    expect(amountText(value)).toBe(value.toString());
  }
  // Sums of rewards.
  for (const value of [AMOUNT_MAX + 1n, AMOUNT_MAX * 10n, AMOUNT_MAX ** 2n])
    expect(amountText(storeAmount(value))).toBe(value.toString());
  expect(amountText(new Uint8Array([0, 0, 1]))).toBe("1");
  expect(amountText(new Uint8Array())).toBe("0");
});
