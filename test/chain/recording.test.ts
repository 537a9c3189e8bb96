// A run as an event file: loaded again it gives the same rows; and a chain as one text.
import { afterAll, describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { genesisOfDump, readDump } from "../../src/chain/dump.ts";
import { EventFile, withMarkers } from "../../src/chain/event-file.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { digestStore, type StoreDigest } from "../../src/store/dump.ts";
import type { Block } from "../../src/wire/block.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { differences } from "../support/digests.ts";
import { ASSET, FUNDS } from "./fake-engine.ts";
import { newHome, Rig, type RigOptions, removeHomes, rowsOf, Sender, testGenesis } from "./rig.ts";

afterAll(removeHomes);

const [A, B] = [new Sender(1), new Sender(2)] as const;
const MANUAL: RigOptions = { mode: { kind: "manual" } };

async function something(rig: Rig): Promise<void> {
  await rig.transfer(A, B.party, 5n);
  await rig.transfer(B, A.party, 7n);
  await rig.chain.mine(3);
  await rig.chain.forwardTime(11_000_000_000n);
  await rig.chain.mine(2);
  await rig.chain.setBalance(A.party, ASSET, 100n);
  await rig.transfer(A, B.party, 1n);
  await rig.chain.mine(1);
}

async function replayed(file: string): Promise<StoreDigest> {
  const db = openWriter(newHome());
  const result = await replayFiles(new BlockWriter(db), db, [file]);
  expect(result.files[0]!.damage).toBeUndefined();
  const digest = rowsOf(digestStore(db));
  db.close();
  return digest;
}

describe("recording", () => {
  test("given a link in place of the file, then nothing is written through it", () => {
    const home = newHome();
    const victim = join(home, "victim");
    const link = join(home, "run.evts");
    writeFileSync(victim, "");
    symlinkSync(victim, link);
    expect(() => new Rig({ ...MANUAL, recordTo: link })).toThrow("it is a link");
    expect(readFileSync(victim, "utf8")).toBe("");
  });

  test("given a recorded run, when it is replayed, then the rows are the same", async () => {
    const recordTo = join(newHome(), "run.evts");
    const rig = new Rig({ ...MANUAL, recordTo });
    await something(rig);
    expect(differences(await replayed(recordTo), rig.digest())).toEqual([]);
    await rig.stop();
  });

  test("given a kill in the midst of it, when the chain goes on, then the file does too", async () => {
    const recordTo = join(newHome(), "run.evts");
    const rig = new Rig({ ...MANUAL, recordTo });
    await something(rig);
    const whole = readFileSync(recordTo);
    rig.abandon();
    // A block that was written and not committed: its beginning, as a kill leaves it.
    appendFileSync(recordTo, whole.subarray(whole.length - 700, whole.length - 30));
    const again = new Rig({ ...MANUAL, home: rig.home, recordTo });
    expect(statSync(recordTo).size).toBe(whole.length);
    await something(again);
    expect(differences(await replayed(recordTo), again.digest())).toEqual([]);
    await again.stop();
  });

  test("given a revert, then the file ends where the chain does", async () => {
    const recordTo = join(newHome(), "run.evts");
    const rig = new Rig({ ...MANUAL, recordTo });
    await something(rig);
    const id = await rig.chain.snapshot();
    await something(rig);
    await rig.chain.revert(id);
    await rig.transfer(A, B.party, 2n);
    await rig.chain.mine(1);
    expect(differences(await replayed(recordTo), rig.digest())).toEqual([]);
    await rig.stop();
  });

  test("given blocks that did not become real, then nothing of them stays in the file", () => {
    const path = join(newHome(), "run.evts");
    const file = new EventFile(path);
    file.open(undefined);
    const block = (height: number): Block => {
      const hash = height.toString(16).padStart(64, "0");
      const bare = { chainId: "test", height, timeNs: BigInt(height), hash, txHashes: [hash], events: [] };
      return withMarkers(bare);
    };
    file.append(block(1));
    file.flush();
    file.keep();
    const { size } = statSync(path);
    file.append(block(2));
    file.append(block(3));
    file.flush();
    expect(statSync(path).size).toBeGreaterThan(size);
    file.undo();
    expect(statSync(path).size).toBe(size);
    file.append(block(2));
    file.undo();
    file.append(block(2));
    file.flush();
    file.keep();
    expect(statSync(path).size).toBe(2 * size);
    file.close();
  });

  test("given a file that does not fit the chain, then it is refused", async () => {
    const recordTo = join(newHome(), "run.evts");
    writeFileSync(recordTo, "something else");
    expect(() => new Rig({ ...MANUAL, recordTo })).toThrow("the file is not empty, and the chain is new");
    const rig = new Rig(MANUAL);
    await something(rig);
    await rig.stop();
    writeFileSync(recordTo, "");
    expect(() => new Rig({ ...MANUAL, home: rig.home, recordTo })).toThrow(
      "the file ends at block 0, and the chain is at block 8",
    );
    const nowhere = join(newHome(), "none.evts");
    expect(() => new Rig({ ...MANUAL, home: rig.home, recordTo: nowhere })).toThrow("it is not there");
    expect(existsSync(nowhere)).toBe(false);
  });

  test("given hashes in lower case, as a recording may have them, then the file goes on", () => {
    const path = join(newHome(), "lower.evts");
    const hash = "ab".repeat(32);
    const block = { chainId: "c", height: 1, timeNs: 1n, hash, txHashes: [hash], events: [] };
    const file = new EventFile(path);
    file.open(undefined);
    file.append(withMarkers(block));
    file.flush();
    file.keep();
    file.close();
    const again = new EventFile(path);
    again.open({ height: 1, hash });
    expect(again.kept).toEqual(file.kept);
    again.close();
  });

  test("given the file of another chain, then it is refused and left as it is", async () => {
    const recordTo = join(newHome(), "run.evts");
    const recorded = new Rig({ ...MANUAL, recordTo });
    await something(recorded);
    await recorded.stop();
    const whole = readFileSync(recordTo);
    const other = new Rig(MANUAL);
    await other.chain.forwardTime(SECOND_NS);
    await other.chain.mine(3);
    await other.stop();
    expect(() => new Rig({ ...MANUAL, home: other.home, recordTo })).toThrow(
      "its block 4 is another chain's",
    );
    expect(readFileSync(recordTo).equals(whole)).toBe(true);
  });
});

describe("dump and load", () => {
  test("given a dump, when a fresh home loads it, then it is the same chain at the same block and goes on", async () => {
    const rig = new Rig(MANUAL);
    await something(rig);
    await rig.transfer(A, B.party, 3n);
    const dump = await rig.chain.dump();
    expect(readDump(dump)).toMatchObject({ chainId: "test-chain", height: 8 });
    expect(genesisOfDump(readDump(dump))).toEqual(testGenesis());
    const other = new Rig(MANUAL);
    // The schema after the third has the same rows.
    await other.chain.load(JSON.stringify({ ...readDump(dump), schema: 3 }));
    const status = await other.chain.load(dump);
    expect(status).toMatchObject({
      height: 8,
      appHash: rig.chain.status.appHash,
      hash: rig.chain.status.hash,
    });
    expect(differences(other.digest(), rig.digest())).toEqual([]);
    for (const each of [rig, other]) await each.chain.mine(1);
    expect(other.engine.balanceOf(A.party)).toBe(96n);
    expect(other.chain.status.appHash).toBe(rig.chain.status.appHash);
    expect(differences(other.digest(), rig.digest())).toEqual([]);
    other.abandon();
    const again = new Rig({ ...MANUAL, home: other.home });
    expect(again.chain.status.appHash).toBe(rig.chain.status.appHash);
    await again.stop();
    await rig.stop();
  });

  test("given a chain with snapshots and blocks, when it loads a dump, then they are gone", async () => {
    const rig = new Rig(MANUAL);
    const dump = await rig.chain.dump();
    const id = await rig.chain.snapshot();
    await something(rig);
    await rig.chain.load(dump);
    expect(rig.height).toBe(1);
    expect(rig.engine.balanceOf(A.party)).toBe(FUNDS);
    await expect(rig.chain.revert(id)).rejects.toMatchObject({ code: "snapshot_unknown" });
    await something(rig);
    await rig.stop();
  });

  test("given something else, or a dump of another chain, then nothing changes", async () => {
    const rig = new Rig(MANUAL);
    await something(rig);
    const digest = rig.digest();
    const dump = readDump(await rig.chain.dump());
    const state = dump.tables.chain_state!;
    const rowless = { ...dump.tables.blocks!, rows: [null] };
    const headless = { ...dump.tables.chain_meta!, rows: [] };
    const broken = { columns: state.columns, rows: [[1, 2, 3]] };
    for (const [text, code] of [
      ["nonsense", "dump_invalid"],
      ["{}", "dump_invalid"],
      [JSON.stringify({ ...dump, version: 9 }), "dump_invalid"],
      [JSON.stringify({ ...dump, schema: 2 }), "dump_invalid"],
      [JSON.stringify({ ...dump, schema: dump.schema + 1 }), "dump_invalid"],
      [JSON.stringify({ ...dump, tables: {} }), "dump_invalid"],
      [JSON.stringify({ ...dump, tables: { ...dump.tables, blocks: null } }), "dump_invalid"],
      [JSON.stringify({ ...dump, tables: { ...dump.tables, blocks: rowless } }), "dump_invalid"],
      [JSON.stringify({ ...dump, tables: { ...dump.tables, chain_meta: headless } }), "dump_invalid"],
      [JSON.stringify({ ...dump, genesis: undefined }), "dump_invalid"],
      [JSON.stringify({ ...dump, mempool: undefined }), "dump_invalid"],
      [JSON.stringify({ ...dump, mempool: [null] }), "dump_invalid"],
      [JSON.stringify({ ...dump, tables: { ...dump.tables, chain_state: broken } }), "state_mismatch"],
      [JSON.stringify({ ...dump, genesis: { ...dump.genesis, chain_id: "other" } }), "chain_mismatch"],
    ] as const) {
      await expect(rig.chain.load(text)).rejects.toMatchObject({ code });
    }
    expect(differences(rig.digest(), digest)).toEqual([]);
    await rig.chain.mine(1);
    await rig.stop();
  });

  test("given a load that fails half-way, then the proofs of what waits are still spent", async () => {
    const rig = new Rig(MANUAL);
    const tid = "7d".repeat(32);
    const dump = readDump(await rig.chain.dump());
    const chain_meta = { ...dump.tables.chain_meta!, rows: [] };
    expect(await rig.chain.submit(A.transfer(rig.chain, B.party, 5n, { tid }), "check")).toMatchObject({
      code: 0,
    });
    const randomness = rig.random.save();
    rig.random.bytes(8);
    const drawn = rig.random.save();
    expect(drawn).not.toBe(randomness);
    await expect(
      rig.chain.load(JSON.stringify({ ...dump, tables: { ...dump.tables, chain_meta } })),
    ).rejects.toMatchObject({ code: "dump_invalid" });
    const second = await rig.chain.submit(A.transfer(rig.chain, B.party, 6n, { tid }), "check");
    expect(second.details?.rule).toBe("pow_tid_seen");
    // Nor is anything drawn again.
    expect(rig.random.save()).toBe(drawn);
    expect((await rig.chain.mine(1)).totals.txsLastBlock).toBe(1);
    await rig.stop();
  });

  test("given a disk without room for it, then the load says so, and the chain is what it was", async () => {
    const rig = new Rig(MANUAL);
    const dump = readDump(await rig.chain.dump());
    const digest = rig.digest();
    const meta = dump.tables.chain_meta!;
    const filling = Array.from({ length: 200 }, (_, n) => [`filling ${n}`, "x".repeat(10_000)]);
    const rows = [...meta.rows, ...filling];
    const { page_count: pages } = rig.db.query("PRAGMA page_count").get() as { page_count: bigint };
    rig.db.run(`PRAGMA max_page_count = ${pages + 10n}`);
    await expect(
      rig.chain.load(JSON.stringify({ ...dump, tables: { ...dump.tables, chain_meta: { ...meta, rows } } })),
    ).rejects.toMatchObject({ code: "disk_full" });
    expect(differences(rig.digest(), digest)).toEqual([]);
    expect((await rig.chain.mine(1)).height).toBe(2);
    await rig.stop();
  });
});
