// Liquidity provisions (docs/protocol/10-data-api-endpoints.md#517-trades-positions-margins-provisions).

import { internal } from "../../http/errors.ts";
import type { ListQuery, PageRequest, Row } from "../../http/pagination.ts";
import { type LiquidityProvision, readLiquidityProvisionAt } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, hexOf } from "../../wire/identifiers.ts";
import { Conditions, type Connection, type DataContext, type ListSpec, truncatedNs } from "./context.ts";
import { endpoint } from "./entry.ts";
import { listKept } from "./lists.ts";
import { numberText } from "./values.ts";

const HISTORY = "liquidity_provisions l";
/** From the current rows outwards: they are few, the history of one party can be long. */
const CURRENT =
  "liquidity_provisions_current c CROSS JOIN liquidity_provisions l ON l.block = c.block AND l.id = c.id";
/** ACTIVE, UNDEPLOYED and PENDING. */
const LIVE_STATUSES: ReadonlySet<number> = new Set([1, 5, 6]);
const FAILED = "failed to get liquidity provision";

interface ProvisionRow extends Row {
  data: Uint8Array;
}

export function provisionOf(data: Uint8Array): LiquidityProvision {
  const provision = readLiquidityProvisionAt(data, 0, data.length);
  provision.id = canonicalIdentifier(provision.id);
  provision.partyId = canonicalIdentifier(provision.partyId);
  provision.marketId = canonicalIdentifier(provision.marketId);
  provision.commitmentAmount = numberText(provision.commitmentAmount);
  provision.fee = numberText(provision.fee);
  provision.createdAt = truncatedNs(provision.createdAt);
  provision.updatedAt = truncatedNs(provision.updatedAt);
  return provision;
}

const listLiquidityProvisions = endpoint({
  path: "/api/v2/liquidity/provisions",
  request: "datanode.api.v2.ListLiquidityProvisionsRequest",
  response: "datanode.api.v2.ListLiquidityProvisionsResponse",
  tag: "Liquidity",
  summary: "List liquidity provisions",
  description:
    "Of a party, of a market, or both; one of them is needed. Every state they ever had, a row for each block that changed one; with `live=true` the current ones that are active, undeployed or pending.",
  handle(context, request) {
    const page = context.page(request);
    const { partyId = "", marketId = "", reference = "", live = false } = request;
    const prefix = `partyID: ${partyId.slice(0, 200)}, marketID: ${marketId.slice(0, 200)}, reference: ${reference.slice(0, 200)}: `;
    if (partyId === "" && marketId === "")
      throw internal(FAILED, `${prefix}market or party filters are required`);
    return context.query(
      FAILED,
      () => ({ liquidityProvisions: provisions(context, page, { partyId, marketId, reference, live }) }),
      prefix,
    );
  },
});

function provisions(
  context: DataContext,
  page: PageRequest,
  filter: {
    readonly partyId: string;
    readonly marketId: string;
    readonly reference: string;
    readonly live: boolean;
  },
): Connection<LiquidityProvision> {
  const { partyId, marketId, reference, live } = filter;
  const conditions = new Conditions();
  if (partyId !== "") conditions.add("l.party = ?", context.ids.position(partyId));
  if (marketId !== "") conditions.add("l.market = ?", context.ids.position(marketId));
  const source = live ? liveProvisions(context, conditions, reference) : { from: HISTORY, ...conditions };
  const spec: ListSpec<ProvisionRow, LiquidityProvision> = {
    query: { select: "l.data", ...source, order: [{ sql: "l.block" }, { sql: "l.id" }] },
    page,
    key: (cursor) => {
      const block = cursor.block("vegaTime");
      return cursor.has("id") ? [block, cursor.bytes("id")] : [block];
    },
    cursor: (row) =>
      JSON.stringify({ vegaTime: context.cursorTime(row.k0!), id: hexOf(row.k1 as Uint8Array) }),
    node: (row) => provisionOf(row.data),
  };
  if (live || reference === "") return context.list(spec);
  return listKept(
    context,
    spec,
    ({ data }) => readLiquidityProvisionAt(data, 0, data.length).reference === reference,
  );
}

interface CurrentRow {
  block: bigint;
  id: Uint8Array;
  data: Uint8Array;
}

/**
 * Rows of live provisions. The status stands only in the messages, and the current rows lie in no order of time, so all
 * are read once before a page is made of the live ones.
 */
function liveProvisions(
  context: DataContext,
  { where, params }: Conditions,
  reference: string,
): Pick<ListQuery, "from" | "where" | "params"> {
  const keys: string[] = [];
  const sql = `SELECT l.block, l.id, l.data FROM ${CURRENT} WHERE ${where.join(" AND ")}`;
  for (const row of context.db.query(sql).iterate(...params) as Iterable<CurrentRow>) {
    const provision = readLiquidityProvisionAt(row.data, 0, row.data.length);
    if (!LIVE_STATUSES.has(provision.status)) continue;
    if (reference !== "" && provision.reference !== reference) continue;
    keys.push(`[${row.block},"${hexOf(row.id)}"]`);
  }
  return {
    from: "json_each(?) j CROSS JOIN liquidity_provisions l ON l.block = j.value ->> 0 AND l.id = unhex(j.value ->> 1)",
    where: [],
    params: [`[${keys.join(",")}]`],
  };
}

export const liquidityEndpoints = [listLiquidityProvisions];
