// SHA-256 (FIPS 180-4): the hash of a transaction (reference 30, section 2.3).

/** The digest of `bytes` in lower-case hexadecimal. */
export function sha256HexOf(bytes: Uint8Array): string {
  return Bun.CryptoHasher.hash("sha256", bytes, "hex");
}
