import { shortDecimals, withDecimals } from "../../wire/amount-text.ts";
import { assetOf } from "../data/names.ts";

interface AmountProps {
  /** In the asset's smallest unit. */
  readonly amount: string;
  readonly asset: string;
  /** Without the symbol, where a column names it. */
  readonly isBare?: boolean;
}

/** An amount with all its decimals; in the smallest unit on hover. */
export function Amount({ amount, asset, isBare = false }: AmountProps) {
  const facts = assetOf(asset);
  if (facts === undefined)
    return (
      <span class="number" title={`${amount} of the smallest unit of ${asset}`}>
        {withDecimals(amount, 0)}
      </span>
    );
  const full = `${withDecimals(amount, facts.decimals)} ${facts.symbol}\n${amount} of the smallest unit`;
  return (
    <span class="number" title={full}>
      {shortDecimals(amount, facts.decimals)}
      {!isBare && <span class="unit"> {facts.symbol}</span>}
    </span>
  );
}

/** More decimals than a column can show. */
const LONG_DECIMALS = 8;

/** A number with decimals, all of them, so that those of a column stand below each other: a price, a size. */
export function Scaled({ value, decimals }: { readonly value: string; readonly decimals: number }) {
  return (
    <span class="number" title={withDecimals(value, decimals)}>
      {decimals > LONG_DECIMALS ? shortDecimals(value, decimals) : withDecimals(value, decimals)}
    </span>
  );
}
