// A validator whose rows come from another validator, before or after its state: both then go on with the same rows.
import { afterAll, expect, test } from "bun:test";
import { StateSnapshots } from "../../src/chain/state-snapshots.ts";
import { fetchHistory } from "../../src/history/sharing/fetch.ts";
import { HistorySource } from "../../src/history/sharing/source.ts";
import { tablesOfBlocks } from "../../src/store/chain-tables.ts";
import { digestStore } from "../../src/store/dump.ts";
import { newHome, removeHomes, Sender } from "../chain/rig.ts";
import { SharingNode } from "../rig/history-source.ts";
import { AbciRig } from "./rig.ts";
import { handSnapshot, identityOf } from "./snapshots.ts";

const SNAPSHOT = 3;
const FETCHED = 8;
const [alice, bob] = [new Sender(1), new Sender(2)];
const nodes: SharingNode[] = [];

afterAll(async () => {
  for (const node of nodes) await node.stop();
  removeHomes();
});

type Txs = readonly Uint8Array[];

/** A validator at block 8 with a snapshot of block 3, and the transactions of its blocks. */
async function provider() {
  const rig = new AbciRig({ keepTexts: true });
  const blocks = new Map<number, Txs>();
  const make = async (height: number) => {
    while (rig.chain.committed.height < height) {
      const txs =
        rig.chain.committed.height === 0 ? [] : [alice.transfer(rig.chain, bob.party, BigInt(blocks.size))];
      blocks.set(rig.chain.committed.height + 1, txs);
      expect((await rig.block(txs)).codes).toEqual(txs.map(() => 0));
    }
  };
  await make(SNAPSHOT);
  rig.chain.storeState();
  const { appHash } = rig.chain.committed;
  const snapshots = new StateSnapshots(rig.home, identityOf(rig.genesis));
  const snapshot = await snapshots.write(0);
  await make(FETCHED);
  const node = new SharingNode(rig.home);
  nodes.push(node);
  const sync = (to: AbciRig) =>
    handSnapshot(snapshots, snapshot, rig.genesis, appHash, {
      home: to.home,
      restore: (...place) => to.chain.restore(...place),
    });
  const fetch = (home: string) =>
    fetchHistory({ home, source: new HistorySource(node.url, { firstPauseMs: 1 }) });
  return { rig, blocks, sync, fetch };
}

/** Brings it to a height with the blocks of the other. */
async function follow(node: AbciRig, blocks: ReadonlyMap<number, Txs>, to: number) {
  while (node.chain.committed.height < to) await node.block(blocks.get(node.chain.committed.height + 1)!);
}

/** Both make the same further blocks; then every row of one is in the other, transactions and headers among them. */
async function expectAlike(node: AbciRig, rig: AbciRig) {
  for (const amount of [3n, 4n]) {
    const txs = [alice.transfer(rig.chain, bob.party, amount)];
    const { appHash } = await rig.block(txs);
    expect((await node.block(txs)).appHash).toBe(appHash);
  }
  expect(node.chain.rowsTo).toBeLessThan(node.chain.committed.height);
  for (const each of [node, rig]) each.chain.storeState();
  expect(node.rows()).toEqual(rig.rows());
  const ofBlocks = ({ db }: AbciRig) => {
    const { tables } = digestStore(db);
    return tablesOfBlocks(db).map((name) => [name, tables[name]]);
  };
  expect(ofBlocks(node)).toHaveLength(5);
  expect(ofBlocks(node)).toEqual(ofBlocks(rig));
}

test("given rows that were fetched before the start, then the chain goes on from a snapshot and adds to them", async () => {
  const { rig, blocks, sync, fetch } = await provider();
  const home = newHome();
  expect(await fetch(home)).toMatchObject({ height: FETCHED, segments: 0, isChanged: true });
  const node = new AbciRig({ home, keepTexts: true });
  expect(node.chain.rowsTo).toBe(FETCHED);
  sync(node);
  expect(node.chain.committed.height).toBe(SNAPSHOT);
  await follow(node, blocks, SNAPSHOT + 2);
  node.abandon();
  const again = new AbciRig({ home, keepTexts: true });
  expect(await again.info()).toMatchObject({ height: SNAPSHOT + 2 });
  await follow(again, blocks, FETCHED);
  await expectAlike(again, rig);
  await again.stop();
  const last = new AbciRig({ home, keepTexts: true });
  expect(await last.info()).toEqual(await rig.info());
  for (const each of [last, rig]) await each.stop();
});

test("given a validator that began behind a snapshot, then the rows before it come while it is stopped", async () => {
  const { rig, blocks, sync, fetch } = await provider();
  const node = new AbciRig({ keepTexts: true });
  sync(node);
  expect(node.chain.committed.height).toBe(SNAPSHOT);
  await follow(node, blocks, SNAPSHOT + 3);
  await node.stop();
  expect(await fetch(node.home)).toMatchObject({ height: FETCHED, isChanged: true });
  const again = new AbciRig({ home: node.home, keepTexts: true });
  expect(await again.info()).toMatchObject({ height: SNAPSHOT + 3 });
  await follow(again, blocks, FETCHED);
  await expectAlike(again, rig);
  for (const each of [again, rig]) await each.stop();
});
