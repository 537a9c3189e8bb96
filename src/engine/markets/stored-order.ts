// An order as the state keeps it while it lives, and as events show it
// (docs/protocol/70-trading-orders.md#22-order-message). Values are never changed in place: a new one is put.
import type { Init } from "../../wire/codec.ts";
import { type Order, OrderStatus, OrderTimeInForce } from "../../wire/generated/vega.ts";

export const BUY = 1;
export const SELL = 2;
export type Side = typeof BUY | typeof SELL;

export const opposite = (side: Side): Side => (side === BUY ? SELL : BUY);

interface Peg {
  /** vega.PeggedReference. */
  readonly reference: number;
  /** In market precision, 0 or more. */
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
  /** Grows with each expiry that an order is given: those of the same time end in this order. 0 without one. */
  readonly expiryTurn: number;
  readonly version: bigint;
  readonly batchId: bigint;
  readonly reference: string;
  readonly peg: Peg | undefined;
  /** Id of the liquidity provision that it belongs to; empty for others. */
  readonly provision: string;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  /** vega.OrderError; 0 without one. */
  readonly reason: number;
  /** Grows with each placement on the book: the order of the queue within a price. 0 while it is not there. */
  readonly place: number;
}

/** An order that static prices count: neither pegged nor of a liquidity provision. */
export const isStatic = (order: StoredOrder): boolean => order.peg === undefined && order.provision === "";

/** Whether the rest of an order stays on the book. */
export function canRest(timeInForce: number): boolean {
  return (
    timeInForce !== OrderTimeInForce.TIME_IN_FORCE_IOC && timeInForce !== OrderTimeInForce.TIME_IN_FORCE_FOK
  );
}

/** When an order ends by its time; 0 where it does not. Amendments can give a time to an order that no time ends. */
export function endOf({ timeInForce, expiresAt }: Pick<StoredOrder, "timeInForce" | "expiresAt">): bigint {
  return timeInForce === OrderTimeInForce.TIME_IN_FORCE_GTC ? 0n : expiresAt;
}

/** Neither on a book nor parked any more. */
export function isFinished({ status }: Pick<StoredOrder, "status">): boolean {
  return status !== OrderStatus.STATUS_ACTIVE && status !== OrderStatus.STATUS_PARKED;
}

/** @param priceFactor internal units of one tick */
export function orderMessage(
  order: Omit<StoredOrder, "place" | "expiryTurn">,
  priceFactor: bigint,
): Init<Order> {
  return {
    id: order.id,
    marketId: order.market,
    partyId: order.party,
    side: order.side,
    price: (order.price / priceFactor).toString(),
    size: order.size,
    remaining: order.remaining,
    timeInForce: order.timeInForce,
    type: order.type,
    createdAt: order.createdAt,
    status: order.status,
    expiresAt: order.expiresAt,
    reference: order.reference,
    reason: order.reason === 0 ? undefined : order.reason,
    updatedAt: order.updatedAt,
    version: order.version,
    batchId: order.batchId,
    peggedOrder: order.peg && {
      reference: order.peg.reference,
      offset: order.peg.offset.toString(),
    },
    liquidityProvisionId: order.provision,
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
  };
}
