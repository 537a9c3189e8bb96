// SHA3-256 (FIPS 202): digests that are signed, identifiers, proofs of work; and SHA-256 (FIPS 180-4): the hash of a
// transaction (docs/protocol/30-node-api-transactions.md#23-signing-ids-hashes). Both are the runtime's own: Bun's,
// which is faster by half, or Node's where the package runs under Node.
import { createHash } from "node:crypto";

export const SHA3_256_BYTES = 32;

const isBun = "Bun" in globalThis;

/**
 * The digest of `bytes`; not Keccak, whose padding differs (secp256k1.ts).
 * @param into target; default: a new array
 */
export function sha3Of(bytes: Uint8Array, into?: Uint8Array): Uint8Array {
  if (!isBun) return digestOf("sha3-256", bytes, into);
  if (into === undefined) return Bun.CryptoHasher.hash("sha3-256", bytes);
  Bun.CryptoHasher.hash("sha3-256", bytes, into);
  return into;
}

/** The same in lower-case hexadecimal. */
export function sha3HexOf(bytes: Uint8Array): string {
  if (!isBun) return createHash("sha3-256").update(bytes).digest("hex");
  return Bun.CryptoHasher.hash("sha3-256", bytes, "hex");
}

/** A reusable buffer for the input of a hash; hash it before the next input is written. */
export class HashInput {
  readonly bytes: Buffer;
  /** Views of the first bytes, by length; few lengths occur. */
  private readonly parts: Buffer[] = [];

  /** @param length of the longest input, in bytes */
  constructor(length: number) {
    this.bytes = Buffer.alloc(length);
  }

  first(length: number): Uint8Array {
    this.parts[length] ??= this.bytes.subarray(0, length);
    return this.parts[length];
  }
}

/** The SHA-256 digest of `bytes` in lower-case hexadecimal. */
export function sha256HexOf(bytes: Uint8Array): string {
  if (!isBun) return createHash("sha256").update(bytes).digest("hex");
  return Bun.CryptoHasher.hash("sha256", bytes, "hex");
}

/** The SHA-256 digest of bytes, or of a text as UTF-8. @param into 32 bytes, which it is written to */
export function sha256Of(input: Uint8Array | string, into: Uint8Array): Uint8Array {
  if (isBun) Bun.SHA256.hash(input, into);
  else into.set(createHash("sha256").update(input).digest());
  return into;
}

function digestOf(algorithm: string, input: Uint8Array, into?: Uint8Array): Uint8Array {
  const digest = createHash(algorithm).update(input).digest();
  if (into === undefined) return new Uint8Array(digest);
  into.set(digest);
  return into;
}
