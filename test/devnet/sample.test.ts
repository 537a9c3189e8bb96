// The recording of a devnet that ships with the program: what a devnet records today, and what a replay makes of it.
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEVNET_SAMPLE_PATH, recordDemo } from "../../scripts/make-devnet-sample.ts";
import { gapsOf, summarise } from "../../src/node/demo/summary.ts";
import { replayFiles } from "../../src/sources/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";

test("given the demo, when it is recorded again, then every byte is the same: bun scripts/make-devnet-sample.ts makes it anew", async () => {
  const shipped = Bun.gunzipSync(readFileSync(DEVNET_SAMPLE_PATH));
  const again = await recordDemo();
  expect(again.length).toBe(shipped.length);
  expect(Buffer.compare(again, shipped)).toBe(0);
}, 60_000);

test("given the recording, when it is replayed, then the home has every table that a chain without markets feeds", async () => {
  const home = mkdtempSync(join(tmpdir(), "lyra-devnet-sample-"));
  try {
    const db = openWriter(home);
    const result = await replayFiles(new BlockWriter(db), db, [DEVNET_SAMPLE_PATH]);
    db.close();
    expect(result.files.map(({ damage }) => damage)).toEqual([undefined]);
    expect(result.head?.chainId).toBe("lyra-devnet");
    // Segments are made by a node, not by a replay.
    expect(gapsOf(summarise(home)).filter((gap) => !gap.includes("segments"))).toEqual([]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
