// An order as the state keeps it (reference 70, section 2.2). Values are never changed in place: a new one is put.

export const BUY = 1;
export const SELL = 2;
export type Side = typeof BUY | typeof SELL;

export const opposite = (side: Side): Side => (side === BUY ? SELL : BUY);

export interface Peg {
  /** vega.PeggedReference. */
  readonly reference: number;
  /** In market precision, above 0 or 0. */
  readonly offset: bigint;
}

export interface StoredOrder {
  readonly id: string;
  readonly market: string;
  readonly party: string;
  readonly side: Side;
  /** Internal price; 0 for market and network orders, and while an order is parked. */
  readonly price: bigint;
  readonly size: bigint;
  readonly remaining: bigint;
  readonly timeInForce: number;
  readonly type: number;
  readonly status: number;
  /** Unix nanoseconds, as are the other times; 0 where there is none. */
  readonly createdAt: bigint;
  readonly updatedAt: bigint;
  readonly expiresAt: bigint;
  readonly version: bigint;
  readonly batchId: bigint;
  readonly reference: string;
  readonly peg: Peg | undefined;
  /** Id of the liquidity provision that it belongs to; empty for others. */
  readonly provision: string;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  /** Grows with each placement on the book: the order of the queue within a price. 0 while it is not there. */
  readonly place: number;
}

/** An order that static prices count: neither pegged nor of a liquidity provision. */
export const isStatic = (order: StoredOrder): boolean => order.peg === undefined && order.provision === "";
