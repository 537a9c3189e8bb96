// Wallet files of the original (reference 50, section 5.2): AES-256-GCM under the bare SHA3-256 of the passphrase.
// No salt and no work: whoever has such a file can try passphrases as fast as they can hash.
import {
  AES_KEY_BYTES,
  aesGcmOpen,
  aesGcmSeal,
  GCM_NONCE_BYTES,
  GCM_TAG_BYTES,
  wipe,
} from "../../crypto/secrets.ts";
import { sha3Of } from "../../crypto/sha.ts";
import { walletChanged, walletDamaged, wrongPassphrase } from "../errors.ts";
import type { WalletData } from "../keys/wallet-data.ts";
import type { RandomBytes } from "../random.ts";
import { decodeOriginalBody, encodeOriginalBody } from "./original-body.ts";
import type { Opened, Seal } from "./seal.ts";

export class OriginalSeal implements Seal {
  readonly format = "original";
  private readonly key: Uint8Array;

  constructor(
    passphrase: Uint8Array,
    private readonly random: RandomBytes,
  ) {
    this.key = Uint8Array.from(sha3Of(passphrase));
    if (this.key.length !== AES_KEY_BYTES) throw new RangeError("a digest is as long as a key");
  }

  /** @throws NodeError `wrong_passphrase`, also for most damage: such a file does not tell them apart */
  static unlock(file: Uint8Array, passphrase: Uint8Array, random: RandomBytes): Opened {
    if (file.length === 0) throw walletDamaged("it is empty");
    if (file.length <= GCM_NONCE_BYTES + GCM_TAG_BYTES) throw walletDamaged("it ends before its content");
    const seal = new OriginalSeal(passphrase, random);
    try {
      const body = seal.decrypt(file);
      if (body === undefined) {
        throw wrongPassphrase(
          "or the file is damaged: a file of the original wallet does not tell the two apart",
        );
      }
      return { seal, wallet: read(body) };
    } catch (error) {
      seal.wipe();
      throw error;
    }
  }

  seal(wallet: WalletData): Uint8Array {
    const body = encodeOriginalBody(wallet);
    try {
      return this.encrypt(body);
    } finally {
      wipe(body);
    }
  }

  open(file: Uint8Array): WalletData {
    const body = this.decrypt(file);
    if (body === undefined) throw walletChanged();
    return read(body);
  }

  /** Any bytes in the original's envelope: its `tokens.json` has the same one (section 5.8). */
  encrypt(plaintext: Uint8Array): Uint8Array {
    const nonce = this.random(GCM_NONCE_BYTES);
    return new Uint8Array(Buffer.concat([nonce, aesGcmSeal(this.key, nonce, plaintext)]));
  }

  decrypt(file: Uint8Array): Uint8Array | undefined {
    return aesGcmOpen(this.key, file.subarray(0, GCM_NONCE_BYTES), file.subarray(GCM_NONCE_BYTES));
  }

  wipe(): void {
    wipe(this.key);
  }
}

function read(body: Uint8Array): WalletData {
  try {
    return decodeOriginalBody(body);
  } finally {
    wipe(body);
  }
}
