// lyra wallet approvals: shows and answers requests of pages from a second terminal.

import { existsSync } from "node:fs";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import { defaultHome } from "../node/config.ts";
import { requestLogPath } from "../planes/wallet/start.ts";
import { plain } from "../wallet/approvals/formatting.ts";
import { requestLines, type ShownRequest, wrapped } from "../wallet/approvals/shown.ts";
import {
  answerInTerminal,
  type Terminal,
  type TerminalAnswer,
  type WaitingRequests,
} from "../wallet/approvals/terminal.ts";
import { PASSPHRASE_BYTES_MAX } from "../wallet/limits.ts";
import { loadPolicy } from "../wallet/policies/policy.ts";
import { type Simulated, simulate } from "../wallet/policies/policy-approver.ts";
import { type LoggedRequest, readLog } from "../wallet/policies/request-log.ts";
import { secureRandom } from "../wallet/random.ts";
import { newToken, tokenHash } from "../wallet/service/tokens.ts";
import { command, type Flags, option, toggle, type ValuesOf } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { dim, green, say } from "./terminal.ts";
import { print } from "./wallet-opening.ts";
import { promptHidden, promptLine } from "./wallet-secrets.ts";
import { askService } from "./wallet-session.ts";

const POLL_MS = 250;
/** Waiting for the outcome of a transaction: after `--approve`, and in a terminal. */
const OUTCOME_MS = 5_000;
const LATE_OUTCOME_MS = 60_000;
/** Longer than it takes to finish a word, and to see that its question has ended. */
const REST_MS = 2_000;
const FLAGS = {
  approve: option("ID", "say yes to a request"),
  reject: option("ID", "say no to it"),
  block: toggle("with --reject: its site may not ask again"),
  "reject-all": toggle("say no to all that wait"),
  wallet: option("NAME", "with --approve: the wallet to connect"),
  keep: toggle("with --approve: the connection outlives the service"),
  "allow-key": option("KEY", "with --approve: the keys that the page sees; may come again", {
    multiple: true,
  }),
} as const satisfies Flags;

/** Standard error and standard input of this process. */
export const processTerminal: Terminal = {
  write: (lines) => process.stderr.write(`${wrapped(lines, process.stderr.columns).join("\n")}\n`),
  line: promptLine,
  hidden: (question, signal) => promptHidden(question, PASSPHRASE_BYTES_MAX, signal),
  // The next prompt drops what is typed meanwhile.
  rest: () => Bun.sleep(REST_MS),
};

const WRONG_VERB = "say nothing more, or list";

export const approvals = command({
  words: {
    list: { text: "shows them, and asks nothing", optional: true, choices: ["list"] },
  },
  flags: FLAGS,
  notes: `  Without words it shows and asks, one after the other.`,
  json: "`list`: {requests: [{id, kind, hostname, origin, receivedAt, isOwn?, wallet?, wallets?, keys?, purpose?, key?, words?: {title, lines, warnings}, destination?: {chainId, standing, node}, costs?: [{kind, asset, amount?, label, text}], balances?, raw?, reason?}]}; `--approve ID`, `--reject ID`: {id, outcome, became?}; `--reject-all`: {rejected}",
  wrongWords: () => WRONG_VERB,
  async run({ words: { list: verb }, values }) {
    const home = values.home ?? defaultHome();
    if (verb !== undefined && verb !== "list") throw usageError("wallet", WRONG_VERB);
    if (values["reject-all"]) return rejectAll(home, values.json === true);
    if (values.block && values.reject === undefined)
      throw usageError("wallet", "--block goes with --reject ID");
    if (values.approve !== undefined || values.reject !== undefined) return answerOne(home, values);
    if (verb === "list" || values.json) return showList(home, values.json === true);
    if (process.stdin.isTTY !== true) {
      throw usageError("wallet", "there is no terminal to ask on: say list, --approve ID or --reject ID");
    }
    if (!values.quiet) say(dim("waiting for requests; Ctrl-C ends this, and the service goes on"));
    await askService(home, "service.status", {});
    await answerInTerminal(new SocketSource(home), processTerminal);
    return ExitCode.done;
  },
});

