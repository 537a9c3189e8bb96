// When there is a block, what is in it, and what callers are told.
import { afterAll, afterEach, describe, expect, jest, test } from "bun:test";
import type { BlockMode } from "../../src/engine/chain-port.ts";
import { blockHash } from "../../src/store/head.ts";
import type { GetSpamStatisticsResponse } from "../../src/wire/generated/core-api.ts";
import { eventually, turns } from "../support/eventually.ts";
import { ASSET, EPOCH_NS, FUNDS } from "./fake-engine.ts";
import { Rig, type RigOptions, removeHomes, Sender, testGenesis } from "./rig.ts";

const [A, B, C] = [new Sender(1), new Sender(2), new Sender(3)] as const;
const vote = {
  kind: "voteSubmission",
  payload: { proposalId: "ab".repeat(32), value: 2 },
} as const;

let rigs: Rig[] = [];

function start(options: RigOptions = {}): Rig {
  const rig = new Rig(options);
  rigs.push(rig);
  return rig;
}

/** The chain's height when this much more time has passed, by fake timers. */
function after(ms: number, rig: Rig): number {
  jest.advanceTimersByTime(ms);
  return rig.height;
}

afterEach(async () => {
  jest.useRealTimers();
  for (const rig of rigs) await rig.stop();
  rigs = [];
});
afterAll(removeHomes);

describe("blocks come about", () => {
  test("instant: a transaction makes a block at once, and without one there is none", async () => {
    const rig = start();
    await turns();
    expect(rig.height).toBe(1);
    const outcome = await rig.transfer(A, B.party, 5n, "commit");
    expect(outcome).toEqual({
      hash: outcome.hash,
      code: 0,
      text: "",
      details: undefined,
      gasWanted: 1,
      height: 2,
    });
    expect(outcome.hash).toMatch(/^[0-9A-F]{64}$/);
    expect(rig.engine.balanceOf(B.party)).toBe(FUNDS + 5n);
  });

  test("instant: transactions that arrive together share a block", async () => {
    const rig = start();
    const sent = Array.from({ length: 20 }, (_, n) => rig.transfer(A, B.party, BigInt(n + 1), "commit"));
    expect(new Set((await Promise.all(sent)).map(({ height }) => height))).toEqual(new Set([2]));
    expect(rig.chain.status.totals.txsLastBlock).toBe(20);
  });

  test("instant: what waits for the next tick gets its block, and no more than that", async () => {
    const rig = start();
    expect(await rig.chain.submit(A.send(rig.chain, vote), "commit")).toMatchObject({ height: 2 });
    await turns();
    expect(rig.height).toBe(3);
  });

  test("interval: one block each interval, empty or not; a transaction waits for it", async () => {
    jest.useFakeTimers();
    const rig = start({ mode: { kind: "interval", intervalMs: 15 } });
    await rig.transfer(A, B.party, 5n);
    await turns();
    expect(after(14, rig)).toBe(1);
    expect(after(1, rig)).toBe(2);
    expect(rig.engine.balanceOf(B.party)).toBe(FUNDS + 5n);
    expect([after(14, rig), after(1, rig), after(15, rig)]).toEqual([2, 3, 4]);
  });

  test("mixed: at once for a transaction, and else at the interval", async () => {
    jest.useFakeTimers();
    const rig = start({ mode: { kind: "mixed", intervalMs: 40 } });
    expect(after(30, rig)).toBe(1);
    // Without any time, and the interval counts from here.
    expect(await rig.transfer(A, B.party, 5n, "commit")).toMatchObject({ height: 2 });
    expect([after(39, rig), after(1, rig), after(39, rig), after(1, rig)]).toEqual([2, 3, 3, 4]);
  });

  test("manual: only when told to, and the mode can change", async () => {
    const rig = start({ mode: { kind: "manual" } });
    await rig.transfer(A, B.party, 5n);
    await turns();
    expect([rig.height, rig.chain.status.mempool.count]).toEqual([1, 1]);
    expect((await rig.chain.mine(2)).height).toBe(3);
    expect(rig.chain.status.mempool).toEqual({ count: 0, bytes: 0 });
    await rig.chain.setBlockMode({ kind: "instant" });
    expect(await rig.transfer(A, B.party, 5n, "commit")).toMatchObject({ height: 4 });
  });

  test("every block is told in order, with times that rise and, for empty ones, the hash of the rule", async () => {
    const rig = start({ mode: { kind: "manual" } });
    const heads: { height: number; timeNs: bigint; hash: string }[] = [];
    const end = rig.chain.onBlock(({ height, timeNs, hash }) => heads.push({ height, timeNs, hash }));
    await rig.chain.mine(500);
    end();
    await rig.chain.mine(1);
    expect(heads.map(({ height }) => height)).toEqual(Array.from({ length: 500 }, (_, n) => n + 2));
    for (const [n, { timeNs, height, hash }] of heads.entries()) {
      if (n > 0) expect(timeNs).toBeGreaterThan(heads[n - 1]!.timeNs);
      expect(hash).toBe(blockHash(BigInt(height), timeNs, []));
    }
  });

  test("mine: a number that is none, or too large, is refused", async () => {
    const rig = start();
    for (const blocks of [-1, 1.5, Number.NaN, 1_000_001]) {
      await expect(rig.chain.mine(blocks)).rejects.toMatchObject({ code: "invalid_argument" });
    }
  });
});

