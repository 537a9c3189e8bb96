// lyra wallet permissions: what hostnames may see of a wallet. A running service notices a change within a second.
import { ExitCode } from "../errors/node-error.ts";
import { plain } from "../wallet/approvals/plain-text.ts";
import type { UnlockedWallet } from "../wallet/unlocked-wallet.ts";
import { readArguments, usageError } from "./arguments.ts";
import { dim, green, say } from "./terminal.ts";
import { print, type StoreValues, takeWords, WALLET_FLAGS, withWallet } from "./wallet-opening.ts";
import { pickVerb } from "./wallet-verbs.ts";

export const runPermissions = (argv: string[]): Promise<number> =>
  pickVerb("permissions", argv, { list, describe, revoke, purge });

async function list(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, WALLET_FLAGS);
  const [name] = takeWords("wallet", positionals, "NAME");
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
  const { values, positionals } = readArguments("wallet", argv, WALLET_FLAGS);
  const [name, hostname] = takeWords("wallet", positionals, "NAME", "HOSTNAME");
  return withWallet(name, values, (wallet) => {
    const { access, allowedKeys } = wallet.permissions(hostname).publicKeys;
    if (values.json) {
      const keys = allowedKeys.length === 0 ? null : allowedKeys;
      print({ permissions: { publicKeys: { access, allowedKeys: keys } } });
    } else {
      const which =
        access === "none" ? "" : allowedKeys.length === 0 ? "  all keys" : `  ${allowedKeys.join(" ")}`;
      process.stdout.write(`${access}${which}\n`);
    }
    return ExitCode.done;
  });
}

async function revoke(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, WALLET_FLAGS);
  const [name, hostname] = takeWords("wallet", positionals, "NAME", "HOSTNAME");
  return change(name, values, (wallet) => wallet.revokePermissions(hostname), { revoked: hostname });
}

async function purge(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, {
    ...WALLET_FLAGS,
    force: { type: "boolean" },
  });
  const [name] = takeWords("wallet", positionals, "NAME");
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
    if (values.json) print(document);
    else if (!values.quiet) say(green("done; open connections keep their token and see no key any more"));
    return ExitCode.done;
  });
}
