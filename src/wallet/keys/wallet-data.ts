// The data of a wallet, whatever file it comes from (docs/protocol/50-wallet-keystore.md#53-plaintext-json). Values are
// never changed in place: a change makes another wallet, which shares the buffers of its secrets with the one before.
import { ed25519KeyPair } from "../../crypto/ed25519.ts";
import { wipe } from "../../crypto/secrets.ts";
import { SLIP10_NODE_BYTES, type Slip10Node } from "../../crypto/slip10.ts";
import { hexOf, isHex64 } from "../../wire/identifiers.ts";
import { keyTainted, keyUnknown, walletDamaged, walletError } from "../errors.ts";
import {
  HOSTNAME_LENGTH_MAX,
  HOSTNAMES_MAX,
  KEYS_MAX,
  METADATA_ENTRIES_MAX,
  METADATA_TEXT_MAX,
} from "../limits.ts";
import { type DerivedKey, deriveKey, KEY_INDEX_MAX, type KeyVersion, walletId } from "./derivation.ts";

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

type Access = "read" | "none";

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

/** Wipes the secrets of a wallet, except for those that `kept` goes on using. */
export function wipeWallet(wallet: WalletData, kept?: WalletData): void {
  const inUse = new Set([kept?.node, ...(kept?.keys ?? []).map(({ seed }) => seed)]);
  const secrets = [wallet.node, ...wallet.keys.map(({ seed }) => seed)];
  wipe(...secrets.filter((secret) => !inUse.has(secret)));
}

// Permissions: the keys of a wallet that a hostname may see (docs/protocol/50-wallet-service.md#32-admin and
// docs/protocol/50-wallet-keystore.md#53-plaintext-json). Kept in the wallet's file, so it lasts.

const NO_PERMISSIONS: Permissions = { publicKeys: { access: "none", allowedKeys: [] } };

/** Why permissions do not go with these keys, in the original's words; undefined when they do. */
export function permissionsProblem(
  { publicKeys: { access, allowedKeys } }: Permissions,
  keys: readonly KeyData[],
): string | undefined {
  if (access === "none") {
    return allowedKeys.length > 0 ? `can't set allowed keys with "none" access` : undefined;
  }
  if (keys.length === 0) return "the wallet does not have keys";
  if (keys.every(({ isTainted }) => isTainted)) return "all the keys in this wallet are tainted";
  for (const allowed of allowedKeys) {
    const key = keys.find(({ publicKey }) => publicKey === allowed);
    // A text that is not a key is not repeated: it comes from outside.
    const shown = isHex64(allowed) ? allowed : "<not a public key>";
    if (key === undefined) return `this allowed key ${shown} does not exist on wallet`;
    if (key.isTainted) return `this allowed key ${shown} is tainted`;
  }
  return undefined;
}

export function permissionsOf(wallet: WalletData, hostname: string): Permissions {
  return wallet.permissions.get(hostname) ?? NO_PERMISSIONS;
}

/** The keys that a hostname may use: in the user's order where there is one, else by index. */
export function keysFor(wallet: WalletData, hostname: string): readonly KeyData[] {
  const { access, allowedKeys } = permissionsOf(wallet, hostname).publicKeys;
  if (access === "none") return [];
  const usable = wallet.keys.filter(({ isTainted }) => !isTainted);
  if (allowedKeys.length === 0) return usable;
  return allowedKeys.flatMap((allowed) => usable.filter(({ publicKey }) => publicKey === allowed));
}

/** @throws NodeError `permissions_inconsistent` */
export function withPermissions(wallet: WalletData, hostname: string, permissions: Permissions): WalletData {
  checkHostname(hostname);
  const problem = permissionsProblem(permissions, wallet.keys);
  if (problem !== undefined) {
    throw walletError(
      "permissions_inconsistent",
      `could not update the permissions: inconsistent permissions setup: ${problem}`,
    );
  }
  const all = new Map(wallet.permissions).set(hostname, permissions);
  if (all.size > HOSTNAMES_MAX) {
    throw walletError(
      "permissions_full",
      `the wallet has permissions for ${HOSTNAMES_MAX} hostnames`,
      "purge them, or revoke those that are not used any more",
    );
  }
  return { ...wallet, permissions: all };
}

/** Revoking what was never given is fine. */
export function withoutPermissions(wallet: WalletData, hostname: string): WalletData {
  const permissions = new Map(wallet.permissions);
  permissions.delete(hostname);
  return { ...wallet, permissions };
}

/** The permissions that still go with `keys` after one of them was tainted: no other key takes its place. */
function withoutKey(
  permissions: WalletData["permissions"],
  tainted: string,
  keys: readonly KeyData[],
): WalletData["permissions"] {
  const isAnyLeft = keys.some(({ isTainted }) => !isTainted);
  return new Map(
    [...permissions].map(([hostname, entry]) => {
      const { access, allowedKeys } = entry.publicKeys;
      const left = allowedKeys.filter((key) => key !== tainted);
      const wasOnlyKey = allowedKeys.length > 0 && left.length === 0;
      if (access === "none" || !isAnyLeft || wasOnlyKey) return [hostname, NO_PERMISSIONS];
      return [hostname, { publicKeys: { access, allowedKeys: left } }];
    }),
  );
}

