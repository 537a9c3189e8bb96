// Checks of the two signatures that a node gives with its announcement and its heartbeats, and of the one for a new
// Ethereum key (reference 60, sections 7.7, 9.2 and 9.3).
import { ED25519_KEY_BYTES, ed25519Verify } from "../crypto/ed25519.ts";
import { keccakOf } from "../crypto/keccak.ts";
import { prefixedAddress, SECP256K1_SIGNATURE_BYTES, secp256k1Signer } from "../crypto/secp256k1.ts";
import { sha3Of } from "../crypto/sha3.ts";
import type { Signature } from "../wire/generated/commands.ts";
import { SIGNATURE_ALGORITHM, SIGNATURE_VERSION } from "../wire/transaction.ts";
import { CommandError } from "./errors.ts";

/** @throws CommandError unless `key` signed the digest of `text` */
export function checkVegaSignature(key: string, text: string, signature: Signature | undefined): void {
  if (signature?.algo !== SIGNATURE_ALGORITHM || signature.version !== SIGNATURE_VERSION) {
    throw new CommandError("unsupported algorithm of the vega signature");
  }
  const bytes = bytesOf(signature.value);
  const keyBytes = bytesOf(key);
  const isGood =
    bytes !== undefined &&
    keyBytes?.length === ED25519_KEY_BYTES &&
    ed25519Verify(keyBytes, sha3Of(Buffer.from(text, "utf8")), bytes);
  if (!isGood) throw new CommandError("invalid vega signature");
}

/** @throws CommandError unless the holder of `address` signed the Keccak digest of `text` */
export function checkEthereumSignature(
  address: string,
  text: string,
  signature: Signature | undefined,
): void {
  const bytes = bytesOf(signature?.value ?? "");
  const signer = bytes && secp256k1Signer(keccakOf(Buffer.from(text, "utf8")), withPlainV(bytes));
  if (signer === undefined || signer.toLowerCase() !== prefixedAddress(address).toLowerCase()) {
    throw new CommandError("invalid ethereum signature");
  }
}

/** Wallets write 27 and 28 in place of 0 and 1 (section 9.2). */
function withPlainV(signature: Uint8Array): Uint8Array {
  const v = signature[SECP256K1_SIGNATURE_BYTES - 1];
  if (v !== 27 && v !== 28) return signature;
  const plain = Uint8Array.from(signature);
  plain[SECP256K1_SIGNATURE_BYTES - 1] = v - 27;
  return plain;
}

/** Bytes of a hexadecimal text, with or without 0x. */
function bytesOf(text: string): Uint8Array | undefined {
  const digits = text.replace(/^0x/, "");
  return /^(?:[0-9a-fA-F]{2})*$/.test(digits) ? new Uint8Array(Buffer.from(digits, "hex")) : undefined;
}
