/**
 * The liquidity fee of a market, and its distribution to providers
 * (docs/protocol/70-trading-liquidity.md#76-liquidity-fee-factor to #78-equity-like-share-and-market-value-proxy).
 */

import { Decimal } from "../../wire/decimal.ts";
import { LiquidityProvisionStatus, TransferType } from "../../wire/generated/vega.ts";
import type { Movement } from "../collateral.ts";
import type { MarketParts } from "./market-parts.ts";

export class LiquidityFees {
  constructor(
    private readonly parts: Pick<MarketParts, "market" | "fees" | "targetStake" | "equity" | "provisions">,
  ) {}

  /** Updates shares and fee after a change of commitments. */
  onCommitmentsChanged(): void {
    this.keepShares();
    this.update();
  }

  /**
   * Publishes the present shares
   * (docs/protocol/70-trading-liquidity.md#78-equity-like-share-and-market-value-proxy).
   */
  keepShares(): void {
    const { equity } = this.parts;
    equity.keepShares(this.isActive);
  }

  /**
   * Updates the market's fee: the target stake decides which provider's fee it is
   * (docs/protocol/70-trading-liquidity.md#76-liquidity-fee-factor).
   */
  update(): void {
    const { market, provisions, targetStake } = this.parts;
    const fee = provisions.liquidityFee(targetStake.current());
    if (fee === market.record.liquidityFee) return;
    market.updateRecord({ liquidityFee: fee });
    market.emitUpdated();
  }

  /** Distributes the gathered liquidity fees (docs/protocol/70-trading-liquidity.md#77-distribution). */
  distribute(): void {
    const { market, fees, equity } = this.parts;
    const { accounts } = market;
    const balance = accounts.balance(accounts.liquidityFees);
    if (balance > 0n) {
      this.keepShares();
      const weights = this.weights();
      // Fees wait until there is a provider to share them, and so do the scores, as in an auction.
      if (weights.size === 0) return;
      const movements: Movement[] = [];
      for (const [party, weight] of weights) {
        const amount = Decimal.of(balance).times(weight).floor();
        const type = TransferType.TRANSFER_TYPE_LIQUIDITY_FEE_DISTRIBUTE;
        const movement = accounts.move([accounts.liquidityFees], accounts.general(party), amount, type);
        movements.push(movement);
        // The full part, as with other fees: the account may have less (see weights).
        fees.note(party, { liquidityReceived: amount });
      }
      accounts.emit(movements);
    }
    equity.resetScores();
  }

  private readonly isActive = (party: string): boolean =>
    this.parts.provisions.get(party)?.status === LiquidityProvisionStatus.STATUS_ACTIVE;

  /**
   * Shares times scores, by party; providers with a score get 1 in all. Providers without a score since the last
   * distribution get their share of the remainder.
   */
  private weights(): Map<string, Decimal> {
    const { equity } = this.parts;
    const weights = equity.shares(this.isActive);
    let total = Decimal.zero;
    for (const [party, share] of weights) {
      const held = equity.get(party);
      if (held === undefined || held.scores === 0) continue;
      const scored = share.times(Decimal.parse(held.score));
      weights.set(party, scored);
      total = total.plus(scored);
    }
    if (!total.isPositive()) return weights;
    return new Map([...weights].map(([party, part]) => [party, part.dividedBy(total)] as const));
  }
}
