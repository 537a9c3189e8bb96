// Long lives of a market: windows of its value, epochs with rewards, blocks of active trading. Time, state and memory per
// step must be flat.
//
//   bun scripts/long-runs.ts [--windows 10000] [--epochs 10000] [--blocks 100000]
//
// Standard output has a line of JSON for each life: for each tenth of it, processor time per step, entries and characters of
// the state, digits of its longest number, and the heap after a collection. The exit code is 1 where something grows.
import { parseArgs } from "node:util";
import { DIGITS_MAX, LongRun, type LongRunKind } from "../test/engine/markets/long-run.ts";

const TENTHS = 10;
/** Limits of the last tenth against the second one: the first has the program's own warming up. */
const GROWTH_MAX = 1.5;

const { values } = parseArgs({
  options: {
    windows: { type: "string", default: "10000" },
    epochs: { type: "string", default: "10000" },
    blocks: { type: "string", default: "100000" },
  },
});

let isFlat = true;
for (const kind of ["windows", "epochs", "blocks"] as const satisfies LongRunKind[]) {
  const steps = Number(values[kind]);
  const run = new LongRun(kind);
  const tenths = [];
  for (let tenth = 0; tenth < TENTHS; tenth++) {
    const before = process.cpuUsage();
    run.play(Math.ceil(steps / TENTHS));
    const { user, system } = process.cpuUsage(before);
    Bun.gc(true);
    tenths.push({
      microsecondsPerStep: Math.round((user + system) / Math.ceil(steps / TENTHS)),
      ...run.size(),
      heapBytes: process.memoryUsage().heapUsed,
    });
  }
  console.log(JSON.stringify({ kind, steps, tenths }));
  const digits = Math.max(...tenths.map((tenth) => tenth.digits));
  if (digits > DIGITS_MAX) {
    isFlat = false;
    console.error(`${kind}: a number has ${digits} digits`);
  }
  const [, early, late] = [tenths[0]!, tenths[1]!, tenths.at(-1)!];
  for (const figure of ["microsecondsPerStep", "entries", "characters", "heapBytes"] as const) {
    if (late[figure] <= early[figure] * GROWTH_MAX) continue;
    isFlat = false;
    console.error(`${kind}: ${figure} grows from ${early[figure]} to ${late[figure]}`);
  }
}
if (!isFlat) process.exit(1);
