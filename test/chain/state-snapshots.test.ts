// Snapshots of the state for other nodes: restored by content, whatever the metadata say.
import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { ChainCore } from "../../src/chain/chain-core.ts";
import { SEQUENCER_LIMITS } from "../../src/chain/options.ts";
import {
  checkOffer,
  SnapshotRestore,
  type StateSnapshot,
  StateSnapshots,
} from "../../src/chain/state-snapshots.ts";
import { Engine } from "../../src/engine/engine.ts";
import { NodeError } from "../../src/errors/node-error.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { readTrusted } from "../../src/wire/transaction-check.ts";
import { runs } from "../support/seed.ts";
import { funded, GENESIS, openChain, transfer } from "./engine-rig.ts";
import { newHome, removeHomes } from "./rig.ts";

afterAll(removeHomes);

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
const CHAIN = { chainId: GENESIS.chainId, genesis: GENESIS.hash };
const SMALL_CHUNKS = 2_000;

/** A chain that behaves as one behind a consensus engine. */
function openCore(home: string) {
  const db = openWriter(home);
  let engine: Engine | undefined;
  const core = new ChainCore(
    {
      db,
      genesis: GENESIS,
      keepHeaders: true,
      makeEngine: (follower) => (engine = new Engine(GENESIS, follower)),
    },
    new BlockWriter(db, { allOrNothing: true }),
    SEQUENCER_LIMITS,
  );
  core.open(false);
  return { core, db, engine: engine! };
}

async function source() {
  const running = openChain();
  await funded(running);
  for (let n = 0n; n < 4n; n++) await running.chain.submit(transfer(running, 0, 1, 10n, n), "check");
  await running.chain.mine(3);
  const { status } = running.chain;
  await running.stop();
  const snapshots = new StateSnapshots(running.home, CHAIN, SMALL_CHUNKS);
  const snapshot = await snapshots.write(Date.now());
  const chunks = Array.from({ length: snapshot.chunks }, (_, n) => snapshots.chunk(status.height, 1, n)!);
  return { home: running.home, status, snapshots, snapshot, chunks };
}

/** The same snapshot with other content, every hash of it worked out again. */
function forged(snapshot: StateSnapshot, contents: readonly string[]) {
  const metadata = Buffer.concat(contents.map((lines) => sha256(Buffer.from(lines))));
  const offer = { ...snapshot, chunks: contents.length, metadata, hash: sha256(metadata) };
  return { offer, chunks: contents.map((lines) => gzipSync(lines)) };
}

function verified(snapshot: StateSnapshot, chunks: readonly Uint8Array[], appHash: string): string {
  const restore = new SnapshotRestore(newHome(), snapshot, appHash, CHAIN);
  for (const [n, chunk] of chunks.entries()) expect(restore.apply(n, chunk)).toEqual({ accepted: true });
  try {
    return restore.verify().appHash;
  } catch (error) {
    if (error instanceof NodeError) return error.code;
    throw error;
  } finally {
    restore.discard();
  }
}

