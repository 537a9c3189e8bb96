// Stores for tests: in memory or in a folder of their own, with a key derivation that costs nothing.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { walletExists, walletUnknown } from "../../../src/wallet/errors.ts";
import type { Keystore } from "../../../src/wallet/keystore/keystore.ts";
import type { ScryptCost } from "../../../src/wallet/keystore/passphrase-kdf.ts";
import { secureRandom } from "../../../src/wallet/random.ts";
import { checkWalletName } from "../../../src/wallet/wallet-name.ts";
import { WalletStore } from "../../../src/wallet/wallet-store.ts";
import { PHRASE } from "./vectors.ts";

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

/** The keystore port over a map: what its contract says, and a way for tests to look inside. */
export class MemoryKeystore implements Keystore {
  readonly files = new Map<string, Uint8Array>();
  private last: Promise<unknown> = Promise.resolve();

  async names(): Promise<string[]> {
    return [...this.files.keys()].sort();
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const file = this.files.get(checkWalletName(name));
    return file && Uint8Array.from(file);
  }

  async create(name: string, file: Uint8Array): Promise<void> {
    if (this.files.has(checkWalletName(name))) throw walletExists();
    this.files.set(name, Uint8Array.from(file));
  }

  async replace(name: string, file: Uint8Array): Promise<void> {
    if (!this.files.has(name)) throw walletUnknown();
    this.files.set(name, Uint8Array.from(file));
  }

  async rename(name: string, newName: string): Promise<void> {
    const file = this.files.get(checkWalletName(name));
    if (file === undefined) throw walletUnknown();
    if (name === newName) return;
    await this.create(newName, file);
    this.files.delete(name);
  }

  async remove(name: string): Promise<void> {
    if (!this.files.delete(checkWalletName(name))) throw walletUnknown();
  }

  exclusively<T>(action: () => Promise<T>): Promise<T> {
    const result = this.last.then(action);
    this.last = result.catch(() => {});
    return result;
  }

  locationOf(name: string): string {
    return `memory:${checkWalletName(name)}`;
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
