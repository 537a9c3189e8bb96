// A devnet's run as an event file: loaded elsewhere, it makes the same rows.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDevnet } from "../../src/node/devnet.ts";
import { madeUpAssetId } from "../../src/node/devnet-keys.ts";
import { replayFiles } from "../../src/sources/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";

const folder = mkdtempSync(join(tmpdir(), "lyra-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("given --record, when the file is loaded into another home, then it has the same rows", async () => {
  const [home, copy, record] = ["home", "copy", "run.evts"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const devnet = await createDevnet({ home, record });
  await devnet.chain.bridge.deposit("0d".repeat(32), madeUpAssetId("dUSD"), 5n);
  const snapshot = await devnet.chain.snapshot();
  await devnet.chain.bridge.deposit("0d".repeat(32), madeUpAssetId("dUSD"), 6n);
  await devnet.chain.revert(snapshot);
  await devnet.chain.endEpoch();
  await devnet.chain.mine(10);
  // The validators may still answer the last block: the end is where it is closed.
  await devnet.close();
  const { height } = devnet.chain.status;

  const db = openWriter(copy);
  const { head } = await replayFiles(new BlockWriter(db), db, [record]);
  expect(head?.height).toBe(height);
  db.close();
  expect(rowsOf(copy)).toEqual(rowsOf(home));
});

/** Digests of all tables but those that only a chain of its own has, and those of its snapshots. */
function rowsOf(home: string) {
  const db = openReader(home);
  try {
    const tables = Object.entries(digestStore(db).tables);
    return Object.fromEntries(tables.filter(([name]) => !/^(?:chain_|undo_)/.test(name)));
  } finally {
    db.close();
  }
}
