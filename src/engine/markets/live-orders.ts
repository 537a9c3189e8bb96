/** Live orders of a market: how they are found, filled, parked, cancelled and removed (docs/protocol/70-trading-orders.md#28-amend-cancel-batch). */

import { OrderStatus } from "../../wire/generated/vega.ts";
import type { Match } from "./book.ts";
import type { MarketParts } from "./market-parts.ts";
import { isFlat } from "./positions.ts";
import type { StoredOrder } from "./stored-order.ts";

export class LiveOrders {
  constructor(private readonly parts: Pick<MarketParts, "market" | "positions" | "margins" | "settlement">) {}

  /** Takes the fills out of the resting orders and emits them. */
  fill(match: Pick<Match, "fills"> | undefined): StoredOrder[] {
    const { market } = this.parts;
    return (match?.fills ?? []).map(({ order: { id }, size }) => {
      const before = market.tables.orders.get(id)!;
      const remaining = before.remaining - size;
      const status = remaining === 0n ? OrderStatus.STATUS_FILLED : before.status;
      const now = { ...before, remaining, status, updatedAt: market.nowNs };
      if (remaining === 0n) market.tables.orders.delete(id);
      else market.tables.orders.set(id, now);
      market.emitOrder(now);
      return now;
    });
  }

  /** Live orders of a party, by id. */
  ofParty(party: string): StoredOrder[] {
    const orders = this.parts.market.index.ordersOf.get(party);
    return orders === undefined ? [] : [...orders.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Removes an order from the book, or from the parked ones, and emits it with its last status. */
  remove(order: StoredOrder, status: number): void {
    this.removeWith(order, order, status);
  }

  /**
   * At the market's end: the order keeps the time of its last change, or of the last repricing of provisions
   * (docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop).
   */
  stop(order: StoredOrder): void {
    const { market } = this.parts;
    const { deployedNs = 0n } = market.status;
    const isRenewed = order.provision !== "" && order.updatedAt > 0n && deployedNs > order.updatedAt;
    const updatedAt = isRenewed ? deployedNs : order.updatedAt;
    market.tables.orders.delete(order.id);
    market.emitOrder({ ...order, status: OrderStatus.STATUS_STOPPED, updatedAt });
  }

  cancelOrder(order: StoredOrder): void {
    this.remove(order, OrderStatus.STATUS_CANCELLED);
  }

  /** Parks an order: its price is unknown. */
  park(order: StoredOrder): StoredOrder {
    const { market, positions } = this.parts;
    const status = OrderStatus.STATUS_PARKED;
    const parked: StoredOrder = { ...order, price: 0n, status, updatedAt: market.nowNs, place: 0 };
    if (market.tables.orders.has(order.id) && order.place > 0) positions.unregister(order);
    market.tables.orders.set(order.id, parked);
    market.emitOrder(parked);
    return parked;
  }

  /** An auction cancels an order without repricing, which waits for the auction's end. */
  cancelAndRelease(order: StoredOrder): void {
    this.cancelOrder(order);
    this.releaseIfFlat(order.party);
  }

  releaseIfFlat(party: string): void {
    const { market, positions, settlement, margins } = this.parts;
    // A provider's position may be dropped while its margin remains.
    const position = positions.get(party);
    const isNothing = position === undefined || isFlat(position);
    if (!isNothing || settlement.hasPositionOf(party)) return;
    margins.releaseAll(party);
    market.forgetParty(party);
  }

  removeWith(shown: StoredOrder, held: StoredOrder, status: number): void {
    const { market, positions } = this.parts;
    if (held.place > 0) positions.unregister(held);
    market.tables.orders.delete(held.id);
    market.emitOrder({ ...shown, status, updatedAt: market.nowNs });
  }

  find(id: string): StoredOrder | undefined {
    const order = this.parts.market.tables.orders.get(id);
    return order?.market === this.parts.market.id ? order : undefined;
  }

  /** Takes a provision's order off the book and emits it. */
  dropProvided(order: StoredOrder, status: number): void {
    const { market, positions } = this.parts;
    positions.unregister(order);
    market.tables.orders.delete(order.id);
    market.emitOrder({ ...order, status, updatedAt: market.nowNs });
  }
}
