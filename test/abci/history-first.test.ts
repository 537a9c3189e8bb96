// A chain in a home that has the rows of another node already: blocks are executed, and their rows are not written again.
import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { StateSnapshots } from "../../src/chain/state-snapshots.ts";
import { copyStore, removeChain } from "../../src/store/copy.ts";
import { openWriter } from "../../src/store/database.ts";
import { hasChain } from "../../src/store/head.ts";
import { ResponseOfferSnapshotResult as OfferResult } from "../../src/wire/generated/abci.ts";
import { newHome, removeHomes, Sender } from "../chain/rig.ts";
import { AbciRig } from "./rig.ts";
import { handSnapshot, identityOf } from "./snapshots.ts";

afterAll(removeHomes);

const [alice, bob] = [new Sender(1), new Sender(2)];
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
const quietly = () => spyOn(process.stderr, "write").mockImplementation(() => true);

/** A home with the rows of a chain as another node gets them now: nothing of the chain itself. */
function rowsOf(rig: AbciRig, change?: string): string {
  const home = newHome();
  const path = join(home, "lyra.db");
  copyStore(rig.home, path);
  removeChain(path);
  const copy = openWriter(home);
  expect(hasChain(copy)).toBe(false);
  if (change !== undefined) copy.run(change);
  copy.close();
  return home;
}

/** A chain of some blocks, and a second chain in a home with its rows, which goes on from a snapshot of an earlier block. */
async function behindRows({ change, endEarly = false }: { change?: string; endEarly?: boolean } = {}) {
  const rig = new AbciRig();
  await rig.block();
  const early = endEarly ? rowsOf(rig) : undefined;
  const first = [alice.transfer(rig.chain, bob.party, 5n)];
  await rig.block(first);
  rig.chain.storeState();
  const { height, appHash } = rig.chain.committed;
  const snapshots = new StateSnapshots(rig.home, identityOf(rig.genesis));
  const snapshot = await snapshots.write(0);
  const txs: Uint8Array[][] = [];
  for (let n = 0; n < 4; n++) {
    txs.push([alice.transfer(rig.chain, bob.party, BigInt(6 + n))]);
    await rig.block(txs[n]);
  }
  const other = new AbciRig({ home: early ?? rowsOf(rig, change) });
  const restore = () =>
    handSnapshot(snapshots, snapshot, rig.genesis, appHash, {
      home: other.home,
      restore: (...place) => other.chain.restore(...place),
    });
  return { rig, other, restore, height, first, txs };
}

describe("a home with the rows of another node", () => {
  test("given a snapshot of one of its blocks, then the chain has all rows as the other, also when it is killed on the way", async () => {
    const { rig, other, restore, height, txs } = await behindRows();
    restore();
    expect(other.chain.committed.height).toBe(height);
    for (const each of txs.slice(0, 2)) await other.block(each);
    other.db.close();
    const again = new AbciRig({ home: other.home });
    expect(again.chain.committed.height).toBe(height + 2);
    for (const each of txs.slice(2)) await again.block(each);
    expect(again.chain.committed).toEqual(rig.chain.committed);
    expect(again.rows()).toEqual(rig.rows());
    const last = [alice.transfer(rig.chain, bob.party, 20n)];
    expect(await again.block(last)).toEqual(await rig.block(last));
    expect(again.rows()).toEqual(rig.rows());
    await Promise.all([rig.stop(), again.stop()]);
  });

  test("given no snapshot, then it executes the chain from its beginning over them", async () => {
    const { rig, other, first, txs } = await behindRows();
    await other.block();
    for (const each of [first, ...txs]) await other.block(each);
    expect(other.chain.committed).toEqual(rig.chain.committed);
    expect(other.rows()).toEqual(rig.rows());
    await Promise.all([rig.stop(), other.stop()]);
  });

  test.each([
    [
      "rows of another chain",
      { change: "UPDATE blocks SET hash = x'ab' WHERE height = 2" },
      "block 2 of the history in this home is another one",
    ],
    ["rows that end before the snapshot", { endEarly: true }, "into an empty one"],
  ])("given %s, then the snapshot is refused, and nothing is written", async (_, options, words) => {
    const { rig, other, restore } = await behindRows(options);
    expect(restore).toThrow(words);
    expect(other.chain.committed.height).toBe(0);
    await Promise.all([rig.stop(), other.stop()]);
  });

  test("an engine is told to offer an older snapshot than the rows reach", async () => {
    const log = quietly();
    const { rig, other } = await behindRows();
    const offer = async (height: bigint) => {
      const snapshot = {
        height,
        format: 1,
        chunks: 1,
        hash: sha256(new Uint8Array(32)),
        metadata: new Uint8Array(32),
      };
      const request = { snapshot, appHash: new Uint8Array(32) };
      return (await other.call({ offerSnapshot: request })).offerSnapshot!.result;
    };
    expect(await offer(7n)).toBe(OfferResult.REJECT);
    expect(log.mock.calls.join("\n")).toContain("rows up to block 6");
    log.mockRestore();
    await Promise.all([rig.stop(), other.stop()]);
  });
});
