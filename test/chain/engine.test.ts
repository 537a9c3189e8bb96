// The sequencer over the real engine: the same promises as over the small one.
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import { differences } from "../support/digests.ts";
import { funded, openChain, type RunningChain, transfer } from "./engine-rig.ts";
import { newHome, removeHomes, rowsOf } from "./rig.ts";

afterAll(removeHomes);

/** Funds, transfers, an epoch's end; @param nonce an unused one */
async function something(running: RunningChain, nonce: bigint): Promise<void> {
  const { chain } = running;
  await funded(running);
  for (let n = 0; n < 3; n++) {
    const bytes = transfer(running, n, (n + 1) % 3, 10n ** 18n * BigInt(n + 1), nonce + BigInt(n));
    expect(await chain.submit(bytes, "check")).toMatchObject({ code: 0, text: "" });
  }
  await chain.mine(3);
  await chain.endEpoch();
  await chain.mine(2);
}

describe("the real engine", () => {
  test("given a kill, when the chain is opened again, then blocks are replayed to the same application hash", async () => {
    const running = openChain();
    await something(running, 1n);
    const bytes = transfer(running, 0, 1, 5n * 10n ** 18n, 100n);
    await running.chain.submit(bytes, "check");
    await running.chain.mine(4);
    const { status } = running.chain;
    const digest = running.engine.state.digest();
    running.abandon();
    const again = openChain(running.home);
    expect(again.chain.resumption.replayed).toBeGreaterThan(3);
    expect(again.chain.status).toMatchObject({
      height: status.height,
      appHash: status.appHash,
      epoch: status.epoch,
    });
    expect(again.engine.state.digest()).toBe(digest);
    await something(again, 200n);
    await again.stop();
  });

  test("given a revert, then state and rows are back, and the same blocks have the same outcome", async () => {
    const running = openChain();
    await something(running, 1n);
    const before = {
      status: running.chain.status,
      rows: running.rows(),
      state: running.engine.state.digest(),
    };
    const id = await running.chain.snapshot();
    await something(running, 50n);
    const after = { appHash: running.chain.status.appHash, rows: running.rows() };
    expect(after.appHash).not.toBe(before.status.appHash);
    await running.chain.revert(id);
    expect(running.chain.status).toMatchObject({
      appHash: before.status.appHash,
      epoch: before.status.epoch,
      pow: before.status.pow,
    });
    expect(running.engine.state.digest()).toBe(before.state);
    expect(differences(running.rows(), before.rows)).toEqual([]);
    await something(running, 50n);
    expect(running.chain.status.appHash).toBe(after.appHash);
    expect(differences(running.rows(), after.rows)).toEqual([]);
    await running.stop();
  });

  test("given a dump, when another home loads it, then both go on alike", async () => {
    const one = openChain();
    await something(one, 1n);
    const other = openChain();
    await other.chain.load(await one.chain.dump());
    expect(differences(other.rows(), one.rows())).toEqual([]);
    for (const each of [one, other]) await something(each, 50n);
    expect(other.chain.status.appHash).toBe(one.chain.status.appHash);
    expect(differences(other.rows(), one.rows())).toEqual([]);
    await one.stop();
    await other.stop();
  });

  test("given a recorded run, when it is replayed, then the rows are the same", async () => {
    const recordTo = join(newHome(), "run.evts");
    const running = openChain(newHome(), { recordTo });
    await something(running, 1n);
    const db = openWriter(newHome());
    const { files } = await replayFiles(new BlockWriter(db), db, [recordTo]);
    expect(files[0]!.damage).toBeUndefined();
    expect(differences(rowsOf(digestStore(db)), running.rows())).toEqual([]);
    db.close();
    await running.stop();
  });
});
