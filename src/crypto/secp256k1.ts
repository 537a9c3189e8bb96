// secp256k1 signatures as the Ethereum bridge reads them
// (docs/protocol/60-state-engine-accounts.md#47-what-exactly-is-signed). The runtime has no such curve and no Keccak,
// so these are @noble/curves and @noble/hashes.
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";

export const SECP256K1_SIGNATURE_BYTES = 65;

/**
 * Signs a 32-byte digest: RFC 6979, low s, 65 bytes r ‖ s ‖ v with v 0 or 1. No prefix of EIP-191 and no 27 is
 * added, because the bridge contracts expect neither.
 */
export function secp256k1Sign(digest: Uint8Array, secretKey: Uint8Array): Uint8Array {
  const recovered = secp256k1.sign(digest, secretKey, { prehash: false, format: "recovered" });
  const signature = new Uint8Array(SECP256K1_SIGNATURE_BYTES);
  signature.set(recovered.subarray(1));
  signature[64] = recovered[0]!;
  return signature;
}

const HALF_ORDER = secp256k1.Point.Fn.ORDER / 2n;

/**
 * The checksummed address of the signer of `digest`; undefined for an invalid signature. High-s signatures are invalid
 * (EIP-2), because anyone can make one from a signature with low s.
 */
export function secp256k1Signer(digest: Uint8Array, signature: Uint8Array): string | undefined {
  if (signature.length !== SECP256K1_SIGNATURE_BYTES) return undefined;
  if (BigInt(`0x${Buffer.from(signature.subarray(32, 64)).toString("hex")}`) > HALF_ORDER) return undefined;
  return secp256k1Recovered(digest, signature);
}

/** The same with low or high s, for third-party data: exchanges sign prices with high s, too. */
export function secp256k1Recovered(digest: Uint8Array, signature: Uint8Array): string | undefined {
  if (signature.length !== SECP256K1_SIGNATURE_BYTES || signature[64]! > 1) return undefined;
  const recovered = new Uint8Array(SECP256K1_SIGNATURE_BYTES);
  recovered[0] = signature[64]!;
  recovered.set(signature.subarray(0, 64), 1);
  try {
    const key = secp256k1.recoverPublicKey(recovered, digest, { prehash: false });
    return addressOf(secp256k1.Point.fromBytes(key).toBytes(false));
  } catch {
    return undefined; // r or s out of range, or r not a point
  }
}

/** The checksummed address of a 32-byte secret key. */
export function ethereumAddress(secretKey: Uint8Array): string {
  return addressOf(secp256k1.getPublicKey(secretKey, false));
}

/** The last 20 bytes of the Keccak digest of x ‖ y. */
function addressOf(uncompressedKey: Uint8Array): string {
  return checksumAddress(Buffer.from(keccakOf(uncompressedKey.subarray(1)).subarray(12)).toString("hex"));
}

const ADDRESS = /^(?:0[xX])?([0-9a-fA-F]{40})$/;

/**
 * True for 40 hexadecimal digits in any case, with or without 0x
 * (docs/protocol/30-node-api-transactions.md#33-message-catalogue).
 */
export function isEthereumAddress(text: string): boolean {
  return ADDRESS.test(text);
}

const ADDRESS_DIGITS = 40;

/** An address in any of its forms, with 0x in front; the case of its digits stays. */
export function prefixedAddress(text: string): string {
  return `0x${text.slice(-ADDRESS_DIGITS)}`;
}

/** The bytes of an address in any of its forms. */
export function addressBytes(text: string): Uint8Array {
  const digits = ADDRESS.exec(text)?.[1];
  if (digits === undefined) throw new RangeError("an Ethereum address has 40 hexadecimal digits");
  return new Uint8Array(Buffer.from(digits, "hex"));
}

/** The address with the checksum of EIP-55: a letter is a capital where the digest's digit is 8 or more. */
export function checksumAddress(text: string): string {
  const digits = Buffer.from(addressBytes(text)).toString("hex");
  const digest = Buffer.from(keccakOf(Buffer.from(digits, "latin1"))).toString("hex");
  const marked = [...digits].map((digit, index) =>
    Number.parseInt(digest[index]!, 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${marked.join("")}`;
}

/** Keccak-256, 32 bytes: the submission to the SHA-3 contest with its first padding, as Ethereum has it. */
export function keccakOf(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes);
}
