// Transfers (reference 10, section 5.3).
import { Decimal } from "../../decimal.ts";
import { readTransferAt, type Transfer } from "../../wire/generated/events.ts";
import { canonicalIdentifier, hexOf } from "../../wire/identifiers.ts";
import type { Endpoint } from "../endpoint.ts";
import { internal } from "../errors.ts";
import type { ListQuery, Param, Row } from "../pagination.ts";
import { type DataContext, truncatedNs } from "./context.ts";

/** `datanode.api.v2.TransferDirection` */
const Direction = { from: 1, to: 2, either: 3 } as const;

const DATA = "CROSS JOIN transfers t ON t.block = c.block AND t.id = c.id";

interface TransferRow extends Row {
  data: Uint8Array;
}

/** A transfer as of its latest state; its time is that of the block which brought that state. */
function transferOf(data: Uint8Array, timestamp: bigint): Transfer {
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
  party: number | undefined,
  direction: number,
): Pick<ListQuery, "from" | "where" | "params"> {
  const current = `transfers_current c ${DATA}`;
  if (party === undefined) return { from: current, where: [], params: [] };
  const params: Param[] = [party];
  if (direction === Direction.from) return { from: current, where: ["c.from_party = ?"], params };
  if (direction === Direction.to) return { from: current, where: ["c.to_party = ?"], params };
  const either = `(SELECT block, id FROM transfers_current WHERE from_party = ?
    UNION ALL SELECT block, id FROM transfers_current WHERE to_party = ? AND from_party <> ?)`;
  return { from: `${either} c ${DATA}`, where: [], params: [party, party, party] };
}

const listTransfers: Endpoint<DataContext> = {
  path: "/api/v2/transfers",
  request: "datanode.api.v2.ListTransfersRequest",
  response: "datanode.api.v2.ListTransfersResponse",
  tag: "Transfers",
  summary: "List transfers",
  description:
    "Every transfer in its latest state, by the time of that state. With `pubkey` a `direction` must be given, without it none is looked at.",
  handle(context, request) {
    const page = context.page(request);
    const pubkey = request.pubkey as string | undefined;
    const direction = (request.direction as number | undefined) ?? 0;
    if (pubkey !== undefined && direction === 0) {
      const inner = `pubkey: ${pubkey.slice(0, 200)}: unknown transfer direction: TRANSFER_DIRECTION_UNSPECIFIED`;
      throw internal("failed to get transfer", inner);
    }
    return context.query("failed to get transfer", () => {
      const party = pubkey === undefined ? undefined : context.ids.position(pubkey);
      const transfers = context.list<TransferRow, Transfer>({
        query: {
          select: "t.data",
          ...sourceOf(party, direction),
          order: [{ sql: "c.block" }, { sql: "c.id" }],
        },
        page,
        key: (cursor) => [cursor.block("vegaTime"), cursor.bytes("id")],
        cursor: (row) =>
          JSON.stringify({ vegaTime: context.cursorTime(row.k0!), id: hexOf(row.k1 as Uint8Array) }),
        node: (row) => transferOf(row.data, context.timeNs(row.k0 as bigint)),
      });
      return { transfers };
    });
  },
};

export const transferEndpoints = [listTransfers];
