/**
 * Forms that the mempool of a chain refuses, and that the engine has a refusal of its own for
 * (docs/protocol/70-trading-orders.md#24-ordererror-numbers, #25-submission-step-by-step, #28-amend-cancel-batch,
 * #31-book and docs/protocol/70-trading-liquidity.md#72-submit). On a chain no block has such a command; in a scenario
 * the engine's number is what one wants to see.
 */
import * as messages from "../errors/validation.ts";
import type {
  LiquidityProvisionAmendment,
  LiquidityProvisionSubmission,
  OrderSubmission,
} from "../wire/generated/commands.ts";
import { OrderTimeInForce, OrderType } from "../wire/generated/vega.ts";
import type { CommandKind } from "../wire/transaction-commands.ts";
import type { PropertyErrors } from "../wire/validate/check.ts";

/** Messages by property; `#` stands for a place in a list. */
type Forms = Readonly<Record<string, readonly string[]>>;

const SHAPES: Forms = {
  "liquidity_provision_submission.buys.#.reference": [
    "order in shape without reference",
    "order in buy side shape with best ask price reference",
  ],
  "liquidity_provision_submission.sells.#.reference": ["order in shape without reference"],
  "liquidity_provision_submission.buys.#.proportion": ["order in shape without a proportion"],
  "liquidity_provision_submission.sells.#.proportion": ["order in shape without a proportion"],
  "liquidity_provision_submission.buys.#.offset": [
    "order in buy side shape offset must be >= 0",
    "order in buy side shape offset must be > 0",
  ],
  "liquidity_provision_submission.sells.#.offset": [
    "order in sell side shape with best bid price reference",
    "order in sell shape offset must be >= 0",
    "order in sell shape offset must be > 0",
  ],
};

const FORMS: { readonly [K in CommandKind]?: Forms } = {
  orderSubmission: {
    "order_submission.size": [messages.MUST_BE_POSITIVE],
    "order_submission.expires_at": [messages.MUST_BE_POSITIVE],
    "order_submission.type": [
      messages.IS_UNAUTHORISED,
      "is expected to be an order of type LIMIT when the order is pegged",
    ],
    "order_submission.time_in_force": [
      "is expected to be of type FOK or IOC when order is of type MARKET",
      "is expected to have a time in force of type GTT, GTC or GFN when the order is pegged",
    ],
    "order_submission.pegged_order.reference": [
      messages.IS_REQUIRED,
      "cannot have a reference of type BEST_ASK when on BUY side",
      "cannot have a reference of type BEST_BID when on SELL side",
    ],
    "order_submission.pegged_order.offset": [messages.MUST_BE_POSITIVE],
  },
  orderAmendment: {
    "order_amendment.time_in_force": [
      messages.GTT_WITHOUT_EXPIRY,
      messages.CANNOT_AMEND_TO_GFA,
      messages.CANNOT_AMEND_TO_GFN,
    ],
    "order_amendment.expires_at": [messages.EXPIRY_WITHOUT_GTT],
  },
  liquidityProvisionSubmission: {
    "liquidity_provision_submission.commitment_amount": [messages.IS_NOT_A_NUMBER],
    "liquidity_provision_submission.fee": [messages.MUST_BE_POSITIVE],
    "liquidity_provision_submission.buys": ["empty shape"],
    "liquidity_provision_submission.sells": ["empty shape"],
    ...SHAPES,
  },
  liquidityProvisionAmendment: { liquidity_provision_amendment: [messages.IS_REQUIRED], ...SHAPES },
};

/** Whether the engine refuses all that is wrong with a command. @param errors of its form; there are some */
export function refusesForm(kind: CommandKind, payload: object, errors: PropertyErrors): boolean {
  const forms = FORMS[kind];
  if (forms === undefined) return false;
  const isKnown = Object.entries(errors.toJSON()).every(([property, messages]) =>
    messages.every((message) => forms[property.replace(/\.\d+\./, ".#.")]?.includes(message)),
  );
  return isKnown && isReadable(kind, payload);
}

/** Whether the engine can read the rest of the command, of which it does not look at everything. */
function isReadable(kind: CommandKind, payload: object): boolean {
  if (kind === "orderAmendment") return true;
  if (kind === "orderSubmission") {
    const { type, timeInForce, peggedOrder } = payload as OrderSubmission;
    if (peggedOrder !== undefined) return /^\d+$/.test(peggedOrder.offset);
    const { TIME_IN_FORCE_GFA: GFA, TIME_IN_FORCE_GFN: GFN } = OrderTimeInForce;
    return type !== OrderType.TYPE_MARKET || (timeInForce !== GFA && timeInForce !== GFN);
  }
  const { buys, sells } = payload as LiquidityProvisionSubmission | LiquidityProvisionAmendment;
  return [...buys, ...sells].every(({ offset }) => /^[-+]?\d+$/.test(offset));
}
