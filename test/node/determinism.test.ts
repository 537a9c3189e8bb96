// The same blocks make the same store and the same segments: on any day, in any time zone, however they are batched.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Dice } from "../../scripts/sample/seeded.ts";
import { BlockAssembler } from "../../src/ingest/block-assembler.ts";
import { KnownBlocks } from "../../src/ingest/block-order.ts";
import { RecordingReader } from "../../src/ingest/recording.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import type { StoreDigest } from "../../src/store/dump.ts";
import { digestOf, hasRecording, load, loadAnew, MEMORY, RECORDING, SAMPLE, Scratch } from "../rig/homes.ts";
import { lyra } from "../rig/lyra.ts";
import { longRecording } from "../rig/stream.ts";
import { differences } from "../support/digests.ts";
import { IS_FULL_LENGTH } from "../support/seed.ts";

if (!hasRecording)
  console.log("determinism.test: the original's recording is not beside the project: left out");

const scratch = new Scratch("determinism", MEMORY);
const recordings: [name: string, path: string][] = [];
if (IS_FULL_LENGTH) recordings.push(["the sample", SAMPLE]);
if (IS_FULL_LENGTH && hasRecording) recordings.push(["the original's recording", RECORDING]);
recordings.push(["many parties", scratch.file(longRecording(300, 30))]);
afterAll(() => scratch.remove());

for (const [name, path] of recordings) {
  describe(name, () => {
    let whole: StoreDigest;

    beforeAll(async () => {
      const home = scratch.path();
      await loadAnew(home, [path]);
      whole = digestOf(home);
    });

    test("gives the same store twice", async () => {
      const home = scratch.path();
      await loadAnew(home, [path]);
      expect(differences(whole, digestOf(home))).toEqual([]);
    });

    const batches: ReadonlyArray<readonly [name: string, next: () => number]> = [
      ["one block", () => 1],
      ["seven blocks", () => 7],
      ["all blocks", () => Number.POSITIVE_INFINITY],
      ["any number of blocks", Dice.prototype.below.bind(new Dice(5), 200)],
    ];
    for (const [batch, next] of batches) {
      test(`gives the same store with ${batch} a commit`, async () => {
        const home = scratch.path();
        const db = openWriter(home);
        const writer = new BlockWriter(db);
        let left = next();
        for await (const blocks of new RecordingReader(path, new BlockAssembler()).batches()) {
          for (const block of blocks) {
            writer.stage(block);
            if (--left > 0) continue;
            writer.commit();
            left = next();
          }
        }
        writer.commit();
        db.close();
        expect(differences(whole, digestOf(home))).toEqual([]);
      }, 120_000);
    }

    test("gives the same store when the writer is replaced again and again", async () => {
      const home = scratch.path();
      const db = openWriter(home);
      let count = 0;
      let writer = new BlockWriter(db);
      for await (const blocks of new RecordingReader(path, new BlockAssembler()).batches()) {
        for (const block of blocks) {
          if (++count % 97 === 0) {
            writer.commit();
            writer = new BlockWriter(db);
          }
          writer.stage(block);
        }
      }
      writer.commit();
      const knownBlocks = new KnownBlocks(db, writer.committedHead);
      for await (const blocks of new RecordingReader(path, new BlockAssembler()).batches()) {
        for (const block of blocks) expect(knownBlocks.has(block)).toBe(true);
      }
      db.close();
      expect(differences(whole, digestOf(home))).toEqual([]);
    });
  });
}

test("time zone and language have no part in it", async () => {
  const digests: StoreDigest[] = [];
  for (const [TZ, LC_ALL] of [
    ["UTC", "C"],
    ["Asia/Tokyo", "ja_JP.UTF-8"],
    ["America/St_Johns", "tr_TR.UTF-8"],
  ] as const) {
    const env = { TZ, LC_ALL };
    const home = scratch.path();
    const { code } = await lyra(["replay", SAMPLE, "--home", home, "--quiet", "--segment-length", "500"], {
      env,
    });
    expect(code).toBe(0);
    digests.push(digestOf(home));
  }
  expect(Object.keys(digests[0]!.files)).toHaveLength(6);
  for (const digest of digests.slice(1)) expect(differences(digests[0]!, digest)).toEqual([]);
});

test("lyra doctor --digest tells equal homes from different ones", async () => {
  const tell = async (home: string) => {
    const { out } = await lyra(["doctor", "--digest", "--json", "--home", home]);
    const { findings } = JSON.parse(out) as { findings: { check: string; detail: string }[] };
    return findings.find(({ check }) => check === "digest")!.detail;
  };
  const [first, second, other] = [scratch.path(), scratch.path(), scratch.path()] as [string, string, string];
  for (const home of [first, second]) await load(home, SAMPLE);
  await load(other, recordings.at(-1)![1]);
  expect(await tell(first)).toMatch(/^[0-9a-f]{64}$/);
  expect(await tell(second)).toBe(await tell(first));
  expect(await tell(other)).not.toBe(await tell(first));
});
