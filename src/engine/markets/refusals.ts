// Refusals of orders: the number that stands on the order, and the text of the transaction's error
// (docs/protocol/70-trading-orders.md#24-ordererror-numbers).
import type { CommandText } from "../../errors/result-codes.ts";
import { CommandError } from "../errors.ts";

type Row = readonly [number: number, text: CommandText];

/** By name: number, and the transaction's text where it is not `OrderError: ` and the number's own. */
export const ORDER_ERRORS = {
  invalidMarket: [1, "OrderError: Invalid Market ID"],
  invalidOrder: [2, "OrderError: Invalid Order ID"],
  nothingRemains: [4, "OrderError: Invalid Remaining Size"],
  invalidExpiry: [7, "invalid expiresAt time"],
  untilNoTime: [7, "OrderError: Invalid Expiration Datetime"],
  editNotAllowed: [9, "OrderError: Edit Not Allowed"],
  invalidParty: [12, "OrderError: Invalid Party ID"],
  invalidSize: [17, "OrderError: Invalid Size"],
  marketClosed: [13, "trading not allowed"],
  margin: [14, "margin check failed"],
  marketThatRests: [18, "OrderError: Invalid Persistence"],
  ofTheNetwork: [19, "OrderError: Invalid Type"],
  fees: [21, "OrderError: Insufficient funds to pay fees"],
  goodForNormalInAuction: [24, "gfn order received during auction trading"],
  goodForAuctionOutside: [25, "gfa order received during continuous trading"],
  untilWithoutExpiry: [26, "OrderError: Cannot amend order to GTT without an expiryAt field"],
  expiryBeforeCreation: [27, "OrderError: ExpiryAt field must not be before CreatedAt"],
  cancelledWithExpiry: [28, "OrderError: Cannot set ExpiryAt and GTC"],
  toImmediate: [29, "OrderError: Cannot amend TIF to FOK or IOC"],
  toAuctionKind: [30, "OrderError: Cannot amend TIF to GFA or GFN"],
  fromAuctionKind: [31, "OrderError: Cannot amend TIF from GFA or GFN"],
  immediateInAuction: [32, "ioc order received during auction trading"],
  fillOrKillInAuction: [33, "fok order received during auction trading"],
  pegWithoutLimit: [34, "invalid OrderError"],
  pegThatRestsNot: [35, "invalid OrderError"],
  pegWithoutReference: [36, "invalid OrderError"],
  buyByAsk: [37, "OrderError: buy cannot reference best ask price"],
  sellByBid: [41, "OrderError: sell cannot reference best bid price"],
  offsetOfMid: [42, "OrderError: offset must be greater than zero"],
  noGeneralAccount: [43, "party has insufficient balance in asset"],
  notPegged: [44, "OrderError: cannot amend pegged details on a non pegged order"],
  pricePegged: [46, "invalid OrderError"],
  outOfBounds: [47, "OrderError: non-persistent order trades out of price bounds"],
  tooManyPegged: [48, "OrderError: too many pegged orders"],
  postOnly: [49, "OrderError: post only order would trade"],
  reduceOnly: [50, "OrderError: reduce only order would not reduce position"],
} as const satisfies Readonly<Record<string, Row>>;

export type OrderErrorName = keyof typeof ORDER_ERRORS;

/** Reason of an order that would have traded with its own party. */
export const SELF_TRADING = 20;

/** Those after which an order is stopped; the others reject it. */
export const STOPPING: ReadonlySet<OrderErrorName> = new Set(["outOfBounds", "postOnly", "reduceOnly"]);

/** The funds that a command takes and that its party has, for the details of a refusal: amounts in units of `decimals`. */
export type MissingFunds = Readonly<Record<"needed" | "available" | "decimals", bigint>> & {
  readonly symbol: string;
} & Partial<Readonly<Record<"margin" | "general" | "bond", bigint>>>;

/** The refusal of a command about an order; its order's event stays. */
export function orderError(name: OrderErrorName, numbers?: MissingFunds): CommandError {
  return refusal(ORDER_ERRORS[name][1], numbers).keepingChanges();
}

/** A refusal that has no number. */
export function refusal(text: CommandText, numbers?: CommandError["options"]["numbers"]): CommandError {
  return new CommandError(text, numbers && { numbers });
}
