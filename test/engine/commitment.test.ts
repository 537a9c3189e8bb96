// The digest of the state: kept by its changes, it must be what a naive reading of the same entries gives.
import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { EntryTree } from "../../src/engine/entry-tree.ts";
import { encodeValue, type Mark, State, type StateEntry } from "../../src/engine/state.ts";
import { newHome, removeHomes } from "../chain/rig.ts";
import { runs, seeds } from "../support/seed.ts";
import { liveState, liveTree, recordOf, rootOf } from "./state-life.ts";

afterAll(removeHomes);

const sha256 = (input: string | Uint8Array) => createHash("sha256").update(input).digest();

const rootOfMap = (entries: ReadonlyMap<string, string>) =>
  rootOf([...entries].map(([key, value]) => recordOf(key, value)));

function naiveDigest(entries: Iterable<StateEntry>): string {
  const tables = new Map<string, Map<string, string>>();
  for (const { table, key, value } of entries) {
    tables.set(table, (tables.get(table) ?? new Map<string, string>()).set(key, value));
  }
  const digests = [...tables]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, rows]) => sha256(`${name}\n${rows.size}\n${rootOfMap(rows)}`));
  return sha256(Buffer.concat(digests)).toString("hex");
}

const rootOfTree = (tree: EntryTree) => tree.hash(new Uint8Array(32)).toHex();

describe("a tree of entries", () => {
  const change = fc.record({
    key: fc.integer({ min: 0, max: 120 }).map((n) => `kéy ${n}`),
    value: fc.option(fc.string({ maxLength: 3, unit: "grapheme" }), { nil: undefined }),
  });

  test("given entries that are put, changed and removed in any order, then its root is the naive one, at every step", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 300 }), (changes) => {
        const [tree, entries] = [new EntryTree(), new Map<string, string>()];
        for (const [n, { key, value }] of changes.entries()) {
          if (value === undefined) {
            tree.delete(key);
            entries.delete(key);
          } else {
            tree.set(key, value);
            entries.set(key, value);
          }
          expect(tree.size).toBe(entries.size);
          // Roots in between make the hashes of the branches; changes behind them must make them again.
          if (n % 40 === 0) expect(rootOfTree(tree)).toBe(rootOfMap(entries));
        }
        expect(rootOfTree(tree)).toBe(rootOfMap(entries));
        const other = new EntryTree();
        for (const [key, value] of [...entries].reverse()) other.set(key, value);
        expect(rootOfTree(other)).toBe(rootOfTree(tree));
      }),
      { numRuns: runs(60) },
    );
  });

  test("given thousands of entries, then it grows and shrinks to the naive root", () => {
    const [tree, entries] = [new EntryTree(), new Map<string, string>()];
    for (let n = 0; n < 6_000; n++) {
      tree.set(`${n}`, "1");
      entries.set(`${n}`, "1");
    }
    expect(rootOfTree(tree)).toBe(rootOfMap(entries));
    for (let n = 0; n < 5_995; n++) {
      tree.delete(`${n}`);
      entries.delete(`${n}`);
      if (n % 1_500 === 0) expect(rootOfTree(tree)).toBe(rootOfMap(entries));
    }
    expect(rootOfTree(tree)).toBe(rootOfMap(entries));
  });

  test("given entries of which as many go as come, then it has room for each", () => {
    // Of 31,000 sets of keys these are the ones that a table with places by position had no room for.
    for (const [seed, live] of [
      [5453, 164],
      [14559, 1086],
      [25809, 936],
      [11000, 203],
      [3151, 190],
    ] as const) {
      const tree = new EntryTree();
      const entries = new Map<string, string>();
      for (let n = 0; n < 400; n++) {
        tree.set(`${seed}/${n}`, "x");
        entries.set(`${seed}/${n}`, "x");
        if (n < live) continue;
        tree.delete(`${seed}/${n - live}`);
        entries.delete(`${seed}/${n - live}`);
      }
      expect([tree.size, rootOfTree(tree)]).toEqual([entries.size, rootOfMap(entries)]);
    }
  });

  test("given positions that somebody searched for, then the tree lives as the model does", () => {
    for (const seed of seeds(10)) liveTree(seed, 300);
    // Leaves of equal digits, which are larger than others.
    expect(liveTree(20, 600)).toBeGreaterThan(0);
  });

  test("given positions side by side at the end of all, then they take the room of their records", () => {
    const before = process.memoryUsage().arrayBuffers;
    const tree = new EntryTree();
    const position = new Uint8Array(24).fill(255);
    for (let n = 0; n < 2_000; n++) {
      position[4] = n >> 8;
      position[5] = n;
      tree.setRecord(position, position.slice(0, 32));
    }
    expect(tree.size).toBe(2_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000);
  });

  test("given a key whose text runs into its value, then another split has another root", () => {
    const roots = [
      ["a", "bc"],
      ["ab", "c"],
      ["abc", ""],
      ["", "abc"],
    ].map(([key, value]) => {
      const tree = new EntryTree();
      tree.set(key!, value!);
      return rootOfTree(tree);
    });
    expect(new Set(roots).size).toBe(roots.length);
  });
});

