// Keccak-256 as Ethereum has it: the submission to the SHA-3 contest, with its first padding. The runtime has
// none, so this is @noble/hashes. Used for bridge digests and addresses only (reference 60, section 4.7).
import { keccak_256 } from "@noble/hashes/sha3.js";

/** The digest of `bytes`, 32 bytes. */
export function keccakOf(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes);
}
