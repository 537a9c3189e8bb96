// A party: balances, stake and what it sent.
import { AccountTable } from "../components/accounts.tsx";
import { ActivityTable } from "../components/activity.tsx";
import { Id, Validator } from "../components/id.tsx";
import { Facts, Heading, Panel } from "../components/panel.tsx";
import { StakeAmount } from "../components/stake.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Tabs } from "../components/tabs.tsx";
import { partyName } from "../data/names.ts";
import { useList, useRead } from "../data/read.ts";
import type { ViewProps } from "../view-props.ts";

interface Delegation {
  readonly nodeId: string;
  readonly amount: string;
  readonly epochSeq: string;
}

export default function PartyView({ params }: ViewProps) {
  const { id = "" } = params;
  const key = encodeURIComponent(id);
  const stake = useRead<{ currentStakeAvailable: string }>(`/api/v2/parties/${key}/stake?pagination.first=1`);
  return (
    <>
      <Heading title={partyName(id) ?? "Party"} />
      <Panel title="Party">
        <Facts
          rows={[
            ["Public key", <Id key="id" id={id} isLong />],
            ["Stake", stake.data && <StakeAmount key="stake" amount={stake.data.currentStakeAvailable} />],
          ]}
        />
      </Panel>
      <Tabs
        label="About the party"
        tabs={[
          { id: "balances", title: "Balances", content: () => <Balances party={key} /> },
          { id: "transactions", title: "Transactions", content: () => <Sent party={key} /> },
          { id: "delegations", title: "Delegations", content: () => <Delegations party={key} /> },
        ]}
      />
    </>
  );
}

const Balances = ({ party }: { readonly party: string }) => (
  <section class="panel">
    <AccountTable filter={`filter.partyIds=${party}`} hidden="owner" />
  </section>
);

const Sent = ({ party }: { readonly party: string }) => (
  <section class="panel">
    <ActivityTable filter={`party=${party}`} hidden="sender" />
  </section>
);

function Delegations({ party }: { readonly party: string }) {
  const epoch = useRead<{ epoch: { seq: string } }>("/api/v2/epoch");
  const seq = epoch.data?.epoch.seq;
  const pages = useList<Delegation>(
    seq === undefined ? undefined : `/api/v2/delegations?partyId=${party}&epochId=${seq}`,
    "delegations",
  );
  return (
    <Panel title={seq === undefined ? "Delegated" : `Delegated in epoch ${seq}`}>
      <Table
        label="delegations"
        rows={pages}
        keyOf={({ nodeId }) => nodeId}
        expected={1}
        empty={<Empty title="It delegates nothing" command="lyra devnet stake PARTY AMOUNT" />}
        columns={[
          { title: "Validator", isWide: true, cell: ({ nodeId }) => <Validator id={nodeId} /> },
          { title: "Amount", isNumber: true, cell: ({ amount }) => <StakeAmount amount={amount} /> },
        ]}
      />
    </Panel>
  );
}
