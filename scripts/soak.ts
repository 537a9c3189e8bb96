/**
 * A node under load for long. By default a sidecar: a stream of blocks comes through its event socket at five times the peak
 * rate of the network's recording, clients read pages, and exports run, inside a disk budget. With --devnet a
 * devnet: sixty transfers a second by signed transactions, reads and exports.
 *
 *   bun scripts/soak.ts [--minutes 120] [--devnet] [--binary dist/lyra] [--out FILE]
 *
 * A line a minute; at the end the figures of each quarter and a verdict, which `--out` keeps (bench/results/soak.json,
 * soak-devnet.json). Exit code 1 when memory, descriptors, log or latency grew, or an answer was wrong.
 */
import { mkdtempSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { partyOf, scaleBlocks } from "../bench/scale-recording.ts";
import { median, residentMb } from "../bench/support.ts";
import { devnetParties } from "../src/devnet/keys.ts";
import { homeSize, totalOf } from "../src/node/home-size.ts";
import { storePath } from "../src/store/database.ts";
import {
  DevnetClient,
  DOLLAR,
  EASY,
  type LastBlock,
  provenTransaction,
  transferTo,
} from "../test/rig/devnet-client.ts";
import { RunningDevnet } from "../test/rig/devnet-process.ts";
import { ListeningLyra } from "../test/rig/lyra.ts";
import { messageOf, Sender } from "../test/rig/sp-sender.ts";

/** The recording has 258 events in its busiest second. */
const EVENTS_PER_SECOND = 5 * 258;
const PARTIES = 100_000;
const SNAPSHOT_BLOCKS = 300;
const DISK = 600_000_000;
const TRANSFERS_PER_SECOND = 60;
const CLIENTS = 24;
/** Each client's own, those that are about to close, an export's, the sender's and those that listen. */
const SOCKETS_MAX = 2 * CLIENTS + 12;
const PAUSE_MS = 200;
const EXPORT_MS = 20_000;
const SAMPLE_MS = 2_000;
const PARTS = 4;
/** Growth from the second quarter to the last that is noise. */
const NOISE = { memory: 1.15, latency: 2, descriptors: 8, threads: 4 };
const LOG_BYTES_MAX = 256_000_000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "120" },
    devnet: { type: "boolean", default: false },
    binary: { type: "string", default: "dist/lyra" },
    out: { type: "string" },
  },
});
const durationMs = Number(values.minutes) * 60_000;
const program = [resolve(values.binary)];
const home = mkdtempSync(join(tmpdir(), "lyra-soak-"));
const startedMs = performance.now();
const isOver = () => performance.now() - startedMs >= durationMs;

interface Sample {
  readonly atMs: number;
  readonly memoryMb: number;
  /** Of everything but sockets: the clients' connections come and go. */
  readonly descriptors: number;
  readonly sockets: number;
  readonly threads: number;
  readonly logBytes: number;
  readonly homeBytes: number;
}

interface Read {
  readonly atMs: number;
  readonly ms: number;
}

/** Kind of the load, and its rate. */
interface Target {
  readonly pid: number;
  readonly dataUrl: string;
  /** Loads until the time has passed. */
  load(): Promise<void>;
  path(): string;
  /** Of an export, once there is one. */
  exportPath(): Promise<string | undefined>;
  stop(): Promise<void>;
}

const samples: Sample[] = [];
const reads: Read[] = [];
const faults: string[] = [];
const count = { events: 0, exports: 0, exportBytes: 0, refused: 0 };

const below = (end: number) => Math.floor(Math.random() * end);
const fail = (text: string) => {
  faults.push(text);
  if (faults.length <= 20) console.log(`FAULT ${text}`);
};

async function sidecar(): Promise<Target> {
  const ports = ["--events-port", "0", "--data-port", "0", "--node-port", "0"];
  const words = ["sidecar", "--home", home, ...ports, "--disk", `${DISK}`, "--quiet"];
  const node = new ListeningLyra<{ dataUrl: string; eventsPort: number }>(words, { program });
  const { dataUrl, eventsPort } = await node.listens();
  const status = async () => (await (await fetch(`${dataUrl}/status`)).json()) as { height: number | null };
  let sent = 0;
  return {
    pid: node.pid,
    dataUrl,
    async load() {
      const sender = await Sender.dial({ hostname: "127.0.0.1", port: eventsPort });
      const stream = scaleBlocks({
        events: Number.POSITIVE_INFINITY,
        parties: PARTIES,
        eventsPerBlock: EVENTS_PER_SECOND,
        startNs: BigInt(Date.now()) * 1_000_000n,
        snapshotBlocks: SNAPSHOT_BLOCKS,
      });
      const begunMs = performance.now();
      while (!isOver()) {
        const block = stream.next().value!;
        await sender.write(Buffer.concat(block.events.map(messageOf)));
        if (sender.isClosed) throw new Error("the sidecar closed the event socket");
        sent = block.height;
        count.events += block.events.length;
        await Bun.sleep(Math.max(0, begunMs + sent * 1_000 - performance.now()));
      }
      for (let tries = 0; (await status()).height !== sent; tries++) {
        if (tries > 600) return fail(`the last block is ${(await status()).height}, sent were ${sent}`);
        await Bun.sleep(100);
      }
      await sender.end();
    },
    path: () =>
      readPath(partyOf(below(PARTIES)), "balance/changes?pagination.first=50&pagination.newestFirst=true"),
    exportPath: () => segmentExport(dataUrl),
    async stop() {
      await node.stop();
    },
  };
}