async function showList(home: string, asJson: boolean): Promise<number> {
  const { requests } = await askService(home, "approvals.list", {});
  if (asJson) print({ requests });
  else
    for (const request of requests)
      process.stdout.write(`${request.id}\n${requestLines(request).join("\n")}\n\n`);
  return ExitCode.done;
}

async function rejectAll(home: string, asJson: boolean): Promise<number> {
  const { rejected } = await askService(home, "approvals.reject_all", {});
  if (asJson) print({ rejected });
  else say(`${rejected} rejected`);
  return ExitCode.done;
}

async function answerOne(home: string, values: ValuesOf<typeof FLAGS>): Promise<number> {
  const { approve, reject, wallet, keep } = values;
  if (approve !== undefined && reject !== undefined)
    throw usageError("wallet", "say --approve ID or --reject ID");
  const allowedKeys = values["allow-key"];
  const id = approve ?? reject;
  if (id === undefined) throw usageError("wallet", "say --approve ID or --reject ID");
  const answer = {
    id,
    outcome: approve === undefined ? "rejected" : "approved",
    ...(values.block && ({ reach: "site" } as const)),
    ...(wallet !== undefined && { wallet }),
    ...(keep !== undefined && { keep }),
    ...(allowedKeys !== undefined && { allowedKeys }),
  } as const;
  const { answered, kind } = await askService(home, "approvals.answer", answer);
  if (!answered) throw new NodeError("wallet", "request_over", "the request does not wait any more");
  const isSent = approve !== undefined && kind === "transaction";
  const became = isSent ? await outcomeOf(home, approve, OUTCOME_MS) : undefined;
  if (values.json) print({ id: answer.id, outcome: answer.outcome, ...(became !== undefined && { became }) });
  else if (became !== undefined) say(became);
  return ExitCode.done;
}

/** Outcome of an approved transaction; undefined for other requests, and after the timeout. */
async function outcomeOf(home: string, id: string, waitMs: number): Promise<string | undefined> {
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const { outcome } = await askService(home, "approvals.outcome", { id });
    if (outcome !== null) return outcome;
    if (performance.now() >= untilMs) return undefined;
    await Bun.sleep(POLL_MS);
  }
}

class SocketSource implements WaitingRequests {
  constructor(private readonly home: string) {}

  async next(): Promise<ShownRequest | undefined> {
    for (;;) {
      const { request } = await askService(this.home, "approvals.next", {});
      if (request !== null) return request;
      await Bun.sleep(POLL_MS);
    }
  }

  onGone(id: string, tell: () => void): () => void {
    let isOver = false;
    const watch = async () => {
      while (!isOver) {
        await Bun.sleep(POLL_MS);
        const { waits } = await askService(this.home, "approvals.waits", { id });
        if (isOver || waits) continue;
        isOver = true;
        tell();
      }
    };
    // An ended service is reported when the user answers.
    watch().catch(tell);
    return () => {
      isOver = true;
    };
  }

  outcome(id: string): Promise<string | undefined> {
    return outcomeOf(this.home, id, LATE_OUTCOME_MS);
  }

  async answer(id: string, answer: TerminalAnswer): Promise<boolean> {
    const { isKept, passphrase, ...rest }: Partial<Extract<TerminalAnswer, { outcome: "approved" }>> =
      answer.outcome === "approved" ? answer : {};
    const reach = answer.outcome === "approved" ? undefined : answer.reach;
    try {
      const result = await askService(this.home, "approvals.answer", {
        ...rest,
        id,
        outcome: answer.outcome,
        ...(reach !== undefined && { reach }),
        ...(isKept !== undefined && { keep: isKept }),
        ...(passphrase !== undefined && { passphrase: Buffer.from(passphrase).toString("utf8") }),
      });
      return result.answered;
    } catch (error) {
      if (error instanceof NodeError && error.code === "wallet_refused") return false;
      throw error;
    }
  }
}

