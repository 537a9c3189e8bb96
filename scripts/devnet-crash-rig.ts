// Kills a devnet at random moments and looks whether it keeps what it has acknowledged (test/rig/devnet-crash.ts).
//
//   bun scripts/devnet-crash-rig.ts [--rounds 500] [--seed N] [--mode tools] [--binary PATH]
//
// Without --binary the sources are run. At the end two canaries: finished homes are damaged, and the rig must see it.
// Exit code 1 when anything is wrong.
import { CANARIES, type DevnetMode, type DevnetRound, devnetCrashRounds } from "../test/rig/devnet-crash.ts";
import { printRound, rigOptions } from "../test/rig/options.ts";

const { rounds, seed, program, values } = rigOptions(500, { mode: { type: "string" } });
const only = values.mode === undefined ? {} : { modes: [values.mode as DevnetMode] };

function print({ round, mode, killedMs, height, acknowledged, failures }: DevnetRound): void {
  const killed = killedMs.map((ms) => `${ms} ms`).join(", ");
  const kept = `block ${height}, ${acknowledged} acknowledged`;
  printRound(`round ${round} (${mode}): killed after ${killed}; ${kept}`, failures);
}

const began = performance.now();
const report = await devnetCrashRounds({ ...program, ...only, rounds, seed, onRound: print });
const { kills, acknowledged, blocks, atCheckpoint, inRevert, failures } = report;
const problems = [...failures];
for (const { name, tamper, sign } of CANARIES) {
  const canary = await devnetCrashRounds({
    ...program,
    rounds: 2,
    roundsPerHome: 2,
    seed,
    modes: ["load"],
    tamper,
  });
  const isAlive = canary.failures.some((text) => sign.test(text));
  console.log(`canary (${name}): ${isAlive ? "seen" : "NOT seen"}`);
  if (!isAlive) problems.push(`the canary is dead: ${name} was not seen`);
}
const seconds = Math.round((performance.now() - began) / 1_000);
const when = `${atCheckpoint} of them at a checkpoint, ${inRevert} in a revert`;
const sum = `${kills} kills, ${when}; ${blocks} blocks kept, ${acknowledged} transactions acknowledged`;
console.log(`\n${rounds} rounds in ${seconds} s, ${sum}: ${problems.length} failures`);
for (const text of problems) console.log(text);
process.exitCode = problems.length === 0 ? 0 : 1;
