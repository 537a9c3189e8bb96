/** Orders: submission, amendment, cancellation, batches (reference 30, section 4.12). */

import * as say from "../../errors/validation.ts";
import type {
  BatchMarketInstructions,
  OrderAmendment,
  OrderCancellation,
  OrderSubmission,
} from "../generated/commands.ts";
import { OrderTimeInForce, OrderType, type PeggedOrder, PeggedReference, Side } from "../generated/vega.ts";
import { isHex64 } from "../identifiers.ts";
import { all, type Check, first, rule, when } from "./check.ts";
import { choice, identifier, integerSign, isInteger, isNamed, shortReference } from "./fields.ts";
import { ANY_PROPERTY } from "./property-errors.ts";

const { TIME_IN_FORCE_FOK: FOK, TIME_IN_FORCE_IOC: IOC, TIME_IN_FORCE_GTT: GTT } = OrderTimeInForce;
const { TIME_IN_FORCE_GTC: GTC, TIME_IN_FORCE_GFA: GFA, TIME_IN_FORCE_GFN: GFN } = OrderTimeInForce;
const { PEGGED_REFERENCE_MID: MID } = PeggedReference;
const { PEGGED_REFERENCE_BEST_BID: BEST_BID, PEGGED_REFERENCE_BEST_ASK: BEST_ASK } = PeggedReference;

const fillsAtOnce = (order: OrderSubmission) => order.timeInForce === FOK || order.timeInForce === IOC;
const isBuy = (order: OrderSubmission) => order.side === Side.SIDE_BUY;

const flags: Check<OrderSubmission> = first(
  rule(
    "order_submission.post_only",
    "cannot be true at the same time as order_submission.reduce_only",
    (order) => order.postOnly && order.reduceOnly,
  ),
  all(
    rule(
      "order_submission.post_only",
      "only valid for limit orders",
      (order) => order.postOnly && order.type !== OrderType.TYPE_LIMIT,
    ),
    rule(
      "order_submission.post_only",
      "only valid for persistent orders",
      (order) => order.postOnly && fillsAtOnce(order),
    ),
    rule(
      "order_submission.reduce_only",
      "only valid for non-persistent orders",
      (order) => order.reduceOnly && !fillsAtOnce(order),
    ),
    rule(
      "order_submission.reduce_only",
      "cannot be pegged",
      (order) => order.reduceOnly && order.peggedOrder !== undefined,
    ),
  ),
);

const pegOf = (order: OrderSubmission): PeggedOrder => order.peggedOrder!;
/** A side follows the middle or its own best price; anything that is no purchase is taken for a sale. */
const followsMid = (order: OrderSubmission) => pegOf(order).reference === MID;
const followsOwnBest = (order: OrderSubmission) =>
  pegOf(order).reference === (isBuy(order) ? BEST_BID : BEST_ASK);

/** For orders that have a peg: their price is not looked at. */
const pegged: Check<OrderSubmission> = all(
  choice(
    "order_submission.pegged_order.reference",
    (order) => pegOf(order).reference,
    "vega.PeggedReference",
  ),
  rule(
    "order_submission.type",
    "is expected to be an order of type LIMIT when the order is pegged",
    (order) => order.type !== OrderType.TYPE_LIMIT,
  ),
  rule(
    "order_submission.time_in_force",
    "is expected to have a time in force of type GTT, GTC or GFN when the order is pegged",
    ({ timeInForce }) => timeInForce !== GTT && timeInForce !== GTC && timeInForce !== GFN,
  ),
  rule(
    "order_submission.pegged_order.reference",
    "cannot have a reference of type BEST_ASK when on BUY side",
    (order) => isBuy(order) && pegOf(order).reference === BEST_ASK,
  ),
  rule(
    "order_submission.pegged_order.reference",
    "cannot have a reference of type BEST_BID when on SELL side",
    (order) => !isBuy(order) && pegOf(order).reference === BEST_BID,
  ),
  when(
    (order) => followsMid(order) || followsOwnBest(order),
    first(
      rule(
        "order_submission.pegged_order.offset",
        say.NOT_AN_INTEGER,
        (order) => !isInteger(pegOf(order).offset),
      ),
      rule(
        "order_submission.pegged_order.offset",
        say.MUST_BE_POSITIVE_OR_ZERO,
        (order) => followsOwnBest(order) && integerSign(pegOf(order).offset) < 0,
      ),
      rule(
        "order_submission.pegged_order.offset",
        say.MUST_BE_POSITIVE,
        (order) => followsMid(order) && integerSign(pegOf(order).offset) <= 0,
      ),
    ),
  ),
);

