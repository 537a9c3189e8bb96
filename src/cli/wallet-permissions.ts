// lyra wallet permissions: what hostnames may see of a wallet. A running service notices a change within a second.
import { ExitCode } from "../errors/node-error.ts";
import { defaultHome } from "../node/config.ts";
import { serviceFiles } from "../planes/wallet/start.ts";
import { plain } from "../wallet/approvals/formatting.ts";
import { walletUnknown } from "../wallet/errors.ts";
import type { UnlockedWallet } from "../wallet/unlocked-wallet.ts";
import { durationNs } from "../wire/time-text.ts";
import { COMMON, usageError } from "./arguments.ts";
import { dim, green, say } from "./terminal.ts";
import { pickVerb } from "./wallet-help.ts";
import {
  answer,
  print,
  readWords,
  STORE_FLAGS,
  type StoreValues,
  storeOf,
  WALLET_FLAGS,
  withWallet,
} from "./wallet-opening.ts";

export const runPermissions = (argv: string[]): Promise<number> =>
  pickVerb("permissions", argv, { list, describe, revoke, purge });

async function list(argv: string[]): Promise<number> {
  const [values, name] = readWords(argv, ["NAME"], WALLET_FLAGS);
  return withWallet(name, values, ({ allPermissions }) => {
    const entries = [...allPermissions].map(
      ([hostname, { publicKeys }]) => [hostname, publicKeys.access] as const,
    );
    if (values.json) {
      const permissions = Object.fromEntries(
        entries.map(([hostname, access]) => [hostname, { public_keys: access }]),
      );
      print({ permissions });
      return ExitCode.done;
    }
    for (const [hostname, access] of entries) process.stdout.write(`${plain(hostname)}  ${access}\n`);
    if (entries.length === 0 && !values.quiet) say(dim(`no page sees anything of ${name}`));
    return ExitCode.done;
  });
}

async function describe(argv: string[]): Promise<number> {
  const [values, name, hostname] = readWords(argv, ["NAME", "HOSTNAME"], WALLET_FLAGS);
  return withWallet(name, values, (wallet) => {
    const { access, allowedKeys } = wallet.permissions(hostname).publicKeys;
    const isAll = allowedKeys.length === 0;
    const document = { permissions: { publicKeys: { access, allowedKeys: isAll ? null : allowedKeys } } };
    const which = access === "none" ? "" : isAll ? "  all keys" : `  ${allowedKeys.join(" ")}`;
    return answer(values, document, { text: `${access}${which}` });
  });
}

async function revoke(argv: string[]): Promise<number> {
  const [values, name, hostname] = readWords(argv, ["NAME", "HOSTNAME"], WALLET_FLAGS);
  return change(name, values, (wallet) => wallet.revokePermissions(hostname), { revoked: hostname });
}

async function purge(argv: string[]): Promise<number> {
  const [values, name] = readWords(argv, ["NAME"], {
    ...WALLET_FLAGS,
    force: { type: "boolean" },
  });
  if (!values.force) throw usageError("wallet", "this takes the permissions of all hostnames: say --force");
  return change(name, values, (wallet) => wallet.purgePermissions(), { purged: name });
}

function change(
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

export const runToken = (argv: string[]): Promise<number> =>
  pickVerb("token", argv, { generate, list: listTokens, delete: remove });

const DESCRIPTION_LENGTH_MAX = 1_000;

async function generate(argv: string[]): Promise<number> {
  const [values, wallet] = readWords(argv, ["NAME"], {
    ...STORE_FLAGS,
    description: { type: "string" },
    "expires-in": { type: "string" },
  });
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
          `it is shown once; its name is ${id}, and whoever has it signs with ${wallet} without being asked about`,
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
}

async function listTokens(argv: string[]): Promise<number> {
  const [values] = readWords(argv, [], COMMON);
  const tokens = await serviceFiles(values.home ?? defaultHome()).tokens.list();
  if (values.json) {
    print({ tokens: tokens.map(({ hash: _hash, ...token }) => token) });
    return ExitCode.done;
  }
  for (const { id, wallet, description, expiresAt } of tokens) {
    const end = expiresAt === null ? "never expires" : `until ${expiresAt}`;
    process.stdout.write(`${id}  ${wallet}  ${end}  ${plain(description)}\n`);
  }
  if (tokens.length === 0 && !values.quiet) say(dim("there is no token: lyra wallet token generate NAME"));
  return ExitCode.done;
}

async function remove(argv: string[]): Promise<number> {
  const [values, id] = readWords(argv, ["ID"], COMMON);
  // The token itself is not an argument: other processes can read those.
  if (!/^[0-9a-f]{8}$/.test(id)) throw usageError("wallet", "say the token's name: lyra wallet token list");
  const removed = await serviceFiles(values.home ?? defaultHome()).tokens.remove(id);
  const note = green(`the token ${removed} is good for nothing any more`);
  return answer(values, { deleted: removed }, { note });
}

function timeAfter(nowMs: number, duration: string): string {
  const ms = Number(durationNs(duration) / 1_000_000n);
  const at = new Date(nowMs + ms);
  if (ms > 0 && !Number.isNaN(at.getTime())) return at.toISOString();
  throw usageError("wallet", "--expires-in is a duration like 720h");
}
