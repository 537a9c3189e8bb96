// Segments: their files, and the maker that decides which are due and repairs what a crash left.
import { afterAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { crc32, inflateRawSync } from "node:zlib";
import { DEFLATE_END, deflatePiece } from "../../src/history/deflate.ts";
import { buildSegment } from "../../src/history/segment.ts";
import { checkSegment } from "../../src/history/segment-check.ts";
import {
  encodeTail,
  MAGIC,
  openSegment,
  SegmentDamage,
  type SegmentIndex,
  segmentId,
  segmentPath,
} from "../../src/history/segment-format.ts";
import { InProcessBuilder, type SegmentBuilder, WorkerUnavailable } from "../../src/history/segment-maker.ts";
import {
  listSegments,
  recordSegment,
  SegmentRecorder,
  type SegmentRow,
} from "../../src/history/segment-table.ts";
import { EXPORT_TABLES } from "../../src/history/tables.ts";
import { openReader, segmentDirectory } from "../../src/store/database.ts";
import { eventually, turns } from "../support/eventually.ts";
import {
  blocks,
  folder,
  type MadeBlock,
  makeSegments,
  removeFolders,
  runOnce,
  secondNs,
  segmentedStore as store,
  writeBlock,
  writeBlocks,
} from "./fixtures.ts";

afterAll(removeFolders);

const LINES = Array.from({ length: 40_000 }, (_, i) => `${i},${(i * 2654435761) >>> 0}`);

describe("a segment file", () => {
  test("holds the rows as deflate pieces, with lengths, sums and the hash an export of it would have", async () => {
    const directory = folder();
    const [row] = await makeSegments(directory, [{ from: 1, to: 10, lines: LINES }]);
    const { file, index } = await openSegment(directory, row!.id);
    await file.close();
    const bytes = readFileSync(segmentPath(directory, row!.id));
    const [piece] = index.pieces;
    const packed = bytes.subarray(piece!.offset, piece!.offset + piece!.deflatedBytes);
    const csv = inflateRawSync(Buffer.concat([packed, DEFLATE_END])).toString();
    expect(csv).toBe(`${LINES.join("\n")}\n`);
    expect(piece).toMatchObject({ name: "trades", header: "id,text", rows: LINES.length, bytes: csv.length });
    const whole = new Bun.CryptoHasher("sha256").update(`id,text\n${csv}`).digest("hex");
    expect(index.record.tables).toEqual({ trades: whole });
    expect(row).toMatchObject({
      from: 1,
      to: 10,
      previousId: "",
      databaseVersion: 1,
      chainId: "chain-x",
      bytes: bytes.length,
    });
    expect(segmentId(index.record)).toBe(row!.id);
  });

  test("has the same bytes each time, and names the one before", async () => {
    const content = [
      { from: 1, to: 10, lines: LINES },
      { from: 11, to: 20, lines: [] },
    ];
    const [a, b] = [folder(), folder()];
    const rows = await makeSegments(a, content);
    expect(await makeSegments(b, content)).toEqual(rows);
    for (const { id } of rows)
      expect(readFileSync(segmentPath(a, id))).toEqual(readFileSync(segmentPath(b, id)));
    expect(rows[1]!.previousId).toBe(rows[0]!.id);
    expect((await makeSegments(folder(), content.slice(1)))[0]!.id).not.toBe(rows[1]!.id);
  });

  test.each<[string, (path: string) => void]>([
    ["cut", (path) => truncateSync(path, readFileSync(path).length - 1)],
    ["cut to nothing", (path) => truncateSync(path, 0)],
    ["longer", (path) => appendFileSync(path, "x")],
    [
      "another index",
      (path) =>
        writeFileSync(path, readFileSync(path).toString("latin1").replace('"rows":2', '"rows":3'), "latin1"),
    ],
  ])("is refused when it is %s", async (_, damage) => {
    const directory = folder();
    const [row] = await makeSegments(directory, [{ from: 1, to: 10, lines: ["1,a", "2,b"] }]);
    damage(segmentPath(directory, row!.id));
    await expect(openSegment(directory, row!.id)).rejects.toBeInstanceOf(SegmentDamage);
  });

  test("is refused under another's name", async () => {
    const directory = folder();
    const [row, other] = await makeSegments(directory, [
      { from: 1, to: 10, lines: [] },
      { from: 11, to: 20, lines: [] },
    ]);
    writeFileSync(segmentPath(directory, row!.id), readFileSync(segmentPath(directory, other!.id)));
    await expect(openSegment(directory, row!.id)).rejects.toThrow("does not hash to the segment's id");
  });

  test("is checked to the last byte: none can change, come or go unseen", async () => {
    const directory = folder();
    const [row] = await makeSegments(directory, [{ from: 1, to: 10, lines: ["1,a", '2,"line\nfeed"'] }]);
    const path = segmentPath(directory, row!.id);
    const sound = readFileSync(path);
    await checkSegment(directory, row!);
    const unseen: number[] = [];
    const write = async (at: number, bytes: Uint8Array) => {
      writeFileSync(path, bytes);
      const error = await checkSegment(directory, row!).catch((reason) => reason);
      if (!(error instanceof Error)) unseen.push(at);
    };
    for (let at = 0; at < sound.length; at++) {
      const changed = Buffer.from(sound);
      changed[at]! ^= 1;
      await write(at, changed);
      await write(at, Buffer.concat([sound.subarray(0, at), Buffer.alloc(1), sound.subarray(at)]));
      await write(at, Buffer.concat([sound.subarray(0, at), sound.subarray(at + 1)]));
    }
    expect(unseen).toEqual([]);
  });

  test.each<[string, (segment: { row: SegmentRow; index: SegmentIndex; rows: Buffer }) => void]>([
    [
      "other rows with right checksums",
      ({ rows, index }) => {
        rows.set(deflatePiece(Buffer.from("1,b\n")));
        Object.assign(index.pieces[0]!, { deflatedCrc: crc32(rows), crc: crc32("1,b\n") });
      },
    ],
    ["another number of rows", ({ index }) => Object.assign(index.pieces[0]!, { rows: 2 })],
    ["another first line", ({ index }) => Object.assign(index.pieces[0]!, { header: "id,test" })],
    ["no tables", ({ index }) => Object.assign(index, { pieces: [] })],
    ["a row that lists it for other blocks", ({ row }) => Object.assign(row, { from: 11, to: 20 })],
  ])("is checked against the hashes of its record: %s", async (_, change) => {
    const directory = folder();
    const [row] = await makeSegments(directory, [{ from: 1, to: 10, lines: ["1,a"] }]);
    const { file, index } = await openSegment(directory, row!.id);
    await file.close();
    const path = segmentPath(directory, row!.id);
    const rows = Buffer.from(readFileSync(path).subarray(8, 8 + index.pieces[0]!.deflatedBytes));
    await checkSegment(directory, row!);
    change({ row: row!, index, rows });
    const bytes = Buffer.concat([MAGIC, rows, encodeTail(index)]);
    writeFileSync(path, bytes);
    await expect(checkSegment(directory, { ...row!, bytes: bytes.length })).rejects.toBeInstanceOf(
      SegmentDamage,
    );
  });

  test("needs blocks, and leaves nothing behind when it fails", async () => {
    const home = folder();
    writeBlocks(home, blocks(1, 5)).db.close();
    const db = openReader(home);
    const plan = { chainId: "chain-x", from: 6, to: 10, previousId: "" };
    await expect(buildSegment(db, segmentDirectory(home), plan)).rejects.toThrow("no block from 6 to 10");
    const stopped = buildSegment(db, segmentDirectory(home), { ...plan, from: 1, to: 5 }, async () => {
      throw new Error("given up");
    });
    await expect(stopped).rejects.toThrow("given up");
    expect(readdirSync(segmentDirectory(home))).toEqual([]);
    db.close();
  });
});

describe("the segments that are due", () => {
  test.each<[string, readonly MadeBlock[], readonly string[]]>([
    ["nothing yet", [], []],
    ["not whole", blocks(1, 9), []],
    ["the end block is there", blocks(1, 10), ["1-10"]],
    ["a block above the end", blocks(1, 11), ["1-10"]],
    ["several", blocks(1, 35), ["1-10", "11-20", "21-30"]],
    ["a store that begins in the middle", blocks(14, 31), ["14-20", "21-30"]],
    ["a store that begins on a boundary, where the first height can come twice", blocks(10, 10), []],
    ["... until the next is there", blocks(10, 11), ["10-10"]],
    [
      "the doubled first height",
      [
        { height: 10, timeNs: secondNs(1), hash: "AA" },
        { height: 10, timeNs: secondNs(1), hash: "BB" },
        ...blocks(11, 11),
      ],
      ["10-10"],
    ],
  ])("%s", async (_, chain, expected) => {
    const { maker, ranges } = store(chain);
    await runOnce(maker());
    expect(ranges()).toEqual([...expected]);
  });

  test("they are made while blocks come in, and each names the one before", async () => {
    const { writer, db, maker, ranges } = store(blocks(1, 5));
    const making = maker();
    for (const block of blocks(6, 42)) {
      writeBlock(writer, block);
      making.onCommitted(block.height);
      if (block.height % 7 === 0) await turns(1);
    }
    await runOnce(making);
    expect(ranges()).toEqual(["1-10", "11-20", "21-30", "31-40"]);
    const rows = listSegments(db);
    expect(rows.map((row) => row.previousId)).toEqual(["", ...rows.slice(0, 3).map((row) => row.id)]);
  });

  test("on a worker they are the same as in between other work", async () => {
    const here = store(blocks(1, 25));
    const there = store(blocks(1, 25));
    await runOnce(here.maker());
    await runOnce(there.maker({ builder: undefined }));
    expect(listSegments(there.db)).toEqual(listSegments(here.db));
    expect(there.files()).toEqual(here.files());
  });

  test("a segment made while blocks are staged is recorded when they are committed or taken back", async () => {
    const { writer, db, maker, ranges } = store(blocks(1, 12));
    const recorder = new SegmentRecorder(db);
    const isMade = Promise.withResolvers<void>();
    const record = (row: Parameters<typeof recorder.record>[0]) => {
      isMade.resolve();
      return recorder.record(row);
    };
    const making = maker({ record });
    writer.beginTransaction();
    making.onCommitted(12);
    await isMade.promise;
    expect(ranges()).toEqual([]);
    writer.rollback();
    recorder.onCommitted();
    for (const block of blocks(13, 21)) writeBlock(writer, block);
    making.onCommitted(21);
    await runOnce(making);
    expect(ranges()).toEqual(["1-10", "11-20"]);
  });

  test("a length that is none is refused", () => {
    for (const segmentLength of [0, -1, 1.5, Number.NaN])
      expect(() => store([]).maker({ segmentLength })).toThrow("whole number");
  });
});

describe("after a crash", () => {
  async function madeStore() {
    const stored = store(blocks(1, 35));
    await runOnce(stored.maker());
    return { ...stored, rows: listSegments(stored.db), before: stored.files() };
  }

  test("files that were not finished go", async () => {
    const { directory, maker, files, before } = await madeStore();
    writeFileSync(join(directory, "31-40.seg.tmp"), "half");
    await runOnce(maker());
    expect(files()).toEqual(before);
  });

  test("segments that no row names any more go, other files stay", async () => {
    const { directory, maker, files, before } = await madeStore();
    writeFileSync(segmentPath(directory, "ab".repeat(32)), "of blocks that were taken back");
    writeFileSync(join(directory, "notes.seg"), "");
    await runOnce(maker());
    expect(files()).toEqual([...before, "notes.seg"]);
  });

  test("a file without a row is made again and listed", async () => {
    const { db, maker, files, before, rows } = await madeStore();
    db.run("DELETE FROM segments WHERE to_height = 30");
    await runOnce(maker());
    expect(listSegments(db)).toEqual(rows);
    expect(files()).toEqual(before);
  });

  test.each<[string, (path: string) => void]>([
    ["gone", (path) => rmSync(path)],
    ["short", (path) => truncateSync(path, 100)],
  ])("a file that is %s is made again with the same id", async (_, damage) => {
    const { db, directory, maker, rows } = await madeStore();
    const path = segmentPath(directory, rows[1]!.id);
    const bytes = readFileSync(path);
    damage(path);
    await runOnce(maker());
    expect(readFileSync(path)).toEqual(bytes);
    expect(listSegments(db)).toEqual(rows);
  });

  test("a row that was lost in the middle is found by its chain", async () => {
    const { db, maker, rows } = await madeStore();
    db.run("DELETE FROM segments WHERE to_height = 20");
    await runOnce(maker());
    expect(listSegments(db)).toEqual(rows);
  });

  test("rows that changed under a lost file are told, and nothing is put in its place", async () => {
    const { db, directory, maker, rows } = await madeStore();
    rmSync(segmentPath(directory, rows[0]!.id));
    db.run("UPDATE blocks SET hash = x'00' WHERE height = 4");
    const making = maker({ retryMs: 60_000 });
    await expect(making.idle()).rejects.toThrow("segment 1-10 lost its file");
    await making.stop();
    expect(listSegments(db)).toEqual(rows);
  });
});

describe("faults", () => {
  test("a segment that fails is told and tried again", async () => {
    const { db, maker, ranges } = store(blocks(1, 25));
    const problems: unknown[] = [];
    let left = 2;
    const record = (row: SegmentRow) => {
      if (left-- > 0) throw new Error("the disk is full");
      recordSegment(db, row);
    };
    const making = maker({ record, onProblem: (error) => problems.push(error), retryMs: 5 });
    await expect(making.idle()).rejects.toThrow("the disk is full");
    await eventually(() => ranges().length >= 2);
    await runOnce(making);
    expect(problems).toHaveLength(2);
    expect(ranges()).toEqual(["1-10", "11-20"]);
  });

  test("without workers they are made all the same", async () => {
    const { maker, ranges } = store(blocks(1, 25));
    const none: SegmentBuilder = {
      build: () => Promise.reject(new WorkerUnavailable("not in this executable")),
      releaseThread() {},
      stop: async () => {},
    };
    await runOnce(maker({ builder: none }));
    expect(ranges()).toEqual(["1-10", "11-20"]);
  });

  test("stop gives up what is under way, leaves no half file, and the next start goes on", async () => {
    for (const builder of ["worker", "here"]) {
      const { home, maker, ranges, files, directory } = store(blocks(1, 95));
      const making = maker(builder === "worker" ? { builder: undefined } : {});
      making.onCommitted(95);
      await eventually(() => existsSync(directory) && files().length > 0);
      await making.stop();
      expect(existsSync(directory) ? files().filter((name) => !name.endsWith(".seg")) : []).toEqual([]);
      const done = ranges().length;
      making.onCommitted(95);
      await turns(20);
      expect(ranges()).toHaveLength(done);
      await runOnce(maker({ builder: new InProcessBuilder(home) }));
      expect(ranges()).toHaveLength(9);
    }
  });
});

test("a segment of the store holds all fifteen tables, empty ones too", async () => {
  const { db, directory, maker } = store(blocks(1, 10));
  await runOnce(maker());
  const { file, index } = await openSegment(directory, listSegments(db)[0]!.id);
  await file.close();
  expect(index.pieces.map(({ name, header }) => ({ name, header }))).toEqual(
    EXPORT_TABLES.map(({ name, header }) => ({ name, header })),
  );
  expect(index.pieces.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, rows])).toEqual([
    ["blocks", 10],
  ]);
  expect(index.record).toMatchObject({
    first: { height: 1, time: "2026-01-01T00:00:01.000000Z" },
    last: { height: 10, time: "2026-01-01T00:00:10.000000Z", hash: "cd".repeat(32) },
  });
});
