/**
 * A provider's own orders on the book, beside its provision: their value counts toward its obligation
 * (docs/protocol/70-trading-liquidity.md#73-order-sizes-and-prices), and is needed with each of the provider's
 * commands and each move of prices.
 */
import { Levels } from "./levels.ts";
import { BUY, SELL, type Side, type StoredOrder } from "./stored-order.ts";

const counts = (order: StoredOrder | undefined): order is StoredOrder =>
  order !== undefined && order.provision === "" && order.place > 0;

export class Supply {
  private readonly sides = { [BUY]: valued(BUY), [SELL]: valued(SELL) };

  /** Called for each change of one of the provider's orders. */
  noteOrder(before: StoredOrder | undefined, now: StoredOrder | undefined): void {
    if (counts(before)) this.sides[before.side].remove(before);
    if (counts(now)) this.sides[now.side].insert(now);
  }

  /** Sum of prices times volumes of a side, between two internal prices. */
  value(side: Side, { low, high }: { readonly low: bigint; readonly high: bigint }): bigint {
    return this.sides[side].sumBetween(low, high);
  }
}

const valued = (side: Side): Levels => new Levels(side, ({ price, volume }) => price * volume);
