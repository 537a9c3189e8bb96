// lyra explain HASH: what became of one transaction of a running devnet.

import { ExitCode } from "../errors/node-error.ts";
import type { TransactionStory } from "../planes/devnet/transaction-story.ts";
import { plain } from "../wallet/approvals/plain-text.ts";
import type { InputData } from "../wire/generated/commands.ts";
import { fromJson } from "../wire/json.ts";
import type { CommandInit } from "../wire/transaction.ts";
import { COMMAND_KINDS } from "../wire/transaction-commands.ts";
import { devnetUrl, useDevnetTool } from "./devnet-tools.ts";
import { DevnetWords, type NamedThings } from "./devnet-words.ts";
import { bold, dim, red } from "./terminal.ts";

interface Flags {
  readonly home?: string | undefined;
  readonly "node-url"?: string | undefined;
  readonly json?: boolean | undefined;
}

const LABEL_WIDTH = 10;

/** @throws NodeError `transaction_unknown`, and of a devnet that does not answer */
export async function explainTransaction(hash: string, flags: Flags): Promise<number> {
  const url = devnetUrl(flags["node-url"], flags.home);
  const story = JSON.parse(await useDevnetTool(url, "transaction", { hash })) as TransactionStory;
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(story)}\n`);
    return ExitCode.done;
  }
  const things = JSON.parse(await useDevnetTool(url, "parties")) as NamedThings;
  process.stdout.write(`${storyLines(story, new DevnetWords(things)).join("\n")}\n`);
  return ExitCode.done;
}

export function storyLines(story: TransactionStory, words: DevnetWords): string[] {
  const { hash, state, height, time, party, command, code, text, rule, sentence } = story;
  const place = height === undefined ? "before it was in a block" : `in block ${height}, ${time}`;
  const head = `${bold(hash)}  ${state === "executed" ? state : red(state)} ${place}`;
  return [
    head,
    ...(party === undefined ? [] : [row("sender", `${words.party(party)} ${dim(plain(party))}`)]),
    ...(command === undefined ? [] : commandRows(command, party ?? "", words)),
    row("verdict", code === 0 ? "accepted, code 0" : verdictText(code, rule, sentence ?? text)),
    ...story.movements.map(({ from, to, amount, type }, at) =>
      row(
        at === 0 ? "moved" : "",
        `${words.amount(amount, from.asset)} from ${account(from, words)} to ${account(to, words)} ${dim(type)}`,
      ),
    ),
    ...story.balances.map(({ balance, ...owner }, at) =>
      row(at === 0 ? "balances" : "", `${account(owner, words)} ${words.amount(balance, owner.asset)}`),
    ),
    ...story.events.map(({ table, rows, data }, at) =>
      row(at === 0 ? "events" : "", `${rows} ${table}${data ? dim(` ${plain(JSON.stringify(data))}`) : ""}`),
    ),
    ...(code === 0 ? [] : [row("", dim(`lyra explain ${rule ?? code} says what to do`))]),
  ];
}

function commandRows(command: object, party: string, words: DevnetWords): string[] {
  const json = row("as sent", dim(plain(JSON.stringify(command), 2_000)));
  const input = fromJson<InputData>("vega.commands.v1.InputData", command);
  const kind = COMMAND_KINDS.find((candidate) => input[candidate] !== undefined);
  if (kind === undefined) return [json];
  return [row("command", words.command({ kind, payload: input[kind] } as CommandInit, party)), json];
}

function verdictText(code: number, rule: string | undefined, sentence: string | undefined): string {
  return `code ${code}${rule ? `, ${rule}` : ""}: ${plain(sentence ?? "the text is not remembered any more")}`;
}

function account(
  { party, type }: { readonly party: string; readonly type: string },
  words: DevnetWords,
): string {
  return `${words.party(party)} (${type.replace("ACCOUNT_TYPE_", "").toLowerCase().replaceAll("_", " ")})`;
}

function row(label: string, value: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)}${value}`;
}
