// What a proposal would make: the facts of a new market, the amounts of a new or changed asset.
import type { Init } from "../../wire/codec.ts";
import type { AssetDetails, NewMarketConfiguration } from "../../wire/generated/vega.ts";
import { type AssetBook, exactAmountText } from "./amounts.ts";
import { type Line, line, said } from "./words-helpers.ts";

type Lines = readonly (Line | undefined)[];

export function newMarketLines(changes: Init<NewMarketConfiguration> | undefined): Lines {
  if (changes === undefined) return [];
  const { instrument, decimalPlaces = 0n, positionDecimalPlaces = 0n } = changes;
  return [
    said("instrument", instrument?.name),
    said("code", instrument?.code),
    line("settlement asset", instrument?.future?.settlementAsset),
    said("prices in", instrument?.future?.quoteName),
    line("decimals", `${decimalPlaces} of prices, ${positionDecimalPlaces} of sizes`),
  ];
}

/** Amounts are of the asset itself, by the symbol and the decimals that are proposed for it. */
export function newAssetLines(changes: Init<AssetDetails> | undefined): Lines {
  if (changes === undefined) return [];
  const { name, symbol = "", decimals = 0n, erc20, builtinAsset } = changes;
  const isShort = decimals >= 0n && decimals <= 100n;
  const book: AssetBook = () => (isShort ? { symbol, decimals: Number(decimals) } : undefined);
  const mint = builtinAsset?.maxFaucetAmountMint;
  return [
    said("name", name),
    said("symbol", symbol),
    line("decimals", decimals),
    line("contract", erc20?.contractAddress),
    ...limitLines(erc20, "proposed", book),
    line("most from a faucet", mint && exactAmountText(mint, "proposed", book)),
  ];
}

interface Limits {
  readonly lifetimeLimit?: string | undefined;
  readonly withdrawThreshold?: string | undefined;
}

export function limitLines(limits: Limits | undefined, asset: string, book: AssetBook): Lines {
  if (limits === undefined) return [];
  const { lifetimeLimit, withdrawThreshold } = limits;
  const amount = (text: string | undefined) => text && exactAmountText(text, asset, book);
  return [
    line("most of a key's deposits", amount(lifetimeLimit)),
    line("withdrawals wait from", amount(withdrawThreshold)),
  ];
}