describe("transactions", () => {
  test("given the same bytes again, then they are in the cache: pending, or executed with success", async () => {
    const rig = start({ mode: { kind: "manual" } });
    const bytes = A.transfer(rig.chain, B.party, 5n);
    await rig.chain.submit(bytes, "check");
    const duplicate = { code: "duplicate", message: "tx already exists in cache" };
    await expect(rig.chain.submit(bytes, "check")).rejects.toMatchObject(duplicate);
    await rig.chain.mine(1);
    await expect(rig.chain.submit(bytes, "check")).rejects.toMatchObject(duplicate);
  });

  test("given a refused or failed transaction, then the same bytes are judged again", async () => {
    const rig = start({ mode: { kind: "manual" } });
    const poor = A.transfer(rig.chain, B.party, FUNDS + 1n);
    expect(await rig.chain.submit(poor, "check")).toMatchObject({ code: 70 });
    await rig.chain.mine(1);
    expect(await rig.chain.submit(poor, "check")).toMatchObject({ code: 70 });
    // Good when it came, but not any more when it is executed.
    const [first, second] = [A.transfer(rig.chain, B.party, FUNDS), A.transfer(rig.chain, B.party, 1n)];
    const waiting = [rig.chain.submit(first, "commit"), rig.chain.submit(second, "commit")];
    await eventually(() => rig.chain.status.mempool.count === 2);
    await rig.chain.mine(1);
    const [, failed] = await Promise.all(waiting);
    expect(failed).toMatchObject({ code: 70, text: "not enough funds to transfer", height: 3 });
    expect(failed!.details).toEqual({
      rule: "command_failed",
      numbers: { available: "0", needed: "1" },
      sentence: "not enough funds to transfer: 1 needed, 0 available",
    });
    // It has been in a block: now the chain knows it, not the cache.
    expect(await rig.chain.submit(second, "check")).toMatchObject({
      code: 89,
      text: "transaction hash already used",
    });
  });

  test("given bytes that are none, or too many, then they are refused as the network does", async () => {
    const rig = start();
    expect(await rig.chain.submit(new Uint8Array([1, 2, 3]), "check")).toMatchObject({ code: 60 });
    await expect(rig.chain.submit(new Uint8Array(1_048_577), "check")).rejects.toMatchObject({
      code: "too_large",
      message: "Tx too large. Max size is 1048576, but got 1048577",
    });
    const other = A.transfer(rig.chain, B.party, 5n);
    other[20]! ^= 1;
    expect((await rig.chain.submit(other, "check")).code).toBe(60);
    expect(rig.chain.status.mempool.count).toBe(0);
  });

  test.each(["manual", "instant", "interval", "mixed"] as const)(
    "given checks, good and refused, in %s mode, then they leave no trace: the same transactions are executed",
    async (kind) => {
      const rig = start({ mode: { kind, intervalMs: 5 } as BlockMode });
      const good = A.transfer(rig.chain, B.party, 5n);
      const dear = B.transfer(rig.chain, C.party, FUNDS + 5n);
      for (let n = 0; n < 3; n++) {
        expect(await rig.chain.check(good)).toMatchObject({ code: 0, gasWanted: 1 });
        expect(await rig.chain.check(dear)).toMatchObject({ code: 70, text: "not enough funds to transfer" });
      }
      const sent = rig.chain.submit(good, "commit");
      // A proof is spent while its transaction waits.
      if (kind === "manual") {
        expect(await rig.chain.check(good)).toMatchObject({ code: 89, details: { rule: "pow_tid_seen" } });
        await rig.chain.mine(1);
      }
      expect(await sent).toMatchObject({ code: 0 });
      const second = rig.chain.submit(dear, "commit");
      if (kind === "manual") await rig.chain.mine(1);
      expect(await second).toMatchObject({ code: 0 });
      expect(rig.engine.balanceOf(C.party)).toBe(2n * FUNDS + 5n);
    },
  );

  test("given a quota that is used up, then the refusal has the caller's own numbers", async () => {
    const rig = start({ genesis: testGenesis({ "spam.protection.maxUserTransfersPerEpoch": "3" }) });
    for (let n = 0; n < 3; n++) await rig.transfer(A, B.party, 1n, "commit");
    rig.time.nowNs += 2_000_000_000n;
    await rig.chain.mine(1);
    const { code, text, details } = await rig.transfer(A, B.party, 1n);
    expect({ code, text }).toEqual({
      code: 89,
      text: "party has already submitted the maximum number of transfer requests per epoch",
    });
    expect(details).toEqual({
      rule: "spam_transfer_count",
      numbers: { used: "3", max: "3", epoch: "0", nextEpochSeconds: "8" },
      sentence: "3 of 3 transfers used in epoch 0, next epoch in 8 s",
    });
  });

  test("given a block that makes others worthless, then they are dropped, and only who waits is told", async () => {
    const rig = start({
      mode: { kind: "manual" },
      genesis: testGenesis({ "spam.pow.numberOfPastBlocks": "20" }),
    });
    await rig.chain.setParameter("network.transactions.maxgasperblock", "1");
    const first = rig.transfer(A, B.party, FUNDS, "commit");
    const second = rig.transfer(A, C.party, 1n, "commit");
    const third = rig.transfer(B, C.party, 1n, "check");
    await third;
    await rig.chain.mine(1);
    expect(await first).toMatchObject({ code: 0, height: 3 });
    expect(await second).toMatchObject({ code: 70, height: 0, text: "not enough funds to transfer" });
    expect(rig.chain.status.mempool.count).toBe(1);
    await rig.chain.mine(1);
    expect(rig.engine.balanceOf(C.party)).toBe(FUNDS + 1n);
  });

  test("given no block in time, then who waits is told so, and the transaction goes on waiting", async () => {
    const rig = start({ mode: { kind: "manual" }, limits: { commitWaitMs: 10 } });
    await expect(rig.transfer(A, B.party, 5n, "commit")).rejects.toMatchObject({
      code: "timeout",
      message: "timed out waiting for tx to be included in a block",
    });
    await turns();
    expect(rig.chain.status.mempool.count).toBe(1);
  });

  test("given a flood of one party, then others are still served, and memory is bounded", async () => {
    const rig = start({ mode: { kind: "manual" }, limits: { mempoolTxsMax: 50 } });
    const flood = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) => rig.transfer(A, B.party, BigInt(n + 1))),
    );
    expect(flood.filter(({ status }) => status === "rejected")).toHaveLength(150);
    expect(flood.at(-1)).toMatchObject({ reason: { code: "mempool_full" } });
    expect(await rig.transfer(C, B.party, 5n)).toMatchObject({ code: 0 });
    expect(rig.chain.status.mempool.count).toBe(50);
    await rig.chain.mine(1);
    expect(rig.engine.balanceOf(C.party)).toBe(FUNDS - 5n);
  });

  test.each([
    ["default", 0],
    ["0.71.6", 89],
  ] as const)(
    "given a refused submission and another one with its proof, under the rules %s, then that one is told %d",
    async (rules, code) => {
      const rig = start({ mode: { kind: "manual" }, rules });
      const tid = "the same";
      const dear = A.transfer(rig.chain, B.party, FUNDS + 1n, { tid });
      expect(await rig.chain.submit(dear, "check")).toMatchObject({ code: 70 });
      const good = A.transfer(rig.chain, B.party, 1n, { tid });
      expect((await rig.chain.submit(good, "check")).code).toBe(code);
      await rig.chain.mine(1);
      expect((await rig.chain.submit(A.transfer(rig.chain, B.party, 2n, { tid }), "check")).code).toBe(
        89 - code,
      );
    },
  );

  test("given a party that makes way in a full mempool, then its proof is not spent", async () => {
    const rig = start({ mode: { kind: "manual" }, limits: { mempoolTxsMax: 2 } });
    for (const tid of ["one", "two"])
      await rig.chain.submit(A.transfer(rig.chain, B.party, 1n, { tid }), "check");
    expect(await rig.transfer(B, C.party, 1n)).toMatchObject({ code: 0 });
    await rig.chain.mine(1);
    const again = A.transfer(rig.chain, B.party, 2n, { tid: "two" });
    expect(await rig.chain.submit(again, "check")).toMatchObject({ code: 0 });
  });

  test("given a transaction that wants more gas than a block has, then its sender is told", async () => {
    const rig = start();
    await rig.chain.setParameter("network.transactions.maxgasperblock", "0");
    expect(await rig.transfer(A, B.party, 5n)).toMatchObject({ code: 51, details: { rule: "block_gas" } });
  });
});

