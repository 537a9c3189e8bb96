// Margin levels (reference 10, section 5.17).

import type { Endpoint } from "../../http/endpoint.ts";
import type { Param, Row } from "../../http/pagination.ts";
import { accountReference, probeAccount } from "../../store/accounts.ts";
import { type MarginLevels, readMarginLevelsAt } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, hexOf } from "../../wire/identifiers.ts";
import type { DataContext } from "./context.ts";
import { numberText } from "./values.ts";

const CURRENT = `margin_levels_current c JOIN margin_levels m ON m.block = c.block AND m.account = c.account
  JOIN accounts a ON a.ref = c.account`;
const FAILED = "failed to get margin levels";

interface MarginRow extends Row {
  data: Uint8Array;
  hash: Uint8Array;
}

/** Margin levels as the service shows them: at the time of their block, whatever the event says. */
function marginLevelsOf(context: DataContext, data: Uint8Array, block: bigint): MarginLevels {
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

const listMarginLevels: Endpoint<DataContext> = {
  path: "/api/v2/margin/levels",
  request: "datanode.api.v2.ListMarginLevelsRequest",
  response: "datanode.api.v2.ListMarginLevelsResponse",
  tag: "Positions",
  summary: "List margin levels",
  description: "Current margin levels, by the time of their last update; of a party, of a market, or of all.",
  handle(context, request) {
    const page = context.page(request);
    return context.query(FAILED, () => {
      const where: string[] = [];
      const params: Param[] = [];
      for (const [column, id] of [
        ["a.party", request.partyId],
        ["a.market", request.marketId],
      ] as const) {
        if (!id) continue;
        where.push(`${column} = ?`);
        params.push(context.ids.position(id as string));
      }
      const marginLevels = context.list<MarginRow, MarginLevels>({
        query: {
          select: "m.data, a.hash",
          from: CURRENT,
          where,
          params,
          order: [{ sql: "c.block" }, { sql: "c.account" }],
        },
        page,
        key: (cursor) => {
          const block = cursor.block("VegaTime");
          return cursor.has("AccountID")
            ? [block, accountPosition(context, cursor.bytes("AccountID"))]
            : [block];
        },
        cursor: (row) =>
          JSON.stringify({ VegaTime: context.cursorTime(row.k0!), AccountID: hexOf(row.hash) }),
        node: (row) => marginLevelsOf(context, row.data, row.k0 as bigint),
      });
      return { marginLevels };
    });
  },
};

/** Reference of an account id; between two references when the store does not know it. */
function accountPosition(context: DataContext, hash: Uint8Array): number {
  const { ref, found } = probeAccount(hash, (candidate) => {
    return context.get<{ hash: Uint8Array }>("SELECT hash FROM accounts WHERE ref = ?", candidate)?.hash;
  });
  return found ? ref : accountReference(hash) - 0.5;
}

export const marginLevelEndpoints = [listMarginLevels];
