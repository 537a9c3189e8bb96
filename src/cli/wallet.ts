// lyra wallet: wallets, their keys, and messages, with no network at all.
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
import { didYouMean, readArguments, readInputFile, usageError } from "./arguments.ts";
import { dim, green, say } from "./terminal.ts";
import { create, tellNew } from "./wallet-create.ts";
import { meantWallet } from "./wallet-default.ts";
import { help, helpOf, runWord, type Verbs, verbOf } from "./wallet-help.ts";
import { runKey } from "./wallet-keys.ts";
import { runMessage } from "./wallet-messages.ts";
import {
  answer,
  cannotWrite,
  fileExists,
  print,
  readWords,
  STORE_FLAGS,
  type StoreValues,
  storeOf,
  takeAtMostOne,
  WALLET_FLAGS,
  withWallet,
} from "./wallet-opening.ts";
import {
  promptLine,
  readNewPassphrase,
  readPassphrase,
  readPhrase,
  readSecret,
  secretFlags,
} from "./wallet-secrets.ts";

export { help, helpOf };

const IMPORT_FLAGS = {
  ...WALLET_FLAGS,
  ...secretFlags("recovery-phrase"),
  ...secretFlags("file-passphrase"),
  "key-version": { type: "string" },
  file: { type: "string" },
} as const;

const VERBS: Verbs = {
  create,
  import: importWallet,
  list,
  describe,
  rename,
  delete: remove,
  passphrase: changePassphrase,
  upgrade,
  export: exportWallet,
  key: runKey,
  message: runMessage,
  // Online commands are loaded when they are called.
  unlock: async (argv) => (await import("./wallet-session.ts")).runUnlock(argv),
  lock: async (argv) => (await import("./wallet-session.ts")).runLock(argv),
  serve: async (argv) => (await import("./wallet-serve.ts")).runServe(argv),
  approvals: async (argv) => (await import("./wallet-approvals.ts")).runApprovals(argv),
  permissions: async (argv) => (await import("./wallet-permissions.ts")).runPermissions(argv),
  session: async (argv) => (await import("./wallet-session.ts")).runSession(argv),
  token: async (argv) => (await import("./wallet-permissions.ts")).runToken(argv),
  network: async (argv) => (await import("./wallet-network.ts")).runNetwork(argv),
  default: async (argv) => (await import("./wallet-default.ts")).runDefault(argv),
  balance: async (argv) => (await import("./wallet-balance.ts")).runBalance(argv),
  policy: async (argv) => (await import("./wallet-approvals.ts")).runPolicy(argv),
};

export async function run(argv: string[]): Promise<number> {
  const [verb, ...rest] = argv;
  const known = verbOf(VERBS, verb);
  if (known) return runWord(verb!, known, rest);
  if (verb === "help") {
    process.stdout.write(helpOf(rest));
    return ExitCode.done;
  }
  throw usageError(
    "wallet",
    verb === undefined
      ? `say one of ${Object.keys(VERBS).join(", ")}`
      : `there is no 'wallet ${verb.slice(0, 40)}'${didYouMean(verb, Object.keys(VERBS))}`,
  );
}

async function importWallet(argv: string[]): Promise<number> {
  const [values, name] = readWords(argv, ["NAME"], IMPORT_FLAGS);
  const store = storeOf(values);
  if (await store.has(name)) throw walletExists();
  if (values.file !== undefined && values["key-version"] !== undefined) {
    throw usageError("wallet", "a file says by itself which version its keys have: leave --key-version away");
  }
  const wallet = values.file === undefined ? await fromPhrase() : await fromFile(values.file);
  const { keyVersion, keys } = wallet;
  tellNew({ name, filePath: store.locationOf(name), key: keys[0], keyVersion }, values);
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
}

