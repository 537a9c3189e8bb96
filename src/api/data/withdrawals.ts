// Withdrawals (reference 10, section 5.2).
import { readWithdrawalAt, type Withdrawal } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, hexOf, isHex64 } from "../../wire/identifiers.ts";
import type { Endpoint } from "../endpoint.ts";
import { invalidArgument, notFound } from "../errors.ts";
import type { Row } from "../pagination.ts";
import type { RequestFields } from "../query.ts";
import { type DataContext, dateRange, isPartyFilter, truncatedNs } from "./context.ts";

const CURRENT =
  "withdrawals_current c JOIN withdrawals w ON w.block = c.block AND w.id = c.id AND w.party = c.party";

interface WithdrawalRow extends Row {
  data: Uint8Array;
}

function withdrawalOf(data: Uint8Array): Withdrawal {
  const withdrawal = readWithdrawalAt(data, 0, data.length);
  withdrawal.id = canonicalIdentifier(withdrawal.id);
  withdrawal.partyId = canonicalIdentifier(withdrawal.partyId);
  withdrawal.asset = canonicalIdentifier(withdrawal.asset);
  withdrawal.amount = BigInt(withdrawal.amount).toString();
  withdrawal.createdTimestamp = truncatedNs(withdrawal.createdTimestamp);
  withdrawal.withdrawnTimestamp = truncatedNs(withdrawal.withdrawnTimestamp);
  // Never null: the original keeps an absent extension as an empty object.
  withdrawal.ext ??= { erc20: undefined };
  return withdrawal;
}

/**
 * The latest state of a withdrawal.
 * @throws ApiError 400 for a missing or malformed id, 404 for an unknown one
 */
export function requireWithdrawal(context: DataContext, id: string): Withdrawal {
  if (id === "") throw invalidArgument("missing withdrawal ID");
  if (!isHex64(id)) throw invalidArgument("invalid withdrawal ID");
  const sql = `SELECT w.data FROM ${CURRENT} WHERE c.id = ? ORDER BY c.block DESC LIMIT 1`;
  const row = context.get<WithdrawalRow>(sql, Buffer.from(id, "hex"));
  if (!row) throw notFound("failed to get withdrawal");
  return withdrawalOf(row.data);
}

const listWithdrawals: Endpoint<DataContext> = {
  path: "/api/v2/withdrawals",
  request: "datanode.api.v2.ListWithdrawalsRequest",
  response: "datanode.api.v2.ListWithdrawalsResponse",
  tag: "Withdrawals",
  summary: "List withdrawals",
  description:
    "Every withdrawal in its current state, by the time of its last update. The date range applies to that time: start inclusive, end exclusive.",
  handle(context, request) {
    const partyId = (request.partyId as string | undefined) ?? "";
    if (partyId !== "" && !isPartyFilter(partyId)) throw invalidArgument("invalid party id");
    const page = context.page(request);
    return context.query("failed to get withdrawal", () => {
      const range = dateRange(context, request.dateRange as RequestFields | undefined, "c.block");
      if (partyId !== "") {
        range.where.push("c.party = ?");
        range.params.push(context.ids.position(partyId));
      }
      const order = [{ sql: "c.block" }, { sql: "c.id" }, { sql: "c.party" }];
      const withdrawals = context.list<WithdrawalRow, Withdrawal>({
        query: { select: "w.data", from: CURRENT, ...range, order },
        page,
        key: (cursor) => {
          const place = [cursor.block("vegaTime"), cursor.bytes("id")];
          return cursor.has("partyId") ? [...place, cursor.ref("partyId")] : place;
        },
        cursor: (row) =>
          JSON.stringify({
            vegaTime: context.cursorTime(row.k0!),
            id: hexOf(row.k1 as Uint8Array),
            partyId: context.ids.text(row.k2 as bigint),
          }),
        node: (row) => withdrawalOf(row.data),
      });
      return { withdrawals };
    });
  },
};

const getWithdrawal: Endpoint<DataContext> = {
  path: "/api/v2/withdrawal/{id}",
  request: "datanode.api.v2.GetWithdrawalRequest",
  response: "datanode.api.v2.GetWithdrawalResponse",
  tag: "Withdrawals",
  summary: "Get a withdrawal",
  handle: (context, request) => ({ withdrawal: requireWithdrawal(context, request.id as string) }),
};

export const withdrawalEndpoints = [listWithdrawals, getWithdrawal];
