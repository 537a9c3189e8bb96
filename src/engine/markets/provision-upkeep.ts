/**
 * Existing provisions: margin for their orders, the stubs of their entries, and their end
 * (docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop to #75-bond-slashing-and-distress).
 */

import { LiquidityProvisionStatus, OrderStatus } from "../../wire/generated/vega.ts";
import type { Movement } from "../collateral.ts";
import type { Bonds } from "./bonds.ts";
import type { LiquidityFees } from "./liquidity-fees.ts";
import type { LiveOrders } from "./live-orders.ts";
import type { MarginOutcome } from "./margins.ts";
import type { MarketParts } from "./market-parts.ts";
import type { Provision, ShapeEntry } from "./records.ts";
import { BUY, SELL, type StoredOrder } from "./stored-order.ts";

interface UpkeepParts
  extends Pick<MarketParts, "market" | "positions" | "margins" | "equity" | "provisions"> {
  readonly liveOrders: LiveOrders;
  readonly bonds: Bonds;
  readonly liquidityFees: LiquidityFees;
}

export class ProvisionUpkeep {
  constructor(private readonly parts: UpkeepParts) {}

  /** Cancels a provision: removes its orders and returns its bond. */
  end(provision: Provision): void {
    const { market, provisions, liveOrders, equity, bonds, liquidityFees } = this.parts;
    const { party } = provision;
    this.endStubs(provision, OrderStatus.STATUS_CANCELLED);
    const ended = { ...provision, updatedAt: market.nowNs };
    provisions.end(ended, LiquidityProvisionStatus.STATUS_CANCELLED);
    // With its last order, as with any cancelled order, a party without a position gets its margin back.
    if (this.removeOrders(provision, OrderStatus.STATUS_CANCELLED) > 0) liveOrders.releaseIfFlat(party);
    // A bond account that penalties have emptied stays
    // (docs/protocol/70-trading-events.md#96-accounts-of-this-engine-as-seen-in-tables).
    const bond = market.accounts.bond(party);
    if (market.accounts.balance(bond) > 0n) {
      bonds.returnAll(party);
      market.accounts.remove(bond);
    }
    equity.setStake(party, 0n);
    liquidityFees.onCommitmentsChanged();
  }

  /**
   * Stops all provisions of an ended market; their orders and bonds are already gone.
   * @param turnOf order in which they stop; default: by party
   */
  stopAll(turnOf: (provision: Provision) => number = () => 0): void {
    const { market, provisions } = this.parts;
    for (const provision of [...provisions.list()].sort((a, b) => turnOf(a) - turnOf(b))) {
      this.endStubs(provision, OrderStatus.STATUS_STOPPED);
      const ended = { ...provision, updatedAt: market.nowNs };
      provisions.end(ended, LiquidityProvisionStatus.STATUS_STOPPED);
    }
  }

  /** Margins of providers with orders of their provisions on the book, after these were placed. @returns orders of providers that could not pay */
  coverAll(deployed: readonly Provision[]): StoredOrder[] {
    const { market, provisions, positions, margins, bonds, liquidityFees } = this.parts;
    const gone: StoredOrder[] = [];
    const movements: Movement[] = [];
    const outcomes: (MarginOutcome & { readonly held: bigint; readonly isPending: boolean })[] = [];
    for (const { party } of deployed) {
      const provision = provisions.get(party);
      const position = positions.get(party);
      if (provision === undefined || position === undefined) continue;
      if (!provisions.hasOrders(provision)) continue;
      const held = market.accounts.balance(market.accounts.margin(party));
      const outcome = margins.update(party, position, market.status.mark, movements);
      outcomes.push({ ...outcome, held, isPending: provision.isPending });
    }
    market.accounts.emit(movements);
    if (movements.length > 0) liquidityFees.keepShares();
    const penalties: Movement[] = [];
    for (const { party, isPending, shortfall } of outcomes)
      if (!isPending && shortfall > 0n) bonds.slash(party, shortfall, penalties);
    market.accounts.emit(penalties);
    for (const { party, held, isPending, shortfall } of outcomes) {
      if (!isPending) continue;
      const provision = provisions.get(party)!;
      if (shortfall > 0n) {
        gone.push(...this.voidProvision(provision));
        margins.restore(party, held);
      } else provisions.put({ ...provision, isPending: false });
    }
    for (const { party, isPending, isDistressed } of outcomes)
      if (!isPending && isDistressed) gone.push(...this.voidProvision(provisions.get(party)!));
    return gone;
  }

  /** Takes back a provision that could not be paid for. */
  private voidProvision(provision: Provision): StoredOrder[] {
    const { provisions, liveOrders } = this.parts;
    const orders = provisions.ordersOf(provision);
    this.end(provision);
    liveOrders.releaseIfFlat(provision.party);
    return orders;
  }

  /** @returns the number of orders that were on the book */
  removeOrders(provision: Provision, status: number): number {
    const { liveOrders, provisions } = this.parts;
    const orders = provisions.ordersOf(provision);
    orders.sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const order of orders) liveOrders.dropProvided(order, status);
    return orders.length;
  }

  emitStubs(provision: Provision): void {
    const { provisions } = this.parts;
    for (const entry of provision.buys) provisions.emitStub(provision, entry, BUY);
    for (const entry of provision.sells) provisions.emitStub(provision, entry, SELL);
  }

  /** Ends entries without an order on the book with their provision: their last event may have parked them. */
  endStubs(
    provision: Provision,
    status: number,
    placed: { has(orderId: string): boolean } = this.parts.market.tables.orders,
  ): void {
    const { provisions } = this.parts;
    const isOff = ({ orderId }: ShapeEntry) => !placed.has(orderId);
    for (const entry of provision.buys.filter(isOff)) provisions.emitStub(provision, entry, BUY, status);
    for (const entry of provision.sells.filter(isOff)) provisions.emitStub(provision, entry, SELL, status);
  }
}
