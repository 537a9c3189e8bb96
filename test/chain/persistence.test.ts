// A chain's memory: over a clean stop, a kill, a full disk; and the same chain made again from its transactions.
import { afterAll, describe, expect, test } from "bun:test";
import type { CheckedTransaction } from "../../src/wire/transaction-check.ts";
import { differences } from "../support/digests.ts";
import { nodeRefusal } from "../support/node-refusal.ts";
import { ASSET, FakeEngine, FUNDS } from "./fake-engine.ts";
import { madeAgain } from "./made-again.ts";
import { Rig, type RigOptions, removeHomes, Sender, testGenesis } from "./rig.ts";

afterAll(removeHomes);

const [A, B] = [new Sender(1), new Sender(2)] as const;
const MANUAL: RigOptions = { mode: { kind: "manual" } };

async function blocks(rig: Rig, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await rig.transfer(A, B.party, 1n);
    await rig.chain.mine(1);
  }
}

describe("restart", () => {
  test("given a clean stop, then nothing is replayed, and the chain goes on as it was", async () => {
    const rig = new Rig(MANUAL);
    await blocks(rig, 3);
    const { status } = rig.chain;
    const digest = rig.digest();
    await rig.stop();
    const again = new Rig({ ...MANUAL, home: rig.home });
    expect(again.chain.resumption).toMatchObject({ height: 4, stateHeight: 4, replayed: 0 });
    const { averageTxBytes: _, ...totals } = status.totals;
    expect(again.chain.status).toMatchObject({ ...status, totals });
    expect(differences(again.digest(), digest)).toEqual([]);
    await blocks(again, 1);
    expect(again.engine.balanceOf(B.party)).toBe(FUNDS + 4n);
    await again.stop();
  });

  test("given no clean stop, then the blocks since the stored state are replayed, empty ones, refusals and tools too", async () => {
    const rig = new Rig({ ...MANUAL, limits: { stateBlocksMax: 5 } });
    await blocks(rig, 4);
    await rig.chain.mine(6);
    await rig.chain.setBalance(A.party, ASSET, 10n);
    await rig.transfer(A, B.party, 8n);
    await rig.transfer(A, B.party, 8n);
    await rig.chain.mine(3);
    const { status } = rig.chain;
    rig.abandon();
    const again = new Rig({ ...MANUAL, home: rig.home });
    const { sentence, ...numbers } = again.chain.resumption;
    expect(numbers).toMatchObject({ height: 15, stateHeight: 11, replayed: 4 });
    expect(sentence).toMatch(/^resumed at block 15: state of block 11, 4 blocks replayed in \d+ ms$/);
    expect(again.chain.status.appHash).toBe(status.appHash);
    expect(again.engine.balanceOf(A.party)).toBe(2n);
    await blocks(again, 1);
    await again.stop();
  });

  test("given the clock was moved, then the restarted chain's time goes on from there", async () => {
    const rig = new Rig(MANUAL);
    await rig.chain.forwardTime(3_600_000_000_000n);
    rig.abandon();
    const again = new Rig({ ...MANUAL, home: rig.home });
    expect((await again.chain.mine(1)).timeNs).toBe(again.time.nowNs + 3_600_000_000_000n);
    await again.stop();
  });

  test("given a restarted chain whose clock is frozen and goes on before the next block, then it goes on from the last one", async () => {
    const rig = new Rig(MANUAL);
    const { timeNs } = await rig.chain.mine(1);
    await rig.stop();
    const again = new Rig({ ...MANUAL, home: rig.home });
    await again.chain.freezeClock(true);
    await again.chain.forwardTime(60_000_000_000n);
    await again.chain.freezeClock(false);
    again.time.nowNs += 5_000_000_000n;
    expect((await again.chain.mine(1)).timeNs).toBe(timeNs + 65_000_000_000n);
    await again.stop();
  });

  for (const [what, sql] of [
    [
      "another state",
      "UPDATE chain_state SET value = replace(value, '999', '998') WHERE name = 'fake.balances'",
    ],
    ["another transaction", "DELETE FROM chain_txs WHERE height = (SELECT max(height) FROM chain_txs)"],
    ["another time", "UPDATE blocks SET time = time + 1 WHERE no = (SELECT max(no) FROM blocks)"],
  ] as const) {
    test(`given ${what} than when the blocks were made, then the chain does not start`, async () => {
      const rig = new Rig({ ...MANUAL, limits: { stateBlocksMax: 3 } });
      await blocks(rig, 5);
      rig.db.run(sql);
      rig.abandon();
      expect(() => new Rig({ ...MANUAL, home: rig.home })).toThrow(
        "the chain in this home contradicts itself",
      );
    });
  }

  /** Blocks 2 to 6 with a transfer each; the state in the store is that of block 4. */
  async function replayedHome(): Promise<Rig> {
    const rig = new Rig({ ...MANUAL, limits: { stateBlocksMax: 3 } });
    await blocks(rig, 5);
    return rig;
  }

  test("given the hash of one block was altered, then the chain does not start and says which block it is", async () => {
    const rig = await replayedHome();
    const { changes } = rig.db.run("UPDATE chain_blocks SET app_hash = zeroblob(32) WHERE height = 5");
    expect(changes).toBe(1);
    rig.abandon();
    const refusal = nodeRefusal(() => new Rig({ ...MANUAL, home: rig.home }));
    expect(refusal).toMatchObject({ code: "state_mismatch", attempt: "chain.open" });
    expect(refusal.message).toMatch(
      new RegExp(
        `^the chain in this home contradicts itself: block 5 gives the application hash [0-9a-f]{64}, but it had ${"00".repeat(32)} when it was made$`,
      ),
    );
    expect(refusal.hint).toContain("use another --home");
  });

  test("given the hash of a block before the stored state was altered, then nobody asks for it", async () => {
    const rig = await replayedHome();
    rig.db.run("UPDATE chain_blocks SET app_hash = zeroblob(32) WHERE height = 3");
    rig.abandon();
    const again = new Rig({ ...MANUAL, home: rig.home });
    expect(again.chain.resumption).toMatchObject({ height: 6, stateHeight: 4, replayed: 2 });
    await again.stop();
  });

  test("given an engine that executes otherwise than the one before, then the chain does not start: the first block that differs is named", async () => {
    const rig = await replayedHome();
    rig.abandon();
    class Dearer extends FakeEngine {
      override deliver(tx: CheckedTransaction) {
        const result = super.deliver(tx);
        this.setBalance(tx.party, ASSET, this.balanceOf(tx.party) - 1n);
        return result;
      }
    }
    const makeEngine: RigOptions["makeEngine"] = (follower) => new Dearer(testGenesis(), follower);
    const refusal = nodeRefusal(() => new Rig({ ...MANUAL, home: rig.home, makeEngine }));
    expect(refusal).toMatchObject({ code: "state_mismatch" });
    expect(refusal.message).toContain("block 5 gives the application hash");
    expect(refusal.hint).toContain("made by another version of Lyra");
    // The home is as it was: the engine that made it goes on.
    const again = new Rig({ ...MANUAL, home: rig.home });
    expect(again.height).toBe(6);
    await again.stop();
  });

  test("given a home with a recording, then no chain is begun in it", async () => {
    const rig = new Rig(MANUAL);
    rig.db.run("DELETE FROM chain_meta");
    rig.abandon();
    expect(() => new Rig({ ...MANUAL, home: rig.home })).toThrow("this home holds a recording");
  });

  test("given the same genesis and transactions, then the application hash and the rows are the same", async () => {
    const rig = new Rig(MANUAL);
    await blocks(rig, 5);
    await rig.chain.forwardTime(11_000_000_000n);
    await blocks(rig, 3);
    const again = await madeAgain(rig.db);
    expect(again.chain.status.appHash).toBe(rig.chain.status.appHash);
    expect(differences(again.digest(), rig.digest())).toEqual([]);
    await rig.stop();
    await again.stop();
  });
});