async function devnet(): Promise<Target> {
  const words = ["--segment-length", "300"];
  const node = new RunningDevnet({ home, block: "1s", parameters: EASY, words, program });
  const { dataUrl, nodeUrl } = await node.listening();
  const client = new DevnetClient(nodeUrl, dataUrl);
  const parties = devnetParties();
  let n = 0;
  const transfer = async (block: LastBlock) => {
    const party = parties[n % parties.length]!;
    const command = transferTo(parties[(n + 1) % parties.length]!.publicKey, DOLLAR, 100_000n);
    const bytes = provenTransaction(party.key, command, block, `soak ${n++}`);
    const { success, text } = await client.submit(bytes, "TYPE_SYNC");
    if (!success) {
      count.refused++;
      fail(`a transfer was refused: ${text}`);
    }
  };
  return {
    pid: node.pid,
    dataUrl,
    async load() {
      const begunMs = performance.now();
      while (!isOver()) {
        const block = await client.lastBlock();
        for (let i = 0; i < TRANSFERS_PER_SECOND / 4; i++) await transfer(block);
        count.events = n;
        await Bun.sleep(Math.max(0, begunMs + (n / TRANSFERS_PER_SECOND) * 1_000 - performance.now()));
      }
    },
    path: () => readPath(parties[below(parties.length)]!.publicKey, "transfers?pagination.first=50"),
    exportPath: () => segmentExport(dataUrl),
    async stop() {
      await node.stop();
    },
  };
}

/** A page of a party's rows, or the given one. */
function readPath(party: string, ofAll: string): string {
  const kinds = [
    `balance/changes?filter.partyIds=${party}&pagination.first=50`,
    ofAll,
    `ledgerentry/history?filter.fromAccountFilter.partyIds=${party}&pagination.first=50`,
    `accounts?filter.partyIds=${party}`,
  ];
  return `/api/v2/${kinds[below(kinds.length)]}`;
}

/** Of one of the last segments, of any table. */
async function segmentExport(dataUrl: string): Promise<string | undefined> {
  const response = await fetch(`${dataUrl}/api/v2/networkhistory/segments`);
  const { segments } = (await response.json()) as { segments: { fromHeight: string; toHeight: string }[] };
  const newest = segments.toSorted((a, b) => Number(b.toHeight) - Number(a.toHeight)).slice(0, 3);
  const segment = newest[below(newest.length)];
  if (segment === undefined) return undefined;
  return `/api/v2/networkhistory/export?table=${1 + below(15)}&fromBlock=${segment.fromHeight}&toBlock=${segment.toHeight}`;
}

function descriptorsOf(pid: number): { descriptors: number; sockets: number } {
  const targets = readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
  const sockets = targets.filter((target) => target.startsWith("socket:")).length;
  return { descriptors: targets.length - sockets, sockets };
}

