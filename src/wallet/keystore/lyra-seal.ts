// Lyra's own wallet files: scrypt and AES-256-GCM behind an authenticated header (header.ts).
import {
  AES_KEY_BYTES,
  aesGcmOpen,
  aesGcmSeal,
  GCM_NONCE_BYTES,
  GCM_TAG_BYTES,
  wipe,
} from "../../crypto/secrets.ts";
import { walletChanged, walletDamaged, wrongPassphrase } from "../errors.ts";
import type { WalletData } from "../keys/wallet-data.ts";
import type { RandomBytes } from "../random.ts";
import { decodeBody, encodeBody } from "./body.ts";
import { HEADER_BYTES, isCheckedBy, readHeader, writeHeader } from "./header.ts";
import {
  checkCost,
  deriveFromPassphrase,
  type KdfRules,
  SALT_BYTES,
  type ScryptCost,
} from "./passphrase-kdf.ts";
import type { Opened, Seal } from "./seal.ts";

export class LyraSeal implements Seal {
  readonly format = "lyra";

  private constructor(
    private readonly cost: ScryptCost,
    private readonly salt: Uint8Array,
    /** 64 bytes: for the cipher, and for the check value. */
    private readonly derived: Uint8Array,
    private readonly random: RandomBytes,
  ) {}

  /** A seal for a new passphrase, with a salt of its own. */
  static async create(
    passphrase: Uint8Array,
    cost: ScryptCost,
    random: RandomBytes,
    rules: KdfRules,
  ): Promise<LyraSeal> {
    checkCost(cost, rules);
    const salt = random(SALT_BYTES);
    return new LyraSeal(cost, salt, await deriveFromPassphrase(passphrase, salt, cost), random);
  }

  /** @throws NodeError `wrong_passphrase`, `wallet_damaged`, `wallet_too_new`, `kdf_refused` */
  static async unlock(
    file: Uint8Array,
    passphrase: Uint8Array,
    random: RandomBytes,
    rules: KdfRules,
  ): Promise<Opened> {
    const { cost, salt } = readHeader(file);
    checkCost(cost, rules);
    const derived = await deriveFromPassphrase(passphrase, salt, cost);
    const seal = new LyraSeal(cost, salt, derived, random);
    try {
      if (!isCheckedBy(file, seal.checkKey)) throw wrongPassphrase();
      return { seal, wallet: seal.open(file) };
    } catch (error) {
      seal.wipe();
      throw error;
    }
  }

  seal(wallet: WalletData): Uint8Array {
    const body = encodeBody(wallet);
    try {
      const nonce = this.random(GCM_NONCE_BYTES);
      const length = body.length + GCM_TAG_BYTES;
      const header = writeHeader({ cost: this.cost, salt: this.salt, nonce, length }, this.checkKey);
      const sealed = aesGcmSeal(this.cipherKey, nonce, body, header);
      return new Uint8Array(Buffer.concat([header, sealed]));
    } finally {
      wipe(body);
    }
  }

  open(file: Uint8Array): WalletData {
    const { salt, nonce } = readHeader(file);
    if (Buffer.compare(salt, this.salt) !== 0) throw walletChanged();
    if (!isCheckedBy(file, this.checkKey)) throw walletDamaged("its head was written by somebody else");
    const header = file.subarray(0, HEADER_BYTES);
    const body = aesGcmOpen(this.cipherKey, nonce, file.subarray(HEADER_BYTES), header);
    if (body === undefined) throw walletDamaged("its content is not what was written");
    try {
      return decodeBody(body);
    } finally {
      wipe(body);
    }
  }

  wipe(): void {
    wipe(this.derived);
  }

  private get cipherKey(): Uint8Array {
    return this.derived.subarray(0, AES_KEY_BYTES);
  }

  private get checkKey(): Uint8Array {
    return this.derived.subarray(AES_KEY_BYTES);
  }
}
