// Deposits (reference 10, section 4.7).

import type { Endpoint } from "../../http/endpoint.ts";
import { invalidArgument, notFound } from "../../http/errors.ts";
import { type Deposit, readDepositAt } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, isHex64 } from "../../wire/identifiers.ts";
import { findBridged, listBridged, partyOf } from "./bridged.ts";
import { type DataContext, truncatedNs } from "./context.ts";

function depositOf(data: Uint8Array): Deposit {
  const deposit = readDepositAt(data, 0, data.length);
  deposit.id = canonicalIdentifier(deposit.id);
  deposit.partyId = canonicalIdentifier(deposit.partyId);
  deposit.asset = canonicalIdentifier(deposit.asset);
  deposit.amount = BigInt(deposit.amount).toString();
  deposit.creditedTimestamp = truncatedNs(deposit.creditedTimestamp);
  deposit.createdTimestamp = truncatedNs(deposit.createdTimestamp);
  return deposit;
}

const listDeposits: Endpoint<DataContext> = {
  path: "/api/v2/deposits",
  request: "datanode.api.v2.ListDepositsRequest",
  response: "datanode.api.v2.ListDepositsResponse",
  tag: "Deposits",
  summary: "List deposits",
  description:
    "Every deposit in its current state, by the time of its last update. The date range applies to that time: start inclusive, end exclusive.",
  handle(context, request) {
    const page = context.page(request);
    const partyId = partyOf(request);
    const list = { table: "deposits", partyId, page, node: depositOf } as const;
    return context.query("failed to get deposit", () => ({ deposits: listBridged(context, request, list) }));
  },
};

const getDeposit: Endpoint<DataContext> = {
  path: "/api/v2/deposit/{id}",
  request: "datanode.api.v2.GetDepositRequest",
  response: "datanode.api.v2.GetDepositResponse",
  tag: "Deposits",
  summary: "Get a deposit",
  handle(context, request) {
    const id = request.id as string;
    if (id === "") throw invalidArgument("missing deposit ID");
    if (!isHex64(id)) throw invalidArgument("not a valid vega id");
    const data = findBridged(context, "deposits", id);
    if (!data) throw notFound("failed to get deposit");
    return { deposit: depositOf(data) };
  },
};

export const depositEndpoints = [listDeposits, getDeposit];
