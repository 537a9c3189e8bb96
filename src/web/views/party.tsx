// A party: balances and their history, ledger, bridge, stake and rewards, orders and positions, spam statistics, transactions.

import { useSignal } from "@preact/signals";
import type * as api from "../../client/api.generated.ts";
import { type Account, AccountTable, BalanceChart } from "../components/accounts.tsx";
import { ActivityTable } from "../components/activity.tsx";
import { Amount } from "../components/amount.tsx";
import { Asset, Id, Market, Party, Validator } from "../components/id.tsx";
import { Facts, Heading, Panel } from "../components/panel.tsx";
import { StakeAmount } from "../components/stake.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Tabs } from "../components/tabs.tsx";
import { Time } from "../components/time.tsx";
import { OrderTable, PositionTable } from "../components/trading.tsx";
import { partyName } from "../data/names.ts";
import { type Pages, useCall, useList } from "../data/read.ts";
import { enumWords } from "../format.ts";
import type { ViewProps } from "../view-props.ts";
import { SpamStatistics } from "./party-spam.tsx";
import { TransferForm, WithdrawalForm } from "./send-forms.tsx";

export default function PartyView({ params }: ViewProps) {
  const { id = "" } = params;
  const stake = useCall("parties.getStake", { partyId: id, pagination: { first: 1 } });
  return (
    <>
      <Heading title={partyName(id) ?? "Party"} />
      <Panel title="Party">
        <Facts
          rows={[
            ["Public key", <Id key="id" id={id} isLong />],
            // Its place is kept while it is read.
            ["Stake", <Stake key="stake" amount={stake.data?.currentStakeAvailable} />],
          ]}
        />
      </Panel>
      <Tabs
        label="About the party"
        tabs={[
          { id: "balances", title: "Balances", content: () => <Balances party={id} /> },
          { id: "transactions", title: "Transactions", content: () => <Sent party={id} /> },
          { id: "ledger", title: "Ledger", content: () => <Ledger party={id} /> },
          { id: "trading", title: "Orders and positions", content: () => <Trading party={id} /> },
          { id: "bridge", title: "Deposits and withdrawals", content: () => <Bridge party={id} /> },
          { id: "stake", title: "Delegations and rewards", content: () => <Staking party={id} /> },
          {
            id: "send",
            title: "Send",
            content: () => (
              <>
                <TransferForm to={id} />
                <WithdrawalForm />
              </>
            ),
          },
          { id: "spam", title: "Spam", content: () => <SpamStatistics party={id} /> },
        ]}
      />
    </>
  );
}

const Stake = ({ amount }: { readonly amount: string | undefined }) =>
  amount === undefined ? <span>&nbsp;</span> : <StakeAmount amount={amount} />;

interface OfParty {
  readonly party: string;
}

function Balances({ party }: OfParty) {
  const chosen = useSignal<Account | undefined>(undefined);
  return (
    <>
      {chosen.value !== undefined && <BalanceChart account={chosen.value} />}
      <section class="panel">
        <AccountTable
          filter={{ partyIds: [party] }}
          hidden="owner"
          action={(account) => (
            <button
              type="button"
              class="small"
              aria-pressed={isSame(chosen.value, account)}
              onClick={() => {
                chosen.value = isSame(chosen.value, account) ? undefined : account;
              }}
            >
              Chart
            </button>
          )}
        />
      </section>
    </>
  );
}

const isSame = (one: Account | undefined, other: Account) =>
  one?.asset === other.asset && one.type === other.type && one.marketId === other.marketId;

const Sent = ({ party }: OfParty) => (
  <section class="panel">
    <ActivityTable filter={`party=${encodeURIComponent(party)}`} hidden="sender" />
  </section>
);

const Trading = ({ party }: OfParty) => (
  <>
    <PositionTable filter={{ partyIds: [party] }} hidden="party" />
    <OrderTable filter={{ partyIds: [party] }} hidden="party" />
  </>
);

const accountWords = (type: string) => enumWords(type, "ACCOUNT_TYPE_");

