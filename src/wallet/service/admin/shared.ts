// Shared by the administrative methods: their parts, wallets by name, keys, passphrases.
import type { Solver } from "../../../chain/admission/pow/solver.ts";
import { wipe } from "../../../crypto/secrets.ts";
import { NodeError } from "../../../errors/node-error.ts";
import { walletLocked, walletUnknown } from "../../errors.ts";
import type { TransactionSender } from "../../sending/sender.ts";
import type { KeyView, UnlockedWallet } from "../../unlocked-wallet.ts";
import type { KnownChains } from "../known-chains.ts";
import type { Networks } from "../networks.ts";
import type { OpenWallets } from "../open-wallets.ts";
import type { Params } from "../params.ts";
import { internalError } from "../rpc.ts";
import type { Sessions } from "../sessions.ts";
import type { ApiTokens } from "../tokens.ts";

export interface AdminParts {
  readonly wallets: OpenWallets;
  readonly sessions: Sessions;
  readonly tokens: ApiTokens;
  readonly networks: Networks;
  readonly solver: Solver;
  /** Ends what a hostname has and does. */
  revokeHostname(hostname: string): Promise<number>;
  /** Ends the sessions with a wallet, of one hostname or of all, and what is asked for of it. */
  revokeWallet(wallet: string, hostname?: string): Promise<number>;
  /** Ends what is asked for of a wallet that is gone. */
  dismissWallet(wallet: string): void;
  /** The chains that these nodes are known to be of. @param chainId the one that the network's settings name */
  chainsOf(hosts: readonly string[], chainId: string | undefined): KnownChains;
  /** A sender to these nodes; the caller closes it. */
  senderTo(hosts: readonly string[], chainId: string | undefined): TransactionSender;
  readonly wallMs: () => number;
}

/** @returns the result; undefined for a method without one */
export type AdminMethod = (parts: AdminParts, params: unknown) => Promise<unknown>;

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

/** Failures of a change of keys are called so, with what was attempted; unknown keys are reported as they are. */
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
