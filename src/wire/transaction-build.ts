/** Making transactions: for the wallet, for validators of a devnet, and for tests (reference 30, section 2). */
import type { Ed25519KeyPair } from "../crypto/ed25519.ts";
import { SHA3_256_BYTES } from "../crypto/sha3.ts";
import { type Init, writeAll } from "./codec.ts";
import {
  encodeInputData,
  type ProofOfWork,
  type Transaction,
  TxVersion,
  writeTransaction,
} from "./generated/commands.ts";
import { hexOf } from "./identifiers.ts";
import {
  type EnvelopeVersion,
  SIGNATURE_ALGORITHM,
  SIGNATURE_VERSION,
  signingDigest,
} from "./transaction.ts";
import type { CommandKind, CommandPayload } from "./transaction-commands.ts";
import type { Writer } from "./writer.ts";

/** One command, told apart by `kind`; members of the payload that are left out have their defaults. */
export type CommandInit = {
  [K in CommandKind]: { readonly kind: K; readonly payload: Init<CommandPayload<K>> };
}[CommandKind];

/** The bytes of a command with what makes it unique; these are signed, and sent as they are. */
export function encodeCommand(command: CommandInit, nonce: bigint, blockHeight: bigint): Uint8Array {
  return encodeInputData({ nonce, blockHeight, [command.kind]: command.payload });
}

export interface SigningOptions {
  readonly chainId: string;
  /** Version 3 unless told: version 2 is signed for every chain at once. */
  readonly version?: EnvelopeVersion;
  /** Left out for the commands of validators, which need none. */
  readonly pow?: Init<ProofOfWork>;
}

/** Of the transaction that is being signed: one at a time, and never kept. */
const digest = new Uint8Array(SHA3_256_BYTES);

/** Signs the bytes of a command and puts the envelope around them. */
export function signTransaction(
  inputData: Uint8Array,
  key: Ed25519KeyPair,
  { chainId, version = TxVersion.TX_VERSION_V3, pow }: SigningOptions,
): Init<Transaction> {
  const signature = key.sign(signingDigest(version, chainId, inputData, digest));
  return {
    inputData,
    signature: { value: hexOf(signature), algo: SIGNATURE_ALGORITHM, version: SIGNATURE_VERSION },
    pubKey: hexOf(key.publicKey),
    version,
    pow,
  };
}

/**
 * The bytes of a transaction in the order of the network's own nodes, where the sender stands last (section 2.3).
 * The hash depends on it, so a wallet that predicts the hash of a typed submission must use the same.
 */
export function serializeTransaction(transaction: Init<Transaction>): Uint8Array {
  return writeAll(writeSenderLast, transaction);
}

function writeSenderLast(writer: Writer, transaction: Init<Transaction>): void {
  const { inputData, signature, version, pow, address, pubKey } = transaction;
  writeTransaction(writer, { inputData, signature, version, pow });
  writeTransaction(writer, pubKey === undefined ? { address } : { pubKey });
}

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
