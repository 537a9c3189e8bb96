// Transactions in a table: command in words, sender, result.
import type { Activity } from "../../http/chain-bodies.ts";
import { usePages } from "../data/read.ts";
import { count, shortId } from "../format.ts";
import { link } from "../shell/router.ts";
import { Party } from "./id.tsx";
import { Badge } from "./panel.tsx";
import { commandText, Empty } from "./states.tsx";
import { type Column, Table } from "./table.tsx";
import { Time } from "./time.tsx";
import { Words } from "./words.tsx";

export type Transaction = Activity["transactions"][number];

export function Result({ code }: { readonly code: number }) {
  return code === 0 ? <Badge tone="good">executed</Badge> : <Badge tone="bad">refused {code}</Badge>;
}

interface ActivityProps {
  /** Filters of the query, such as `height=12`. */
  readonly filter?: string;
  readonly rows?: number;
  /** The newest only, without pages, and without validators' own work. */
  readonly isShort?: boolean;
  readonly hidden?: "block" | "sender";
}

export function ActivityTable({ filter = "", rows = 25, isShort = false, hidden }: ActivityProps) {
  const pages = usePages<Activity, Transaction>({
    path: (cursor) => {
      const query = new URLSearchParams(filter);
      query.set("limit", String(rows));
      if (isShort) query.set("withoutValidators", "true");
      if (cursor !== undefined) query.set("before", cursor);
      return `/lyra/v1/transactions?${query}`;
    },
    rows: ({ transactions }) => transactions,
    next: ({ transactions }) => (transactions.length < rows ? undefined : transactions.at(-1)?.cursor),
  });
  const columns: Column<Transaction>[] = [
    {
      title: "Command",
      isWide: true,
      cell: ({ title, impersonated }) => (
        <>
          <Words text={title} />
          {impersonated && (
            <span class="muted" title="By a devnet's tool, without a signature">
              {" "}
              (unsigned, by a tool)
            </span>
          )}
        </>
      ),
    },
    { title: "Sender", cell: ({ submitter }) => <Party id={submitter} isBare /> },
    { title: "Result", cell: ({ code }) => <Result code={code} /> },
    {
      title: "Hash",
      cell: ({ hash }) => (
        <a href={link("transaction", hash)} class="id" title={hash}>
          {shortId(hash)}
        </a>
      ),
    },
    {
      title: "Block",
      isNumber: true,
      isMinor: true,
      cell: ({ height }) => (
        <a href={link("block", height)} class="number">
          {count(height)}
        </a>
      ),
    },
    { title: "Time", isNumber: true, isMinor: true, cell: ({ time }) => <Time at={time} /> },
  ];
  const shown = columns.filter(
    ({ title }) =>
      !(title === "Sender" && hidden === "sender") && !(hidden === "block" && /Block|Time/.test(title)),
  );
  return (
    <Table
      label="transactions"
      columns={shown}
      rows={isShort ? { data: pages.data, failure: pages.failure } : pages}
      expected={Math.min(rows, 12)}
      empty={<NoTransactions />}
    />
  );
}

function NoTransactions() {
  return (
    <Empty title="No transactions here" command="lyra devnet impersonate PARTY COMMAND">
      A wallet that sends one fills this list; on a devnet a tool does it, and{" "}
      <code>{commandText("lyra devnet --demo")}</code> plays a month.
    </Empty>
  );
}
