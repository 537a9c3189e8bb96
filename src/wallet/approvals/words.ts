// What a transaction does, in plain words: what leaves, to whom, in which asset. For people who decide on it.
import type { CommandInit } from "../../wire/transaction.ts";
import type { CommandKind } from "../../wire/transaction-commands.ts";
import type { Describe, Words, WordsContext } from "./words-helpers.ts";
import { marketWords } from "./words-markets.ts";
import { moneyWords } from "./words-money.ts";
import { networkWords } from "./words-network.ts";

const DESCRIBE: { readonly [K in CommandKind]: Describe<K> } = {
  ...moneyWords,
  ...marketWords,
  ...networkWords,
};

/** The words of a command; every kind has some. */
export function wordsOf(command: CommandInit, context: WordsContext): Words {
  const describe = DESCRIBE[command.kind] as Describe<never>;
  return describe(command.payload as never, context);
}
