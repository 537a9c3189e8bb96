// A devnet without a home goes with its process: nothing of it waits for the disk, and one with a home does.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import type { Block } from "../../src/wire/block.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";

const blockOf = (height: number): Block => ({
  chainId: "c",
  height,
  timeNs: BigInt(height) * SECOND_NS,
  hash: height.toString(16).padStart(64, "0").toUpperCase(),
  txHashes: [height.toString(16).padStart(64, "0").toUpperCase()],
  events: [],
});

function syncsOf(isTemporary: boolean): { syncs: number; pragmas: bigint[] } {
  const home = mkdtempSync(join(tmpdir(), "lyra-temporary-"));
  const db = openWriter(home);
  let syncs = 0;
  const disk = () => {
    syncs++;
  };
  const writer = new BlockWriter(db, { isTemporary, disk });
  const pragmas: bigint[] = [];
  const look = () =>
    pragmas.push((db.query("PRAGMA synchronous").get() as { synchronous: bigint }).synchronous);
  for (let height = 1; height <= 3; height++) {
    writer.stage(blockOf(height));
    look();
    writer.commit();
    look();
  }
  db.close();
  rmSync(home, { recursive: true });
  return { syncs, pragmas };
}

test("given a temporary store, when blocks are written, then SQLite and the writer sync nothing", () => {
  expect(syncsOf(true)).toEqual({ syncs: 0, pragmas: Array(6).fill(0n) });
});

test("given another one, then every commit is synced", () => {
  const { syncs, pragmas } = syncsOf(false);
  expect([syncs, pragmas.includes(0n)]).toEqual([3, false]);
});
