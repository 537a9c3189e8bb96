// History: the segments on a line of blocks, and archives of a table over a range of them.
import { Id } from "../components/id.tsx";
import { Heading, Panel } from "../components/panel.tsx";
import { Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { head } from "../data/node.ts";
import { useRead } from "../data/read.ts";
import { bytes, count } from "../format.ts";
import type { NodeSegment } from "./archive-verify.ts";
import { Archives } from "./history-archive.tsx";

interface Segment extends NodeSegment {
  readonly bytes: number;
}

const SHOWN = 25;

export default function HistoryView() {
  const { data } = useRead<{ segments: readonly Segment[] }>("/lyra/v1/history/segments");
  const segments = data?.segments ?? [];
  return (
    <>
      <Heading title="History" />
      {data !== undefined && segments.length === 0 ? (
        <Empty title="No stretch of history is finished yet" command="lyra devnet mine 1000">
          A segment is made of every 1,000 blocks, or as <code>--segment-length</code> says.
        </Empty>
      ) : (
        <>
          <Panel title="Segments on the line of blocks">
            <Strip segments={segments} />
          </Panel>
          <Archives segments={segments} />
          <Panel
            title="Segments"
            more={
              <span class="muted">
                {segments.length > SHOWN ? `the newest ${SHOWN} of ${count(segments.length)}` : ""}
              </span>
            }
          >
            <Table
              label="segments"
              rows={{ data: data && segments.toReversed().slice(0, SHOWN), failure: undefined }}
              keyOf={({ id }) => id}
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
          </Panel>
        </>
      )}
    </>
  );
}

/** Complete and missing stretches, from the first block of the segments to the last block of the chain. */
function Strip({ segments }: { readonly segments: readonly Segment[] }) {
  const first = segments[0]?.from ?? 0;
  const last = Math.max(head.value?.height ?? 0, segments.at(-1)?.to ?? 0);
  const all = Math.max(1, last - first + 1);
  const runs = runsOf(segments);
  const missing = runs.slice(1).map(({ from }, n) => `${count(runs[n]!.to + 1)} to ${count(from - 1)}`);
  return (
    <div class="history">
      <div class="strip" aria-hidden="true">
        {runs.map(({ from, to }) => (
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
        Whole: {runs.map(({ from, to }) => `${count(from)} to ${count(to)}`).join(", ")}.{" "}
        {missing.length === 0 ? "Nothing is missing between them." : `Missing: ${missing.join(", ")}.`}
      </p>
    </div>
  );
}

/** Segments that follow each other, as one stretch. */
function runsOf(segments: readonly Segment[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const { from, to } of segments) {
    const last = runs.at(-1);
    if (last?.to === from - 1) last.to = to;
    else runs.push({ from, to });
  }
  return runs;
}
