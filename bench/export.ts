// The cost of exports and segments.
//
//   bun bench/export.ts [--mb 300] [--recording FILE]
//
// - export: against the same server sending a file of the same number of bytes, curl on the other core
// - memory of the server above idle while it exports
// - p99 of other requests during an export at full speed, and to a client on a gigabit line
// - making segments: against bare generation and compression of the same CSV, and how long the loop stands still
// Prints a table and one line of JSON.
import type { Database } from "bun:sqlite";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blockRange } from "../src/history/block-range.ts";
import { deflatePiece, PIECE_BYTES } from "../src/history/deflate.ts";
import { RowSource } from "../src/history/rows/source.ts";
import { buildSegment } from "../src/history/segment.ts";
import { InProcessBuilder, SegmentMaker } from "../src/history/segment-maker.ts";
import { listSegments, recordSegment, type SegmentRow } from "../src/history/segment-table.ts";
import { EXPORT_TABLES } from "../src/history/tables.ts";
import { replayFiles } from "../src/ingest/replay.ts";
import { ExportSlots, NetworkHistoryExports } from "../src/planes/data/network-history.ts";
import { BlockWriter } from "../src/store/block-writer.ts";
import { openReader, openWriter, segmentDirectory } from "../src/store/database.ts";
import { fabricate } from "./fabricated-segments.ts";
import { loadInChild } from "./load.ts";
import { costOf, median } from "./support.ts";

const ROUNDS = 5;
/** A loaded server, as the other limits are held against. */
const CONNECTIONS = 64;
const LOAD_MS = 1_000;
const GIGABIT = "110M";
const EXPORT = "/export?from=1&to=6000";
const PAGE = JSON.stringify(
  Array.from({ length: 50 }, (_, i) => ({ id: String(i).padStart(64, "0"), balance: "1".repeat(20), i })),
);

if (process.argv[2] === "--serve") serve(process.argv[3]!);
else await main();

/** The server under test: exports, a plain file of the same length, and a page as other requests ask for. */
function serve(home: string): void {
  const db = openReader(home);
  const exports = new NetworkHistoryExports(db, segmentDirectory(home), new ExportSlots(16));
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    reusePort: false,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/file") return new Response(Bun.file(join(home, "same.zip")));
      if (pathname !== "/export")
        return new Response(PAGE, { headers: { "content-type": "application/json" } });
      const fields = {
        table: 1,
        fromBlock: BigInt(searchParams.get("from")!),
        toBlock: BigInt(searchParams.get("to")!),
      };
      const manifest = searchParams.get("manifest") === "true";
      return exports.answer(fields, {
        headers: request.headers,
        manifest,
        signal: request.signal,
      });
    },
  });
  console.log(server.port);
}

