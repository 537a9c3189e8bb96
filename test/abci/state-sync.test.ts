// State synchronisation as a consensus engine drives it: snapshots that are listed, loaded, offered and applied.
import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  ResponseApplySnapshotChunkResult as ChunkResult,
  ResponseOfferSnapshotResult as OfferResult,
  type Snapshot,
} from "../../src/wire/generated/abci.ts";
import { removeHomes, Sender } from "../chain/rig.ts";
import { eventually } from "../support/eventually.ts";
import { AbciRig } from "./rig.ts";

afterAll(removeHomes);

const [alice, bob] = [new Sender(1), new Sender(2)];
const INTERVAL = 100;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
const quietly = () => spyOn(process.stderr, "write").mockImplementation(() => true);

/** A chain with a snapshot. */
async function provider() {
  const rig = new AbciRig();
  await rig.block();
  while (rig.chain.committed.height < INTERVAL - 1) await rig.block();
  const { appHash } = await rig.block([alice.transfer(rig.chain, bob.party, 5n)]);
  const snapshots = async () => (await rig.call({ listSnapshots: {} })).listSnapshots!.snapshots;
  await eventually(async () => (await snapshots()).length === 1);
  const [snapshot] = await snapshots();
  return { rig, appHash, snapshot: snapshot! };
}

async function chunkOf(rig: AbciRig, { height, format }: Snapshot, chunk: number): Promise<Uint8Array> {
  return (await rig.call({ loadSnapshotChunk: { height, format, chunk } })).loadSnapshotChunk!.chunk;
}

async function offer(rig: AbciRig, snapshot: Snapshot, appHash: string): Promise<number> {
  const request = { snapshot, appHash: Uint8Array.fromHex(appHash) };
  return (await rig.call({ offerSnapshot: request })).offerSnapshot!.result;
}

async function apply(rig: AbciRig, index: number, chunk: Uint8Array) {
  return (await rig.call({ applySnapshotChunk: { index, chunk, sender: "node" } })).applySnapshotChunk!;
}

test.each([
  ["as many blocks as were asked for stay", 150, 51n],
  ["the oldest snapshot's block stays, however few were asked for", 20, 100n],
  ["all stay where none may go", 0, 0n],
])("given blocks that the engine may drop, then %s", async (_, retainBlocks, expected) => {
  const rig = new AbciRig({ retainBlocks });
  const retained = async () => (await rig.commit()).commit!.retainHeight;
  await rig.begin();
  for (let height = 1; height <= 2 * INTERVAL; height++) {
    await rig.execute();
    const retainHeight = await retained();
    expect(retainHeight).toBe(height === 2 * INTERVAL ? expected : 0n);
    if (height === INTERVAL)
      await eventually(
        async () => (await rig.call({ listSnapshots: {} })).listSnapshots!.snapshots.length === 1,
      );
  }
  await rig.stop();
});

describe("state synchronisation", () => {
  test("given an empty node and a snapshot, then it stands at its height and goes on as the one that made it", async () => {
    const log = quietly();
    const { rig, appHash, snapshot } = await provider();
    expect(snapshot).toMatchObject({ height: BigInt(INTERVAL), format: 1, chunks: 1 });
    const chunk = await chunkOf(rig, snapshot, 0);
    expect(await chunkOf(rig, snapshot, 1)).toHaveLength(0);
    const node = new AbciRig();
    expect(await offer(node, snapshot, appHash)).toBe(OfferResult.ACCEPT);
    expect(await apply(node, 1, chunk)).toMatchObject({ result: ChunkResult.RETRY, refetchChunks: [1] });
    const rotten = chunk.slice();
    rotten[rotten.length >> 1]! ^= 255;
    expect(await apply(node, 0, rotten)).toEqual({
      result: ChunkResult.RETRY,
      refetchChunks: [0],
      rejectSenders: ["node"],
    });
    expect(await apply(node, 0, chunk)).toMatchObject({ result: ChunkResult.ACCEPT });
    expect(await node.info()).toEqual({ height: INTERVAL, appHash });
    expect(node.chain.status).toMatchObject({ height: INTERVAL, appHash });
    const tx = alice.transfer(rig.chain, bob.party, 7n);
    const next = await rig.block([tx]);
    expect(next.codes).toEqual([0]);
    expect((await node.block([tx])).appHash).toBe(next.appHash);
    await node.stop();
    const again = new AbciRig({ home: node.home });
    expect(await again.info()).toEqual({ height: INTERVAL + 1, appHash: next.appHash });
    expect((await again.block()).appHash).toBe((await rig.block()).appHash);
    expect(await offer(again, snapshot, appHash)).toBe(OfferResult.REJECT);
    for (const each of [again, rig]) await each.stop();
    log.mockRestore();
  });

  test("given a forged snapshot whose hashes are right, then its content gives it away, and the next one is taken", async () => {
    const log = quietly();
    const { rig, appHash, snapshot } = await provider();
    const chunk = await chunkOf(rig, snapshot, 0);
    const lines = gunzipSync(chunk).toString();
    const forged = lines.replace(/(fake\.balances\t[^\n]*u0001)(\d)/, "$19$2");
    expect(forged).not.toBe(lines);
    const metadata = sha256(Buffer.from(forged));
    const node = new AbciRig();
    expect(await offer(node, { ...snapshot, metadata, hash: sha256(metadata) }, appHash)).toBe(
      OfferResult.ACCEPT,
    );
    expect(await apply(node, 0, gzipSync(forged))).toMatchObject({ result: ChunkResult.REJECT_SNAPSHOT });
    expect(await node.info()).toEqual({ height: 0, appHash: "" });
    expect(await offer(node, { ...snapshot, hash: new Uint8Array(32) }, appHash)).toBe(OfferResult.REJECT);
    expect(await offer(node, snapshot, appHash)).toBe(OfferResult.ACCEPT);
    expect(await apply(node, 0, chunk)).toMatchObject({ result: ChunkResult.ACCEPT });
    expect(await node.info()).toEqual({ height: INTERVAL, appHash });
    for (const each of [node, rig]) await each.stop();
    log.mockRestore();
  });
});
