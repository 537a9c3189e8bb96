// What a hostname may see of a wallet (reference 50, sections 3.2 and 5.3). Kept in the wallet's file, so it lasts.
import { isHex64 } from "../wire/identifiers.ts";
import { walletError } from "./errors.ts";
import type { KeyData, Permissions, WalletData } from "./keys/wallet-data.ts";
import { HOSTNAME_LENGTH_MAX, HOSTNAMES_MAX } from "./limits.ts";

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
    // A text that is no key is not repeated: it comes from outside.
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
export function withoutKey(
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
