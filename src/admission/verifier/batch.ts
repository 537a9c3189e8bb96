// Signatures as they travel to a thread: 32 bytes of key, 32 of digest, 64 of signature, one after the other.
import { ed25519Verify } from "../../crypto/ed25519.ts";

const KEY_END = 32;
const DIGEST_END = 64;
const RECORD_BYTES = 128;

export interface SignatureClaim {
  readonly publicKey: Uint8Array;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

export function packClaims(claims: readonly SignatureClaim[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(claims.length * RECORD_BYTES);
  for (const [index, { publicKey, digest, signature }] of claims.entries()) {
    const start = index * RECORD_BYTES;
    packed.set(publicKey, start);
    packed.set(digest, start + KEY_END);
    packed.set(signature, start + DIGEST_END);
  }
  return packed;
}

/** One byte a claim: 1 when the signature is the key's. */
export function verifyPacked(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  const answers = new Uint8Array(packed.length / RECORD_BYTES);
  for (let index = 0; index < answers.length; index++) {
    const start = index * RECORD_BYTES;
    const key = packed.subarray(start, start + KEY_END);
    const digest = packed.subarray(start + KEY_END, start + DIGEST_END);
    const signature = packed.subarray(start + DIGEST_END, start + RECORD_BYTES);
    answers[index] = ed25519Verify(key, digest, signature) ? 1 : 0;
  }
  return answers;
}
