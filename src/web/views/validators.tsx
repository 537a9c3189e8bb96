import type * as api from "../../client/api.generated.ts";
import { Id } from "../components/id.tsx";
import { Badge, Heading } from "../components/panel.tsx";
import { StakeAmount } from "../components/stake.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { useList } from "../data/read.ts";
import { enumWords } from "../format.ts";

export const rankOf = ({ rankingScore }: Pick<api.Node, "rankingScore">) =>
  enumWords(rankingScore?.status, "VALIDATOR_NODE_STATUS_");

export default function ValidatorList() {
  const pages = useList("nodes.list", {});
  return (
    <>
      <Heading title="Validators" />
      <section class="panel">
        <Table
          label="validators"
          rows={pages}
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
