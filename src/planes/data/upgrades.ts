// Protocol upgrades (reference 10, sections 5.10 and 5.19).

import type { Endpoint } from "../../http/endpoint.ts";
import type { ListQuery, Row } from "../../http/pagination.ts";
import { type ProtocolUpgradeEvent, readProtocolUpgradeEventAt } from "../../wire/generated/events.ts";
import { cursorNumber, type DataContext } from "./context.ts";

/** Newest row of each proposal; (height, tag, block) is the table's key. */
const IS_CURRENT =
  "u.block = (SELECT max(x.block) FROM upgrade_proposals x WHERE x.height = u.height AND x.tag = u.tag)";

interface UpgradeRow extends Row {
  block: bigint;
  data: Uint8Array;
}

function upgradeOf({ data }: UpgradeRow): ProtocolUpgradeEvent {
  return readProtocolUpgradeEventAt(data, 0, data.length);
}

const listProtocolUpgradeProposals: Endpoint<DataContext> = {
  path: "/api/v2/upgrade/proposals",
  request: "datanode.api.v2.ListProtocolUpgradeProposalsRequest",
  response: "datanode.api.v2.ListProtocolUpgradeProposalsResponse",
  tag: "Network",
  summary: "List protocol upgrade proposals",
  description: "By upgrade height and release tag. `approvedBy` is the exact text of one approver.",
  handle(context, request) {
    const page = context.page(request);
    const { status, approvedBy } = request as { status?: number; approvedBy?: string };
    return context.query("failed to list protocol upgrade proposals", () => {
      const filter = status === undefined && approvedBy === undefined ? undefined : { status, approvedBy };
      const protocolUpgradeProposals = context.list<UpgradeRow, ProtocolUpgradeEvent>({
        query: {
          select: "u.block, u.data",
          ...(filter
            ? matching(context, filter)
            : { from: "upgrade_proposals u", where: [IS_CURRENT], params: [] }),
          order: [{ sql: "u.height" }, { sql: "u.tag" }],
        },
        page,
        key: (cursor) => [cursor.whole("UpgradeBlockHeight"), cursor.string("VegaReleaseTag")],
        cursor: (row) =>
          JSON.stringify({
            VegaTime: context.cursorTime(row.block),
            UpgradeBlockHeight: cursorNumber(row.k0 as bigint),
            VegaReleaseTag: row.k1,
          }),
        node: upgradeOf,
      });
      return { protocolUpgradeProposals };
    });
  },
};

/**
 * Status and approvers stand only inside the messages, so a filter looks through the proposals first. There are few:
 * only validators make them, one for each release.
 */
function matching(
  context: DataContext,
  filter: { status: number | undefined; approvedBy: string | undefined },
): Pick<ListQuery, "from" | "where" | "params"> {
  const keys: string[] = [];
  const sql = `SELECT u.height, u.tag, u.block, u.data FROM upgrade_proposals u WHERE ${IS_CURRENT}`;
  for (const row of context.db.query(sql).iterate() as Iterable<UpgradeRow>) {
    const { status, approvers } = upgradeOf(row);
    if (filter.status !== undefined && status !== filter.status) continue;
    if (filter.approvedBy !== undefined && !approvers.includes(filter.approvedBy)) continue;
    // Written here: a height may be larger than `JSON.stringify` can say.
    keys.push(`[${row.height},${JSON.stringify(row.tag)},${row.block}]`);
  }
  return {
    from: `json_each(?) j CROSS JOIN upgrade_proposals u ON u.height = j.value ->> 0 AND u.tag = j.value ->> 1
      AND u.block = j.value ->> 2`,
    where: [],
    params: [`[${keys.join(",")}]`],
  };
}

const getProtocolUpgradeStatus: Endpoint<DataContext> = {
  path: "/api/v2/upgrade/status",
  request: "datanode.api.v2.GetProtocolUpgradeStatusRequest",
  response: "datanode.api.v2.GetProtocolUpgradeStatusResponse",
  tag: "Network",
  summary: "Whether the data node is ready for a protocol upgrade",
  // In the original this turns true when the history before an upgrade is written and the program only waits to be
  // replaced. This node goes on serving, so it is never in that state.
  handle: () => ({ ready: false }),
};

export const upgradeEndpoints = [listProtocolUpgradeProposals, getProtocolUpgradeStatus];
