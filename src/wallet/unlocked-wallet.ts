// A wallet whose secrets are in memory: what its keys are, what they sign, and every change of it.
//
// A change is made to what the file holds at that moment, not to what was read before, while nobody else writes. So
// two processes that change a wallet at once both find their change in it.
import { type Ed25519KeyPair, ed25519KeyPair } from "../crypto/ed25519.ts";
import type { Init } from "../wire/codec.ts";
import type { ProofOfWork, Transaction } from "../wire/generated/commands.ts";
import {
  type EnvelopeVersion,
  SIGNATURE_ALGORITHM,
  SIGNATURE_VERSION,
  serializeTransaction,
  signTransaction,
} from "../wire/transaction.ts";
import { keyTainted, walletChanged, walletLocked, walletUnknown } from "./errors.ts";
import type { KeyVersion } from "./keys/derivation.ts";
import {
  type KeyData,
  keyName,
  keyOf,
  keysFor,
  type Metadata,
  type Permissions,
  permissionsOf,
  type WalletData,
  wipeWallet,
  withMetadata,
  withNewKey,
  withoutPermissions,
  withoutTaint,
  withPermissions,
  withTaint,
} from "./keys/wallet-data.ts";
import type { Keystore } from "./keystore/keystore.ts";
import type { FileFormat, Opened, Seal } from "./keystore/lyra-seal.ts";
import { type RandomBytes, randomNonce } from "./random.ts";
import {
  checkChainId,
  type Rotation,
  type RotationTransaction,
  rotateKey,
  signMessage,
} from "./signing/message.ts";

/** A key as others may see it (docs/protocol/50-wallet-service.md#32-admin). */
export interface KeyView {
  readonly publicKey: string;
  readonly name: string;
  readonly algorithm: { readonly name: string; readonly version: number };
  readonly metadata: Metadata;
  readonly isTainted: boolean;
}

interface TransactionToSign {
  /** The bytes of the command with its nonce and height: what `encodeCommand` makes. */
  readonly inputData: Uint8Array;
  readonly chainId: string;
  readonly version?: EnvelopeVersion;
  readonly pow?: Init<ProofOfWork>;
}

export interface SignedTransaction {
  readonly transaction: Init<Transaction>;
  /** As it is sent. */
  readonly bytes: Uint8Array;
}

interface UnlockedWalletOptions {
  readonly keystore: Keystore;
  readonly name: string;
  readonly opened: Opened;
  readonly random: RandomBytes;
  /** Of the file, taken before it was read. */
  readonly stamp?: string | undefined;
}

export class UnlockedWallet {
  readonly name: string;
  private readonly keystore: Keystore;
  private readonly random: RandomBytes;
  private seal: Seal;
  /** Of the file as it was last read. */
  private stamp: string | undefined;
  private data: WalletData | undefined;
  /** Native keys, made when first used: signing is then as fast as the library. */
  private readonly signers = new Map<string, Ed25519KeyPair>();

  constructor({ keystore, name, opened, random, stamp }: UnlockedWalletOptions) {
    this.keystore = keystore;
    this.name = name;
    this.random = random;
    this.seal = opened.seal;
    this.stamp = stamp;
    this.data = opened.wallet;
  }

  get isLocked(): boolean {
    return this.data === undefined;
  }

  /** The master public key, also called the wallet's identifier. */
  get id(): string {
    return this.wallet.id;
  }

  get keyVersion(): KeyVersion {
    return this.wallet.version;
  }

  get isIsolated(): boolean {
    return this.wallet.node === undefined;
  }

  get format(): FileFormat {
    return this.seal.format;
  }

  /** All keys by index, tainted ones as well. */
  get keys(): readonly KeyView[] {
    return this.wallet.keys.map(viewOf);
  }

  /** @throws NodeError `key_unknown` */
  key(publicKey: string): KeyView {
    return viewOf(keyOf(this.wallet, publicKey));
  }

  async generateKey(metadata: Metadata = []): Promise<KeyView> {
    const { keys } = await this.change((wallet) => withNewKey(wallet, metadata));
    return viewOf(keys.at(-1)!);
  }

  /** Replaces what is written beside a key. */
  async annotateKey(publicKey: string, metadata: Metadata): Promise<KeyView> {
    return viewOf(keyOf(await this.change((wallet) => withMetadata(wallet, publicKey, metadata)), publicKey));
  }

  /** From now on the key signs nothing, and no hostname sees it. */
  async taintKey(publicKey: string): Promise<void> {
    await this.change((wallet) => withTaint(wallet, publicKey));
  }

  async untaintKey(publicKey: string): Promise<void> {
    await this.change((wallet) => withoutTaint(wallet, publicKey));
  }

  /** The keys that a hostname may use, in the order in which it gets them. */
  keysFor(hostname: string): readonly KeyView[] {
    return keysFor(this.wallet, hostname).map(viewOf);
  }

