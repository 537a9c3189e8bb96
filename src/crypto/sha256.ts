// SHA-256 (FIPS 180-4): the hash of a transaction (reference 30, section 2.3).

/** The digest of `bytes`, 32 bytes. */
export function sha256Of(bytes: Uint8Array): Uint8Array {
  return Bun.CryptoHasher.hash("sha256", bytes);
}
