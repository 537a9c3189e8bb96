/**
 * Forms that the mempool of a chain refuses, and that the engine has a refusal of its own for (reference 70, sections 2.4, 2.5,
 * 2.8 and 3.1). On a chain no block has such a command; in a scenario the engine's number is what one wants to see.
 */
import * as messages from "../errors/validation.ts";
import type { OrderSubmission } from "../wire/generated/commands.ts";
import { OrderTimeInForce, OrderType } from "../wire/generated/vega.ts";
import type { CommandKind } from "../wire/transaction-commands.ts";
import type { PropertyErrors } from "../wire/validate/check.ts";

/** Messages by property. */
type Forms = Readonly<Record<string, readonly string[]>>;

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
};

/** Whether the engine refuses all that is wrong with a command. @param errors of its form; there are some */
export function refusesForm(kind: CommandKind, payload: object, errors: PropertyErrors): boolean {
  const forms = FORMS[kind];
  if (forms === undefined) return false;
  const isKnown = Object.entries(errors.toJSON()).every(([property, found]) =>
    found.every((message) => forms[property]?.includes(message)),
  );
  return isKnown && (kind !== "orderSubmission" || isReadable(payload as OrderSubmission));
}

/** Whether the engine can read the rest of the order, of which it does not look at everything. */
function isReadable({ type, timeInForce, peggedOrder }: OrderSubmission): boolean {
  if (peggedOrder !== undefined) return /^\d+$/.test(peggedOrder.offset);
  const { TIME_IN_FORCE_GFA: GFA, TIME_IN_FORCE_GFN: GFN } = OrderTimeInForce;
  return type !== OrderType.TYPE_MARKET || (timeInForce !== GFA && timeInForce !== GFN);
}
