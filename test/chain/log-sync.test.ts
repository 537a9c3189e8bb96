// The disk is waited for on another thread where blocks are large: who hears of a block when, and what a disk that is
// slow or fails does to the chain and to a replay.
import { afterAll, describe, expect, test } from "bun:test";
import { fdatasyncSync, rmSync } from "node:fs";
import type { TxOutcome } from "../../src/engine/chain-port.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter } from "../../src/store/database.ts";
import { readHead } from "../../src/store/head.ts";
import type { FileSync } from "../../src/store/log-sync.ts";
import { SAMPLE } from "../rig/homes.ts";
import { ASSET, FUNDS } from "./fake-engine.ts";
import { newHome, Rig, removeHomes, Sender } from "./rig.ts";

afterAll(removeHomes);

const [A, B] = [new Sender(1), new Sender(2)] as const;
const LARGE = 64;
const IO_ERROR = Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });

/** A disk that takes what it is told to when the test says so. */
class TestDisk implements FileSync {
  now_ = 0;
  failsNow = false;
  readonly waiting: ((error: Error | null) => void)[] = [];

  now(file: number): void {
    if (this.failsNow) throw IO_ERROR;
    fdatasyncSync(file);
    this.now_++;
  }

  later(file: number, done: (error: Error | null) => void): void {
    fdatasyncSync(file);
    this.waiting.push(done);
  }
}

function sendMany(
  rig: Rig,
  count: number,
): { readonly all: Promise<TxOutcome[]>; readonly told: () => number } {
  let told = 0;
  const sent = Array.from({ length: count }, async (_, n) => {
    const outcome = await rig.transfer(A, B.party, BigInt(n + 1), "commit");
    told++;
    return outcome;
  });
  return { all: Promise.all(sent), told: () => told };
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 1_000) throw new Error("it did not come about");
    await Bun.sleep(5);
  }
}

describe("a large block", () => {
  test("is seen at once, and its senders hear of it when the disk has it", async () => {
    const disk = new TestDisk();
    const rig = new Rig({ disk });
    const { all, told } = sendMany(rig, LARGE);
    await until(() => disk.waiting.length === 1);
    expect(rig.height).toBe(2);
    const reader = openReader(rig.home);
    expect(readHead(reader)?.height).toBe(2);
    reader.close();
    await Bun.sleep(10);
    expect(told()).toBe(0);
    disk.waiting[0]!(null);
    expect(new Set((await all).map(({ code, height }) => `${code} ${height}`))).toEqual(new Set(["0 2"]));
    await rig.stop();
  });

  test("is followed by others meanwhile, whose senders hear of them when the disk has what came after it", async () => {
    const disk = new TestDisk();
    const rig = new Rig({ disk });
    const first = sendMany(rig, LARGE);
    await until(() => disk.waiting.length === 1);
    const before = disk.now_;
    const small = rig.transfer(B, A.party, 1n, "commit");
    await until(() => rig.height === 3);
    const second = sendMany(rig, LARGE);
    await until(() => rig.height === 4);
    expect(disk.waiting).toHaveLength(1);
    disk.waiting[0]!(null);
    await first.all;
    // One sync for both.
    await until(() => disk.waiting.length === 2);
    await Bun.sleep(10);
    expect(second.told()).toBe(0);
    disk.waiting[1]!(null);
    expect((await small).height).toBe(3);
    expect((await second.all)[0]!.height).toBe(4);
    expect(disk.waiting).toHaveLength(2);
    expect(disk.now_).toBe(before);
    await rig.stop();
  });

  test("waits for a disk that has been at it for long, and is safe with all before it", async () => {
    const disk = new TestDisk();
    const rig = new Rig({ disk });
    const first = sendMany(rig, LARGE);
    await until(() => disk.waiting.length === 1);
    const second = sendMany(rig, LARGE);
    await until(() => rig.height === 3);
    const before = disk.now_;
    await Bun.sleep(1_050);
    const third = sendMany(rig, LARGE);
    expect((await third.all)[0]!.height).toBe(4);
    expect((await second.all)[0]!.height).toBe(3);
    expect(disk.now_).toBe(before + 1);
    expect(first.told()).toBe(0);
    disk.waiting[0]!(null);
    await first.all;
    expect(disk.waiting).toHaveLength(1);
    await rig.stop();
  });

  test("that is reverted meanwhile answers nobody, nor who sends the same again", async () => {
    const disk = new TestDisk();
    const rig = new Rig({ disk });
    const id = await rig.chain.snapshot();
    const bytes = Array.from({ length: LARGE }, () => A.transfer(rig.chain, B.party, 1n));
    const first = bytes.map((each) => rig.chain.submit(each, "commit"));
    for (const each of first) each.catch(() => {});
    await until(() => disk.waiting.length === 1);
    await rig.chain.revert(id);
    await rig.chain.setBlockMode({ kind: "manual" });
    let told = 0;
    const again = rig.chain.submit(bytes[0]!, "commit").finally(() => told++);
    disk.waiting[0]!(null);
    await Bun.sleep(10);
    for (const each of first) await expect(each).rejects.toMatchObject({ code: "stopped" });
    expect(told).toBe(0);
    await rig.chain.mine(2);
    expect(await again).toMatchObject({ code: 0, height: 2 });
    await rig.stop();
  });

  test("small ones wait for the disk themselves", async () => {
    const disk = new TestDisk();
    const rig = new Rig({ disk });
    const before = disk.now_;
    await sendMany(rig, LARGE - 1).all;
    expect(disk.waiting).toHaveLength(0);
    expect(disk.now_).toBe(before + 1);
    await rig.stop();
  });
});

