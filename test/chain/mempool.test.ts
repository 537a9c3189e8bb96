import { describe, expect, test } from "bun:test";
import { Mempool, type PooledTx } from "../../src/chain/mempool.ts";
import type { CheckedTransaction } from "../../src/wire/transaction-check.ts";
import type { CommandKind } from "../../src/wire/transaction-commands.ts";

const LIMITS = { mempoolTxsMax: 4, mempoolBytesMax: 1_000, cachedHashesMax: 6, blockBytesMax: 500 };
const GAS_MAX = 1_000;

function entry(hash: string, party = "p", kind: CommandKind = "transfer", bytes = 10, gas = 1): PooledTx {
  const tx = { kind, party, hash: hash.toLowerCase() } as CheckedTransaction;
  return { hash, bytes: new Uint8Array(bytes), tx, gas, isImpersonated: false };
}

const hashes = (entries: Iterable<PooledTx>) => [...entries].map(({ hash }) => hash);

describe("mempool", () => {
  test("given commands of all priorities, then validators come first, then governance, then the rest by arrival", () => {
    const pool = new Mempool(LIMITS);
    pool.add(entry("A"));
    pool.add(entry("B", "q", "voteSubmission"));
    pool.add(entry("C", "r", "nodeVote"));
    pool.add(entry("D", "s", "proposalSubmission"));
    expect(hashes(pool.pick(GAS_MAX))).toEqual(["C", "B", "D", "A"]);
  });

  test("given more than a block takes, then bytes and gas bound it, and what is picked stays in the mempool", () => {
    const pool = new Mempool(LIMITS);
    for (const name of ["A", "B", "C"]) pool.add(entry(name, name, "transfer", 200, 3));
    expect(hashes(pool.pick(GAS_MAX))).toEqual(["A", "B"]);
    expect(hashes(pool.pick(5))).toEqual(["A"]);
    expect([pool.count, pool.bytes]).toEqual([3, 600]);
  });

  test("given a maximum of gas below what the first one wants, then that one is alone in its block", () => {
    const pool = new Mempool(LIMITS);
    for (const name of ["A", "B"]) pool.add(entry(name, name, "orderSubmission", 10, 30));
    expect(hashes(pool.pick(20))).toEqual(["A"]);
  });

  test("given a full mempool, when a party with fewer comes, then the youngest of the one with the most makes way", () => {
    const pool = new Mempool(LIMITS);
    for (const name of ["A", "B", "C"]) pool.add(entry(name, "flood"));
    pool.add(entry("D", "other"));
    expect(hashes(pool.add(entry("E", "honest")))).toEqual(["C"]);
    expect(hashes(pool.entries())).toEqual(["A", "B", "D", "E"]);
    expect(() => pool.add(entry("F", "flood"))).toThrow("mempool is full: number of txs 4 (max: 4)");
    expect(() => pool.add(entry("G", "honest"))).toThrow("mempool is full");
    expect(hashes(pool.entries())).toEqual(["A", "B", "D", "E"]);
  });

  test("given a full mempool, when a validator's command comes, then another makes way; not the other way round", () => {
    const pool = new Mempool(LIMITS);
    for (const name of ["A", "B", "C", "D"]) pool.add(entry(name, name));
    expect(hashes(pool.add(entry("V", "v", "nodeVote")))).toEqual(["A"]);
    for (const name of ["W", "X", "Y"]) pool.add(entry(name, "v", "nodeVote"));
    expect(() => pool.add(entry("E", "e"))).toThrow("mempool is full");
    expect(hashes(pool.entries())).toEqual(["V", "W", "X", "Y"]);
  });

  test("given many bytes, then they bound the mempool too, and a refused one changes nothing", () => {
    const pool = new Mempool({ ...LIMITS, blockBytesMax: 1_000 });
    pool.add(entry("A", "a", "transfer", 600));
    pool.add(entry("B", "a", "transfer", 300));
    expect(() => pool.add(entry("C", "b", "transfer", 950))).toThrow(
      "total txs bytes 900 (max: 1000), no room for the bytes of this one",
    );
    expect(hashes(pool.entries())).toEqual(["A", "B"]);
    expect(pool.bytes).toBe(900);
  });

  test("given a transaction larger than a block, then it is too large", () => {
    const pool = new Mempool(LIMITS);
    expect(() => pool.add(entry("A", "a", "transfer", 501))).toThrow("tx size is too big: 501, max: 500");
  });

  test("given a hash that was seen, then it is a duplicate until it is forgotten, or 10,000 others came (here 6)", () => {
    const pool = new Mempool(LIMITS);
    pool.remember("A");
    expect(() => pool.remember("A")).toThrow("tx already exists in cache");
    pool.uncache("A");
    pool.remember("A");
    for (const name of ["B", "C", "D", "E", "F"]) pool.remember(name);
    // Asking again made A the youngest.
    expect(() => pool.remember("A")).toThrow("tx already exists in cache");
    pool.remember("G");
    expect(() => pool.remember("A")).toThrow("tx already exists in cache");
    pool.remember("B");
  });

  test("given a transaction that waits, then it is a duplicate although its hash left the cache", () => {
    const pool = new Mempool(LIMITS);
    pool.remember("A");
    pool.add(entry("A"));
    for (const name of ["B", "C", "D", "E", "F", "G", "H"]) pool.remember(name);
    expect(() => pool.remember("A")).toThrow("tx already exists in cache");
  });

  test("given a block of all that waits, or of some of it, when it is removed, then the rest is as it was", () => {
    const pool = new Mempool(LIMITS);
    const [a, b, c] = [entry("A", "p"), entry("B", "p", "voteSubmission"), entry("C", "p")];
    for (const each of [a, b, c]) pool.add(each);
    pool.removePicked([b, a]);
    expect([hashes(pool.entries()), pool.count, pool.bytes]).toEqual([["C"], 1, 10]);
    pool.removePicked([]);
    expect(pool.count).toBe(1);
    pool.add(a);
    pool.removePicked([c, a]);
    expect([hashes(pool.entries()), pool.count, pool.bytes]).toEqual([[], 0, 0]);
    // Nothing is left of the party's count either: it has no more than another when the mempool is full.
    for (const name of ["D", "E", "F"]) pool.add(entry(name, "q"));
    pool.add(entry("G", "p"));
    expect(hashes(pool.add(entry("H", "p")))).toEqual(["F"]);
  });

  test("given a saved mempool, when it is loaded, then order, sizes and hashes are back", () => {
    const pool = new Mempool(LIMITS);
    for (const name of ["A", "B"]) {
      pool.remember(name);
      pool.add(entry(name, name));
    }
    pool.remember("Z");
    const saved = pool.save();
    pool.remove(saved.entries[0]!);
    pool.add(entry("C"));
    pool.load(saved);
    expect(hashes(pool.entries())).toEqual(["A", "B"]);
    expect([pool.count, pool.bytes]).toEqual([2, 20]);
    expect(() => pool.remember("Z")).toThrow("tx already exists in cache");
  });
});
