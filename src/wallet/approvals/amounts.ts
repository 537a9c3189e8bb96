// Amounts as people write them. On the wire an amount is a whole number of the asset's smallest unit.
import type { AssetFacts } from "../sending/node-client.ts";
import { named, plain, quoted } from "./plain-text.ts";

const ASSET_LENGTH = 80;

/** What is known of assets; undefined for what nobody could say. */
export type AssetBook = (id: string) => AssetFacts | undefined;

/** `12.5 VEGA (asset 3d9d…)`; the plain number and a warning where the decimals are not known. */
export function amountText(amount: string, asset: string, book: AssetBook): string {
  const facts = book(asset);
  const id = asset.length > ASSET_LENGTH ? plain(asset, ASSET_LENGTH) : named(asset);
  if (!/^\d+$/.test(amount)) return `${plain(amount)} of asset ${id}`;
  if (facts === undefined) {
    return `${grouped(amount)} of the smallest unit of asset ${id} (its name and decimals are not known)`;
  }
  return `${withDecimals(amount, facts.decimals)} ${symbolText(facts.symbol)} (asset ${id})`;
}

/** A symbol that is more than letters and digits could say something else in the sentence around it. */
function symbolText(symbol: string): string {
  return /^[\p{L}\p{N}._-]{1,40}$/u.test(symbol) ? plain(symbol) : quoted(symbol);
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
