// Stores for tests: in memory or in a folder of their own, with a key derivation that costs nothing.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Keystore } from "../../../src/wallet/keystore/keystore.ts";
import { MemoryKeystore } from "../../../src/wallet/keystore/keystore.ts";
import type { ScryptCost } from "../../../src/wallet/keystore/lyra-seal.ts";
import { secureRandom } from "../../../src/wallet/random.ts";
import { WalletStore } from "../../../src/wallet/wallet-store.ts";
import { PHRASE } from "./vectors.ts";

export { MemoryKeystore };
export const CHEAP: ScryptCost = { log2N: 1, r: 1, p: 1 };
export const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "utf8"));
export const hex = (value: Uint8Array): string => Buffer.from(value).toString("hex");
export const PASSPHRASE = bytes("correct horse battery staple");

export function cheapStore(keystore: Keystore = new MemoryKeystore()): WalletStore {
  return new WalletStore({ keystore, cost: CHEAP, allowWeakKdf: true });
}

/** The wallet of the vectors' phrase, unlocked. */
export function vectorWallet(store: WalletStore = cheapStore(), name = "vectors", version: 1 | 2 = 2) {
  return store.import({ name, passphrase: PASSPHRASE, recoveryPhrase: PHRASE, version });
}

/** Folders for one test file. */
export class PrivateFolders {
  private readonly made: { remove(): void }[] = [];

  make(): string {
    const folder = privateFolder();
    this.made.push(folder);
    return folder.path;
  }

  remove(): void {
    for (const folder of this.made) folder.remove();
  }
}

/** A folder that only its owner can use, taken away again by `remove`. */
export function privateFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "lyra-wallets-"));
  chmodSync(path, 0o700);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function randomBytes(length: number): Uint8Array {
  return secureRandom(length);
}
