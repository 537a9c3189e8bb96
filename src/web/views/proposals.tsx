import type * as api from "../../client/api.generated.ts";
import { Id, Party } from "../components/id.tsx";
import { Badge, Heading } from "../components/panel.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { useList } from "../data/read.ts";
import { enumWords } from "../format.ts";

const CHANGES = [
  ["newMarket", "new market"],
  ["updateMarket", "change of a market"],
  ["updateNetworkParameter", "network parameter"],
  ["newAsset", "new asset"],
  ["updateAsset", "change of an asset"],
  ["newFreeform", "free form"],
] as const;

export function changeOf({ terms }: api.Proposal): string {
  const change = CHANGES.find(([member]) => terms?.[member] !== undefined);
  return change === undefined ? "" : change[1];
}

const GOOD = /ENACTED|PASSED|OPEN/;
const BAD = /FAILED|REJECTED|DECLINED/;

export function ProposalState({ state }: { readonly state: string }) {
  const tone = BAD.test(state) ? "bad" : GOOD.test(state) ? "good" : "plain";
  return <Badge tone={tone}>{enumWords(state, "STATE_")}</Badge>;
}

export default function ProposalList() {
  const list = useList("governance.listData", {});
  const data = list.data?.flatMap(({ proposal, yes, no }) =>
    proposal === null ? [] : { proposal, yes, no },
  );
  const pages = { ...list, data };
  return (
    <>
      <Heading title="Proposals" />
      <section class="panel">
        <Table
          label="proposals"
          rows={pages}
          empty={
            <Empty title="Nothing was proposed yet" command="lyra devnet market create btc">
              A market or a parameter of a devnet is made by a proposal that its validator lets pass.
            </Empty>
          }
          columns={[
            {
              title: "Proposal",
              isWide: true,
              cell: ({ proposal }) => (
                <Id
                  id={proposal.id}
                  kind="proposal"
                  isBare
                  name={proposal.rationale?.title || proposal.reference || undefined}
                />
              ),
            },
            { title: "Kind", isMinor: true, cell: ({ proposal }) => changeOf(proposal) },
            { title: "State", cell: ({ proposal }) => <ProposalState state={proposal.state} /> },
            { title: "By", isMinor: true, cell: ({ proposal }) => <Party id={proposal.partyId} isBare /> },
            {
              title: "Votes",
              isNumber: true,
              isMinor: true,
              cell: ({ yes, no }) => <span class="number">{`${yes.length} : ${no.length}`}</span>,
            },
            { title: "Time", isNumber: true, cell: ({ proposal }) => <Time at={proposal.timestamp} /> },
          ]}
        />
      </section>
    </>
  );
}
