// The engine's markets against the naive model over as many random sequences as one likes (test/simulation/markets).
//
//   bun scripts/simulate-markets.ts [--sequences 100000] [--seed 1]
//
// Standard output has one line of JSON: what was run, and how often each state of interest was reached. When the two differ,
// the sequence is made short and printed to standard error with its seed, and the exit code is 1.
import { parseArgs } from "node:util";
import { describeFinding, findDifference } from "../test/simulation/markets/findings.ts";

const PROGRESS_EVERY = 1_000;

const { values } = parseArgs({
  options: {
    sequences: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
  },
});
const sequences = Number(values.sequences);
const first = Number(values.seed);

const reached = new Map<string, number>();
let [commands, blocks] = [0, 0];
const started = performance.now();
for (let seed = first; seed < first + sequences; seed++) {
  const result = findDifference(seed);
  if ("error" in result) {
    console.error(describeFinding(result));
    process.exit(1);
  }
  commands += result.commands;
  blocks += result.blocks;
  for (const [what, often] of result.counts) reached.set(what, (reached.get(what) ?? 0) + often);
  const done = seed - first + 1;
  if (done % PROGRESS_EVERY === 0) console.error(`${done.toLocaleString("en")} sequences from seed ${first}`);
}
const seconds = Math.round((performance.now() - started) / 1_000);
console.log(
  JSON.stringify({
    sequences,
    commands,
    blocks,
    reached: Object.fromEntries([...reached].sort(([a], [b]) => (a < b ? -1 : 1))),
    firstSeed: first,
    seconds,
  }),
);
