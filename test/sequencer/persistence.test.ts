// What a chain keeps: over a clean stop, a kill, a full disk; and the same chain made again from its transactions.
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { differences } from "../../src/store/dump.ts";
import { RUNS, SEED } from "../support/seed.ts";
import { ASSET, FUNDS } from "./fake-engine.ts";
import { Rig, type RigOptions, randomOf, removeHomes, Sender } from "./rig.ts";

afterAll(removeHomes);

const [A, B] = [new Sender(1), new Sender(2)] as const;
const MANUAL: RigOptions = { mode: { kind: "manual" } };

async function blocks(rig: Rig, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await rig.transfer(A, B.party, 1n);
    await rig.chain.mine(1);
  }
}

/** Makes the chain of a store again, from nothing but its transactions and block times. */
async function madeAgain(db: Rig["db"]): Promise<Rig> {
  const rig = new Rig(MANUAL);
  const rows = db.query("SELECT height, time FROM blocks WHERE height > 1 ORDER BY no").all() as {
    height: bigint;
    time: bigint;
  }[];
  const txs = db.prepare("SELECT bytes FROM chain_txs WHERE height = ? ORDER BY n");
  for (const { height, time } of rows) {
    await rig.chain.setNextBlockTime(time * 1_000n);
    for (const { bytes } of txs.all(height) as { bytes: Uint8Array }[])
      await rig.chain.submit(bytes, "check");
    await rig.chain.mine(1);
  }
  txs.finalize();
  return rig;
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

describe("kill -9", () => {
  test(`under load, again and again, loses no acknowledged transaction (seed ${SEED})`, async () => {
    const random = randomOf(SEED);
    const { home, ...rig } = await emptyHome();
    rig.close();
    const acknowledged = new Map<string, number>();
    let replays = 0;
    for (let round = 1; round <= 6 * RUNS; round++) {
      const child = Bun.spawn(
        [process.execPath, join(import.meta.dir, "kill-child.ts"), home, String(round)],
        {
          stdout: "pipe",
          stderr: "inherit",
        },
      );
      let output = "";
      const decoder = new TextDecoder();
      let killing: Promise<void> | undefined;
      for await (const piece of child.stdout) {
        output += decoder.decode(piece, { stream: true });
        // Some time after the first transaction of this life.
        if (output.includes("ack ")) killing ??= Bun.sleep(random() * 350).then(() => child.kill("SIGKILL"));
      }
      await killing;
      const lines = output.split("\n").slice(0, -1);
      if (lines.some((line) => /state of block \d+, [1-9]\d* blocks replayed/.test(line))) replays++;
      for (const line of lines) {
        const [, hash, height] = /^ack ([0-9A-F]{64}) (\d+)$/.exec(line) ?? [];
        if (hash) acknowledged.set(hash, Number(height));
      }
      expect(lines.filter((line) => line.startsWith("refused"))).toEqual([]);
    }
    expect(acknowledged.size).toBeGreaterThan(6);
    expect(replays).toBeGreaterThan(0);
    const survivor = new Rig({ ...MANUAL, home });
    const stored = survivor.db.query("SELECT height, bytes FROM chain_txs").all() as {
      height: bigint;
      bytes: Uint8Array;
    }[];
    const heights = new Map(
      stored.map(({ height, bytes }) => [
        new Bun.CryptoHasher("sha256").update(bytes).digest("hex").toUpperCase(),
        Number(height),
      ]),
    );
    for (const [hash, height] of acknowledged) expect(heights.get(hash)).toBe(height);
    const again = await madeAgain(survivor.db);
    expect(again.chain.status.appHash).toBe(survivor.chain.status.appHash);
    expect(differences(again.digest(), survivor.digest())).toEqual([]);
    await again.stop();
    await survivor.stop();
  }, 60_000);
});

async function emptyHome(): Promise<{ home: string; close(): void }> {
  const rig = new Rig(MANUAL);
  return { home: rig.home, close: () => rig.abandon() };
}
