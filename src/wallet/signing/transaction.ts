// Signed transactions: the signature now, on a machine that has the key; the proof of work later, perhaps on another.
// The signature does not cover the proof (reference 50, section 6.3).

import type { Init } from "../../wire/codec.ts";
import { WireError } from "../../wire/errors.ts";
import { type ProofOfWork, type Transaction, TxVersion } from "../../wire/generated/commands.ts";
import { readTransaction, serializeTransaction } from "../../wire/transaction.ts";
import { walletError } from "../errors.ts";

/** @throws NodeError `transaction_unreadable` */
export function readSigned(bytes: Uint8Array): Transaction {
  try {
    return readTransaction(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw walletError("transaction_unreadable", `these bytes are no transaction: ${error.message}`);
  }
}

/** The transaction with a proof of work in place of what it had. */
export function withProof(transaction: Transaction, pow: ProofOfWork): Uint8Array {
  return serializeTransaction({ ...transaction, pow });
}

/**
 * The transaction as the original prints it: the names of its Go structs, the 64-bit nonce as a number that is
 * exact (reference 50, section 6.6).
 */
export function originalTransactionJson(transaction: Init<Transaction>): string {
  const {
    inputData = new Uint8Array(0),
    signature,
    pubKey = "",
    version = TxVersion.TX_VERSION_V3,
    pow,
  } = transaction;
  const members = [
    `"input_data":${JSON.stringify(Buffer.from(inputData).toString("base64"))}`,
    `"signature":${JSON.stringify({ value: signature?.value, algo: signature?.algo, version: signature?.version })}`,
    `"From":${JSON.stringify({ PubKey: pubKey })}`,
    `"version":${version}`,
  ];
  if (pow !== undefined) {
    const nonce = pow.nonce ? `,"nonce":${pow.nonce}` : "";
    members.push(`"pow":{"tid":${JSON.stringify(pow.tid ?? "")}${nonce}}`);
  }
  return `{${members.join(",")}}`;
}
