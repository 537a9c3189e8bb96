// A home with wallets, for rigs that damage or kill: how it is made, what it holds in words, and whether it is safe.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ServiceFiles } from "../../src/planes/wallet/start.ts";
import { FolderKeystore } from "../../src/wallet/keystore/folder-keystore.ts";
import { JsonFile } from "../../src/wallet/service/json-file.ts";
import { type NetworkSettings, Networks } from "../../src/wallet/service/networks.ts";
import { NO_SESSIONS, Sessions } from "../../src/wallet/service/sessions.ts";
import type { UnlockedWallet } from "../../src/wallet/unlocked-wallet.ts";
import type { WalletStore } from "../../src/wallet/wallet-store.ts";
import { KEY_1, KEY_2, KEY_3, KEYS, NODE, ORIGINAL_FILE, PHRASE } from "../wallet/support/vectors.ts";
import { bytes, cheapStore } from "../wallet/support/wallets.ts";

/** The passphrases that a wallet may have. */
export const PASSPHRASES = {
  first: "correct horse battery staple",
  second: "another one that nobody guesses",
  original: ORIGINAL_FILE.passphrase,
} as const;
export const passphrase = (which: keyof typeof PASSPHRASES): Uint8Array => bytes(PASSPHRASES[which]);

/** Of the files that hold secrets because the user said so. */
export const PHRASE_FILE = "phrase";
const INPUT_FILES: readonly string[] = ["first", "second", "original", "vectors"];

export const folderOf = (home: string) => join(home, "wallets");
export const serviceFolderOf = (home: string) => join(home, "wallet-service");
export const networksOf = (home: string) => join(home, "networks");

export const NETWORK: NetworkSettings = {
  name: "local",
  metadata: [{ key: "chain-id", value: "chain-1" }],
  api: {
    grpc: { hosts: [], retries: 0 },
    rest: { hosts: ["http://127.0.0.1:1"] },
    graphQL: { hosts: [] },
  },
  apps: { explorer: "", console: "", governance: "" },
};

/**
 * Two wallets of one phrase, `w` in Lyra's format and `old` in the original's: two keys, one of them tainted, and a
 * page that sees the other; a token, a session, a network.
 */
export async function makeHome(home: string): Promise<void> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const keystore = new FolderKeystore(folderOf(home));
  const store = cheapStore(keystore);
  await grow(await store.import({ name: "w", passphrase: passphrase("first"), recoveryPhrase: PHRASE }));
  const old = new Uint8Array(Buffer.from(ORIGINAL_FILE.base64, "base64"));
  await keystore.exclusively(() => keystore.create("old", old));
  await grow(await store.unlock("old", passphrase("original")));
  const files = new ServiceFiles(serviceFolderOf(home));
  const token = { description: "", createdAt: "2026-01-01T00:00:00Z", expiresAt: null };
  await files.tokens.add({ wallet: "w", ...token }, () => new Uint8Array(64));
  await sessionsOf(home, new FolderKeystore(serviceFolderOf(home))).open("first.example", "w", true);
  new Networks(networksOf(home)).put(NETWORK);
}

async function grow(wallet: UnlockedWallet): Promise<void> {
  await wallet.generateKey();
  await wallet.updatePermissions("page.example", { publicKeys: { access: "read", allowedKeys: [KEY_1] } });
  await wallet.taintKey(KEY_2);
  wallet.lock();
}

export function sessionsOf(
  home: string,
  keystore = new FolderKeystore(serviceFolderOf(home)),
  random: (length: number) => Uint8Array = (length) => new Uint8Array(length),
): Sessions {
  const file = new JsonFile(keystore, "sessions.json", NO_SESSIONS);
  return new Sessions({ random, now: () => "2026-01-01T00:00:00Z", file });
}

/** All that a home holds, one line each: the same for the same content, whatever its bytes. @throws when it is broken */
export async function contentOf(home: string): Promise<string[]> {
  const store = cheapStore(new FolderKeystore(folderOf(home)));
  const lines: string[] = [];
  for (const name of await store.names()) lines.push(await walletLine(store, name));
  for (const name of ["tokens.json", "sessions.json"]) lines.push(...documentLines(home, name));
  const networks = new Networks(networksOf(home));
  for (const name of networks.names()) {
    const { api, metadata } = networks.get(name);
    lines.push(
      `network ${name}: ${api.rest.hosts.join(" ")} ${metadata.map(({ value }) => value).join(" ")}`,
    );
  }
  return lines;
}

