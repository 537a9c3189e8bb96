// A chain over the real engine, blocks made by hand.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { leadingZeroBits, proofHash } from "../../src/chain/admission/pow/function.ts";
import { LocalChain } from "../../src/chain/local-chain.ts";
import type { LocalChainOptions } from "../../src/chain/options.ts";
import { ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { Clock } from "../../src/devnet/clock.ts";
import { Random } from "../../src/devnet/random.ts";
import { accountId } from "../../src/engine/collateral.ts";
import { Engine } from "../../src/engine/engine.ts";
import { type Genesis, readGenesis } from "../../src/engine/genesis.ts";
import { openWriter } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import { buildTransaction } from "../support/transactions.ts";
import { newHome, rowsOf } from "./rig.ts";

export const GENESIS: Genesis = readGenesis(
  readFileSync(join(import.meta.dir, "..", "..", "data", "devnet-genesis.json"), "utf8"),
);
export const ASSET = Object.entries(GENESIS.appState.assets!).find(([, { symbol }]) => symbol === "tUSD")![0];
const KEYS = [1, 2, 3].map((n) => ed25519KeyPair(new Uint8Array(32).fill(n)));
export const PARTIES = KEYS.map(({ publicKey }) => Buffer.from(publicKey).toString("hex"));

export function openChain(home = newHome(), options: Partial<LocalChainOptions> = {}) {
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
    balance: (party: string) =>
      engine!.domains.collateral.balance(accountId(ASSET, AccountType.ACCOUNT_TYPE_GENERAL, party)),
    rows: () => rowsOf(digestStore(db)),
    abandon: () => db.close(),
    async stop() {
      await chain.stop();
      db.close();
    },
  };
}

export type RunningChain = ReturnType<typeof openChain>;

export function transfer(
  { chain }: RunningChain,
  from: number,
  to: number,
  amount: bigint,
  nonce: bigint,
): Uint8Array {
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

export async function funded({ chain }: RunningChain): Promise<void> {
  for (const party of PARTIES) await chain.setBalance(party, ASSET, 10n ** 20n);
}
