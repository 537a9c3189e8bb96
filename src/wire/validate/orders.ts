/** Orders and their batches, and liquidity provision (docs/protocol/30-node-api-commands.md#412-orders-and-liquidity). */

import * as messages from "../../errors/validation.ts";
import type {
  BatchMarketInstructions,
  LiquidityProvisionAmendment,
  LiquidityProvisionCancellation,
  LiquidityProvisionSubmission,
  OrderAmendment,
  OrderCancellation,
  OrderSubmission,
} from "../generated/commands.ts";
import {
  type LiquidityOrder,
  OrderTimeInForce,
  OrderType,
  type PeggedOrder,
  PeggedReference,
  Side,
} from "../generated/vega.ts";
import { ANY_PROPERTY, all, type Check, each, first, rule, when } from "./check.ts";
import {
  choice,
  float64Of,
  identifier,
  integerSign,
  isInteger,
  isNamed,
  required,
  shortReference,
} from "./fields.ts";

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
/** A peg follows the mid price or its own side's best price; any side except buy counts as sell. */
const followsMid = (order: OrderSubmission) => pegOf(order).reference === MID;
const followsOwnBest = (order: OrderSubmission) =>
  pegOf(order).reference === (isBuy(order) ? BEST_BID : BEST_ASK);

/** For pegged orders: their price is ignored. */
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
        messages.NOT_AN_INTEGER,
        (order) => !isInteger(pegOf(order).offset),
      ),
      rule(
        "order_submission.pegged_order.offset",
        messages.MUST_BE_POSITIVE_OR_ZERO,
        (order) => followsOwnBest(order) && integerSign(pegOf(order).offset) < 0,
      ),
      rule(
        "order_submission.pegged_order.offset",
        messages.MUST_BE_POSITIVE,
        (order) => followsMid(order) && integerSign(pegOf(order).offset) <= 0,
      ),
    ),
  ),
);

