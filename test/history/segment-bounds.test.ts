// Segments that end where the network says: the same whatever way the blocks came in.
import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { chooseMode } from "../../src/history/segment-bounds.ts";
import { listSegments } from "../../src/history/segment-table.ts";
import { Field } from "../../src/wire/block.ts";
import { encodeCoreSnapshotData } from "../../src/wire/generated/events.ts";
import { runs } from "../support/seed.ts";
import {
  blocks,
  type MadeBlock,
  removeFolders,
  runOnce,
  secondNs,
  segmentedStore,
  writeBlock,
} from "./fixtures.ts";

afterAll(removeFolders);

/** A block that announces snapshots of heights, its own or others. */
const announcing = (height: number, heights: readonly number[], isUpgrade = false): MadeBlock => ({
  height,
  timeNs: secondNs(height),
  events: heights.map((named) => ({
    field: Field.coreSnapshot,
    message: encodeCoreSnapshotData({
      blockHeight: BigInt(named),
      blockHash: "ab",
      coreVersion: "v0.71.6",
      protocolUpgradeBlock: isUpgrade,
    }),
  })),
});

const network = { mode: "network" } as const;

describe("segments of the network", () => {
  test("end at its snapshots, at the last one before an upgrade too", async () => {
    const chain = blocks(1, 30);
    for (const height of [7, 8, 20]) chain[height - 1] = announcing(height, [height], height === 20);
    const store = segmentedStore(chain, network);
    await runOnce(store.maker());
    expect(store.ranges()).toEqual(["1-7", "8-8", "9-20"]);
  });

  test("the last block before an upgrade needs none after it", async () => {
    const chain = [...blocks(1, 9), announcing(10, [10], true)];
    const store = segmentedStore(chain, network);
    await runOnce(store.maker());
    expect(store.ranges()).toEqual(["1-10"]);
  });

  test("are the same, however many blocks were there when one was cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 24 }), fc.integer({ min: 0, max: 40 })), {
          maxLength: 8,
        }),
        fc.array(fc.integer({ min: 2, max: 24 }), { maxLength: 4 }),
        async (announced, stops) => {
          const chain = blocks(1, 24).map(({ height }) =>
            announcing(
              height,
              announced.filter(([at]) => at === height).map(([, named]) => named),
            ),
          );
          const atOnce = segmentedStore(chain, network);
          await runOnce(atOnce.maker());
          const piecewise = segmentedStore([], network);
          const maker = piecewise.maker();
          for (const block of chain) {
            writeBlock(piecewise.writer, block);
            if (!stops.includes(block.height)) continue;
            maker.onCommitted(block.height);
            await maker.idle();
          }
          maker.onCommitted(24);
          await runOnce(maker);
          expect(listSegments(piecewise.db)).toEqual(listSegments(atOnce.db));
          // Only a block's word about its own height ends a segment.
          const own = announced.filter(([at, named]) => at === named).map(([at]) => at);
          expect(listSegments(atOnce.db).map(({ to }) => to)).toEqual(
            [...new Set(own)].sort((a, b) => a - b),
          );
          for (const { db } of [atOnce, piecewise]) db.close();
        },
      ),
      { numRuns: runs(5) },
    );
  });
});

describe("a home", () => {
  test("does not mix two kinds of segments", async () => {
    const store = segmentedStore(blocks(1, 12));
    expect(chooseMode(store.db, "network")).toBe("network");
    expect(chooseMode(store.db, undefined)).toBe("network");
    expect(chooseMode(store.db, "length")).toBe("length");
    await runOnce(store.maker());
    expect(chooseMode(store.db, undefined)).toBe("length");
    expect(chooseMode(store.db, "length")).toBe("length");
    expect(() => chooseMode(store.db, "network")).toThrow("have a fixed number of blocks");
  });
});

describe("a home with a gap", () => {
  const gappy = (mode: "network" | "length") => {
    const chain = blocks(1, 60).map((block) =>
      block.height % 10 === 0 ? announcing(block.height, [block.height]) : block,
    );
    const store = segmentedStore(chain.slice(0, 23), { mode });
    for (const { height, timeNs, events = [] } of chain.slice(41)) {
      const all = events.map(({ field, message }) => ({
        field,
        seq: 3,
        tx: 0,
        bytes: message,
        start: 0,
        end: message.length,
      }));
      store.writer.stage(
        { chainId: "chain-x", height, timeNs, hash: "AB", txHashes: ["AB"], events: all },
        true,
      );
      store.writer.commit();
    }
    return store;
  };
  for (const mode of ["network", "length"] as const) {
    test(`cuts by ${mode} no segment over it, and begins a chain behind it`, async () => {
      const store = gappy(mode);
      await runOnce(store.maker());
      expect(store.ranges()).toEqual(["1-10", "11-20", "51-60"]);
      expect(listSegments(store.db)[2]!.previousId).toBe("");
      await runOnce(store.maker());
      expect(store.ranges()).toEqual(["1-10", "11-20", "51-60"]);
    });
  }
});