async function list(argv: string[]): Promise<number> {
  const [values] = readWords(argv, [], STORE_FLAGS);
  const wallets = await storeOf(values).list();
  if (values.json) {
    print({
      wallets: wallets.map(({ name, format, problem }) => ({
        name,
        format: format ?? null,
        ...(problem && { problem }),
      })),
    });
    return ExitCode.done;
  }
  for (const { name, format, problem } of wallets) {
    process.stdout.write(`${name.padEnd(30)} ${problem ?? format}\n`);
  }
  if (wallets.length === 0 && !values.quiet) say(dim("there is no wallet yet: lyra wallet create NAME"));
  return ExitCode.done;
}

/** Of a description's members, for people. */
const TITLES: Readonly<Record<string, string>> = {
  id: "identifier",
  keyDerivationVersion: "version of its keys",
};

async function describe(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, WALLET_FLAGS);
  const name = await meantWallet("wallet", values, takeAtMostOne("wallet", positionals, "NAME"));
  return withWallet(name, values, (wallet) => {
    const description = {
      name,
      id: wallet.id,
      type: wallet.isIsolated ? "HD wallet (isolated)" : "HD wallet",
      keyDerivationVersion: wallet.keyVersion,
      format: wallet.format,
      keys: wallet.keys.length,
    };
    if (values.json) print(description);
    else {
      for (const [member, value] of Object.entries(description)) {
        const title = TITLES[member] ?? member;
        process.stdout.write(`${title.padEnd(22)}${value}\n`);
      }
    }
    return ExitCode.done;
  });
}

async function rename(argv: string[]): Promise<number> {
  const [values, name, newName] = readWords(argv, ["NAME", "NEW_NAME"], STORE_FLAGS);
  await storeOf(values).rename(name, newName);
  await endTokens(values, name);
  return answer(values, { name: newName }, { note: green(`${name} is called ${newName} now`) });
}

async function remove(argv: string[]): Promise<number> {
  const [values, name] = readWords(argv, ["NAME"], {
    ...STORE_FLAGS,
    force: { type: "boolean" },
  });
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
  await endTokens(values, name);
  return answer(values, { deleted: name }, { note: green(`${name} is deleted`) });
}

/** Tokens for programs name their wallet: the next one of that name would be theirs. */
async function endTokens({ home = defaultHome(), quiet }: StoreValues, name: string): Promise<void> {
  const { requestLogPath, serviceFiles } = await import("../planes/wallet/start.ts");
  if (!existsSync(dirname(requestLogPath(home)))) return;
  const count = await serviceFiles(home).tokens.removeOf(name);
  if (count > 0 && !quiet) say(dim(`${count} of its long-living tokens ${count === 1 ? "is" : "are"} over`));
}

async function changePassphrase(argv: string[]): Promise<number> {
  const [values, name] = readWords(argv, ["NAME"], {
    ...WALLET_FLAGS,
    ...secretFlags("new-passphrase"),
  });
  return withWallet(name, values, async (wallet, store) => {
    const passphrase = await readNewPassphrase(values, name, "new-passphrase");
    await store.changePassphrase(wallet, passphrase).finally(() => wipe(passphrase));
    return answer(values, { name }, { note: green(`${name} has a new passphrase`) });
  });
}

async function upgrade(argv: string[]): Promise<number> {
  const [values, name] = readWords(argv, ["NAME"], WALLET_FLAGS);
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
}

async function exportWallet(argv: string[]): Promise<number> {
  const [values, name] = readWords(argv, ["NAME"], {
    ...WALLET_FLAGS,
    ...secretFlags("new-passphrase"),
    out: { type: "string", short: "o" },
  });
  const { out } = values;
  if (out === undefined) throw usageError("wallet", "say where to: --out FILE");
  if (existsSync(out)) throw fileExists(out);
  return withWallet(name, values, async (wallet, store) => {
    const passphrase = await readNewPassphrase(values, `the file ${out}`, "new-passphrase");
    const file = await store.exportForOriginal(wallet, passphrase).finally(() => wipe(passphrase));
    try {
      writeNewFile(out, file);
    } catch (error) {
      throw cannotWrite(out, error);
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
}

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
