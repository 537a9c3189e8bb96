/** Gains and losses against the mark price, and margins after it (docs/protocol/70-trading-positions.md#62-mtm-run). */
import type { Movement } from "../collateral.ts";
import type { Bonds } from "./bonds.ts";
import type { CloseOut } from "./close-out.ts";
import type { LiquidityFees } from "./liquidity-fees.ts";
import type { MarginOutcome } from "./margins.ts";
import type { MarketParts } from "./market-parts.ts";
import type { PegRepricer } from "./peg-repricer.ts";
import type { Position } from "./records.ts";

interface MarkParts extends Pick<MarketParts, "market" | "positions" | "margins" | "settlement"> {
  readonly bonds: Bonds;
  readonly liquidityFees: LiquidityFees;
  readonly pegs: PegRepricer;
  readonly closeOut: CloseOut;
}

export class MarkToMarket {
  constructor(private readonly parts: MarkParts) {}

  /** Settles gains and losses against a mark price, then closes out, reprices and rechecks (docs/protocol/70-trading-positions.md#62-mtm-run). */
  run(mark: bigint, { recheck = true } = {}): void {
    const { market, settlement, closeOut, liquidityFees, pegs } = this.parts;
    const { settled, idle } = settlement.markToMarket(mark);
    const { version } = market.book;
    const { distressed, isSlashed, unrested } = this.updateMargins(settled, mark);
    const closed = closeOut.run(distressed);
    // The network's own trades are settled by a run of their own
    // (docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties, step 10).
    if (closed.hasTraded) this.run(mark);
    liquidityFees.update();
    pegs.follow(closed.touched);
    if (!recheck) return;
    // If the book did not change, margins are still current, except for slashed providers.
    const isSame = market.book.version === version && !isSlashed;
    const checked = isSame ? new Set([...idle, ...unrested]) : undefined;
    this.recheckMargins(mark, ({ party }) => checked === undefined || checked.has(party));
  }

  /**
   * Margins of all parties, without close-outs: one event for each party
   * (docs/protocol/70-trading-positions.md#54-when-margin-moves and #62-mtm-run).
   */
  recheckMargins(price: bigint, isChecked: (position: Position) => boolean = () => true): void {
    const { market, positions, margins, bonds } = this.parts;
    for (const position of positions.list()) {
      if (!isChecked(position)) continue;
      const { party } = position;
      const movements: Movement[] = [];
      const { shortfall } = margins.update(party, position, price, movements, true);
      if (shortfall > 0n) bonds.slash(party, shortfall, movements);
      market.accounts.emit(movements);
    }
  }

  /** @returns parties that cannot keep their margin, whether a provider was slashed, and parties whose margins a second run would emit again */
  private updateMargins(
    parties: readonly string[],
    mark: bigint,
  ): {
    readonly distressed: MarginOutcome[];
    readonly isSlashed: boolean;
    readonly unrested: readonly string[];
  } {
    const { market, positions, margins, bonds } = this.parts;
    const movements: Movement[] = [];
    const outcomes: MarginOutcome[] = [];
    for (const party of parties) {
      const position = positions.get(party);
      if (position === undefined) continue;
      outcomes.push(margins.update(party, position, mark, movements));
    }
    market.accounts.emit(movements);
    let isSlashed = false;
    const penalties: Movement[] = [];
    for (const { party, shortfall } of outcomes)
      if (shortfall > 0n) isSlashed = bonds.slash(party, shortfall, penalties) || isSlashed;
    market.accounts.emit(penalties);
    return {
      distressed: outcomes.filter(({ isDistressed }) => isDistressed),
      isSlashed,
      unrested: outcomes.filter(({ isAtRest }) => !isAtRest).map(({ party }) => party),
    };
  }
}