  /** Of a hostname; access `none` where nothing was given. */
  permissions(hostname: string): Permissions {
    return permissionsOf(this.wallet, hostname);
  }

  get allPermissions(): ReadonlyMap<string, Permissions> {
    return this.wallet.permissions;
  }

  /** @throws NodeError `permissions_inconsistent` */
  async updatePermissions(hostname: string, permissions: Permissions): Promise<void> {
    await this.change((wallet) => withPermissions(wallet, hostname, permissions));
  }

  async revokePermissions(hostname: string): Promise<void> {
    await this.change((wallet) => withoutPermissions(wallet, hostname));
  }

  async purgePermissions(): Promise<void> {
    await this.change((wallet) => ({ ...wallet, permissions: new Map() }));
  }

  /** The 64 bytes of a message's signature. @throws NodeError `key_tainted`, `message_is_transaction` */
  signMessage(publicKey: string, message: Uint8Array): Uint8Array {
    return signMessage(this.signer(publicKey), message);
  }

  /** @throws NodeError `key_tainted`, `chain_id_unusable` */
  signTransaction(publicKey: string, { inputData, ...options }: TransactionToSign): SignedTransaction {
    checkChainId(options.chainId, inputData);
    const transaction = signTransaction(inputData, this.signer(publicKey), options);
    return { transaction, bytes: serializeTransaction(transaction) };
  }

  /** @throws NodeError `rotation_refused`, `key_tainted` */
  rotateKey(rotation: Rotation, nonce: bigint = randomNonce(this.random)): RotationTransaction {
    return rotateKey(this.wallet, rotation, nonce);
  }

  /**
   * Reads the file again, for what other processes changed; not while nobody has: each time it is opened leaves copies of
   * its secrets for the garbage collector. @throws NodeError `wallet_unknown`, `wallet_changed`
   */
  async refresh(): Promise<void> {
    const stamp = this.keystore.stamp(this.name);
    if (stamp !== undefined && stamp === this.stamp) return;
    this.use(this.reopen(await this.keystore.read(this.name)));
    // Taken before the reading: what came meanwhile is read the next time.
    this.stamp = stamp;
  }

  /**
   * Writes the wallet under another seal: another passphrase, or another format.
   * @param seal belongs to the wallet from then on
   */
  async reseal(seal: Seal): Promise<void> {
    try {
      await this.keystore.exclusively(async () => {
        const current = this.reopen(await this.keystore.read(this.name));
        await this.keystore.replace(this.name, seal.seal(current));
        this.use(current);
      });
    } catch (error) {
      seal.wipe();
      throw error;
    }
    this.seal.wipe();
    this.seal = seal;
    if (this.isLocked) seal.wipe();
  }

  /** The bytes of a file with this wallet, or with what `select` makes of it, under a seal of somebody else. */
  sealedBy(seal: Seal, select: (wallet: WalletData) => WalletData = (wallet) => wallet): Uint8Array {
    return seal.seal(select(this.wallet));
  }

  /** Wipes the secrets; whatever needs them says `wallet_locked` from then on. */
  lock(): void {
    if (this.data === undefined) return;
    wipeWallet(this.data);
    this.seal.wipe();
    this.data = undefined;
    this.signers.clear();
  }

  private get wallet(): WalletData {
    if (this.data === undefined) throw walletLocked();
    return this.data;
  }

  private signer(publicKey: string): Ed25519KeyPair {
    const key = keyOf(this.wallet, publicKey);
    if (key.isTainted) throw keyTainted();
    let signer = this.signers.get(publicKey);
    if (signer === undefined) this.signers.set(publicKey, (signer = ed25519KeyPair(key.seed)));
    return signer;
  }

  private change(make: (wallet: WalletData) => WalletData): Promise<WalletData> {
    return this.keystore.exclusively(async () => {
      const current = this.reopen(await this.keystore.read(this.name));
      let next = current;
      try {
        next = make(current);
        await this.keystore.replace(this.name, this.seal.seal(next));
      } catch (error) {
        wipeWallet(current);
        wipeWallet(next);
        throw error;
      }
      this.use(next);
      return next;
    });
  }

  private reopen(file: Uint8Array | undefined): WalletData {
    const before = this.wallet;
    if (file === undefined) throw walletUnknown();
    const now = this.seal.open(file);
    if (now.id === before.id && now.version === before.version) return now;
    wipeWallet(now);
    throw walletChanged();
  }

  private use(wallet: WalletData): void {
    // Locked while it was written: the file has the change, and memory keeps nothing.
    if (this.data === undefined) wipeWallet(wallet);
    else {
      wipeWallet(this.data, wallet);
      this.data = wallet;
    }
  }
}

export function viewOf({ publicKey, metadata, isTainted }: KeyData): KeyView {
  const algorithm = { name: SIGNATURE_ALGORITHM, version: SIGNATURE_VERSION };
  return { publicKey, name: keyName(metadata), algorithm, metadata, isTainted };
}
