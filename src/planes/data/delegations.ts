// Delegations (reference 10, section 5.4).

import type { Endpoint } from "../../http/endpoint.ts";
import type { Param, Row } from "../../http/pagination.ts";
import { amountText, type StoredAmount } from "../../store/amount.ts";
import type { Delegation } from "../../wire/generated/vega.ts";
import type { DataContext } from "./context.ts";
import { parseEpoch } from "./epoch-text.ts";

interface DelegationRow extends Row {
  amount: StoredAmount;
}

const listDelegations: Endpoint<DataContext> = {
  path: "/api/v2/delegations",
  request: "datanode.api.v2.ListDelegationsRequest",
  response: "datanode.api.v2.ListDelegationsResponse",
  tag: "Delegations",
  summary: "List delegations",
  description: "The latest amount of each party, node and epoch, by block time, party, node and epoch.",
  handle(context, request) {
    const { partyId, nodeId, epochId } = request as Record<string, string | undefined>;
    const epoch = epochId === undefined ? undefined : parseEpoch(epochId, "epochID");
    const page = context.page(request);
    return context.query(
      "failed to get delegation",
      () => {
        const where: string[] = [];
        const params: Param[] = [];
        const equal = (column: string, value: Param) => {
          where.push(`${column} = ?`);
          params.push(value);
        };
        // Present but empty is the empty id, which nobody has.
        if (partyId !== undefined) equal("c.party", context.ids.position(partyId));
        if (nodeId !== undefined) equal("c.node", context.ids.position(nodeId));
        if (epoch !== undefined) equal("c.epoch", epoch);
        const delegations = context.list<DelegationRow, Delegation>({
          query: {
            select: "c.amount",
            from: "delegations_current c",
            where,
            params,
            order: ["c.block", "c.party", "c.node", "c.epoch"].map((sql) => ({ sql })),
          },
          page,
          key: (cursor) => [
            cursor.block("vegaTime"),
            cursor.ref("partyId"),
            cursor.ref("nodeId"),
            cursor.number("epochId"),
          ],
          cursor: (row) =>
            JSON.stringify({
              vegaTime: context.cursorTime(row.k0!),
              partyId: context.ids.text(row.k1 as bigint),
              nodeId: context.ids.text(row.k2 as bigint),
              epochId: Number(row.k3),
            }),
          node: (row) => ({
            party: context.ids.text(row.k1 as bigint),
            nodeId: context.ids.text(row.k2 as bigint),
            amount: amountText(row.amount),
            epochSeq: String(row.k3),
          }),
        });
        return { delegations };
      },
      "querying delegations: ",
    );
  },
};

export const delegationEndpoints = [listDelegations];
