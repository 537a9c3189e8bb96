// Balances as they are now, and of one account over time.

import type { ComponentChildren } from "preact";
import type * as api from "../../client/api.generated.ts";
import type { RequestOf } from "../data/calls.ts";
import { assetOf, marketOf } from "../data/names.ts";
import { useCall, useList } from "../data/read.ts";
import { enumWords, timeMs } from "../format.ts";
import { Amount } from "./amount.tsx";
import { Asset, Market, Party } from "./id.tsx";
import { Line } from "./line.tsx";
import { Panel } from "./panel.tsx";
import { Empty } from "./states.tsx";
import { type Column, Table } from "./table.tsx";

export type Account = api.AccountBalance;

interface AccountTableProps {
  readonly filter: RequestOf<"accounts.list">["filter"];
  readonly hidden: "asset" | "owner";
  /** At the end of each row. */
  readonly action?: (account: Account) => ComponentChildren;
}

const typeWords = (type: string) => enumWords(type, "ACCOUNT_TYPE_");

export function AccountTable({ filter, hidden, action }: AccountTableProps) {
  const pages = useList("accounts.list", { filter });
  const owner: Column<Account> = { title: "Owner", cell: (row) => <Party id={row.owner} isBare /> };
  const asset: Column<Account> = { title: "Asset", cell: (row) => <Asset id={row.asset} /> };
  const balance: Column<Account> = {
    title: "Balance",
    isNumber: true,
    cell: (row) => <Amount amount={row.balance} asset={row.asset} />,
  };
  return (
    <Table
      label="accounts"
      rows={pages}
      empty={<Empty title="No account yet" command="lyra devnet fund PARTY ASSET AMOUNT" />}
      columns={[
        // On a narrow screen the first columns are seen without moving the table.
        ...(hidden === "owner" ? [balance, asset] : [owner, balance]),
        { title: "Account", isWide: true, cell: ({ type }) => typeWords(type) },
        { title: "Market", isMinor: true, cell: ({ marketId }) => <Market id={marketId} /> },
        ...(action === undefined ? [] : [{ title: "Over time", cell: action }]),
      ]}
    />
  );
}

/** Changes that a chart shows. */
const CHANGES = 300;

/** An account's newest changes as a line. */
export function BalanceChart({ account }: { readonly account: Account }) {
  const { owner, asset, marketId, type } = account;
  const filter = {
    partyIds: [owner],
    assetId: asset,
    accountTypes: [type],
    ...(marketId !== "" && { marketIds: [marketId] }),
  };
  const { data } = useCall("balances.listChanges", { filter, pagination: { first: CHANGES } });
  const changes = data?.balances.edges.map(({ node }) => node).reverse() ?? [];
  const facts = assetOf(asset);
  const scale = 10 ** (facts?.decimals ?? 0);
  const title = [facts?.symbol, typeWords(type), marketOf(marketId)?.code].filter(Boolean).join(" · ");
  return (
    <Panel title={title}>
      {data !== undefined && changes.length === 0 ? (
        <Empty title="It has not changed in the history of this node" />
      ) : (
        <Line
          at={changes.map(({ timestamp }) => timeMs(timestamp) ?? 0)}
          values={changes.map(({ balance }) => Number(balance) / scale)}
          label={`Balance over time, ${title}: ${changes.length} changes`}
        />
      )}
    </Panel>
  );
}
