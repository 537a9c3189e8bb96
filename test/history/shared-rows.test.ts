// Blocks of one time share a row of the store
// (docs/protocol/20-network-history-segments.md#64-the-doubled-first-height), also where a segment ends between them.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { inflateRawSync } from "node:zlib";
import { DEFLATE_END } from "../../src/history/deflate.ts";
import { openSegment, segmentPath } from "../../src/history/segment-format.ts";
import { listSegments } from "../../src/history/segment-table.ts";
import { Field } from "../../src/wire/block.ts";
import { encodeCheckpointEvent } from "../../src/wire/generated/events.ts";
import { type MadeBlock, removeFolders, runOnce, secondNs, segmentedStore, writeBlock } from "./fixtures.ts";

afterAll(removeFolders);

describe("blocks that share their time with the last one of a segment", () => {
  /** A block at a height and second, with a checkpoint event that is named after the height. */
  const at = (height: number, second: number): MadeBlock => ({
    height,
    timeNs: secondNs(second),
    events: [{ field: Field.checkpoint, message: encodeCheckpointEvent({ hash: `hash-${height}` }) }],
  });
  const before = [...Array(9).keys()].map((i) => at(i + 1, i + 1));
  const joined = [at(10, 10), at(11, 10), at(12, 10)];
  const after = [...Array(9).keys()].map((i) => at(i + 13, i + 13));
  const all = [...before, ...joined, ...after];

  /** The checkpoints of all listed segments, in order. */
  async function exported(stored: ReturnType<typeof segmentedStore>): Promise<string[]> {
    const lines: string[] = [];
    for (const { id } of listSegments(stored.db)) {
      const { file, index } = await openSegment(stored.directory, id);
      await file.close();
      const piece = index.pieces.find(({ name }) => name === "checkpoints")!;
      const bytes = readFileSync(segmentPath(stored.directory, id));
      const packed = bytes.subarray(piece.offset, piece.offset + piece.deflatedBytes);
      const csv = inflateRawSync(Buffer.concat([packed, DEFLATE_END])).toString();
      lines.push(
        ...csv
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => line.slice(0, line.indexOf(","))),
      );
    }
    return lines;
  }
  const everyHeight = all.map(({ height }) => `hash-${height}`);

  test("are in it when they come later, no row lost and none twice, whenever it is made", async () => {
    const atOnce = segmentedStore(all);
    await runOnce(atOnce.maker());
    expect(await exported(atOnce)).toEqual(everyHeight.slice(0, 20));
    for (const pauses of [[10], [11], [12], [10, 11], [10, 11, 12, 13], [9, 13]]) {
      for (const restarts of [false, true]) {
        const stored = segmentedStore([]);
        let making = stored.maker();
        for (const block of all) {
          writeBlock(stored.writer, block);
          making.onCommitted(block.height);
          if (!pauses.includes(block.height)) continue;
          await making.idle();
          if (block.height >= 10)
            expect(await exported(stored)).toEqual(
              everyHeight.slice(0, block.height === 13 ? 12 : block.height),
            );
          if (!restarts) continue;
          await making.stop();
          making = stored.maker();
        }
        await runOnce(making);
        expect(listSegments(stored.db)).toEqual(listSegments(atOnce.db));
        expect(stored.files()).toEqual(atOnce.files());
      }
    }
  });

  test("leave a segment of their own heights empty, and history goes on", async () => {
    const stored = segmentedStore(all.slice(0, 14), { segmentLength: 1 });
    await runOnce(stored.maker());
    expect(stored.ranges()).toEqual(Array.from({ length: 14 }, (_, i) => `${i + 1}-${i + 1}`));
    expect(await exported(stored)).toEqual(everyHeight.slice(0, 14));
    const joining = segmentedStore(all.slice(0, 11), { segmentLength: 1 });
    await runOnce(joining.maker());
    expect(joining.ranges().at(-1)).toBe("11-11");
  });

  test.each([1, 2])(
    "also where they are more than the %p of a segment: all of these are made again",
    async (segmentLength) => {
      const atOnce = segmentedStore(all, { segmentLength });
      await runOnce(atOnce.maker());
      for (const restarts of [false, true]) {
        const stored = segmentedStore([], { segmentLength });
        let making = stored.maker();
        for (const block of all) {
          writeBlock(stored.writer, block);
          making.onCommitted(block.height);
          await making.idle();
          if (!restarts) continue;
          await making.stop();
          making = stored.maker();
        }
        await runOnce(making);
        expect(listSegments(stored.db)).toEqual(listSegments(atOnce.db));
        expect(stored.files()).toEqual(atOnce.files());
      }
    },
  );

  test("are found after a crash that also lost the file", async () => {
    const stored = segmentedStore(all.slice(0, 10));
    await runOnce(stored.maker());
    for (const block of all.slice(10)) writeBlock(stored.writer, block);
    rmSync(segmentPath(stored.directory, listSegments(stored.db)[0]!.id));
    await runOnce(stored.maker());
    expect(await exported(stored)).toEqual(everyHeight.slice(0, 20));
  });
});
