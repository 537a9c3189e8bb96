// Transactions of a devnet's own chain, as its blocks hold them.
import type { Database } from "bun:sqlite";
import { sha256HexOf } from "../crypto/sha.ts";

export interface ChainTxRow {
  readonly height: bigint;
  readonly n: bigint;
  readonly code: bigint;
  readonly impersonated: bigint;
  readonly bytes: Uint8Array;
}

/** Transactions examined for a hash, newest first: about a second of work. */
const SEARCHED_MAX = 500_000;

/** @param hash of the bytes, 64 hexadecimal digits in lower case @param isSignedOnly without those of a devnet's tools */
export function chainTransaction(db: Database, hash: string, isSignedOnly: boolean): ChainTxRow | undefined {
  const select = db.prepare(
    `SELECT height, n, code, impersonated, bytes FROM chain_txs WHERE impersonated <= ?
      ORDER BY height DESC, n DESC LIMIT ?`,
  );
  try {
    for (const row of select.iterate(isSignedOnly ? 0 : 1, SEARCHED_MAX) as Iterable<ChainTxRow>)
      if (sha256HexOf(row.bytes) === hash) return row;
    return undefined;
  } finally {
    select.finalize();
  }
}
