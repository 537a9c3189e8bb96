// The cache against a model that is a list in the order of use.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LruCache } from "../../src/cache/lru.ts";
import { costRatio } from "../support/cost.ts";
import { runs } from "../support/seed.ts";

/** Entries by their last use, the oldest first. */
class ListModel {
  private entries: { key: number; value: string }[] = [];

  constructor(private readonly weightMax: number) {}

  get weight(): number {
    return this.entries.reduce((sum, { value }) => sum + value.length, 0);
  }

  get keys(): number[] {
    return this.entries.map(({ key }) => key);
  }

  get(key: number): string | undefined {
    const match = this.entries.find((entry) => entry.key === key);
    if (match) this.entries = [...this.entries.filter((entry) => entry !== match), match];
    return match?.value;
  }

  set(key: number, value: string): void {
    this.delete(key);
    if (value.length > this.weightMax) return;
    this.entries.push({ key, value });
    while (this.weight > this.weightMax) this.entries.shift();
  }

  delete(key: number): void {
    this.entries = this.entries.filter((entry) => entry.key !== key);
  }

  clear(): void {
    this.entries = [];
  }
}

const key = fc.nat(7);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("get" as const), key }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("set" as const), key, value: fc.string({ maxLength: 12 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const) }) },
);

describe("LruCache", () => {
  test("holds the entries of the model, step by step", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.array(step, { maxLength: 60 }), (weightMax, steps) => {
        const cache = new LruCache<number, string>(weightMax, (value) => value.length);
        const model = new ListModel(weightMax);
        for (const one of steps) {
          if (one.kind === "get") expect(cache.get(one.key)).toBe(model.get(one.key));
          else if (one.kind === "set") {
            cache.set(one.key, one.value);
            model.set(one.key, one.value);
          } else if (one.kind === "delete") {
            expect(cache.delete(one.key)).toBe(model.keys.includes(one.key));
            model.delete(one.key);
          } else {
            cache.clear();
            model.clear();
          }
          expect([...cache.keys()]).toEqual(model.keys);
          expect([cache.weight, cache.size]).toEqual([model.weight, model.keys.length]);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test("counts entries unless told how to weigh them", () => {
    const cache = new LruCache<string, number>(2);
    cache.set("a", 1);
    cache.set("b", 2);
    cache.get("a");
    cache.set("c", 3);
    expect([cache.has("a"), cache.has("b"), cache.has("c")]).toEqual([true, false, true]);
  });

  test("costs as much with ten thousand entries as with ten", () => {
    let cache = new LruCache<number, true>(10_000);
    const fill = (size: number) => {
      cache = new LruCache(size);
      for (let key = 0; key < 100_000; key++) cache.set(key, true);
    };
    // Evicting the first of a `Map` steps over the places of all that went before: fifty times the cost.
    const ratio = costRatio(
      () => fill(10_000),
      () => fill(10),
    );
    expect([...cache.keys()]).toEqual(Array.from({ length: 10_000 }, (_, n) => 90_000 + n));
    expect(ratio).toBeLessThan(15);
  });
});
