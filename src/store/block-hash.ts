/**
 * Hashes of the blocks that a local chain makes. An empty block's follows from its height and time (reference 30,
 * section 12), so its row need not hold it: there an empty hash stands for "by the rule".
 */
import { sha3HexOf, sha3Of } from "../crypto/sha.ts";

/** What the rule hashes: the sum of height and time in Unix nanoseconds, as decimal text. */
function ruleText(height: bigint, timeNs: bigint): Uint8Array {
  return Buffer.from((height + timeNs).toString(), "latin1");
}

/** Hash of an empty block, lower-case hex. */
export function emptyBlockHash(height: bigint, timeNs: bigint): string {
  return sha3HexOf(ruleText(height, timeNs));
}

/** Hash of a block with transactions, lower-case hex. @param txHashes their hashes in hex, in order */
export function blockHash(height: bigint, timeNs: bigint, txHashes: readonly string[]): string {
  if (txHashes.length === 0) return emptyBlockHash(height, timeNs);
  return sha3HexOf(Buffer.concat([ruleText(height, timeNs), Buffer.from(txHashes.join(""), "hex")]));
}

/** Whether a hash is the one that the rule gives. */
export function followsRule(hash: Uint8Array, height: number, timeNs: bigint): boolean {
  return hash.length === 32 && Buffer.compare(sha3Of(ruleText(BigInt(height), timeNs)), hash) === 0;
}

/** The hash of a row of `blocks`, which may have been left out of it. @param row its time in Unix microseconds */
export function hashOfRow(row: {
  readonly height: bigint;
  readonly time: bigint;
  readonly hash: Uint8Array;
}): Uint8Array {
  return row.hash.length > 0 ? row.hash : sha3Of(ruleText(row.height, row.time * 1_000n));
}
