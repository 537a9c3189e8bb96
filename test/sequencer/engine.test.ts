// The sequencer over the real engine: the same promises as over the small one.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { leadingZeroBits, proofHash } from "../../src/admission/pow/function.ts";
import { ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { Engine } from "../../src/engine/engine.ts";
import { type Genesis, readGenesis } from "../../src/engine/genesis.ts";
import { Clock } from "../../src/node/clock.ts";
import { Random } from "../../src/node/random.ts";
import { replayFiles } from "../../src/sources/replay.ts";
import { LocalChain } from "../../src/sources/sequencer/local-chain.ts";
import type { LocalChainOptions } from "../../src/sources/sequencer/options.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { differences, digestStore } from "../../src/store/dump.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import { buildTransaction } from "../../src/wire/transaction-build.ts";
import { newHome, removeHomes, rowsOf } from "./rig.ts";

afterAll(removeHomes);

const GENESIS: Genesis = readGenesis(
  readFileSync(join(import.meta.dir, "..", "..", "data", "devnet-genesis.json"), "utf8"),
);
const ASSET = Object.entries(GENESIS.appState.assets!).find(([, { symbol }]) => symbol === "tUSD")![0];
const KEYS = [1, 2, 3].map((n) => ed25519KeyPair(new Uint8Array(32).fill(n)));
const PARTIES = KEYS.map(({ publicKey }) => Buffer.from(publicKey).toString("hex"));

function open(home = newHome(), options: Partial<LocalChainOptions> = {}) {
  const db = openWriter(home);
  let engine: Engine | undefined;
  const chain = new LocalChain({
    db,
    genesis: GENESIS,
    makeEngine: (follower) => (engine = new Engine(GENESIS, follower)),
    clock: new Clock(() => GENESIS.timeNs),
    random: new Random("seed"),
    startedNs: 0n,
    mode: { kind: "manual" },
    ...options,
  });
  return {
    home,
    chain,
    engine: engine!,
    rows: () => rowsOf(digestStore(db)),
    abandon: () => db.close(),
    async stop() {
      await chain.stop();
      db.close();
    },
  };
}

type Running = ReturnType<typeof open>;

function transfer({ chain }: Running, from: number, to: number, amount: bigint, nonce: bigint): Uint8Array {
  const { chainId, height, hash, pow } = chain.status;
  const tid = new Bun.CryptoHasher("sha256").update(`${from} ${nonce}`).digest("hex");
  let proof = 0n;
  while (leadingZeroBits(proofHash({ blockHash: hash, tid, nonce: proof })) < pow.difficulty) proof++;
  const type = AccountType.ACCOUNT_TYPE_GENERAL;
  return buildTransaction(
    {
      kind: "transfer",
      payload: {
        fromAccountType: type,
        toAccountType: type,
        to: PARTIES[to]!,
        asset: ASSET,
        amount: amount.toString(),
        oneOff: { deliverOn: 0n },
      },
    },
    { chainId, key: KEYS[from]!, nonce, blockHeight: BigInt(height), pow: { tid, nonce: proof } },
  );
}

/** Funds, transfers, an epoch's end; @param nonce that nobody has used */
async function something(running: Running, nonce: bigint): Promise<void> {
  const { chain } = running;
  for (const party of PARTIES) await chain.setBalance(party, ASSET, 10n ** 20n);
  for (let n = 0; n < 3; n++) {
    const bytes = transfer(running, n, (n + 1) % 3, 10n ** 18n * BigInt(n + 1), nonce + BigInt(n));
    expect(await chain.submit(bytes, "check")).toMatchObject({ code: 0, text: "" });
  }
  await chain.mine(3);
  await chain.endEpoch();
  await chain.mine(2);
}

describe("the real engine", () => {
  test("given a kill, when the chain is opened again, then blocks are replayed to the same application hash", async () => {
    const running = open();
    await something(running, 1n);
    const bytes = transfer(running, 0, 1, 5n * 10n ** 18n, 100n);
    await running.chain.submit(bytes, "check");
    await running.chain.mine(4);
    const { status } = running.chain;
    const { digest } = running.engine.state;
    running.abandon();
    const again = open(running.home);
    expect(again.chain.resumption.replayed).toBeGreaterThan(3);
    expect(again.chain.status).toMatchObject({
      height: status.height,
      appHash: status.appHash,
      epoch: status.epoch,
    });
    expect(again.engine.state.digest).toBe(digest);
    await something(again, 200n);
    await again.stop();
  });

  test("given a revert, then state and rows are back, and the same blocks have the same outcome", async () => {
    const running = open();
    await something(running, 1n);
    const before = { status: running.chain.status, rows: running.rows(), state: running.engine.state.digest };
    const id = await running.chain.snapshot();
    await something(running, 50n);
    const after = { appHash: running.chain.status.appHash, rows: running.rows() };
    expect(after.appHash).not.toBe(before.status.appHash);
    await running.chain.revert(id);
    expect(running.chain.status).toMatchObject({
      appHash: before.status.appHash,
      epoch: before.status.epoch,
      pow: before.status.pow,
    });
    expect(running.engine.state.digest).toBe(before.state);
    expect(differences(running.rows(), before.rows)).toEqual([]);
    await something(running, 50n);
    expect(running.chain.status.appHash).toBe(after.appHash);
    expect(differences(running.rows(), after.rows)).toEqual([]);
    await running.stop();
  });

  test("given a dump, when another home loads it, then both go on alike", async () => {
    const one = open();
    await something(one, 1n);
    const other = open();
    await other.chain.load(await one.chain.dump());
    expect(differences(other.rows(), one.rows())).toEqual([]);
    for (const each of [one, other]) await something(each, 50n);
    expect(other.chain.status.appHash).toBe(one.chain.status.appHash);
    expect(differences(other.rows(), one.rows())).toEqual([]);
    await one.stop();
    await other.stop();
  });

  test("given a recorded run, when it is replayed, then the rows are the same", async () => {
    const recordTo = join(newHome(), "run.evts");
    const running = open(newHome(), { recordTo });
    await something(running, 1n);
    const db = openWriter(newHome());
    const { files } = await replayFiles(new BlockWriter(db), db, [recordTo]);
    expect(files[0]!.damage).toBeUndefined();
    expect(differences(rowsOf(digestStore(db)), running.rows())).toEqual([]);
    db.close();
    await running.stop();
  });
});
