// lyra history verify --against: two nodes are the same, or the first place in which they are not is named.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listSegments } from "../../src/history/segment-table.ts";
import { compareHistory, type HistoryComparison } from "../../src/history/sharing/compare.ts";
import { HistorySource } from "../../src/history/sharing/source.ts";
import { openReader, openWriter, segmentDirectory } from "../../src/store/database.ts";
import { encodeCheckpointEvent } from "../../src/wire/generated/events.ts";
import { SharingNode } from "../rig/history-source.ts";
import { lyra } from "../rig/lyra.ts";
import { folder, homeOf, removeFolders, rowed, runOnce, segmentedStore } from "./fixtures.ts";

let home: string;
let node: SharingNode;

beforeAll(async () => {
  home = await homeOf(rowed(1, 57));
  node = new SharingNode(home);
});
afterEach(() => {
  node.lie = undefined;
});
afterAll(async () => {
  await node.stop();
  removeFolders();
});

const compare = (of: string, deep = false, url = node.url): Promise<HistoryComparison> =>
  compareHistory({ home: of, source: new HistorySource(url, { firstPauseMs: 1 }), deep });

function copyOf(path: string): string {
  const copy = folder();
  cpSync(path, copy, { recursive: true });
  return copy;
}

/** The home's file of its segment up to a height. */
function segmentFile(path: string, to: number): string {
  const db = openReader(path);
  const { id } = listSegments(db).find((row) => row.to === to)!;
  db.close();
  return join(segmentDirectory(path), `${id}.seg`);
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}

describe("two nodes", () => {
  test("with the same blocks are the same, by whatever way they got them", async () => {
    const other = await homeOf(rowed(1, 57));
    const equal = { chainId: "chain-x", equalTo: 50, equalSegments: 5, moreHere: 0, moreThere: 0 };
    expect(await compare(other, true)).toEqual(equal);
  });

  test("of which one is behind are the same up to there", async () => {
    expect(await compare(await homeOf(rowed(1, 33)))).toMatchObject({
      equalTo: 30,
      moreHere: 0,
      moreThere: 2,
    });
    expect(await compare(await homeOf(rowed(1, 88)))).toMatchObject({
      equalTo: 50,
      moreHere: 3,
      moreThere: 0,
    });
  });

  test("that differ, do so in a segment, a table and a row", async () => {
    const changed = rowed(1, 57);
    const message = encodeCheckpointEvent({ hash: "ff", blockHash: "ab", blockHeight: 27n });
    changed[26] = { ...changed[26]!, events: [{ ...changed[26]!.events![0]!, message }] };
    const { equalTo, difference } = await compare(await homeOf(changed));
    expect(equalTo).toBe(20);
    expect(difference).toMatchObject({ where: "between", from: 21, to: 30, table: "checkpoints", row: 7 });
    expect([difference!.here!.includes("ff"), difference!.there!.includes("ff")]).toEqual([true, false]);
  });

  test("with other blocks differ in them", async () => {
    const { difference } = await compare(await homeOf(rowed(1, 57, "cd")));
    expect(difference).toMatchObject({ from: 1, to: 10, table: "checkpoints", row: 1 });
  });

  test("that cut their history otherwise say so", async () => {
    const store = segmentedStore(rowed(1, 57), { segmentLength: 20 });
    await runOnce(store.maker());
    store.db.close();
    const { difference } = await compare(store.home);
    expect(difference!.text).toContain("a segment 1-20 where the other node has 1-10");
  });
});

describe("a bit that has flipped", () => {
  test("in a segment's file here is named", async () => {
    const here = copyOf(home);
    flip(segmentFile(here, 30), 40);
    const { difference } = await compare(here);
    expect(difference).toMatchObject({ where: "here", from: 21, to: 30, table: "checkpoints" });
  });

  test("in a file that is gone here is named", async () => {
    const here = copyOf(home);
    rmSync(segmentFile(here, 20));
    expect((await compare(here)).difference).toMatchObject({ where: "here", from: 11, to: 20 });
  });

  test("in a row of the store here is named, by table and row", async () => {
    const here = copyOf(home);
    const db = openWriter(here);
    db.run(
      "UPDATE checkpoints SET data = (SELECT data FROM checkpoints WHERE height = 26) WHERE height = 27",
    );
    db.close();
    const { difference } = await compare(here);
    expect(difference).toMatchObject({ where: "here", from: 21, to: 30, table: "checkpoints", row: 7 });
  });

  test("in a segment's file there is named", async () => {
    const there = copyOf(home);
    flip(segmentFile(there, 40), 40);
    const damaged = new SharingNode(there);
    try {
      expect((await compare(home, false, damaged.url)).difference).toBeUndefined();
      const { difference } = await compare(home, true, damaged.url);
      expect(difference).toMatchObject({ where: "there", from: 31, to: 40 });
      expect(difference!.text).toContain("the rows of checkpoints are damaged");
    } finally {
      await damaged.stop();
    }
  });
});

describe("the command", () => {
  test("prints where two nodes differ, and ends with 4", async () => {
    const changed = rowed(1, 57);
    changed[14] = { ...changed[14]!, events: [] };
    const words = ["history", "verify", "--against", node.url, "--home", await homeOf(changed)];
    const { code, out } = await lyra(words);
    expect(code).toBe(4);
    expect(out.split("\n").slice(0, 3)).toEqual([
      "equal up to block 10, 1 segments",
      "differs the rows of checkpoints in blocks 11 to 20 differ",
      "        checkpoints row 5",
    ]);
  });

  test("prints that they are the same, and ends with 0", async () => {
    const { code, out } = await lyra(["history", "verify", "--against", node.url, "--home", home, "--deep"]);
    expect([code, out]).toEqual([0, "ok equal up to block 50, 5 segments\n"]);
  });

  test("says that there is nothing to compare, and ends with 3", async () => {
    const words = ["history", "verify", "--against", node.url, "--home", await homeOf(rowed(1, 3))];
    const { code, out } = await lyra([...words, "--quiet"]);
    expect([code, out]).toEqual([3, expect.stringContaining("nothing was compared")]);
    const json = await lyra([...words, "--json"]);
    expect([json.code, JSON.parse(json.out)]).toEqual([3, expect.objectContaining({ equalSegments: 0 })]);
  });
});
