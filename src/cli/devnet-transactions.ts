// A line for each transaction of a running devnet, for the person at its terminal.
import type { PartiesReport } from "../devnet/parties.ts";
import type { TxOutcome } from "../engine/chain-port.ts";
import { ExitCode } from "../errors/node-error.ts";
import { explainWord } from "../http/shell-word.ts";
import type { TransactionStory } from "../planes/devnet/transaction-story.ts";
import { plain } from "../wallet/approvals/formatting.ts";
import { wordsOf } from "../wallet/approvals/words.ts";
import { shortDecimals } from "../wire/amount-text.ts";
import type { InputData } from "../wire/generated/commands.ts";
import { fromJson } from "../wire/json.ts";
import type { CommandInit } from "../wire/transaction.ts";
import type { CheckedTransaction } from "../wire/transaction-check.ts";
import { COMMAND_KINDS, COMMANDS } from "../wire/transaction-commands.ts";
import { type DevnetFlags, devnetUrl, useDevnetTool } from "./devnet-tools.ts";
import { bold, dim, red } from "./terminal.ts";

/** Lines a second that a person can read; more would slow the devnet down. */
const LINES_A_SECOND = 20;
const WINDOW_MS = 1_000;

export class TransactionLines {
  private windowStartMs = Number.NEGATIVE_INFINITY;
  private printed = 0;
  private skipped = 0;
  private skippedRefused = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly print: (line: string) => void,
    private readonly words: DevnetWords,
    private readonly nowMs: () => number,
  ) {}

  add(outcome: TxOutcome, tx: CheckedTransaction | undefined): void {
    // Show the validator's own commands only when they are refused.
    if (outcome.code === 0 && tx !== undefined && COMMANDS[tx.kind].isValidatorCommand) return;
    const now = this.nowMs();
    if (now - this.windowStartMs >= WINDOW_MS) {
      this.summarise();
      this.windowStartMs = now;
      this.printed = 0;
    }
    if (this.printed < LINES_A_SECOND) {
      this.printed++;
      this.print(this.line(outcome, tx));
      return;
    }
    this.skipped++;
    if (outcome.code !== 0) this.skippedRefused++;
    if (this.timer !== undefined) return;
    this.timer = setTimeout(() => this.summarise(), WINDOW_MS);
    this.timer.unref?.();
  }

  close(): void {
    this.summarise();
  }

  private summarise(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.skipped === 0) return;
    const refused = this.skippedRefused > 0 ? `, ${this.skippedRefused} of them refused` : "";
    this.print(dim(`  ... and ${this.skipped} more${refused}`));
    this.skipped = 0;
    this.skippedRefused = 0;
  }

  private line({ hash, code, text, details, height }: TxOutcome, tx: CheckedTransaction | undefined): string {
    const { words } = this;
    const what =
      tx === undefined
        ? `transaction ${hash.slice(0, 8)}...`
        : `${words.party(tx.party)}: ${words.command({ kind: tx.kind, payload: tx.payload } as CommandInit, tx.party)}`;
    if (code === 0) return `  ${dim(`block ${height}`)}  ${what}  ${dim(hash.slice(0, 8))}`;
    const place = height === 0 ? "refused" : `failed in block ${height}`;
    const rule = details ? `${details.rule}: ${plain(details.sentence)}` : plain(text);
    return `  ${red(place)}  ${what}  ${rule}  ${dim(hash.slice(0, 8))}`;
  }
}

// Transactions of a devnet in words: keys by the parties' names, amounts in whole units.

export type NamedThings = Pick<PartiesReport, "assets" | "stakingToken"> & {
  readonly parties: readonly { readonly name: string; readonly publicKey: string }[];
};

const HEX_ID = /[0-9a-f]{64}/g;
const SHOWN_DIGITS = 8;
const NETWORK_KEY = /^(?:0{64}|)$/;

export class DevnetWords {
  private readonly names: ReadonlyMap<string, string>;
  private readonly assets: ReadonlyMap<string, { readonly symbol: string; readonly decimals: number }>;
  private readonly stakeAsset: string | undefined;

  constructor({ assets, parties, stakingToken }: NamedThings) {
    this.names = new Map(parties.map(({ name, publicKey }) => [publicKey, name]));
    this.assets = new Map(assets.map(({ id, symbol, decimals }) => [id, { symbol, decimals }]));
    this.stakeAsset = assets.find(({ symbol }) => symbol === stakingToken.symbol)?.id;
  }

  /** A sentence: `Send 2.5 tUSD to bob`. */
  command(command: CommandInit, publicKey: string): string {
    const { assets, stakeAsset } = this;
    const facts = { assets: (id: string) => assets.get(id), markets: () => undefined, stakeAsset };
    const { title } = wordsOf(command, { ...facts, publicKey });
    const units = command.kind === "orderSubmission" ? ", in its smallest units" : "";
    return title.replace(/ \(asset [0-9a-f]{64}\)/g, "").replace(HEX_ID, (id) => this.party(id)) + units;
  }

  /** The name of a funded party; of others the first digits. */
  party(id: string): string {
    if (NETWORK_KEY.test(id)) return "the network";
    const name = this.names.get(id);
    return name ?? (/^[0-9a-f]{64}$/.test(id) ? `${id.slice(0, SHOWN_DIGITS)}...` : plain(id));
  }

  /** @param amount in the asset's smallest unit */
  amount(amount: string, asset: string): string {
    const facts = this.assets.get(asset);
    return facts
      ? `${shortDecimals(amount, facts.decimals)} ${plain(facts.symbol)}`
      : `${amount} of ${this.party(asset)}`;
  }
}

// lyra explain HASH: the outcome of a transaction of a running devnet.

const LABEL_WIDTH = 10;

/** @throws NodeError `transaction_unknown`, and of a devnet that does not answer */
export async function explainTransaction(hash: string, { values, typed }: DevnetFlags): Promise<number> {
  const url = devnetUrl(values, typed);
  const story = JSON.parse(await useDevnetTool(url, "transaction", { hash })) as TransactionStory;
  if (values.json) {
    process.stdout.write(`${JSON.stringify(story)}\n`);
    return ExitCode.done;
  }
  const things = JSON.parse(await useDevnetTool(url, "parties")) as NamedThings;
  process.stdout.write(`${storyLines(story, new DevnetWords(things)).join("\n")}\n`);
  return ExitCode.done;
}

function storyLines(story: TransactionStory, words: DevnetWords): string[] {
  const { hash, state, height, time, party, command, code, text, rule, sentence } = story;
  const topic = rule === undefined ? code : explainWord(rule, plain(text ?? ""));
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
    ...(code === 0 ? [] : [row("", dim(`lyra explain ${topic} says what to do`))]),
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
