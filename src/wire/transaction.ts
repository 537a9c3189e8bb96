/**
 * The envelope of a transaction (docs/protocol/30-node-api-transactions.md#2-transaction-format): reading, signing,
 * hash, text form, and the identifiers that follow from its signature. The checks of a received transaction are in
 * transaction-check.ts.
 */

import type { Ed25519KeyPair } from "../crypto/ed25519.ts";
import { HashInput, SHA3_256_BYTES, sha3HexOf, sha3Of, sha256HexOf } from "../crypto/sha.ts";
import { type Init, writeAll } from "./codec.ts";
import { WireError } from "./errors.ts";
import {
  decodeTransaction,
  encodeInputData,
  type ProofOfWork,
  type Transaction,
  TxVersion,
  writeTransaction,
} from "./generated/commands.ts";
import { hexOf } from "./identifiers.ts";
import type { CommandKind, CommandPayload } from "./transaction-commands.ts";
import type { Writer } from "./writer.ts";

/** Bytes of a transaction that the mempool takes (docs/protocol/30-node-api-transactions.md#25-size-limits). */
export const TRANSACTION_BYTES_MAX = 1_048_576;

/** The one pair of name and number that signatures can have (docs/protocol/30-node-api-transactions.md#21-messages). */
export const SIGNATURE_ALGORITHM = "vega/ed25519";
export const SIGNATURE_VERSION = 1;

/** Versions that are accepted; only the second binds a signature to a chain (docs/protocol/30-node-api-transactions.md#22-versions). */
export type EnvelopeVersion = typeof TxVersion.TX_VERSION_V2 | typeof TxVersion.TX_VERSION_V3;

/** The mempool's words for bytes above the limit; they reach clients as they are. */
export function tooLargeText(bytes: number): string {
  return `Tx too large. Max size is ${TRANSACTION_BYTES_MAX}, but got ${bytes}`;
}

/**
 * Reads an envelope. The bytes of the command stay unread.
 * @throws WireError for bytes that are not a transaction, or more than a transaction may have
 */
export function readTransaction(bytes: Uint8Array): Transaction {
  if (bytes.length > TRANSACTION_BYTES_MAX) throw new WireError("too_large", tooLargeText(bytes.length));
  return decodeTransaction(bytes);
}

/**
 * Lower-case hexadecimal; submit responses and bus events show it in capitals
 * (docs/protocol/30-node-api-transactions.md#23-signing-ids-hashes).
 */
export function transactionHash(bytes: Uint8Array): string {
  return sha256HexOf(bytes);
}

/**
 * The bytes whose digest is signed: since version 3 the chain's name stands in front, so that a transaction of
 * one chain is nothing on another. A zero byte ends the name, so that no name can run into a command. The name
 * itself is never sent.
 */
export function signedBytes(version: EnvelopeVersion, chainId: string, inputData: Uint8Array): Uint8Array {
  if (version === TxVersion.TX_VERSION_V2) return inputData;
  const name = nameOf(chainId);
  const bytes = new Uint8Array(name.length + inputData.length);
  bytes.set(name);
  bytes.set(inputData, name.length);
  return bytes;
}

/** Signatures are made and verified for one chain, again and again. */
let lastName: { readonly chainId: string; readonly bytes: Uint8Array } | undefined;

/** A chain's name with the byte that ends it. */
function nameOf(chainId: string): Uint8Array {
  if (lastName?.chainId !== chainId) lastName = { chainId, bytes: Buffer.from(`${chainId}\0`, "utf8") };
  return lastName.bytes;
}

const hashed = new HashInput(4096);

/**
 * The 32 bytes that Ed25519 signs as its message (docs/protocol/30-node-api-transactions.md#23-signing-ids-hashes).
 * @param into where they are put; bytes of their own without
 */
export function signingDigest(
  version: EnvelopeVersion,
  chainId: string,
  inputData: Uint8Array,
  into?: Uint8Array,
): Uint8Array {
  if (version === TxVersion.TX_VERSION_V2) return sha3Of(inputData, into);
  const name = nameOf(chainId);
  const length = name.length + inputData.length;
  if (length > hashed.bytes.length) return sha3Of(signedBytes(version, chainId, inputData), into);
  hashed.bytes.set(name);
  hashed.bytes.set(inputData, name.length);
  return sha3Of(hashed.first(length), into);
}

/**
 * The first identifier of what a transaction creates: an order, a transfer, a proposal
 * (docs/protocol/60-state-engine-parameters.md#131-deterministic-root-id).
 */
export function rootId(signature: Uint8Array): string {
  return sha3HexOf(signature);
}

// Making transactions: for the wallet and for the validators of a devnet.

/** A command, told apart by `kind`; members of the payload that are left out have their defaults. */
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
 * The bytes of a transaction in the order of the network's own nodes, where the sender stands last
 * (docs/protocol/30-node-api-transactions.md#23-signing-ids-hashes). The hash depends on it, so a wallet that predicts
 * the hash of a typed submission must use the same.
 */
export function serializeTransaction(transaction: Init<Transaction>): Uint8Array {
  return writeAll(writeSenderLast, transaction);
}

function writeSenderLast(writer: Writer, transaction: Init<Transaction>): void {
  const { inputData, signature, version, pow, address, pubKey } = transaction;
  writeTransaction(writer, { inputData, signature, version, pow });
  writeTransaction(writer, pubKey === undefined ? { address } : { pubKey });
}
