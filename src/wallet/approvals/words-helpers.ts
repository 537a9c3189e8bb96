// Shared by the texts of all commands: their types, enumerations, times.
import { enumDescriptor } from "../../wire/schema/index.ts";
import type { CommandInit } from "../../wire/transaction.ts";
import type { CommandKind } from "../../wire/transaction-commands.ts";
import type { AssetBook, MarketBook } from "./amounts.ts";
import { plain, quoted } from "./plain-text.ts";

export type Line = readonly [label: string, value: string];

export interface Words {
  /** One sentence. */
  readonly title: string;
  readonly lines: readonly Line[];
  /** Lines that were not made: of a batch too long to read. */
  readonly left?: number;
  /** What a person might overlook. */
  readonly warnings: readonly string[];
}

/** The words of one kind of command. Members that the sender left out are undefined. */
export type Describe<K extends CommandKind> = (
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

/** Lines that are shown; the rest is in the raw form. */
export const WORD_LINES_MAX = 200;

/** Lines without those that say nothing. */
export function words(
  title: string,
  lines: readonly (Line | undefined)[],
  warnings: readonly string[] = [],
): Words {
  return { title, lines: lines.filter((line) => line !== undefined), warnings };
}

/** A line for what is given; none for what is not. */
export function line(label: string, value: string | number | bigint | boolean | undefined): Line | undefined {
  return value === undefined || value === "" ? undefined : [label, plain(String(value))];
}

/** A text of the sender's own, in quotation marks. */
export function said(label: string, text: string | undefined): Line | undefined {
  return text ? [label, quoted(text)] : undefined;
}

/** `ACCOUNT_TYPE_GENERAL` of `vega.AccountType` as `general`. */
export function enumWord(typeName: string, value: number | undefined, prefix: string): string {
  const name = enumDescriptor(typeName).nameOf.get(value ?? 0);
  if (name === undefined) return `number ${value}, which this version does not know`;
  return name.replace(prefix, "").toLowerCase().replaceAll("_", " ");
}

const NS_A_MS = 1_000_000n;
const MS_MAX = 8_640_000_000_000_000n;

/** Unix nanoseconds, or seconds, as a time; undefined for zero. */
export function timeWord(value: bigint | undefined, unit: "ns" | "s"): string | undefined {
  if (value === undefined || value === 0n) return undefined;
  const ms = unit === "ns" ? value / NS_A_MS : value * 1_000n;
  if (ms > MS_MAX || ms < -MS_MAX) return `${value} ${unit} after 1970`;
  return new Date(Number(ms)).toISOString();
}
