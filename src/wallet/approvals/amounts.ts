// Amounts as people write them. On the wire an amount is a whole number of the asset's smallest unit.
import type { AssetFacts, MarketFacts } from "../sending/nodes.ts";
import { lookAlikes, named, plain, quoted } from "./plain-text.ts";

const ASSET_LENGTH = 80;

/** Digits of the longest number that is written as one: the largest amount has 78. A longer one is a text like others. */
const WHOLE = /^\d{1,100}$/;
const SIGNED = /^-?\d{1,100}$/;

/** What is known of assets; undefined for what nobody could say. */
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

/** What is put into a market: of its settlement asset. */
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
