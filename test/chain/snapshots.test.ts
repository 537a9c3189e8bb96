// Snapshots and reverts: whatever happened in between, the chain and its rows are those of a run that never went there.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { differences } from "../support/digests.ts";
import { seeds } from "../support/seed.ts";
import { ASSET, FUNDS } from "./fake-engine.ts";
import { newHome, Rig, randomOf, removeHomes, Sender } from "./rig.ts";

afterAll(removeHomes);

const SENDERS = [0, 1, 2, 3].map((n) => new Sender(n));

/** Something done to a chain, the same on every chain that was treated alike before. */
type Act = (rig: Rig) => Promise<unknown>;

/** The state of a chain beyond its rows. */
function essence(rig: Rig) {
  const { appHash, height, hash, timeNs } = rig.chain.status;
  return {
    appHash,
    height,
    hash,
    timeNs,
    state: rig.engine.state.digest(),
    balances: SENDERS.map(({ party }) => rig.engine.balanceOf(party)),
    clock: rig.time.clock.save(),
    mempool: rig.chain.status.mempool,
  };
}

describe("snapshot and revert", () => {
  test("given blocks after a snapshot, when the chain reverts, then state, rows, clock and mempool are back", async () => {
    const rig = new Rig({ mode: { kind: "manual" } });
    const [a, b] = SENDERS as [Sender, Sender];
    await rig.transfer(a, b.party, 5n);
    await rig.chain.mine(3);
    await rig.transfer(b, a.party, 7n);
    const before = { essence: essence(rig), rows: rig.digest() };
    const id = await rig.chain.snapshot();
    await rig.chain.mine(2);
    await rig.chain.forwardTime(5_000_000_000n);
    await rig.chain.setBalance(a.party, ASSET, 1n);
    await rig.chain.mine(1);
    expect(essence(rig)).not.toEqual(before.essence);
    const status = await rig.chain.revert(id);
    expect(status.height).toBe(4);
    expect(essence(rig)).toEqual(before.essence);
    expect(differences(rig.digest(), before.rows)).toEqual([]);
    // The transaction that waited is still there, and good.
    await rig.chain.mine(1);
    expect(rig.engine.balanceOf(a.party)).toBe(FUNDS - 5n + 7n);
    await rig.stop();
  });

  test("given a transaction in a block after a snapshot, when the chain reverts, then it may be sent again", async () => {
    const rig = new Rig();
    const [a, b] = SENDERS as [Sender, Sender];
    const id = await rig.chain.snapshot();
    const bytes = a.transfer(rig.chain, b.party, 5n);
    expect(await rig.chain.submit(bytes, "commit")).toMatchObject({ code: 0, height: 2 });
    await rig.chain.revert(id);
    expect(await rig.chain.submit(bytes, "commit")).toMatchObject({ code: 0, height: 2 });
    await rig.stop();
  });

  test("the list of snapshots is a tree: a revert leaves a branch that is gone, and another one begins", async () => {
    const rig = new Rig({ mode: { kind: "manual" } });
    const first = await rig.chain.snapshot();
    const firstTime = rig.chain.status.timeNs;
    await rig.chain.mine(2);
    const second = await rig.chain.snapshot();
    const third = await rig.chain.snapshot();
    await rig.chain.revert(first);
    await rig.chain.mine(1);
    const fourth = await rig.chain.snapshot();
    const places = await rig.chain.snapshots();
    expect(places.map(({ id, height, parent, isUsable }) => [id, height, parent, isUsable])).toEqual([
      [first, 1, undefined, true],
      [second, 3, first, false],
      [third, 3, second, false],
      [fourth, 2, first, true],
    ]);
    expect(places[0]!.timeNs).toBe(firstTime);
    await expect(rig.chain.revert(third)).rejects.toMatchObject({ code: "snapshot_unknown" });
    // A refused revert changes no list; a dropped snapshot is nobody's parent.
    expect(await rig.chain.snapshots()).toEqual(places);
    await rig.chain.dropSnapshot(first);
    expect((await rig.chain.snapshots()).find(({ isUsable }) => isUsable)).toMatchObject({ id: fourth });
    // Snapshots of the chain that was here before the load say nothing about this one.
    await rig.chain.load(await rig.chain.dump());
    expect(await rig.chain.snapshots()).toEqual([]);
    await rig.stop();
  });

  test("given nested snapshots, when the outer one is reverted to, then the inner ones are gone and it stays", async () => {
    const rig = new Rig({ mode: { kind: "manual" } });
    const outer = await rig.chain.snapshot();
    await rig.chain.mine(2);
    const inner = await rig.chain.snapshot();
    await rig.chain.mine(2);
    expect((await rig.chain.revert(inner)).height).toBe(3);
    await rig.chain.mine(1);
    expect((await rig.chain.revert(outer)).height).toBe(1);
    await expect(rig.chain.revert(inner)).rejects.toMatchObject({ code: "snapshot_unknown" });
    await rig.chain.mine(4);
    expect((await rig.chain.revert(outer)).height).toBe(1);
    await rig.stop();
  });

  test("given no snapshot any more, then nothing is left of what kept the way back", async () => {
    const rig = new Rig({ mode: { kind: "manual" } });
    const count = () =>
      (
        rig.db.query("SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE 'undo_%'").get() as {
          n: bigint;
        }
      ).n;
    const [first, second] = [await rig.chain.snapshot(), await rig.chain.snapshot()];
    expect(count()).toBeGreaterThan(100n);
    await rig.chain.dropSnapshot(first);
    await rig.chain.dropSnapshot(second);
    expect(count()).toBe(0n);
    await rig.chain.mine(1);
    await rig.stop();
  });

  const stateHeight = (rig: Rig) => {
    const row = rig.db.query("SELECT value FROM chain_meta WHERE key = 'state'").get() as { value: string };
    return (JSON.parse(row.value) as { height: number }).height;
  };

  test("given changes that are not stored yet, when a snapshot is taken, then nothing of the state is written for it", async () => {
    const rig = new Rig({ mode: { kind: "manual" } });
    for (let n = 0; n < 5; n++) {
      await rig.transfer(SENDERS[0]!, SENDERS[1]!.party, 5n);
      await rig.chain.mine(1);
    }
    expect(stateHeight(rig)).toBe(1);
    const id = await rig.chain.snapshot();
    expect(stateHeight(rig)).toBe(1);
    await rig.chain.setBalance(SENDERS[1]!.party, ASSET, 1n);
    await rig.chain.revert(id);
    // Unstored changes are stored now: a restart has nothing to replay and finds the right balances.
    await rig.stop();
    const again = new Rig({ home: rig.home, mode: { kind: "manual" } });
    expect(again.chain.resumption).toMatchObject({ height: 6, replayed: 0 });
    expect(again.engine.balanceOf(SENDERS[1]!.party)).toBe(FUNDS + 25n);
    await again.stop();
  });

  /** Blocks before a snapshot and after it, and the fate of the stored state in between. */
  const restarts = [
    { what: "no stored state since", blocksAfter: 2, stateBlocksMax: 100 },
    { what: "a stored state since", blocksAfter: 12, stateBlocksMax: 9 },
    { what: "a stored state in every block", blocksAfter: 3, stateBlocksMax: 1 },
  ];
  for (const { what, blocksAfter, stateBlocksMax } of restarts) {
    for (const isReverting of [false, true]) {
      const first = isReverting ? "a revert, then " : "";
      test(`given a snapshot between two stored states, ${what}, when after ${first}a kill the chain starts and reverts, then it is back`, async () => {
        const options = { mode: { kind: "manual" }, limits: { stateBlocksMax } } as const;
        let rig = new Rig(options);
        const [a, b] = SENDERS as [Sender, Sender];
        const blocks = async (count: number) => {
          for (let n = 0; n < count; n++) {
            await rig.transfer(a, b.party, 5n);
            await rig.chain.mine(1);
          }
        };
        await blocks(4);
        const outer = { id: await rig.chain.snapshot(), essence: essence(rig), rows: rig.digest() };
        await blocks(2);
        await rig.chain.setBalance(b.party, ASSET, 77n);
        const inner = { id: await rig.chain.snapshot(), essence: essence(rig), rows: rig.digest() };
        await blocks(blocksAfter);
        if (isReverting) {
          await rig.chain.revert(inner.id);
          await blocks(1);
        }
        const last = essence(rig);
        rig.abandon();
        rig = new Rig({ ...options, home: rig.home });
        expect(essence(rig)).toEqual(last);
        for (const { id, essence: was, rows } of [inner, outer]) {
          await rig.chain.revert(id);
          expect(essence(rig)).toEqual(was);
          expect(differences(rig.digest(), rows)).toEqual([]);
          await blocks(1);
          await rig.chain.revert(id);
          expect(essence(rig)).toEqual(was);
        }
        await rig.stop();
      });
    }
  }

  test("given a dropped snapshot with changes that are not stored yet, when an earlier one is reverted to and the chain killed, then all is back", async () => {
    const options = { mode: { kind: "manual" } } as const;
    let rig = new Rig(options);
    const [a, b] = SENDERS as [Sender, Sender];
    await rig.chain.setBalance(a.party, ASSET, 50n);
    const first = await rig.chain.snapshot();
    const before = { essence: essence(rig), rows: rig.digest() };
    await rig.chain.setBalance(a.party, ASSET, 60n);
    const second = await rig.chain.snapshot();
    await rig.chain.setBalance(b.party, ASSET, 70n);
    await rig.chain.dropSnapshot(second);
    await rig.chain.revert(first);
    expect(essence(rig)).toEqual(before.essence);
    rig.abandon();
    rig = new Rig({ ...options, home: rig.home });
    expect(essence(rig)).toEqual(before.essence);
    expect(differences(rig.digest(), before.rows)).toEqual([]);
    await rig.stop();
  });

  test("given a transaction in the mempool of a snapshot, when the chain reverts, then its proof of work is still spent", async () => {
    const rig = new Rig({ mode: { kind: "manual" } });
    const [a, b] = SENDERS as [Sender, Sender];
    const tid = "7d".repeat(32);
    expect(await rig.chain.submit(a.transfer(rig.chain, b.party, 5n, { tid }), "check")).toMatchObject({
      code: 0,
    });
    const id = await rig.chain.snapshot();
    const other = a.transfer(rig.chain, b.party, 6n, { tid });
    await rig.chain.mine(1);
    await rig.chain.revert(id);
    const outcome = await rig.chain.submit(other, "check");
    expect(outcome.details?.rule).toBe("pow_tid_seen");
    expect((await rig.chain.mine(1)).totals.txsLastBlock).toBe(1);
    await rig.stop();
  });

  test("given a run that is recorded, when the chain reverts, then its file is that of a run that never went there", async () => {
    const files = [join(newHome(), "straight"), join(newHome(), "detour")] as const;
    for (const file of files) {
      const rig = new Rig({ mode: { kind: "manual" }, recordTo: file });
      await rig.chain.mine(3);
      if (file === files[1]) {
        const id = await rig.chain.snapshot();
        await rig.chain.setBalance(SENDERS[2]!.party, ASSET, 5n);
        await rig.chain.mine(20);
        await rig.chain.revert(id);
      }
      await rig.chain.mine(2);
      await rig.stop();
    }
    expect(readFileSync(files[1]).equals(readFileSync(files[0]))).toBe(true);
    expect(readFileSync(files[0]).length).toBeGreaterThan(500);
  });

  test("given too many snapshots, when one more is asked for, then it is refused", async () => {
    const rig = new Rig({ limits: { snapshotsMax: 2 } });
    await rig.chain.snapshot();
    await rig.chain.snapshot();
    await expect(rig.chain.snapshot()).rejects.toMatchObject({ code: "too_many_snapshots" });
    await rig.stop();
  });

  for (const isRestarting of [false, true]) {
    const how = isRestarting ? " and restarts" : "";
    for (const seed of seeds(6)) {
      test(`given random blocks, snapshots, reverts${how}, then all is as without the detours`, async () => {
        const random = randomOf(seed * 2 + (isRestarting ? 1 : 0));
        const pick = (count: number) => Math.floor(random() * count);
        let rig = new Rig({ mode: { kind: "manual" }, limits: { stateBlocksMax: 7 } });
        let history: Act[] = [];
        const snapshots: { id: string; length: number }[] = [];
        const act = async (one: Act) => {
          await one(rig);
          history.push(one);
        };
        for (let step = 0; step < 60; step++) {
          const what = pick(12);
          const [from, to] = [SENDERS[pick(4)]!, SENDERS[pick(4)]!];
          if (what < 4) {
            const bytes = from.transfer(rig.chain, to.party, BigInt(pick(600_000)));
            await act((each) => each.chain.submit(bytes, "check"));
          } else if (what < 6) await act((each) => each.chain.mine(1 + (step % 5)));
          else if (what === 6) await act((each) => each.chain.forwardTime(4_000_000_000n));
          else if (what === 7) {
            const balance = BigInt(pick(1_000_000));
            await act((each) => each.chain.setBalance(from.party, ASSET, balance));
          } else if (what === 8) {
            const value = String(pick(1000));
            await act((each) => each.chain.setParameter(`some.parameter.${step % 3}`, value));
          } else if (what === 9) {
            snapshots.push({ id: await rig.chain.snapshot(), length: history.length });
          } else if (what === 10 && snapshots.length > 0) {
            const to = pick(snapshots.length);
            snapshots.length = to + 1;
            await rig.chain.revert(snapshots[to]!.id);
            history = history.slice(0, snapshots[to]!.length);
          } else if (what === 11 && snapshots.length > 0 && pick(2) === 0) {
            const [dropped] = snapshots.splice(pick(snapshots.length), 1);
            await rig.chain.dropSnapshot(dropped!.id);
          } else if (isRestarting && rig.chain.status.mempool.count === 0) {
            if (pick(2) === 0) await rig.stop();
            else rig.abandon();
            rig = new Rig({ home: rig.home, mode: { kind: "manual" }, limits: { stateBlocksMax: 7 } });
          }
        }
        for (let more = 0; more < 5; more++) await act((each) => each.chain.mine(1));
        const straight = new Rig({ mode: { kind: "manual" } });
        for (const one of history) await one(straight);
        expect(essence(rig)).toEqual(essence(straight));
        expect(differences(rig.digest(), straight.digest())).toEqual([]);
        expect(rig.height).toBeGreaterThan(5);
        await rig.stop();
        await straight.stop();
      });
    }
  }
});
