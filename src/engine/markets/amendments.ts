// Checks of what an amendment asks of an order (reference 70, section 2.8).
import type { OrderAmendment } from "../../wire/generated/commands.ts";
import { OrderTimeInForce, PeggedReference } from "../../wire/generated/vega.ts";
import { BUY, type StoredOrder } from "./order.ts";
import { orderError } from "./refusals.ts";

const { TIME_IN_FORCE_GTC: GTC, TIME_IN_FORCE_GTT: GTT, TIME_IN_FORCE_IOC: IOC } = OrderTimeInForce;
const { TIME_IN_FORCE_FOK: FOK, TIME_IN_FORCE_GFA: GFA, TIME_IN_FORCE_GFN: GFN } = OrderTimeInForce;
const { PEGGED_REFERENCE_MID: MID } = PeggedReference;
const { PEGGED_REFERENCE_BEST_BID: BEST_BID, PEGGED_REFERENCE_BEST_ASK: BEST_ASK } = PeggedReference;

/** The checks of an amendment that concern what it asks for, in their order (section 2.8). @throws CommandError */
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

/** The peg that an amendment has made: each of its members may be right, and both together not. @throws CommandError */
export function checkPeg({ peg, side }: StoredOrder): void {
  if (peg === undefined) return;
  if (side === BUY && peg.reference === BEST_ASK) throw orderError("buyByAsk");
  if (side !== BUY && peg.reference === BEST_BID) throw orderError("sellByBid");
  if (peg.reference === MID && peg.offset === 0n) throw orderError("offsetOfMid");
}

/** The time that an amendment leaves an order: one of its own stays, whatever the order's time in force. */
export function expiryOf(before: StoredOrder, { timeInForce, expiresAt }: OrderAmendment): bigint {
  const isCleared = timeInForce !== 0 && timeInForce !== GTT;
  return expiresAt ?? (isCleared ? 0n : before.expiresAt);
}
