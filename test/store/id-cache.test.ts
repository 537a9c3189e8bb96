// Caches of identifiers and accounts beside a map that forgets nothing: what they know is right.
import { describe, expect, test } from "bun:test";
import { AccountCache, IdCache } from "../../src/store/id-cache.ts";
import { referencePrefix } from "../../src/store/ids.ts";

const idOf = (n: number) => new Bun.CryptoHasher("sha256").update(`id ${n}`).digest("hex");
const entryOf = (n: number) => ({ ref: referencePrefix(Buffer.from(idOf(n), "hex")), no: n + 1 });

describe("a cache of identifiers", () => {
  test("knows most of the last hundred thousand, by text, by bytes and by reference, and nothing wrong", () => {
    const cache = new IdCache();
    const COUNT = 150_000;
    for (let n = 0; n < COUNT; n++) expect(cache.put(idOf(n), entryOf(n))).toBe(true);
    let hits = 0;
    for (let n = 0; n < COUNT; n++) {
      const text = idOf(n);
      const cached = cache.find(text);
      expect(cache.find(text.toUpperCase())).toEqual(cached);
      if (cached === undefined) continue;
      hits++;
      expect(cached).toEqual(entryOf(n));
      expect(cache.text(cached.ref)).toBe(text);
    }
    expect(hits).toBeGreaterThan(90_000);
    cache.clear();
    expect(cache.find(idOf(COUNT - 1))).toBeUndefined();
    expect(cache.text(entryOf(COUNT - 1).ref)).toBeUndefined();
  });

  test("keeps no others than of 32 bytes, and no number that does not fit", () => {
    const cache = new IdCache();
    for (const text of ["", "network", "ab", idOf(1).slice(2), `${idOf(1)}00`, "zz".repeat(32)]) {
      expect(cache.put(text, { ref: 1, no: 1 })).toBe(false);
      expect(cache.find(text)).toBeUndefined();
    }
    expect(cache.put(idOf(1), { ref: 1, no: 2 ** 32 })).toBe(false);
    expect(cache.find(idOf(1))).toBeUndefined();
  });

  test("tells a reference apart that an identifier has in the place of another", () => {
    const cache = new IdCache();
    const [first, second] = [`${"00".repeat(31)}01`, `${"00".repeat(31)}02`];
    const ref = referencePrefix(Buffer.from(first, "hex"));
    cache.put(first, { ref, no: 1 });
    cache.put(second, { ref: ref + 1, no: 2 });
    expect(cache.text(ref)).toBe(first);
    expect([undefined, second]).toContain(cache.text(ref + 1));
    expect(cache.find(second)).toEqual({ ref: ref + 1, no: 2 });
  });
});

describe("a cache of accounts", () => {
  test("knows accounts by all four parts, and nothing wrong", () => {
    const cache = new AccountCache();
    const refs = new Map<string, number>();
    let ref = 0;
    for (let party = 1; party < 20_000; party++)
      for (const type of [4, 18, -1]) {
        const [asset, market] = [1 + (party % 7), party % 3];
        cache.put(party, asset, market, type, ++ref);
        refs.set(`${party} ${asset} ${market} ${type}`, ref);
      }
    let hits = 0;
    for (const [name, expected] of refs) {
      const [party, asset, market, type] = name.split(" ").map(Number) as [number, number, number, number];
      const kept = cache.find(party, asset, market, type);
      if (kept !== undefined) hits++;
      expect([undefined, expected]).toContain(kept);
      expect(cache.find(party, asset, market, type + 1)).toBeUndefined();
      expect(cache.find(party, asset + 100, market, type)).toBeUndefined();
      expect(cache.find(party + 100_000, asset, market, type)).toBeUndefined();
    }
    expect(hits).toBeGreaterThan(50_000);
    cache.clear();
    expect(cache.find(1, 2, 1, 4)).toBeUndefined();
    cache.put(2 ** 32 + 1, 1, 1, 4, 9);
    expect(cache.find(2 ** 32 + 1, 1, 1, 4)).toBeUndefined();
    expect(cache.find(1, 1, 1, 4)).toBeUndefined();
  });
});
