// Transactions that were checked before: out of the store, or made here for a party that signed nothing.
import { type EnvelopeVersion, readTransaction, rootId, transactionHash } from "../../wire/transaction.ts";
import { type CheckedTransaction, examine } from "../../wire/transaction-check.ts";
import { PropertyErrors } from "../../wire/validate/property-errors.ts";

/**
 * Reads a transaction without verifying its signature again.
 * @throws WireError for bytes that are none
 * @returns what is wrong with the command, if anything is
 */
export function readUnverified(bytes: Uint8Array): CheckedTransaction | PropertyErrors {
  const envelope = readTransaction(bytes);
  const examined = examine(envelope);
  if (examined instanceof PropertyErrors) return examined;
  const { kind, input } = examined;
  const signature = Uint8Array.fromHex(envelope.signature?.value ?? "");
  return {
    kind,
    payload: input[kind]!,
    party: envelope.pubKey!,
    nonce: input.nonce,
    blockHeight: input.blockHeight,
    pow: envelope.pow,
    version: envelope.version as EnvelopeVersion,
    signature,
    hash: transactionHash(bytes),
    id: rootId(signature),
  } as CheckedTransaction;
}
