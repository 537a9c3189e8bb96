// Withdrawals (reference 10, section 5.2).

import type { Endpoint } from "../../http/endpoint.ts";
import { invalidArgument, notFound } from "../../http/errors.ts";
import { readWithdrawalAt, type Withdrawal } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, isHex64 } from "../../wire/identifiers.ts";
import { findBridged, listBridged, partyOf } from "./bridged.ts";
import { type DataContext, truncatedNs } from "./context.ts";

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
  const data = findBridged(context, "withdrawals", id);
  if (!data) throw notFound("failed to get withdrawal");
  return withdrawalOf(data);
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
    const partyId = partyOf(request);
    const page = context.page(request);
    const list = { table: "withdrawals", partyId, page, node: withdrawalOf } as const;
    return context.query("failed to get withdrawal", () => ({
      withdrawals: listBridged(context, request, list),
    }));
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
