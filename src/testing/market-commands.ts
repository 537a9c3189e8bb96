/** Commands of a test's rig: what may be said of an order or a provision, and the message that it stands for. */
import type { Init } from "../wire/codec.ts";
import {
  decodeInputData,
  encodeInputData,
  type InputData,
  type OrderAmendment,
} from "../wire/generated/commands.ts";
import type { CommandInit } from "../wire/transaction.ts";
import type { CheckedTransaction } from "../wire/transaction-check.ts";
import type { CommandKind } from "../wire/transaction-commands.ts";
import { idOf } from "./market-config.ts";

/** Options of an order beside its side, size and price. */
export interface RigOrder {
  readonly timeInForce?: number;
  readonly expiresAt?: bigint;
  readonly peg?: { readonly reference: number; readonly offset: string };
  readonly postOnly?: boolean;
  readonly reduceOnly?: boolean;
  readonly reference?: string;
}

/** Changes of an order; what is left out stays. */
export interface RigAmendment {
  readonly price?: bigint | number | string;
  readonly sizeDelta?: bigint | number;
  readonly timeInForce?: number;
  /** Unix nanoseconds. */
  readonly expiresAt?: bigint;
  readonly peg?: { readonly reference?: number; readonly offset?: string };
}

/** Commitment in asset units; offsets in market precision. */
export interface RigProvision {
  readonly commitment: bigint | number | string;
  /** A decimal. */
  readonly fee: string;
  readonly buys: readonly RigLiquidityOrder[];
  readonly sells: readonly RigLiquidityOrder[];
  readonly reference?: string;
}

interface RigLiquidityOrder {
  readonly reference: number;
  readonly offset: string;
  readonly proportion: number;
}

/** An amendment as a command has it. */
export function amendmentOf(market: string, orderId: string, change: RigAmendment): Init<OrderAmendment> {
  const { price, sizeDelta = 0, timeInForce = 0, expiresAt, peg } = change;
  return {
    orderId,
    marketId: idOf(market),
    price: price?.toString(),
    sizeDelta: BigInt(sizeDelta),
    timeInForce,
    expiresAt,
    peggedReference: peg?.reference ?? 0,
    peggedOffset: peg?.offset ?? "",
  };
}

/** A provision, or its change, as a command has it. */
export function provisionOf(market: string, provision: Partial<RigProvision>) {
  const { commitment = "", fee = "", buys = [], sells = [], reference = "" } = provision;
  const parts = { fee, buys: [...buys], sells: [...sells], reference };
  return { marketId: idOf(market), commitmentAmount: commitment.toString(), ...parts };
}

/** The command for a limit or market order, in the market's own decimals. */
export function orderOf(
  market: string,
  side: "buy" | "sell",
  size: bigint | number,
  price: bigint | number | undefined,
  more: RigOrder = {},
): CommandInit {
  if (side !== "buy" && side !== "sell")
    throw new Error(`an order's side is buy or sell, not ${String(side)}`);
  const isMarket = price === undefined && more.peg === undefined;
  return {
    kind: "orderSubmission",
    payload: {
      marketId: idOf(market),
      price: price === undefined ? "" : price.toString(),
      size: BigInt(size),
      side: side === "buy" ? 1 : 2,
      timeInForce: more.timeInForce ?? (isMarket ? 3 : 1),
      expiresAt: more.expiresAt ?? 0n,
      type: isMarket ? 2 : 1,
      reference: more.reference ?? "",
      peggedOrder: more.peg,
      postOnly: more.postOnly ?? false,
      reduceOnly: more.reduceOnly ?? false,
    },
  };
}

/** A command as it comes out of admission, without signature and proof. @param id root of the identifiers that it makes */
export function transactionOf(party: string, { kind, payload }: CommandInit, id: string): CheckedTransaction {
  const bytes = encodeInputData({ [kind]: payload } as Init<InputData>);
  return unsigned(party, kind, decodeInputData(bytes)[kind]!, id);
}

/** The same of a payload that needs no decoding. */
export function unsigned(
  party: string,
  kind: CommandKind,
  payload: object,
  id: string,
  nonce = 1n,
): CheckedTransaction {
  const none = { blockHeight: 1n, pow: undefined, version: 3, signature: new Uint8Array() };
  return { kind, payload, party, nonce, ...none, hash: id, id } as unknown as CheckedTransaction;
}
