/** The parts of a market that know nothing of each other; the others are composed of them (market.ts). */
import type { MarketContext } from "./context.ts";
import { EquityShares } from "./equity.ts";
import { Fees } from "./fees.ts";
import { Margins } from "./margins.ts";
import { Positions } from "./positions.ts";
import { PriceMonitor } from "./price-monitor.ts";
import { Provisions } from "./provisions.ts";
import { Settlement } from "./settlement.ts";
import { TargetStake } from "./target-stake.ts";

export interface MarketParts {
  /** Records, book and accounts of the market, and the chain around it. */
  readonly market: MarketContext;
  readonly positions: Positions;
  readonly margins: Margins;
  readonly fees: Fees;
  readonly settlement: Settlement;
  readonly prices: PriceMonitor;
  readonly targetStake: TargetStake;
  readonly equity: EquityShares;
  readonly provisions: Provisions;
}

export function partsOf(market: MarketContext): MarketParts {
  const positions = new Positions(market);
  return {
    market,
    positions,
    margins: new Margins(market),
    fees: new Fees(market),
    settlement: new Settlement(market, positions),
    prices: new PriceMonitor(market),
    targetStake: new TargetStake(market),
    equity: new EquityShares(market),
    provisions: new Provisions(market),
  };
}
