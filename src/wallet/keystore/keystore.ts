// Where wallet files are kept: a narrow port that knows names and bytes, and nothing of what they mean. Adapters:
// a folder (folder-keystore.ts), and memory in tests; one contract suite runs over both.
import { walletExists, walletUnknown } from "../errors.ts";
import { checkWalletName } from "../limits.ts";

export interface Keystore {
  /** Names, sorted; what they hold is not looked at. */
  names(): Promise<string[]>;
  /** The bytes of a wallet; undefined when there is none. @throws NodeError when it must not be read as it is */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Changes whenever a wallet's bytes do, and is looked at without reading them; undefined where there is none. */
  stamp(name: string): string | undefined;
  /** Never writes over another. @throws NodeError `wallet_exists` */
  create(name: string, bytes: Uint8Array): Promise<void>;
  /** After it, and whenever the process ends before, there are the old bytes or the new ones. */
  replace(name: string, bytes: Uint8Array): Promise<void>;
  /** @throws NodeError `wallet_unknown`, `wallet_exists` */
  rename(name: string, newName: string): Promise<void>;
  /** @throws NodeError `wallet_unknown` */
  remove(name: string): Promise<void>;
  /** Runs alone among all processes that share the store, so that no change is lost. Not to be nested. */
  exclusively<T>(action: () => Promise<T>): Promise<T>;
  /** Whether a wallet could be written now. @throws NodeError when it could not */
  checkWritable(): Promise<void>;
  /** Where a wallet is, for people. */
  locationOf(name: string): string;
}

// Wallets that are kept nowhere: those of a devnet, whose keys everybody knows, and those of tests.

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
