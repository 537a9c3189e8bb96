// Trades (docs/protocol/10-data-api-endpoints.md#515-markets-and-market-data and #517-trades-positions-margins-provisions).

import type { RequestOf } from "../../http/endpoint.ts";
import type { Param, Row } from "../../http/pagination.ts";
import { emptyFee, type Fee, readTradeAt, type Trade } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, identifierBytes } from "../../wire/identifiers.ts";
import { Conditions, type DataContext, inList } from "./context.ts";
import { endpoint, list } from "./entry.ts";
import { ARMS_MAX, armsOf, bySyntheticTime, type Condition, mergedRows } from "./lists.ts";
import { checkMarketId } from "./markets.ts";
import { numberText } from "./values.ts";

interface TradeRow extends Row {
  data: Uint8Array;
}

/** A trade as the service shows it: at the time of its block, with both fees always there. */
export function tradeOf(context: DataContext, data: Uint8Array, block: number | bigint): Trade {
  const trade = readTradeAt(data, 0, data.length);
  for (const name of ["id", "marketId", "buyer", "seller", "buyOrder", "sellOrder"] as const) {
    trade[name] = canonicalIdentifier(trade[name]);
  }
  trade.price = numberText(trade.price);
  trade.timestamp = context.timeNs(block);
  trade.buyerFee = feeOf(trade.buyerFee);
  trade.sellerFee = feeOf(trade.sellerFee);
  return trade;
}

function feeOf(fee: Fee = emptyFee()): Fee {
  return {
    makerFee: numberText(fee.makerFee),
    infrastructureFee: numberText(fee.infrastructureFee),
    liquidityFee: numberText(fee.liquidityFee),
  };
}

/** The newest trade of a market, if it has one. @throws InvalidIdentifier */
export function lastTrade(context: DataContext, marketId: string): Trade | undefined {
  const sql = "SELECT data, block FROM trades WHERE market = ? ORDER BY block DESC, ord DESC LIMIT 1";
  const row = context.get<TradeRow>(sql, context.ids.position(marketId));
  return row && tradeOf(context, row.data, row.block as bigint);
}

const getLastTrade = endpoint({
  path: "/api/v2/market/{market_id}/trade/latest",
  request: "datanode.api.v2.GetLastTradeRequest",
  response: "datanode.api.v2.GetLastTradeResponse",
  tag: "Trades",
  summary: "Get the last trade of a market",
  description: "`null` for a market without trades, known or not.",
  handle(context, request) {
    const id = checkMarketId(request.marketId);
    return { trade: lastTrade(context, id) };
  },
});

const FAILED = "failed to list trades";

const listTrades = list({
  path: "/api/v2/trades",
  request: "datanode.api.v2.ListTradesRequest",
  response: "datanode.api.v2.ListTradesResponse",
  tag: "Trades",
  summary: "List trades",
  description:
    "By time. A party or an order is on either side of the trade. The date range applies to block time plus the event's place in the block in microseconds: start inclusive, end exclusive.",
  failure: FAILED,
  member: "trades",
  rows(context, page, request) {
    const { from, params } = tradeRows(context, request);
    const range = rangeCondition(context, request);
    return context.list<TradeRow, Trade>({
      query: {
        select: "t.data",
        from,
        where: range.where,
        params: [...params, ...range.params],
        order: [{ sql: "t.block" }, { sql: "t.ord" }],
      },
      page,
      ...bySyntheticTime(context),
      node: (row) => tradeOf(context, row.data, row.k0 as bigint),
    });
  },
});

type TradesRequest = RequestOf<"datanode.api.v2.ListTradesRequest">;

function tradeRows(context: DataContext, request: TradesRequest): { from: string; params: Param[] } {
  const values = <V>(ids: readonly string[] | undefined, title: string, read: (id: string) => V): V[] =>
    context.query(FAILED, () => (ids ?? []).map(read), `received invalid ${title} ID: `);
  const markets = values(request.marketIds, "market", (id) => context.ids.position(id));
  const parties = values(request.partyIds, "party", (id) => context.ids.position(id));
  const orders = values(request.orderIds, "order", identifierBytes);
  if (orders.length > 0) return tradesOfOrders(orders, markets, parties);
  const conditions = new Conditions();
  if (parties.length > 0) conditions.addOneOf("market", markets);
  const arms = parties.length > 0 ? partyArms(parties) : armsOf("market", markets);
  return mergedRows("block, ord, data", "trades", conditions, arms);
}

/**
 * An order has few trades, whatever else is asked of them: they are found by its id and no other way (the plus signs
 * keep SQLite from the indexes of markets and parties, along which it could read all trades of a market).
 */
function tradesOfOrders(
  orders: readonly Uint8Array[],
  markets: readonly number[],
  parties: readonly number[],
): { from: string; params: Param[] } {
  const conditions = new Conditions();
  conditions.addOneOf("+market", markets);
  if (parties.length > 0) {
    const either = `(${inList("+buyer", parties.length)} OR ${inList("+seller", parties.length)})`;
    conditions.add(either, ...parties, ...parties);
  }
  const buys = inList("buy_order", orders.length);
  const arms = [
    { where: [buys], params: orders },
    {
      where: [inList("sell_order", orders.length), `NOT (${buys.replace("buy_order", "+buy_order")})`],
      params: [...orders, ...orders],
    },
  ];
  return mergedRows("block, ord, data", "trades", conditions, arms);
}

/** Rows that a party bought, and rows it sold to a buyer outside the parties: no row twice. */
function partyArms(parties: readonly number[]): Condition[] {
  const different = [...new Set(parties)];
  const list = inList("buyer", different.length);
  if (2 * different.length > ARMS_MAX) {
    const where = [`(${list} OR ${inList("seller", different.length)})`];
    return [{ where, params: [...different, ...different] }];
  }
  return different.flatMap((party) => [
    { where: ["buyer = ?"], params: [party] },
    { where: ["seller = ?", `NOT (${list})`], params: [party, ...different] },
  ]);
}

/** Bounds in synthetic time, cut to microseconds (docs/protocol/10-data-api-serving.md#24-date-ranges). */
function rangeCondition(context: DataContext, { dateRange: range = {} }: TradesRequest): Conditions {
  const conditions = new Conditions();
  const add = (operator: ">=" | "<", bound: bigint | undefined) => {
    if (bound === undefined) return;
    const place = context.blocks.syntheticPlace(Number(bound / 1000n));
    conditions.add(`(t.block, t.ord) ${operator} (?, ?)`, ...place);
  };
  add(">=", range.startTimestamp);
  add("<", range.endTimestamp);
  return conditions;
}

export const tradeEndpoints = [getLastTrade, listTrades];
