// Makes data/grafana-dashboard.json from the metrics that a node really has: `bun scripts/grafana.ts`. Each metric gets a
// panel, with its help as the description.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServerStatus } from "../src/http/status.ts";

export const DASHBOARD_FILE = join(import.meta.dir, "..", "data", "grafana-dashboard.json");

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
}

const COLUMNS = 3;
const WIDTH = 24 / COLUMNS;
const HEIGHT = 7;
const SELECTED = '{instance=~"$instance"}';

/** Rows of the dashboard, in order; a metric belongs to the first that fits. */
const ROWS: readonly (readonly [title: string, names: RegExp])[] = [
  ["State", /_ready$|_damaged$|_state$|faults/],
  ["Consensus of a validator", /engine|consensus|block_age|double/],
  ["Height and lag", /height|lag|behind|skew|block/],
  ["Answers", /http|cache|exports/],
  ["Disk", /store_bytes|log_(?:\w+_)?bytes|home_bytes|segments|disk|scrub/],
  ["Process", /^process_|uptime/],
  ["Other", /./],
];

/** Every metric: of a node that follows another node, and of a validator. */
export async function knownMetrics(): Promise<Metric[]> {
  const status = new ServerStatus();
  const report = {
    kind: "events",
    state: "receiving",
    text: "",
    code: undefined,
    height: 1,
    sinceUs: 0,
  } as const;
  status.source = {
    head: () => undefined,
    notReady: () => undefined,
    segments: () => 0,
    storeBytes: () => 0,
    logBytes: () => 0,
    disk: () => ({
      ...{ usedBytes: 0, storeBytes: 0, freeInStoreBytes: 0, logBytes: 0, segmentBytes: 0, otherBytes: 0 },
      ...{
        budgetBytes: 1,
        retention: "archive",
        growthBytesPerDay: 0,
        fullInDays: 1,
        historyFrom: {},
        text: "",
      },
    }),
    scrubbedUs: () => 0,
    consensus: () => ({
      ...{ isConnected: true, sinceNs: 0n, version: undefined, isCatchingUp: false, peers: 0, validators: 1 },
      ...{ blockNs: 0n, clockSkewSeconds: 0, doubleSigned: { count: 0, own: undefined } },
    }),
    live: {
      sources: () => [report],
      lag: () => ({ followedHeight: 1, blocks: 0, seconds: 0, clockSkewSeconds: 0 }),
      parts: () => ({}),
      followed: () => ({ blocks: 0, txs: 0, disagreements: 0, height: 1 }),
      eventLog: () => ({ logBytes: 0, unreadBytes: 0, logBytesMax: 1 }),
    },
  };
  const text = status.metrics();
  const metrics = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(
    ([, name, help, type]) => ({
      name: name!,
      help: help!,
      type: type!,
    }),
  );
  // Both kinds of node have the lead of the clock.
  return [...new Map(metrics.map((each) => [each.name, each])).values()];
}

/** The dashboard as text. */
export function dashboardOf(metrics: readonly Metric[]): string {
  const panels: object[] = [];
  let y = 0;
  for (const [i, [title]] of ROWS.entries()) {
    const own = metrics.filter(({ name }) => ROWS.findIndex(([, names]) => names.test(name)) === i);
    if (own.length === 0) continue;
    panels.push({
      id: panels.length + 1,
      type: "row",
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: 24, h: 1 },
      panels: [],
    });
    y++;
    for (const [n, metric] of own.entries()) {
      const place = {
        x: (n % COLUMNS) * WIDTH,
        y: y + Math.floor(n / COLUMNS) * HEIGHT,
        w: WIDTH,
        h: HEIGHT,
      };
      panels.push({ id: panels.length + 1, ...panel(metric), gridPos: place });
    }
    y += Math.ceil(own.length / COLUMNS) * HEIGHT;
  }
  const dashboard = {
    uid: "lyra-node",
    title: "Lyra node",
    tags: ["lyra"],
    timezone: "utc",
    schemaVersion: 39,
    refresh: "15s",
    time: { from: "now-3h", to: "now" },
    templating: { list: [dataSource(), instances()] },
    panels,
  };
  return `${JSON.stringify(dashboard, undefined, 1)}\n`;
}

function panel({ name, help, type }: Metric): object {
  return {
    type: "timeseries",
    title: titleOf(name),
    description: `${help} (${name})`,
    datasource: { type: "prometheus", uid: "$datasource" },
    fieldConfig: { defaults: { unit: unitOf(name, type), custom: { fillOpacity: 8 } }, overrides: [] },
    options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi" } },
    targets: queriesOf(name, type).map(({ expr, legend }, i) => ({
      refId: String.fromCharCode(65 + i),
      expr,
      ...(legend !== undefined && { legendFormat: legend }),
    })),
  };
}

function queriesOf(name: string, type: string): { expr: string; legend?: string }[] {
  if (type === "histogram") {
    return [0.5, 0.99].map((part) => ({
      expr: `histogram_quantile(${part}, sum by (le, class) (rate(${name}_bucket${SELECTED}[5m])))`,
      legend: `${part === 0.5 ? "median" : "99 %"} {{class}}`,
    }));
  }
  // A state is 1 for one of its names, and 0 for the others.
  if (name.endsWith("_state")) return [{ expr: `${name}${SELECTED} == 1`, legend: "{{source}} {{state}}" }];
  // A date is in milliseconds there.
  if (isDate(name)) return [{ expr: `${name}${SELECTED} * 1000` }];
  return [{ expr: type === "counter" ? `rate(${name}${SELECTED}[5m])` : `${name}${SELECTED}` }];
}

function isDate(name: string): boolean {
  return name.endsWith("_time_seconds");
}

function titleOf(name: string): string {
  const words = name
    .replace(/^lyra_/, "")
    .replace(/_(?:total|bytes|seconds)$/, "")
    .replaceAll("_", " ");
  return words[0]!.toUpperCase() + words.slice(1);
}

function unitOf(name: string, type: string): string {
  if (type === "counter") return "ops";
  if (isDate(name)) return "dateTimeAsIso";
  if (name.endsWith("_days")) return "d";
  if (name.endsWith("_bytes")) return "bytes";
  if (name.endsWith("_seconds")) return "s";
  return "short";
}

function dataSource(): object {
  return { name: "datasource", type: "datasource", query: "prometheus", label: "Data source" };
}

function instances(): object {
  return {
    name: "instance",
    type: "query",
    label: "Node",
    datasource: { type: "prometheus", uid: "$datasource" },
    query: "label_values(lyra_block_height, instance)",
    includeAll: true,
    multi: true,
    refresh: 2,
  };
}

if (import.meta.main) {
  writeFileSync(DASHBOARD_FILE, dashboardOf(await knownMetrics()));
  console.log(`wrote ${DASHBOARD_FILE}`);
}
