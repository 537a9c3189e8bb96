import type * as api from "../../client/api.generated.ts";
import { shellWord } from "../../http/shell-word.ts";
import { Id, Party } from "../components/id.tsx";
import { Json } from "../components/json.tsx";
import { Badge, Facts, Heading, Panel } from "../components/panel.tsx";
import { StakeAmount } from "../components/stake.tsx";
import { CallView, Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { FullTime, Time } from "../components/time.tsx";
import { useList } from "../data/read.ts";
import { enumWords } from "../format.ts";
import type { ViewProps } from "../view-props.ts";
import { changeOf, ProposalState } from "./proposals.tsx";
import { VoteForm } from "./send-forms.tsx";

export default function ProposalView({ params }: ViewProps) {
  return (
    <CallView
      name="governance.getData"
      query={{ proposalId: params.id ?? "" }}
      missing="No proposal has this identifier"
    >
      {({ data: { proposal, yes, no } }) =>
        proposal && <ProposalFacts proposal={proposal} yes={yes} no={no} />
      }
    </CallView>
  );
}

/** Unix seconds as nanoseconds. */
const nanoseconds = (seconds = "0") => (seconds === "0" ? undefined : `${seconds}000000000`);

interface ProposalFactsProps extends Pick<api.GovernanceData, "yes" | "no"> {
  readonly proposal: api.Proposal;
}

function ProposalFacts({ proposal, yes, no }: ProposalFactsProps) {
  const { id, reference, partyId, state, timestamp, terms, rationale, reason, errorDetails } = proposal;
  const weight = (votes: readonly api.Vote[]) =>
    votes.reduce((sum, each) => sum + BigInt(each.totalGovernanceTokenBalance || "0"), 0n).toString();
  return (
    <>
      <Heading title={rationale?.title || reference || "Proposal"}>
        <ProposalState state={state} />
      </Heading>
      {errorDetails && (
        <section class="refusal" aria-label="Why it was rejected">
          <p class="refusal-text">
            {enumWords(reason, "PROPOSAL_ERROR_")}: {errorDetails}
          </p>
        </section>
      )}
      <div class="grid">
        <Panel title="Proposal">
          <Facts
            rows={[
              ["Identifier", <Id key="id" id={id} isLong />],
              ["Kind", changeOf(proposal)],
              ["By", <Party key="party" id={partyId} />],
              ["Reference", reference || undefined],
              ["Description", rationale?.description || undefined],
            ]}
          />
        </Panel>
        <Panel title="Times and votes">
          <Facts
            rows={[
              ["Proposed", <FullTime key="at" at={timestamp} />],
              ["Vote closes", <FullTime key="close" at={nanoseconds(terms?.closingTimestamp)} />],
              ["Takes effect", <FullTime key="enact" at={nanoseconds(terms?.enactmentTimestamp)} />],
              ["For", yes.length === 0 ? "0" : <Weight key="yes" votes={yes.length} amount={weight(yes)} />],
              ["Against", no.length === 0 ? "0" : <Weight key="no" votes={no.length} amount={weight(no)} />],
            ]}
          />
        </Panel>
        <Panel title="Terms" isWide>
          <Json title="Terms in full" value={terms} />
        </Panel>
        <Panel title="Votes" isWide>
          <Votes proposal={id} />
        </Panel>
      </div>
      {state === "STATE_OPEN" && <VoteForm proposal={id} />}
    </>
  );
}

function Weight({ votes, amount }: { readonly votes: number; readonly amount: string }) {
  return (
    <>
      {votes} with <StakeAmount amount={amount} />
    </>
  );
}

function Votes({ proposal }: { readonly proposal: string }) {
  const pages = useList("governance.listVotes", { proposalId: proposal });
  const vote = { proposalId: proposal, value: "VALUE_YES" };
  return (
    <Table
      label="votes"
      rows={pages}
      expected={2}
      empty={
        <Empty
          title="Nobody has voted"
          command={`lyra devnet impersonate PARTY ${shellWord(JSON.stringify({ voteSubmission: vote }))}`}
        />
      }
      columns={[
        { title: "Party", cell: ({ partyId }) => <Party id={partyId} isBare /> },
        {
          title: "Vote",
          isWide: true,
          cell: ({ value }) => (
            <Badge tone={value === "VALUE_YES" ? "good" : "bad"}>
              {value === "VALUE_YES" ? "for" : "against"}
            </Badge>
          ),
        },
        {
          title: "Tokens",
          isNumber: true,
          cell: ({ totalGovernanceTokenBalance }) => (
            <StakeAmount amount={totalGovernanceTokenBalance || "0"} />
          ),
        },
        { title: "Time", isNumber: true, isMinor: true, cell: ({ timestamp }) => <Time at={timestamp} /> },
      ]}
    />
  );
}
