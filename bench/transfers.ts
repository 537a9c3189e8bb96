// Signed and proven commands for a chain in this process: one of each of a thousand senders.
import { openSearch } from "../src/chain/admission/pow/nonce-search.ts";
import { ed25519KeyPair } from "../src/crypto/ed25519.ts";
import type { CommandInit } from "../src/wire/transaction.ts";
import { buildTransaction } from "../test/support/transactions.ts";
import { hexOf } from "./devnet-process.ts";

const KEYS = Array.from({ length: 1_000 }, (_, index) => {
  const seed = new Uint8Array(32);
  new DataView(seed.buffer).setUint32(0, index + 1);
  return ed25519KeyPair(seed);
});
/** Difficulty of the proofs of work. */
export const DIFFICULTY = 1;
export const SENDERS: readonly string[] = KEYS.map(({ publicKey }) => hexOf(publicKey));

interface ProvenFor {
  readonly chainId: string;
  /** The block that they name. */
  readonly height: number;
  readonly hash: string;
}

export function sendersTransactions(
  { chainId, height, hash }: ProvenFor,
  command: (index: number) => CommandInit,
): Uint8Array[] {
  return KEYS.map((key, index) => {
    const tid = Bun.SHA256.hash(`${height}/${index}`, "hex");
    let nonce: bigint | undefined;
    for (let from = 0n; nonce === undefined; from += 1n << 16n)
      nonce = openSearch({ blockHash: hash, tid }, DIFFICULTY).search(from, 1 << 16);
    const options = {
      chainId,
      key,
      nonce: BigInt(index + 1),
      blockHeight: BigInt(height),
      pow: { tid, nonce },
    };
    return buildTransaction(command(index), options);
  });
}
