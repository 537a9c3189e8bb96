// Ed25519 by the network's rule: the cofactored equation with encodings as in ZIP 215, and no public key of small order.
//
// BoringSSL (node:crypto) is 10 times faster than @noble/curves, but implements only the cofactorless equation. The network accepts every
// signature that BoringSSL accepts: S is below the group's order, and an equation that holds without the cofactor holds with
// it. It accepts some that BoringSSL rejects: A or R can have a torsion component, or R can be non-canonical. Therefore
// @noble/curves examines each rejected signature, unless S or R is malformed.
//
// Keys of small order are rejected first: with such a key one constant signature is valid for every message.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

export const ED25519_KEY_BYTES = 32;
export const ED25519_SEED_BYTES = 32;
export const ED25519_SIGNATURE_BYTES = 64;

/** DER in front of the 32 bytes of a raw key (RFC 8410, sections 4 and 7). Importing so costs 0.7 µs. */
const PUBLIC_KEY_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const PRIVATE_KEY_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

export interface Ed25519KeyPair {
  readonly publicKey: Uint8Array;
  /** The 64-byte signature of `message`; deterministic. */
  sign(message: Uint8Array): Uint8Array;
}

/** The key pair of a 32-byte seed ("private key" in RFC 8032). */
export function ed25519KeyPair(seed: Uint8Array): Ed25519KeyPair {
  checkLength("ed25519 seed", seed, ED25519_SEED_BYTES);
  const der = Buffer.concat([PRIVATE_KEY_PREFIX, seed]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  // The key object has its own copy; this one would stay in memory until garbage collection.
  der.fill(0);
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return {
    publicKey: new Uint8Array(spki.subarray(PUBLIC_KEY_PREFIX.length)),
    sign: (message) => sign(null, message, key),
  };
}

/**
 * True if `signature` is the key's signature of `message`. A malformed signature, or bytes that are not a point of the
 * curve, give false, never an error. The caller guarantees the key's length.
 */
export function ed25519Verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (!isVerifiable(publicKey, signature)) return false;
  return verify(null, message, keyObject(publicKey), signature) || examine(publicKey, message, signature);
}

/**
 * The same for untrusted submissions, which must not cost ten verifications each: after a number of examinations a second,
 * a signature that BoringSSL rejects is rejected without examination. Not for transactions in blocks: the answer depends on
 * time.
 */
export function ed25519VerifySubmitted(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
  budget = submitted,
): boolean {
  if (!isVerifiable(publicKey, signature)) return false;
  return (
    verify(null, message, keyObject(publicKey), signature) ||
    (budget.mayExamine() && examine(publicKey, message, signature))
  );
}

/**
 * `ed25519VerifySubmitted` on the runtime's thread pool, so that many verifications use every core. The caller must not
 * change `message` and `signature` meanwhile.
 */
export function ed25519VerifyAsync(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  if (!isVerifiable(publicKey, signature)) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    verify(null, message, keyObject(publicKey), signature, (error, isValid) => {
      if (error) reject(error);
      else resolve(isValid || (submitted.mayExamine() && examine(publicKey, message, signature)));
    });
  });
}

function isVerifiable(publicKey: Uint8Array, signature: Uint8Array): boolean {
  checkLength("ed25519 public key", publicKey, ED25519_KEY_BYTES);
  return signature.length === ED25519_SIGNATURE_BYTES && !isSmallOrder(publicKey);
}

/**
 * The y coordinates of the eight points whose order divides 8, little-endian: 0, 1, -1, the two of order 8, and the
 * two below 19 once more with the field's prime added. Both signs of x count.
 */
const SMALL_ORDER_Y: ReadonlySet<string> = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);
const SMALL_ORDER_FIRST_BYTES: ReadonlySet<number> = new Set(
  [...SMALL_ORDER_Y].map((y) => Number.parseInt(y.slice(0, 2), 16)),
);
const SIGN_BIT = 0x80;

function isSmallOrder(publicKey: Uint8Array): boolean {
  if (!SMALL_ORDER_FIRST_BYTES.has(publicKey[0]!)) return false;
  const last = publicKey.length - 1;
  return SMALL_ORDER_Y.has(publicKey.with(last, publicKey[last]! & ~SIGN_BIT).toHex());
}

/** Whether the cofactored equation holds, by ZIP 215: some tenths of a millisecond. */
function examine(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  // Loaded on first use; most runs never need it.
  const { ed25519 } = require("@noble/curves/ed25519.js") as typeof import("@noble/curves/ed25519.js");
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: true });
  } catch {
    // Not a point of the curve.
    return false;
  }
}

/** Examinations of untrusted submissions a second: at most a twelfth of a core. */
const EXAMINED_A_SECOND = 100;
const SECOND_MS = 1_000;

/** Remaining examinations of this second. */
export class ExaminationBudget {
  private startMs = Number.NEGATIVE_INFINITY;
  private used = 0;

  constructor(
    private readonly nowMs: () => number,
    private readonly perSecond = EXAMINED_A_SECOND,
  ) {}

  mayExamine(): boolean {
    const now = this.nowMs();
    if (now - this.startMs >= SECOND_MS) {
      this.startMs = now;
      this.used = 0;
    }
    return this.used++ < this.perSecond;
  }
}

const submitted = new ExaminationBudget(() => performance.now());

function keyObject(publicKey: Uint8Array): KeyObject {
  return createPublicKey({
    key: Buffer.concat([PUBLIC_KEY_PREFIX, publicKey]),
    format: "der",
    type: "spki",
  });
}

function checkLength(title: string, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw new RangeError(`${title} must be ${length} bytes, is ${bytes.length}`);
}
