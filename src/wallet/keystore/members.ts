// Reading of JSON that has been authenticated, but whose writer may have been another program.
import { isHex64 } from "../../wire/identifiers.ts";
import { parseUniqueJson, RepeatedMember } from "../../wire/unique-json.ts";
import { walletDamaged } from "../errors.ts";
import type { Metadata, Permissions, WalletData } from "../keys/wallet-data.ts";
import { permissionsProblem } from "../keys/wallet-data.ts";

export type Members = Readonly<Record<string, unknown>>;

export function parseMembers(text: string): Members {
  let value: unknown;
  try {
    value = parseUniqueJson(text);
  } catch (error) {
    // The parser's own message may repeat what it read, and so may the member's name.
    throw walletDamaged(
      error instanceof RepeatedMember ? "a member of its content is there twice" : "its content is not JSON",
    );
  }
  return membersOf(value, "its content");
}

export function membersOf(value: unknown, title: string): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw walletDamaged(`${title} is not an object`);
  }
  return value as Members;
}

/** A list; nothing and null are an empty one, as in Go. */
export function listOf(value: unknown, title: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw walletDamaged(`${title} is not a list`);
  return value;
}

export function textOf(value: unknown, title: string): string {
  if (typeof value !== "string") throw walletDamaged(`${title} is not a text`);
  return value;
}

export function hex64Of(value: unknown, title: string): string {
  const text = textOf(value, title);
  if (!isHex64(text)) throw walletDamaged(`${title} is not 64 hexadecimal digits`);
  return text;
}

/** The number of a key. Its place among the others is checkWallet's to check. */
export function indexOf(value: unknown): number {
  if (typeof value !== "number") throw walletDamaged("the index of a key is not a number");
  return value;
}

/** Nothing and null are no, as in Go; anything else than yes and no could hide a key that must not sign. */
export function taintOf(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== "boolean") throw walletDamaged("whether a key is tainted is neither yes nor no");
  return value;
}

export function metadataOf(value: unknown): Metadata {
  return listOf(value, "the metadata of a key").map((entry) => {
    const { key, value } = membersOf(entry, "an entry of metadata");
    return { key: textOf(key, "the key of an entry"), value: textOf(value, "the value of an entry") };
  });
}

/**
 * The permissions that go with the keys. The original refuses the whole wallet for a single entry that does not;
 * here that hostname has no permissions, which is the safe side, and the keys can still be used.
 */
export function permissionsFrom(value: unknown, keys: WalletData["keys"]): WalletData["permissions"] {
  const entries = Object.entries(membersOf(value ?? {}, "the permissions"));
  return new Map(
    entries.flatMap(([hostname, entry]) => {
      const { publicKeys } = membersOf(entry, "a permission");
      const { access, allowedKeys } = membersOf(publicKeys ?? {}, "a permission");
      if (access !== "read" && access !== "none") return [];
      const allowed = listOf(allowedKeys, "the allowed keys").map((key) => textOf(key, "an allowed key"));
      const permissions: Permissions = { publicKeys: { access, allowedKeys: allowed } };
      return permissionsProblem(permissions, keys) === undefined ? [[hostname, permissions] as const] : [];
    }),
  );
}

/** Sorted by hostname, as Go prints maps, so that equal wallets are equal bytes. */
export function sortedByHostname(permissions: WalletData["permissions"]): [string, Permissions][] {
  return [...permissions].sort(([one], [other]) => (one < other ? -1 : 1));
}
