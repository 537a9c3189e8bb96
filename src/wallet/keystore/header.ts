// The head of a Lyra wallet file: 128 bytes in front of the ciphertext, all of which the cipher authenticates.
//
//    0  16  "lyra-wallet-file"
//   16   2  version of the format: 1
//   18   1  key derivation: 1, scrypt
//   19   1  cipher: 1, AES-256-GCM
//   20   1  scrypt: log2 of N
//   21   1  scrypt: r
//   22   1  scrypt: p
//   23   1  flags: 1, made for tests with a weak key derivation
//   24  32  salt
//   56  12  nonce
//   68   4  length of the ciphertext with its tag, big-endian
//   72  32  check value: HMAC-SHA-256 over bytes 0 to 71, with the second half of the derived key
//  104  24  checksum: the first bytes of SHA-256 over bytes 0 to 103
//
// The checksum needs no key, so damage is seen without a passphrase, and before its parameters cost anything. The
// check value says whether the passphrase is right, so a ciphertext that then does not open is damaged. It also
// binds the file to one key, which AES-GCM alone does not.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { GCM_NONCE_BYTES, GCM_TAG_BYTES } from "../../crypto/secrets.ts";
import { walletDamaged, walletError } from "../errors.ts";
import { isWeak, SALT_BYTES, type ScryptCost } from "./passphrase-kdf.ts";

export const HEADER_BYTES = 128;
const MAGIC = Buffer.from("lyra-wallet-file", "latin1");
const FORMAT_VERSION = 1;
const KDF_SCRYPT = 1;
const CIPHER_AES_256_GCM = 1;
const FLAG_WEAK = 1;

const AT = {
  version: 16,
  kdf: 18,
  cipher: 19,
  log2N: 20,
  r: 21,
  p: 22,
  flags: 23,
  salt: 24,
  nonce: 56,
} as const;
const LENGTH_AT = 68;
const CHECK_AT = 72;
const CHECKSUM_AT = 104;
/**
 * Wrong bits that a damaged magic may have. A file of the original begins with random bytes: one in 2^62 of them
 * comes that close.
 */
const MAGIC_WRONG_BITS_MAX = 16;

export interface Header {
  readonly cost: ScryptCost;
  readonly salt: Uint8Array;
  readonly nonce: Uint8Array;
  /** Of the ciphertext with its tag. */
  readonly length: number;
}

/** Whether a file is one of Lyra's, if only a damaged one. */
export function hasLyraMagic(file: Uint8Array): boolean {
  let wrong = 0;
  for (const [index, byte] of MAGIC.entries()) {
    if (index >= file.length) return index > 0 && wrong === 0;
    let bits = byte ^ file[index]!;
    for (; bits !== 0; bits &= bits - 1) wrong++;
  }
  return wrong <= MAGIC_WRONG_BITS_MAX || isHeadBehind(file);
}

/** Whether all of the head but the magic is as it was written. */
function isHeadBehind(file: Uint8Array): boolean {
  if (file.length < HEADER_BYTES) return false;
  const head = Buffer.concat([MAGIC, file.subarray(MAGIC.length, HEADER_BYTES)]);
  return timingSafeEqual(checksum(head), head.subarray(CHECKSUM_AT));
}

/** @param checkKey the second half of the derived key */
export function writeHeader({ cost, salt, nonce, length }: Header, checkKey: Uint8Array): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  header.set(MAGIC);
  header.writeUInt16BE(FORMAT_VERSION, AT.version);
  header[AT.kdf] = KDF_SCRYPT;
  header[AT.cipher] = CIPHER_AES_256_GCM;
  header[AT.log2N] = cost.log2N;
  header[AT.r] = cost.r;
  header[AT.p] = cost.p;
  header[AT.flags] = isWeak(cost) ? FLAG_WEAK : 0;
  header.set(salt, AT.salt);
  header.set(nonce, AT.nonce);
  header.writeUInt32BE(length, LENGTH_AT);
  header.set(checkValue(header, checkKey), CHECK_AT);
  header.set(checksum(header), CHECKSUM_AT);
  return header;
}

/**
 * Reads the head of a whole file, and checks all that needs no passphrase.
 * @throws NodeError `wallet_damaged`, or `wallet_too_new`
 */
export function readHeader(file: Uint8Array): Header {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  if (bytes.length < HEADER_BYTES) throw walletDamaged("it ends before its content");
  if (!timingSafeEqual(checksum(bytes), bytes.subarray(CHECKSUM_AT, HEADER_BYTES))) {
    throw walletDamaged("its head is not what was written");
  }
  const isKnown =
    MAGIC.equals(bytes.subarray(0, MAGIC.length)) &&
    bytes.readUInt16BE(AT.version) === FORMAT_VERSION &&
    bytes[AT.kdf] === KDF_SCRYPT &&
    bytes[AT.cipher] === CIPHER_AES_256_GCM &&
    bytes[AT.flags]! <= FLAG_WEAK;
  if (!isKnown) {
    throw walletError(
      "wallet_too_new",
      "the wallet file is of a newer kind",
      "open it with the Lyra that wrote it",
    );
  }
  const length = bytes.readUInt32BE(LENGTH_AT);
  const there = bytes.length - HEADER_BYTES;
  if (length !== there || there < GCM_TAG_BYTES) {
    throw walletDamaged(there < length ? "it ends before its content does" : "there is something behind it");
  }
  return {
    cost: { log2N: bytes[AT.log2N]!, r: bytes[AT.r]!, p: bytes[AT.p]! },
    salt: Uint8Array.from(bytes.subarray(AT.salt, AT.salt + SALT_BYTES)),
    nonce: Uint8Array.from(bytes.subarray(AT.nonce, AT.nonce + GCM_NONCE_BYTES)),
    length,
  };
}

/** Whether the derived key is the one that the file was written with. */
export function isCheckedBy(file: Uint8Array, checkKey: Uint8Array): boolean {
  return timingSafeEqual(checkValue(file, checkKey), file.subarray(CHECK_AT, CHECKSUM_AT));
}

function checkValue(header: Uint8Array, checkKey: Uint8Array): Buffer {
  return createHmac("sha256", checkKey).update(header.subarray(0, CHECK_AT)).digest();
}

function checksum(header: Uint8Array): Buffer {
  const digest = createHash("sha256").update(header.subarray(0, CHECKSUM_AT)).digest();
  return digest.subarray(0, HEADER_BYTES - CHECKSUM_AT);
}
