// Shared by the texts of all commands: their types, enumerations, times.
import { grouped, shortDecimals } from "../../wire/amount-text.ts";
import { enumDescriptor } from "../../wire/descriptors.ts";
import { MILLISECOND_NS } from "../../wire/time-text.ts";
import type { CommandInit } from "../../wire/transaction.ts";
import type { CommandKind } from "../../wire/transaction-commands.ts";
import type { AssetFacts, MarketFacts } from "../sending/nodes.ts";

// Texts of others, made fit to be shown: what cannot be seen, or turns the direction of writing, or moves a cursor, is
// shown as its number instead. Nothing is left away in silence.

/**
 * Control, format, private and unassigned characters; separators other than the blank; what fonts show as nothing, the
 * empty pattern of Braille and the notehead of nothing among them.
 */
const TRICKS = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]|(?! )\p{Zs}/gu;
/** Blanks enough to push what follows into the next line of a terminal, where it could pass for a line of its own. */
const BLANKS = / {3,}/g;
/** Marks stacked on one letter climb over the lines above. */
const STACKED = /(\p{M}{3})\p{M}+/gu;
/** Letters that are written from right to left take the digits and signs beside them along. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** First strong isolate, and its end (UAX 9, section 2.4): what is between them turns nothing around it. */
const ISOLATED = ["\u2068", "\u2069"] as const;
const SHOWN_LENGTH_MAX = 300;

/** A line that shows every character of a text. */
export function plain(text: string, lengthMax: number = SHOWN_LENGTH_MAX): string {
  const cut = text.length > lengthMax ? `${text.slice(0, lengthMax)}… (${text.length} characters)` : text;
  const shown = cut
    .toWellFormed()
    .replace(TRICKS, (letter) => `\\u{${letter.codePointAt(0)!.toString(16)}}`)
    .replace(BLANKS, (blanks) => ` \\u{20}×${blanks.length - 2} `)
    .replace(STACKED, "$1…");
  return RIGHT_TO_LEFT.test(shown) ? ISOLATED.join(shown) : shown;
}

/** Letters of other scripts, and forms of letters, that look like those of ASCII: what they look like is in their order. */
const LOOK_ALIKE =
  /[\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1\u03b9\u03bd\u03bf\u03c1\u03c5\u0405\u0406\u0408\u0410\u0412\u0415\u041a\u041c-\u041e\u0420-\u0423\u0425\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u04c0\u04cf\u0501\u051b\u051d\u0585\u0578\u057d\uff01-\uff5e\u2100-\u214f\u{1d400}-\u{1d7ff}]/gu;
const OTHER_SCRIPT = /(?!\p{Script=Latin})\p{L}/u;
const MARKED_MAX = 5;

/**
 * The letters of a name that look like others, which a person cannot see. Empty where there are none; a name that is wholly
 * of another script, and holds a letter that looks like nothing in ASCII, reads as what it is.
 */
export function lookAlikes(text: string): string {
  const lookAlikes = [...new Set(text.match(LOOK_ALIKE) ?? [])];
  if (lookAlikes.length === 0) return "";
  const isMixed = /[a-z0-9]/i.test(text);
  const isAll = [...text].every((sign) => sign.match(LOOK_ALIKE) !== null || !OTHER_SCRIPT.test(sign));
  if (!isMixed && !isAll) return "";
  const numbers = lookAlikes
    .slice(0, MARKED_MAX)
    .map((sign) => `${sign} is U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`);
  return ` (look-alike letters: ${numbers.join(", ")}${lookAlikes.length > MARKED_MAX ? ", ..." : ""})`;
}

/** The form of names that are not a sentence: identifiers, addresses, hosts, origins. */
const NAME = /^(?:https?:\/\/)?[\w.:[\]-]+$/;

/** A name that stands within a sentence: as it is where it looks like one, else in quotation marks. */
export function named(text: string): string {
  return NAME.test(text) && text.length <= SHOWN_LENGTH_MAX ? text : quoted(text);
}

/** The same in quotation marks, so that it cannot pass for a part of the sentence around it. */
export function quoted(text: string): string {
  return `"${plain(text).replaceAll('"', '\\"')}"`;
}

/** The same within JSON: blanks at the beginning of a line are its indentation. */
const INNER_BLANKS = /(?<=[^\n ]) {3,}/g;

const STACK = /(\p{M}{3})(\p{M}+)/gu;

const TRICK = new RegExp(TRICKS.source, "u");

/** JSON text with every such character escaped, and what is written from right to left; it stays the same JSON. */
export function plainJson(json: string): string {
  return json
    .replace(/[^\n\x20-\x7e]/gu, (letter) =>
      TRICK.test(letter) || RIGHT_TO_LEFT.test(letter) ? escapedUnits(letter) : letter,
    )
    .replace(INNER_BLANKS, escapedUnits)
    .replace(STACK, (_, first: string, rest: string) => first + escapedUnits(rest));
}

function escapedUnits(text: string): string {
  return text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

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
  return `${shortDecimals(amount, facts.decimals)} ${symbolText(facts.symbol)} (asset ${id})`;
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
  return `${shortDecimals(price, market.decimals)}${unit}`;
}

export function sizeText(size: string, market: MarketFacts | undefined): string {
  return market === undefined || !SIGNED.test(size)
    ? plain(size)
    : shortDecimals(size, market.positionDecimals);
}

/** A symbol that is more than letters and digits could say something else in the sentence around it. */
export function symbolText(symbol: string): string {
  const shown = /^[\p{L}\p{N}._-]{1,40}$/u.test(symbol) ? plain(symbol) : quoted(symbol);
  return shown + lookAlikes(symbol);
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

/** Formats a line; undefined if the value is undefined. */
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

const MS_MAX = 8_640_000_000_000_000n;

/** Unix nanoseconds, or seconds, as a time; undefined for zero. */
export function timeWord(value: bigint | undefined, unit: "ns" | "s"): string | undefined {
  if (value === undefined || value === 0n) return undefined;
  const ms = unit === "ns" ? value / MILLISECOND_NS : value * 1_000n;
  if (ms > MS_MAX || ms < -MS_MAX) return `${value} ${unit} after 1970`;
  return new Date(Number(ms)).toISOString();
}
