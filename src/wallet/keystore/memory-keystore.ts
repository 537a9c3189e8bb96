// Wallets that are kept nowhere: those of a devnet, whose keys everybody knows, and those of tests.
import { walletExists, walletUnknown } from "../errors.ts";
import { checkWalletName } from "../wallet-name.ts";
import type { Keystore } from "./keystore.ts";

/** The keystore port over a map. */
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

  stamp(name: string): string | undefined {
    const file = this.files.get(name);
    return file && Bun.hash(file).toString();
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

  async checkWritable(): Promise<void> {}

  locationOf(name: string): string {
    return `memory:${checkWalletName(name)}`;
  }
}
