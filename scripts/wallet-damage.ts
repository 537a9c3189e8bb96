// Opens damaged wallet files (test/rig/wallet-damage.ts).
//
//   bun scripts/wallet-damage.ts [--cases 10000] [--seed N] [--binary PATH --sample 40]
//
// The key derivation of the cases costs nothing, so that there can be many. With --binary some more, of files as the
// command line makes them, are given to the executable. Exit code 1 when anything is wrong.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { damageRounds } from "../test/rig/wallet-damage.ts";
import { damageByProgram } from "../test/rig/wallet-damage-program.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "10000" },
    sample: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    binary: { type: "string" },
  },
});
const seed = Number(values.seed);
const began = performance.now();
const report = await damageRounds({ cases: Number(values.cases), seed });
const failures = [...report.failures];
for (const [key, count] of [...report.answers].sort()) console.log(`${String(count).padStart(6)}  ${key}`);
let sample = "";
if (values.binary !== undefined) {
  const byProgram = await damageByProgram([resolve(values.binary)], Number(values.sample), seed);
  failures.push(...byProgram.failures);
  for (const [key, count] of [...byProgram.answers].sort())
    console.log(`${String(count).padStart(6)}  ${key}`);
  sample = `, ${byProgram.cases} of them at full strength by the executable`;
}
const seconds = Math.round((performance.now() - began) / 1_000);
console.log(`\n${report.cases} damaged files${sample}, in ${seconds} s: ${failures.length} failures`);
for (const text of failures) console.log(text);
process.exitCode = failures.length === 0 ? 0 : 1;
