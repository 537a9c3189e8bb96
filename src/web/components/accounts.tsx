// Balances as they are now.
import { useList } from "../data/read.ts";
import { enumWords } from "../format.ts";
import { Amount } from "./amount.tsx";
import { Asset, Market, Party } from "./id.tsx";
import { Empty } from "./states.tsx";
import { type Column, Table } from "./table.tsx";

interface Account {
  readonly owner: string;
  readonly balance: string;
  readonly asset: string;
  readonly marketId: string;
  readonly type: string;
}

/** @param filter of the list, such as `filter.partyIds=…` */
export function AccountTable({
  filter,
  hidden,
}: {
  readonly filter: string;
  readonly hidden: "asset" | "owner";
}) {
  const pages = useList<Account>(`/api/v2/accounts?${filter}`, "accounts");
  const owner: Column<Account> = { title: "Owner", cell: (row) => <Party id={row.owner} isBare /> };
  const asset: Column<Account> = { title: "Asset", cell: (row) => <Asset id={row.asset} /> };
  return (
    <Table
      label="accounts"
      rows={pages}
      keyOf={(row) => `${row.owner} ${row.asset} ${row.marketId} ${row.type}`}
      empty={<Empty title="No account yet" command="lyra devnet fund PARTY ASSET AMOUNT" />}
      columns={[
        hidden === "owner" ? asset : owner,
        { title: "Account", isWide: true, cell: ({ type }) => enumWords(type, "ACCOUNT_TYPE_") },
        { title: "Market", isMinor: true, cell: ({ marketId }) => <Market id={marketId} /> },
        {
          title: "Balance",
          isNumber: true,
          cell: ({ balance, asset: id }) => <Amount amount={balance} asset={id} />,
        },
      ]}
    />
  );
}
