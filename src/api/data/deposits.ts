// Deposits (reference 10, section 4.7).
import { type Deposit, readDepositAt } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, hexOf, isHex64 } from "../../wire/identifiers.ts";
import type { Endpoint } from "../endpoint.ts";
import { invalidArgument, notFound } from "../errors.ts";
import type { Row } from "../pagination.ts";
import type { RequestFields } from "../query.ts";
import { type DataContext, dateRange, isPartyFilter, truncatedNs } from "./context.ts";

const CURRENT =
  "deposits_current c JOIN deposits d ON d.block = c.block AND d.id = c.id AND d.party = c.party";

interface DepositRow extends Row {
  data: Uint8Array;
}

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
    const partyId = (request.partyId as string | undefined) ?? "";
    if (partyId !== "" && !isPartyFilter(partyId)) throw invalidArgument("invalid party id");
    return context.query("failed to get deposit", () => {
      const range = dateRange(context, request.dateRange as RequestFields | undefined, "c.block");
      if (partyId !== "") {
        range.where.push("c.party = ?");
        range.params.push(context.ids.position(partyId));
      }
      const order = [{ sql: "c.block" }, { sql: "c.id" }, { sql: "c.party" }];
      const deposits = context.list<DepositRow, Deposit>({
        query: { select: "d.data", from: CURRENT, ...range, order },
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
        node: (row) => depositOf(row.data),
      });
      return { deposits };
    });
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
    const sql = `SELECT d.data FROM ${CURRENT} WHERE c.id = ? ORDER BY c.block DESC LIMIT 1`;
    const row = context.get<DepositRow>(sql, Buffer.from(id, "hex"));
    if (!row) throw notFound("failed to get deposit");
    return { deposit: depositOf(row.data) };
  },
};

export const depositEndpoints = [listDeposits, getDeposit];
