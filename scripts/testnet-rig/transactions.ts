// Transactions that trials send, and where they are afterwards.
import { verifyProof } from "../../src/chain/admission/pow/function.ts";
import { sha256HexOf } from "../../src/crypto/sha.ts";
import { devnetParties } from "../../src/devnet/keys.ts";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { type CommandInit, readTransaction, serializeTransaction } from "../../src/wire/transaction.ts";
import { eventually } from "../../test/support/eventually.ts";
import { buildTransaction } from "../../test/support/transactions.ts";
import { DIFFICULTY, type NodePlace, rowsIn, urlOf } from "./network.ts";

/** As many are under way at once. */
const WIDTH = 20;
const TYPES = ["TYPE_ASYNC", "TYPE_SYNC", "TYPE_COMMIT"] as const;
const TRANSFER_ACCOUNT = 4;

export const parties = devnetParties();
type Key = (typeof parties)[number]["key"];

let serial = 0;

export interface Tip {
  readonly chainId: string;
  readonly height: bigint;
  readonly hash: string;
}

/** The block before the last one: a validator that is a block behind knows it, too. */
export async function tipOf(pair: NodePlace): Promise<Tip> {
  const { blocks } = (await (await fetch(urlOf(pair, "/devnet/blocks"))).json()) as {
    blocks: { chainId: string; height: string; hash: string }[];
  };
  const { chainId, height, hash } = blocks.at(-2) ?? blocks.at(-1)!;
  return { chainId, height: BigInt(height), hash };
}

/** With a proof of work for the tip. */
export function signed(command: CommandInit, { key }: { readonly key: Key }, tip: Tip): Uint8Array {
  const tid = sha256HexOf(Buffer.from(`tid ${serial++} ${process.pid}`));
  let nonce = 0n;
  const proof = () => ({ blockHash: tip.hash, tid, nonce });
  while (verifyProof(proof(), DIFFICULTY, "sha3_24_rounds", "default") === undefined) nonce++;
  return buildTransaction(command, {
    chainId: tip.chainId,
    key,
    nonce: BigInt(++serial),
    blockHeight: tip.height,
    pow: { tid, nonce },
  });
}

/** The same with a signature that is well-formed, and not its sender's. */
export function forged(bytes: Uint8Array): Uint8Array {
  const transaction = readTransaction(bytes);
  const signature = transaction.signature!;
  const value = Buffer.from(signature.value, "hex");
  value[0]! ^= 1;
  return serializeTransaction({ ...transaction, signature: { ...signature, value: value.toString("hex") } });
}

export interface Submitted {
  readonly success: boolean;
  readonly txHash: string;
  readonly height: string;
  readonly log: string;
}

export async function send(
  pair: NodePlace,
  bytes: Uint8Array,
  type: (typeof TYPES)[number],
): Promise<Submitted> {
  const answer = await fetch(urlOf(pair, "/transaction/raw"), {
    method: "POST",
    body: JSON.stringify({ tx: Buffer.from(bytes).toString("base64"), type }),
  });
  return (await answer.json()) as Submitted;
}

let asset: string | undefined;

/** The asset that transfers move: the same id on each network, as it follows from the genesis's keys. */
async function assetOf(pair: ValidatorPair): Promise<string> {
  if (asset !== undefined) return asset;
  const { assets } = (await (await fetch(urlOf(pair, "/devnet/parties"))).json()) as {
    assets: { id: string; symbol: string }[];
  };
  asset = assets.find(({ symbol }) => symbol === "tUSD")!.id;
  return asset;
}

/** A transfer to one of the devnet's parties. */
export async function transfer(pair: ValidatorPair, to: number, amount: bigint): Promise<CommandInit> {
  return {
    kind: "transfer",
    payload: {
      fromAccountType: TRANSFER_ACCOUNT,
      toAccountType: TRANSFER_ACCOUNT,
      asset: await assetOf(pair),
      amount: amount.toString(),
      reference: "rig",
      to: parties[to % parties.length]!.publicKey,
      oneOff: { deliverOn: 0n },
    },
  };
}

/** Sends transfers through the validators in turn, in all three modes. @returns the hashes that were taken @throws Error when none was */
export async function sendTransfers(pairs: readonly ValidatorPair[], count: number): Promise<string[]> {
  const hashes: string[] = [];
  for (let sent = 0; sent < count; sent += WIDTH) {
    const tip = await tipOf(pairs[sent % pairs.length]!);
    const answers = await Promise.all(
      Array.from({ length: Math.min(WIDTH, count - sent) }, async (_, n) => {
        const at = sent + n;
        const pair = pairs[at % pairs.length]!;
        const command = await transfer(pair, at + 1, 100_000n + BigInt(at % 7));
        const bytes = signed(command, parties[at % parties.length]!, tip);
        const type = TYPES[Math.floor(at / pairs.length) % TYPES.length]!;
        return send(pair, bytes, type).catch(() => undefined);
      }),
    );
    for (const answer of answers) if (answer?.success) hashes.push(answer.txHash);
  }
  if (hashes.length === 0) throw new Error(`none of ${count} transactions was taken`);
  return hashes;
}

/** Places of each hash in the blocks of a validator's rows. */
export function timesIn(pair: ValidatorPair, hashes: readonly string[]): number[] {
  using db = rowsIn(pair);
  const rows = db.query("SELECT bytes FROM chain_txs").all() as { bytes: Uint8Array }[];
  const counts = new Map<string, number>();
  for (const { bytes } of rows) {
    const hash = sha256HexOf(bytes).toUpperCase();
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return hashes.map((hash) => counts.get(hash) ?? 0);
}

export async function untilIn(pair: ValidatorPair, hashes: readonly string[]): Promise<void> {
  await eventually(
    () => timesIn(pair, hashes).every((times) => times > 0),
    () =>
      `${timesIn(pair, hashes).filter((times) => times === 0).length} of ${hashes.length} are in no block`,
  );
}
