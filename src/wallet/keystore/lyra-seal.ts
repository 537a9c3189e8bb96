// Lyra's own wallet files: scrypt and AES-256-GCM behind an authenticated header.

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { ED25519_SEED_BYTES } from "../../crypto/ed25519.ts";
import {
  AES_KEY_BYTES,
  aesGcmOpen,
  aesGcmSeal,
  GCM_NONCE_BYTES,
  GCM_TAG_BYTES,
  type ScryptCost,
  scryptKey,
  scryptMemoryBytes,
  secretCopy,
  wipe,
} from "../../crypto/secrets.ts";
import { SLIP10_NODE_BYTES } from "../../crypto/slip10.ts";
import { walletChanged, walletDamaged, walletError, wrongPassphrase } from "../errors.ts";
import { checkKeyVersion, checkWallet, type WalletData } from "../keys/wallet-data.ts";
import type { RandomBytes } from "../random.ts";
import {
  hex64Of,
  indexOf,
  listOf,
  membersOf,
  metadataOf,
  parseMembers,
  permissionsFrom,
  sortedByHostname,
  taintOf,
} from "./members.ts";

// A seal turns a wallet into the bytes of its file and back. It holds a key and no passphrase, so an unlocked wallet
// can be written again without asking, and without deriving a key again.

export type FileFormat = "lyra" | "original";

export interface Seal {
  readonly format: FileFormat;
  seal(wallet: WalletData): Uint8Array;
  /**
   * Opens a file that a seal of the same key wrote.
   * @throws NodeError `wallet_changed` for a file of another key, `wallet_damaged`
   */
  open(file: Uint8Array): WalletData;
  /** Wipes the key; the seal is of no use then. */
  wipe(): void;
}

export interface Opened {
  readonly seal: Seal;
  readonly wallet: WalletData;
}

