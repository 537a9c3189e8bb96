// Market depth: the live orders of a market by price (reference 10, section 5.15).

import type { Endpoint } from "../../http/endpoint.ts";
import { invalidArgument } from "../../http/errors.ts";
import { type Order, type PriceLevel, readOrderAt } from "../../wire/generated/vega.ts";
import { canonicalIdentifier } from "../../wire/identifiers.ts";
import type { DataContext } from "./context.ts";
import { sequenceOf } from "./synthetic-time.ts";
import { lastTrade } from "./trades.ts";

const STATUS_ACTIVE = 1;
const SIDE = { buy: 1, sell: 2 } as const;

interface LiveRow {
  data: Uint8Array;
  block: bigint;
  ord: bigint;
}

/** Orders and volume at each price of one side. */
class BookSide {
  private readonly levels = new Map<bigint, { numberOfOrders: bigint; volume: bigint }>();

  add(order: Order): void {
    const price = BigInt(order.price);
    const level = this.levels.get(price);
    if (!level) this.levels.set(price, { numberOfOrders: 1n, volume: order.remaining });
    else {
      level.numberOfOrders++;
      level.volume += order.remaining;
    }
  }

  /** The best `depthMax` levels, best price first. */
  list(lowestFirst: boolean, depthMax: number): PriceLevel[] {
    const prices = [...this.levels.keys()].sort((a, b) => (a < b === lowestFirst ? -1 : 1));
    return prices
      .slice(0, depthMax)
      .map((price) => ({ price: price.toString(), ...this.levels.get(price)! }));
  }
}

export interface MarketDepth {
  readonly buy: BookSide;
  readonly sell: BookSide;
  readonly sequenceNumber: bigint;
}

/** The book of a market now. Parked orders have no price and are in no level, but count for the sequence. */
export function marketDepth(context: DataContext, marketRef: number): MarketDepth {
  const rows = context.all<LiveRow>(
    `SELECT o.data, o.block, o.ord FROM orders_current c INDEXED BY orders_current_live
      JOIN orders o ON o.block = c.block AND o.ord = c.ord WHERE c.market = ? AND c.live = 1`,
    marketRef,
  );
  const buy = new BookSide();
  const sell = new BookSide();
  let sequenceNumber = 0n;
  for (const row of rows) {
    // Block time in nanoseconds plus the place in the block, of the newest of these orders.
    const number = context.timeNs(row.block) + BigInt(sequenceOf(row.ord));
    if (number > sequenceNumber) sequenceNumber = number;
    const order = readOrderAt(row.data, 0, row.data.length);
    if (order.status !== STATUS_ACTIVE || order.remaining === 0n) continue;
    if (order.side === SIDE.buy) buy.add(order);
    else if (order.side === SIDE.sell) sell.add(order);
  }
  return { buy, sell, sequenceNumber };
}

const getLatestMarketDepth: Endpoint<DataContext> = {
  path: "/api/v2/market/depth/{market_id}/latest",
  request: "datanode.api.v2.GetLatestMarketDepthRequest",
  response: "datanode.api.v2.GetLatestMarketDepthResponse",
  tag: "Markets",
  summary: "Get the market depth of a market",
  description:
    "Price levels of the live orders, best price first, at most `maxDepth` a side (0: all). Both sides are empty for an unknown market.",
  handle(context, request) {
    const id = request.marketId as string;
    if (id === "") throw invalidArgument("empty or missing market ID");
    const depthMax = Number((request.maxDepth as bigint | undefined) ?? 0n) || Number.POSITIVE_INFINITY;
    return context.query("failed to get trades for market", () => {
      const { buy, sell, sequenceNumber } = marketDepth(context, context.ids.position(id));
      return {
        marketId: canonicalIdentifier(id),
        buy: buy.list(false, depthMax),
        sell: sell.list(true, depthMax),
        lastTrade: lastTrade(context, id),
        sequenceNumber,
      };
    });
  },
};

export const marketDepthEndpoints = [getLatestMarketDepth];
