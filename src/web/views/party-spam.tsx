// Spam statistics of a party: what is used of an epoch's allowances, and proofs of work by block.
import { Meter } from "../components/meter.tsx";
import { Badge, Panel } from "../components/panel.tsx";
import { StakeAmount } from "../components/stake.tsx";
import { Empty, Failure } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { FullTime } from "../components/time.tsx";
import { addresses } from "../data/node.ts";
import { useCall } from "../data/read.ts";
import { count } from "../format.ts";
import { link } from "../shell/router.ts";

const ALLOWANCES = [
  ["transfers", "Transfers"],
  ["delegations", "Delegations"],
  ["proposals", "Proposals"],
  ["nodeAnnouncements", "Announcements of validators"],
  ["issueSignatures", "Signatures issued"],
] as const;

export function SpamStatistics({ party }: { readonly party: string }) {
  const hasNode = addresses.value?.listening.some(({ name }) => name === "node") ?? false;
  const { data, failure } = useCall("node.getSpamStatistics", hasNode ? { partyId: party } : undefined);
  if (!hasNode)
    return (
      <Empty title="This node has no spam statistics" command="lyra sidecar --comet URL">
        A node that follows a chain's blocks has them.
      </Empty>
    );
  if (failure !== undefined) return <Failure text={failure.message} />;
  if (data === undefined) return <div class="loading" aria-busy="true" />;
  const { statistics } = data;
  const { votes, pow, epochSeq } = statistics;
  const bans = [
    { refused: "All its transactions", until: pow.bannedUntil },
    { refused: "Its votes", until: votes.bannedUntil },
    ...ALLOWANCES.map(([name, title]) => ({
      refused: `Its ${title.toLowerCase()}`,
      until: statistics[name].bannedUntil,
    })),
  ].filter(({ until }) => until !== undefined && until !== "");
  return (
    <>
      {bans.length > 0 && (
        <section class="refusal" aria-label="Ban">
          {bans.map(({ refused, until }) => (
            <p key={refused} class="refusal-text">
              {refused} are refused until <FullTime at={until} />.
            </p>
          ))}
        </section>
      )}
      <Panel title={`Used of the allowances of epoch ${epochSeq}`}>
        <div class="meters">
          {ALLOWANCES.map(([name, title]) => (
            <Meter
              key={name}
              label={title}
              value={Number(statistics[name].countForEpoch)}
              max={Number(statistics[name].maxForEpoch)}
            />
          ))}
          {votes.statistics.length === 0 && (
            <Meter label="Votes on a proposal" value={0} max={Number(votes.maxForEpoch)} />
          )}
          {votes.statistics.map(({ proposal, countForEpoch }) => (
            <Meter
              key={proposal}
              label={`Votes on ${proposal.slice(0, 6)}…`}
              value={Number(countForEpoch)}
              max={Number(votes.maxForEpoch)}
            />
          ))}
        </div>
        <p class="note muted">
          A proposal needs <StakeAmount amount={statistics.proposals.minTokensRequired ?? "0"} />, a
          delegation <StakeAmount amount={statistics.delegations.minTokensRequired ?? "0"} />.
        </p>
      </Panel>
      <Panel
        title="Proofs of work"
        more={
          <span class="muted">{`a proof may name one of the last ${pow.numberOfPastBlocks} blocks`}</span>
        }
      >
        <Table
          label="proofs of work"
          rows={{ data: pow.blockStates.toReversed(), failure: undefined }}
          empty={<Empty title="No proof was seen in the past blocks" command="lyra wallet send 1 tUSD bob" />}
          columns={[
            {
              title: "Block",
              cell: ({ blockHeight }) => (
                <a href={link("block", blockHeight)} class="number">
                  {count(Number(blockHeight))}
                </a>
              ),
            },
            {
              title: "Proofs seen",
              isWide: true,
              cell: ({ transactionsSeen, txPerBlock }) => (
                <Meter label="" value={Number(transactionsSeen)} max={Number(txPerBlock)} />
              ),
            },
            {
              title: "Base difficulty",
              isNumber: true,
              isMinor: true,
              cell: ({ difficulty }) => <span class="number">{difficulty}</span>,
            },
            {
              title: "Next proof",
              isNumber: true,
              cell: ({ expectedDifficulty, increasingDifficulty }) =>
                expectedDifficulty ? (
                  <span class="number">{`${expectedDifficulty} bits`}</span>
                ) : (
                  <Badge tone={increasingDifficulty ? "plain" : "bad"}>no more</Badge>
                ),
            },
          ]}
        />
      </Panel>
    </>
  );
}
