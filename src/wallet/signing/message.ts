// Signatures of messages (docs/protocol/50-wallet-keystore.md#56-signing): Ed25519 over the SHA3-256 of the bytes, and
// nothing around them.
import {
  ED25519_KEY_BYTES,
  type Ed25519KeyPair,
  ed25519KeyPair,
  ed25519Verify,
} from "../../crypto/ed25519.ts";
import { sha3HexOf, sha3Of } from "../../crypto/sha.ts";
import { slip10Key } from "../../crypto/slip10.ts";
import { WireError } from "../../wire/errors.ts";
import { decodeInputData, TxVersion } from "../../wire/generated/commands.ts";
import { encodeCommand, serializeTransaction, signedBytes, signTransaction } from "../../wire/transaction.ts";
import { COMMANDS, commandKindOf } from "../../wire/transaction-commands.ts";
import { keyTainted, walletError } from "../errors.ts";
import type { WalletData } from "../keys/wallet-data.ts";

/**
 * Signs a message, unless it is a transaction. Messages and transactions are signed alike, so anyone who gets a
 * "message" signed that is the content of a transaction could send it (surprise 23); the original would sign it.
 * @throws NodeError `message_is_transaction`
 */
export function signMessage(key: Ed25519KeyPair, message: Uint8Array): Uint8Array {
  if (isTransactionContent(message)) {
    throw walletError(
      "message_is_transaction",
      "this message is the content of a transaction: its signature could be used to send it",
      "sign it as a transaction, after reading it: lyra tx check, lyra tx sign",
    );
  }
  return key.sign(sha3Of(message));
}

/** @param publicKey 32 bytes */
export function verifyMessage(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== ED25519_KEY_BYTES) {
    throw walletError(
      "public_key_invalid",
      `a public key has ${ED25519_KEY_BYTES} bytes, not ${publicKey.length}`,
    );
  }
  return ed25519Verify(publicKey, sha3Of(message), signature);
}

/**
 * Whether the bytes are what is signed for a transaction of some version, on whatever chain
 * (docs/protocol/30-node-api-transactions.md#22-versions).
 */
export function isTransactionContent(message: Uint8Array): boolean {
  if (holdsCommand(message)) return true;
  const nameEnd = message.indexOf(0);
  return nameEnd >= 0 && holdsCommand(message.subarray(nameEnd + 1));
}

/**
 * Refuses a chain's name that could make the signature good for something else. The name stands in front of what is
 * signed, and version 2 signs commands with no name (docs/protocol/30-node-api-transactions.md#22-versions): a name
 * that holds the byte which ends it, or that is the first field of a command, is made for that.
 * @throws NodeError `chain_id_unusable`
 */
export function checkChainId(chainId: string, inputData: Uint8Array): void {
  const isUsable =
    !/\p{Cc}/u.test(chainId) && !holdsCommand(signedBytes(TxVersion.TX_VERSION_V3, chainId, inputData));
  if (isUsable) return;
  throw walletError(
    "chain_id_unusable",
    "the chain ID cannot be signed for: the signature could be used for another transaction, or on another chain",
    "see where the chain ID comes from: chains are named with letters, digits and -",
  );
}

function holdsCommand(bytes: Uint8Array): boolean {
  // Hardly any message comes this far: decoding costs as much as half a signature.
  if (!mayHoldCommand(bytes)) return false;
  try {
    return commandKindOf(decodeInputData(bytes)) !== undefined;
  } catch (error) {
    // A message too deep for this decoder is not too deep for each of the network's.
    if (error instanceof WireError) return error.code === "too_deep";
    throw error;
  }
}

const COMMAND_NUMBERS: ReadonlySet<number> = new Set(Object.values(COMMANDS).map(({ number }) => number));

/** Whether a command's field stands in a row of fields. An unusual one may: decoding then says. */
function mayHoldCommand(bytes: Uint8Array): boolean {
  for (let place = 0; place < bytes.length; ) {
    const tag = shortVarint(bytes, place);
    if (tag === undefined) return true;
    const number = Math.floor(tag.value / 8);
    if (number === 0) return false;
    if (COMMAND_NUMBERS.has(number)) return true;
    const wireType = tag.value % 8;
    const head =
      wireType === 0 || wireType === 2 ? shortVarint(bytes, tag.next) : { value: 0, next: tag.next };
    // The end of a group that has no beginning, or no wire type at all.
    if (wireType === 4 || wireType > 5) return false;
    if (head === undefined || wireType === 3) return true;
    place = head.next + (wireType === 2 ? head.value : wireType === 1 ? 8 : wireType === 5 ? 4 : 0);
  }
  return false;
}

/** A number of up to five bytes; undefined for a longer one, or where the bytes end in it. */
function shortVarint(bytes: Uint8Array, place: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[place + index];
    if (byte === undefined) return undefined;
    value += (byte & 127) * 2 ** (7 * index);
    if (byte < 128) return { value, next: place + index + 1 };
  }
  return undefined;
}

// A validator's change of keys, signed by the wallet's master key (docs/protocol/50-wallet-service.md#32-admin,
// "Rotation transaction").

export interface Rotation {
  readonly fromPublicKey: string;
  readonly toPublicKey: string;
  readonly chainId: string;
  readonly submissionHeight: bigint;
  /** When the new key takes over: later than the submission. */
  readonly enactmentHeight: bigint;
}

export interface RotationTransaction {
  readonly masterPublicKey: string;
  /** Signed, and complete: rotations need no proof of work. */
  readonly transaction: Uint8Array;
}

/** @throws NodeError with the original's words, in its order */
export function rotateKey(wallet: WalletData, rotation: Rotation, nonce: bigint): RotationTransaction {
  const { fromPublicKey, toPublicKey, chainId, submissionHeight, enactmentHeight } = rotation;
  const refuse = (message: string) => walletError("rotation_refused", message);
  if (chainId === "") throw refuse("the chain ID is required");
  if (fromPublicKey === toPublicKey) throw refuse("the next and current public keys cannot be the same");
  if (enactmentHeight <= submissionHeight) {
    throw refuse("the enactment block height must be greater than the submission one");
  }
  if (wallet.node === undefined) throw refuse("cannot rotate keys on an isolated wallet");
  const current = wallet.keys.find(({ publicKey }) => publicKey === fromPublicKey);
  const next = wallet.keys.find(({ publicKey }) => publicKey === toPublicKey);
  if (current === undefined) throw refuse("the current public key does not exist");
  if (next === undefined) throw refuse("the next public key does not exist");
  if (next.isTainted) throw keyTainted("the next public key is tainted");
  const payload = {
    newPubKeyIndex: next.index,
    targetBlock: enactmentHeight,
    newPubKey: next.publicKey,
    currentPubKeyHash: sha3HexOf(Buffer.from(current.publicKey, "hex")),
  };
  const inputData = encodeCommand({ kind: "keyRotateSubmission", payload }, nonce, submissionHeight);
  checkChainId(chainId, inputData);
  const key = ed25519KeyPair(slip10Key(wallet.node));
  const transaction = serializeTransaction(signTransaction(inputData, key, { chainId }));
  return { masterPublicKey: wallet.id, transaction };
}
