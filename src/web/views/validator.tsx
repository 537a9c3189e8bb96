import type * as api from "../../client/api.generated.ts";
import { Id, Party } from "../components/id.tsx";
import { Json } from "../components/json.tsx";
import { Facts, Heading, Panel } from "../components/panel.tsx";
import { StakeAmount } from "../components/stake.tsx";
import { CallView, Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import type { ViewProps } from "../view-props.ts";
import { DelegationForm } from "./send-forms.tsx";
import { rankOf } from "./validators.tsx";

export default function ValidatorView({ params }: ViewProps) {
  return (
    <CallView name="nodes.get" query={{ id: params.id ?? "" }} missing="No validator has this identifier">
      {({ node }) => <ValidatorFacts node={node} />}
    </CallView>
  );
}

function ValidatorFacts({ node }: { readonly node: api.Node }) {
  const { id, name, pubKey, tmPubKey, ethereumAddress, infoUrl, location, rankingScore, delegations } = node;
  return (
    <>
      <Heading title={name || "Validator"} />
      <div class="grid">
        <Panel title="Validator">
          <Facts
            rows={[
              ["Identifier", <Id key="id" id={id} isLong />],
              ["Public key", <Id key="key" id={pubKey} isLong />],
              ["CometBFT key", <Id key="comet" id={tmPubKey} isLong />],
              ["Ethereum", <Id key="ethereum" id={ethereumAddress} isLong />],
              ["Country", location || undefined],
              // As text: an address that a validator chose.
              ["Says of itself", infoUrl || undefined],
            ]}
          />
        </Panel>
        <Panel title="Stake and scores">
          <Facts
            rows={[
              ["Stake", <StakeAmount key="total" amount={node.stakedTotal} />],
              ["Its own", <StakeAmount key="own" amount={node.stakedByOperator} />],
              ["Delegated", <StakeAmount key="delegated" amount={node.stakedByDelegates} />],
              ["From the next epoch", <StakeAmount key="pending" amount={node.pendingStake} />],
              ["Rank", rankOf(node) || undefined],
              ["Voting power", rankingScore ? String(rankingScore.votingPower) : undefined],
              ["Performance", rankingScore?.performanceScore],
              ["Stake score", rankingScore?.stakeScore],
              ["Ranking score", rankingScore?.rankingScore],
            ]}
          />
        </Panel>
        <Panel title="Delegators" isWide>
          <Table
            label="delegations"
            rows={{ data: delegations, failure: undefined }}
            empty={<Empty title="Nobody delegates to it" command="lyra devnet stake PARTY AMOUNT" />}
            columns={[
              { title: "Party", isWide: true, cell: ({ party }) => <Party id={party} isBare /> },
              { title: "Amount", isNumber: true, cell: ({ amount }) => <StakeAmount amount={amount} /> },
            ]}
          />
          <Json value={node} />
        </Panel>
      </div>
      <DelegationForm validator={id} />
    </>
  );
}
