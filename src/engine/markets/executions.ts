/** Executed trades: their events, and the positions, open interest and traded values that follow. */
import type { MarketParts } from "./market-parts.ts";
import { buyerOf, sellerOf, type Trade, tradeMessage } from "./trade.ts";

export class Executions {
  constructor(
    private readonly parts: Pick<
      MarketParts,
      "market" | "positions" | "settlement" | "targetStake" | "equity"
    >,
  ) {}

  /** Emits trades and updates the positions of both sides. */
  apply(trades: readonly Trade[]): void {
    const { market, positions, settlement, targetStake } = this.parts;
    for (const trade of trades) {
      this.emit(trade);
      positions.trade(buyerOf(trade), trade.size);
      positions.trade(sellerOf(trade), trade.size);
      settlement.add(trade);
      targetStake.recordInterest();
    }
    this.addTradedValue(trades);
    const last = trades.at(-1);
    if (last !== undefined) market.updateStatus({ lastTraded: last.price });
  }

  /** Trades of a close-out: the last traded price stays, and the network has no position. */
  applyOfNetwork(trades: readonly Trade[]): void {
    const { positions, settlement, targetStake } = this.parts;
    for (const trade of trades) {
      this.emit(trade);
      positions.trade(trade.passive, trade.size);
      settlement.add(trade);
      targetStake.recordInterest();
    }
    this.addTradedValue(trades);
  }

  emit(trade: Trade): void {
    this.parts.market.core.emit("trade", tradeMessage(trade));
  }

  /** @param trades of one order: their value is floored together (docs/protocol/70-trading-orders.md#45-activity-tracking-for-rewards) */
  private addTradedValue(trades: readonly Trade[]): void {
    const { market, equity } = this.parts;
    const value = market
      .contracts(trades.reduce((sum, { price, size }) => sum + price * size, 0n))
      .truncated();
    if (value === 0n) return;
    market.updateStatus({ tradedValue: market.status.tradedValue + value });
    equity.addTraded(value);
  }
}
