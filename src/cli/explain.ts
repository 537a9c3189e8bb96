// lyra explain: what an error means, why it happens, and what to do.

import type { Explanation } from "../errors/explanation.ts";
import { lookUp } from "../errors/lookup.ts";
import { ExitCode, NodeError } from "../errors/node-error.ts";
import { command } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { NODE_URL } from "./flags.ts";
import { bold, dim } from "./terminal.ts";

const WITHOUT_QUERY = "a code, a rule or a text is wanted";
const WITH_VALUE: ReadonlySet<string> = new Set(["--home", "--node-url", "--node"]);
const TRANSACTION_HASH = /^[0-9a-fA-F]{64}$/;

export const explain = command({
  words: {
    TEXT: {
      text: "a number (89, 10000, 404, -32003), a name (pow_tid_used, port_in_use), a message, a piece of it, or the line it stands in; or the hash of a transaction of the running devnet: from its command to the balances after it",
      many: true,
    },
  },
  flags: { "node-url": { ...NODE_URL["node-url"], text: "the devnet that has the transaction" } },
  notes: "  Exit code 1 when nothing matches; the answer names similar entries.",
  json: "{query, explanations: [{kind, code, texts, means, why, fix}]}; of a transaction {hash, state, height?, time?, party?, command?, code, text?, rule?, sentence?, movements: [{from, to, amount, type}], balances: [{party, asset, type, balance}], events: [{table, rows, data?}]}, where `state` is `executed`, `failed` or `refused`",
  wrongWords: () => WITHOUT_QUERY,
  prepare: protectNumbers,
  async run({ words, values, typed }) {
    const query = words.TEXT.join(" ").trim();
    if (query === "") throw usageError("explain", WITHOUT_QUERY);
    if (TRANSACTION_HASH.test(query)) {
      const { explainTransaction } = await import("./devnet-transactions.ts");
      return explainTransaction(query, { values, typed });
    }
    const { explanations, near } = lookUp(query);
    if (explanations.length === 0) throw unknownCode(query, near);
    if (values.json) process.stdout.write(`${JSON.stringify({ query, explanations })}\n`);
    else process.stdout.write(`${explanations.map(paragraph).join("\n")}`);
    return ExitCode.done;
  },
});

/**
 * Codes of the wallet's service are negative and look like flags. A message may begin with a flag's name, in one word with
 * the rest or behind `--`.
 */
function protectNumbers(argv: readonly string[]): string[] {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const isFlag = (word: string, at: number) => at < end && (/^--\S*$/.test(word) || isValue(at));
  const isValue = (at: number) => WITH_VALUE.has(argv[at - 1] ?? "");
  const flags = argv.filter(isFlag);
  const words = argv.filter((word, at) => at !== end && !isFlag(word, at));
  return [...flags, "--", ...words];
}

function paragraph({ kind, code, texts, means, why, fix }: Explanation): string {
  const otherTexts = texts.filter((text) => text !== code);
  return [
    `${bold(code)}  ${dim(kind)}`,
    `  ${means}`,
    ...otherTexts.map((text) => dim(`  text: ${text}`)),
    ...(why === "" ? [] : [`  why:  ${why}`]),
    `  do:   ${fix}`,
    "",
  ].join("\n");
}

function unknownCode(query: string, near: readonly string[]): NodeError {
  const shown = query.length > 80 ? `${query.slice(0, 77)}...` : query;
  const hint =
    near.length > 0
      ? `did you mean: ${near.join("; ")}`
      : "try the number, the name of the rule, or a few words of the message";
  return new NodeError("explain", "code_unknown", `nothing is known of '${shown}'`, hint);
}
