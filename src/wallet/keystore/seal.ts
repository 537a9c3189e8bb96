// A seal turns a wallet into the bytes of its file and back. It holds a key and no passphrase, so an unlocked wallet
// can be written again without asking, and without deriving a key again.
import type { WalletData } from "../keys/wallet-data.ts";
import { hasLyraMagic } from "./header.ts";

export type FileFormat = "lyra" | "original";

export interface Seal {
  readonly format: FileFormat;
  seal(wallet: WalletData): Uint8Array;
  /**
   * Opens a file that this seal, or another one of the same key, wrote.
   * @throws NodeError `wallet_changed` for a file of another key, `wallet_damaged`
   */
  open(file: Uint8Array): WalletData;
  /** Wipes the key; the seal is of no use then. */
  wipe(): void;
}

export interface Opened {
  readonly seal: Seal;
  readonly wallet: WalletData;
}

export function formatOf(file: Uint8Array): FileFormat {
  return hasLyraMagic(file) ? "lyra" : "original";
}
