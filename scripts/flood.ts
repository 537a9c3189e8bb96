// Floods a devnet with what is malformed, too much, or never ends, and says what came of it (test/flood).
//
//   bun scripts/flood.ts [--mutants 20000] [--parties 1000] [--connections 10000] [--seed N] [--binary PATH]
//
// The tests of test/flood do the same with smaller numbers. Exit code 1 when an answer is out of form, an honest party
// is not served in time, or memory grows beyond its bound.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  filesMax,
  flood,
  halfBody,
  Idlers,
  quantile,
  residentMib,
  type Service,
  serveHonest,
  strangers,
  type Tally,
} from "../test/flood/crowd.ts";
import { Fuzz } from "../test/flood/fuzz.ts";
import { DevnetClient, EASY } from "../test/rig/devnet-client.ts";
import { RunningDevnet } from "../test/rig/devnet-process.ts";
import { Scratch } from "../test/rig/homes.ts";
import { PROGRAM } from "../test/rig/lyra.ts";

const { values } = parseArgs({
  options: {
    mutants: { type: "string", default: "20000" },
    parties: { type: "string", default: "1000" },
    connections: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    binary: { type: "string" },
  },
});
const program = values.binary === undefined ? PROGRAM : [resolve(values.binary)];
const LATENCY_MS_MAX = 3_000;
const SPARE_FILES = 500;
/** Beyond what the process has when it is idle; the mempool of 5,000 transactions included. */
const GROWTH_MIB_MAX = 400;

const scratch = new Scratch("flood");
const problems: string[] = [];

interface Target {
  readonly client: DevnetClient;
  readonly pid: number;
  readonly ports: readonly number[];
}

/** A devnet for one flood; afterwards it must still be well. */
async function against(
  title: string,
  block: string,
  parameters: Readonly<Record<string, string>>,
  run: (target: Target) => Promise<string>,
): Promise<void> {
  const devnet = new RunningDevnet({ home: scratch.path(), block, parameters, program });
  try {
    const { nodeUrl, dataUrl, nodePort, dataPort, pid } = await devnet.listening();
    const before = residentMib(pid);
    const began = performance.now();
    const result = await run({
      client: new DevnetClient(nodeUrl, dataUrl),
      pid,
      ports: [nodePort, dataPort],
    });
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    const after = residentMib(pid);
    console.log(`${title}: ${result}; ${seconds} s, memory ${before} MiB before, ${after} MiB after`);
    if (after - before > GROWTH_MIB_MAX) problems.push(`${title}: memory grew by ${after - before} MiB`);
    const { code, err } = await devnet.stop();
    if (code !== 0 || err !== "") problems.push(`${title}: exit code ${code}: ${err}`);
  } catch (error) {
    problems.push(`${title}: ${(error as Error).message}`);
  } finally {
    devnet.kill("SIGKILL");
    await devnet.end();
  }
}

function served(title: string, { tookMs, refusals }: Service): string {
  const worst = Math.max(...tookMs);
  if (worst > LATENCY_MS_MAX) problems.push(`${title}: an honest party waited ${Math.round(worst)} ms`);
  if (refusals.length > 0) problems.push(`${title}: an honest party was refused: ${refusals[0]}`);
  const [p50, p99] = [0.5, 0.99].map((part) => quantile(tookMs, part).toFixed(1));
  return `an honest party sent ${tookMs.length}, p50 ${p50} ms, p99 ${p99} ms, worst ${worst.toFixed(1)} ms`;
}

function tallyText(tally: Tally): string {
  return [...tally].map(([word, count]) => `${count} times "${word}"`).join(", ");
}

async function connections(title: string, { client, ports }: Target, count: number, opening?: Uint8Array) {
  const idlers = new Idlers();
  try {
    await idlers.open(ports, count, opening);
    const waiting = (async () => {
      for (let second = 0; second < 10; second++) {
        if (opening) idlers.drip();
        await Bun.sleep(1_000);
      }
    })();
    const service = await serveHonest(client, "TYPE_COMMIT", title, waiting);
    return `${count} connections, ${idlers.closed} of them closed by the node; ${served(title, service)}`;
  } finally {
    idlers.close();
  }
}

try {
  await against("malformed", "instant", EASY, async ({ client }) => {
    const fuzz = new Fuzz(client, Number(values.seed));
    await fuzz.bodies();
    await fuzz.oversized();
    await fuzz.mutants(Number(values.mutants));
    const { requests, accepted, oddities } = fuzz.report;
    problems.push(...oddities.map((text) => `malformed: ${text}`));
    return `${requests} requests, ${accepted} of them good all the same, ${oddities.length} answers out of form`;
  });

  const strict = { ...EASY, "spam.pow.numberOfTxPerBlock": "5" };
  await against("one party", "instant", strict, async ({ client }) => {
    const flooding = flood(client, strangers(1), 10_000, { name: "one" });
    const service = await serveHonest(client, "TYPE_COMMIT", "beside one", flooding);
    return `${tallyText(await flooding)}; ${served("one party", service)}`;
  });

  for (const block of ["1s", "instant", "manual"]) {
    const title = `${values.parties} parties, blocks ${block}`;
    await against(title, block, EASY, async ({ client }) => {
      const flooding = flood(client, strangers(Number(values.parties)), 20_000, { name: "many", lanes: 200 });
      // Without blocks the honest party, too, has no more than its share of the mempool: it comes when that is full.
      if (block === "manual") await flooding;
      // And in a second it sends no more than that: some five of 5,000 places.
      const pauseMs = block === "1s" ? 300 : 20;
      const service = await serveHonest(client, "TYPE_SYNC", "beside many", flooding, pauseMs);
      return `${tallyText(await flooding)}; ${served(title, service)}`;
    });
  }

  const requested = Number(values.connections);
  const count = Math.min(requested, filesMax() - SPARE_FILES);
  if (count < requested) console.log(`only ${count} connections: no more files may be open here (ulimit -n)`);
  await against("idle connections", "instant", EASY, (target) => connections("idle", target, count));
  await against("bodies that trickle", "instant", EASY, (target) =>
    connections("trickle", target, count, halfBody(20_000, 30_000)),
  );
  await against("large bodies that trickle", "instant", EASY, (target) =>
    connections("large", target, Math.min(count, 1_000), halfBody(1_900_000, 2_000_000)),
  );
} finally {
  scratch.remove();
}

console.log(`\n${problems.length} problems`);
for (const text of problems) console.log(text);
process.exitCode = problems.length === 0 ? 0 : 1;