function sample(pid: number): void {
  samples.push({
    atMs: performance.now() - startedMs,
    memoryMb: residentMb(pid),
    ...descriptorsOf(pid),
    threads: readdirSync(`/proc/${pid}/task`).length,
    logBytes: statSync(`${storePath(home)}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    homeBytes: totalOf(homeSize(home)),
  });
}

async function readPages(target: Target): Promise<void> {
  while (!isOver()) {
    const path = target.path();
    const begun = performance.now();
    try {
      const response = await fetch(`${target.dataUrl}${path}`);
      const text = await response.text();
      reads.push({ atMs: begun - startedMs, ms: performance.now() - begun });
      if (response.status !== 200) fail(`${path}: ${response.status} ${text.slice(0, 200)}`);
    } catch (error) {
      fail(`${path}: ${(error as Error).message}`);
    }
    await Bun.sleep(PAUSE_MS * (0.5 + Math.random()));
  }
}

async function readExports(target: Target): Promise<void> {
  while (!isOver()) {
    await Bun.sleep(Math.min(EXPORT_MS, durationMs / 20));
    const path = await target.exportPath();
    if (path === undefined) continue;
    const response = await fetch(`${target.dataUrl}${path}`);
    const bytes = (await response.arrayBuffer()).byteLength;
    if (response.status === 200) {
      count.exports++;
      count.exportBytes += bytes;
    } else fail(`${path}: ${response.status}`);
  }
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

const rounded = (value: number) => Math.round(value * 100) / 100;

/** Figures of a part of the time; the first two minutes are the start's. */
function figures(fromMs: number, toMs: number) {
  const inPart = ({ atMs }: { atMs: number }) => atMs >= fromMs && atMs < toMs;
  const part = samples.filter(inPart);
  const times = reads.filter(inPart).map(({ ms }) => ms);
  return {
    fromMinute: rounded(fromMs / 60_000),
    memoryMb: rounded(median(part.map(({ memoryMb }) => memoryMb))),
    memoryMbMax: rounded(Math.max(...part.map(({ memoryMb }) => memoryMb))),
    descriptors: median(part.map(({ descriptors }) => descriptors)),
    socketsMax: Math.max(...part.map(({ sockets }) => sockets)),
    threads: median(part.map(({ threads }) => threads)),
    logMbMax: rounded(Math.max(...part.map(({ logBytes }) => logBytes)) / 1e6),
    homeMbMax: rounded(Math.max(...part.map(({ homeBytes }) => homeBytes)) / 1e6),
    reads: times.length,
    p50Ms: rounded(quantile(times, 0.5)),
    p99Ms: rounded(quantile(times, 0.99)),
  };
}

type Figures = ReturnType<typeof figures>;

/** Figures that grew from the second quarter on, in words. */
function growth(parts: readonly Figures[]): string[] {
  const [, early, , late] = parts as [Figures, Figures, Figures, Figures];
  const growths: string[] = [];
  const compare = (name: "memoryMb" | "p50Ms" | "p99Ms", noise: number) => {
    if (late[name] > noise * early[name]) growths.push(`${name} grew from ${early[name]} to ${late[name]}`);
  };
  compare("memoryMb", NOISE.memory);
  compare("p50Ms", NOISE.latency);
  compare("p99Ms", NOISE.latency);
  for (const name of ["descriptors", "threads"] as const) {
    if (late[name] > early[name] + NOISE[name])
      growths.push(`${name} grew from ${early[name]} to ${late[name]}`);
  }
  for (const { logMbMax, homeMbMax, socketsMax } of parts) {
    if (socketsMax > SOCKETS_MAX) growths.push(`${socketsMax} sockets were open`);
    if (logMbMax * 1e6 > LOG_BYTES_MAX) growths.push(`the log had ${logMbMax} MB`);
    if (!values.devnet && homeMbMax * 1e6 > DISK) growths.push(`the home had ${homeMbMax} MB`);
  }
  return growths;
}

/** So far, or at the end. */
function resultOf(lastedMs: number) {
  const warmMs = Math.min(120_000, lastedMs / 8);
  const length = (lastedMs - warmMs) / PARTS;
  const parts = Array.from({ length: PARTS }, (_, n) =>
    figures(warmMs + n * length, warmMs + (n + 1) * length),
  );
  return {
    at: new Date().toISOString(),
    target: values.devnet ? "devnet" : "sidecar",
    minutes: rounded(lastedMs / 60_000),
    load: values.devnet
      ? `${TRANSFERS_PER_SECOND} transfers a second`
      : `${EVENTS_PER_SECOND} events a second`,
    clients: CLIENTS,
    ...count,
    limits: { ...NOISE, logMb: LOG_BYTES_MAX / 1e6, ...(!values.devnet && { homeMb: DISK / 1e6 }) },
    parts,
    problems: [...faults.slice(0, 20), ...growth(parts)],
  };
}

/** Keeps the result of an interrupted run as well. */
function keepResult(): ReturnType<typeof resultOf> {
  const result = resultOf(Math.min(durationMs, performance.now() - startedMs));
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(result, undefined, 1)}\n`);
  return result;
}

const target = await (values.devnet ? devnet() : sidecar());
const sampling = setInterval(() => sample(target.pid), SAMPLE_MS);
const telling = setInterval(() => {
  const minute = figures(performance.now() - startedMs - 60_000, performance.now() - startedMs);
  console.log(JSON.stringify({ ...minute, ...count, faults: faults.length }));
  keepResult();
}, 60_000);
try {
  const clients = Array.from({ length: CLIENTS }, () => readPages(target));
  await Promise.all([target.load(), readExports(target), ...clients]);
} catch (error) {
  fail((error as Error).message);
} finally {
  clearInterval(sampling);
  clearInterval(telling);
  await target.stop();
  rmSync(home, { recursive: true, force: true });
}
const result = keepResult();
console.log(JSON.stringify(result, undefined, 1));
process.exitCode = result.problems.length === 0 ? 0 : 1;
