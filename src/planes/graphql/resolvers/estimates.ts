// Estimates of fees, margins and close-out prices.
import { FieldError } from "../errors.ts";
import type { Resolve } from "../members.ts";
import type { Message, QueryReads } from "../reads.ts";
import type { Resolvers } from "./fields.ts";

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

function wholeNumber(text: string, kind: "int64" | "uint64"): bigint {
  const [least, most] = kind === "int64" ? [INT64_MIN, INT64_MAX] : [0n, UINT64_MAX];
  const value = /^[+-]?\d{1,20}$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
  if (value === undefined || value < least || value > most)
    throw new FieldError(`invalid input string for ${kind} conversion ${text.slice(0, 100)}`);
  return value;
}

function feeOf({ marketId, partyId, price, size }: Message, reads: QueryReads): Message {
  if (marketId === "") throw new FieldError("market missing or empty");
  if (partyId === "") throw new FieldError("party missing or empty");
  return reads.call("EstimateFee", { marketId, price: price ?? "", size: wholeNumber(size, "uint64") }).fee;
}

function total({ makerFee, infrastructureFee, liquidityFee }: Message): string {
  return String(BigInt(makerFee) + BigInt(infrastructureFee) + BigInt(liquidityFee));
}

const price =
  (member: string): Resolve =>
  (prices) =>
    prices[member];

export const estimates: Resolvers = {
  LiquidationPrice: {
    open_volume_only: price("openVolumeOnly"),
    including_buy_orders: price("includingBuyOrders"),
    including_sell_orders: price("includingSellOrders"),
  },
  Query: {
    estimateFees(_, args, reads) {
      const fees = feeOf(args, reads);
      return { fees, totalFeeAmount: total(fees) };
    },
    estimateOrder(_, args, reads) {
      const fee = feeOf(args, reads);
      const { marketId, partyId, price, side, type } = args;
      const size = wholeNumber(args.size, "uint64");
      const { marginLevels } = reads.call("EstimateMargin", { marketId, partyId, price, size, side, type });
      return { fee, totalFeeAmount: total(fee), marginLevels };
    },
    estimatePosition(_, { openVolume, orders, ...args }, reads) {
      return reads.call("EstimatePosition", {
        ...args,
        openVolume: wholeNumber(openVolume, "int64"),
        orders: orders?.map((order: Message) => ({
          ...order,
          remaining: wholeNumber(order.remaining, "uint64"),
        })),
      });
    },
  },
};
