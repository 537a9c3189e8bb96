// Transactions of the mempool out of bytes that were checked before.
import { NodeError } from "../errors/node-error.ts";
import { readTrusted } from "../wire/transaction-check.ts";
import { PropertyErrors } from "../wire/validate/check.ts";
import type { PooledTx } from "./mempool.ts";

/** @throws NodeError for bytes that hold no command */
export function pooled(bytes: Uint8Array, gas: number, isImpersonated: boolean): PooledTx {
  const tx = readTrusted(bytes);
  if (tx instanceof PropertyErrors) {
    throw new NodeError("chain.mempool", "invalid_transaction", `the transaction cannot be read: ${tx}`);
  }
  return { hash: tx.hash.toUpperCase(), bytes, tx, gas, isImpersonated };
}
