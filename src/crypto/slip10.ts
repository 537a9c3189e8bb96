// Derivation of Ed25519 keys (SLIP-0010): a tree of nodes, each a key and a chain code of 32 bytes. This curve
// has only hardened children, so nothing can be derived from a public key.
import { createHmac } from "node:crypto";
import { secretCopy, wipe } from "./secrets.ts";

export const SLIP10_NODE_BYTES = 64;
/** Bytes of a seed: SLIP-0010, "Master key generation". */
const SEED_BYTES_MIN = 16;
const SEED_BYTES_MAX = 64;
/** The key of the first HMAC for this curve: SLIP-0010, "Master key generation". */
const CURVE = "ed25519 seed";
/** Added to the index of a hardened child. */
const HARDENED = 0x8000_0000;

/** A node as one buffer: 32 bytes of key, then 32 bytes of chain code. Secret: the caller wipes it. */
export type Slip10Node = Uint8Array;

/** The root of the tree of a seed. */
export function slip10Root(seed: Uint8Array): Slip10Node {
  if (seed.length < SEED_BYTES_MIN || seed.length > SEED_BYTES_MAX) {
    throw new RangeError(`seed must be ${SEED_BYTES_MIN} to ${SEED_BYTES_MAX} bytes, is ${seed.length}`);
  }
  return hmac(Buffer.from(CURVE), seed);
}

/** The child of a node. @param index without the mark of hardening, 0 to 2^31 - 1 */
export function slip10Child(node: Slip10Node, index: number): Slip10Node {
  if (node.length !== SLIP10_NODE_BYTES) throw new RangeError(`node must be ${SLIP10_NODE_BYTES} bytes`);
  if (!Number.isInteger(index) || index < 0 || index >= HARDENED) {
    throw new RangeError(`index must be from 0 to 2^31 - 1, is ${index}`);
  }
  const data = Buffer.alloc(1 + 32 + 4);
  data.set(slip10Key(node), 1);
  data.writeUInt32BE(index + HARDENED, 33);
  const child = hmac(slip10ChainCode(node), data);
  wipe(data);
  return child;
}

/** The descendant at the end of a path. */
export function slip10Descendant(node: Slip10Node, path: readonly number[]): Slip10Node {
  let place: Slip10Node = secretCopy(node);
  for (const index of path) {
    const child = slip10Child(place, index);
    wipe(place);
    place = child;
  }
  return place;
}

/** The 32 bytes that are an Ed25519 seed; a view, not a copy. */
export function slip10Key(node: Slip10Node): Uint8Array {
  return node.subarray(0, 32);
}

function slip10ChainCode(node: Slip10Node): Uint8Array {
  return node.subarray(32);
}

function hmac(key: Uint8Array, data: Uint8Array): Slip10Node {
  const digest = createHmac("sha512", key).update(data).digest();
  return new Uint8Array(digest.buffer, digest.byteOffset, digest.length);
}
