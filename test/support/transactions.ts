// A signed transaction in one step.
import type { Ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import {
  type CommandInit,
  encodeCommand,
  type SigningOptions,
  serializeTransaction,
  signTransaction,
} from "../../src/wire/transaction.ts";

export interface BuildOptions extends SigningOptions {
  readonly key: Ed25519KeyPair;
  readonly nonce: bigint;
  readonly blockHeight: bigint;
}

/** The bytes of a signed transaction, ready to be submitted. */
export function buildTransaction(command: CommandInit, options: BuildOptions): Uint8Array {
  const inputData = encodeCommand(command, options.nonce, options.blockHeight);
  return serializeTransaction(signTransaction(inputData, options.key, options));
}
