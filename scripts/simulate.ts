// The engine against the naive ledger over as many random sequences as one likes (test/simulation).
//
//   bun scripts/simulate.ts [--sequences 100000] [--seed 0] [--processes N]
//
// The sequences of one range of seeds are always the same; they are shared out over processes, one a core unless
// told. Standard output has one line of JSON: what was run and how often each refusal came up. When the two differ,
// the sequence is made short and printed to standard error with its seed, and the exit code is 1.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { allSimulations, describeFinding, findDifference } from "../test/simulation/simulation.ts";

interface Report {
  readonly sequences: number;
  readonly commands: number;
  readonly blocks: number;
  readonly facts: Readonly<Record<string, number>>;
  readonly refused: Readonly<Record<string, number>>;
}

const PROGRESS_EVERY = 5_000;

const { values } = parseArgs({
  options: {
    sequences: { type: "string", default: "100000" },
    seed: { type: "string", default: "0" },
    processes: { type: "string", default: `${availableParallelism()}` },
  },
});
const sequences = Number(values.sequences);
const seed = Number(values.seed);
const processes = Math.min(Number(values.processes), Math.max(1, sequences));

function simulate(): Report | undefined {
  const facts = new Map<string, number>();
  const refused = new Map<string, number>();
  let [done, commands, blocks] = [0, 0, 0];
  const finding = findDifference(allSimulations(), seed, sequences, (_seed, outcome) => {
    done += 1;
    commands += outcome.commands;
    blocks += outcome.digests.length;
    addTo(facts, outcome.facts);
    addTo(refused, outcome.refused);
    if (done % PROGRESS_EVERY === 0)
      console.error(`${done.toLocaleString("en")} sequences from seed ${seed}`);
  });
  if (finding !== undefined) {
    console.error(describeFinding(finding));
    return undefined;
  }
  return {
    sequences: done,
    commands,
    blocks,
    facts: Object.fromEntries(facts),
    refused: Object.fromEntries(refused),
  };
}

/** The same command for each share of the seeds. */
async function simulateInProcesses(): Promise<Report | undefined> {
  const reports = await Promise.all(
    Array.from({ length: processes }, async (_, at) => {
      const from = Math.floor((sequences * at) / processes);
      const to = Math.floor((sequences * (at + 1)) / processes);
      const options = ["--seed", `${seed + from}`, "--sequences", `${to - from}`, "--processes", "1"];
      const child = Bun.spawn([process.execPath, import.meta.path, ...options], {
        stdout: "pipe",
        stderr: "inherit",
      });
      const text = await new Response(child.stdout).text();
      return (await child.exited) === 0 ? (JSON.parse(text) as Report) : undefined;
    }),
  );
  const whole = reports.filter((report) => report !== undefined);
  return whole.length === reports.length ? whole.reduce(joined) : undefined;
}

function joined(a: Report, b: Report): Report {
  const sums = (one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>) => {
    const counts = new Map(Object.entries(one));
    addTo(counts, new Map(Object.entries(other)));
    return Object.fromEntries(counts);
  };
  return {
    sequences: a.sequences + b.sequences,
    commands: a.commands + b.commands,
    blocks: a.blocks + b.blocks,
    facts: sums(a.facts, b.facts),
    refused: sums(a.refused, b.refused),
  };
}

function addTo(sums: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
}

const started = performance.now();
const report = processes > 1 ? await simulateInProcesses() : simulate();
if (report !== undefined) {
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(JSON.stringify({ ...report, firstSeed: seed, seconds }));
}
process.exit(report === undefined ? 1 : 0);
