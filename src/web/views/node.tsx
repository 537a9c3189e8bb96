// The node itself: health, what it follows, its store and disk, and the answers that it gave.
import type { DiskBody, StatusBody } from "../../http/status-body.ts";
import { Meter } from "../components/meter.tsx";
import { Badge, Facts, Heading, Panel } from "../components/panel.tsx";
import { Failure } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { FullTime, Time } from "../components/time.tsx";
import { addresses } from "../data/node.ts";
import { useRead, useText } from "../data/read.ts";
import { bytes, count, duration, measured } from "../format.ts";
import { classesIn, type Metrics, metricOf, metricsIn } from "./node-metrics.ts";
import { ValidatorPanels } from "./node-validator.tsx";

/** A fuller disk is something to act on. */
const SOON_DAYS = 30;

export default function NodeView() {
  const { data: status, failure } = useRead<StatusBody>("/status");
  const { data: text } = useText("/metrics");
  const metrics = text === undefined ? undefined : metricsIn(text);
  const node = addresses.value;
  return (
    <>
      <Heading title="Node">
        {status && <Badge tone={status.ready ? "good" : "bad"}>{status.ready ? "ready" : "not ready"}</Badge>}
        <span class="muted">{node && `${node.kind} · Lyra ${node.version} (${node.commit})`}</span>
      </Heading>
      {failure !== undefined && <Failure text={failure.message} />}
      {status?.ready === false && (
        <section class="refusal" aria-label="Why it is not ready">
          <p class="refusal-text">{status.reason}</p>
        </section>
      )}
      <div class="grid">
        <Panel title="Chain">
          <Facts
            rows={[
              ["Chain", status?.chainId ?? undefined],
              ["Blocks", status && `${count(status.firstHeight ?? 0)} to ${count(status.height ?? 0)}`],
              ["Last block", <FullTime key="time" at={status?.time ?? undefined} />],
              ["Followed node", status?.followedHeight && `at block ${count(status.followedHeight)}`],
              ["Behind it", status?.lag && lagText(status.lag)],
              ["Markets stopped by a fault", status?.haltedMarkets?.map(({ market }) => market).join(", ")],
            ]}
          />
        </Panel>
        <Panel title="Store">
          <Facts
            rows={[
              ["Size", status && bytes(status.store.bytes)],
              ["Log beside it", status && bytes(status.store.logBytes)],
              ["History segments", status && count(status.segments)],
              [
                "Checked",
                status &&
                  (status.store.checked ? <Time key="checked" at={status.store.checked} isAge /> : "not yet"),
              ],
            ]}
          />
        </Panel>
        {status?.disk !== undefined && <DiskPanel disk={status.disk} />}
        {node?.kind === "validator" && <ValidatorPanels />}
        {status?.sources !== undefined && <Sources sources={status.sources} />}
        {metrics !== undefined && (
          <>
            <Process metrics={metrics} />
            <Answers metrics={metrics} />
          </>
        )}
      </div>
    </>
  );
}

function lagText({ blocks, seconds }: NonNullable<StatusBody["lag"]>): string {
  const text = `${count(blocks)} block${blocks === 1 ? "" : "s"}`;
  return typeof seconds !== "number" ? text : `${text}, ${duration(seconds * 1_000)}`;
}

/** The home's share of the disk, and how long that goes well. */
function DiskPanel({ disk }: { readonly disk: DiskBody }) {
  const { usedBytes, budgetBytes, growthBytesPerDay, fullInDays, historyFrom } = disk;
  const removed = Object.entries(historyFrom).map(([table, height]) => `${table} from ${count(height)}`);
  return (
    <Panel
      title="Disk"
      more={
        fullInDays !== null && (
          <Badge tone={fullInDays < SOON_DAYS ? "warn" : "good"}>
            {fullInDays < SOON_DAYS ? `full in ${fullInDays} days` : `room for ${count(fullInDays)} days`}
          </Badge>
        )
      }
    >
      <Facts
        rows={[
          ["Forecast", disk.text],
          ["Growth a day of the chain", growthBytesPerDay === null ? undefined : bytes(growthBytesPerDay)],
          ["Store", bytes(disk.storeBytes)],
          ["Its log", bytes(disk.logBytes)],
          ["History segments", bytes(disk.segmentBytes)],
          ["Other files", bytes(disk.otherBytes)],
          ["Rows kept", removed.length === 0 ? undefined : removed.join(", ")],
        ]}
      />
      {budgetBytes !== null && (
        <Meter
          label="Of the budget"
          value={usedBytes}
          max={budgetBytes}
          text={`${bytes(usedBytes)} of ${bytes(budgetBytes)}`}
        />
      )}
    </Panel>
  );
}

function Sources({ sources }: { readonly sources: NonNullable<StatusBody["sources"]> }) {
  return (
    <Panel title="Sources" isWide>
      <Table
        label="sources"
        rows={{ data: sources, failure: undefined }}
        empty={null}
        columns={[
          { title: "Source", cell: ({ kind }) => kind },
          {
            title: "State",
            cell: ({ state }) => <Badge tone={state === "receiving" ? "good" : "warn"}>{state}</Badge>,
          },
          { title: "In words", isWide: true, cell: ({ text }) => text },
          { title: "Height", isNumber: true, cell: ({ height }) => (height === null ? "–" : count(height)) },
          { title: "Since", isNumber: true, isMinor: true, cell: ({ since }) => <Time at={since} /> },
        ]}
      />
    </Panel>
  );
}

function Process({ metrics }: { readonly metrics: Metrics }) {
  const open = metricOf(metrics, "process_open_fds");
  const most = metricOf(metrics, "process_max_fds");
  return (
    <Panel title="Process">
      <Facts
        rows={[
          ["Running for", duration(metricOf(metrics, "lyra_uptime_seconds") * 1_000)],
          ["Memory", bytes(metricOf(metrics, "process_resident_memory_bytes"))],
          ["Streams open", count(metricOf(metrics, "lyra_streams_open"))],
          ["Exports running", count(metricOf(metrics, "lyra_exports_running"))],
          ["Faults", count(metricOf(metrics, "lyra_faults_total"))],
        ]}
      />
      {most > 0 && <Meter label="Files and sockets" value={open} max={most} />}
    </Panel>
  );
}

function Answers({ metrics }: { readonly metrics: Metrics }) {
  return (
    <Panel title="Answers since the start">
      <Table
        label="answers"
        rows={{ data: classesIn(metrics), failure: undefined }}
        empty={null}
        columns={[
          { title: "Kind", isWide: true, cell: ({ name }) => name },
          { title: "Answers", isNumber: true, cell: (row) => <span class="number">{count(row.count)}</span> },
          {
            title: "Mean",
            isNumber: true,
            cell: (row) => <span class="number">{measured((1_000 * row.seconds) / row.count)}</span>,
          },
          {
            title: "99 of 100 below",
            isNumber: true,
            isMinor: true,
            cell: (row) => (
              <span class="number">{row.p99 === undefined ? "–" : measured(1_000 * row.p99)}</span>
            ),
          },
        ]}
      />
    </Panel>
  );
}
