// What the administrative methods share: wallets by name, keys, passphrases.
import { wipe } from "../../../crypto/secrets.ts";
import { NodeError } from "../../../errors/node-error.ts";
import { walletLocked, walletUnknown } from "../../errors.ts";
import type { KeyView, UnlockedWallet } from "../../unlocked-wallet.ts";
import type { Params } from "../params.ts";
import { internalError } from "../rpc.ts";
import type { AdminParts } from "./admin.ts";

/** An unlocked wallet. @throws NodeError `wallet_unknown`, `wallet_locked` */
export async function walletOf({ wallets }: AdminParts, params: Params): Promise<UnlockedWallet> {
  const name = params.text("wallet", "wallet");
  const wallet = wallets.get(name);
  if (wallet !== undefined) return wallet;
  throw (await wallets.store.has(name)) ? walletLocked() : walletUnknown();
}

/** Runs with a passphrase of the params, which is wiped. The text that it came in cannot be. */
export async function withPassphrase<T>(
  params: Params,
  name: string,
  title: string,
  action: (passphrase: Uint8Array) => Promise<T>,
): Promise<T> {
  const passphrase = new Uint8Array(Buffer.from(params.text(name, title), "utf8"));
  try {
    return await action(passphrase);
  } finally {
    wipe(passphrase);
  }
}

export const keyResult = ({ publicKey, algorithm, metadata }: KeyView) => ({
  publicKey,
  algorithm,
  metadata,
});

/** Failures of a change of keys are called so, with what was attempted; unknown keys are told as they are. */
export async function attempt<T>(what: string, action: () => Promise<T> | T): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const isKnown =
      error instanceof NodeError && ["key_unknown", "wallet_locked", "wallet_exists"].includes(error.code);
    if (!(error instanceof NodeError) || isKnown) throw error;
    throw internalError(`could not ${what}: ${error.message}`);
  }
}
