// lyra wallet session: the connections of a running service; where none runs, those that the next one would bring back.

import { wipe } from "../crypto/secrets.ts";
import { ExitCode, NodeError } from "../errors/node-error.ts";
import { requestAnswer } from "../fetch/answer.ts";
import { defaultHome } from "../node/config.ts";
import type { LocalMethod, LocalMethods } from "../planes/wallet/local-methods.ts";
import { serviceFiles, socketPath } from "../planes/wallet/start.ts";
import { plain } from "../wallet/approvals/formatting.ts";
import { walletUnknown } from "../wallet/errors.ts";
import { checkSocket } from "../wallet/keystore/guard.ts";
import { isOf, revokeKept, type WhichSessions } from "../wallet/service/sessions.ts";
import { siteOf } from "../wallet/service/sites.ts";
import { command, option } from "./command/command.ts";
import { dim, green, say } from "./terminal.ts";
import { answerList, print, WALLET_FLAGS, WALLET_NAME } from "./wallet-opening.ts";
import { readPassphrase, serviceText } from "./wallet-secrets.ts";

const ONE_HOSTNAME = { HOSTNAME: { text: "the page's hostname" } } as const;

interface Connection {
  readonly hostname: string;
  readonly wallet: string;
}

export const list = command({
  json: "{sessions: [{hostname, wallet}], served}; where no service runs, `served` is false, and the sessions are the kept ones",
  async run({ values }) {
    const home = values.home ?? defaultHome();
    const connected = await ifServed(connections(home));
    const sessions = connected ?? (await keptSessions(home));
    const served = connected !== undefined;
    if (values.json) {
      print({ sessions, served });
      return ExitCode.done;
    }
    for (const { hostname, wallet } of sessions) process.stdout.write(`${plain(hostname)}  ${wallet}\n`);
    if (values.quiet) return ExitCode.done;
    if (sessions.length === 0) {
      say(dim(served ? "nobody is connected" : "no service runs, and there is no session to bring back"));
    } else if (!served) say(dim("no service runs: these are the sessions that the next one brings back"));
    return ExitCode.done;
  },
});

/** Ends a hostname's sessions, what it asks for, and what it is doing, at once. */
export const revoke = command({
  words: ONE_HOSTNAME,
  flags: { wallet: option("NAME", "of this wallet alone") },
  notes: `  At once, with what it asks for.`,
  json: "{revoked, sessions}: how many",
  async run({ words: { HOSTNAME: hostname }, values }) {
    const home = values.home ?? defaultHome();
    const { wallet } = values;
    const which: WhichSessions = { hostname, ...(wallet !== undefined && { wallet }) };
    let sessions = await ifServed(revokeServed(home, which));
    if (sessions === undefined) {
      sessions = await revokeKept(serviceFiles(home).sessions, which);
      // A service that was started meanwhile may have read the file before.
      await ifServed(revokeServed(home, which));
    }
    if (values.json) print({ revoked: hostname, sessions });
    else if (!values.quiet) {
      if (sessions === 0) {
        say(dim(`${plain(hostname)} has no session: see which there are: lyra wallet session list`));
        return ExitCode.done;
      }
      say(green(`${plain(hostname)} is out`));
      say(dim("it may ask again; lyra wallet permissions revoke makes it ask for the keys as well"));
    }
    return ExitCode.done;
  },
});

/** Refuses whatever a site asks for from now on, and ends what it has. */
export const block = command({
  words: ONE_HOSTNAME,
  notes: `  All of its site, from now on.`,
  json: "{blocked}",
  async run({ words: { HOSTNAME: hostname }, values }) {
    const home = values.home ?? defaultHome();
    const { sessions, blocked: sites } = serviceFiles(home);
    const site = await sites.block(hostname);
    const open = (await ifServed(connections(home))) ?? (await keptSessions(home));
    for (const session of open.filter((one) => siteOf(one.hostname) === site)) {
      const which = { hostname: session.hostname };
      if ((await ifServed(revokeServed(home, which))) === undefined) await revokeKept(sessions, which);
    }
    if (values.json) print({ blocked: site });
    else if (!values.quiet)
      say(green(`${plain(site)} is blocked: lyra wallet session unblock takes that back`));
    return ExitCode.done;
  },
});

export const unblock = command({
  words: ONE_HOSTNAME,
  json: "{unblocked, wasBlocked}",
  async run({ words: { HOSTNAME: hostname }, values }) {
    const wasBlocked = await serviceFiles(values.home ?? defaultHome()).blocked.unblock(hostname);
    const site = siteOf(hostname);
    if (values.json) print({ unblocked: site, wasBlocked });
    else if (!values.quiet)
      say(wasBlocked ? green(`${plain(site)} may ask again`) : dim(`${plain(site)} was not blocked`));
    return ExitCode.done;
  },
});