/** For orders without a peg. */
const priced: Check<OrderSubmission> = all(
  when(
    (order) => order.type === OrderType.TYPE_MARKET,
    rule(
      "order_submission.price",
      "is unavailable when the order is of type MARKET",
      (order) => order.price !== "",
    ),
    rule(
      "order_submission.time_in_force",
      "is expected to be of type FOK or IOC when order is of type MARKET",
      (order) => !fillsAtOnce(order),
    ),
  ),
  when(
    (order) => order.type === OrderType.TYPE_LIMIT,
    first(
      rule(
        "order_submission.price",
        "is required when the order is of type LIMIT",
        (order) => order.price === "",
      ),
      rule("order_submission.price", say.NOT_AN_INTEGER, (order) => !isInteger(order.price)),
      rule(
        "order_submission.price",
        "must be positive when the order is of type LIMIT",
        (order) => integerSign(order.price) <= 0,
      ),
    ),
  ),
);

export const orderSubmission: Check<OrderSubmission> = all(
  shortReference("order_submission.reference", (order) => order.reference),
  identifier("order_submission.market_id", (order) => order.marketId),
  choice("order_submission.side", (order) => order.side, "vega.Side"),
  choice("order_submission.type", (order) => order.type, "vega.Order.Type"),
  rule("order_submission.type", say.IS_UNAUTHORISED, (order) => order.type === OrderType.TYPE_NETWORK),
  choice("order_submission.time_in_force", (order) => order.timeInForce, "vega.Order.TimeInForce"),
  rule("order_submission.size", say.MUST_BE_POSITIVE, (order) => order.size === 0n),
  rule(
    "order_submission.expires_at",
    say.MUST_BE_POSITIVE,
    (order) => order.timeInForce === GTT && order.expiresAt <= 0n,
  ),
  rule(
    "order_submission.expires_at",
    "is only available when the time in force is of type GTT",
    (order) => order.timeInForce !== GTT && order.expiresAt !== 0n,
  ),
  flags,
  when((order) => order.peggedOrder !== undefined, pegged),
  when((order) => order.peggedOrder === undefined, priced),
);

/** Whether an amendment changes anything. An expiry of 0 or less alone changes nothing. */
function amends(command: OrderAmendment): boolean {
  return (
    command.price !== undefined ||
    command.sizeDelta !== 0n ||
    command.timeInForce !== 0 ||
    command.peggedReference !== 0 ||
    command.peggedOffset !== "" ||
    (command.expiresAt ?? 0n) > 0n
  );
}

export const orderAmendment: Check<OrderAmendment> = all(
  identifier("order_amendment.order_id", (command) => command.orderId),
  identifier("order_amendment.market_id", (command) => command.marketId),
  rule("order_amendment.time_in_force", say.CANNOT_AMEND_TO_GFA, (command) => command.timeInForce === GFA),
  rule("order_amendment.time_in_force", say.CANNOT_AMEND_TO_GFN, (command) => command.timeInForce === GFN),
  when(
    (command) => command.price !== undefined,
    first(
      rule("order_amendment.price", say.NOT_AN_INTEGER, (command) => !isInteger(command.price!)),
      rule("order_amendment.price", say.IS_REQUIRED, (command) => integerSign(command.price!) <= 0),
    ),
  ),
  rule(
    "order_amendment.time_in_force",
    say.GTT_WITHOUT_EXPIRY,
    (command) => command.timeInForce === GTT && command.expiresAt === undefined,
  ),
  rule(
    "order_amendment.time_in_force",
    say.IS_NOT_VALID,
    (command) => !isNamed("vega.Order.TimeInForce", command.timeInForce),
  ),
  rule(
    "order_amendment.pegged_reference",
    say.IS_NOT_VALID,
    (command) => !isNamed("vega.PeggedReference", command.peggedReference),
  ),
  rule(
    "order_amendment.expires_at",
    say.EXPIRY_WITHOUT_GTT,
    ({ expiresAt, timeInForce }) => (expiresAt ?? 0n) > 0n && timeInForce !== GTT && timeInForce !== 0,
  ),
  when(
    (command) => command.peggedOffset !== "",
    first(
      rule(
        "order_amendment.pegged_offset",
        say.NOT_AN_INTEGER,
        (command) => !isInteger(command.peggedOffset),
      ),
      rule(
        "order_amendment.pegged_offset",
        say.MUST_BE_POSITIVE,
        (command) => integerSign(command.peggedOffset) <= 0,
      ),
    ),
  ),
  rule(ANY_PROPERTY, "order_amendment does not amend anything", (command) => !amends(command)),
);

/** A cancellation sent alone is not looked at: the market answers for it. */
export const orderCancellation: Check<OrderCancellation> = all();

/** A cancellation inside a batch, when the batch is executed: names that are given must be names. */
export const batchedOrderCancellation: Check<OrderCancellation> = all(
  rule(
    "order_cancellation.market_id",
    say.SHOULD_BE_AN_ID,
    ({ marketId }) => marketId !== "" && !isHex64(marketId),
  ),
  rule(
    "order_cancellation.order_id",
    say.SHOULD_BE_AN_ID,
    ({ orderId }) => orderId !== "" && !isHex64(orderId),
  ),
);

/** What is inside is looked at when the batch is executed, each instruction by itself. */
export const batchMarketInstructions: Check<BatchMarketInstructions> = rule(
  "batch_market_instructions",
  say.EMPTY_BATCH,
  (batch) => batch.cancellations.length + batch.amendments.length + batch.submissions.length === 0,
);
