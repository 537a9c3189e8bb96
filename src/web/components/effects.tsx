// Effects of a transaction: balances, movements of money, and rows.
import { enumWords } from "../format.ts";
import { Amount } from "./amount.tsx";
import { Market, Party } from "./id.tsx";
import { Json } from "./json.tsx";
import { Panel } from "./panel.tsx";
import { Empty } from "./states.tsx";
import { Table } from "./table.tsx";

interface Account {
  readonly party: string;
  readonly asset: string;
  readonly type: string;
  readonly market?: string;
}

export interface EffectsOf {
  readonly balances: readonly (Account & { readonly balance: string })[];
  readonly movements: readonly {
    readonly from: Account;
    readonly to: Account;
    readonly amount: string;
    readonly type: string;
  }[];
  readonly events: readonly { readonly table: string; readonly rows: number; readonly data?: unknown }[];
}

export function Effects({ of: { balances, movements, events } }: { readonly of: EffectsOf }) {
  return (
    <>
      <Balances balances={balances} />
      <Movements movements={movements} />
      <Events events={events} />
    </>
  );
}

const account = (type: string) => enumWords(type, "ACCOUNT_TYPE_");

function Balances({ balances }: Pick<EffectsOf, "balances">) {
  return (
    <Panel title="Balances it changed" isWide>
      <Table
        label="balances"
        rows={{ data: balances, failure: undefined }}
        empty={<Empty title="It changed no balance" />}
        columns={[
          { title: "Owner", cell: ({ party }) => <Party id={party} isBare /> },
          { title: "Account", isWide: true, cell: ({ type }) => account(type) },
          { title: "Market", isMinor: true, cell: ({ market }) => market && <Market id={market} /> },
          {
            title: "Balance after the block",
            isNumber: true,
            cell: ({ balance, asset }) => <Amount amount={balance} asset={asset} />,
          },
        ]}
      />
    </Panel>
  );
}

function Movements({ movements }: Pick<EffectsOf, "movements">) {
  if (movements.length === 0) return null;
  return (
    <Panel title="Money it moved" isWide>
      <Table
        label="movements"
        rows={{ data: movements, failure: undefined }}
        empty={null}
        columns={[
          { title: "From", cell: ({ from }) => <AccountName {...from} /> },
          { title: "To", cell: ({ to }) => <AccountName {...to} /> },
          { title: "Kind", isWide: true, cell: ({ type }) => enumWords(type, "TRANSFER_TYPE_") },
          {
            title: "Amount",
            isNumber: true,
            cell: ({ amount, from }) => <Amount amount={amount} asset={from.asset} />,
          },
        ]}
      />
    </Panel>
  );
}

function AccountName({ party, type }: Account) {
  return (
    <>
      <Party id={party} isBare /> <span class="muted">{account(type)}</span>
    </>
  );
}

function Events({ events }: Pick<EffectsOf, "events">) {
  if (events.length === 0) return null;
  return (
    <Panel title="Events" isWide>
      {events.map(({ table, rows, data }) =>
        data === undefined ? (
          <p key={table} class="event">
            {table.replaceAll("_", " ")} <span class="muted number">{rows}</span>
          </p>
        ) : (
          <Json key={table} title={`${table.replaceAll("_", " ")}, ${rows}`} value={data} />
        ),
      )}
    </Panel>
  );
}
