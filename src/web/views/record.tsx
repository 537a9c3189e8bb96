// Records without a view of their own: an order, a deposit, a withdrawal, each with its members.
import type { ComponentChildren } from "preact";
import { Amount, Scaled } from "../components/amount.tsx";
import { Asset, Id, Market, Party } from "../components/id.tsx";
import { Json } from "../components/json.tsx";
import { Facts, Heading, Panel } from "../components/panel.tsx";
import { Empty, ReadView } from "../components/states.tsx";
import { FullTime } from "../components/time.tsx";
import { marketOf } from "../data/names.ts";
import { useRead } from "../data/read.ts";
import { enumWords } from "../format.ts";
import { place } from "../shell/router.ts";
import type { ViewProps } from "../view-props.ts";

type Members = Readonly<Record<string, unknown>>;
type Rows = readonly (readonly [string, ComponentChildren])[];

interface Kind {
  readonly title: string;
  readonly path: string;
  readonly member: string;
  readonly rows: (record: Members) => Rows;
}

const text = (value: unknown) => (typeof value === "string" ? value : "");
const words = (value: unknown, prefix: string) => enumWords(text(value), prefix) || undefined;

function bridged(record: Members, amount: string, prefix: string): Rows {
  return [
    ["Party", <Party key="party" id={text(record.partyId)} />],
    ["Amount", <Amount key="amount" amount={amount} asset={text(record.asset)} />],
    ["Asset", <Asset key="asset" id={text(record.asset)} isBare={false} />],
    ["Status", words(record.status, prefix)],
    ["Transaction outside", <Id key="tx" id={text(record.txHash)} />],
    ["Created", <FullTime key="created" at={text(record.createdTimestamp)} />],
  ];
}

function orderRows(order: Members): Rows {
  const facts = marketOf(text(order.marketId));
  const scaled = (value: unknown, decimals: number) => <Scaled value={text(value)} decimals={decimals} />;
  return [
    ["Party", <Party key="party" id={text(order.partyId)} />],
    ["Market", <Market key="market" id={text(order.marketId)} isBare={false} />],
    ["Side", words(order.side, "SIDE_")],
    ["Price", scaled(order.price, facts?.decimals ?? 0)],
    ["Size", scaled(order.size, facts?.positionDecimals ?? 0)],
    ["Remaining", scaled(order.remaining, facts?.positionDecimals ?? 0)],
    ["Type", words(order.type, "TYPE_")],
    ["Time in force", words(order.timeInForce, "TIME_IN_FORCE_")],
    ["Status", words(order.status, "STATUS_")],
    ["Refused because", words(order.reason, "ORDER_ERROR_")],
    ["Reference", text(order.reference) || undefined],
    ["Created", <FullTime key="created" at={text(order.createdAt)} />],
  ];
}

const KINDS: Readonly<Record<string, Kind>> = {
  order: { title: "Order", path: "order", member: "order", rows: orderRows },
  deposit: {
    title: "Deposit",
    path: "deposit",
    member: "deposit",
    rows: (record) => bridged(record, text(record.amount), "STATUS_"),
  },
  withdrawal: {
    title: "Withdrawal",
    path: "withdrawal",
    member: "withdrawal",
    rows: (record) => bridged(record, text(record.amount), "STATUS_"),
  },
};

export default function RecordView({ params }: ViewProps) {
  const kind = KINDS[place.value.parts[0] ?? ""]!;
  const { id = "" } = params;
  return (
    <ReadView<Members>
      path={`/api/v2/${kind.path}/${encodeURIComponent(id)}`}
      missing={`No ${kind.title.toLowerCase()} has this identifier`}
    >
      {(answer) => {
        const record = answer[kind.member] as Members;
        return (
          <>
            <Heading title={kind.title} />
            <Panel title={kind.title}>
              <Facts rows={[["Identifier", <Id key="id" id={id} isLong />], ...kind.rows(record)]} />
              <Json value={record} />
            </Panel>
            {kind === KINDS.withdrawal && <Bundle withdrawal={id} />}
          </>
        );
      }}
    </ReadView>
  );
}

/** Signatures with which the bridge pays a withdrawal out. */
function Bundle({ withdrawal }: { readonly withdrawal: string }) {
  const { data, failure } = useRead<Members>(
    `/api/v2/erc20/asset/withdrawal/bundle?withdrawalId=${encodeURIComponent(withdrawal)}`,
  );
  return (
    <Panel title="Bundle for the bridge">
      {failure !== undefined && (
        <Empty title="There is no bundle yet" command="lyra devnet mine 5">
          {failure.message}: the validators sign with the next blocks.
        </Empty>
      )}
      {data !== undefined && (
        <>
          <Facts
            rows={Object.entries(data).map(
              ([name, value]) => [name, <Id key={name} id={text(value)} isLong />] as const,
            )}
          />
          <Json value={data} />
        </>
      )}
    </Panel>
  );
}
