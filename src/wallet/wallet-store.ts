// The wallets of one store: making, finding, opening, renaming and deleting them.

import { wipe } from "../crypto/secrets.ts";
import { walletError, walletExists, walletUnknown } from "./errors.ts";
import {
  type KeyVersion,
  newRecoveryPhrase,
  readRecoveryPhrase,
  SEED_BYTES,
  seedOf,
  walletId,
  walletNode,
} from "./keys/derivation.ts";
import {
  checkKeyVersion,
  isolated,
  isolatedName,
  KEY_VERSION_DEFAULT,
  type WalletData,
  wipeWallet,
  withNewKey,
} from "./keys/wallet-data.ts";
import type { Keystore } from "./keystore/keystore.ts";
import {
  type FileFormat,
  formatOf,
  KDF_COST,
  type KdfRules,
  LyraSeal,
  type Opened,
  type ScryptCost,
  type Seal,
} from "./keystore/lyra-seal.ts";
import { OriginalSeal } from "./keystore/original-seal.ts";
import { checkWalletName, PASSPHRASE_BYTES_MAX } from "./limits.ts";
import { type RandomBytes, secureRandom } from "./random.ts";
import { type KeyView, UnlockedWallet, viewOf } from "./unlocked-wallet.ts";

interface WalletStoreOptions extends KdfRules {
  readonly keystore: Keystore;
  /** Cost of new files; anything weak needs `allowWeakKdf`. */
  readonly cost?: ScryptCost;
  readonly random?: RandomBytes;
}

/** The passphrase is bytes, so that the caller can wipe it: the store never does, and keeps no copy. */
interface NewWallet {
  readonly name: string;
  readonly passphrase: Uint8Array;
}

interface CreatedWallet {
  readonly wallet: UnlockedWallet;
  /** The only time that it is known: no file has it. */
  readonly recoveryPhrase: string;
}

interface WalletListing {
  readonly name: string;
  /** Undefined where the file must not be read as it is. */
  readonly format: FileFormat | undefined;
  /** Why it could not be opened, whatever the passphrase. */
  readonly problem: string | undefined;
}

export class WalletStore {
  private readonly keystore: Keystore;
  private readonly cost: ScryptCost;
  private readonly random: RandomBytes;
  private readonly rules: KdfRules;

  constructor({
    keystore,
    cost = KDF_COST,
    random = secureRandom,
    allowWeakKdf = false,
  }: WalletStoreOptions) {
    this.keystore = keystore;
    this.cost = cost;
    this.random = random;
    this.rules = { allowWeakKdf };
  }

  /** Names, sorted. */
  names(): Promise<string[]> {
    return this.keystore.names();
  }

  /** The facts of each wallet that need no passphrase. */
  async list(): Promise<WalletListing[]> {
    const listings: WalletListing[] = [];
    for (const name of await this.keystore.names()) {
      try {
        const file = await this.keystore.read(name);
        if (file !== undefined) listings.push({ name, format: formatOf(file), problem: undefined });
      } catch (error) {
        listings.push({ name, format: undefined, problem: (error as Error).message });
      }
    }
    return listings;
  }

  async has(name: string): Promise<boolean> {
    return (await this.keystore.read(name)) !== undefined;
  }

  locationOf(name: string): string {
    return this.keystore.locationOf(name);
  }

  /**
   * A wallet of a new recovery phrase, with its first key.
   * @param keepPhrase waited for before there is a file, so that no wallet is ever without its phrase
   * @throws NodeError `wallet_exists`
   */
  async create(
    newWallet: NewWallet,
    keepPhrase?: (phrase: string, firstKey: KeyView) => void | Promise<void>,
  ): Promise<CreatedWallet> {
    await this.checkNew(newWallet);
    // Before anybody writes words down.
    await this.keystore.checkWritable();
    const recoveryPhrase = newRecoveryPhrase(this.random);
    const wallet = await walletFrom(recoveryPhrase, KEY_VERSION_DEFAULT);
    try {
      await keepPhrase?.(recoveryPhrase, viewOf(wallet.keys[0]!));
    } catch (error) {
      wipeWallet(wallet);
      throw error;
    }
    return { wallet: await this.add(newWallet, wallet), recoveryPhrase };
  }

  /** The wallet of a recovery phrase, with its first key. @throws NodeError `recovery_phrase_invalid` */
  async import(
    newWallet: NewWallet & { readonly recoveryPhrase: string; readonly version?: KeyVersion },
  ): Promise<UnlockedWallet> {
    await this.checkNew(newWallet);
    const version = checkKeyVersion(newWallet.version ?? KEY_VERSION_DEFAULT);
    return this.add(newWallet, await walletFrom(readRecoveryPhrase(newWallet.recoveryPhrase), version));
  }