async function main(): Promise<void> {
  const megabytes = Number(option("--mb") ?? 300);
  const home = mkdtempSync(join(tmpdir(), "lyra-bench-export-"));
  try {
    const result = {
      ...(await exporting(home, megabytes)),
      ...(await making(join(home, "recording"))),
    };
    console.log(JSON.stringify({ bench: "export", ...result }));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function option(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

/** This file as a server of the home, in a process of its own. */
async function startServer(home: string) {
  const child = Bun.spawn([process.execPath, import.meta.path, "--serve", home], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await child.stdout.getReader().read();
  return { child, base: `http://127.0.0.1:${new TextDecoder().decode(value).trim()}` };
}

async function exporting(home: string, megabytes: number) {
  await fabricate(home, megabytes);
  const { child, base } = await startServer(home);
  try {
    return await measureServer(home, base);
  } finally {
    child.kill();
    await child.exited;
  }
}

async function measureServer(home: string, base: string) {
  const archiveMB = statSync(join(home, "same.zip")).size / 1e6;
  await fetchAll(`${base}${EXPORT}`);
  await fetchAll(`${base}/file`);
  const speed = { export: [] as number[], file: [] as number[], manifest: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    speed.file.push(archiveMB / (await curlSeconds(`${base}/file`)));
    speed.export.push(archiveMB / (await curlSeconds(`${base}${EXPORT}`)));
    if (round === 0) speed.manifest.push(archiveMB / (await curlSeconds(`${base}${EXPORT}&manifest=true`)));
  }
  await Bun.sleep(500);
  const memory = await memoryAboveIdle(home);
  const waits = await pageWaits(base);
  const exportMBs = median(speed.export);
  const fileMBs = median(speed.file);
  const ratio = exportMBs / fileMBs;
  row("archive", `${archiveMB.toFixed(0)} MB`, "");
  row("export", `${exportMBs.toFixed(0)} MB/s`, `${ratio.toFixed(2)} of a file (limit 0.50)`);
  row("the same bytes as a file", `${fileMBs.toFixed(0)} MB/s`, "");
  row(
    "export with manifest",
    `${median(speed.manifest).toFixed(0)} MB/s`,
    "inflates and hashes what it sends",
  );
  row("memory above idle", `${memory.toFixed(0)} MB`, "limit 64");
  row("p99 of a page, quiet", `${waits.quiet.toFixed(2)} ms`, `${CONNECTIONS} connections`);
  row("... export to a gigabit line", `${waits.gigabit.toFixed(2)} ms`, times(waits.gigabit / waits.quiet));
  row("... export at full speed", `${waits.full.toFixed(2)} ms`, times(waits.full / waits.quiet));
  row(
    "... file at full speed",
    `${waits.file.toFixed(2)} ms`,
    `${(waits.file / waits.quiet).toFixed(1)} times, to compare`,
  );
  return {
    archiveMB,
    exportMBs,
    fileMBs,
    ratio,
    manifestMBs: median(speed.manifest),
    memoryAboveIdleMB: memory,
    pageP99Ms: waits,
  };
}

function times(factor: number): string {
  return `${factor.toFixed(1)} times (limit 3)`;
}

interface Waits {
  readonly quiet: number;
  readonly gigabit: number;
  readonly full: number;
  readonly file: number;
}

/** p99 of a page without and with an export, in turn, so that other load on the machine meets all alike. */
async function pageWaits(base: string): Promise<Waits> {
  const quiet: number[] = [];
  const gigabit: number[] = [];
  const full: number[] = [];
  const file: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(await pageP99(base));
    gigabit.push(await during(`${base}${EXPORT}`, ["--limit-rate", GIGABIT], () => pageP99(base)));
    full.push(await during(`${base}${EXPORT}`, [], () => pageP99(base)));
    file.push(await during(`${base}/file`, [], () => pageP99(base)));
  }
  return { quiet: median(quiet), gigabit: median(gigabit), full: median(full), file: median(file) };
}

async function pageP99(base: string): Promise<number> {
  const port = Number(new URL(base).port);
  const result = await loadInChild({ port, paths: ["/"], connections: CONNECTIONS, durationMs: LOAD_MS });
  return result.p99Ms;
}

/** Downloads `url` again and again while `work` runs. */
async function during(url: string, flags: string[], work: () => Promise<number>): Promise<number> {
  let isOver = false;
  const downloads = (async () => {
    while (!isOver) {
      const child = Bun.spawn(["curl", "-sS", ...flags, "-o", "/dev/null", url]);
      while (!isOver && child.exitCode === null) await Bun.sleep(20);
      child.kill();
      await child.exited;
    }
  })();
  const result = await work();
  isOver = true;
  await downloads;
  return result;
}

/** A fresh server's resident memory at rest, and the most it has while it exports. */
async function memoryAboveIdle(home: string): Promise<number> {
  const { child, base } = await startServer(home);
  try {
    for (let i = 0; i < 50; i++) await (await fetch(base)).text();
    await Bun.sleep(500);
    const idle = residentMB(child.pid);
    let most = idle;
    const timer = setInterval(() => {
      most = Math.max(most, residentMB(child.pid));
    }, 5);
    await curlSeconds(`${base}${EXPORT}`);
    await curlSeconds(`${base}${EXPORT}`);
    clearInterval(timer);
    return most - idle;
  } finally {
    child.kill();
    await child.exited;
  }
}

function residentMB(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(match?.[1] ?? 0) / 1024;
}

async function fetchAll(url: string): Promise<void> {
  for await (const _ of (await fetch(url)).body!);
}

async function curlSeconds(url: string, flags: string[] = []): Promise<number> {
  const command = ["curl", "-sS", ...flags, "-o", "/dev/null", "-w", "%{time_total}", url];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`curl failed: ${url}`);
  return Number(text);
}

interface Heights {
  readonly from: number;
  readonly to: number;
}

async function making(home: string) {
  const recording =
    option("--recording") ?? join(import.meta.dir, "../../shared/data/smoketest_to_block_5000.evts.gz");
  if (!existsSync(recording)) {
    console.log(`making segments: SKIPPED, there is no ${recording}`);
    return {};
  }
  const db = openWriter(home);
  await replayFiles(new BlockWriter(db), db, [recording]);
  const ranges = Array.from({ length: 5 }, (_, i) => ({ from: i * 1000 + 1, to: i * 1000 + 1000 }));
  const bare: number[] = [];
  const wholeMs: number[] = [];
  for (let round = 0; round < ROUNDS * 2; round++) {
    bare.push(await costOf(() => generateAndCompressAll(home, ranges)));
    wholeMs.push(await costOf(() => buildAll(home, ranges)));
  }
  // Processor time, which other load on the machine does not change; the first rounds pay for compiling the code.
  const madeMs = median(wholeMs.slice(ROUNDS));
  const ratio = madeMs / median(bare.slice(ROUNDS));
  const worker = await longestPauses(home, db, false);
  const inProcess = await longestPauses(home, db, true);
  db.close();
  row(
    "making five segments",
    `${madeMs.toFixed(0)} ms`,
    `${ratio.toFixed(2)} of bare generation and compression (limit 1.30)`,
  );
  row("longest pause of the writer", `${worker.toFixed(1)} ms`, "segments in a worker (limit 20)");
  row("... without workers", `${inProcess.toFixed(1)} ms`, "");
  return { makingRatio: ratio, longestPauseMs: worker, longestPauseInProcessMs: inProcess };
}

async function generateAndCompressAll(home: string, ranges: readonly Heights[]): Promise<void> {
  for (const range of ranges) generateAndCompress(home, range);
}

function generateAndCompress(home: string, { from, to }: Heights): void {
  const db = openReader(home);
  const source = new RowSource(db);
  const { range } = blockRange(db, from, to)!;
  for (const table of EXPORT_TABLES) {
    let text = "";
    for (const line of table.lines(source, range)) {
      text += line;
      if (text.length < PIECE_BYTES) continue;
      deflatePiece(Buffer.from(text));
      text = "";
    }
    deflatePiece(Buffer.from(text));
  }
  source.close();
  db.close();
}

async function buildAll(home: string, ranges: readonly Heights[]): Promise<void> {
  const directory = segmentDirectory(home);
  rmSync(directory, { recursive: true, force: true });
  for (const range of ranges) {
    const db = openReader(home);
    await buildSegment(db, directory, { chainId: "bench-1", ...range, previousId: "" });
    db.close();
  }
}

/** Median of a few runs: a pause that another process causes is not ours. */
async function longestPauses(home: string, db: Database, inProcess: boolean): Promise<number> {
  const pauses: number[] = [];
  for (let round = 0; round < ROUNDS; round++) pauses.push(await longestPause(home, db, inProcess));
  return median(pauses);
}

/** Milliseconds for which the loop of the writer's thread stood still while all segments were made. */
async function longestPause(home: string, db: Database, inProcess: boolean): Promise<number> {
  rmSync(segmentDirectory(home), { recursive: true, force: true });
  db.run("DELETE FROM segments");
  const record = (segment: SegmentRow) => recordSegment(db, segment);
  const maker = new SegmentMaker({
    home,
    db,
    record,
    ...(inProcess && { builder: new InProcessBuilder(home) }),
  });
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  await maker.idle();
  await Bun.sleep(5);
  clearInterval(timer);
  await maker.stop();
  if (listSegments(db).length !== 5) throw new Error("not all segments were made");
  return longest;
}

function row(what: string, value: string, note: string): void {
  console.log(`${what.padEnd(32)} ${value.padStart(12)}  ${note}`);
}