test("a chain that is stopped waits for what the disk has not taken yet", async () => {
  const disk = new TestDisk();
  const halts: (string | undefined)[] = [];
  const rig = new Rig({ disk, limits: { stateBlocksMax: 1 }, onHalt: (reason) => halts.push(reason) });
  const first = sendMany(rig, LARGE);
  first.all.catch(() => {});
  await until(() => disk.waiting.length === 1);
  const second = sendMany(rig, LARGE);
  second.all.catch(() => {});
  await until(() => rig.height === 3);
  let isStopped = false;
  const stopped = rig.stop().then(() => {
    isStopped = true;
  });
  await Bun.sleep(20);
  expect(isStopped).toBe(false);
  disk.waiting[0]!(null);
  await until(() => disk.waiting.length === 2);
  disk.waiting[1]!(null);
  await stopped;
  await expect(first.all).rejects.toMatchObject({ code: "stopped" });
  expect(halts).toEqual([]);
});

describe("a disk that fails", () => {
  test("after a large block: its senders are told, the chain stops for good, and goes on when it is started again", async () => {
    const disk = new TestDisk();
    const halts: (string | undefined)[] = [];
    const rig = new Rig({ disk, onHalt: (reason) => halts.push(reason) });
    const { all } = sendMany(rig, LARGE);
    all.catch(() => {});
    await until(() => disk.waiting.length === 1);
    disk.waiting[0]!(IO_ERROR);
    await expect(all).rejects.toMatchObject({ code: "halted" });
    expect(halts).toEqual([expect.stringContaining("the disk did not take the last blocks: EIO")]);
    await expect(rig.transfer(B, A.party, 1n, "commit")).rejects.toMatchObject({ code: "halted" });
    expect(rig.height).toBe(2);
    await rig.stop();
    const again = new Rig({ home: rig.home });
    expect(again.height).toBe(2);
    expect(again.engine.balanceOf(B.party)).toBe(FUNDS + BigInt((LARGE * (LARGE + 1)) / 2));
    expect((await again.transfer(B, A.party, 1n, "commit")).height).toBe(3);
    await again.stop();
  });

  test("with blocks behind it that wait: their senders are told too", async () => {
    const disk = new TestDisk();
    const rig = new Rig({ disk });
    const first = sendMany(rig, LARGE);
    first.all.catch(() => {});
    await until(() => disk.waiting.length === 1);
    const small = rig.transfer(B, A.party, 1n, "commit");
    small.catch(() => {});
    await until(() => rig.height === 3);
    disk.waiting[0]!(IO_ERROR);
    await expect(first.all).rejects.toMatchObject({ code: "halted" });
    await expect(small).rejects.toMatchObject({ code: "halted" });
    expect(disk.waiting).toHaveLength(1);
    await rig.stop();
  });

  test("after a small block: the same", async () => {
    const disk = new TestDisk();
    const rig = new Rig({ disk });
    disk.failsNow = true;
    await expect(rig.transfer(A, B.party, 5n, "commit")).rejects.toMatchObject({ code: "halted" });
    expect(rig.chain.status.halted).toContain("the disk did not take the last blocks");
    disk.failsNow = false;
    // Nobody knows what a disk holds that failed once: it is not asked again.
    await expect(rig.chain.setBalance(A.party, ASSET, 1n)).rejects.toMatchObject({ code: "halted" });
    await rig.stop();
  });

  test("in a replay: it ends with the error, and what was committed is there to go on from", async () => {
    const home = newHome();
    const db = openWriter(home);
    const failing: FileSync = { now: fdatasyncSync, later: (_, done) => setImmediate(() => done(IO_ERROR)) };
    await expect(replayFiles(new BlockWriter(db, { disk: failing }), db, [SAMPLE])).rejects.toMatchObject({
      code: "sync_failed",
      message: expect.stringContaining("EIO"),
    });
    db.close();
    const again = openWriter(home);
    const { known, blocks, head } = await replayFiles(new BlockWriter(again), again, [SAMPLE]);
    expect(known).toBeGreaterThan(0);
    expect(known + blocks).toBeGreaterThanOrEqual(head!.height);
    again.close();
  });

  test("nobody has to wait: who commits and goes on is told by the next block", async () => {
    const home = newHome();
    const db = openWriter(home);
    const disk: FileSync = { now: fdatasyncSync, later: (_, done) => setImmediate(() => done(IO_ERROR)) };
    const writer = new BlockWriter(db, { disk });
    writer.begin();
    writer.commitSoon();
    // With a commit that failed on its way, and after it, with nothing to commit.
    writer.commitSoon();
    await Bun.sleep(20);
    writer.commitSoon();
    await Bun.sleep(20);
    expect(() => writer.begin()).toThrow("the disk did not take the last blocks");
    await expect(writer.durable()).rejects.toThrow("the disk did not take the last blocks");
    db.close();
  });

  test("without a log to sync, the error says so", () => {
    const home = newHome();
    const db = openWriter(home);
    const writer = new BlockWriter(db, {
      disk: {
        now: () => rmSync(home, { recursive: true }),
        later: () => {},
      },
    });
    writer.begin();
    writer.commit();
    writer.begin();
    expect(() => writer.commit()).toThrow("the disk did not take the last blocks");
    db.close();
  });
});
