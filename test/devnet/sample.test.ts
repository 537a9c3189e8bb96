// Recordings of a devnet: the one that ships with the program and one made now, and what a replay makes of them.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEVNET_SAMPLE_PATH, recordDemo } from "../../scripts/make-devnet-sample.ts";
import { gapsOf, summarise } from "../../src/devnet/demo/demo.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { IS_FULL_LENGTH } from "../support/seed.ts";

/** Replays a file into a home of its own: what is missing there. */
async function gapsAfter(path: (folder: string) => string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "lyra-devnet-sample-"));
  try {
    const home = join(folder, "home");
    const db = openWriter(home);
    const result = await replayFiles(new BlockWriter(db), db, [path(folder)]);
    db.close();
    expect(result.files.map(({ damage }) => damage)).toEqual([undefined]);
    expect(result.head?.chainId).toBe("lyra-devnet");
    // Segments are made by a node, not by a replay.
    return gapsOf(summarise(home)).filter((gap) => !gap.includes("segments"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("given the shipped recording, when it is replayed, then the home has every table that a chain without markets feeds", async () => {
  // It was made before there were markets, and the original has answered over it: test/golden.
  const ofMarkets = /market|orders|trades|positions|margin|liquidity|INSURANCE|SETTLEMENT|MARGIN|BOND|FEES_/;
  expect((await gapsAfter(() => DEVNET_SAMPLE_PATH)).filter((gap) => !ofMarkets.test(gap))).toEqual([]);
});

// test/devnet/demo.test.ts plays the same month.
if (IS_FULL_LENGTH)
  test("given the demo, when it is recorded now, then the recording is as whole as the shipped one", async () => {
    const bytes = await recordDemo();
    const gaps = await gapsAfter((folder) => {
      const path = join(folder, "now.evts");
      writeFileSync(path, bytes);
      return path;
    });
    expect(gaps).toEqual([]);
  }, 120_000);
