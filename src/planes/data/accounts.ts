// Accounts with their current balances (reference 10, section 5.1).

import type { Endpoint } from "../../http/endpoint.ts";
import type { Param, Row } from "../../http/pagination.ts";
import { amountText, type StoredAmount } from "../../store/amount.ts";
import type { AccountBalance } from "../../wire/generated/datanode.ts";
import { hexOf } from "../../wire/identifiers.ts";
import { accountPosition } from "./balances.ts";
import { accountFilterOf, type DataContext, inList } from "./context.ts";

interface AccountRow extends Row {
  hash: Uint8Array;
  party: bigint;
  asset: bigint;
  market: bigint;
  type: bigint;
  balance: StoredAmount;
}

const listAccounts: Endpoint<DataContext> = {
  path: "/api/v2/accounts",
  request: "datanode.api.v2.ListAccountsRequest",
  response: "datanode.api.v2.ListAccountsResponse",
  tag: "Accounts",
  summary: "List accounts",
  description:
    "The current balance of every account that ever had one, by the account's id: a hash, so the order is stable but says nothing.",
  handle(context, request) {
    const page = context.page(request);
    const filter = accountFilterOf(request);
    return context.query(
      "failed to get accounts",
      () => {
        const where: string[] = [];
        const params: Param[] = [];
        const either = (column: string, values: Param[] | undefined) => {
          if (!values?.length) return;
          where.push(inList(column, values.length));
          params.push(...values);
        };
        const ref = (id: string) => context.ids.position(id);
        either("a.asset", filter.assetId ? [ref(filter.assetId)] : undefined);
        either("a.party", filter.partyIds?.map(ref));
        either("a.market", filter.marketIds?.map(ref));
        either("a.type", filter.accountTypes);
        const accounts = context.list<AccountRow, AccountBalance>({
          query: {
            select: "a.hash, a.party, a.asset, a.market, a.type, b.balance",
            // CROSS JOIN: the accounts are chosen by their own indexes. Those without a balance are left out.
            from: "accounts a CROSS JOIN balances_current b ON b.account = a.ref",
            where,
            params,
            order: [{ sql: "a.ref" }],
          },
          page,
          key: (cursor) => [accountPosition(context, cursor.bytes("account_id"))],
          cursor: (row) => JSON.stringify({ account_id: hexOf(row.hash) }),
          node: (row) => ({
            owner: context.ids.text(row.party),
            balance: amountText(row.balance),
            asset: context.ids.text(row.asset),
            marketId: context.ids.text(row.market),
            type: Number(row.type),
          }),
        });
        return { accounts };
      },
      "querying account balances: ",
    );
  },
};

export const accountEndpoints = [listAccounts];
