/**
 * The envelope of a transaction (reference 30, section 2): how its bytes are read, what is signed, its hash, and
 * the identifiers that follow from its signature. Whether a transaction is good is transaction-check.ts.
 */
import { HashInput, sha3HexOf, sha3Of } from "../crypto/sha3.ts";
import { sha256HexOf } from "../crypto/sha256.ts";
import { WireError } from "./errors.ts";
import { decodeTransaction, type Transaction, TxVersion } from "./generated/commands.ts";
import { hexOf } from "./identifiers.ts";

/** Bytes of a transaction that the mempool takes (section 2.5). */
export const TRANSACTION_BYTES_MAX = 1_048_576;

/** The one pair of name and number that signatures can have (section 2.1). */
export const SIGNATURE_ALGORITHM = "vega/ed25519";
export const SIGNATURE_VERSION = 1;

/** Versions that are accepted; only the second binds a signature to a chain (section 2.2). */
export type EnvelopeVersion = typeof TxVersion.TX_VERSION_V2 | typeof TxVersion.TX_VERSION_V3;

/** The mempool's words for bytes above the limit; they reach clients as they are. */
export function tooLargeText(bytes: number): string {
  return `Tx too large. Max size is ${TRANSACTION_BYTES_MAX}, but got ${bytes}`;
}

/**
 * Reads an envelope. The bytes of the command stay unread.
 * @throws WireError for bytes that are no transaction, or more than a transaction may have
 */
export function readTransaction(bytes: Uint8Array): Transaction {
  if (bytes.length > TRANSACTION_BYTES_MAX) throw new WireError("too_large", tooLargeText(bytes.length));
  return decodeTransaction(bytes);
}

/** Lower-case hexadecimal; submit responses and bus events show it in capitals (section 2.3). */
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

/** Who signs or verifies does so for one chain, again and again. */
let lastName: { readonly chainId: string; readonly bytes: Uint8Array } | undefined;

/** A chain's name with the byte that ends it. */
function nameOf(chainId: string): Uint8Array {
  if (lastName?.chainId !== chainId) lastName = { chainId, bytes: Buffer.from(`${chainId}\0`, "utf8") };
  return lastName.bytes;
}

const hashed = new HashInput(4096);

/**
 * The 32 bytes that Ed25519 signs as its message (section 2.3).
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

/** The first identifier of what a transaction creates: an order, a transfer, a proposal (reference 60, 13.1). */
export function rootId(signature: Uint8Array): string {
  return sha3HexOf(signature);
}

/**
 * The identifiers of what one transaction creates, in order: the first follows from the signature, each next one
 * from the one before (reference 60, section 13.1).
 */
export class IdGenerator {
  private last: Uint8Array | undefined;

  constructor(private readonly root: string) {}

  take(): string {
    // Most transactions make one thing or none: the next one is worked out when it is asked for.
    this.last = this.last === undefined ? Uint8Array.fromHex(this.root) : sha3Of(this.last);
    return hexOf(this.last);
  }
}