export const blocked = command({
  json: "{sites: [{site, blockedAt}]}",
  async run({ values }) {
    const sites = await serviceFiles(values.home ?? defaultHome()).blocked.list();
    const lines = sites.map(({ site, blockedAt }) => `${plain(site)}  ${blockedAt}`);
    return answerList(values, { sites }, { lines, nothing: "no site is blocked" });
  },
});

async function connections(home: string): Promise<readonly Connection[]> {
  return (await askService(home, "admin.list_connections", {})).activeConnections;
}

/** @returns how many there were */
async function revokeServed(home: string, which: WhichSessions): Promise<number> {
  const sessions = (await connections(home)).filter(isOf(which));
  const { hostname, wallet } = which;
  if (wallet === undefined) await askService(home, "admin.close_connections_to_hostname", { hostname });
  else await askService(home, "admin.close_connection", { hostname, wallet });
  return sessions.length;
}

async function keptSessions(home: string): Promise<readonly Connection[]> {
  const { sessions } = await serviceFiles(home).sessions.read();
  return sessions.map(({ hostname, wallet }) => ({ hostname, wallet }));
}

/** @returns undefined where no service runs */
async function ifServed<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof NodeError && error.code === "wallet_not_served") return undefined;
    throw error;
  }
}

// lyra wallet unlock, lock: the wallets of a running service. Commands on files need neither.

export const unlock = command({
  words: { NAME: WALLET_NAME },
  flags: WALLET_FLAGS,
  notes: `  It locks again after idle time, by lyra wallet lock NAME, or with the service.
  Commands that work on the file itself ask for the passphrase each time.`,
  json: "{unlocked}: in the service that runs for the home; exit code 3 where none does",
  async run({ words: { NAME: wallet }, values }) {
    const home = values.home ?? defaultHome();
    // Ask for the passphrase only if the service has the wallet.
    const { wallets } = await askService(home, "admin.list_wallets", {});
    if (!wallets.includes(wallet)) throw walletUnknown();
    const bytes = await readPassphrase(values, wallet);
    try {
      const passphrase = serviceText(bytes);
      await askService(home, "admin.unlock_wallet", { wallet, passphrase });
    } finally {
      wipe(bytes);
    }
    if (values.json) print({ unlocked: wallet });
    else if (!values.quiet) say(green(`${wallet} is unlocked in the service`));
    return ExitCode.done;
  },
});

export const lock = command({
  words: { NAME: WALLET_NAME },
  json: "{locked}; exit code 3 where no service runs",
  async run({ words: { NAME: wallet }, values }) {
    const { wasUnlocked } = await askService(values.home ?? defaultHome(), "service.lock_wallet", { wallet });
    if (values.json) print({ locked: wallet });
    else if (!values.quiet) say(green(`${wallet} is locked${wasUnlocked ? "" : " already"}`));
    return ExitCode.done;
  },
});

// The local socket of a running wallet service, from another process of the same user.

/** A full list of waiting requests of the largest size. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;
/** Time to prove and send a transaction and to wait for its block. */
const ANSWER_MS = 5 * 60_000;

interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data: string };
}

/** @throws NodeError `wallet_not_served` with exit code 3, `wallet_refused` with the service's words */
export async function askService<Method extends LocalMethod>(
  home: string,
  method: Method,
  params: LocalMethods[Method]["params"],
): Promise<LocalMethods[Method]["result"]> {
  const path = socketPath(home);
  // The call may hold a passphrase, so check the socket's owner first.
  if (!checkSocket(path)) throw notServed(home);
  let answer: RpcAnswer;
  try {
    const response = await requestAnswer("http://wallet/", {
      unix: path,
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", method, params, id: "1" }),
      timeoutMs: ANSWER_MS,
    });
    answer = JSON.parse(await response.text(ANSWER_BYTES_MAX)) as RpcAnswer;
  } catch {
    throw notServed(home);
  }
  if (answer.error !== undefined) throw new NodeError("wallet", "wallet_refused", answer.error.data);
  return answer.result as LocalMethods[Method]["result"];
}

function notServed(home: string): NodeError {
  return new NodeError(
    "wallet",
    "wallet_not_served",
    `no wallet service runs for the home ${home}`,
    "start one: lyra wallet serve",
  );
}
