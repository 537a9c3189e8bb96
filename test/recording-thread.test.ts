// Files read on a thread of their own give what they give when they are read on the writer's: the same blocks, the
// same end, the same words for what is wrong. Backpressure, stopping halfway, and going on afterwards.
import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readlinkSync, truncateSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Dice } from "../scripts/sample/seeded.ts";
import { type RecordingOpener, recordingsAhead, recordingsHere } from "../src/sources/recording-thread.ts";
import { type ReplayHooks, replayFiles } from "../src/sources/replay.ts";
import { BlockWriter } from "../src/store/block-writer.ts";
import { openWriter } from "../src/store/database.ts";
import { digestOf, hasRecording, MEMORY, RECORDING, SAMPLE, Scratch } from "./rig/homes.ts";
import { blockSpans, hashOf, inflated, recordOffsets, StreamMaker, upTo } from "./rig/stream.ts";

const scratch = new Scratch("thread", MEMORY);
const seed = Number(process.env.LYRA_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const dice = new Dice(seed);
console.log(`recording-thread.test: seed ${seed}`);
const sample = inflated(SAMPLE);
const short = Buffer.from(upTo(sample, 120));
afterAll(() => scratch.remove());

/** Everything a reader says of some files, payloads as bytes of their own. */
async function readAll(open: RecordingOpener, ...paths: string[]) {
  const said: unknown[] = [];
  for (const path of paths) {
    const recording = open(path);
    try {
      for await (const blocks of recording.batches()) {
        for (const { events, unkept, ...block } of blocks) {
          said.push({ ...block, txHashes: [...block.txHashes], unkept: unkept ?? 0 });
          for (const { field, seq, tx, bytes, start, end } of events) {
            said.push([field, seq, tx, Buffer.from(bytes.subarray(start, end)).toString("hex")]);
          }
        }
      }
    } catch (error) {
      const { name, message, ...rest } = error as Error;
      said.push({ error: { name, message, ...rest } });
    }
    said.push(recording.end, recording.progress);
    if (recording.end?.damage) break;
  }
  return said;
}

async function expectSame(...paths: string[]): Promise<void> {
  expect(await readAll(recordingsAhead(), ...paths)).toEqual(await readAll(recordingsHere(), ...paths));
}

const file = (bytes: Uint8Array) => scratch.file(bytes);

describe("on a thread of its own is read the same", () => {
  test("a whole file, compressed or not", async () => {
    await expectSame(SAMPLE);
    await expectSame(file(sample));
  });

  test.if(hasRecording)("the original network's recording", () => expectSame(RECORDING));

  test("a file that was cut", async () => {
    const gzip = gzipSync(short);
    for (let i = 0; i < 40; i++) {
      await expectSame(file(short.subarray(0, dice.below(short.length))));
      await expectSame(file(gzip.subarray(0, dice.below(gzip.length))));
    }
  });

  test("a file with a flipped bit", async () => {
    for (const good of [short, gzipSync(short)]) {
      for (let i = 0; i < 60; i++) {
        const bytes = Buffer.from(good);
        bytes[dice.below(bytes.length)]! ^= 1 << dice.below(8);
        await expectSame(file(bytes));
      }
    }
  });

  test("gzip in several members, and with something behind its end", async () => {
    const half = blockSpans(short)[50]!.end;
    const members = [gzipSync(short.subarray(0, half)), gzipSync(short.subarray(half))];
    await expectSame(file(Buffer.concat(members)));
    await expectSame(file(Buffer.concat([...members, Buffer.alloc(100)])));
    await expectSame(file(Buffer.concat([...members, Buffer.from("not gzip")])));
  });

  test("files that go on inside a block, and one that does not", async () => {
    const offsets = recordOffsets(short);
    for (let i = 0; i < 10; i++) {
      const cut = offsets[dice.below(offsets.length)]!;
      await expectSame(file(short.subarray(0, cut)), file(short.subarray(cut)));
    }
    const other = new StreamMaker("other-chain").blocks(1, 3).bytes();
    await expectSame(file(short), file(other), file(short.subarray(offsets[3]!)));
  });

  test("transaction hashes, in any case and of any length", async () => {
    const events = [hashOf(1), "", "abCD", "ABCD", "abCD", hashOf(9), hashOf(1)].map((txHash) => ({
      type: 3,
      txHash,
      party: { id: "ab" },
    }));
    await expectSame(file(new StreamMaker().block({ height: 1, events }).blocks(2, 3).bytes()));
  });

  test("what is no file", async () => {
    await expectSame(scratch.folder);
    await expectSame(scratch.path("missing.evts"));
  });
});

/** Loads with the thread, whatever the size of the files. */
async function loadAhead(home: string, hooks: ReplayHooks, ...paths: string[]) {
  const db = openWriter(home);
  try {
    return await replayFiles(new BlockWriter(db), db, paths, hooks, recordingsAhead());
  } finally {
    db.close();
  }
}

/** Whether this process has a file open. */
function hasOpen(path: string): boolean {
  return readdirSync("/proc/self/fd").some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  });
}