function Ledger({ party }: OfParty) {
  const isIncoming = useSignal(false);
  const side = isIncoming.value ? "toAccountFilter" : "fromAccountFilter";
  const pages = useList("ledger.listEntries", { filter: { [side]: { partyIds: [party] } } });
  return (
    <section class="panel">
      <div class="panel-head">
        <fieldset class="choices">
          <legend class="hidden">Direction</legend>
          <button type="button" aria-pressed={!isIncoming.value} onClick={() => (isIncoming.value = false)}>
            Out of its accounts
          </button>
          <button type="button" aria-pressed={isIncoming.value} onClick={() => (isIncoming.value = true)}>
            Into its accounts
          </button>
        </fieldset>
      </div>
      <Table
        label="ledger entries"
        rows={pages}
        empty={<Empty title="No money has moved" command="lyra devnet fund PARTY ASSET AMOUNT" />}
        columns={[
          { title: "Kind", isWide: true, cell: (row) => enumWords(row.transferType, "TRANSFER_TYPE_") },
          {
            title: "From",
            isMinor: true,
            cell: (row) => (
              <>
                <Party id={row.fromAccountPartyId ?? ""} isBare />{" "}
                <span class="muted">{accountWords(row.fromAccountType)}</span>
              </>
            ),
          },
          {
            title: "To",
            isMinor: true,
            cell: (row) => (
              <>
                <Party id={row.toAccountPartyId ?? ""} isBare />{" "}
                <span class="muted">{accountWords(row.toAccountType)}</span>
              </>
            ),
          },
          {
            title: "Amount",
            isNumber: true,
            cell: (row) => <Amount amount={row.quantity} asset={row.assetId ?? ""} />,
          },
          {
            title: "Balance after",
            isNumber: true,
            isMinor: true,
            cell: (row) => (
              <Amount
                amount={isIncoming.value ? row.toAccountBalance : row.fromAccountBalance}
                asset={row.assetId ?? ""}
              />
            ),
          },
          { title: "Time", isNumber: true, cell: (row) => <Time at={row.timestamp} /> },
        ]}
      />
    </section>
  );
}

type Bridged = api.Deposit | api.Withdrawal;

const useDeposits = (partyId: string): Pages<Bridged> => useList("deposits.list", { partyId });
const useWithdrawals = (partyId: string): Pages<Bridged> => useList("withdrawals.list", { partyId });

function Bridge({ party }: OfParty) {
  return (
    <>
      <Panel title="Deposits">
        <BridgedTable
          kind="deposit"
          rows={useDeposits(party)}
          command="lyra devnet bridge deposit PARTY ASSET AMOUNT"
        />
      </Panel>
      <Panel title="Withdrawals">
        <BridgedTable
          kind="withdrawal"
          rows={useWithdrawals(party)}
          command="lyra devnet bridge claim WITHDRAWAL"
        />
      </Panel>
    </>
  );
}

interface BridgedTableProps {
  readonly kind: "deposit" | "withdrawal";
  readonly rows: Pages<Bridged>;
  readonly command: string;
}

function BridgedTable({ kind, rows, command }: BridgedTableProps) {
  return (
    <Table
      label={`${kind}s`}
      rows={rows}
      expected={3}
      empty={<Empty title={`It has no ${kind}`} command={command} />}
      columns={[
        { title: "Identifier", isWide: true, cell: ({ id }) => <Id id={id} kind={kind} /> },
        { title: "Status", cell: ({ status }) => enumWords(status, "STATUS_") },
        {
          title: "Amount",
          isNumber: true,
          cell: ({ amount, asset }) => <Amount amount={amount} asset={asset} />,
        },
        {
          title: "Time",
          isNumber: true,
          isMinor: true,
          cell: ({ createdTimestamp }) => <Time at={createdTimestamp} />,
        },
      ]}
    />
  );
}

function Staking({ party }: OfParty) {
  const epoch = useCall("epochs.get", {});
  const seq = epoch.data?.epoch.seq;
  const delegations = useList(
    "delegations.list",
    seq === undefined ? undefined : { partyId: party, epochId: seq },
  );
  const rewards = useList("rewards.list", { partyId: party });
  return (
    <>
      <Panel title={seq === undefined ? "Delegated" : `Delegated in epoch ${seq}`}>
        <Table
          label="delegations"
          rows={delegations}
          expected={1}
          empty={<Empty title="It delegates nothing" command="lyra devnet stake PARTY AMOUNT" />}
          columns={[
            { title: "Validator", isWide: true, cell: ({ nodeId }) => <Validator id={nodeId} /> },
            { title: "Amount", isNumber: true, cell: ({ amount }) => <StakeAmount amount={amount} /> },
          ]}
        />
      </Panel>
      <Panel title="Rewards">
        <Table
          label="rewards"
          rows={rewards}
          expected={3}
          empty={<Empty title="It has no rewards yet" command="lyra devnet epoch end" />}
          columns={[
            {
              title: "Epoch",
              isNumber: true,
              cell: (row) => <Id id={row.epoch} kind="epoch" isBare />,
            },
            { title: "Out of", isWide: true, cell: (row) => accountWords(row.rewardType) },
            { title: "Market", isMinor: true, cell: (row) => <Market id={row.marketId} /> },
            { title: "Asset", isMinor: true, cell: (row) => <Asset id={row.assetId} /> },
            {
              title: "Amount",
              isNumber: true,
              cell: (row) => <Amount amount={row.amount} asset={row.assetId} />,
            },
            { title: "Time", isNumber: true, isMinor: true, cell: (row) => <Time at={row.receivedAt} /> },
          ]}
        />
      </Panel>
    </>
  );
}
