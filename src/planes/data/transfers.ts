// Transfers (docs/protocol/10-data-api-endpoints.md#53-listtransfers).

import { internal } from "../../http/errors.ts";
import type { ListQuery, Param, Row } from "../../http/pagination.ts";
import { transferPosition } from "../../store/transfers.ts";
import { Decimal } from "../../wire/decimal.ts";
import { readTransferAt, type Transfer } from "../../wire/generated/events.ts";
import { canonicalIdentifier, hexOf } from "../../wire/identifiers.ts";
import { partyNumber, truncatedNs } from "./context.ts";
import { endpoint } from "./entry.ts";

/** `datanode.api.v2.TransferDirection` */
const Direction = { from: 1, to: 2, either: 3 } as const;

const DATA = "CROSS JOIN transfers t ON t.block = c.block AND t.ref = c.ref";

interface TransferRow extends Row {
  id: Uint8Array;
  data: Uint8Array;
}

/** A transfer as of its latest state; its time is that of the block which brought that state. */
export function transferOf(data: Uint8Array, timestamp: bigint): Transfer {
  const transfer = readTransferAt(data, 0, data.length);
  transfer.id = canonicalIdentifier(transfer.id);
  transfer.from = canonicalIdentifier(transfer.from);
  transfer.to = canonicalIdentifier(transfer.to);
  transfer.asset = canonicalIdentifier(transfer.asset);
  transfer.amount = BigInt(transfer.amount).toString();
  transfer.timestamp = timestamp;
  if (transfer.oneOff) transfer.oneOff.deliverOn = truncatedNs(transfer.oneOff.deliverOn);
  if (transfer.recurring) transfer.recurring.factor = Decimal.parse(transfer.recurring.factor).toString();
  return transfer;
}

/** The rows of a party on the side asked for. With both sides SQLite merges the two lists in order. */
function sourceOf(
  partyNo: number | undefined,
  direction: number,
): Pick<ListQuery, "from" | "where" | "params"> {
  const current = `transfers_current c ${DATA}`;
  if (partyNo === undefined) return { from: current, where: [], params: [] };
  const params: Param[] = [partyNo];
  if (direction === Direction.from) return { from: current, where: ["c.from_no = ?"], params };
  if (direction === Direction.to) return { from: current, where: ["c.to_no = ?"], params };
  const either = `(SELECT block, ref FROM transfers_current WHERE from_no = ?
    UNION ALL SELECT block, ref FROM transfers_current WHERE to_no = ? AND from_no <> ?)`;
  return { from: `${either} c ${DATA}`, where: [], params: [partyNo, partyNo, partyNo] };
}

const listTransfers = endpoint({
  path: "/api/v2/transfers",
  request: "datanode.api.v2.ListTransfersRequest",
  response: "datanode.api.v2.ListTransfersResponse",
  tag: "Transfers",
  summary: "List transfers",
  description:
    "Every transfer in its latest state, by the time of that state. With `pubkey` a `direction` must be given, without it none is looked at.",
  handle(context, request) {
    const page = context.page(request);
    const pubkey = request.pubkey;
    const direction = request.direction ?? 0;
    if (pubkey !== undefined && direction === 0) {
      const inner = `pubkey: ${pubkey.slice(0, 200)}: unknown transfer direction: TRANSFER_DIRECTION_UNSPECIFIED`;
      throw internal("failed to get transfer", inner);
    }
    return context.query("failed to get transfer", () => {
      const partyNo = pubkey === undefined ? undefined : partyNumber(context, pubkey);
      const transfers = context.list<TransferRow, Transfer>({
        query: {
          select: "t.id, t.data",
          ...sourceOf(partyNo, direction),
          order: [{ sql: "c.block" }, { sql: "c.ref" }],
        },
        page,
        key: (cursor) => {
          const position = transferPosition(cursor.bytes("id"), (sql, ref) => context.get(sql, ref));
          return [cursor.block("vegaTime"), position];
        },
        cursor: (row) => JSON.stringify({ vegaTime: context.cursorTime(row.k0!), id: hexOf(row.id) }),
        node: (row) => transferOf(row.data, context.timeNs(row.k0 as bigint)),
      });
      return { transfers };
    });
  },
});

export const transferEndpoints = [listTransfers];
