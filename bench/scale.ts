// Cost at scale: some ten million events of a hundred thousand parties into a sidecar's event socket, by an executable as an
// operator runs it; then many clients over the stored rows, and both at once. Memory is sampled all the time.
// bun bench/scale.ts [--events N] [--binary PATH]
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storePath } from "../src/store/database.ts";
import { SECOND_NS } from "../src/wire/time-text.ts";
import { ListeningLyra } from "../test/rig/lyra.ts";
import { messageOf, Sender } from "../test/rig/sp-sender.ts";
import { loadInChild } from "./load.ts";
import { partyOf, type ScaleBlock, scaleBlocks } from "./scale-recording.ts";
import { argument, processorSeconds, programOf, residentMb } from "./support.ts";

const EVENTS = 12_000_000;
const PARTIES = 100_000;
const EVENTS_PER_BLOCK = 1_000;
/** The last part of the stream, sent while clients read. */
const SHARED_BLOCKS = 1_500;
const CLIENTS = 24;
const READ_MS = 8_000;
const SAMPLE_MS = 200;
const PATHS = 20_000;

interface Where {
  readonly dataUrl: string;
  readonly eventsPort: number;
}

const home = mkdtempSync(join(tmpdir(), "lyra-bench-"));
const ports = ["--events-port", "0", "--data-port", "0", "--node-port", "0", "--quiet"];
const sidecar = new ListeningLyra<Where>(["sidecar", "--home", home, ...ports], {
  program: programOf(argument("--binary")),
});
const { dataUrl, eventsPort } = await sidecar.listens();
const { pid } = sidecar;

const megabytes = (bytes: number) => bytes / 1e6;
const peaks = { memoryMb: 0, logMb: 0, storeMb: 0 };
const sampling = setInterval(() => {
  peaks.memoryMb = Math.max(peaks.memoryMb, residentMb(pid));
  peaks.logMb = Math.max(peaks.logMb, megabytes(statSync(`${storePath(home)}-wal`).size));
  peaks.storeMb = megabytes(statSync(storePath(home)).size);
}, SAMPLE_MS);

async function height(): Promise<number> {
  const status = (await (await fetch(`${dataUrl}/status`)).json()) as { height: number | null };
  return status.height ?? 0;
}

/** Sends blocks, and waits until they are stored. @returns events a second of the sidecar's processor time */
async function send(sender: Sender, blocks: readonly ScaleBlock[] | Iterable<ScaleBlock>, count: number) {
  const begun = processorSeconds(pid);
  const started = performance.now();
  let events = 0;
  let last = 0;
  let n = 0;
  for (const block of blocks) {
    await sender.write(Buffer.concat(block.events.map(messageOf)));
    events += block.events.length;
    last = block.height;
    if (++n === count) break;
  }
  while ((await height()) < last) await Bun.sleep(5);
  return {
    perProcessorSecond: events / (processorSeconds(pid) - begun),
    perSecond: (events / (performance.now() - started)) * 1_000,
  };
}

/** Pages of parties' balances and ledger entries, at random parties and depths: the page cache has none of them. */
function paths(blocks: number): string[] {
  const START_S = 1_700_000_000;
  return Array.from({ length: PATHS }, (_, i) => {
    const party = partyOf(Math.floor(Math.random() * PARTIES));
    const end = BigInt(START_S + Math.floor(Math.random() * blocks)) * SECOND_NS;
    const kinds = [
      `balance/changes?filter.partyIds=${party}&pagination.first=50&i=${i}`,
      `balance/changes?dateRange.endTimestamp=${end}&pagination.first=50&i=${i}`,
      `ledgerentry/history?filter.fromAccountFilter.partyIds=${party}&pagination.first=50&i=${i}`,
      `accounts?filter.partyIds=${party}&i=${i}`,
    ];
    return `/api/v2/${kinds[i % kinds.length]}`;
  });
}

const read = (blocks: number, durationMs: number) =>
  loadInChild({
    port: Number(new URL(dataUrl).port),
    paths: paths(blocks),
    connections: CLIENTS,
    durationMs,
  });

try {
  const total = Number(argument("--events") ?? EVENTS) / EVENTS_PER_BLOCK;
  const stream = scaleBlocks({
    events: Number.POSITIVE_INFINITY,
    parties: PARTIES,
    eventsPerBlock: EVENTS_PER_BLOCK,
  });
  const blocks = {
    *[Symbol.iterator]() {
      for (;;) yield stream.next().value as ScaleBlock;
    },
  };
  const sender = await Sender.dial({ hostname: "127.0.0.1", port: eventsPort });
  const tenth = Math.floor((total - SHARED_BLOCKS) / 10);
  const rates: number[] = [];
  for (let n = 0; n < 10; n++) rates.push((await send(sender, blocks, tenth)).perProcessorSecond);
  const loading = { ...peaks };
  peaks.memoryMb = 0;
  const reading = await read(10 * tenth, READ_MS);
  const serving = peaks.memoryMb;
  peaks.memoryMb = 0;
  const both = read(10 * tenth, READ_MS);
  const shared = await send(sender, blocks, SHARED_BLOCKS);
  const busy = await both;
  await sender.end();
  const figures = {
    events: 10 * tenth * EVENTS_PER_BLOCK,
    parties: PARTIES,
    firstPerProcessorSecond: rates[0],
    eventsPerProcessorSecond: rates.at(-1),
    loadingMb: loading.memoryMb,
    logMb: loading.logMb,
    storeMb: loading.storeMb,
    clients: CLIENTS,
    pagesPerSecond: reading.perSecond,
    p50Ms: reading.p50Ms,
    p99Ms: reading.p99Ms,
    p99OfP50: reading.p99Ms / reading.p50Ms,
    errors: reading.errors + busy.errors,
    servingMb: serving,
    both: {
      p50Ms: busy.p50Ms,
      p99Ms: busy.p99Ms,
      memoryMb: peaks.memoryMb,
      eventsPerSecond: shared.perSecond,
    },
  };
  console.log(JSON.stringify(figures, undefined, 1));
} finally {
  clearInterval(sampling);
  await sidecar.stop();
  rmSync(home, { recursive: true, force: true });
}
