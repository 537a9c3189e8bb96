// The transaction in results: the members that the original prints, and the ones that its documents promise and typed
// clients read (reference 50, section 6.6). Both say the same.
import type { Init } from "../../wire/codec.ts";
import type { Transaction } from "../../wire/generated/commands.ts";
import { originalTransactionJson } from "../signing/transaction.ts";

/** JSON text: the nonce of the proof is a number that JavaScript's could round. */
export function transactionResultJson(transaction: Init<Transaction>): string {
  const { inputData = new Uint8Array(0), pubKey = "" } = transaction;
  const original = originalTransactionJson(transaction);
  const documented = JSON.stringify({
    inputData: Buffer.from(inputData).toString("base64"),
    from: { pubKey },
  });
  return `${original.slice(0, -1)},${documented.slice(1)}`;
}
