// Ed25519 (RFC 8032) of node:crypto, which is BoringSSL here. Not @noble/curves: its default is ZIP 215, which
// accepts signatures that the network's own nodes refuse, and a chain must not differ from its peers there.
// BoringSSL and Go agree: no cofactor, S below the group order, R compared as bytes. It is also 11 times faster.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

export const ED25519_KEY_BYTES = 32;
export const ED25519_SEED_BYTES = 32;
export const ED25519_SIGNATURE_BYTES = 64;

/** DER in front of the 32 bytes of a raw key (RFC 8410, sections 4 and 7). Importing so costs 0.7 µs. */
const PUBLIC_KEY_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const PRIVATE_KEY_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

export interface Ed25519KeyPair {
  readonly publicKey: Uint8Array;
  /** The 64 bytes of the signature of `message`; the same message has always the same signature. */
  sign(message: Uint8Array): Uint8Array;
}

/** The pair of a 32-byte seed: what RFC 8032 calls the private key. */
export function ed25519KeyPair(seed: Uint8Array): Ed25519KeyPair {
  checkLength("ed25519 seed", seed, ED25519_SEED_BYTES);
  const der = Buffer.concat([PRIVATE_KEY_PREFIX, seed]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  // The key object has its own copy; this one would lie about until it is collected.
  der.fill(0);
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return {
    publicKey: new Uint8Array(spki.subarray(PUBLIC_KEY_PREFIX.length)),
    sign: (message) => sign(null, message, key),
  };
}

/**
 * True when `signature` is the key's signature of `message`. Bytes that are no signature, or no point of the
 * curve, are false and never an error; a key of another length is a fault of the caller.
 */
export function ed25519Verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  checkLength("ed25519 public key", publicKey, ED25519_KEY_BYTES);
  if (signature.length !== ED25519_SIGNATURE_BYTES) return false;
  return verify(null, message, importedKey(publicKey), signature);
}

/**
 * The same verdict, found on a thread of the runtime's own pool, so that many at once use every core. `message` and
 * `signature` must stay as they are meanwhile.
 */
export function ed25519VerifyAsync(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  checkLength("ed25519 public key", publicKey, ED25519_KEY_BYTES);
  if (signature.length !== ED25519_SIGNATURE_BYTES) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    verify(null, message, importedKey(publicKey), signature, (error, isValid) => {
      if (error) reject(error);
      else resolve(isValid);
    });
  });
}

/** Keys of one generation; the one before it is kept, too. */
const RECENT_MAX = 2048;
/**
 * Keys that were used lately, by their bytes in hexadecimal: who sends one transaction sends more. Those that nobody
 * used for a whole generation are forgotten, so that a flood of new keys costs what importing them costs, and no memory.
 */
let recentKeys = new Map<string, KeyObject>();
let formerKeys = recentKeys;

function importedKey(publicKey: Uint8Array): KeyObject {
  const name = publicKey.toHex();
  const recent = recentKeys.get(name);
  if (recent !== undefined) return recent;
  const key = formerKeys.get(name) ?? keyObject(publicKey);
  if (recentKeys.size >= RECENT_MAX) [formerKeys, recentKeys] = [recentKeys, new Map()];
  recentKeys.set(name, key);
  return key;
}

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
