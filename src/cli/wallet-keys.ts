// lyra wallet key: the keys of a wallet.
import { wipe } from "../crypto/secrets.ts";
import type { KeyView } from "../wallet/unlocked-wallet.ts";
import { UINT64_MAX } from "../wire/limits.ts";
import { command, type Flags, option, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { dim, green, red } from "./terminal.ts";
import { resolveWalletName } from "./wallet-default.ts";
import {
  answer,
  answerList,
  factLines,
  metadataOf,
  OPTIONAL_NAME,
  PUBLIC_KEY,
  printable,
  WALLET_FLAGS,
  WALLET_NAME,
  withWallet,
  wrongName,
} from "./wallet-opening.ts";
import { readNewPassphrase, secretFlags } from "./wallet-secrets.ts";

const META = {
  meta: option("KEY=VALUE", "a note; may come again", { multiple: true }),
} as const satisfies Flags;

export const generate = command({
  words: { NAME: OPTIONAL_NAME },
  flags: { ...WALLET_FLAGS, ...META },
  json: "{publicKey, algorithm, metadata}",
  wrongWords: wrongName,
  async run({ words: { NAME }, values }) {
    const name = await resolveWalletName("wallet", values, NAME);
    const metadata = metadataOf(values.meta);
    return withWallet(name, values, async (wallet) => {
      const { publicKey, algorithm, metadata: written } = await wallet.generateKey(metadata);
      return answer(values, { publicKey, algorithm, metadata: written }, { text: publicKey });
    });
  },
});

export const list = command({
  words: { NAME: OPTIONAL_NAME },
  flags: WALLET_FLAGS,
  json: "{keys: [{name, publicKey, isTainted}]}",
  wrongWords: wrongName,
  async run({ words: { NAME }, values }) {
    const name = await resolveWalletName("wallet", values, NAME);
    return withWallet(name, values, ({ keys }) => {
      const document = {
        keys: keys.map(({ name, publicKey, isTainted }) => ({ name, publicKey, isTainted })),
      };
      const lines = keys.map(
        (key) => `${key.publicKey}  ${printable(key.name)}${key.isTainted ? "  tainted" : ""}`,
      );
      return answerList(values, document, { lines, nothing: `${name} has no key` });
    });
  },
});

export const describe = command({
  words: { NAME: WALLET_NAME, PUBLIC_KEY },
  flags: WALLET_FLAGS,
  json: "{publicKey, name, algorithm, metadata, isTainted}",
  async run({ words: { NAME: name, PUBLIC_KEY: publicKey }, values }) {
    return withWallet(name, values, (wallet) => {
      const key = wallet.key(publicKey);
      return answer(values, key, { text: keyText(key) });
    });
  },
});

function keyText(key: KeyView): string {
  return factLines([
    ["public key", key.publicKey],
    ["name", key.name],
    ["algorithm", `${key.algorithm.name}, version ${key.algorithm.version}`],
    ["tainted", key.isTainted ? "yes" : "no"],
    ...key.metadata.map((entry) => [`meta ${entry.key}`, entry.value] as const),
  ]);
}

export const annotate = command({
  words: { NAME: WALLET_NAME, PUBLIC_KEY },
  usage: ["NAME PUBLIC_KEY --meta KEY=VALUE...", "NAME PUBLIC_KEY --clear"],
  flags: {
    ...META,
    clear: toggle("take the notes away"),
    ...WALLET_FLAGS,
  },
  notes: `  New notes replace all earlier ones.`,
  json: "{metadata}",
  async run({ words: { NAME: name, PUBLIC_KEY: publicKey }, values }) {
    const metadata = metadataOf(values.meta);
    if (metadata.length > 0 === (values.clear === true)) {
      throw usageError("wallet", "say --meta KEY=VALUE, or --clear");
    }
    return withWallet(name, values, async (wallet) => {
      const key = await wallet.annotateKey(publicKey, metadata);
      return answer(values, { metadata: key.metadata }, { note: green(`${publicKey} is annotated`) });
    });
  },
});

export const taint = taintCommand(true);
export const untaint = taintCommand(false);

function taintCommand(isTainted: boolean) {
  return command({
    words: { NAME: WALLET_NAME, PUBLIC_KEY },
    flags: WALLET_FLAGS,
    json: "{publicKey, isTainted}",
    run({ words: { NAME: name, PUBLIC_KEY: publicKey }, values }) {
      return withWallet(name, values, async (wallet) => {
        if (isTainted) await wallet.taintKey(publicKey);
        else await wallet.untaintKey(publicKey);
        const note = isTainted
          ? red(`${publicKey} signs nothing any more`)
          : green(`${publicKey} can be used again`);
        return answer(values, { publicKey, isTainted }, { note });
      });
    },
  });
}

export const isolate = command({
  words: { NAME: WALLET_NAME, PUBLIC_KEY },
  flags: { ...WALLET_FLAGS, ...secretFlags("isolated-passphrase") },
  json: "{wallet, filePath}",
  async run({ words: { NAME: name, PUBLIC_KEY: publicKey }, values }) {
    return withWallet(name, values, async (wallet, store) => {
      wallet.key(publicKey);
      const passphrase = await readNewPassphrase(values, "the isolated wallet", "isolated-passphrase");
      const isolated = await store.isolate(wallet, publicKey, passphrase).finally(() => wipe(passphrase));
      const filePath = store.locationOf(isolated);
      const note = dim(`the wallet is ${filePath}`);
      return answer(values, { wallet: isolated, filePath }, { text: isolated, note });
    });
  },
});

export const rotate = command({
  words: { NAME: WALLET_NAME },
  flags: {
    from: option("KEY", "the validator's key until then"),
    to: option("KEY", "its key from then on"),
    "chain-id": option("ID", "the chain"),
    height: option("N", "block of the submission"),
    "target-height": option("N", "block of the change"),
    ...WALLET_FLAGS,
  },
  notes: `  The change of a validator's keys, signed by the wallet's master key.`,
  json: "{masterPublicKey, encodedTransaction}",
  async run({ words: { NAME: name }, values }) {
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
  },
});

/** A block height: whole, from 0, of 64 bits. */
export function heightOf(command: string, flag: string, text: string | undefined): bigint {
  const value = text !== undefined && /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (value >= 0n && value <= UINT64_MAX) return value;
  throw usageError(command, text === undefined ? `say ${flag} N` : `${flag} must be a block height`);
}
