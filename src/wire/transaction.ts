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

/** Largest transaction that the mempool accepts, in bytes (docs/protocol/30-node-api-transactions.md#25-size-limits). */
export const TRANSACTION_BYTES_MAX = 1_048_576;

/** The only algorithm and version that signatures can have (docs/protocol/30-node-api-transactions.md#21-messages). */
export const SIGNATURE_ALGORITHM = "vega/ed25519";
export const SIGNATURE_VERSION = 1;

/** Accepted versions; only the second binds a signature to a chain (docs/protocol/30-node-api-transactions.md#22-versions). */
export type EnvelopeVersion = typeof TxVersion.TX_VERSION_V2 | typeof TxVersion.TX_VERSION_V3;

/** The mempool's error for larger transactions; clients receive it unchanged. */
export function tooLargeText(bytes: number): string {
  return `Tx too large. Max size is ${TRANSACTION_BYTES_MAX}, but got ${bytes}`;
}

/**
 * Reads an envelope without decoding the command.
 * @throws WireError for bytes that are not a transaction, or too many bytes
 */
export function readTransaction(bytes: Uint8Array): Transaction {
  if (bytes.length > TRANSACTION_BYTES_MAX) throw new WireError("too_large", tooLargeText(bytes.length));
  return decodeTransaction(bytes);
}

/**
 * Lower-case hexadecimal; submit responses and bus events have it in upper case
 * (docs/protocol/30-node-api-transactions.md#23-signing-ids-hashes).
 */
export function transactionHash(bytes: Uint8Array): string {
  return sha256HexOf(bytes);
}

/**
 * The bytes whose digest is signed. Since version 3 they begin with the chain's name and a zero byte, so that a transaction
 * of one chain is invalid on another. The name is not sent.
 */
export function signedBytes(version: EnvelopeVersion, chainId: string, inputData: Uint8Array): Uint8Array {
  if (version === TxVersion.TX_VERSION_V2) return inputData;
  const name = nameOf(chainId);
  const bytes = new Uint8Array(name.length + inputData.length);
  bytes.set(name);
  bytes.set(inputData, name.length);
  return bytes;
}

/** Cached, because signatures are made and verified for one chain. */
let lastName: { readonly chainId: string; readonly bytes: Uint8Array } | undefined;

/** A chain's name with the terminating zero byte. */
function nameOf(chainId: string): Uint8Array {
  if (lastName?.chainId !== chainId) lastName = { chainId, bytes: Buffer.from(`${chainId}\0`, "utf8") };
  return lastName.bytes;
}

const hashed = new HashInput(4096);

/**
 * The 32 bytes that Ed25519 signs as its message (docs/protocol/30-node-api-transactions.md#23-signing-ids-hashes).
 * @param into target; default: a new array
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
 * The first identifier that a transaction creates: of an order, a transfer, a proposal
 * (docs/protocol/60-state-engine-parameters.md#131-deterministic-root-id).
 */
export function rootId(signature: Uint8Array): string {
  return sha3HexOf(signature);
}

// Encoding of transactions, for the wallet and for the validators of a devnet.

/** A command, discriminated by `kind`; omitted members of the payload have their defaults. */
export type CommandInit = {
  [K in CommandKind]: { readonly kind: K; readonly payload: Init<CommandPayload<K>> };
}[CommandKind];

/** The bytes of a command with its nonce and height: signed and sent as they are. */
export function encodeCommand(command: CommandInit, nonce: bigint, blockHeight: bigint): Uint8Array {
  return encodeInputData({ nonce, blockHeight, [command.kind]: command.payload });
}

export interface SigningOptions {
  readonly chainId: string;
  /** Default: version 3. A signature of version 2 is valid on every chain. */
  readonly version?: EnvelopeVersion;
  /** Omitted for validators' commands, which need none. */
  readonly pow?: Init<ProofOfWork>;
}

/** Reused: one transaction is signed at a time. */
const digest = new Uint8Array(SHA3_256_BYTES);

/** Signs the bytes of a command and wraps them in an envelope. */
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
 * Encodes a transaction in the field order of the network's own nodes, with the sender last
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
