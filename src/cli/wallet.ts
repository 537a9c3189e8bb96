// lyra wallet create, list, rename, ...: files of wallets, without a network.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { wipe } from "../crypto/secrets.ts";
import { ExitCode } from "../errors/node-error.ts";
import { writeNewFile } from "../files/whole-file.ts";
import { defaultHome } from "../node/config.ts";
import { walletDamaged, walletError, walletExists, walletUnknown } from "../wallet/errors.ts";
import { readRecoveryPhrase } from "../wallet/keys/derivation.ts";
import { checkKeyVersion, KEY_VERSION_DEFAULT } from "../wallet/keys/wallet-data.ts";
import { FILE_BYTES_MAX } from "../wallet/limits.ts";
import type { UnlockedWallet } from "../wallet/unlocked-wallet.ts";
import { command, type Flags, option, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { WALLETS } from "./flags.ts";
import { readInputFile } from "./input-file.ts";
import { dim, green, say } from "./terminal.ts";
import { printNewWallet } from "./wallet-create.ts";
import { resolveWalletName } from "./wallet-default.ts";
import {
  answer,
  answerList,
  factLines,
  fileExists,
  OPTIONAL_NAME,
  type StoreValues,
  storeOf,
  unwritable,
  WALLET_FLAGS,
  WALLET_NAME,
  withWallet,
  wrongName,
} from "./wallet-opening.ts";
import {
  promptLine,
  readNewPassphrase,
  readPassphrase,
  readPhrase,
  readSecret,
  secretFlags,
} from "./wallet-secrets.ts";

const IMPORT_FLAGS = {
  ...WALLET_FLAGS,
  ...secretFlags("recovery-phrase"),
  ...secretFlags("file-passphrase"),
  "key-version": option("N", "how keys are derived from the phrase: 1 or 2 (default 2)"),
  file: option("FILE", "a wallet file of Lyra or of the original, not a phrase"),
} as const satisfies Flags;

export const importWallet = command({
  words: { NAME: { text: "its name here" } },
  flags: IMPORT_FLAGS,
  json: "as `wallet create`, never with the phrase",
  async run({ words: { NAME: name }, values }) {
    const store = storeOf(values);
    if (await store.has(name)) throw walletExists();
    if (values.file !== undefined && values["key-version"] !== undefined) {
      throw usageError(
        "wallet",
        "a file says by itself which version its keys have: leave --key-version away",
      );
    }
    const wallet = values.file === undefined ? await fromPhrase() : await fromFile(values.file);
    const { keyVersion, keys } = wallet;
    printNewWallet({ name, filePath: store.locationOf(name), key: keys[0], keyVersion }, values);
    wallet.lock();
    return ExitCode.done;

    async function fromPhrase(): Promise<UnlockedWallet> {
      const version = checkKeyVersion(Number(values["key-version"] ?? KEY_VERSION_DEFAULT));
      const recoveryPhrase = readRecoveryPhrase(await readPhrase(values));
      const passphrase = await readNewPassphrase(values, name);
      return store.import({ name, passphrase, recoveryPhrase, version }).finally(() => wipe(passphrase));
    }

    async function fromFile(path: string): Promise<UnlockedWallet> {
      const file = readWhole(path);
      const filePassphrase = await readSecret(values, {
        flag: "file-passphrase",
        question: `passphrase of ${path}`,
      });
      const passphrase = await readNewPassphrase(values, name);
      return store
        .importFile({ name, passphrase, file, filePassphrase })
        .finally(() => wipe(passphrase, filePassphrase));
    }
  },
});

export const list = command({
  flags: WALLETS,
  json: "{wallets: [{name, format, problem?}]}; `format` is `lyra`, `original`, or null where the file must not be read",
  async run({ values }) {
    const wallets = await storeOf(values).list();
    return answerList(
      values,
      {
        wallets: wallets.map(({ name, format, problem }) => ({
          name,
          format: format ?? null,
          ...(problem && { problem }),
        })),
      },
      {
        lines: wallets.map(({ name, format, problem }) => `${name.padEnd(30)} ${problem ?? format}`),
        nothing: "there is no wallet yet: lyra wallet create NAME",
      },
    );
  },
});

/** Titles of members for people. */
const TITLES: Readonly<Record<string, string>> = {
  id: "identifier",
  keyDerivationVersion: "version of its keys",
};

export const describe = command({
  words: { NAME: OPTIONAL_NAME },
  flags: WALLET_FLAGS,
  json: "{name, id, type, keyDerivationVersion, format, keys}",
  wrongWords: wrongName,
  async run({ words: { NAME }, values }) {
    const name = await resolveWalletName("wallet", values, NAME);
    return withWallet(name, values, (wallet) => {
      const description = {
        name,
        id: wallet.id,
        type: wallet.isIsolated ? "HD wallet (isolated)" : "HD wallet",
        keyDerivationVersion: wallet.keyVersion,
        format: wallet.format,
        keys: wallet.keys.length,
      };
      const facts = Object.entries(description).map(
        ([member, value]) => [TITLES[member] ?? member, String(value)] as const,
      );
      return answer(values, description, { text: factLines(facts) });
    });
  },
});

export const rename = command({
  words: { NAME: WALLET_NAME, NEW_NAME: { text: "a name that is free" } },
  flags: WALLETS,
  json: "{name}",
  async run({ words: { NAME: name, NEW_NAME: newName }, values }) {
    await storeOf(values).rename(name, newName);
    await removeTokens(values, name);
    return answer(values, { name: newName }, { note: green(`${name} is called ${newName} now`) });
  },
});

export const remove = command({
  words: { NAME: WALLET_NAME },
  flags: {
    ...WALLETS,
    force: toggle("do not ask for its name again; needed without a terminal"),
  },
  notes: `  Only the recovery phrase brings the wallet back.`,
  json: "{deleted}",
  async run({ words: { NAME: name }, values }) {
    const store = storeOf(values);
    if ((await store.has(name)) && !values.force) {
      if (process.stdin.isTTY !== true)
        throw usageError("wallet", "say --force: there is no terminal to ask on");
      say("Only its recovery phrase brings a deleted wallet back.");
      if ((await promptLine("type its name to delete it")) !== name) {
        throw walletError("cancelled", "nothing was deleted");
      }
    }
    await store.delete(name);
    await removeTokens(values, name);
    return answer(values, { deleted: name }, { note: green(`${name} is deleted`) });
  },
});

/** Removes the tokens of a wallet, which would be valid for the next one of that name. */
async function removeTokens({ home = defaultHome(), quiet }: StoreValues, name: string): Promise<void> {
  const { requestLogPath, serviceFiles } = await import("../planes/wallet/start.ts");
  if (!existsSync(dirname(requestLogPath(home)))) return;
  const count = await serviceFiles(home).tokens.removeOf(name);
  if (count > 0 && !quiet) say(dim(`${count} of its long-living tokens ${count === 1 ? "is" : "are"} over`));
}

export const changePassphrase = command({
  words: { NAME: WALLET_NAME },
  flags: { ...WALLET_FLAGS, ...secretFlags("new-passphrase") },
  json: "{name}",
  async run({ words: { NAME: name }, values }) {
    return withWallet(name, values, async (wallet, store) => {
      const passphrase = await readNewPassphrase(values, name, "new-passphrase");
      await store.changePassphrase(wallet, passphrase).finally(() => wipe(passphrase));
      return answer(values, { name }, { note: green(`${name} has a new passphrase`) });
    });
  },
});

export const upgrade = command({
  words: { NAME: WALLET_NAME },
  flags: WALLET_FLAGS,
  notes: `  The passphrase stays. The original cannot open it then: lyra wallet export.`,
  json: "{name, format, upgraded}",
  async run({ words: { NAME: name }, values }) {
    const store = storeOf(values);
    if (!(await store.has(name))) throw walletUnknown();
    const passphrase = await readPassphrase(values, name);
    try {
      const wallet = await store.unlock(name, passphrase);
      const isOld = wallet.format === "original";
      if (isOld) await store.upgrade(wallet, passphrase);
      wallet.lock();
      return answer(
        values,
        { name, format: "lyra", upgraded: isOld },
        { note: green(`${name} is a file of Lyra's${isOld ? " now" : " already"}`) },
      );
    } finally {
      wipe(passphrase);
    }
  },
});

export const exportWallet = command({
  words: { NAME: WALLET_NAME },
  usage: ["NAME --out FILE [flags]"],
  flags: {
    out: option("FILE", "the new file", { short: "o" }),
    ...WALLET_FLAGS,
    ...secretFlags("new-passphrase"),
  },
  notes: `  Such files hardly protect their passphrase: use one that cannot be guessed.`,
  json: "{out, bytes}",
  async run({ words: { NAME: name }, values }) {
    const { out } = values;
    if (out === undefined) throw usageError("wallet", "say where to: --out FILE");
    if (existsSync(out)) throw fileExists(out);
    return withWallet(name, values, async (wallet, store) => {
      const passphrase = await readNewPassphrase(values, `the file ${out}`, "new-passphrase");
      const file = await store.exportForOriginal(wallet, passphrase).finally(() => wipe(passphrase));
      try {
        writeNewFile(out, file);
      } catch (error) {
        throw unwritable(out, error);
      }
      if (!values.quiet && !values.json) {
        say(dim("the original's files hardly protect their passphrase: use one that cannot be guessed"));
      }
      return answer(
        values,
        { out, bytes: file.length },
        { note: green(`${out} opens in the original wallet`) },
      );
    });
  },
});

function readWhole(path: string): Uint8Array {
  let file: Uint8Array;
  try {
    file = readInputFile(path, FILE_BYTES_MAX);
  } catch (error) {
    throw walletError("file_unreadable", `${path} cannot be read: ${(error as { code?: string }).code}`);
  }
  if (file.length > FILE_BYTES_MAX) throw walletDamaged(`it has more than ${FILE_BYTES_MAX} bytes`);
  return file;
}
