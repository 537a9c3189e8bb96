import type { Blocks } from "../../http/chain-bodies.ts";
import { Id } from "../components/id.tsx";
import { Heading } from "../components/panel.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { usePages } from "../data/read.ts";
import { count } from "../format.ts";
import { link } from "../shell/router.ts";

type Block = Blocks["blocks"][number];
const ROWS = 25;

export default function BlockList() {
  const pages = usePages<Blocks, Block>({
    path: (before) => `/lyra/v1/blocks?limit=${ROWS}${before === undefined ? "" : `&before=${before}`}`,
    rows: ({ blocks }) => blocks,
    next: ({ blocks }) => (blocks.length < ROWS ? undefined : String(blocks.at(-1)!.height)),
  });
  return (
    <>
      <Heading title="Blocks" />
      <section class="panel">
        <Table
          label="blocks"
          rows={pages}
          expected={ROWS}
          empty={<Empty title="No block yet" command="lyra devnet mine" />}
          columns={[
            {
              title: "Height",
              cell: ({ height }) => (
                <a href={link("block", height)} class="number">
                  {count(height)}
                </a>
              ),
            },
            { title: "Time", cell: ({ time }) => <Time at={time} /> },
            {
              title: "Transactions",
              isNumber: true,
              cell: ({ transactions }) => <span class="number">{count(transactions)}</span>,
            },
            { title: "Hash", isWide: true, cell: ({ hash }) => <Id id={hash} /> },
          ]}
        />
      </section>
    </>
  );
}
