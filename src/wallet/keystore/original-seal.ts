// Wallet files of the original (docs/protocol/50-wallet-keystore.md#52-encryption): AES-256-GCM under the bare SHA3-256
// of the passphrase. No salt and no work: anyone with such a file can try passphrases as fast as they can hash.

import { ED25519_SEED_BYTES } from "../../crypto/ed25519.ts";
import {
  AES_KEY_BYTES,
  aesGcmOpen,
  aesGcmSeal,
  GCM_NONCE_BYTES,
  GCM_TAG_BYTES,
  wipe,
} from "../../crypto/secrets.ts";
import { sha3Of } from "../../crypto/sha.ts";
import { SLIP10_NODE_BYTES } from "../../crypto/slip10.ts";
import { hexOf, isHex } from "../../wire/identifiers.ts";
import { renderPlain } from "../../wire/json.ts";
import { SIGNATURE_ALGORITHM, SIGNATURE_VERSION } from "../../wire/transaction.ts";
import { walletChanged, walletDamaged, wrongPassphrase } from "../errors.ts";
import { walletId } from "../keys/derivation.ts";
import { checkKeyVersion, checkWallet, type KeyData, type WalletData } from "../keys/wallet-data.ts";
import type { RandomBytes } from "../random.ts";
import type { Opened, Seal } from "./lyra-seal.ts";
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
  textOf,
} from "./members.ts";

// The encrypted part of a wallet file of the original: one JSON document with all secrets in it
// (docs/protocol/50-wallet-keystore.md#53-plaintext-json). Reading and writing it puts secrets into JavaScript texts,
// which cannot be wiped.

/** The document with its members in the original's order, and null where Go has no list. */
export function encodeOriginalBody({ version, id, node, keys, permissions }: WalletData): Uint8Array {
  const orNull = <T>(list: readonly T[]) => (list.length === 0 ? null : list);
  const document = {
    version,
    ...(node && { node: Buffer.from(node).toString("base64") }),
    id,
    keys: keys.map(({ index, publicKey, seed, metadata, isTainted }) => ({
      index,
      public_key: publicKey,
      private_key: hexOf(seed) + publicKey,
      meta: orNull(metadata),
      tainted: isTainted,
      algorithm: { name: SIGNATURE_ALGORITHM, version: SIGNATURE_VERSION },
    })),
    permissions: Object.fromEntries(
      sortedByHostname(permissions).map(([hostname, { publicKeys }]) => [
        hostname,
        { publicKeys: { access: publicKeys.access, allowedKeys: orNull(publicKeys.allowedKeys) } },
      ]),
    ),
  };
  return Buffer.from(renderPlain(document), "utf8");
}

export function decodeOriginalBody(bytes: Uint8Array): WalletData {
  const members = parseMembers(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
  const node = nodeOf(members.node);
  const keys = listOf(members.keys, "the list of keys").map(keyOf);
  keys.sort((one, other) => one.index - other.index);
  // Old files have no identifier; an isolated wallet cannot know its own, so there it must be given.
  const hasNone = members.id === undefined || members.id === null || members.id === "";
  const id = hasNone && node !== undefined ? walletId(node) : members.id;
  return checkWallet({
    version: checkKeyVersion(members.version),
    id: hex64Of(id, "the wallet's identifier"),
    node,
    keys,
    permissions: permissionsFrom(members.permissions, keys),
  });
}

function nodeOf(value: unknown): Uint8Array | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const node = new Uint8Array(Buffer.from(textOf(value, "its node"), "base64"));
  if (node.length !== SLIP10_NODE_BYTES) throw walletDamaged(`its node is not ${SLIP10_NODE_BYTES} bytes`);
  return node;
}

function keyOf(value: unknown): KeyData {
  const { index, public_key, private_key, meta, tainted, algorithm } = membersOf(value, "a key");
  const { name, version } = membersOf(algorithm, "the algorithm of a key");
  if (name !== SIGNATURE_ALGORITHM || version !== SIGNATURE_VERSION) {
    throw walletDamaged("a key is of an unknown algorithm");
  }
  const publicKey = hex64Of(public_key, "a public key");
  const privateKey = textOf(private_key, "a private key");
  const isPair = privateKey.length === 128 && isHex(privateKey) && privateKey.slice(64) === publicKey;
  if (!isPair) throw walletDamaged("a private key is not a seed and its public key");
  return {
    index: indexOf(index),
    publicKey,
    seed: new Uint8Array(Buffer.from(privateKey.slice(0, ED25519_SEED_BYTES * 2), "hex")),
    metadata: metadataOf(meta),
    isTainted: taintOf(tainted),
  };
}

export class OriginalSeal implements Seal {
  readonly format = "original";
  private readonly key: Uint8Array;

  constructor(
    passphrase: Uint8Array,
    private readonly random: RandomBytes,
  ) {
    this.key = Uint8Array.from(sha3Of(passphrase));
    if (this.key.length !== AES_KEY_BYTES) throw new RangeError("a digest is as long as a key");
  }

  /** @throws NodeError `wrong_passphrase`, also for most damage: such a file does not tell them apart */
  static unlock(file: Uint8Array, passphrase: Uint8Array, random: RandomBytes): Opened {
    if (file.length === 0) throw walletDamaged("it is empty");
    if (file.length <= GCM_NONCE_BYTES + GCM_TAG_BYTES) throw walletDamaged("it ends before its content");
    const seal = new OriginalSeal(passphrase, random);
    try {
      const body = seal.decrypt(file);
      if (body === undefined) {
        throw wrongPassphrase(
          "or the file is damaged: a file of the original wallet does not tell the two apart",
        );
      }
      return { seal, wallet: read(body) };
    } catch (error) {
      seal.wipe();
      throw error;
    }
  }

  seal(wallet: WalletData): Uint8Array {
    const body = encodeOriginalBody(wallet);
    try {
      return this.encrypt(body);
    } finally {
      wipe(body);
    }
  }

  open(file: Uint8Array): WalletData {
    const body = this.decrypt(file);
    if (body === undefined) throw walletChanged();
    return read(body);
  }

  /** Any bytes in the original's envelope: its `tokens.json` has the same one (docs/protocol/50-wallet-keystore.md#58-tokensjson). */
  encrypt(plaintext: Uint8Array): Uint8Array {
    const nonce = this.random(GCM_NONCE_BYTES);
    return new Uint8Array(Buffer.concat([nonce, aesGcmSeal(this.key, nonce, plaintext)]));
  }

  decrypt(file: Uint8Array): Uint8Array | undefined {
    return aesGcmOpen(this.key, file.subarray(0, GCM_NONCE_BYTES), file.subarray(GCM_NONCE_BYTES));
  }

  wipe(): void {
    wipe(this.key);
  }
}

function read(body: Uint8Array): WalletData {
  try {
    return decodeOriginalBody(body);
  } finally {
    wipe(body);
  }
}
