// An order from what its party asks for to what becomes of it.
import { OrderStatus, OrderTimeInForce, OrderType } from "../../src/wire/generated/vega.ts";
import type { LiveOrder } from "./book.ts";

export interface OrderPlan {
  readonly party: string;
  readonly side: number;
  /** 0 for market orders. */
  readonly price: bigint;
  readonly size: bigint;
  readonly timeInForce?: number;
  readonly reference?: string;
  readonly expiresAt?: bigint;
  readonly postOnly?: boolean;
  readonly peggedOrder?: { reference: number; offset: string };
}

export function newOrder(
  plan: OrderPlan,
  id: string,
  createdAt: bigint,
  liquidityProvisionId: string,
): LiveOrder {
  const isMarketOrder = plan.price === 0n;
  const usual = isMarketOrder ? OrderTimeInForce.TIME_IN_FORCE_IOC : OrderTimeInForce.TIME_IN_FORCE_GTC;
  return {
    id,
    party: plan.party,
    side: plan.side,
    price: plan.price,
    size: plan.size,
    remaining: plan.size,
    timeInForce: plan.timeInForce ?? usual,
    type: isMarketOrder ? OrderType.TYPE_MARKET : OrderType.TYPE_LIMIT,
    createdAt,
    expiresAt: plan.expiresAt ?? 0n,
    reference: plan.reference ?? "",
    liquidityProvisionId,
    peggedOrder: plan.peggedOrder,
    postOnly: plan.postOnly ?? false,
    version: 1,
    status: OrderStatus.STATUS_ACTIVE,
  };
}

export function statusAfter(order: LiveOrder): number {
  if (order.remaining === 0n) return OrderStatus.STATUS_FILLED;
  const isFleeting = order.timeInForce === OrderTimeInForce.TIME_IN_FORCE_IOC;
  if (!isFleeting) return OrderStatus.STATUS_ACTIVE;
  return order.remaining === order.size ? OrderStatus.STATUS_STOPPED : OrderStatus.STATUS_PARTIALLY_FILLED;
}
