// Every block waits for the disk: callers are answered when it has it, and a disk that fails stops the chain for good.
import { afterAll, describe, expect, test } from "bun:test";
import { fdatasyncSync, rmSync } from "node:fs";
import { replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import type { FileSync } from "../../src/store/wal.ts";
import { SAMPLE } from "../rig/homes.ts";
import { ASSET, FUNDS } from "./fake-engine.ts";
import { newHome, Rig, removeHomes, Sender } from "./rig.ts";

afterAll(removeHomes);

const [A, B] = [new Sender(1), new Sender(2)] as const;
const MANY = 64;
const IO_ERROR = Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });

/** A disk that fails when the test says so. */
class TestDisk {
  syncs = 0;
  fails = false;

  readonly sync: FileSync = (file) => {
    if (this.fails) throw IO_ERROR;
    fdatasyncSync(file);
    this.syncs++;
  };
}

const sendMany = (rig: Rig, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => rig.transfer(A, B.party, BigInt(n + 1), "commit")));

test("a block of many transactions is synced once, before its senders are answered", async () => {
  const disk = new TestDisk();
  const rig = new Rig({ disk: disk.sync });
  const before = disk.syncs;
  const outcomes = await sendMany(rig, MANY);
  expect(new Set(outcomes.map(({ code, height }) => `${code} ${height}`))).toEqual(new Set(["0 2"]));
  expect(disk.syncs).toBe(before + 1);
  await rig.stop();
});

test("rows written outside of blocks are synced by SQLite, also after a block and after one that was dropped", () => {
  const FULL = 2n;
  const db = openWriter(newHome());
  const level = () => (db.query("PRAGMA synchronous").get() as { synchronous: bigint }).synchronous;
  expect(level()).toBe(FULL);
  const writer = new BlockWriter(db);
  for (const end of ["commit", "rollback"] as const) {
    writer.beginTransaction();
    writer[end]();
    expect(level()).toBe(FULL);
  }
  db.close();
});

describe("a disk that fails", () => {
  test("after a block: its senders are refused, the chain stops for good, and goes on when it is started again", async () => {
    const disk = new TestDisk();
    const halts: (string | undefined)[] = [];
    const rig = new Rig({ disk: disk.sync, onHalt: (reason) => halts.push(reason) });
    disk.fails = true;
    await expect(sendMany(rig, MANY)).rejects.toMatchObject({ code: "halted" });
    expect(halts).toEqual([expect.stringContaining("the disk did not take the last blocks: EIO")]);
    disk.fails = false;
    // The contents of a disk that failed once are unknown: it is not asked again.
    await expect(rig.transfer(B, A.party, 1n, "commit")).rejects.toMatchObject({ code: "halted" });
    await expect(rig.chain.setBalance(A.party, ASSET, 1n)).rejects.toMatchObject({ code: "halted" });
    expect(rig.height).toBe(2);
    await rig.stop();
    const again = new Rig({ home: rig.home });
    expect(again.height).toBe(2);
    expect(again.engine.balanceOf(B.party)).toBe(FUNDS + BigInt((MANY * (MANY + 1)) / 2));
    expect((await again.transfer(B, A.party, 1n, "commit")).height).toBe(3);
    await again.stop();
  });

  test("in a replay: it ends with the error, and what was committed is there to go on from", async () => {
    const home = newHome();
    const db = openWriter(home);
    let syncs = 0;
    const disk: FileSync = (file) => {
      if (++syncs > 1) throw IO_ERROR;
      fdatasyncSync(file);
    };
    await expect(replayFiles(new BlockWriter(db, { disk }), db, [SAMPLE])).rejects.toMatchObject({
      code: "sync_failed",
      message: expect.stringContaining("EIO"),
    });
    db.close();
    const again = openWriter(home);
    const { known: stored, blocks, head } = await replayFiles(new BlockWriter(again), again, [SAMPLE]);
    expect(stored).toBeGreaterThan(0);
    expect(stored + blocks).toBeGreaterThanOrEqual(head!.height);
    again.close();
  });

  test("without a log to sync, the error says so", () => {
    const home = newHome();
    const db = openWriter(home);
    const writer = new BlockWriter(db, { disk: () => rmSync(home, { recursive: true }) });
    writer.beginTransaction();
    writer.commit();
    writer.beginTransaction();
    expect(() => writer.commit()).toThrow("the disk did not take the last blocks");
    expect(() => writer.beginTransaction()).toThrow("the disk did not take the last blocks");
    db.close();
  });
});