describe("a snapshot of the state", () => {
  test("given a restored node, then it has the same hash, and the same blocks lead both on alike, over a restart too", async () => {
    const { home, status, snapshot, chunks } = await source();
    expect(snapshot.height).toBe(status.height);
    expect(chunks.length).toBeGreaterThan(2);
    expect(checkOffer(snapshot)).toEqual({ accepted: true });
    const target = newHome();
    const restored = openCore(target);
    const restore = new SnapshotRestore(target, snapshot, status.appHash, CHAIN);
    for (const [n, chunk] of chunks.entries()) expect(restore.apply(n, chunk)).toEqual({ accepted: true });
    restored.core.restore(restore.verify(), () => restore.entries());
    restore.discard();
    expect(restored.core.point).toMatchObject({ height: status.height, appHash: status.appHash });

    const again = openChain(home);
    for (let n = 10n; n < 14n; n++) await again.chain.submit(transfer(again, 1, 2, 5n, n), "check");
    await again.chain.mine(2);
    await again.chain.endEpoch();
    const end = again.chain.status;
    await again.stop();
    const follow = ({ core, engine }: typeof restored) => {
      const maker = openCore(home);
      for (const block of maker.core.store.blocksAfter(core.point.height, end.height)) {
        const { height, hash, timeNs, txs } = block;
        const proposer = engine.domains.proposerOf(height) ?? "";
        const read = txs.map((tx) => ({ ...tx, tx: readTrusted(tx.bytes) as never }));
        core.executeGiven({ height, hash, timeNs, proposer }, read);
        core.commit();
        if (block.appHash !== undefined) expect(core.point.appHash).toBe(block.appHash);
        if (height === status.height + 1) break;
      }
      maker.db.close();
    };
    follow(restored);
    expect(restored.core.point.height).toBe(status.height + 1);
    restored.db.close();
    const reopened = openCore(target);
    expect(reopened.core.point.height).toBe(status.height + 1);
    while (reopened.core.point.height < end.height) follow(reopened);
    expect(reopened.core.point.appHash).toBe(end.appHash);
    reopened.db.close();
  });

  test("given a chunk that was changed on its way, then it is refused, and the right one is taken after it", async () => {
    const { status, snapshot, chunks } = await source();
    const restore = new SnapshotRestore(newHome(), snapshot, status.appHash, CHAIN);
    const lines = gunzipSync(chunks[0]!);
    lines[lines.length >> 1]! ^= 1;
    for (const bytes of [
      new Uint8Array(),
      chunks[1]!,
      gzipSync(lines),
      chunks[0]!.slice(0, -9),
      gzipSync(Buffer.alloc(20_000_000)),
    ])
      expect(restore.apply(0, bytes).accepted).toBe(false);
    expect(restore.apply(1, chunks[1]!).accepted).toBe(false);
    expect(restore.apply(0, chunks[0]!).accepted).toBe(true);
    expect(() => restore.verify()).toThrow("chunk 1 of");
    restore.discard();
  });

  test("given any other content with hashes of its own, then it is refused by content", async () => {
    const { status, snapshot, chunks } = await source();
    const text = chunks.map((chunk) => gunzipSync(chunk).toString()).join("");
    expect(verified(snapshot, chunks, status.appHash)).toBe(status.appHash);
    const lines = text.split("\n").slice(0, -1);
    const place = fc.integer({ min: 0, max: lines.length - 1 });
    const change = fc.record({
      at: place,
      to: place,
      how: fc.constantFrom("drop", "copy", "swap", "digit", "cut"),
    });
    fc.assert(
      fc.property(change, ({ at, to, how }) => {
        const others = [...lines];
        if (how === "drop") others.splice(at, 1);
        else if (how === "copy") others[at] = others[to]!;
        else if (how === "swap" && at > 0 && to > 0) {
          const value = (line: string) => line.split("\t")[2]!;
          others[at] = `${others[at]!.split("\t").slice(0, 2).join("\t")}\t${value(others[to]!)}`;
        } else if (how === "digit")
          others[at] = others[at]!.replace(
            /(\d)(\D*)$/,
            (_, digit, end) => `${(Number(digit) + 1) % 10}${end}`,
          );
        else others[at] = others[at]!.slice(0, -1);
        const content = `${others.join("\n")}\n`;
        if (content === text) return;
        const { offer, chunks: bytes } = forged(snapshot, [content]);
        expect(checkOffer(offer)).toEqual({ accepted: true });
        expect(verified(offer, bytes, status.appHash)).toBe("snapshot_invalid");
      }),
      { numRuns: runs(100) },
    );
  });

  test.each([
    ["another format", { format: 2 }],
    ["no chunks", { chunks: 0, metadata: new Uint8Array() }],
    ["more chunks than hashes", { chunks: 9_999 }],
    ["another hash", { hash: new Uint8Array(32) }],
    ["a height that is not one", { height: 0 }],
  ])("given an offer with %s, then it is refused", (_what, members) => {
    const metadata = sha256(new Uint8Array());
    const offer = { height: 5, format: 1, chunks: 1, metadata, hash: sha256(metadata) };
    expect(checkOffer(offer).accepted).toBe(true);
    expect(checkOffer({ ...offer, ...members }).accepted).toBe(false);
  });

  test("given a home that holds a chain, then nothing is restored into it", async () => {
    const { home, snapshot, chunks, status } = await source();
    const restore = new SnapshotRestore(home, snapshot, status.appHash, CHAIN);
    for (const [n, chunk] of chunks.entries()) restore.apply(n, chunk);
    const { core, db } = openCore(home);
    expect(() => core.restore(restore.verify(), () => restore.entries())).toThrow("holds a chain");
    expect(core.point.appHash).toBe(status.appHash);
    db.close();
  });

  test("given many snapshots, then the newest three stay, and others only while they are young", async () => {
    const { home, snapshots, snapshot } = await source();
    const now = Date.now();
    const left = join(home, "snapshots", "3.part");
    mkdirSync(left);
    const [first] = [snapshot.height];
    for (let n = 0; n < 4; n++) {
      const again = openChain(home);
      await again.chain.mine(1);
      await again.stop();
      if (n === 3) utimesSync(join(home, "snapshots", String(first)), 0, 0);
      await snapshots.write(now);
    }
    expect(snapshots.list().map(({ height }) => height - first)).toEqual([4, 3, 2, 1]);
    expect(existsSync(join(home, "snapshots", String(first)))).toBe(false);
    expect(existsSync(left)).toBe(false);
    expect(snapshots.chunk(first + 4, 1, 99)).toBeUndefined();
    expect(snapshots.chunk(first, 1, 0)).toBeUndefined();
  });
});
