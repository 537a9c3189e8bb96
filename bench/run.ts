// All benchmarks in one run; writes bench/results/latest.json and the table in bench/README.md.
// bun bench/run.ts [--rows N] [--only pages,devnet]   Run it on a quiet machine, after `npm run build`; takes about
// fifteen minutes. With --only the other parts stay as they were measured last; each says when that was.
import { cpus } from "node:os";
import { join } from "node:path";
import { argument } from "./support.ts";

const here = import.meta.dir;
const binary = join(here, "..", "dist", "lyra");
const rows = argument("--rows") ?? "10000000";
const only = argument("--only")?.split(",");
const results = join(here, "results", "latest.json");

type Numbers = Record<string, unknown>;

const last = only === undefined ? {} : ((await Bun.file(results).json()) as Record<string, Numbers>);
const measuredAt: Numbers = { ...last.measuredAt };

/** Runs one benchmark and takes the JSON it ends with. */
async function run(file: string, ...words: string[]): Promise<Numbers> {
  const name = file === "export.ts" ? "exports" : file.replace(".ts", "");
  if (only !== undefined && !only.includes(name)) return last[name]!;
  measuredAt[name] = new Date().toISOString();
  console.error(`running ${file} ...`);
  const child = Bun.spawn([process.execPath, join(here, file), ...words], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${file} failed`);
  const start = Math.max(text.lastIndexOf("\n{") + 1, text.startsWith("{") ? 0 : -1);
  return JSON.parse(text.slice(start)) as Numbers;
}

interface Line {
  readonly what: string;
  readonly got: number;
  readonly unit: string;
  readonly limit: string;
  readonly ok: boolean;
}

function line(
  what: string,
  value: unknown,
  unit: string,
  relation: "at most" | "at least",
  limit: number,
): Line {
  const measured = Number(value);
  const ok = relation === "at most" ? measured <= limit : measured >= limit;
  return { what, got: measured, unit, limit: `${relation} ${limit.toLocaleString("en")}`, ok };
}

const start = await run("start.ts", "--binary", binary);
const ingest = await run("ingest.ts");
const intake = await run("intake.ts", "--binary", binary);
const scale = await run("scale.ts", "--binary", binary);
const follow = await run("follow.ts", "--binary", binary);
const markets = await run("markets.ts");
const wire = await run("wire.ts");
const pages = await run("pages.ts", "--rows", rows, "--binary", binary);
const exports = await run("export.ts");
const grpc = await run("grpc.ts", "--binary", binary);
const graphql = await run("graphql.ts", "--rows", rows, "--binary", binary);
const solver = await run("solver.ts", "--binary", binary);
const admission = await run("admission.ts");
const devnet = await run("devnet.ts", "--binary", binary);
const flow = await run("flow.ts", "--binary", binary);
const submission = await run("submission.ts");
const state = await run("state.ts");
const consensus = await run("consensus.ts");
const wallet = await run("wallet.ts", "--binary", binary);
const cost = pages.costOfSize as Record<string, number>;
const waits = exports.pageP99Ms as Record<string, number>;
const born = devnet.start as Record<string, number>;
const empty = devnet.empty as Record<string, number>;
const book = markets.book as Record<string, number>;
const besideCore = follow.besideCore as Record<string, number>;
const snapshots = devnet.snapshot as Record<string, number>;
const hashShares = (state.large as { blocks: Record<string, Record<string, number>> }).blocks;
const stateSnapshot = state.snapshot as Record<string, number>;
const { opening, signing, listing, sending } = wallet as Record<string, Record<string, number>>;

const lines = [
  line("start of the executable to the first 200", start.firstAnswerMs, "ms", "at most", 100),
  line("resident memory at rest", start.residentMb, "MB", "at most", 90),
  line("ingest of the recording, cold", ingest.coldEventsPerSecond, "events/s", "at least", 60_000),
  line("ingest of the recording, warm", ingest.eventsPerSecond, "events/s", "at least", 60_000),
  line("ingest against bare inserts of the same rows", ingest.ratioToBare, "", "at least", 0.45),
  line("blocks followed, with admission", follow.transactionsPerSecond, "transactions/s", "at least", 5_000),
  line(
    "orders through the engine, with events and commit",
    markets.ordersPerSecond,
    "orders/s",
    "at least",
    15_000,
  ),
  line("an order on a book of 100,000, against one of 100", book.ratio, "", "at most", 1.5),
  line("mark to market of 10,000 positions", markets.markToMarketMs, "ms", "at most", 100),
  line("beside a core of 1,000 events a second", besideCore.cores, "cores", "at most", 0.5),
  line("memory beside it", besideCore.memoryMb, "MB", "at most", 250),
  line(
    "12 million events of 100,000 parties by the socket, the last tenth",
    scale.eventsPerProcessorSecond,
    "events/s of processor time",
    "at least",
    60_000,
  ),
  line("memory while they are stored", scale.loadingMb, "MB", "at most", 300),
  line("memory while 24 clients read as well", (scale.both as Numbers).memoryMb, "MB", "at most", 300),
  line("log of the store meanwhile", scale.logMb, "MB", "at most", 256),
  line("p99 of pages under 24 clients, of p50", scale.p99OfP50, "", "at most", 10),
  line("socket intake of the recording", intake.socketEventsPerSecond, "events/s", "at least", 60_000),
  line("... against ingest of the same events as a file", intake.ratioToFile, "", "at least", 0.8),
  line("uncached page of 50 balance changes", pages.pagesPerSecond, "requests/s", "at least", 6_000),
  line("... against the same statement behind a bare server", pages.ratioToBare, "", "at least", 0.85),
  line("the same page within a block, against a static answer", pages.ratioToStatic, "", "at least", 0.5),
  line(
    `page of a busy party, ${Number(rows).toLocaleString("en")} rows against 10,000`,
    cost.busyParty,
    "",
    "at most",
    1.3,
  ),
  line("page of a rare party, the same", cost.rareParty, "", "at most", 1.3),
  line("page of an unknown party, the same", cost.unknownParty, "", "at most", 1.3),
  line("p99 against p50 under 64 connections", pages.p99ToP50, "", "at most", 5),
  line("disk for a balance row", pages.bytesPerRow, "bytes", "at most", 60),
  line("export against sending a file", exports.ratio, "", "at least", 0.5),
  line("memory above idle during an export", exports.memoryAboveIdleMB, "MB", "at most", 64),
  line(
    "p99 of other requests during an export, against without",
    (waits.full ?? 0) / (waits.quiet ?? 1),
    "",
    "at most",
    3,
  ),
  line("gRPC: a kept page of 50 rows, against REST", grpc.unaryRatio, "", "at least", 1 / 3),
  line("gRPC: an export, against REST", grpc.exportRatio, "", "at least", 0.6),
  line(
    "GraphQL: a kept page of 100 orders with markets and parties, against REST",
    graphql.ratio,
    "",
    "at least",
    0.5,
  ),
  line("GraphQL: the same page made again, against REST", graphql.madeRatio, "", "at least", 0.5),
  line("GraphQL: the longest query over as many rows", graphql.longestMs, "ms", "at most", 1_000),
  line("making a segment against bare generation and compression", exports.makingRatio, "", "at most", 1.3),
  line("longest hold-up of ingest while segments are made", exports.longestPauseMs, "ms", "at most", 20),
  line("devnet: start of the executable to its first block", born.firstBlockMs, "ms", "at most", 150),
  line("devnet: resident memory at rest", born.idleMb, "MB", "at most", 100),
  line("100,000 empty blocks: growth of the store", empty.diskMb, "MB", "at most", 5),
  line("100,000 empty blocks: growth of memory", empty.memoryMb, "MB", "at most", 10),
  line("solver on one core, against @vegaprotocol/crypto", solver.executableRatioToVega, "", "at least", 4.0),
  line(
    "solver on one core, against OpenSSL's SHA3-256",
    solver.executableRatioToOpenssl,
    "",
    "at least",
    1.4,
  ),
  line("solver on two cores, against one", solver.executableRatioOfTwoThreads, "", "at least", 1.8),
  line("admission on one core, against bare Ed25519", admission.ratioToBare, "", "at least", 0.8),
  line("admission on both cores, against one", admission.ratioAllCores, "", "at least", 1.4),
  line(
    "transfers end to end through HTTP, against admission on one core",
    flow.ratioToAdmission,
    "",
    "at least",
    0.35,
  ),
  line("orders end to end through HTTP, against transfers", flow.ordersToTransfers, "", "at least", 0.5),
  line("p99 against p50 of SYNC under that load", flow.p99ToP50, "", "at most", 20),
  line("snapshot at 500,000 accounts", snapshots.snapshotMs, "ms", "at most", 50),
  line("revert at 500,000 accounts", snapshots.revertMs, "ms", "at most", 50),
  line(
    "application hash over 500,000 accounts and 100,000 orders, of a block of 1,000 transfers",
    hashShares.transfers!.share,
    "",
    "at most",
    0.1,
  ),
  line("... of the block in which it is most", hashShares.transfers!.shareMax, "", "at most", 0.1),
  line("... of a block of 1,000 orders", hashShares.orders!.share, "", "at most", 0.1),
  line("... of the block in which it is most", hashShares.orders!.shareMax, "", "at most", 0.1),
  line(
    "longest hold-up while that state is written for others",
    stateSnapshot.longestHoldMs,
    "ms",
    "at most",
    100,
  ),
  line(
    "application behind a consensus engine, against a single devnet",
    consensus.partOfSingle,
    "",
    "at most",
    0.6,
  ),
  line("opening a wallet, no faster than", opening!.openMs, "ms", "at least", 300),
  line("opening a wallet, no slower than", opening!.openMs, "ms", "at most", 1_000),
  line("signing the bytes of a command, against bare Ed25519", signing!.signatureRatio, "", "at least", 0.9),
  line("client.list_keys, against a static answer", listing!.ratio, "", "at least", 0.25),
  line("from connecting to sent, beyond 1.5 times the solver", sending!.excessMs, "ms", "at most", 20),
];

const table = [
  "| what | got | limit | |",
  "|---|---|---|---|",
  ...lines.map(({ what, got, unit, limit, ok }) => {
    const shown = got >= 1000 ? Math.round(got).toLocaleString("en") : got.toPrecision(3);
    return `| ${what} | ${shown} ${unit} | ${limit} | ${ok ? "met" : "**missed**"} |`;
  }),
].join("\n");
const machine = `${cpus().length} cores, ${cpus()[0]?.model ?? "unknown"}, Bun ${Bun.version}`;
const result = {
  machine,
  measuredAt,
  ...{
    start,
    ingest,
    intake,
    scale,
    follow,
    markets,
    wire,
    pages,
    exports,
    grpc,
    graphql,
    solver,
    admission,
    devnet,
    flow,
    submission,
    state,
    consensus,
    wallet,
  },
  lines,
};
await Bun.write(results, `${JSON.stringify(result, undefined, 1)}\n`);
const readme = join(here, "README.md");
const text = await Bun.file(readme).text();
const marked = /(<!-- results -->)[\s\S]*(<!-- end -->)/;
await Bun.write(readme, text.replace(marked, `$1\n${machine}\n\n${table}\n$2`));
console.log(table);