// lyra wallet policy: check, hash and simulate a policy.

const POLICY_FILE = { FILE: { text: "the policy" } } as const;

export const hash = command({
  words: POLICY_FILE,
  json: "{hash}",
  async run({ words: { FILE: path }, values }) {
    const loaded = loadPolicy(path);
    if (values.json) print({ hash: loaded.hash });
    else process.stdout.write(`${loaded.hash}\n`);
    return ExitCode.done;
  },
});

export const check = command({
  words: POLICY_FILE,
  json: "{name, rules, otherwise, hash}",
  async run({ words: { FILE: path }, values }) {
    const loaded = loadPolicy(path);
    const { name, rules, otherwise } = loaded.policy;
    if (values.json) print({ name, rules: rules.length, otherwise, hash: loaded.hash });
    else {
      say(
        green(
          `${plain(name)}: ${rules.length} ${rules.length === 1 ? "rule" : "rules"}; what none allows is ${otherwise === "ask" ? "asked about" : "refused"}`,
        ),
      );
      process.stdout.write(`${loaded.hash}\n`);
    }
    return ExitCode.done;
  },
});

/** A token for a program and its hash for a policy. It is shown once and not stored. */
export const pair = command({
  json: "{token, pairing}",
  async run({ values }) {
    const token = newToken(secureRandom);
    const pairing = tokenHash(token);
    if (values.json) print({ token, pairing });
    else {
      process.stdout.write(`${token}\n`);
      say(dim("for the program: it connects with the header Authorization: VWT TOKEN"));
      say(`for the rule of the policy: "pairing": "${pairing}"`);
    }
    return ExitCode.done;
  },
});

export const simulatePolicy = command({
  words: POLICY_FILE,
  flags: {
    log: option("FILE", "the service's log of requests (of the home)"),
  },
  json: "{requests: [{time, kind, hostname, outcome, verdict, why}], allow, ask, reject, unreadable}",
  async run({ words: { FILE: path }, values }) {
    const { policy } = loadPolicy(path);
    const log = values.log ?? requestLogPath(values.home ?? defaultHome());
    if (!existsSync(log)) {
      throw new NodeError(
        "wallet.policy",
        "log_missing",
        `there is no log of requests at ${log}`,
        "the wallet service writes one; or say --log FILE",
      );
    }
    const simulated = simulate(policy, entriesOf(log));
    const count = (verdict: Simulated["verdict"]) =>
      simulated.filter((one) => one.verdict === verdict).length;
    const totals = {
      allow: count("allow"),
      ask: count("ask"),
      reject: count("reject"),
      unreadable: count("unreadable"),
    };
    if (values.json) {
      const requests = simulated.map(({ entry, verdict, why }) => {
        const { time, kind, hostname, outcome } = entry;
        return { time, kind, hostname, outcome, verdict, why };
      });
      print({ requests, ...totals });
      return ExitCode.done;
    }
    for (const { entry, verdict, why } of simulated) {
      process.stdout.write(
        `${plain(entry.time)}  ${verdict.padEnd(8)} ${plain(entry.kind).padEnd(12)} ${plain(entry.hostname)}  ${plain(why)}\n`,
      );
    }
    const unread = totals.unreadable > 0 ? `, ${totals.unreadable} of which nothing can be read` : "";
    say(dim(`${totals.allow} allowed, ${totals.ask} asked, ${totals.reject} refused${unread}`));
    return ExitCode.done;
  },
});

function entriesOf(log: string): LoggedRequest[] {
  try {
    return readLog(log);
  } catch (error) {
    throw new NodeError("wallet.policy", "log_unreadable", `${log} cannot be read: ${reasonOf(error)}`);
  }
}
