// The hashes that a mempool remembers, beside a list that is searched from its front.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { RecentHashes } from "../../src/chain/recent-hashes.ts";

const step = fc.record({
  what: fc.constantFrom("add", "add", "add", "delete"),
  hash: fc.integer({ min: 0, max: 12 }).map(String),
});

test("remembers the newest so many, whatever is added again or taken out", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 120 }), (max, steps) => {
      const recent = new RecentHashes(max);
      let model: string[] = [];
      for (const { what, hash } of steps) {
        model = model.filter((each) => each !== hash);
        if (what === "delete") recent.delete(hash);
        else {
          recent.add(hash);
          model = [...model, hash].slice(-max);
        }
        expect(recent.all).toEqual(model);
        expect(recent.has(hash)).toBe(model.includes(hash));
      }
      expect(new RecentHashes(max, recent.all).all).toEqual(model);
    }),
  );
});

test("costs as much with ten thousand as with ten", () => {
  const hashes = Array.from({ length: 200_000 }, (_, n) => n.toString(16).padStart(64, "0"));
  const recent = new RecentHashes(10_000);
  const began = performance.now();
  for (const hash of hashes) recent.add(hash);
  // A set takes 12 microseconds for each: more than two seconds.
  expect(performance.now() - began).toBeLessThan(1_000);
  expect(recent.all).toEqual(hashes.slice(-10_000));
});
