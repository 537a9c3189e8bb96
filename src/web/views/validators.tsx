import { Id } from "../components/id.tsx";
import { Badge, Heading } from "../components/panel.tsx";
import { StakeAmount } from "../components/stake.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { useList } from "../data/read.ts";
import { enumWords } from "../format.ts";

export interface Validator {
  readonly id: string;
  readonly name: string;
  readonly pubKey: string;
  readonly tmPubKey: string;
  readonly ethereumAddress: string;
  readonly infoUrl: string;
  readonly location: string;
  readonly stakedByOperator: string;
  readonly stakedByDelegates: string;
  readonly stakedTotal: string;
  readonly pendingStake: string;
  readonly delegations: readonly {
    readonly party: string;
    readonly amount: string;
    readonly epochSeq: string;
  }[];
  readonly rankingScore: {
    readonly stakeScore: string;
    readonly performanceScore: string;
    readonly status: string;
    readonly votingPower: number | string;
    readonly rankingScore: string;
  } | null;
}

export const rankOf = ({ rankingScore }: Pick<Validator, "rankingScore">) =>
  enumWords(rankingScore?.status, "VALIDATOR_NODE_STATUS_");

export default function ValidatorList() {
  const pages = useList<Validator>("/api/v2/nodes", "nodes");
  return (
    <>
      <Heading title="Validators" />
      <section class="panel">
        <Table
          label="validators"
          rows={pages}
          keyOf={({ id }) => id}
          empty={<Empty title="No validator yet">A network begins with those of its genesis.</Empty>}
          columns={[
            {
              title: "Validator",
              isWide: true,
              cell: ({ id, name }) => <Id id={id} kind="validator" name={name || undefined} isBare />,
            },
            { title: "Rank", cell: (row) => <Badge tone="plain">{rankOf(row) || "–"}</Badge> },
            {
              title: "Stake",
              isNumber: true,
              cell: ({ stakedTotal }) => <StakeAmount amount={stakedTotal} />,
            },
            {
              title: "Voting power",
              isNumber: true,
              isMinor: true,
              cell: ({ rankingScore }) => <span class="number">{rankingScore?.votingPower ?? "–"}</span>,
            },
            {
              title: "Performance",
              isNumber: true,
              isMinor: true,
              cell: ({ rankingScore }) => <span class="number">{rankingScore?.performanceScore ?? "–"}</span>,
            },
          ]}
        />
      </section>
    </>
  );
}
