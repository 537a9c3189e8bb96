// Validator nodes of an epoch (reference 10, section 5.7).

import type { Endpoint } from "../../http/endpoint.ts";
import { invalidArgument, notFound } from "../../http/errors.ts";
import type { Node } from "../../wire/generated/vega.ts";
import { InvalidIdentifier } from "../../wire/identifiers.ts";
import type { Connection, DataContext } from "./context.ts";
import { requireEpoch } from "./epochs.ts";
import { findValidator, nodesOf, type ValidatorRow, validatorQuery } from "./validators.ts";

const INT64_MAX = 2n ** 63n - 1n;

const listNodes: Endpoint<DataContext> = {
  path: "/api/v2/nodes",
  request: "datanode.api.v2.ListNodesRequest",
  response: "datanode.api.v2.ListNodesResponse",
  tag: "Nodes",
  summary: "List validator nodes",
  description: "The validators of the epoch `epochSeq`, or of the current one, by id.",
  handle(context, request) {
    const page = context.page(request);
    const asked = request.epochSeq as bigint | undefined;
    const epoch = requireEpoch(context, asked === undefined || asked > INT64_MAX ? undefined : asked).seq;
    return context.query("failed to get nodes", () => {
      const rows = context.list<ValidatorRow, ValidatorRow>({
        query: validatorQuery(epoch),
        page,
        key: (cursor) => [cursor.ref("id")],
        cursor: (row) => JSON.stringify({ id: context.ids.text(row.k0) }),
        node: (row) => row,
      });
      return { nodes: withNodes(context, epoch, rows) };
    });
  },
};

function withNodes(context: DataContext, epoch: bigint, rows: Connection<ValidatorRow>): Connection<Node> {
  const nodes = nodesOf(
    context,
    epoch,
    rows.edges.map(({ node }) => node),
  );
  return {
    edges: rows.edges.map(({ cursor }, i) => ({ node: nodes[i]!, cursor })),
    pageInfo: rows.pageInfo,
  };
}

const getNode: Endpoint<DataContext> = {
  path: "/api/v2/node/{id}",
  request: "datanode.api.v2.GetNodeRequest",
  response: "datanode.api.v2.GetNodeResponse",
  tag: "Nodes",
  summary: "Get a validator node",
  description: "The validator `id` in the current epoch.",
  handle(context, request) {
    const id = request.id as string;
    if (id === "") throw invalidArgument("missing node id");
    const epoch = requireEpoch(context, undefined).seq;
    let validator: ValidatorRow | undefined;
    try {
      validator = findValidator(context, epoch, id);
    } catch (error) {
      if (error instanceof InvalidIdentifier) throw invalidArgument(error.message);
      throw error;
    }
    if (!validator) throw notFound("no resource corresponding to this id", "");
    return { node: nodesOf(context, epoch, [validator])[0] };
  },
};

export const nodeEndpoints = [listNodes, getNode];
