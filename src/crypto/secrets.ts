// Encryption, key derivation and wiping of secrets, for the wallet's files.
import { createCipheriv, createDecipheriv, scrypt } from "node:crypto";

// AES-256-GCM (NIST SP 800-38D). A nonce is used once for a key: drawn at random, 96 bits are good for 2^32 messages
// (docs/protocol/60-state-engine-staking.md#83-one-off), which no wallet file sees.

export const AES_KEY_BYTES = 32;
export const GCM_NONCE_BYTES = 12;
export const GCM_TAG_BYTES = 16;

const CIPHER = "aes-256-gcm";
const NOTHING = new Uint8Array(0);

/** The ciphertext with its tag behind it. @param header authenticated with it, and not encrypted */
export function aesGcmSeal(
  key: Uint8Array,
  nonce: Uint8Array,
  plaintext: Uint8Array,
  header: Uint8Array = NOTHING,
): Uint8Array {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: GCM_TAG_BYTES });
  cipher.setAAD(header);
  return new Uint8Array(Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]));
}

/** The plaintext; undefined if key, nonce, header or any bit of the ciphertext is wrong. */
export function aesGcmOpen(
  key: Uint8Array,
  nonce: Uint8Array,
  sealed: Uint8Array,
  header: Uint8Array = NOTHING,
): Uint8Array | undefined {
  if (sealed.length < GCM_TAG_BYTES) return undefined;
  const end = sealed.length - GCM_TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: GCM_TAG_BYTES });
  decipher.setAAD(header);
  decipher.setAuthTag(sealed.subarray(end));
  // GCM decrypts before the tag is checked: discard the plaintext if the tag is wrong.
  const plaintext = decipher.update(sealed.subarray(0, end));
  try {
    decipher.final();
  } catch {
    plaintext.fill(0);
    return undefined;
  }
  return plaintext;
}

// scrypt (RFC 7914), on the runtime's thread pool: the event loop is not blocked.

export interface ScryptCost {
  /** Base-2 logarithm of N, the cost of processor and memory. */
  readonly log2N: number;
  /** Size of a block. */
  readonly r: number;
  /** Passes, one after the other here. */
  readonly p: number;
}

/** Memory of a derivation: 128 r for each of N blocks, and a little (RFC 7914, section 5). */
export function scryptMemoryBytes({ log2N, r, p }: ScryptCost): number {
  return 128 * r * (2 ** log2N + p);
}

/** @param length in bytes */
export function scryptKey(
  passphrase: Uint8Array,
  salt: Uint8Array,
  cost: ScryptCost,
  length: number,
): Promise<Uint8Array> {
  // The library counts some more blocks than the formula.
  const maxmem = 2 * scryptMemoryBytes(cost) + 1024 * 1024;
  const options = { N: 2 ** cost.log2N, r: cost.r, p: cost.p, maxmem };
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, length, options, (error, key) => {
      if (error) reject(error);
      else resolve(new Uint8Array(key.buffer, key.byteOffset, key.length));
    });
  });
}

// Wiping of secrets. Only byte arrays can be wiped: JavaScript copies and frees strings when it likes, so secrets are kept
// out of strings wherever possible (docs/cli.md, "What stays in memory").

/** Overwrites bytes that were secret. */
export function wipe(...secrets: readonly (Uint8Array | undefined)[]): void {
  for (const secret of secrets) secret?.fill(0);
}

/**
 * A copy of a secret that never moves in memory. The runtime keeps small arrays in its own heap and moves them out when a
 * view of them is created, which leaves an unwiped copy behind; an array with its own buffer is not moved.
 */
export function secretCopy(bytes: Uint8Array): Uint8Array {
  const secret = new Uint8Array(new ArrayBuffer(bytes.length));
  secret.set(bytes);
  return secret;
}
