// lyra wallet key: the keys of a wallet.
import { wipe } from "../crypto/secrets.ts";
import type { KeyView } from "../wallet/unlocked-wallet.ts";
import { UINT64_MAX } from "../wire/limits.ts";
import { readArguments, usageError } from "./arguments.ts";
import { dim, green, red } from "./terminal.ts";
import { meantWallet } from "./wallet-default.ts";
import { pickVerb, type Verbs } from "./wallet-help.ts";
import {
  answer,
  metadataOf,
  printable,
  readWords,
  takeAtMostOne,
  WALLET_FLAGS,
  withWallet,
} from "./wallet-opening.ts";
import { readNewPassphrase, secretFlags } from "./wallet-secrets.ts";

const META = { meta: { type: "string", multiple: true } } as const;

const VERBS: Verbs = {
  generate,
  list,
  describe,
  annotate,
  taint: (argv) => setTaint(argv, true),
  untaint: (argv) => setTaint(argv, false),
  isolate,
  rotate,
};

export const runKey = (argv: string[]): Promise<number> => pickVerb("key", argv, VERBS);

async function generate(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, { ...WALLET_FLAGS, ...META });
  const name = await meantWallet("wallet", values, takeAtMostOne("wallet", positionals, "NAME"));
  const metadata = metadataOf(values.meta);
  return withWallet(name, values, async (wallet) => {
    const { publicKey, algorithm, metadata: written } = await wallet.generateKey(metadata);
    return answer(values, { publicKey, algorithm, metadata: written }, { text: publicKey });
  });
}

async function list(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, WALLET_FLAGS);
  const name = await meantWallet("wallet", values, takeAtMostOne("wallet", positionals, "NAME"));
  return withWallet(name, values, ({ keys }) => {
    const document = { keys: keys.map(({ name, publicKey, isTainted }) => ({ name, publicKey, isTainted })) };
    const lines = keys.map(
      (key) => `${key.publicKey}  ${printable(key.name)}${key.isTainted ? "  tainted" : ""}`,
    );
    return answer(values, document, lines.length === 0 ? {} : { text: lines.join("\n") });
  });
}

async function describe(argv: string[]): Promise<number> {
  const [values, name, publicKey] = readWords(argv, ["NAME", "PUBLIC_KEY"], WALLET_FLAGS);
  return withWallet(name, values, (wallet) => {
    const key = wallet.key(publicKey);
    return answer(values, key, { text: keyText(key) });
  });
}

function keyText(key: KeyView): string {
  const lines = [
    ["public key", key.publicKey],
    ["name", key.name],
    ["algorithm", `${key.algorithm.name}, version ${key.algorithm.version}`],
    ["tainted", key.isTainted ? "yes" : "no"],
    ...key.metadata.map((entry) => [`meta ${entry.key}`, entry.value]),
  ];
  return lines.map(([title, value]) => `${printable(title!).padEnd(22)}${printable(value!)}`).join("\n");
}

async function annotate(argv: string[]): Promise<number> {
  const [values, name, publicKey] = readWords(argv, ["NAME", "PUBLIC_KEY"], {
    ...WALLET_FLAGS,
    ...META,
    clear: { type: "boolean" },
  });
  const metadata = metadataOf(values.meta);
  if (metadata.length > 0 === (values.clear === true)) {
    throw usageError("wallet", "say --meta KEY=VALUE, or --clear");
  }
  return withWallet(name, values, async (wallet) => {
    const key = await wallet.annotateKey(publicKey, metadata);
    return answer(values, { metadata: key.metadata }, { note: green(`${publicKey} is annotated`) });
  });
}

async function setTaint(argv: string[], isTainted: boolean): Promise<number> {
  const [values, name, publicKey] = readWords(argv, ["NAME", "PUBLIC_KEY"], WALLET_FLAGS);
  return withWallet(name, values, async (wallet) => {
    if (isTainted) await wallet.taintKey(publicKey);
    else await wallet.untaintKey(publicKey);
    const note = isTainted
      ? red(`${publicKey} signs nothing any more`)
      : green(`${publicKey} can be used again`);
    return answer(values, { publicKey, isTainted }, { note });
  });
}

async function isolate(argv: string[]): Promise<number> {
  const [values, name, publicKey] = readWords(argv, ["NAME", "PUBLIC_KEY"], {
    ...WALLET_FLAGS,
    ...secretFlags("isolated-passphrase"),
  });
  return withWallet(name, values, async (wallet, store) => {
    wallet.key(publicKey);
    const passphrase = await readNewPassphrase(values, "the isolated wallet", "isolated-passphrase");
    const isolated = await store.isolate(wallet, publicKey, passphrase).finally(() => wipe(passphrase));
    const filePath = store.locationOf(isolated);
    const note = dim(`the wallet is ${filePath}`);
    return answer(values, { wallet: isolated, filePath }, { text: isolated, note });
  });
}

async function rotate(argv: string[]): Promise<number> {
  const [values, name] = readWords(argv, ["NAME"], {
    ...WALLET_FLAGS,
    from: { type: "string" },
    to: { type: "string" },
    "chain-id": { type: "string" },
    height: { type: "string" },
    "target-height": { type: "string" },
  });
  const { from, to } = values;
  const chainId = values["chain-id"];
  if (from === undefined || to === undefined || chainId === undefined) {
    throw usageError("wallet", "say --from KEY, --to KEY and --chain-id ID");
  }
  const submissionHeight = heightOf("wallet", "--height", values.height);
  const enactmentHeight = heightOf("wallet", "--target-height", values["target-height"]);
  return withWallet(name, values, (wallet) => {
    const { masterPublicKey, transaction } = wallet.rotateKey({
      fromPublicKey: from,
      toPublicKey: to,
      chainId,
      submissionHeight,
      enactmentHeight,
    });
    const encodedTransaction = transaction.toBase64();
    const note = dim(`signed by the master key ${masterPublicKey}; it needs no proof of work`);
    return answer(values, { masterPublicKey, encodedTransaction }, { text: encodedTransaction, note });
  });
}

/** A block height: whole, from 0, of 64 bits. */
export function heightOf(command: string, flag: string, text: string | undefined): bigint {
  const value = text !== undefined && /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (value >= 0n && value <= UINT64_MAX) return value;
  throw usageError(command, text === undefined ? `say ${flag} N` : `${flag} must be a block height`);
}
