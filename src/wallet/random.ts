// The wallet's door to chance: handed in where it is needed, so that tests can know what comes.
import { randomBytes } from "node:crypto";

/** That many bytes which nobody can guess, in a buffer of their own. */
export type RandomBytes = (length: number) => Uint8Array;

export const secureRandom: RandomBytes = (length) => {
  const bytes = randomBytes(length);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, length);
};

/** A transaction's nonce: any but 0, which the network refuses (docs/protocol/30-node-api-transactions.md#21-messages). */
export function randomNonce(random: RandomBytes): bigint {
  for (;;) {
    const bytes = random(8);
    const nonce = Buffer.from(bytes.buffer, bytes.byteOffset, 8).readBigUInt64BE();
    if (nonce !== 0n) return nonce;
  }
}