function checkHostname(hostname: string): void {
  const isUsable =
    hostname !== "" &&
    hostname.length <= HOSTNAME_LENGTH_MAX &&
    hostname.isWellFormed() &&
    !/\p{Cc}/u.test(hostname);
  if (!isUsable) throw walletError("hostname_invalid", "the hostname is not valid");
}

// Metadata of a key: pairs of texts, one of which is its name (docs/protocol/50-wallet-keystore.md#53-plaintext-json).

const NAME = "name";
/** The original's word for a key of an old wallet, which has no name. */
const NAMELESS = "<No name>";

export function keyName(metadata: Metadata): string {
  return metadata.find(({ key }) => key === NAME)?.value ?? NAMELESS;
}

/** The metadata with a name: `Key <index>` where none is given. @throws NodeError `metadata_invalid` */
function namedMetadata(metadata: Metadata, index: number): Metadata {
  if (metadata.length > METADATA_ENTRIES_MAX)
    throw invalid(`it has more than ${METADATA_ENTRIES_MAX} entries`);
  for (const { key, value } of metadata) {
    if (key === "") throw invalid("an entry has no key");
    if (key.length > METADATA_TEXT_MAX || value.length > METADATA_TEXT_MAX) {
      throw invalid(`an entry has more than ${METADATA_TEXT_MAX} characters`);
    }
    if (!key.isWellFormed() || !value.isWellFormed()) throw invalid("an entry is not well-formed text");
  }
  const entries = metadata.map(({ key, value }) => ({ key, value }));
  if (entries.some(({ key }) => key === NAME)) return entries;
  return [...entries, { key: NAME, value: `Key ${index}` }];
}

function invalid(why: string) {
  return walletError("metadata_invalid", "the metadata cannot be kept", why);
}

// Changes of a wallet's keys (docs/protocol/50-wallet-service.md#32-admin). Each makes another wallet.

/** @throws NodeError `key_unknown` */
export function keyOf(wallet: WalletData, publicKey: string): KeyData {
  const key = wallet.keys.find((candidate) => candidate.publicKey === publicKey);
  if (key === undefined) throw keyUnknown();
  return key;
}

/** A wallet with the key behind its last one. @throws NodeError `wallet_isolated` */
export function withNewKey(wallet: WalletData, metadata: Metadata = []): WalletData {
  if (wallet.node === undefined) {
    throw walletError("wallet_isolated", "an isolated wallet can't generate keys");
  }
  if (wallet.keys.length >= KEYS_MAX) {
    throw walletError("keys_full", `the wallet has ${KEYS_MAX} keys, and no room for more`);
  }
  const index = (wallet.keys.at(-1)?.index ?? 0) + 1;
  if (index > KEY_INDEX_MAX) throw walletError("keys_full", "there is no key behind the wallet's last one");
  const named = namedMetadata(metadata, index);
  const key = { ...deriveKey(wallet.node, wallet.version, index), metadata: named, isTainted: false };
  return { ...wallet, keys: [...wallet.keys, key] };
}

/** Replaces all that is written beside a key. */
export function withMetadata(wallet: WalletData, publicKey: string, metadata: Metadata): WalletData {
  const { index } = keyOf(wallet, publicKey);
  return withKey(wallet, publicKey, { metadata: namedMetadata(metadata, index) });
}

/** @throws NodeError `key_already_tainted` */
export function withTaint(wallet: WalletData, publicKey: string): WalletData {
  if (keyOf(wallet, publicKey).isTainted) {
    throw walletError("key_already_tainted", "the public key is already tainted");
  }
  const changed = withKey(wallet, publicKey, { isTainted: true });
  return { ...changed, permissions: withoutKey(wallet.permissions, publicKey, changed.keys) };
}

/** Gives back no permission: what tainting took stays taken. @throws NodeError `key_not_tainted` */
export function withoutTaint(wallet: WalletData, publicKey: string): WalletData {
  if (!keyOf(wallet, publicKey).isTainted) {
    throw walletError("key_not_tainted", "the public key is not tainted");
  }
  return withKey(wallet, publicKey, { isTainted: false });
}

/**
 * A wallet with this key alone, and no way to others. The original copies all permissions and so makes a file
 * that it cannot read itself (surprise 21); here permissions for other keys stay behind.
 * @throws NodeError `key_tainted`
 */
export function isolated(wallet: WalletData, publicKey: string): WalletData {
  const key = keyOf(wallet, publicKey);
  if (key.isTainted) throw keyTainted();
  const permissions = [...wallet.permissions].flatMap(([hostname, entry]) => {
    const { access, allowedKeys } = entry.publicKeys;
    if (access === "none" || allowedKeys.length === 0) return [[hostname, entry] as const];
    if (!allowedKeys.includes(publicKey)) return [];
    return [[hostname, { publicKeys: { access, allowedKeys: [publicKey] } }] as const];
  });
  return { ...wallet, node: undefined, keys: [key], permissions: new Map(permissions) };
}

/** The name that the original gives to such a wallet. */
export function isolatedName(name: string, publicKey: string): string {
  return `${name}.${publicKey.slice(0, 8)}.isolated`;
}

function withKey(wallet: WalletData, publicKey: string, change: Partial<KeyData>): WalletData {
  const keys = wallet.keys.map((key) => (key.publicKey === publicKey ? { ...key, ...change } : key));
  return { ...wallet, keys };
}