export function formatOf(file: Uint8Array): FileFormat {
  return hasLyraMagic(file) ? "lyra" : "original";
}

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
function writeHeader({ cost, salt, nonce, length }: Header, checkKey: Uint8Array): Uint8Array {
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
function isCheckedBy(file: Uint8Array, checkKey: Uint8Array): boolean {
  return timingSafeEqual(checkValue(file, checkKey), file.subarray(CHECK_AT, CHECKSUM_AT));
}

function checkValue(header: Uint8Array, checkKey: Uint8Array): Buffer {
  return createHmac("sha256", checkKey).update(header.subarray(0, CHECK_AT)).digest();
}

function checksum(header: Uint8Array): Buffer {
  const digest = createHash("sha256").update(header.subarray(0, CHECKSUM_AT)).digest();
  return digest.subarray(0, HEADER_BYTES - CHECKSUM_AT);
}

// The key of Lyra's own files, from a passphrase: scrypt, with limits on what a file may ask for. A file's
// parameters are read before anything in it can be trusted, so they must not exhaust the machine.

export type { ScryptCost };

/** 128 MiB, and about half a second on one core of 2024 (bench: open a wallet). */
export const KDF_COST: ScryptCost = { log2N: 17, r: 8, p: 2 };
const SALT_BYTES = 32;
/** A key for the cipher and one for the check value. */
const DERIVED_BYTES = 64;

/** Limits of parameters: four times the memory and eight times the work of new files. */
const MEMORY_BYTES_MAX = 513 * 1024 * 1024;
const WORK_MAX = 8 * workOf(KDF_COST);
/** Less is for tests alone, which say so. */
const MEMORY_BYTES_MIN = 16 * 1024 * 1024;

export interface KdfRules {
  /** Open and write files whose passphrase can be guessed fast. For tests: the command line never sets it. */
  readonly allowWeakKdf?: boolean;
}

function isWeak(cost: ScryptCost): boolean {
  return scryptMemoryBytes(cost) < MEMORY_BYTES_MIN;
}

/** @throws NodeError `kdf_refused` for parameters beyond the limits, or weak ones where nobody allowed them */
export function checkCost(cost: ScryptCost, { allowWeakKdf = false }: KdfRules): void {
  const { log2N, r, p } = cost;
  // RFC 7914, section 2: N is below 2^(16 r).
  const isSound = log2N >= 1 && log2N <= 30 && r >= 1 && p >= 1 && log2N < 16 * r;
  if (!isSound || scryptMemoryBytes(cost) > MEMORY_BYTES_MAX || workOf(cost) > WORK_MAX) {
    throw walletError(
      "kdf_refused",
      "the wallet file asks for more memory or time than a passphrase may take",
      "it was not made by Lyra: open only files of your own",
    );
  }
  if (isWeak(cost) && !allowWeakKdf) {
    throw walletError(
      "kdf_refused",
      "the wallet file's passphrase is protected too weakly",
      "it was made by a test, not by Lyra's command line",
    );
  }
}

/** @returns 64 secret bytes: the caller wipes them */
async function deriveFromPassphrase(
  passphrase: Uint8Array,
  salt: Uint8Array,
  cost: ScryptCost,
): Promise<Uint8Array> {
  try {
    return await scryptKey(passphrase, salt, cost, DERIVED_BYTES);
  } catch (error) {
    const megabytes = Math.ceil(scryptMemoryBytes(cost) / 1024 / 1024);
    throw walletError(
      "kdf_failed",
      "no key could be made from the passphrase",
      `it takes ${megabytes} MiB of memory, which may not be there`,
      { cause: error },
    );
  }
}

function workOf({ log2N, r, p }: ScryptCost): number {
  return 2 ** log2N * r * p;
}

// The encrypted part of a Lyra wallet file: the public part as JSON, and behind it the secrets as bytes. So no
// secret ever is a text, and all of them can be wiped.
//
//   length of the JSON (4 bytes) | JSON | node (64 bytes, none where isolated) | seed of each key (32 bytes)

const LENGTH_BYTES = 4;

/** The bytes to encrypt; they hold secrets, and the caller wipes them. */
function encodeBody({ version, id, node, keys, permissions }: WalletData): Uint8Array {
  const json = JSON.stringify({
    version,
    id,
    isolated: node === undefined,
    keys: keys.map(({ index, publicKey, metadata, isTainted }) => ({
      index,
      publicKey,
      metadata,
      tainted: isTainted,
    })),
    permissions: Object.fromEntries(sortedByHostname(permissions)),
  });
  const jsonBytes = Buffer.byteLength(json);
  const secrets = [...(node === undefined ? [] : [node]), ...keys.map(({ seed }) => seed)];
  const secretBytes = secrets.reduce((sum, { length }) => sum + length, 0);
  const body = Buffer.alloc(LENGTH_BYTES + jsonBytes + secretBytes);
  body.writeUInt32BE(jsonBytes);
  let place = LENGTH_BYTES + body.write(json, LENGTH_BYTES);
  for (const secret of secrets) {
    body.set(secret, place);
    place += secret.length;
  }
  return body;
}

/** @param bytes decrypted; the wallet has copies of its secrets, and the caller wipes these */
function decodeBody(bytes: Uint8Array): WalletData {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const jsonBytes = body.length < LENGTH_BYTES ? 0 : body.readUInt32BE();
  let place = LENGTH_BYTES + jsonBytes;
  if (place > body.length) throw walletDamaged("its content has no end");
  const take = (length: number): Uint8Array => {
    const secret = secretCopy(body.subarray(place, (place += length)));
    if (secret.length !== length) throw walletDamaged("its content has no end");
    return secret;
  };
  const members = parseMembers(body.toString("utf8", LENGTH_BYTES, place));
  const node = members.isolated === true ? undefined : take(SLIP10_NODE_BYTES);
  const keys = listOf(members.keys, "the list of keys").map((value) => {
    const { index, publicKey, metadata, tainted } = membersOf(value, "a key");
    return {
      index: indexOf(index),
      publicKey: hex64Of(publicKey, "a public key"),
      seed: take(ED25519_SEED_BYTES),
      metadata: metadataOf(metadata),
      isTainted: taintOf(tainted),
    };
  });
  if (place !== body.length) throw walletDamaged("there is something behind its content");
  return checkWallet({
    version: checkKeyVersion(members.version),
    id: hex64Of(members.id, "the wallet's identifier"),
    node,
    keys,
    permissions: permissionsFrom(members.permissions, keys),
  });
}

export class LyraSeal implements Seal {
  readonly format = "lyra";

  private constructor(
    private readonly cost: ScryptCost,
    private readonly salt: Uint8Array,
    /** 64 bytes: for the cipher, and for the check value. */
    private readonly derived: Uint8Array,
    private readonly random: RandomBytes,
  ) {}

  /** A seal for a new passphrase, with a salt of its own. */
  static async create(
    passphrase: Uint8Array,
    cost: ScryptCost,
    random: RandomBytes,
    rules: KdfRules,
  ): Promise<LyraSeal> {
    checkCost(cost, rules);
    const salt = random(SALT_BYTES);
    return new LyraSeal(cost, salt, await deriveFromPassphrase(passphrase, salt, cost), random);
  }

  /** @throws NodeError `wrong_passphrase`, `wallet_damaged`, `wallet_too_new`, `kdf_refused` */
  static async unlock(
    file: Uint8Array,
    passphrase: Uint8Array,
    random: RandomBytes,
    rules: KdfRules,
  ): Promise<Opened> {
    const { cost, salt } = readHeader(file);
    checkCost(cost, rules);
    const derived = await deriveFromPassphrase(passphrase, salt, cost);
    const seal = new LyraSeal(cost, salt, derived, random);
    try {
      if (!isCheckedBy(file, seal.checkKey)) throw wrongPassphrase();
      return { seal, wallet: seal.open(file) };
    } catch (error) {
      seal.wipe();
      throw error;
    }
  }

  seal(wallet: WalletData): Uint8Array {
    const body = encodeBody(wallet);
    try {
      const nonce = this.random(GCM_NONCE_BYTES);
      const length = body.length + GCM_TAG_BYTES;
      const header = writeHeader({ cost: this.cost, salt: this.salt, nonce, length }, this.checkKey);
      const sealed = aesGcmSeal(this.cipherKey, nonce, body, header);
      return new Uint8Array(Buffer.concat([header, sealed]));
    } finally {
      wipe(body);
    }
  }

  open(file: Uint8Array): WalletData {
    const { salt, nonce } = readHeader(file);
    if (Buffer.compare(salt, this.salt) !== 0) throw walletChanged();
    if (!isCheckedBy(file, this.checkKey)) throw walletDamaged("its head was written by somebody else");
    const header = file.subarray(0, HEADER_BYTES);
    const body = aesGcmOpen(this.cipherKey, nonce, file.subarray(HEADER_BYTES), header);
    if (body === undefined) throw walletDamaged("its content is not what was written");
    try {
      return decodeBody(body);
    } finally {
      wipe(body);
    }
  }

  wipe(): void {
    wipe(this.derived);
  }

  private get cipherKey(): Uint8Array {
    return this.derived.subarray(0, AES_KEY_BYTES);
  }

  private get checkKey(): Uint8Array {
    return this.derived.subarray(AES_KEY_BYTES);
  }
}
