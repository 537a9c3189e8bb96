// History: the segments on a line of blocks, and archives of a table over a range of them.
import type { Segments } from "../../http/chain-bodies.ts";
import { Id } from "../components/id.tsx";
import { Heading, Panel } from "../components/panel.tsx";
import { Empty, Failure } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { head } from "../data/node.ts";
import { usePages, useRead } from "../data/read.ts";
import { bytes, count } from "../format.ts";
import { Archives } from "./history-archive.tsx";

type Segment = Segments["segments"][number];
type Stretches = Segments["stretches"];

const ROWS = 25;
/** Of what is missing in words; the line shows all. */
const GAPS_SHOWN = 10;

export default function HistoryView() {
  const { data, failure } = useRead<Segments>("/lyra/v1/segments?limit=1");
  return (
    <>
      <Heading title="History" />
      {failure !== undefined ? (
        <Failure text={failure.message} />
      ) : data === undefined ? (
        <div class="loading" aria-busy="true" />
      ) : data.total === 0 ? (
        <Empty title="No stretch of history is finished yet" command="lyra devnet mine 1000">
          A segment is made of every 1,000 blocks, or as <code>--segment-length</code> says.
        </Empty>
      ) : (
        <>
          <Panel title="Segments on the line of blocks">
            <Strip stretches={data.stretches} />
          </Panel>
          <Archives stretches={data.stretches} />
          <Panel title="Segments" more={<span class="muted">{count(data.total)}</span>}>
            <SegmentTable />
          </Panel>
        </>
      )}
    </>
  );
}

function SegmentTable() {
  const pages = usePages<Segments, Segment>({
    path: (before) => `/lyra/v1/segments?limit=${ROWS}${before === undefined ? "" : `&before=${before}`}`,
    rows: ({ segments }) => segments,
    next: ({ segments }) => (segments.length < ROWS ? undefined : String(segments.at(-1)!.from)),
  });
  return (
    <Table
      label="segments"
      rows={pages}
      empty={null}
      columns={[
        {
          title: "From",
          isNumber: true,
          cell: (row) => <span class="number">{count(row.from)}</span>,
        },
        {
          title: "To",
          isNumber: true,
          cell: (row) => <span class="number">{count(row.to)}</span>,
        },
        {
          title: "Size",
          isNumber: true,
          isMinor: true,
          cell: (row) => <span class="number">{bytes(row.bytes)}</span>,
        },
        { title: "SHA-256", isWide: true, cell: ({ id }) => <Id id={id} /> },
      ]}
    />
  );
}

/** Complete and missing stretches, from the first block of the segments to the last block of the chain. */
function Strip({ stretches }: { readonly stretches: Stretches }) {
  const first = stretches[0]?.from ?? 0;
  const last = Math.max(head.value?.height ?? 0, stretches.at(-1)?.to ?? 0);
  const all = Math.max(1, last - first + 1);
  const range = (from: number, to: number) => `${count(from)} to ${count(to)}`;
  const missing = stretches.slice(1).map(({ from }, n) => range(stretches[n]!.to + 1, from - 1));
  return (
    <div class="history">
      <div class="strip" aria-hidden="true">
        {stretches.map(({ from, to }) => (
          <span
            key={from}
            style={{ left: `${(100 * (from - first)) / all}%`, width: `${(100 * (to - from + 1)) / all}%` }}
          />
        ))}
      </div>
      <p class="strip-ends number muted">
        <span>{count(first)}</span>
        <span>{count(last)}</span>
      </p>
      <p>
        Whole: {newestOf(stretches.map(({ from, to }) => range(from, to)))}.{" "}
        {missing.length === 0 ? "Nothing is missing between them." : `Missing: ${newestOf(missing)}.`}
      </p>
    </div>
  );
}

const newestOf = (ranges: readonly string[]) =>
  ranges.length > GAPS_SHOWN
    ? `${ranges.length - GAPS_SHOWN} before, and ${ranges.slice(-GAPS_SHOWN).join(", ")}`
    : ranges.join(", ");