describe("the state's digest", () => {
  const set = fc.record({
    kind: fc.constant("set" as const),
    table: fc.constantFrom("a", "b", "c"),
    key: fc.integer({ min: 0, max: 40 }).map(String),
    value: fc.option(fc.bigInt({ min: 0n, max: 9n }), { nil: undefined }),
  });
  const other = fc
    .constantFrom("take", "hold", "rollback", "return", "load", "digest", "release")
    .map((kind) => ({ kind }) as const);
  const step = fc.oneof({ weight: 6, arbitrary: set }, { weight: 3, arbitrary: other });

  test("given any sequence of changes, places, ways back and loads, then it is the naive one", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const state = new State();
        const tables = new Map(["b", "c", "a"].map((name) => [name, state.table<bigint>(name)]));
        let marks: Mark[] = [];
        const take = () => {
          state.takeChanges();
          state.dropJournal();
        };
        for (const each of steps) {
          if ("table" in each) {
            if (each.value === undefined) tables.get(each.table)!.delete(each.key);
            else tables.get(each.table)!.set(each.key, each.value);
          } else if (each.kind === "take") take();
          else if (each.kind === "digest") {
            take();
            expect(state.digest()).toBe(naiveDigest(state.entries()));
          } else if (each.kind === "hold") {
            take();
            marks.push(state.place());
          } else if (each.kind === "release" && marks.length > 0) state.release(marks.shift()!);
          else if (each.kind === "load") {
            state.load([...state.entries()]);
            marks = [];
          } else if (marks.length > 0) {
            const mark = marks.at(-1)!;
            if (each.kind === "return") state.returnTo(mark);
            else state.rollback(mark);
          }
        }
        take();
        expect(state.digest()).toBe(naiveDigest(state.entries()));
        const again = new State();
        for (const name of ["a", "b", "c"]) again.table(name);
        again.load([...state.entries()].reverse());
        expect(again.digest()).toBe(state.digest());
        expect(again.tableDigests()).toEqual(state.tableDigests());
      }),
      { numRuns: runs(150) },
    );
  });

  test("given ways back, restarts from the store and snapshots of it, then it is the model's", async () => {
    for (const seed of seeds(5)) await liveState(seed, 25, newHome());
  });

  test("given a table that is empty, then it is as if it were not there", () => {
    const [one, two] = [new State(), new State()];
    one.table<number>("used").set("k", 1);
    two.table<number>("used").set("k", 1);
    const later = two.table<number>("later");
    for (const state of [one, two]) state.takeChanges();
    expect(two.digest()).toBe(one.digest());
    later.set("k", 1);
    two.takeChanges();
    expect(two.digest()).not.toBe(one.digest());
    expect(two.tableDigests().map(({ table, entries }) => [table, entries])).toEqual([
      ["later", 1],
      ["used", 1],
    ]);
    later.delete("k");
    two.takeChanges();
    expect(two.digest()).toBe(one.digest());
  });

  test("given stored values that are written in another way, then the digest is another: only the canonical text will do", () => {
    const state = new State();
    state.table<{ a: number }>("t");
    state.load([{ table: "t", key: "k", value: encodeValue({ a: 1 }) }]);
    const digest = state.digest();
    state.load([{ table: "t", key: "k", value: '{ "a": 1 }' }]);
    expect(state.digest()).not.toBe(digest);
  });

  test("given places below which a change lies, then only those on its way differ", () => {
    const [one, two] = [new State(), new State()];
    for (const state of [one, two]) {
      const table = state.table<number>("t");
      for (let n = 0; n < 1_000; n++) table.set(`${n}`, state === two && n === 500 ? 1 : 0);
      state.takeChanges();
    }
    let prefix = "";
    for (;;) {
      const [a, b] = [one, two].map((state) => state.tree("t")!.place(prefix)!);
      expect(a!.hash).not.toBe(b!.hash);
      if (a!.children === undefined) break;
      const differing = a!.children.flatMap((hash, n) => (hash === b!.children![n] ? [] : [n]));
      expect(differing).toHaveLength(1);
      prefix += differing[0]!.toString(16);
    }
    expect(sha256("500").toString("hex").startsWith(prefix)).toBe(true);
    expect(prefix.length).toBeGreaterThan(0);
    expect(one.tree("t")!.place(`${prefix}0`)).toBeUndefined();
    expect(one.tree("other")).toBeUndefined();
  });
});