/** For unpegged orders. */
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
      rule("order_submission.price", messages.NOT_AN_INTEGER, (order) => !isInteger(order.price)),
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
  rule("order_submission.type", messages.IS_UNAUTHORISED, (order) => order.type === OrderType.TYPE_NETWORK),
  choice("order_submission.time_in_force", (order) => order.timeInForce, "vega.Order.TimeInForce"),
  rule("order_submission.size", messages.MUST_BE_POSITIVE, (order) => order.size === 0n),
  rule(
    "order_submission.expires_at",
    messages.MUST_BE_POSITIVE,
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
function changesAnything(command: OrderAmendment): boolean {
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
  rule(
    "order_amendment.time_in_force",
    messages.CANNOT_AMEND_TO_GFA,
    (command) => command.timeInForce === GFA,
  ),
  rule(
    "order_amendment.time_in_force",
    messages.CANNOT_AMEND_TO_GFN,
    (command) => command.timeInForce === GFN,
  ),
  when(
    (command) => command.price !== undefined,
    first(
      rule("order_amendment.price", messages.NOT_AN_INTEGER, (command) => !isInteger(command.price!)),
      rule("order_amendment.price", messages.IS_REQUIRED, (command) => integerSign(command.price!) <= 0),
    ),
  ),
  rule(
    "order_amendment.time_in_force",
    messages.GTT_WITHOUT_EXPIRY,
    (command) => command.timeInForce === GTT && command.expiresAt === undefined,
  ),
  rule(
    "order_amendment.time_in_force",
    messages.IS_NOT_VALID,
    (command) => !isNamed("vega.Order.TimeInForce", command.timeInForce),
  ),
  rule(
    "order_amendment.pegged_reference",
    messages.IS_NOT_VALID,
    (command) => !isNamed("vega.PeggedReference", command.peggedReference),
  ),
  rule(
    "order_amendment.expires_at",
    messages.EXPIRY_WITHOUT_GTT,
    ({ expiresAt, timeInForce }) => (expiresAt ?? 0n) > 0n && timeInForce !== GTT && timeInForce !== 0,
  ),
  when(
    (command) => command.peggedOffset !== "",
    first(
      rule(
        "order_amendment.pegged_offset",
        messages.NOT_AN_INTEGER,
        (command) => !isInteger(command.peggedOffset),
      ),
      rule(
        "order_amendment.pegged_offset",
        messages.MUST_BE_POSITIVE,
        (command) => integerSign(command.peggedOffset) <= 0,
      ),
    ),
  ),
  rule(ANY_PROPERTY, "order_amendment does not amend anything", (command) => !changesAnything(command)),
);

/** A single cancellation is not checked here: the market reports its errors. */
export const orderCancellation: Check<OrderCancellation> = all();

/** Cancellations are checked in a batch and by wallets; their ids are optional. */
export const cancellationIds: Check<OrderCancellation> = all(
  when(
    (command) => command.marketId !== "",
    identifier("order_cancellation.market_id", (command: OrderCancellation) => command.marketId),
  ),
  when(
    (command) => command.orderId !== "",
    identifier("order_cancellation.order_id", (command: OrderCancellation) => command.orderId),
  ),
);

/** The instructions are checked one by one at execution. */
export const batchMarketInstructions: Check<BatchMarketInstructions> = rule(
  "batch_market_instructions",
  messages.EMPTY_BATCH,
  (batch) => batch.cancellations.length + batch.amendments.length + batch.submissions.length === 0,
);

// Liquidity provision.

interface ShapeRules {
  readonly property: string;
  readonly ownBest: number;
  /** The other side's best price, which the side must not follow; sells report that on `offset`. */
  readonly wrongBest: { readonly reference: number; readonly on: string; readonly message: string };
  readonly offsetTitle: string;
}

/** Orders of one side of the shape: reference, proportion and offset of each order. */
function shape({ property, ownBest, wrongBest, offsetTitle }: ShapeRules): Check<LiquidityOrder> {
  return all(
    rule(
      `${property}.#.reference`,
      messages.IS_NOT_VALID,
      (order) => !isNamed("vega.PeggedReference", order.reference),
    ),
    rule(
      `${property}.#.reference`,
      "order in shape without reference",
      (order) => order.reference === PeggedReference.PEGGED_REFERENCE_UNSPECIFIED,
    ),
    rule(
      `${property}.#.proportion`,
      "order in shape without a proportion",
      (order) => order.proportion === 0,
    ),
    rule(
      `${property}.#.${wrongBest.on}`,
      wrongBest.message,
      (order) => order.reference === wrongBest.reference,
    ),
    when(
      (order) => order.reference === ownBest || order.reference === MID,
      first(
        rule(`${property}.#.offset`, messages.NOT_AN_INTEGER, (order) => !isInteger(order.offset)),
        rule(
          `${property}.#.offset`,
          `${offsetTitle} offset must be >= 0`,
          (order) => order.reference === ownBest && integerSign(order.offset) < 0,
        ),
        rule(
          `${property}.#.offset`,
          `${offsetTitle} offset must be > 0`,
          (order) => order.reference === MID && integerSign(order.offset) <= 0,
        ),
      ),
    ),
  );
}

const BUYS = "liquidity_provision_submission.buys";
const SELLS = "liquidity_provision_submission.sells";

const buyOrder = shape({
  property: BUYS,
  ownBest: BEST_BID,
  wrongBest: {
    reference: BEST_ASK,
    on: "reference",
    message: "order in buy side shape with best ask price reference",
  },
  offsetTitle: "order in buy side shape",
});
const sellOrder = shape({
  property: SELLS,
  ownBest: BEST_ASK,
  wrongBest: {
    reference: BEST_BID,
    on: "offset",
    message: "order in sell side shape with best bid price reference",
  },
  offsetTitle: "order in sell shape",
});

interface Shapes {
  readonly buys: readonly LiquidityOrder[];
  readonly sells: readonly LiquidityOrder[];
}
/**
 * An amendment's shapes are reported under the names of a submission
 * (docs/protocol/30-node-api-events.md#13-easily-missed, surprise 12).
 */
const shapes: Check<Shapes> = all(
  each((command) => command.buys, buyOrder),
  each((command) => command.sells, sellOrder),
);

export const liquidityProvisionSubmission: Check<LiquidityProvisionSubmission> = all(
  identifier("liquidity_provision_submission.market_id", (command) => command.marketId),
  shortReference("liquidity_provision_submission.reference", (command) => command.reference),
  first(
    // A commitment of zero ends the checks: it used to mean a cancellation.
    rule(
      "liquidity_provision_submission.commitment_amount",
      messages.IS_NOT_A_NUMBER,
      ({ commitmentAmount }) => isInteger(commitmentAmount) && integerSign(commitmentAmount) <= 0,
    ),
    all(
      first(
        required(
          "liquidity_provision_submission.commitment_amount",
          (command: LiquidityProvisionSubmission) => command.commitmentAmount,
        ),
        rule(
          "liquidity_provision_submission.commitment_amount",
          messages.NOT_AN_INTEGER,
          (command) => !isInteger(command.commitmentAmount),
        ),
      ),
      first(
        required(
          "liquidity_provision_submission.fee",
          (command: LiquidityProvisionSubmission) => command.fee,
        ),
        rule(
          "liquidity_provision_submission.fee",
          messages.IS_NOT_VALID,
          (command) => float64Of(command.fee) === undefined,
        ),
        rule(
          "liquidity_provision_submission.fee",
          messages.MUST_BE_POSITIVE,
          (command) => float64Of(command.fee)! < 0,
        ),
      ),
      rule(BUYS, "empty shape", (command) => command.buys.length === 0),
      rule(SELLS, "empty shape", (command) => command.sells.length === 0),
      shapes,
    ),
  ),
);

export const liquidityProvisionAmendment: Check<LiquidityProvisionAmendment> = first(
  required("liquidity_provision_amendment.market_id", (command) => command.marketId),
  rule(
    "liquidity_provision_amendment",
    messages.IS_REQUIRED,
    ({ commitmentAmount, fee, sells, buys, reference }) =>
      commitmentAmount === "" && fee === "" && sells.length === 0 && buys.length === 0 && reference === "",
  ),
  all(
    shortReference(
      "liquidity_provision_amendment.reference",
      (command: LiquidityProvisionAmendment) => command.reference,
    ),
    shapes,
  ),
);

export const liquidityProvisionCancellation: Check<LiquidityProvisionCancellation> = identifier(
  "liquidity_provision_cancellation.market_id",
  (command) => command.marketId,
);
