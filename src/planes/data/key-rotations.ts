// Rotations of validators' keys, of both kinds (reference 10, sections 4.8 and 4.9). The paths have two spellings:
// `chain` is ours, `vega` the original's.

import type { Endpoint } from "../../http/endpoint.ts";
import type { ListQuery, Row } from "../../http/pagination.ts";
import type { RequestFields } from "../../http/query.ts";
import { type KeyRotation, readKeyRotationAt } from "../../wire/generated/events.ts";
import { canonicalIdentifier } from "../../wire/identifiers.ts";
import type { DataContext } from "./context.ts";

interface RotationRow extends Row {
  data: Uint8Array;
}

function rotationOf(data: Uint8Array): KeyRotation {
  const rotation = readKeyRotationAt(data, 0, data.length);
  rotation.nodeId = canonicalIdentifier(rotation.nodeId);
  rotation.oldPubKey = canonicalIdentifier(rotation.oldPubKey);
  rotation.newPubKey = canonicalIdentifier(rotation.newPubKey);
  return rotation;
}

/** Conditions on column `node` of a request; no id, or an empty one, is every node. @throws InvalidIdentifier */
function ofNode(context: DataContext, nodeId: string): Pick<ListQuery, "where" | "params"> {
  if (nodeId === "") return { where: [], params: [] };
  return { where: ["r.node = ?"], params: [context.ids.position(nodeId)] };
}

function nodeIdOf(request: RequestFields): string {
  return (request.nodeId as string | undefined) ?? "";
}

const listKeyRotations: Endpoint<DataContext> = {
  path: "/api/v2/chain/keys/rotations",
  aliases: ["/api/v2/vega/keys/rotations"],
  request: "datanode.api.v2.ListKeyRotationsRequest",
  response: "datanode.api.v2.ListKeyRotationsResponse",
  tag: "Nodes",
  summary: "List key rotations",
  description: "Rotations of validators' main keys, by the block in which they took effect, then by node.",
  handle(context, request) {
    const page = context.page(request);
    const nodeId = nodeIdOf(request);
    const failure =
      nodeId === "" ? "failed to get all key rotations" : "failed to get key rotations for node";
    return context.query(
      failure,
      () => {
        // A node has one row a block, so the keys after it in the documented order never decide.
        const order = [{ sql: "r.block" }, { sql: "r.node" }];
        const rotations = context.list<RotationRow, KeyRotation>({
          query: { select: "r.data", from: "key_rotations r", ...ofNode(context, nodeId), order },
          page,
          key: (cursor) => [cursor.block("vega_time"), cursor.ref("node_id")],
          cursor: (row) => {
            const { nodeId, oldPubKey, newPubKey } = rotationOf(row.data);
            return JSON.stringify({
              vega_time: context.cursorTime(row.k0!),
              node_id: nodeId,
              old_pub_key: oldPubKey,
              new_pub_key: newPubKey,
            });
          },
          node: (row) => rotationOf(row.data),
        });
        return { rotations };
      },
      `nodeID: ${nodeId.slice(0, 200)}: `,
    );
  },
};

const listEthereumKeyRotations: Endpoint<DataContext> = {
  path: "/api/v2/chain/keys/ethereum/rotations",
  aliases: ["/api/v2/vega/keys/ethereum/rotations"],
  request: "datanode.api.v2.ListEthereumKeyRotationsRequest",
  response: "datanode.api.v2.ListEthereumKeyRotationsResponse",
  tag: "Nodes",
  summary: "List Ethereum key rotations",
  description:
    "Rotations of validators' Ethereum keys, by the block in which they took effect, then by node.",
  handle(context, request) {
    const page = context.page(request);
    const nodeId = nodeIdOf(request);
    return context.query(
      "failed to get ethereum key rotations for node",
      () => ({ keyRotations: ethereumRotations(context, page, nodeId) }),
      `nodeID: ${nodeId.slice(0, 200)}: `,
    );
  },
};

function ethereumRotations(context: DataContext, page: ReturnType<DataContext["page"]>, nodeId: string) {
  const order = ["r.block", "r.node", "r.old_address", "r.new_address", "r.ord"].map((sql) => ({ sql }));
  return context.list<Row, object>({
    query: { select: "r.height", from: "ethereum_key_rotations r", ...ofNode(context, nodeId), order },
    page,
    key: (cursor) => {
      const place = [
        cursor.block("vegaTime"),
        cursor.ref("nodeID"),
        cursor.string("oldAddress").toLowerCase(),
        cursor.string("newAddress").toLowerCase(),
      ];
      return cursor.has("seqNum") ? [...place, cursor.number("seqNum")] : place;
    },
    cursor: (row) =>
      JSON.stringify({
        vegaTime: context.cursorTime(row.k0!),
        nodeID: context.ids.text(row.k1 as bigint),
        oldAddress: row.k2,
        newAddress: row.k3,
        seqNum: Number(row.k4),
      }),
    node: (row) => ({
      nodeId: context.ids.text(row.k1 as bigint),
      oldAddress: row.k2,
      newAddress: row.k3,
      blockHeight: row.height,
    }),
  });
}

export const keyRotationEndpoints = [listKeyRotations, listEthereumKeyRotations];
