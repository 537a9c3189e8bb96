// Shared by the texts of all commands: their types, enumerations, times.
import { enumDescriptor } from "../../wire/schema/index.ts";
import type { CommandInit } from "../../wire/transaction.ts";
import type { CommandKind } from "../../wire/transaction-commands.ts";
import type { AssetFacts, MarketFacts } from "../sending/nodes.ts";
import { lookAlikes, named, plain, quoted } from "./plain-text.ts";

// Amounts as people write them. On the wire an amount is a whole number of the asset's smallest unit.

const ASSET_LENGTH = 80;

/** Digits of the longest number that is written as one: the largest amount has 78. A longer one is a text like others. */
const WHOLE = /^\d{1,100}$/;
const SIGNED = /^-?\d{1,100}$/;

/** The facts of an asset; undefined where no node knows it. */
export type AssetBook = (id: string) => AssetFacts | undefined;

export type MarketBook = (id: string) => MarketFacts | undefined;

/** `12.5 VEGA (asset 3d9d…)`; the plain number and a warning where the decimals are not known. */
export function amountText(amount: string, asset: string, book: AssetBook): string {
  const facts = book(asset);
  const id = asset.length > ASSET_LENGTH ? plain(asset, ASSET_LENGTH) : named(asset);
  if (!WHOLE.test(amount)) return `${named(amount)} of asset ${id}`;
  if (facts === undefined) {
    return `${grouped(amount)} of the smallest unit of asset ${id} (its name and decimals are not known)`;
  }
  return `${withDecimals(amount, facts.decimals)} ${symbolText(facts.symbol)} (asset ${id})`;
}

/** The same with the number that is signed beside it: what a person compares. */
export function exactAmountText(amount: string, asset: string, book: AssetBook): string {
  const text = amountText(amount, asset, book);
  const isScaled = WHOLE.test(amount) && (book(asset)?.decimals ?? 0) > 0;
  return isScaled ? `${text} = ${amount} of its smallest unit` : text;
}

export function exactStakeText(amount: string, asset: string | undefined, book: AssetBook): string {
  return asset === undefined ? stakeText(amount, asset, book) : exactAmountText(amount, asset, book);
}

export function exactCommitmentText(
  amount: string,
  market: MarketFacts | undefined,
  book: AssetBook,
): string {
  return market === undefined
    ? commitmentText(amount, market, book)
    : exactAmountText(amount, market.settlementAsset, book);
}

/** The asset that is staked; where nobody could say which one that is, that is said. */
export function stakeText(amount: string, asset: string | undefined, book: AssetBook): string {
  return asset === undefined
    ? unknownText(amount, "the asset that is staked")
    : amountText(amount, asset, book);
}

/** An amount that is put into a market: of its settlement asset. */
export function commitmentText(amount: string, market: MarketFacts | undefined, book: AssetBook): string {
  if (market !== undefined) return amountText(amount, market.settlementAsset, book);
  return unknownText(amount, "the market's settlement asset");
}

/** An amount of an asset that the words of a command do not name. */
function unknownText(amount: string, asset: string): string {
  const shown = WHOLE.test(amount) ? grouped(amount) : named(amount);
  return `${shown} of the smallest unit of ${asset} (which one, and its decimals, are not known)`;
}

/** A price in a market, with what prices are in; as it is written where the market is not known. */
export function priceText(price: string, market: MarketFacts | undefined): string {
  if (market === undefined || !SIGNED.test(price)) return named(price);
  const unit = market.quoteName === "" ? "" : ` ${symbolText(market.quoteName)}`;
  return `${scaled(price, market.decimals)}${unit}`;
}

export function sizeText(size: string, market: MarketFacts | undefined): string {
  return market === undefined || !SIGNED.test(size) ? plain(size) : scaled(size, market.positionDecimals);
}

/** The same with a sign, and with less than no decimals: `-12` with -2 of them as `-1,200`. */
function scaled(amount: string, decimals: number): string {
  if (amount.startsWith("-")) return `-${scaled(amount.slice(1), decimals)}`;
  return /[1-9]/.test(amount) && decimals < 0
    ? grouped(amount + "0".repeat(-decimals))
    : withDecimals(amount, decimals);
}

/** A symbol that is more than letters and digits could say something else in the sentence around it. */
export function symbolText(symbol: string): string {
  const shown = /^[\p{L}\p{N}._-]{1,40}$/u.test(symbol) ? plain(symbol) : quoted(symbol);
  return shown + lookAlikes(symbol);
}

/** `1234567` with 5 decimals as `12.34567`; no digit is lost. */
export function withDecimals(amount: string, decimals: number): string {
  if (decimals <= 0) return grouped(amount);
  const digits = amount.padStart(decimals + 1, "0");
  const whole = digits.slice(0, -decimals).replace(/^0+(?=\d)/, "");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  return fraction === "" ? grouped(whole) : `${grouped(whole)}.${fraction}`;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

export type Line = readonly [label: string, value: string];

export interface Words {
  /** A single sentence. */
  readonly title: string;
  readonly lines: readonly Line[];
  /** Lines that were not made: of a batch too long to read. */
  readonly left?: number;
  /** Facts that a person might overlook. */
  readonly warnings: readonly string[];
}

/** The words of one kind of command. Members that the sender left out are undefined. */
export type Describe<K extends CommandKind> = (
  payload: Partial<Extract<CommandInit, { kind: K }>["payload"]>,
  context: WordsContext,
) => Words;

/** The facts of the assets and markets of a command. */
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
