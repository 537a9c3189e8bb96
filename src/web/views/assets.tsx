import { Id } from "../components/id.tsx";
import { Badge, Heading } from "../components/panel.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { useList } from "../data/read.ts";
import { enumWords } from "../format.ts";

export const assetStatus = (status: string) => (
  <Badge tone={status === "STATUS_ENABLED" ? "good" : "plain"}>{enumWords(status, "STATUS_")}</Badge>
);

export default function AssetList() {
  const pages = useList("assets.list", {});
  return (
    <>
      <Heading title="Assets" />
      <section class="panel">
        <Table
          label="assets"
          rows={pages}
          empty={
            <Empty title="No asset yet">
              A network begins with those of its genesis; further ones are proposed.
            </Empty>
          }
          columns={[
            {
              title: "Symbol",
              cell: ({ id, details }) => <Id id={id} kind="asset" name={details?.symbol} isBare />,
            },
            { title: "Name", isWide: true, cell: ({ details }) => details?.name },
            {
              title: "Kind",
              isMinor: true,
              cell: ({ details }) => (details?.erc20 ? "ERC20" : "built in"),
            },
            {
              title: "Decimals",
              isNumber: true,
              isMinor: true,
              cell: ({ details }) => <span class="number">{details?.decimals}</span>,
            },
            { title: "Status", cell: ({ status }) => assetStatus(status) },
            { title: "Identifier", isMinor: true, cell: ({ id }) => <Id id={id} /> },
          ]}
        />
      </section>
    </>
  );
}
