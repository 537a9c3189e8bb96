// lyra explain: what an error means, why it happens, and what to do.

import type { Explanation } from "../errors/explanation.ts";
import { lookUp } from "../errors/lookup.ts";
import { ExitCode, NodeError } from "../errors/node-error.ts";
import { COMMON, readArguments, usageError } from "./arguments.ts";
import { bold, dim } from "./terminal.ts";

export const help = `lyra explain: what an error means, why it happens, and what to do

  lyra explain CODE          a number: 89, 10000, 404, -32003
  lyra explain RULE          a name: pow_tid_used, port_in_use
  lyra explain TEXT...       a message, a piece of it, or the line it stands in
  lyra explain HASH          a transaction of the running devnet, from its
                             command to the balances after it

  --json   {query, explanations: [{kind, code, texts, means, why, fix}]}
  --node-url URL, --home DIR   the devnet that has the transaction

Exit code 1 when nothing is found; what may have been meant is told.
`;

const { json, quiet, help: helpFlag } = COMMON;
const FLAGS = {
  json,
  quiet,
  help: helpFlag,
  home: { type: "string" },
  "node-url": { type: "string" },
} as const;
const WITH_VALUE: ReadonlySet<string> = new Set(["--home", "--node-url"]);
const TRANSACTION_HASH = /^[0-9a-fA-F]{64}$/;

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("explain", protectNumbers(argv), FLAGS);
  const query = positionals.join(" ").trim();
  if (query === "") throw usageError("explain", "a code, a rule or a text is wanted");
  if (TRANSACTION_HASH.test(query)) {
    const { explainTransaction } = await import("./devnet-transactions.ts");
    return explainTransaction(query, values);
  }
  const { explanations, near } = lookUp(query);
  if (explanations.length === 0) throw unknown(query, near);
  if (values.json) process.stdout.write(`${JSON.stringify({ query, explanations })}\n`);
  else process.stdout.write(`${explanations.map(paragraph).join("\n")}`);
  return ExitCode.done;
}

/**
 * A code of the wallet's service is negative, and would be taken for flags; and a message may begin with a flag's name,
 * in one word with what follows, or behind `--`.
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
  const told = texts.filter((text) => text !== code);
  return [
    `${bold(code)}  ${dim(kind)}`,
    `  ${means}`,
    ...told.map((text) => dim(`  text: ${text}`)),
    ...(why === "" ? [] : [`  why:  ${why}`]),
    `  do:   ${fix}`,
    "",
  ].join("\n");
}

function unknown(query: string, near: readonly string[]): NodeError {
  const shown = query.length > 80 ? `${query.slice(0, 77)}...` : query;
  const hint =
    near.length > 0
      ? `did you mean: ${near.join("; ")}`
      : "try the number, the name of the rule, or a few words of the message";
  return new NodeError("explain", "code_unknown", `nothing is known of '${shown}'`, hint);
}
