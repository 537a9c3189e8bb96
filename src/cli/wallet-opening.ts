// Shared by the wallet commands: their flags, the store, and an unlocked wallet.

import { join } from "node:path";
import { wipe } from "../crypto/secrets.ts";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import { defaultHome } from "../node/config.ts";
import { walletError, walletUnknown } from "../wallet/errors.ts";
import type { MetadataEntry } from "../wallet/keys/wallet-data.ts";
import { FolderKeystore } from "../wallet/keystore/folder-keystore.ts";
import type { UnlockedWallet } from "../wallet/unlocked-wallet.ts";
import { WalletStore } from "../wallet/wallet-store.ts";
import type { Flags, Word } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { WALLETS } from "./flags.ts";
import { dim, say } from "./terminal.ts";
import { readPassphrase, secretFlags } from "./wallet-secrets.ts";

/** Flags of commands that open a wallet. Without them its passphrase comes from a prompt that shows nothing. */
export const WALLET_FLAGS = { ...WALLETS, ...secretFlags("passphrase") } as const satisfies Flags;

export const WALLET_NAME = { text: "the wallet" } as const satisfies Word;
export const PUBLIC_KEY = { text: "a key of it, 64 hexadecimal digits" } as const satisfies Word;
/** A wallet that may be left out. */
export const OPTIONAL_NAME = {
  text: "the wallet (default: lyra wallet default, or the only one)",
  optional: true,
} as const satisfies Word;
export const wrongName = () => "say NAME, or nothing where there is a default";

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

/** Reads the passphrase once the wallet is known to exist, and wipes it after unlocking. */
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

/** Runs an action with an unlocked wallet, and always locks it. */
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

/** Prints a result: the JSON document with --json; else the text on standard output and the note on standard error. */
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

/** Prints a list: the JSON document with --json; else its lines, or the note where there are none. */
export function answerList(
  values: AnswerValues,
  document: object,
  { lines, nothing }: { readonly lines: readonly string[]; readonly nothing: string },
): number {
  const text = lines.length === 0 ? {} : { text: lines.join("\n") };
  return answer(values, document, { ...text, ...(lines.length === 0 && { note: dim(nothing) }) });
}

const TITLE_WIDTH = 22;

/** The lines of a description: titles with their values, which may be another's text. */
export function factLines(facts: readonly (readonly [title: string, value: string])[]): string {
  return facts
    .map(([title, value]) => `${printable(title).padEnd(TITLE_WIDTH)}${printable(value)}`)
    .join("\n");
}

export function print(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}

/** Foreign text for a terminal, without control characters and changes of direction. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, "\ufffd");
}

export function unwritable(path: string, error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  const code = (error as { code?: string }).code ?? reasonOf(error);
  if (code === "EEXIST") return fileExists(path);
  return walletError("file_unwritable", `${path} cannot be written: ${code}`);
}

export const fileExists = (path: string): NodeError =>
  walletError("file_exists", `${path} is there already`, "choose another name");
