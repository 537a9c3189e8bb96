import type * as api from "../../client/api.generated.ts";
import { Id, Party } from "../components/id.tsx";
import { Badge, Heading } from "../components/panel.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { useList } from "../data/read.ts";
import { enumWords } from "../format.ts";

export interface Proposal {
  readonly id: string;
  readonly reference: string;
  readonly partyId: string;
  readonly state: string;
  /** Unix nanoseconds. */
  readonly timestamp: string;
  readonly reason?: string;
  readonly errorDetails?: string;
  readonly rationale?: { readonly title: string; readonly description: string };
  readonly terms: {
    /** Unix seconds. */
    readonly closingTimestamp: string;
    readonly enactmentTimestamp: string;
    readonly [change: string]: unknown;
  };
}

export interface ProposalNode {
  readonly proposal: Proposal;
  readonly yes: readonly Vote[];
  readonly no: readonly Vote[];
}

export type Vote = api.Vote;

const CHANGES: Readonly<Record<string, string>> = {
  newMarket: "new market",
  updateMarket: "change of a market",
  updateNetworkParameter: "network parameter",
  newAsset: "new asset",
  updateAsset: "change of an asset",
  newFreeform: "free form",
};

export function changeOf({ terms }: Proposal): string {
  const kind = Object.keys(CHANGES).find((each) => terms[each] !== undefined && terms[each] !== null);
  return kind === undefined ? "" : CHANGES[kind]!;
}

const GOOD = /ENACTED|PASSED|OPEN/;
const BAD = /FAILED|REJECTED|DECLINED/;

export function ProposalState({ state }: { readonly state: string }) {
  const tone = BAD.test(state) ? "bad" : GOOD.test(state) ? "good" : "plain";
  return <Badge tone={tone}>{enumWords(state, "STATE_")}</Badge>;
}

export default function ProposalList() {
  const pages = useList<ProposalNode>("/api/v2/governances", "connection");
  return (
    <>
      <Heading title="Proposals" />
      <section class="panel">
        <Table
          label="proposals"
          rows={pages}
          keyOf={({ proposal }) => proposal.id}
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
