// Positions (reference 10, section 5.17). Shown values include trades that are not settled yet.

import type { Endpoint } from "../../http/endpoint.ts";
import type { Row } from "../../http/pagination.ts";
import type { RequestFields } from "../../http/query.ts";
import { parsePosition } from "../../store/project/position-state.ts";
import type { Position } from "../../wire/generated/vega.ts";
import { type DataContext, inList } from "./context.ts";
import { checkedRefs } from "./orders.ts";

const CURRENT =
  "positions_current c JOIN positions p ON p.block = c.block AND p.party = c.party AND p.market = c.market";

interface PositionRow extends Row {
  state: string;
}

function positionOf(context: DataContext, row: PositionRow): Position {
  const state = parsePosition(row.state);
  return {
    marketId: context.ids.text(row.k2 as bigint),
    partyId: context.ids.text(row.k1 as bigint),
    openVolume: state.pendingOpenVolume,
    realisedPnl: state.pendingRealised.rounded().toString(),
    unrealisedPnl: state.pendingUnrealised.rounded().toString(),
    averageEntryPrice: state.pendingEntryMarketPrice.rounded().toString(),
    updatedAt: context.timeNs(row.k0 as bigint),
    lossSocialisationAmount: state.lossSocialisation.rounded().toString(),
    positionStatus: state.status,
  };
}

const listAllPositions: Endpoint<DataContext> = {
  path: "/api/v2/positions",
  request: "datanode.api.v2.ListAllPositionsRequest",
  response: "datanode.api.v2.ListAllPositionsResponse",
  tag: "Positions",
  summary: "List positions",
  description: "Current positions, by the time of their last update.",
  handle(context, request) {
    const page = context.page(request);
    const filter = (request.filter ?? {}) as RequestFields;
    const parties = checkedRefs(context, filter.partyIds as string[] | undefined, "party");
    const markets = checkedRefs(context, filter.marketIds as string[] | undefined, "market");
    const where: string[] = [];
    if (parties.length > 0) where.push(inList("c.party", parties.length));
    if (markets.length > 0) where.push(inList("c.market", markets.length));
    return context.query("failed to get positions for party", () => {
      const positions = context.list<PositionRow, Position>({
        query: {
          select: "p.state",
          from: CURRENT,
          where,
          params: [...parties, ...markets],
          order: [{ sql: "c.block" }, { sql: "c.party" }, { sql: "c.market" }],
        },
        page,
        key: (cursor) => [cursor.block("vega_time"), cursor.ref("party_id"), cursor.ref("market_id")],
        cursor: (row) =>
          JSON.stringify({
            vega_time: context.cursorTime(row.k0!),
            party_id: context.ids.text(row.k1 as bigint),
            market_id: context.ids.text(row.k2 as bigint),
          }),
        node: (row) => positionOf(context, row),
      });
      return { positions };
    });
  },
};

export const positionEndpoints = [listAllPositions];
