// Records without a view of their own: an order, a deposit, a withdrawal, each with its members.
import type { ComponentChildren } from "preact";
import type * as api from "../../client/api.generated.ts";
import { Amount, Scaled } from "../components/amount.tsx";
import { Asset, Id, Market, Party } from "../components/id.tsx";
import { Json } from "../components/json.tsx";
import { Facts, Heading, Panel } from "../components/panel.tsx";
import { CallView, Empty } from "../components/states.tsx";
import { FullTime } from "../components/time.tsx";
import { marketOf } from "../data/names.ts";
import { useCall } from "../data/read.ts";
import { enumWords } from "../format.ts";
import { place } from "../shell/router.ts";
import type { ViewProps } from "../view-props.ts";

type Rows = readonly (readonly [string, ComponentChildren])[];

function bridgedRows(record: api.Deposit | api.Withdrawal): Rows {
  const { partyId, amount, asset, status, txHash, createdTimestamp } = record;
  return [
    ["Party", <Party key="party" id={partyId} />],
    ["Amount", <Amount key="amount" amount={amount} asset={asset} />],
    ["Asset", <Asset key="asset" id={asset} isBare={false} />],
    ["Status", enumWords(status, "STATUS_") || undefined],
    ["Transaction outside", <Id key="tx" id={txHash} />],
    ["Created", <FullTime key="created" at={createdTimestamp} />],
  ];
}

function orderRows(order: api.Order): Rows {
  const { partyId, marketId, side, price, size, remaining, type, timeInForce, status, reason } = order;
  const { decimals = 0, positionDecimals = 0 } = marketOf(marketId) ?? {};
  return [
    ["Party", <Party key="party" id={partyId} />],
    ["Market", <Market key="market" id={marketId} isBare={false} />],
    ["Side", enumWords(side, "SIDE_") || undefined],
    ["Price", <Scaled key="price" value={price} decimals={decimals} />],
    ["Size", <Scaled key="size" value={size} decimals={positionDecimals} />],
    ["Remaining", <Scaled key="remaining" value={remaining} decimals={positionDecimals} />],
    ["Type", enumWords(type, "TYPE_") || undefined],
    ["Time in force", enumWords(timeInForce, "TIME_IN_FORCE_") || undefined],
    ["Status", enumWords(status, "STATUS_") || undefined],
    ["Refused because", (reason && enumWords(reason, "ORDER_ERROR_")) || undefined],
    ["Reference", order.reference || undefined],
    ["Created", <FullTime key="created" at={order.createdAt} />],
  ];
}

export default function RecordView({ params }: ViewProps) {
  const { id = "" } = params;
  switch (place.value.parts[0]) {
    case "order":
      return (
        <CallView name="orders.get" query={{ orderId: id }} missing="No order has this identifier">
          {({ order }) => <RecordPanel title="Order" record={order} rows={orderRows(order)} />}
        </CallView>
      );
    case "deposit":
      return (
        <CallView name="deposits.get" query={{ id }} missing="No deposit has this identifier">
          {({ deposit }) => <RecordPanel title="Deposit" record={deposit} rows={bridgedRows(deposit)} />}
        </CallView>
      );
    default:
      return (
        <CallView name="withdrawals.get" query={{ id }} missing="No withdrawal has this identifier">
          {({ withdrawal }) => (
            <>
              <RecordPanel title="Withdrawal" record={withdrawal} rows={bridgedRows(withdrawal)} />
              <Bundle withdrawal={id} />
            </>
          )}
        </CallView>
      );
  }
}

interface RecordPanelProps {
  readonly title: string;
  readonly record: { readonly id: string };
  readonly rows: Rows;
}

function RecordPanel({ title, record, rows }: RecordPanelProps) {
  return (
    <>
      <Heading title={title} />
      <Panel title={title}>
        <Facts rows={[["Identifier", <Id key="id" id={record.id} isLong />], ...rows]} />
        <Json value={record} />
      </Panel>
    </>
  );
}

/** Signatures with which the bridge pays a withdrawal out. */
function Bundle({ withdrawal }: { readonly withdrawal: string }) {
  const { data, failure } = useCall("erc20Bridge.getWithdrawalApproval", { withdrawalId: withdrawal });
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
              ([name, value]) => [name, <Id key={name} id={value} isLong />] as const,
            )}
          />
          <Json value={data} />
        </>
      )}
    </Panel>
  );
}
