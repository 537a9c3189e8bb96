/**
 * Rules that depend on a network's version: those of a recording's network (docs/markets.md, "Recordings of older
 * networks"), and defects of the original that a chain of ours has by `--rules 0.71.6` alone (docs/compatibility.md).
 */
export interface MarketRules {
  /** The cost of closing a position counts up to the market's slippage factors; else in full, and as nothing on a thin book. */
  readonly boundsSlippage: boolean;
  /** The target stake is that of the mark price; else that of the last trade's. */
  readonly stakesByMark: boolean;
  /** Orders of provisions that leave the book, as there is nothing to follow, leave their margin where it is; else it goes back. */
  readonly holdsMargin: boolean;
  /** At a market's end, margins and bonds of parties that it has forgotten stay on their accounts; else they go back. */
  readonly forgetsParties: boolean;
  /** An auction that prices extend is announced only if the market has never announced such an extension. */
  readonly keepsExtensionFlag: boolean;
  /** Updated slippage factors are published, but margins keep those of the market's creation. */
  readonly keepsSlippage: boolean;
}

export const PRESENT_RULES: MarketRules = {
  boundsSlippage: true,
  stakesByMark: true,
  holdsMargin: true,
  forgetsParties: false,
  keepsExtensionFlag: false,
  keepsSlippage: false,
};

/** As the original does it, with its defects. */
const NETWORK_RULES: MarketRules = {
  ...PRESENT_RULES,
  forgetsParties: true,
  keepsExtensionFlag: true,
  keepsSlippage: true,
};

/** By the name that the command line gives them. */
export function marketRulesOf(name: "default" | "0.71.6" = "default"): MarketRules {
  return name === "0.71.6" ? NETWORK_RULES : PRESENT_RULES;
}
