// lyra wallet token: long-living tokens for programs. A token is shown once; the file holds its hash.

import { ExitCode } from "../errors/node-error.ts";
import { defaultHome } from "../node/config.ts";
import { serviceFiles } from "../planes/wallet/start.ts";
import { plain } from "../wallet/approvals/plain-text.ts";
import { walletUnknown } from "../wallet/errors.ts";
import { durationNs } from "../wire/time-text.ts";
import { COMMON, readArguments, usageError } from "./arguments.ts";
import { dim, green, say } from "./terminal.ts";
import { print, STORE_FLAGS, storeOf, takeWords } from "./wallet-opening.ts";
import { pickVerb } from "./wallet-verbs.ts";

export const runToken = (argv: string[]): Promise<number> =>
  pickVerb("token", argv, { generate, list, delete: remove });

const DESCRIPTION_LENGTH_MAX = 1_000;

async function generate(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, {
    ...STORE_FLAGS,
    description: { type: "string" },
    "expires-in": { type: "string" },
  });
  const [wallet] = takeWords("wallet", positionals, "NAME");
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

async function list(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, COMMON);
  takeWords("wallet", positionals);
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
  const { values, positionals } = readArguments("wallet", argv, COMMON);
  const [id] = takeWords("wallet", positionals, "ID");
  // The token itself is no argument: other processes can read those.
  if (!/^[0-9a-f]{8}$/.test(id)) throw usageError("wallet", "say the token's name: lyra wallet token list");
  const removed = await serviceFiles(values.home ?? defaultHome()).tokens.remove(id);
  if (values.json) print({ deleted: removed });
  else if (!values.quiet) say(green(`the token ${removed} is good for nothing any more`));
  return ExitCode.done;
}

function timeAfter(nowMs: number, duration: string): string {
  const ms = Number(durationNs(duration) / 1_000_000n);
  const at = new Date(nowMs + ms);
  if (ms > 0 && !Number.isNaN(at.getTime())) return at.toISOString();
  throw usageError("wallet", "--expires-in is a duration like 720h");
}
