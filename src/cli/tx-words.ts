// A command in words, for the one who is about to sign it or has been given it.
import { plain } from "../wallet/approvals/plain-text.ts";
import { NO_FACTS, wordsOf } from "../wallet/approvals/words.ts";
import { WORD_LINES_MAX } from "../wallet/approvals/words-helpers.ts";
import { walletError } from "../wallet/errors.ts";
import type { InputData } from "../wire/generated/commands.ts";
import type { CommandInit } from "../wire/transaction.ts";
import { commandKindOf } from "../wire/transaction-commands.ts";
import { usageError } from "./arguments.ts";
import { say } from "./terminal.ts";
import { promptLine } from "./wallet-prompt.ts";

const LABEL_WIDTH = 20;

export interface CommandWords {
  readonly title: string;
  readonly lines: readonly (readonly [label: string, value: string])[];
  readonly warnings: readonly string[];
}

/** Without a network: amounts are in the smallest unit, and say so. @param publicKey of the one who signs */
export function commandWords(command: CommandInit, publicKey: string): CommandWords {
  const { title, lines, warnings } = wordsOf(command, { ...NO_FACTS, publicKey });
  return { title, lines, warnings };
}

/** The command of bytes that are to be signed: what is shown is what they hold. */
export function commandIn(input: InputData): CommandInit | undefined {
  const kind = commandKindOf(input);
  return kind === undefined ? undefined : ({ kind, payload: input[kind] } as CommandInit);
}

export function wordLines({ title, lines, warnings }: CommandWords): string[] {
  const left = lines.length - WORD_LINES_MAX;
  return [
    title,
    ...lines.slice(0, WORD_LINES_MAX).map(([label, value]) => `  ${label.padEnd(LABEL_WIDTH)} ${value}`),
    ...(left > 0 ? [`  ... and ${left} lines more: lyra tx check --json`] : []),
    ...warnings.map((warning) => `! ${warning}`),
  ];
}

export interface Signing {
  readonly command: CommandInit;
  readonly publicKey: string;
  readonly wallet: string;
  readonly chainId: string;
  readonly height: bigint;
}

/**
 * Shows what is about to be signed, and asks. Nothing is asked with `isAgreed`.
 * @throws NodeError for a no, and where nobody can be asked
 */
export async function confirmSigning(
  signing: Signing,
  { isAgreed, isQuiet }: { isAgreed: boolean; isQuiet: boolean },
) {
  const { command, publicKey, wallet, chainId, height } = signing;
  if (!isAgreed && (process.stdin.isTTY !== true || process.stderr.isTTY !== true)) {
    throw usageError("tx", "there is no terminal to ask on: read it with lyra tx check, then say --yes");
  }
  if (!isAgreed || !isQuiet) {
    const row = (label: string, value: string) => `  ${label.padEnd(LABEL_WIDTH)} ${value}`;
    say(
      [
        ...wordLines(commandWords(command, publicKey)),
        row("with the key", `${publicKey} of ${plain(wallet)}`),
        row("chain", `${plain(chainId)}, height ${height}`),
      ].join("\n"),
    );
  }
  if (isAgreed) return;
  const answer = await promptLine("sign it? yes/NO");
  if (!/^y(es)?$/i.test(answer.trim())) throw walletError("not_confirmed", "it was not signed");
}
