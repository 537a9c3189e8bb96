// lyra wallet policy: what a policy is, what its hash is, and what it would have said of past requests.
import { existsSync } from "node:fs";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import { defaultHome } from "../node/config.ts";
import { requestLogPath } from "../planes/wallet/start.ts";
import { plain } from "../wallet/approvals/plain-text.ts";
import { loadPolicy } from "../wallet/policies/policy.ts";
import { type LoggedRequest, readLog } from "../wallet/policies/request-log.ts";
import { type Simulated, simulate } from "../wallet/policies/simulate.ts";
import { secureRandom } from "../wallet/random.ts";
import { newToken, tokenHash } from "../wallet/service/tokens.ts";
import { COMMON, readArguments } from "./arguments.ts";
import { dim, green, say } from "./terminal.ts";
import { print, takeWords } from "./wallet-opening.ts";
import { pickVerb } from "./wallet-verbs.ts";

export const runPolicy = (argv: string[]): Promise<number> =>
  pickVerb("policy", argv, { hash, check, simulate: runSimulate, pair });

async function hash(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, COMMON);
  const [path] = takeWords("wallet", positionals, "FILE");
  const loaded = loadPolicy(path);
  if (values.json) print({ hash: loaded.hash });
  else process.stdout.write(`${loaded.hash}\n`);
  return ExitCode.done;
}

async function check(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, COMMON);
  const [path] = takeWords("wallet", positionals, "FILE");
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
}

/** A token for a program, and what a policy holds of it. It is shown once, and kept nowhere. */
async function pair(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, COMMON);
  takeWords("wallet", positionals);
  const token = newToken(secureRandom);
  const pairing = tokenHash(token);
  if (values.json) print({ token, pairing });
  else {
    process.stdout.write(`${token}\n`);
    say(dim("for the program: it connects with the header Authorization: VWT TOKEN"));
    say(`for the rule of the policy: "pairing": "${pairing}"`);
  }
  return ExitCode.done;
}

async function runSimulate(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, { ...COMMON, log: { type: "string" } });
  const [path] = takeWords("wallet", positionals, "FILE");
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
  const count = (verdict: Simulated["verdict"]) => simulated.filter((one) => one.verdict === verdict).length;
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
}

function entriesOf(log: string): LoggedRequest[] {
  try {
    return readLog(log);
  } catch (error) {
    throw new NodeError("wallet.policy", "log_unreadable", `${log} cannot be read: ${reasonOf(error)}`);
  }
}
