// lyra wallet default: the wallet and the key to use where none is named.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ExitCode, reasonOf } from "../errors/node-error.ts";
import { readShortText } from "../files/short-file.ts";
import { realSteps, writeFileWhole } from "../files/whole-file.ts";
import { defaultHome } from "../node/config.ts";
import { walletError, walletUnknown } from "../wallet/errors.ts";
import { parseUniqueJson } from "../wire/unique-json.ts";
import { command, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { WALLETS } from "./flags.ts";
import { dim, green, say } from "./terminal.ts";
import { print, type StoreValues, storeOf } from "./wallet-opening.ts";

interface Defaults {
  readonly wallet?: string;
  readonly key?: string;
}

const FILE = "wallet-default.json";
const BYTES_MAX = 4_096;
const KEY = /^[0-9a-f]{64}$/;

const WRONG_DEFAULT = "say NAME and, if you like, PUBLIC_KEY; or --clear; or nothing, to see them";

export const setDefault = command({
  words: {
    NAME: { text: "for balance, describe, key list, key generate, tx sign", optional: true },
    PUBLIC_KEY: { text: "its key", optional: true },
  },
  flags: {
    clear: toggle("forget them"),
    ...WALLETS,
  },
  notes: `  Without words it shows them. Without a default, the only wallet and its only
  key are used.`,
  json: "{wallet, key}; null where none is set",
  wrongWords: () => WRONG_DEFAULT,
  async run({ words: { NAME: wallet, PUBLIC_KEY: key }, values }) {
    if (values.clear && wallet !== undefined) throw usageError("wallet", WRONG_DEFAULT);
    const home = values.home ?? defaultHome();
    if (values.clear) rmSync(join(home, FILE), { force: true });
    else if (wallet !== undefined) {
      if (!(await storeOf(values).has(wallet))) throw walletUnknown();
      if (key !== undefined && !KEY.test(key))
        throw usageError("wallet", "PUBLIC_KEY has 64 hexadecimal digits");
      mkdirSync(home, { recursive: true, mode: 0o700 });
      const document: Defaults = { wallet, ...(key !== undefined && { key }) };
      writeFileWhole(join(home, FILE), Buffer.from(`${JSON.stringify(document)}\n`), realSteps);
    }
    const defaults = readDefaults(values);
    if (values.json) print({ wallet: defaults.wallet ?? null, key: defaults.key ?? null });
    else if (!values.quiet) {
      if (defaults.wallet === undefined) say(dim("there is no default wallet"));
      else
        say(
          green(`the default wallet is ${defaults.wallet}${defaults.key ? `, its key ${defaults.key}` : ""}`),
        );
    }
    return ExitCode.done;
  },
});

function readDefaults({ home = defaultHome() }: StoreValues): Defaults {
  const path = join(home, FILE);
  if (!existsSync(path)) return {};
  try {
    const { wallet, key } = parseUniqueJson(readShortText(path, BYTES_MAX)) as Defaults;
    if (typeof wallet !== "string" || (key !== undefined && !KEY.test(key)))
      throw new TypeError("another document");
    return { wallet, ...(key !== undefined && { key }) };
  } catch (error) {
    throw walletError(
      "file_unreadable",
      `${path} cannot be read: ${reasonOf(error)}`,
      "lyra wallet default --clear",
    );
  }
}

/**
 * The named wallet, the default one, or the only one.
 * @throws NodeError with exit code 2 for several wallets and no default
 */
export async function resolveWalletName(
  command: string,
  values: StoreValues,
  named: string | undefined,
): Promise<string> {
  if (named !== undefined) return named;
  const { wallet } = readDefaults(values);
  if (wallet !== undefined) return wallet;
  const all = await storeOf(values).list();
  if (all.length === 1) return all[0]!.name;
  throw usageError(command, "say which wallet, or set one: lyra wallet default NAME [PUBLIC_KEY]");
}

/** The named key, the default one, or the wallet's only untainted one. */
export function resolveKey(
  command: string,
  values: StoreValues,
  wallet: {
    readonly name: string;
    readonly keys: readonly { readonly publicKey: string; readonly isTainted: boolean }[];
  },
  named: string | undefined,
): string {
  if (named !== undefined) return named;
  const defaults = readDefaults(values);
  if (defaults.wallet === wallet.name && defaults.key !== undefined) return defaults.key;
  const usable = wallet.keys.filter(({ isTainted }) => !isTainted);
  if (usable.length === 1) return usable[0]!.publicKey;
  throw usageError(command, "say which key, or set one: lyra wallet default NAME PUBLIC_KEY");
}

/** The default key; undefined if none is set. */
export function defaultKey(values: StoreValues): string | undefined {
  return readDefaults(values).key;
}
