// From a seed to a wallet and its keys (reference 50, section 5.5).
import { ed25519KeyPair } from "../../crypto/ed25519.ts";
import { secretCopy, wipe } from "../../crypto/secrets.ts";
import {
  type Slip10Node,
  slip10Child,
  slip10Descendant,
  slip10Key,
  slip10Root,
} from "../../crypto/slip10.ts";
import { hexOf } from "../../wire/identifiers.ts";

/** How keys are derived from a node. */
export type KeyVersion = 1 | 2;

export interface DerivedKey {
  /** From 1. */
  readonly index: number;
  /** 64 lower-case hexadecimal digits. */
  readonly publicKey: string;
  /** 32 bytes; secret. */
  readonly seed: Uint8Array;
}

/** The first step of every path, and what version 1 adds to an index. */
const NETWORK = 1789;

/** Places of a path have 31 bits (SLIP-10): the last key that both versions have. */
export const KEY_INDEX_MAX = 2 ** 31 - 1 - NETWORK;

/** The node that a wallet keeps: m/1789'. Secret: the caller wipes it. */
export function walletNode(seed: Uint8Array): Slip10Node {
  const root = slip10Root(seed);
  const node = slip10Child(root, NETWORK);
  wipe(root);
  return node;
}

/** A wallet's identifier is the public key of its node: the master key, the same for both versions. */
export function walletId(node: Slip10Node): string {
  return hexOf(ed25519KeyPair(slip10Key(node)).publicKey);
}

/** The 32-byte seed of a key. @param index from 1 */
export function keySeed(node: Slip10Node, version: KeyVersion, index: number): Uint8Array {
  const place = slip10Descendant(node, version === 1 ? [NETWORK + index] : [0, index]);
  const seed = secretCopy(slip10Key(place));
  wipe(place);
  return seed;
}

export function deriveKey(node: Slip10Node, version: KeyVersion, index: number): DerivedKey {
  const seed = keySeed(node, version, index);
  return { index, publicKey: hexOf(ed25519KeyPair(seed).publicKey), seed };
}
