// The application hash: two chains that have the same one have executed the same blocks with the same outcome and
// hold the same state.
import type { BlockInfo } from "../engine/core.ts";

export interface TxDigest {
  /** Lower-case hex. */
  readonly hash: string;
  readonly code: number;
  readonly text: string;
}

/** Lower-case hex. @param before the block before; its application hash is empty in front of the genesis */
export function appHashAfter(
  before: { readonly appHash: string },
  { height, timeNs, hash }: BlockInfo,
  stateDigest: string,
  results: readonly TxDigest[],
): string {
  const digest = new Bun.CryptoHasher("sha256");
  digest.update(`${before.appHash}\n${height}\n${timeNs}\n${hash}\n${stateDigest}\n${results.length}\n`);
  for (const { hash: tx, code, text } of results) digest.update(`${tx}\n${code}\n${JSON.stringify(text)}\n`);
  return digest.digest("hex");
}
