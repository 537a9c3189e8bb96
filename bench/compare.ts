/**
 * This commit beside another commit: start, memory at rest and the main rates of both, in turns, and their ratios.
 *
 *   bun bench/compare.ts --other WORKTREE [--rounds 5] [--short] [--built] [--only start,replay,devnet] [--limit 1.05]
 *
 * Both run from their sources, or with --built as their `dist/lyra`; each makes its own homes. Processor time is compared
 * (all threads of a process), which other programs of the machine disturb less than a clock; memory is resident. With --limit
 * the exit code is 1 where a ratio of processor time or memory is above it.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ask, startDevnet } from "./devnet-process.ts";
import { loadInChild } from "./load.ts";
import { argument, median, processorSeconds, residentMb } from "./support.ts";

const REST_MS = 1_500;
const CONNECTIONS = 16;
const STREAMS = 50;

const here = join(import.meta.dir, "..");
const otherTree = argument("--other");
const isShort = process.argv.includes("--short");
const isBuilt = process.argv.includes("--built");
const rounds = Number(argument("--rounds") ?? (isShort ? 3 : 5));
const only = argument("--only")?.split(",");
const limit = Number(argument("--limit") ?? Number.POSITIVE_INFINITY);
/** Of the longer form. */
const scale = isShort ? 0.25 : 1;

interface Side {
  readonly name: "this" | "other";
  readonly program: readonly string[];
  readonly home: string;
  readonly values: Map<string, number[]>;
}

function sideOf(name: Side["name"], tree: string): Side {
  const path = isBuilt ? join(tree, "dist", "lyra") : join(tree, "src", "main.ts");
  if (!existsSync(path)) throw new Error(`${path} is not there`);
  const home = mkdtempSync(join(tmpdir(), `lyra-compare-${name}-`));
  return { name, program: isBuilt ? [path] : [process.execPath, path], home, values: new Map() };
}

function note({ values }: Side, measure: string, value: number): void {
  const list = values.get(measure);
  if (list) list.push(value);
  else values.set(measure, [value]);
}

