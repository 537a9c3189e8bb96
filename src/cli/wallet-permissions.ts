// lyra wallet permissions: access of hostnames to keys. A running service notices a change within a second.
import { ExitCode } from "../errors/node-error.ts";
import { defaultHome } from "../node/config.ts";
import { serviceFiles } from "../planes/wallet/start.ts";
import { plain } from "../wallet/approvals/formatting.ts";
import { walletUnknown } from "../wallet/errors.ts";
import type { UnlockedWallet } from "../wallet/unlocked-wallet.ts";
import { durationNs } from "../wire/time-text.ts";
import { command, option, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { WALLETS } from "./flags.ts";
import { dim, green, say } from "./terminal.ts";
import {
  answer,
  answerList,
  print,
  type StoreValues,
  storeOf,
  WALLET_FLAGS,
  WALLET_NAME,
  withWallet,
} from "./wallet-opening.ts";

const HOSTNAME = { text: "the page's hostname" } as const;

export const list = command({
  words: { NAME: WALLET_NAME },
  flags: WALLET_FLAGS,
  json: "{permissions: {HOSTNAME: {public_keys}}}",
  async run({ words: { NAME: name }, values }) {
    return withWallet(name, values, ({ allPermissions }) => {
      const entries = [...allPermissions].map(
        ([hostname, { publicKeys }]) => [hostname, publicKeys.access] as const,
      );
      const permissions = Object.fromEntries(
        entries.map(([hostname, access]) => [hostname, { public_keys: access }]),
      );
      return answerList(
        values,
        { permissions },
        {
          lines: entries.map(([hostname, access]) => `${plain(hostname)}  ${access}`),
          nothing: `no page sees anything of ${name}`,
        },
      );
    });
  },
});

export const describe = command({
  words: { NAME: WALLET_NAME, HOSTNAME },
  flags: WALLET_FLAGS,
  json: "{permissions: {publicKeys: {access, allowedKeys}}}",
  async run({ words: { NAME: name, HOSTNAME: hostname }, values }) {
    return withWallet(name, values, (wallet) => {
      const { access, allowedKeys } = wallet.permissions(hostname).publicKeys;
      const isAll = allowedKeys.length === 0;
      const document = { permissions: { publicKeys: { access, allowedKeys: isAll ? null : allowedKeys } } };
      const which = access === "none" ? "" : isAll ? "  all keys" : `  ${allowedKeys.join(" ")}`;
      return answer(values, document, { text: `${access}${which}` });
    });
  },
});

export const revoke = command({
  words: { NAME: WALLET_NAME, HOSTNAME },
  flags: WALLET_FLAGS,
  json: "{revoked}",
  async run({ words: { NAME: name, HOSTNAME: hostname }, values }) {
    return changePermissions(name, values, (wallet) => wallet.revokePermissions(hostname), {
      revoked: hostname,
    });
  },
});

export const purge = command({
  words: { NAME: WALLET_NAME },
  usage: ["NAME --force [flags]"],
  flags: {
    force: toggle("take the permissions of all hostnames"),
    ...WALLET_FLAGS,
  },
  json: "{purged}",
  async run({ words: { NAME: name }, values }) {
    if (!values.force) throw usageError("wallet", "this takes the permissions of all hostnames: say --force");
    return changePermissions(name, values, (wallet) => wallet.purgePermissions(), { purged: name });
  },
});

function changePermissions(
  name: string,
  values: StoreValues,
  make: (wallet: UnlockedWallet) => Promise<void>,
  document: object,
): Promise<number> {
  return withWallet(name, values, async (wallet) => {
    await make(wallet);
    const note = green("done; open connections keep their token and see no key any more");
    return answer(values, document, { note });
  });
}

// lyra wallet token: long-living tokens for programs. A token is shown once; the file holds its hash.

const DESCRIPTION_LENGTH_MAX = 1_000;

export const generate = command({
  words: { NAME: WALLET_NAME },
  flags: {
    description: option("TEXT", "what it is for"),
    "expires-in": option("DURATION", "such as 720h (default: never)"),
    ...WALLETS,
  },
  json: "{token, id, wallet, description, createdAt, expiresAt}; the token is shown this once",
  async run({ words: { NAME: wallet }, values }) {
    if (!(await storeOf(values).has(wallet))) throw walletUnknown();
    const description = (values.description ?? "").slice(0, DESCRIPTION_LENGTH_MAX);
    const now = Date.now();
    const expiresAt = values["expires-in"] === undefined ? null : timeAfter(now, values["expires-in"]);
    const createdAt = new Date(now).toISOString();
    const { tokens } = serviceFiles(values.home ?? defaultHome());
    const { token, id } = await tokens.add({ wallet, description, createdAt, expiresAt });
    if (values.json) print({ token, id, wallet, description, createdAt, expiresAt });
    else {
      process.stdout.write(`${token}\n`);
      if (!values.quiet) {
        say(
          dim(
            `it is shown once; its name is ${id}, and its holder signs with ${wallet} without being asked about`,
          ),
        );
        say(
          dim(
            `unless a policy decides. The service needs the wallet unlocked: lyra wallet serve --unlock ${wallet}`,
          ),
        );
      }
    }
    return ExitCode.done;
  },
});

export const listTokens = command({
  json: "{tokens: [{id, wallet, description, createdAt, expiresAt}]}",
  async run({ values }) {
    const tokens = await serviceFiles(values.home ?? defaultHome()).tokens.list();
    return answerList(
      values,
      { tokens: tokens.map(({ hash: _hash, ...token }) => token) },
      {
        lines: tokens.map(({ id, wallet, description, expiresAt }) => {
          const end = expiresAt === null ? "never expires" : `until ${expiresAt}`;
          return `${id}  ${wallet}  ${end}  ${plain(description)}`;
        }),
        nothing: "there is no token: lyra wallet token generate NAME",
      },
    );
  },
});

export const remove = command({
  words: { ID: { text: "the token's name: lyra wallet token list" } },
  json: "{deleted}",
  async run({ words: { ID: id }, values }) {
    // Other processes can read arguments, so the token itself is not one.
    if (!/^[0-9a-f]{8}$/.test(id)) throw usageError("wallet", "say the token's name: lyra wallet token list");
    const removed = await serviceFiles(values.home ?? defaultHome()).tokens.remove(id);
    const note = green(`the token ${removed} is good for nothing any more`);
    return answer(values, { deleted: removed }, { note });
  },
});

function timeAfter(nowMs: number, duration: string): string {
  const ms = Number(durationNs(duration) / 1_000_000n);
  const at = new Date(nowMs + ms);
  if (ms > 0 && !Number.isNaN(at.getTime())) return at.toISOString();
  throw usageError("wallet", "--expires-in is a duration like 720h");
}
