// Positions and margin levels (docs/protocol/10-data-api-endpoints.md#517-trades-positions-margins-provisions).
import type { Row } from "../../http/pagination.ts";
import { parsePosition, shownPosition } from "../../store/project/position-state.ts";
import { type MarginLevels, type Position, readMarginLevelsAt } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, hexOf } from "../../wire/identifiers.ts";
import { accountPosition } from "./balances.ts";
import { Conditions, type DataContext, type Paged } from "./context.ts";
import { endpoint, list, resource } from "./entry.ts";
import { checkedRefs } from "./orders.ts";
import { numberText } from "./values.ts";

const CURRENT =
  "positions_current c JOIN positions p ON p.block = c.block AND p.party = c.party AND p.market = c.market";

interface PositionRow extends Row {
  state: string;
}

export function positionOf(context: DataContext, row: PositionRow): Position {
  return {
    ...shownPosition(parsePosition(row.state)),
    marketId: context.ids.text(row.k2 as bigint),
    partyId: context.ids.text(row.k1 as bigint),
    updatedAt: context.timeNs(row.k0 as bigint),
  };
}

const listAllPositions = endpoint({
  path: "/api/v2/positions",
  request: "datanode.api.v2.ListAllPositionsRequest",
  response: "datanode.api.v2.ListAllPositionsResponse",
  tag: "Positions",
  summary: "List positions",
  description: "Current positions, by the time of their last update.",
  handle(context, request) {
    const { partyIds, marketIds } = request.filter ?? {};
    return pageOfPositions(context, request, partyIds, marketIds);
  },
});

/** The older form of the same list, for one party or market; it has no path. */
export const listPositions = resource({
  request: "datanode.api.v2.ListPositionsRequest",
  response: "datanode.api.v2.ListPositionsResponse",
  handle(context, request) {
    const one = (value: string | undefined) => (value === undefined ? [] : [value]);
    return pageOfPositions(context, request, one(request.partyId), one(request.marketId));
  },
});

function pageOfPositions(
  context: DataContext,
  request: Paged,
  partyIds: readonly string[] | undefined,
  marketIds: readonly string[] | undefined,
) {
  const conditions = new Conditions();
  conditions.addOneOf("c.market", checkedRefs(context, marketIds, "market"));
  conditions.addOneOf("c.party", checkedRefs(context, partyIds, "party"));
  const page = context.page(request);
  return context.query("failed to get positions for party", () => {
    const positions = context.list<PositionRow, Position>({
      query: {
        select: "p.state",
        from: CURRENT,
        ...conditions,
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
}

const CURRENT_LEVELS = `margin_levels_current c JOIN margin_levels m ON m.block = c.block AND m.account = c.account
  JOIN accounts a ON a.ref = c.account`;
const FAILED = "failed to get margin levels";

interface MarginRow extends Row {
  data: Uint8Array;
  hash: Uint8Array;
}

/** Margin levels as the service shows them: at the time of their block, not of the event. */
export function marginLevelsOf(context: DataContext, data: Uint8Array, block: bigint): MarginLevels {
  const levels = readMarginLevelsAt(data, 0, data.length);
  for (const name of [
    "maintenanceMargin",
    "searchLevel",
    "initialMargin",
    "collateralReleaseLevel",
  ] as const) {
    levels[name] = numberText(levels[name]);
  }
  levels.partyId = canonicalIdentifier(levels.partyId);
  levels.marketId = canonicalIdentifier(levels.marketId);
  levels.asset = canonicalIdentifier(levels.asset);
  levels.timestamp = context.timeNs(block);
  return levels;
}

const listMarginLevels = list({
  path: "/api/v2/margin/levels",
  request: "datanode.api.v2.ListMarginLevelsRequest",
  response: "datanode.api.v2.ListMarginLevelsResponse",
  tag: "Positions",
  summary: "List margin levels",
  description: "Current margin levels, by the time of their last update; of a party, of a market, or of all.",
  failure: FAILED,
  member: "marginLevels",
  rows(context, page, request) {
    const { partyId, marketId } = request;
    const conditions = new Conditions();
    if (partyId) conditions.add("a.party = ?", context.ids.position(partyId));
    if (marketId) conditions.add("a.market = ?", context.ids.position(marketId));
    return context.list<MarginRow, MarginLevels>({
      query: {
        select: "m.data, a.hash",
        from: CURRENT_LEVELS,
        ...conditions,
        order: [{ sql: "c.block" }, { sql: "c.account" }],
      },
      page,
      key: (cursor) => {
        const block = cursor.block("VegaTime");
        return cursor.has("AccountID")
          ? [block, accountPosition(context, cursor.bytes("AccountID"))]
          : [block];
      },
      cursor: (row) => JSON.stringify({ VegaTime: context.cursorTime(row.k0!), AccountID: hexOf(row.hash) }),
      node: (row) => marginLevelsOf(context, row.data, row.k0 as bigint),
    });
  },
});

export const positionEndpoints = [listAllPositions, listMarginLevels];
