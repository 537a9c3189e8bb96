// What a transaction does, in plain words: what leaves, to whom, in which asset. For people who decide on it.
import type { CommandInit } from "../../wire/transaction.ts";
import type { CommandKind } from "../../wire/transaction-commands.ts";
import type { AssetBook, MarketBook } from "./amounts.ts";
import { marketWords } from "./words-markets.ts";
import { moneyWords } from "./words-money.ts";
import { networkWords } from "./words-network.ts";

export type Line = readonly [label: string, value: string];

export interface Words {
  /** One sentence. */
  readonly title: string;
  readonly lines: readonly Line[];
  /** Lines that were not made: of a batch longer than anybody reads. */
  readonly left?: number;
  /** What a person might overlook. */
  readonly warnings: readonly string[];
}

/** The words of one kind of command. Members that the sender left out are undefined. */
export type Tell<K extends CommandKind> = (
  payload: Partial<Extract<CommandInit, { kind: K }>["payload"]>,
  context: WordsContext,
) => Words;

/** What is known of the assets and markets of a command. */
export interface Facts {
  readonly assets: AssetBook;
  readonly markets: MarketBook;
  /** The asset that is staked. */
  readonly stakeAsset: string | undefined;
}

export const NO_FACTS: Facts = { assets: () => undefined, markets: () => undefined, stakeAsset: undefined };

export interface WordsContext extends Facts {
  /** The sending key. */
  readonly publicKey: string;
}

const TELL: { readonly [K in CommandKind]: Tell<K> } = { ...moneyWords, ...marketWords, ...networkWords };

/** The words of a command; every kind has some. */
export function wordsOf(command: CommandInit, context: WordsContext): Words {
  const tell = TELL[command.kind] as Tell<never>;
  return tell(command.payload as never, context);
}
