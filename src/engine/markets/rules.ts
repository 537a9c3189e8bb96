/**
 * Rules that were others before 0.71, for recordings of such networks that are executed anew (docs/markets.md, "Recordings
 * of older networks"). A chain of ours has the present ones.
 */
export interface MarketRules {
  /** The cost of closing a position counts up to the market's slippage factors; else in full, and as nothing on a thin book. */
  readonly boundsSlippage: boolean;
  /** The target stake is that of the mark price; else that of the last trade's. */
  readonly stakesByMark: boolean;
  /** Orders of provisions that leave the book, as there is nothing to follow, leave their margin where it is; else it goes back. */
  readonly holdsMargin: boolean;
}

export const PRESENT_RULES: MarketRules = {
  boundsSlippage: true,
  stakesByMark: true,
  holdsMargin: true,
};

/** Of networks whose markets have no slippage factors. */
export const OLDER_RULES: MarketRules = {
  boundsSlippage: false,
  stakesByMark: false,
  holdsMargin: false,
};
