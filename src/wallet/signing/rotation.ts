// A validator's change of keys, signed by the wallet's master key (reference 50, section 3.2, "Rotation transaction").
import { ed25519KeyPair } from "../../crypto/ed25519.ts";
import { sha3HexOf } from "../../crypto/sha.ts";
import { slip10Key } from "../../crypto/slip10.ts";
import { encodeCommand, serializeTransaction, signTransaction } from "../../wire/transaction.ts";
import { keyTainted, walletError } from "../errors.ts";
import type { WalletData } from "../keys/wallet-data.ts";
import { checkChainId } from "./message.ts";

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
