// The beginning of every wallet command: which store, which wallet, and its passphrase.

import { join } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import { wipe } from "../crypto/secrets.ts";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import { defaultHome } from "../node/config.ts";
import { walletError, walletUnknown } from "../wallet/errors.ts";
import type { MetadataEntry } from "../wallet/keys/wallet-data.ts";
import { FolderKeystore } from "../wallet/keystore/folder-keystore.ts";
import type { UnlockedWallet } from "../wallet/unlocked-wallet.ts";
import { WalletStore } from "../wallet/wallet-store.ts";
import { COMMON, readArguments, usageError } from "./arguments.ts";
import { say } from "./terminal.ts";
import { readPassphrase, secretFlags } from "./wallet-secrets.ts";

export const STORE_FLAGS = { ...COMMON, wallets: { type: "string" } } as const;
export const WALLET_FLAGS = { ...STORE_FLAGS, ...secretFlags("passphrase") } as const;

export interface StoreValues {
  readonly home?: string | undefined;
  readonly wallets?: string | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly [flag: string]: unknown;
}

export function storeOf({ home, wallets }: StoreValues): WalletStore {
  const folder = wallets ?? join(home ?? defaultHome(), "wallets");
  return new WalletStore({ keystore: new FolderKeystore(folder) });
}

/** Asks for the passphrase only when there is a wallet to open, and wipes it when it is open. */
export async function unlockWallet(
  store: WalletStore,
  name: string,
  values: StoreValues,
): Promise<UnlockedWallet> {
  if (!(await store.has(name))) throw walletUnknown();
  const passphrase = await readPassphrase(values, name);
  try {
    return await store.unlock(name, passphrase);
  } finally {
    wipe(passphrase);
  }
}

/** Runs an action with an unlocked wallet, and locks it whatever happens. */
export async function withWallet<T>(
  name: string,
  values: StoreValues,
  action: (wallet: UnlockedWallet, store: WalletStore) => Promise<T> | T,
): Promise<T> {
  const store = storeOf(values);
  const wallet = await unlockWallet(store, name, values);
  try {
    return await action(wallet, store);
  } finally {
    wallet.lock();
  }
}

/** The word that a verb takes, where it is said. @throws NodeError with exit code 2 for more */
export function takeAtMostOne(
  command: string,
  positionals: readonly string[],
  title: string,
): string | undefined {
  if (positionals.length > 1) throw usageError(command, `say ${title}, or nothing where there is a default`);
  return positionals[0];
}

/** Exactly the words that a verb takes. @throws NodeError with exit code 2 */
export function takeWords<const N extends readonly string[]>(
  command: string,
  positionals: readonly string[],
  ...names: N
): { readonly [K in keyof N]: string } {
  if (positionals.length === names.length) return positionals as never;
  throw usageError(command, `say ${names.join(" ")}${names.length === 0 ? "nothing more" : ""}`);
}

/** The values of a verb's flags, then exactly the words that it takes. @throws NodeError with exit code 2 */
export function readWords<const O extends ParseArgsOptionsConfig, const N extends readonly string[]>(
  argv: string[],
  names: N,
  flags: O,
) {
  const { values, positionals } = readArguments("wallet", argv, flags);
  return [values, ...takeWords("wallet", positionals, ...names)] as const;
}

/** `key=value` pairs. */
export function metadataOf(pairs: readonly string[] = []): MetadataEntry[] {
  return pairs.map((pair) => {
    const equals = pair.indexOf("=");
    if (equals < 1) throw usageError("wallet", "--meta is KEY=VALUE");
    return { key: pair.slice(0, equals), value: pair.slice(equals + 1) };
  });
}

interface AnswerValues {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/** An answer: its document for scripts, else its text on standard output, and a sentence beside it for people. */
export function answer(
  { json, quiet }: AnswerValues,
  document: object,
  { text, note }: { readonly text?: string; readonly note?: string },
): number {
  if (json) print(document);
  else {
    if (text !== undefined) process.stdout.write(`${text}\n`);
    if (note !== undefined && !quiet) say(note);
  }
  return ExitCode.done;
}

export function print(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}

/** Text of others for a terminal: nothing that moves its cursor or turns its direction. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, "\ufffd");
}

export function cannotWrite(path: string, error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  const code = (error as { code?: string }).code ?? reasonOf(error);
  if (code === "EEXIST") return fileExists(path);
  return walletError("file_unwritable", `${path} cannot be written: ${code}`);
}

export const fileExists = (path: string): NodeError =>
  walletError("file_exists", `${path} is there already`, "choose another name");