  /** A wallet from a file's bytes, of Lyra or of the original: a file of Lyra's own with a new passphrase. */
  async importFile(
    newWallet: NewWallet & { readonly file: Uint8Array; readonly filePassphrase: Uint8Array },
  ): Promise<UnlockedWallet> {
    await this.checkNew(newWallet);
    const { seal, wallet } = await this.open(newWallet.file, newWallet.filePassphrase);
    seal.wipe();
    return this.add(newWallet, wallet);
  }

  /** @throws NodeError `wallet_unknown`, `wrong_passphrase`, `wallet_damaged` */
  async unlock(name: string, passphrase: Uint8Array): Promise<UnlockedWallet> {
    const stamp = this.keystore.stamp(name);
    const file = await this.keystore.read(name);
    if (file === undefined) throw walletUnknown();
    return this.unlocked(name, await this.open(file, passphrase), stamp);
  }

  /** Gives the wallet another passphrase; a file of the original stays one. */
  async changePassphrase(wallet: UnlockedWallet, passphrase: Uint8Array): Promise<void> {
    await wallet.reseal(await this.newSeal(wallet.format, passphrase));
  }

  /** Makes a file of the original one of Lyra's. There is no need for another passphrase. */
  async upgrade(wallet: UnlockedWallet, passphrase: Uint8Array): Promise<void> {
    await wallet.reseal(await this.newSeal("lyra", passphrase));
  }

  /** A file that the original opens. Its passphrase is not protected well: see original-seal.ts. */
  async exportForOriginal(wallet: UnlockedWallet, passphrase: Uint8Array): Promise<Uint8Array> {
    const seal = await this.newSeal("original", passphrase);
    try {
      return wallet.sealedBy(seal);
    } finally {
      seal.wipe();
    }
  }

  /**
   * Puts one key into a wallet of its own, which has no way to other keys.
   * @returns its name. @throws NodeError `wallet_exists`: the original writes over it
   */
  async isolate(wallet: UnlockedWallet, publicKey: string, passphrase: Uint8Array): Promise<string> {
    wallet.key(publicKey);
    const name = isolatedName(wallet.name, publicKey);
    await this.checkNew({ name, passphrase });
    const seal = await this.newSeal("lyra", passphrase);
    try {
      const bytes = wallet.sealedBy(seal, (data) => isolated(data, publicKey));
      await this.keystore.exclusively(() => this.keystore.create(name, bytes));
      return name;
    } finally {
      seal.wipe();
    }
  }

  async rename(name: string, newName: string): Promise<void> {
    await this.keystore.exclusively(() => this.keystore.rename(name, checkWalletName(newName)));
  }

  /** Removes the file. Its bytes may stay on the disk until others are written in their place. */
  async delete(name: string): Promise<void> {
    await this.keystore.exclusively(() => this.keystore.remove(name));
  }

  private async checkNew({ name, passphrase }: NewWallet): Promise<void> {
    checkPassphrase(passphrase);
    if (await this.has(checkWalletName(name))) throw walletExists();
  }

  private async add({ name, passphrase }: NewWallet, wallet: WalletData): Promise<UnlockedWallet> {
    const seal = await this.newSeal("lyra", passphrase);
    try {
      const bytes = seal.seal(wallet);
      await this.keystore.exclusively(() => this.keystore.create(name, bytes));
      return this.unlocked(name, { seal, wallet });
    } catch (error) {
      seal.wipe();
      wipeWallet(wallet);
      throw error;
    }
  }

  private unlocked(name: string, opened: Opened, stamp?: string): UnlockedWallet {
    return new UnlockedWallet({ keystore: this.keystore, name, opened, random: this.random, stamp });
  }

  private async open(file: Uint8Array, passphrase: Uint8Array): Promise<Opened> {
    if (formatOf(file) === "original") return OriginalSeal.unlock(file, passphrase, this.random);
    return LyraSeal.unlock(file, passphrase, this.random, this.rules);
  }

  private async newSeal(format: FileFormat, passphrase: Uint8Array): Promise<Seal> {
    checkPassphrase(passphrase);
    if (format === "original") return new OriginalSeal(passphrase, this.random);
    return LyraSeal.create(passphrase, this.cost, this.random, this.rules);
  }
}

/** The wallet of a phrase, with its first key, which is in no file yet. */
async function walletFrom(phrase: string, version: KeyVersion): Promise<WalletData> {
  const seed = await seedOf(phrase);
  if (seed.length !== SEED_BYTES) throw new RangeError("a seed has 64 bytes");
  const node = walletNode(seed);
  wipe(seed);
  return withNewKey({ version, id: walletId(node), node, keys: [], permissions: new Map() });
}

function checkPassphrase(passphrase: Uint8Array): void {
  if (passphrase.length === 0) throw walletError("passphrase_empty", "passphrase must be specified");
  if (passphrase.length > PASSPHRASE_BYTES_MAX) {
    throw walletError("passphrase_too_long", `a passphrase has at most ${PASSPHRASE_BYTES_MAX} bytes`);
  }
}
