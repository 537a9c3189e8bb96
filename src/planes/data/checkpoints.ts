// Checkpoints and snapshots of the core (reference 10, sections 5.14 and 5.19).

import type { Endpoint } from "../../http/endpoint.ts";
import type { Row } from "../../http/pagination.ts";
import { readCheckpointEventAt, readCoreSnapshotDataAt } from "../../wire/generated/events.ts";
import { cursorNumber, type DataContext } from "./context.ts";

interface EventRow extends Row {
  data: Uint8Array;
}

const listCheckpoints: Endpoint<DataContext> = {
  path: "/api/v2/checkpoints",
  request: "datanode.api.v2.ListCheckpointsRequest",
  response: "datanode.api.v2.ListCheckpointsResponse",
  tag: "Network",
  summary: "List checkpoints",
  handle(context, request) {
    const page = context.page(request);
    return context.query("failed to get checkpoint", () => {
      const order = [{ sql: "p.height" }, { sql: "p.block" }, { sql: "p.ord" }];
      const checkpoints = context.list<EventRow, object>({
        query: { select: "p.data", from: "checkpoints p", where: [], params: [], order },
        page,
        key: (cursor) => {
          const height = cursor.whole("blockHeight");
          if (!cursor.has("vegaTime")) return [height];
          return [height, cursor.block("vegaTime"), cursor.number("seqNum")];
        },
        cursor: (row) =>
          JSON.stringify({
            blockHeight: cursorNumber(row.k0 as bigint),
            vegaTime: context.cursorTime(row.k1!),
            seqNum: Number(row.k2),
          }),
        node: ({ data }) => {
          const { hash, blockHash, blockHeight } = readCheckpointEventAt(data, 0, data.length);
          return { hash, blockHash, atBlock: blockHeight };
        },
      });
      return { checkpoints };
    });
  },
};

const listCoreSnapshots: Endpoint<DataContext> = {
  path: "/api/v2/snapshots",
  request: "datanode.api.v2.ListCoreSnapshotsRequest",
  response: "datanode.api.v2.ListCoreSnapshotsResponse",
  tag: "Network",
  summary: "List core snapshots",
  description: "Snapshots that the core has taken, by block height. `protocolUpgradeBlock` is always false.",
  handle(context, request) {
    const page = context.page(request);
    return context.query("failed to list core snapshots", () => {
      const order = [{ sql: "s.height" }, { sql: "s.block" }];
      const coreSnapshots = context.list<EventRow, object>({
        query: { select: "s.data", from: "core_snapshots s", where: [], params: [], order },
        page,
        key: (cursor) => [cursor.whole("BlockHeight"), cursor.block("VegaTime")],
        cursor: (row) => {
          const { blockHeight, blockHash, coreVersion } = readSnapshot(row.data);
          return JSON.stringify({
            VegaTime: context.cursorTime(row.k1!),
            BlockHeight: cursorNumber(blockHeight),
            BlockHash: blockHash,
            VegaCoreVersion: coreVersion,
          });
        },
        // The original does not store the last field, so it always says false.
        node: ({ data }) => ({ ...readSnapshot(data), protocolUpgradeBlock: false }),
      });
      return { coreSnapshots };
    });
  },
};

function readSnapshot(data: Uint8Array) {
  return readCoreSnapshotDataAt(data, 0, data.length);
}

export const checkpointEndpoints = [listCheckpoints, listCoreSnapshots];
