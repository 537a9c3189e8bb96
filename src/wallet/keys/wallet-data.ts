// What a wallet is, whatever file it comes from (reference 50, section 5.3). Values are never changed in place: a
// change makes another wallet, which shares the buffers of its secrets with the one before.
import { ed25519KeyPair } from "../../crypto/ed25519.ts";
import { wipe } from "../../crypto/secrets.ts";
import { SLIP10_NODE_BYTES, type Slip10Node } from "../../crypto/slip10.ts";
import { hexOf } from "../../wire/identifiers.ts";
import { walletDamaged, walletError } from "../errors.ts";
import { KEYS_MAX } from "../limits.ts";
import { type DerivedKey, type KeyVersion, walletId } from "./derivation.ts";

/** Of new wallets. */
export const KEY_VERSION_DEFAULT: KeyVersion = 2;

export interface MetadataEntry {
  readonly key: string;
  readonly value: string;
}
export type Metadata = readonly MetadataEntry[];

export interface KeyData extends DerivedKey {
  readonly metadata: Metadata;
  /** Not to be used any more: signs nothing and is shown to nobody. */
  readonly isTainted: boolean;
}

export type Access = "read" | "none";

export interface Permissions {
  readonly publicKeys: {
    readonly access: Access;
    /** In the user's order. Empty with `read`: every key that is not tainted, also those to come. */
    readonly allowedKeys: readonly string[];
  };
}

export interface WalletData {
  readonly version: KeyVersion;
  /** The public key of the node: the master public key. */
  readonly id: string;
  /** Where keys come from; secret. An isolated wallet has none, and so no new keys and no master key. */
  readonly node: Slip10Node | undefined;
  /** Ordered by index. */
  readonly keys: readonly KeyData[];
  /** By hostname. */
  readonly permissions: ReadonlyMap<string, Permissions>;
}

export function checkKeyVersion(version: unknown): KeyVersion {
  if (version === 1 || version === 2) return version;
  const shown = typeof version === "number" ? String(version) : "of an unknown kind";
  throw walletError(
    "key_version_unknown",
    `the wallet with key derivation version ${shown} isn't supported`,
    "versions 1 and 2 are known",
  );
}

/**
 * Checks what no cipher can: that the parts of a wallet belong together.
 * @throws NodeError `wallet_damaged`
 */
export function checkWallet(wallet: WalletData): WalletData {
  const { node, keys } = wallet;
  if (node !== undefined && (node.length !== SLIP10_NODE_BYTES || walletId(node) !== wallet.id)) {
    throw walletDamaged("its identifier is not the one of its node");
  }
  if (keys.length > KEYS_MAX) throw walletDamaged(`it has more than ${KEYS_MAX} keys`);
  if (node === undefined && keys.length !== 1) throw walletDamaged("an isolated wallet has exactly one key");
  let last = 0;
  for (const key of keys) {
    if (!Number.isSafeInteger(key.index) || key.index <= last) throw walletDamaged("its keys have no order");
    last = key.index;
    if (key.publicKey !== hexOf(ed25519KeyPair(key.seed).publicKey)) {
      throw walletDamaged(`key ${key.index} is not the private key of its public key`);
    }
  }
  return wallet;
}

/** Wipes the secrets of a wallet, but for those that `kept` goes on using. */
export function wipeWallet(wallet: WalletData, kept?: WalletData): void {
  const inUse = new Set([kept?.node, ...(kept?.keys ?? []).map(({ seed }) => seed)]);
  const secrets = [wallet.node, ...wallet.keys.map(({ seed }) => seed)];
  wipe(...secrets.filter((secret) => !inUse.has(secret)));
}