describe("tools", () => {
  test("clock: moved, set, frozen; what cannot be is refused", async () => {
    const rig = start({ mode: { kind: "manual" } });
    const genesisNs = rig.chain.status.timeNs;
    await rig.chain.forwardTime(60_000_000_000n);
    expect((await rig.chain.mine(1)).timeNs).toBe(genesisNs + 60_000_000_000n);
    await rig.chain.setNextBlockTime(genesisNs + 100_000_000_000n);
    expect((await rig.chain.mine(1)).timeNs).toBe(genesisNs + 100_000_000_000n);
    await rig.chain.freezeClock(true);
    // The block before it has four events: begin, time, an epoch, end.
    expect((await rig.chain.mine(1)).timeNs).toBe(genesisNs + 100_000_005_000n);
    await expect(rig.chain.forwardTime(-1n)).rejects.toMatchObject({ code: "invalid_argument" });
    await expect(rig.chain.setNextBlockTime(genesisNs)).rejects.toMatchObject({ code: "invalid_argument" });
  });

  test("clock: a block's time leaves a microsecond for each ledger entry and each event of the block before, also after a restart", async () => {
    const rig = start({ mode: { kind: "manual" } });
    await rig.chain.freezeClock(true);
    for (let n = 0; n < 30; n++) await rig.transfer(A, B.party, 1n);
    const full = await rig.chain.mine(1);
    const roomNs = BigInt(full.totals.eventsLastBlock + 1) * 1_000n;
    expect(full.totals.eventsLastBlock).toBeGreaterThan(60);
    await expect(rig.chain.setNextBlockTime(full.timeNs + roomNs - 1n)).rejects.toMatchObject({
      code: "invalid_argument",
    });
    await rig.chain.stop();
    const again = start({ home: rig.home, mode: { kind: "manual" } });
    expect((await again.chain.mine(1)).timeNs).toBe(full.timeNs + roomNs);
  });

  test("clock: a change that could not be stored is not made", async () => {
    const rig = start({ mode: { kind: "manual" } });
    const { timeNs } = rig.chain.status;
    rig.db.run(
      "CREATE TEMP TRIGGER failing BEFORE INSERT ON chain_meta BEGIN SELECT RAISE(ABORT, 'no room'); END",
    );
    await expect(rig.chain.forwardTime(60_000_000_000n)).rejects.toMatchObject({ code: "store_failed" });
    rig.db.run("DROP TRIGGER failing");
    await rig.chain.forwardTime(60_000_000_000n);
    expect((await rig.chain.mine(1)).timeNs).toBe(timeNs + 60_000_000_000n);
  });

  test("epoch: ends it, and the next one has begun", async () => {
    const rig = start();
    const { epoch } = await rig.chain.endEpoch();
    expect(epoch.seq).toBe(1n);
    expect(rig.chain.status.timeNs).toBeGreaterThan(testGenesis().timeNs + EPOCH_NS);
    expect((await rig.chain.endEpoch()).epoch.seq).toBe(2n);
  });

  test("balance and parameter: take a block each; a refusal makes none and the chain goes on", async () => {
    const rig = start();
    expect((await rig.chain.setBalance(A.party, ASSET, 7n)).height).toBe(2);
    expect(rig.engine.balanceOf(A.party)).toBe(7n);
    await expect(rig.chain.setBalance(A.party, "00", 7n)).rejects.toThrow("no such asset");
    await expect(rig.chain.setParameter("", "x")).rejects.toThrow("unknown network parameter");
    expect(rig.height).toBe(2);
    expect(await rig.transfer(A, B.party, 7n, "commit")).toMatchObject({ code: 0, height: 3 });
  });

  test("a parameter of the proof of work is in force when the call answers", async () => {
    const rig = start({ mode: { kind: "manual" } });
    const { pow, height } = await rig.chain.setParameter("spam.pow.difficulty", "3");
    expect([pow.difficulty, rig.chain.status.pow.difficulty, height]).toEqual([3, 3, 3]);
    expect((await rig.chain.setParameter("some.parameter", "3")).height).toBe(4);
  });

  test("the clock's tools answer with the time that the next block then has", async () => {
    const rig = start({ mode: { kind: "manual" } });
    const { timeNs } = rig.chain.status;
    const moved = await rig.chain.forwardTime(60_000_000_000n);
    expect(moved).toMatchObject({ timeNs, nextTimeNs: timeNs + 60_000_000_000n, isFrozen: false });
    expect((await rig.chain.mine(1)).timeNs).toBe(moved.nextTimeNs);
    const frozen = await rig.chain.freezeClock(true);
    expect(frozen.isFrozen).toBeTrue();
    expect((await rig.chain.mine(1)).timeNs).toBe(frozen.nextTimeNs);
    const set = await rig.chain.setNextBlockTime(timeNs + 500_000_000_000n);
    expect(set.nextTimeNs).toBe(timeNs + 500_000_000_000n);
    expect((await rig.chain.mine(1)).timeNs).toBe(set.nextTimeNs);
  });

  test("a refused parameter does not give back the proofs that were checked before it", async () => {
    const rig = start({ mode: { kind: "manual" } });
    const tid = "the same";
    const seen = { code: 89, text: "proof of work tid already seen" };
    const first = A.transfer(rig.chain, B.party, 1n, { tid });
    const second = B.transfer(rig.chain, A.party, 1n, { tid });
    expect(await rig.chain.submit(first, "check")).toMatchObject({ code: 0 });
    expect(await rig.chain.submit(second, "check")).toMatchObject(seen);
    await expect(rig.chain.setParameter("", "x")).rejects.toThrow("unknown network parameter");
    expect(await rig.chain.submit(second, "check")).toMatchObject(seen);
  });

  test("a quota beyond 64 bits is told as the most that the statistics can say", async () => {
    const genesis = testGenesis({ "spam.pow.numberOfTxPerBlock": (2n ** 64n).toString() });
    const rig = start({ genesis });
    const { statistics } = (await rig.chain.spamStatistics(A.party)) as GetSpamStatisticsResponse;
    expect(statistics!.pow!.blockStates[0]!.txPerBlock).toBe(2n ** 64n - 1n);
  });

  test("impersonate: executes a command that nobody signed, without proof of work", async () => {
    const rig = start();
    const { kind, payload } = { kind: "transfer", payload: transferJson(B.party, "9") };
    expect(await rig.chain.impersonate(A.party, { [kind]: payload })).toMatchObject({ code: 0, height: 2 });
    expect(rig.engine.balanceOf(B.party)).toBe(FUNDS + 9n);
    await expect(rig.chain.impersonate("me", { [kind]: payload })).rejects.toMatchObject({
      code: "invalid_argument",
    });
    await expect(rig.chain.impersonate(A.party, { transfer: {} })).rejects.toMatchObject({
      code: "invalid_argument",
    });
  });

  test("impersonate: waits for the clock's block, which may come later than the wait of a submission ends", async () => {
    const rig = start({ mode: { kind: "interval", intervalMs: 150 }, limits: { commitWaitMs: 20 } });
    const outcome = await rig.chain.impersonate(A.party, { transfer: transferJson(B.party, "9") });
    expect(outcome).toMatchObject({ code: 0, height: 2 });
  });

  test("ban and pardon: with the time in the sentence; a restart does not forget it", async () => {
    const rig = start();
    await rig.chain.ban(A.party, rig.chain.status.timeNs + 30_000_000_000n);
    const { code, details } = await rig.transfer(A, B.party, 1n);
    expect(code).toBe(89);
    expect(details!.sentence).toBe("banned until 2030-01-01T00:00:30Z, for 30 s yet");
    rig.abandon();
    rigs = [];
    const again = start({ home: rig.home });
    expect(await again.transfer(A, B.party, 1n)).toMatchObject({ code: 89 });
    await again.chain.ban(A.party, undefined);
    expect(await again.transfer(A, B.party, 1n, "commit")).toMatchObject({ code: 0 });
    expect(await again.chain.spamStatistics(A.party)).toMatchObject({ chainId: "test-chain" });
  });
});

