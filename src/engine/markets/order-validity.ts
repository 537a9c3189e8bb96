// Checks of an order by itself, and of the requests of an amendment
// (docs/protocol/70-trading-orders.md#25-submission-step-by-step, #28-amend-cancel-batch and #31-book).
import type { OrderAmendment } from "../../wire/generated/commands.ts";
import { OrderTimeInForce, OrderType, PeggedReference } from "../../wire/generated/vega.ts";
import { type OrderErrorName, orderError } from "./refusals.ts";
import { BUY, type StoredOrder } from "./stored-order.ts";

const { TIME_IN_FORCE_GTC: GTC, TIME_IN_FORCE_GTT: GTT, TIME_IN_FORCE_IOC: IOC } = OrderTimeInForce;
const { TIME_IN_FORCE_FOK: FOK, TIME_IN_FORCE_GFA: GFA, TIME_IN_FORCE_GFN: GFN } = OrderTimeInForce;
const { PEGGED_REFERENCE_MID: MID, PEGGED_REFERENCE_UNSPECIFIED: NOTHING } = PeggedReference;
const { PEGGED_REFERENCE_BEST_BID: BEST_BID, PEGGED_REFERENCE_BEST_ASK: BEST_ASK } = PeggedReference;

/**
 * The checks of an amendment's own members, in their order
 * (docs/protocol/70-trading-orders.md#28-amend-cancel-batch).
 * @throws CommandError
 */
export function checkAmendment(before: StoredOrder, command: OrderAmendment): void {
  const { timeInForce: to, expiresAt } = command;
  if (to === GTT && expiresAt === undefined) throw orderError("untilWithoutExpiry");
  if (to === GTC && expiresAt !== undefined) throw orderError("cancelledWithExpiry");
  if (to === FOK || to === IOC) throw orderError("toImmediate");
  if (to === GTT && expiresAt! <= before.createdAt) throw orderError("expiryBeforeCreation");
  const isAuctionKind = (timeInForce: number) => timeInForce === GFA || timeInForce === GFN;
  if (isAuctionKind(to) && to !== before.timeInForce) throw orderError("toAuctionKind");
  if (to !== 0 && isAuctionKind(before.timeInForce) && to !== before.timeInForce)
    throw orderError("fromAuctionKind");
  const asksForPeg = command.peggedOffset !== "" || command.peggedReference !== 0;
  if (asksForPeg && before.peg === undefined) throw orderError("notPegged");
  if (command.price !== undefined && before.peg !== undefined) throw orderError("pricePegged");
}

/** Why an order cannot have its peg: of an amended one each member may be right, and both together not. */
export function pegProblem({ peg, side, type, timeInForce }: StoredOrder): OrderErrorName | undefined {
  if (peg === undefined) return undefined;
  if (type !== OrderType.TYPE_LIMIT) return "pegWithoutLimit";
  if (timeInForce !== GTT && timeInForce !== GTC && timeInForce !== GFN) return "pegThatRestsNot";
  if (peg.reference === NOTHING) return "pegWithoutReference";
  if (side === BUY && peg.reference === BEST_ASK) return "buyByAsk";
  if (side !== BUY && peg.reference === BEST_BID) return "sellByBid";
  if (peg.reference === MID && peg.offset === 0n) return "offsetOfMid";
  return undefined;
}

/**
 * Why no book takes an order (docs/protocol/70-trading-orders.md#31-book). The mempool
 * refuses such commands earlier: only the test rig reaches this.
 */
export function bookProblem({
  remaining,
  type,
  timeInForce,
  expiresAt,
}: StoredOrder): OrderErrorName | undefined {
  if (remaining === 0n) return "nothingRemains";
  if (timeInForce === GTT && expiresAt <= 0n) return "untilNoTime";
  if (type === OrderType.TYPE_MARKET && (timeInForce === GTC || timeInForce === GTT))
    return "marketThatRests";
  return undefined;
}

/** The time that an amendment leaves an order: one of its own stays, whatever the order's time in force. */
export function expiryOf(before: StoredOrder, { timeInForce, expiresAt }: OrderAmendment): bigint {
  const isCleared = timeInForce !== 0 && timeInForce !== GTT;
  return expiresAt ?? (isCleared ? 0n : before.expiresAt);
}
