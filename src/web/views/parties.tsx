import { Id, Party } from "../components/id.tsx";
import { Heading } from "../components/panel.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { useList } from "../data/read.ts";

export default function PartyList() {
  const pages = useList("parties.list", {});
  return (
    <>
      <Heading title="Parties" />
      <section class="panel">
        <Table
          label="parties"
          rows={pages}
          empty={<Empty title="No party yet" command="lyra wallet create NAME" />}
          columns={[
            { title: "Party", cell: ({ id }) => <Party id={id} isBare /> },
            { title: "Public key", isWide: true, cell: ({ id }) => <Id id={id} isLong /> },
          ]}
        />
      </section>
    </>
  );
}
