// The application hash: a commitment to the state alone, kept as blocks come and worked out again from what is stored.
import { afterAll, describe, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import type { EngineResult } from "../../src/chain/options.ts";
import { encodeValue } from "../../src/engine/state.ts";
import { NodeError } from "../../src/errors/node-error.ts";
import { openWriter } from "../../src/store/database.ts";
import type { CheckedTransaction } from "../../src/wire/transaction-check.ts";
import { ASSET, FakeEngine } from "./fake-engine.ts";
import { newHome, Rig, type RigOptions, removeHomes, Sender, testGenesis } from "./rig.ts";

afterAll(removeHomes);

const [A, B] = [new Sender(1), new Sender(2)] as const;
const MANUAL: RigOptions = { mode: { kind: "manual" } };

function codeOf(open: () => unknown): string {
  try {
    open();
  } catch (error) {
    if (error instanceof NodeError) return error.code;
    throw error;
  }
  return "";
}

/** The same machine, whose refusals are worded in another way. */
class Reworded extends FakeEngine {
  override deliver(tx: CheckedTransaction): EngineResult {
    const result = super.deliver(tx);
    return result.code === 0 ? result : { ...result, text: `in other words: ${result.text}` };
  }
}

async function started(): Promise<Rig> {
  const rig = new Rig(MANUAL);
  await rig.transfer(A, B.party, 5n);
  await rig.chain.mine(3);
  return rig;
}

describe("the application hash", () => {
  test.each([
    ["a balance", "fake.balances", A.party, 1_000_000n],
    ["a counter of admission", "admission.spam.transfer.counts", A.party, 0n],
    ["a block that proofs can name", "admission.pow.blocks", "2", { height: 2n, hash: "ff".repeat(32) }],
  ])(
    "given a stored state in which %s was changed, then the chain does not go on from it",
    async (_what, table, key, value) => {
      const rig = await started();
      await rig.stop();
      const forged = new Rig({ ...MANUAL, home: rig.home });
      const { changes } = forged.db.run("UPDATE chain_state SET value = ? WHERE name = ? AND key = ?", [
        encodeValue(value),
        table,
        key,
      ]);
      expect(changes).toBe(1);
      forged.abandon();
      expect(codeOf(() => new Rig({ ...MANUAL, home: rig.home }))).toBe("state_mismatch");
    },
  );

  test("given a home of a version that wrote its state otherwise, then it is refused in plain words", async () => {
    const rig = await started();
    const version = rig.db.query("PRAGMA user_version").get();
    rig.db.run(
      `UPDATE chain_meta SET value = '{"version":2}' WHERE key = 'admission' AND value = '{"version":3}'`,
    );
    rig.abandon();
    expect(codeOf(() => new Rig({ ...MANUAL, home: rig.home }))).toBe("state_version");
    const db = openWriter(rig.home);
    expect(db.query("PRAGMA user_version").get()).toEqual(version);
    db.close();
  });

  test("given refusals in other words, then it is the same at every height", async () => {
    const one = new Rig(MANUAL);
    const genesis = testGenesis();
    const two = new Rig({ ...MANUAL, genesis, makeEngine: (follower) => new Reworded(genesis, follower) });
    const texts: string[] = [];
    two.chain.onBlock(({ appHash }) => expect(appHash).toBe(one.chain.status.appHash));
    const both = async (act: (rig: Rig) => Promise<unknown>) => {
      for (const rig of [one, two]) await act(rig);
    };
    await both(({ chain }) => chain.setBalance(A.party, ASSET, 10n));
    const [first, second] = [A.transfer(one.chain, B.party, 8n), A.transfer(one.chain, B.party, 8n)];
    await both(async ({ chain }) => {
      for (const bytes of [first, second])
        expect(await chain.submit(bytes, "check")).toMatchObject({ code: 0 });
      await chain.mine(1);
      const hash = new Bun.CryptoHasher("sha256").update(second).digest("hex");
      texts.push((await chain.refusalOf(hash))!.outcome.text);
    });
    expect(texts[1]).toBe(`in other words: ${texts[0]}`);
    await both((rig) => rig.stop());
  });

  test("given empty blocks that are committed together, then it is the one of blocks that came one by one, after a kill too", async () => {
    const first = await started();
    await first.stop();
    const copy = newHome();
    cpSync(first.home, copy, { recursive: true });
    const [together, single] = [first.home, copy].map((home) => new Rig({ ...MANUAL, home })) as [Rig, Rig];
    await together.chain.mine(7);
    for (let n = 0; n < 7; n++) await single.chain.mine(1);
    const { appHash, height } = single.chain.status;
    expect(together.chain.status).toMatchObject({ appHash, height });
    together.abandon();
    const again = new Rig({ ...MANUAL, home: together.home });
    expect(again.chain.status).toMatchObject({ appHash, height });
    for (const rig of [again, single]) await rig.stop();
  });

  test("given a party that is banned, then it is another, and the old one when the ban is lifted", async () => {
    const rig = await started();
    const { appHash, timeNs } = rig.chain.status;
    await rig.chain.ban(A.party, timeNs + 10n ** 12n);
    const banned = rig.chain.status.appHash;
    expect(banned).not.toBe(appHash);
    rig.abandon();
    const again = new Rig({ ...MANUAL, home: rig.home });
    expect(again.chain.status.appHash).toBe(banned);
    await again.chain.ban(A.party, undefined);
    expect(again.chain.status.appHash).toBe(appHash);
    await again.stop();
  });

  test("given a block that fails behind its first transactions, then admission has forgotten them", async () => {
    const rig = await started();
    const { appHash } = rig.chain.status;
    await rig.transfer(A, B.party, 1n);
    rig.engine.isBroken = true;
    await rig.chain.mine(1).catch(() => {});
    expect(rig.chain.status.appHash).toBe(appHash);
    rig.abandon();
    const again = new Rig({ ...MANUAL, home: rig.home });
    expect(again.chain.status.appHash).toBe(appHash);
    await again.transfer(A, B.party, 1n);
    await again.chain.mine(1);
    expect(again.chain.status.appHash).not.toBe(appHash);
    await again.stop();
  });
});
