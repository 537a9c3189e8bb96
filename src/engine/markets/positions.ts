/**
 * Positions of a market: open volume, and the volume that live orders could add to it
 * (docs/protocol/70-trading-positions.md#51-position-record).
 */

import { OrderType } from "../../wire/generated/vega.ts";
import { asInt64 } from "../../wire/limits.ts";
import { positivePart } from "../values.ts";
import type { MarketContext } from "./context.ts";
import type { Position } from "./records.ts";
import { BUY, SELL, type StoredOrder } from "./stored-order.ts";
import { keyOf } from "./tables.ts";

/** Members that sizing margins needs. */
export type Exposure = Pick<Position, "size" | "buy" | "sell" | "buySum" | "sellSum">;

export class Positions {
  /** Parties whose position has changed in the running block. */
  private readonly changed = new Set<string>();

  constructor(private readonly market: MarketContext) {}

  get(party: string): Position | undefined {
    return this.market.index.positions.get(party);
  }

  /** In the order in which they were opened. */
  list(): readonly Position[] {
    return this.market.index.positions.list();
  }

  /** The party's position, made if need be. */
  ensure(party: string): Position {
    const held = this.get(party);
    if (held !== undefined) return held;
    const { id, index, tables } = this.market;
    const fresh: Position = {
      market: id,
      party,
      sequence: tables.next(),
      size: 0n,
      buy: 0n,
      sell: 0n,
      buySum: 0n,
      sellSum: 0n,
      settled: 0n,
      isSettled: index.members.get(party)?.isSettled === true,
      isDistressed: false,
    };
    return this.put(fresh);
  }

  /** An order was placed, or could be. @returns the position with it */
  register(order: StoredOrder): Position {
    return this.put(withOrder(this.ensure(order.party), order, order.remaining));
  }

  unregister(order: StoredOrder): Position {
    return this.put(withOrder(this.ensure(order.party), order, -order.remaining));
  }

  /** An order takes the place of another. */
  amend(before: StoredOrder, now: StoredOrder): Position {
    const without = withOrder(this.ensure(before.party), before, -before.remaining);
    return this.put(withOrder(without, now, now.remaining));
  }

  /** Marks a position as changed: its event is emitted even if no member differs. */
  touch(party: string): void {
    this.changed.add(party);
  }

  /** An order was filled by this much. */
  trade(order: StoredOrder, size: bigint): void {
    const position = withOrder(this.ensure(order.party), order, -size);
    this.resize(position, position.size + (order.side === BUY ? size : -size));
  }

  /** Notes of mark to market: nothing that the event of a position shows. */
  update(
    position: Position,
    changes: Partial<Pick<Position, "settled" | "isSettled" | "isDistressed">>,
  ): void {
    this.keep({ ...position, ...changes });
  }

  /** Removes a position that was closed out, or whose market has ended. */
  remove(party: string): void {
    const position = this.get(party);
    if (position === undefined) return;
    this.resize(position, 0n);
    this.keepSettled(party, false);
    this.drop(party);
  }

  /** Drops a flat position; if the party returns, mark to market continues where it was. */
  dropFlat(party: string): void {
    this.keepSettled(party, this.get(party)?.isSettled === true);
    this.drop(party);
  }

  private keepSettled(party: string, isSettled: boolean): void {
    const { market } = this;
    const before = market.index.members.get(party)?.isSettled === true;
    if (isSettled !== before) market.updateMember(party, { isSettled });
  }

  private drop(party: string): void {
    this.market.tables.positions.delete(keyOf(this.market.id, party));
    this.changed.delete(party);
  }

  /**
   * Emits an event for each party whose position has changed, by party
   * (docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order).
   */
  flush(): void {
    const { core, id } = this.market;
    for (const party of [...this.changed].sort()) {
      const position = this.get(party);
      if (position === undefined) continue;
      core.emit("positionStateEvent", {
        partyId: party,
        marketId: id,
        size: asInt64(position.size),
        potentialBuys: asInt64(position.buy),
        potentialSells: asInt64(position.sell),
        vwBuyPrice: average(position.buySum, position.buy),
        vwSellPrice: average(position.sellSum, position.sell),
      });
    }
    this.changed.clear();
  }

  private resize(position: Position, size: bigint): void {
    const { status } = this.market;
    const change = positivePart(size) - positivePart(position.size);
    if (change !== 0n) this.market.updateStatus({ openInterest: status.openInterest + change });
    this.put({ ...position, size });
  }

  /** With a change that its event shows. */
  private put(position: Position): Position {
    this.changed.add(position.party);
    return this.keep(position);
  }

  private keep(position: Position): Position {
    this.market.tables.positions.set(keyOf(position.market, position.party), position);
    return position;
  }
}

/** A position without orders. */
export const bare = ({ size }: Pick<Position, "size">): Exposure => ({
  size,
  buy: 0n,
  sell: 0n,
  buySum: 0n,
  sellSum: 0n,
});

export const isFlat = ({ size, buy, sell }: Exposure): boolean => size === 0n && buy === 0n && sell === 0n;

/** With this much more of an order's volume. */
export function withOrder<P extends Exposure>(position: P, { side, price }: StoredOrder, volume: bigint): P {
  const value = price * volume;
  if (side === BUY) return { ...position, buy: position.buy + volume, buySum: position.buySum + value };
  return { ...position, sell: position.sell + volume, sellSum: position.sellSum + value };
}

const average = (sum: bigint, volume: bigint): string => (volume === 0n ? "0" : (sum / volume).toString());

/**
 * An order that can only close what is open needs no margin of its own
 * (docs/protocol/70-trading-orders.md#25-submission-step-by-step, step 9).
 */
export function reducesExposure(order: StoredOrder, position: Position): boolean {
  const closes = order.side === SELL ? position.size : -position.size;
  if (closes <= 0n) return false;
  if (order.type === OrderType.TYPE_MARKET) return order.remaining <= closes;
  if (order.peg !== undefined) return false;
  const registered = order.side === SELL ? position.sell : position.buy;
  return registered <= closes;
}