/** Processor seconds of a command that ends. */
async function secondsOf(words: readonly string[]): Promise<number> {
  const child = Bun.spawn([...words], { stdout: "ignore", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`${words.join(" ")} failed`);
  return Number(child.resourceUsage()!.cpuTime.total) / 1e6;
}

const sample = join(here, "data", "sample.evts.gz");

/** Loads the shipped recording. */
async function measureReplay(side: Side): Promise<void> {
  rmSync(side.home, { recursive: true, force: true });
  note(
    side,
    "replay, CPU s",
    await secondsOf([...side.program, "replay", sample, "--home", side.home, "--quiet"]),
  );
}

/** Start of a data node, its memory, and what a request costs. */
async function measureServe(side: Side): Promise<void> {
  const out = join(side.home, "compare.json");
  const places = ["--data-port", "0", "--config-out", out, "--quiet"];
  const startedMs = performance.now();
  const child = Bun.spawn([...side.program, "serve", "--home", side.home, ...places], {
    stdout: "ignore",
    stderr: "inherit",
  });
  try {
    for (let tries = 0; tries < 30_000 && !existsSync(out); tries++) await Bun.sleep(1);
    const { dataPort: port } = (await Bun.file(out).json()) as { dataPort: number };
    rmSync(out);
    const first = await fetch(`http://127.0.0.1:${port}/api/v2/assets`);
    if (first.status !== 200) throw new Error(`the first answer was ${first.status}`);
    note(side, "start to the first answer, ms", performance.now() - startedMs);
    note(side, "start to the first answer, CPU s", processorSeconds(child.pid));
    await Bun.sleep(REST_MS);
    note(side, "memory at rest, MB", residentMb(child.pid));
    const costOf = async (measure: string, paths: readonly string[]) => {
      const options = { port, paths, connections: CONNECTIONS, warmupMs: 0 };
      await loadInChild({ ...options, durationMs: 1_000 * scale });
      const before = processorSeconds(child.pid);
      const { requests, errors } = await loadInChild({ ...options, durationMs: 6_000 * scale });
      if (errors > 0) throw new Error(`${errors} answers were not 200`);
      note(side, measure, ((processorSeconds(child.pid) - before) * 1e6) / requests);
    };
    await costOf("kept answer, CPU µs", ["/api/v2/assets"]);
    const distinct = Array.from({ length: 5_000 }, (_, n) => `/api/v2/trades?pagination.first=20&n=${n}`);
    await costOf("answer made again, CPU µs", distinct);
  } finally {
    child.kill();
    await child.exited;
  }
}

/** A devnet: its start and memory, empty blocks, and orders that trade. */
async function measureDevnet(side: Side): Promise<void> {
  const devnet = await startDevnet(side.program);
  try {
    note(side, "devnet start, CPU s", processorSeconds(devnet.pid));
    await Bun.sleep(REST_MS);
    note(side, "devnet memory at rest, MB", residentMb(devnet.pid));
    const tool = <T>(name: string, body: object) => ask<T>(`${devnet.nodeUrl}/devnet/${name}`, body);
    const costOf = async (measure: string, count: number, run: () => Promise<unknown>) => {
      const before = processorSeconds(devnet.pid);
      await run();
      note(side, measure, ((processorSeconds(devnet.pid) - before) * 1e6) / count);
    };
    const blocks = 40_000 * scale;
    await costOf("empty block, CPU µs", blocks, () => tool("mine", { blocks }));
    const streams = await openStreams(`${devnet.dataUrl}/api/v2/stream/event/bus`);
    const followed = 4_000 * scale;
    await costOf(`block with ${STREAMS} streams, CPU µs`, followed, () => tool("mine", { blocks: followed }));
    for (const socket of streams) socket.close();
    const { market } = await tool<{ market: string }>("market/create", { preset: "btc" });
    await tool("market/run", { market, orders: 100 });
    const orders = 4_000 * scale;
    await costOf("order of market/run, CPU µs", orders, () =>
      tool("market/run", { market, orders, seed: 7 }),
    );
  } finally {
    await devnet.stop();
  }
}

/** Clients of the event bus, over WebSockets. */
function openStreams(url: string): Promise<WebSocket[]> {
  const opening = Array.from({ length: STREAMS }, () => {
    const socket = new WebSocket(url.replace("http", "ws"));
    const begun = Promise.withResolvers<WebSocket>();
    socket.onopen = () => {
      socket.send("{}");
      begun.resolve(socket);
    };
    socket.onerror = () => begun.reject(new Error(`${url} cannot be followed`));
    return begun.promise;
  });
  return Promise.all(opening);
}

const MEASURES: Readonly<Record<string, (side: Side) => Promise<void>>> = {
  // Before the start: it makes the home.
  replay: measureReplay,
  start: measureServe,
  devnet: measureDevnet,
};

if (otherTree === undefined) throw new Error("usage: bun bench/compare.ts --other WORKTREE");
const sides = [sideOf("this", here), sideOf("other", resolve(otherTree))] as const;
try {
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of Object.entries(MEASURES)) {
      const isWanted =
        only === undefined || only.includes(name) || (name === "replay" && only.includes("start"));
      if (!isWanted) continue;
      // The side that goes first changes: whatever the machine does meanwhile meets both.
      const turns = round % 2 === 0 ? sides : sides.toReversed();
      for (const side of turns) await measure(side);
    }
    console.error(`round ${round + 1} of ${rounds}`);
  }
} finally {
  for (const { home } of sides) rmSync(home, { recursive: true, force: true });
}

const [own, other] = sides;
const rows = [...own.values.keys()].map((measure) => {
  const [a, b] = [median(own.values.get(measure)!), median(other.values.get(measure)!)];
  const ratios = own.values.get(measure)!.map((value, n) => value / other.values.get(measure)![n]!);
  const ratio = median(ratios);
  const text = (value: number) => Number(value.toPrecision(3));
  return {
    measure,
    this: text(a),
    other: text(b),
    ratio: text(ratio),
    isAbove: ratio > limit && !measure.endsWith(", ms"),
  };
});
console.table(rows.map(({ isAbove: _, ...row }) => row));
const above = rows.filter(({ isAbove }) => isAbove);
for (const { measure, ratio } of above) console.error(`${measure}: ${ratio} times the other's`);
process.exit(above.length > 0 ? 1 : 0);