describe("a store that was loaded so", () => {
  test("holds the same", async () => {
    for (const path of hasRecording ? [SAMPLE, RECORDING] : [SAMPLE]) {
      const here = scratch.path();
      const db = openWriter(here);
      await replayFiles(new BlockWriter(db), db, [path], {}, recordingsHere());
      db.close();
      const ahead = scratch.path();
      await loadAhead(ahead, {}, path);
      expect(digestOf(ahead)).toEqual(digestOf(here));
    }
  }, 60_000);

  test("stops when it is asked to, lets the file go, and goes on later", async () => {
    const whole = scratch.path();
    await loadAhead(whole, {}, SAMPLE);
    const home = scratch.path();
    const path = file(sample);
    for (let round = 1; round <= 4; round++) {
      let blocks = 0;
      const { stopped } = await loadAhead(
        home,
        { onBlock: () => void blocks++, isStopping: () => blocks >= 200 * round },
        path,
      );
      expect(stopped).toBe(true);
    }
    for (let tries = 0; hasOpen(path) && tries < 100; tries++) await Bun.sleep(10);
    expect(hasOpen(path)).toBe(false);
    await loadAhead(home, {}, path);
    expect(digestOf(home).sha256).toBe(digestOf(whole).sha256);
  }, 60_000);
});

test("a thread reads no more than a few batches ahead", async () => {
  const path = file(sample);
  const recording = recordingsAhead()(path);
  const batches = recording.batches();
  await batches.next();
  await Bun.sleep(200);
  // What it has not read by now, it does not find.
  truncateSync(path, 0);
  while (!(await batches.next()).done);
  expect(recording.end!.damage!.offset).toBeGreaterThan(1024 * 1024);
  expect(recording.end!.damage!.offset).toBeLessThan(2 * 1024 * 1024);
});

test("where no thread can be started, files are read on the caller's", async () => {
  const real = globalThis.Worker;
  const refused = class {
    constructor() {
      throw new Error("no threads here");
    }
  };
  const missing = class extends real {
    constructor() {
      super(new URL("./no-such.worker.ts", import.meta.url).href);
    }
  };
  const offsets = recordOffsets(short);
  const cut = offsets[offsets.length >> 1]!;
  const files = [file(short.subarray(0, cut)), file(short.subarray(cut))];
  const wanted = await readAll(recordingsHere(), ...files);
  try {
    for (const broken of [refused, missing]) {
      // The thread of the tests before goes when it has been idle for a while.
      await Bun.sleep(1_200);
      globalThis.Worker = broken as unknown as typeof Worker;
      expect(await readAll(recordingsAhead(), ...files)).toEqual(wanted);
    }
  } finally {
    globalThis.Worker = real;
  }
});
