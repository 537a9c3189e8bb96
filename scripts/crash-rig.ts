// Kills loads at random moments and looks whether they recover by themselves (test/rig/crash.ts).
//
//   bun scripts/crash-rig.ts [--rounds 200] [--seed N] [--binary PATH] [--recording FILE]
//
// Without --binary the sources are run. Half of the rounds make segments of 1000 blocks, half of 100. At the end a
// canary: a row is taken out of a finished home, and the rig must see it. Exit code 1 when anything is wrong.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { crashRounds, dropRow } from "../test/rig/crash.ts";
import { RECORDING, SAMPLE } from "../test/rig/homes.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    binary: { type: "string" },
    recording: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const seed = Number(values.seed);
const program = values.binary === undefined ? {} : { program: [resolve(values.binary)] };
const recordings = values.recording
  ? [values.recording]
  : [SAMPLE, RECORDING].filter((path) => existsSync(path));
const SEGMENT_LENGTHS = [1000, 100];

let kills = 0;
let killsMidway = 0;
const failures: string[] = [];
const setups = recordings.flatMap((recording) =>
  SEGMENT_LENGTHS.map((segmentLength) => ({ recording, segmentLength })),
);
for (const [i, setup] of setups.entries()) {
  const share = Math.floor(rounds / setups.length) + (i < rounds % setups.length ? 1 : 0);
  if (share === 0) continue;
  const name = `${setup.recording.split("/").at(-1)}, segments of ${setup.segmentLength}`;
  const report = await crashRounds({
    ...setup,
    ...program,
    rounds: share,
    seed: seed * 1_000 + i,
    onRound({ round, mode, killedMs, heights, failures: wrong }) {
      const killed = killedMs.map((ms, n) => `${ms} ms at block ${heights[n]}`).join(", ");
      const verdict = wrong.length === 0 ? "ok  " : "FAIL";
      console.log(`${verdict} ${name}, round ${round} (${mode}): killed after ${killed}`);
      for (const text of wrong) console.log(`     ${text}`);
    },
  });
  kills += report.kills;
  killsMidway += report.killsMidway;
  failures.push(...report.failures.map((text) => `${name}, ${text}`));
}

const canary = await crashRounds({
  ...setups[0]!,
  ...program,
  rounds: 1,
  seed,
  modes: ["replay"],
  tamper: dropRow,
});
const isAlive = canary.failures.some((text) => text.includes("table balances"));
if (!isAlive) failures.push("the canary is dead: a missing row was not seen");

console.log(
  `\n${rounds} rounds, ${kills} kills (${killsMidway} with the load partly committed), ${failures.length} failures; canary ${isAlive ? "seen" : "NOT seen"}`,
);
for (const text of failures) console.log(text);
process.exit(failures.length === 0 ? 0 : 1);
