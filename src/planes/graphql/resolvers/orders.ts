// Orders, trades and positions.
import { FieldError } from "../errors.ts";
import { READERS } from "../members.ts";
import type { CallArguments, Message } from "../reads.ts";
import { dateRangeOf } from "../scalars.ts";
import { called, type Resolvers } from "./fields.ts";

/** A filter of orders as the data API has it. */
export function orderFilterOf(filter: Message | null | undefined): CallArguments {
  const { order, ...ids } = filter ?? {};
  if (!order) return ids;
  const { status, types, timeInForce, dateRange, excludeLiquidity, liveOnly } = order;
  const period = dateRangeOf(dateRange, "filter");
  return {
    ...ids,
    statuses: status,
    types,
    timeInForces: timeInForce,
    dateRange: period,
    excludeLiquidity,
    liveOnly,
  };
}

const NO_FEE = { makerFee: "0", infrastructureFee: "0", liquidityFee: "0" };

const fees = {
  buyerFee: ({ buyerFee }: Message) => buyerFee ?? NO_FEE,
  sellerFee: ({ sellerFee }: Message) => sellerFee ?? NO_FEE,
};

export const orders: Resolvers = {
  Query: {
    orderByID(_, { id, version }, reads) {
      if (typeof version === "number" && version < 1)
        throw new FieldError(`invalid version value ${version}`);
      return reads.call("GetOrder", { orderId: id, version }).order;
    },
    orderByReference(_, { reference }, reads) {
      const { orders: page } = reads.call("ListOrders", { filter: { reference } });
      const [edge] = page.edges;
      if (edge === undefined) throw new FieldError(`order reference not found: ${reference}`);
      return edge.node;
    },
    orderVersionsConnection(_, { orderId, pagination }, reads) {
      if (typeof orderId !== "string") throw new FieldError("missing id or reference");
      return reads.call("ListOrderVersions", { orderId, pagination }).orders;
    },
    positions: called("ListAllPositions", "positions"),
    trades: called("ListTrades", "trades", ({ filter, pagination, dateRange }) => ({
      ...filter,
      pagination,
      dateRange: dateRangeOf(dateRange),
    })),
  },
  Order: {
    tradesConnection: called("ListTrades", "trades", ({ dateRange, pagination }, order) => ({
      orderIds: [order.id],
      dateRange: dateRangeOf(dateRange),
      pagination,
    })),
    // The first provision of the party in the market, as in the original, not the one that the order names.
    liquidityProvision({ liquidityProvisionId, partyId, marketId }, _, reads) {
      if (!liquidityProvisionId) return null;
      const { liquidityProvisions } = reads.call("ListLiquidityProvisions", { partyId, marketId });
      return liquidityProvisions.edges[0]?.node ?? null;
    },
  },
  LiquidityOrderReference: {
    order: ({ orderId }, _, reads) => (orderId ? READERS.Order!(orderId, reads) : null),
  },
  Trade: fees,
  TradeUpdate: fees,
  Position: {
    marginsConnection: called(
      "ListMarginLevels",
      "marginLevels",
      ({ pagination }, { partyId, marketId }) => ({
        partyId,
        marketId,
        pagination,
      }),
    ),
  },
};
