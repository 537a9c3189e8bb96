// Parties and assets by the names that people use: `alice` for a key, `tUSD` for an asset's id.

import { type ApiError, badRequest } from "../../http/errors.ts";
import { isHex64 } from "../../wire/identifiers.ts";

/** The parties and assets of a running devnet. */
export interface NameReport {
  /** At most a page of them. */
  readonly assets: readonly { readonly id: string; readonly symbol: string }[];
  readonly parties: readonly {
    readonly name: string;
    readonly publicKey: string;
    readonly balances: readonly { readonly symbol: string; readonly asset: string }[];
  }[];
}

/** Assets on a page of the data API: with more, the chain checks an unknown id. */
const PAGE_ASSETS = 1_000;
const SHOWN_NAMES = 20;
const SHOWN_CHARACTERS = 60;

/** @param text a public key, or the name of a funded party @throws ApiError 400, which lists the names */
export function partyNamed(text: string, report: () => NameReport): string {
  if (isHex64(text)) return text;
  const { parties } = report();
  const party = parties.find(({ name }) => name === text);
  if (party) return party.publicKey;
  throw unknown(
    "party",
    text,
    parties.map(({ name }) => name),
    "or a public key of 64 hexadecimal digits",
  );
}

/** @param text an asset's id or symbol @throws ApiError 400, which lists the symbols */
export function assetNamed(text: string, { assets, parties }: NameReport): string {
  if (assets.some(({ id }) => id === text)) return text;
  if (isHex64(text) && assets.length >= PAGE_ASSETS) return text;
  // Among assets with the same symbol, prefer the one that the parties hold.
  const held = parties.flatMap(({ balances }) => balances).find(({ symbol }) => symbol === text);
  const asset = held?.asset ?? assets.find(({ symbol }) => symbol === text)?.id;
  if (asset !== undefined) return asset;
  throw unknown(
    "asset",
    text,
    assets.map(({ symbol }) => symbol),
    "or an asset's id",
  );
}

function unknown(kind: string, text: string, names: readonly string[], orElse: string): ApiError {
  const shown = names.slice(0, SHOWN_NAMES);
  const more = names.length > shown.length ? ["..."] : [];
  const list = [...shown, ...more, orElse].join(", ");
  return badRequest(`there is no ${kind} '${text.slice(0, SHOWN_CHARACTERS)}': give ${list}`);
}