async function walletLine(store: WalletStore, name: string): Promise<string> {
  const [which, wallet] = await opened(store, name);
  const keys = wallet.keys.map((key) => {
    // A signature shows that the secret exists, and that it is the key's.
    if (!key.isTainted) wallet.signMessage(key.publicKey, bytes("still here"));
    const place = [KEY_1, KEY_2, KEY_3].indexOf(key.publicKey);
    return `${place < 0 ? "new key" : `key ${place + 1}`} "${key.name}"${key.isTainted ? " tainted" : ""}`;
  });
  const pages = [...wallet.allPermissions].map(
    ([hostname, { publicKeys }]) => `${hostname} ${publicKeys.access} ${publicKeys.allowedKeys.length}`,
  );
  const kind = `${wallet.format}${wallet.isIsolated ? ", isolated" : ""}`;
  wallet.lock();
  return `wallet ${name}: ${kind}, ${which} passphrase, ${keys.join(", ")}; ${pages.join(", ")}`;
}

async function opened(store: WalletStore, name: string): Promise<[string, UnlockedWallet]> {
  let failure: unknown;
  for (const which of Object.keys(PASSPHRASES) as (keyof typeof PASSPHRASES)[]) {
    try {
      return [which, await store.unlock(name, passphrase(which))];
    } catch (error) {
      failure = error;
    }
  }
  throw new Error(`the wallet ${name} does not open: ${failure}`);
}

function documentLines(home: string, name: string): string[] {
  const path = join(serviceFolderOf(home), name);
  if (!existsSync(path)) return [];
  const { tokens = [], sessions = [] } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown[]>;
  const all = [...tokens, ...sessions] as { wallet: string; hostname?: string; description?: string }[];
  return all.map(
    ({ wallet, hostname, description }) => `${name}: ${wallet} ${hostname ?? description ?? ""}`,
  );
}

/** Every file and folder below a folder, and the folder itself. */
export function pathsBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const below = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? pathsBelow(path) : [path];
  });
  return [folder, ...below];
}

export const leftovers = (home: string): string[] =>
  pathsBelow(home).filter((path) => path.endsWith(".lyra-tmp"));

/** Secrets of the wallets above as they could stand in a file, and of a phrase that was made. */
export function secretsOf(phrase = PHRASE): Map<string, Buffer> {
  const secrets = new Map<string, Buffer>();
  for (const [which, text] of Object.entries(PASSPHRASES)) {
    secrets.set(`${which} passphrase`, Buffer.from(text));
  }
  const keys = KEYS.map(([version, index, , seed]) => [`key ${index} of version ${version}`, seed] as const);
  const forms = [["node", NODE.slice(0, 64)] as const, ...keys].flatMap(([name, hex]) =>
    formsOf(name, Buffer.from(hex, "hex")),
  );
  return new Map([...secrets, ...wordsOf(phrase), ...forms]);
}

/** Any three words of a phrase that stand side by side. */
export function wordsOf(phrase: string): [name: string, text: Buffer][] {
  const words = phrase.split(" ");
  return words
    .slice(2)
    .map((_, at) => [`words ${at + 1} to ${at + 3}`, Buffer.from(words.slice(at, at + 3).join(" "))]);
}

/** Secret bytes as they could stand in a file or a message. */
export function formsOf(name: string, raw: Uint8Array): [name: string, text: Buffer][] {
  const hex = Buffer.from(raw).toString("hex");
  return [
    [`${name}, raw`, Buffer.from(raw)],
    [`${name}, hexadecimal`, Buffer.from(hex)],
    [`${name}, hexadecimal in capitals`, Buffer.from(hex.toUpperCase())],
    // Whatever stands in front of it, some of its base64 is one of these.
    ...[0, 1, 2].map((shift): [string, Buffer] => {
      const digits = Buffer.concat([Buffer.alloc(shift), raw]).toString("base64");
      return [`${name}, base64 ${shift}`, Buffer.from(digits.slice(4, 40))];
    }),
  ];
}

/** Faults: modes, and secrets that can be read. */
export function unsafe(home: string, secrets = secretsOf()): string[] {
  const problems: string[] = [];
  for (const path of pathsBelow(home)) {
    const stats = lstatSync(path);
    const name = relative(home, path);
    const mode = stats.mode & 0o777;
    const expected = stats.isDirectory() ? 0o700 : 0o600;
    if (mode !== expected) problems.push(`${name} has mode ${mode.toString(8)}`);
    if (!stats.isFile() || INPUT_FILES.includes(name) || name === PHRASE_FILE) continue;
    const content = readFileSync(path);
    for (const [what, secret] of secrets)
      if (content.includes(secret)) problems.push(`${name} holds: ${what}`);
  }
  return problems;
}