describe("an empty block", () => {
  const leavings: readonly (readonly [
    string,
    (rig: Rig, dump: string, id: string) => Promise<unknown>,
    number,
  ])[] = [
    ["another block takes it first", (rig) => rig.chain.mine(1), 2],
    ["the chain reverts", (rig, _dump, id) => rig.chain.revert(id), 1],
    ["the chain loads a dump", (rig, dump) => rig.chain.load(dump), 1],
  ];
  test.each(leavings)(
    "given a transaction that is to make a block at once, when %s, then no empty block follows",
    async (_name, leave, height) => {
      const rig = start();
      const dump = await rig.chain.dump();
      const id = await rig.chain.snapshot();
      const submitted = rig.transfer(A, B.party, 5n);
      await leave(rig, dump, id);
      await submitted;
      await turns();
      expect(rig.height).toBe(height);
    },
  );
});

describe("the chain halts", () => {
  test("given an engine that breaks, then it stops loudly, nothing of the block stays, and a restart goes on", async () => {
    const halts: (string | undefined)[] = [];
    const rig = start({ onHalt: (reason) => halts.push(reason) });
    await rig.transfer(A, B.party, 5n, "commit");
    const { appHash } = rig.chain.status;
    rig.engine.isBroken = true;
    await expect(rig.transfer(A, B.party, 5n, "commit")).rejects.toMatchObject({
      code: "halted",
      message: "the chain stopped: the engine is broken",
    });
    await turns();
    expect(halts).toEqual(["the chain stopped: the engine is broken"]);
    expect(rig.chain.status).toMatchObject({ height: 2, appHash, halted: halts[0] });
    await expect(rig.chain.mine(1)).rejects.toMatchObject({ code: "halted" });
    await expect(rig.chain.submit(A.transfer(rig.chain, B.party, 1n), "check")).rejects.toMatchObject({
      code: "halted",
    });
    expect(rig.engine.balanceOf(B.party)).toBe(FUNDS + 5n);
    await rig.stop();
    rigs = [];
    const again = start({ home: rig.home });
    expect(again.chain.status).toMatchObject({ height: 2, appHash });
    expect(await again.transfer(A, B.party, 5n, "commit")).toMatchObject({ height: 3 });
  });

  test("given the engine's own reason, then no further block is made", async () => {
    const rig = start();
    expect((await rig.chain.setParameter("halt", "upgrade to v1")).halted).toBe("upgrade to v1");
    await expect(rig.chain.mine(1)).rejects.toMatchObject({ code: "halted", message: "upgrade to v1" });
  });

  test("given the engine's own reason, when the chain leaves that place by a revert or a load, then it goes on", async () => {
    const halts: (string | undefined)[] = [];
    const rig = start({ mode: { kind: "manual" }, onHalt: (reason) => halts.push(reason) });
    const dump = await rig.chain.dump();
    const id = await rig.chain.snapshot();
    for (const leave of [() => rig.chain.revert(id), () => rig.chain.load(dump)]) {
      await rig.chain.setParameter("halt", "upgrade to v1");
      expect(await leave()).toMatchObject({ height: 1, halted: undefined });
      expect((await rig.chain.mine(1)).height).toBe(2);
      await rig.chain.revert(id).catch(() => {});
    }
    expect(halts).toEqual(["upgrade to v1", undefined, "upgrade to v1", undefined]);
  });

  test("given a time that cannot be stored, then it is refused, and the chain goes on", async () => {
    const rig = start({ mode: { kind: "manual" } });
    const tooFar = {
      code: "invalid_argument",
      message: "the chain's time cannot go beyond 2250-01-01T00:00:00Z",
    };
    await expect(rig.chain.setNextBlockTime(10n ** 22n)).rejects.toMatchObject(tooFar);
    await expect(rig.chain.forwardTime(10n ** 22n)).rejects.toMatchObject(tooFar);
    await rig.chain.setNextBlockTime(BigInt(Date.UTC(2249, 11, 31)) * 1_000_000n);
    await expect(rig.chain.forwardTime(2n * 86_400_000_000_000n)).rejects.toMatchObject(tooFar);
    expect((await rig.chain.mine(2)).height).toBe(3);
  });

  test("given a balance that no account can have, then it is refused, and the chain goes on", async () => {
    const rig = start();
    for (const [party, balance] of [
      ["x", 5n],
      [A.party, -5n],
      [A.party, 2n ** 256n],
    ] as const)
      await expect(rig.chain.setBalance(party, ASSET, balance)).rejects.toMatchObject({
        code: "invalid_argument",
      });
    expect((await rig.chain.mine(1)).height).toBe(2);
  });

  test("given it is stopped, then who waits is told", async () => {
    const rig = new Rig({ mode: { kind: "manual" } });
    const waiting = rig.transfer(A, B.party, 5n, "commit");
    await eventually(() => rig.chain.status.mempool.count === 1);
    await rig.stop();
    await expect(waiting).rejects.toMatchObject({ code: "stopped" });
  });
});

function transferJson(to: string, amount: string): object {
  return {
    fromAccountType: "ACCOUNT_TYPE_GENERAL",
    toAccountType: "ACCOUNT_TYPE_GENERAL",
    to,
    asset: ASSET,
    amount,
    oneOff: { deliverOn: "0" },
  };
}

test.each<[mode: object, message: string]>([
  [{ kind: "often" }, "the mode must be"],
  [{}, "the mode must be"],
  [{ kind: "interval" }, "the interval must be"],
  [{ kind: "mixed", intervalMs: 0 }, "the interval must be"],
  [{ kind: "interval", intervalMs: 2 ** 31 }, "the interval must be"],
])("a mode that is none is refused: %j", async (mode, message) => {
  const rig = new Rig();
  const refused = rig.chain.setBlockMode(mode as BlockMode);
  await expect(refused).rejects.toMatchObject({
    code: "invalid_argument",
    message: expect.stringContaining(message),
  });
  await rig.stop();
});
