// What can be done to the keys of a wallet (reference 50, section 3.2). Each makes another wallet.
import { keyTainted, keyUnknown, walletError } from "../errors.ts";
import { KEYS_MAX } from "../limits.ts";
import { withoutKey } from "../permissions.ts";
import { deriveKey, KEY_INDEX_MAX } from "./derivation.ts";
import { namedMetadata } from "./metadata.ts";
import type { KeyData, Metadata, WalletData } from "./wallet-data.ts";

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
