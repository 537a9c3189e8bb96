// AES-256-GCM (NIST SP 800-38D) of node:crypto. A nonce is used once for a key: drawn at random, 96 bits are good for
// 2^32 messages (section 8.3), which no wallet file sees.
import { createCipheriv, createDecipheriv } from "node:crypto";

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

/** The plaintext; undefined where key, nonce, header or any bit of the ciphertext is another one. */
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
  // The cipher works like a stream: all of the text is there before the tag says whether it may be used.
  const plaintext = decipher.update(sealed.subarray(0, end));
  try {
    decipher.final();
  } catch {
    plaintext.fill(0);
    return undefined;
  }
  return plaintext;
}
