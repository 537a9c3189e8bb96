// Kills loads at random moments and looks whether they recover by themselves (test/rig/crash.ts).
//
//   bun scripts/crash-rig.ts [--rounds 200] [--seed N] [--binary PATH] [--recording FILE]
//
// Without --binary the sources are run. The rounds are shared out over recordings and lengths of segments: the
// sample, the original's recording where it lies beside the project, and one that takes many commits. At the end a
// canary: a row is taken out of a finished home, and the rig must see it. Exit code 1 when anything is wrong.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { type CrashOptions, type CrashReport, crashRounds, dropRow } from "../test/rig/crash.ts";
import { hasRecording, RECORDING, SAMPLE } from "../test/rig/homes.ts";
import { printRound, rigOptions } from "../test/rig/options.ts";
import { longRecording } from "../test/rig/stream.ts";

const LONG_BLOCKS = 2_000;
const LONG_EVENTS_PER_BLOCK = 30;

const { rounds, seed, program, values } = rigOptions(200, { recording: { type: "string" } });
const folder = mkdtempSync(join(tmpdir(), "lyra-crash-rig-"));

type Setup = Pick<CrashOptions, "recording" | "segmentLength">;

function setups(): Setup[] {
  if (values.recording) return [{ recording: resolve(values.recording) }];
  const long = join(folder, "long.evts");
  writeFileSync(long, longRecording(LONG_BLOCKS, LONG_EVENTS_PER_BLOCK));
  const recordings = hasRecording ? [SAMPLE, RECORDING] : [SAMPLE];
  const each = recordings.flatMap((recording) =>
    [1000, 100].map((segmentLength) => ({ recording, segmentLength })),
  );
  return [...each, { recording: long, segmentLength: 100 }];
}

function printer(name: string): NonNullable<CrashOptions["onRound"]> {
  return ({ round, mode, killedMs, heights, failures }) => {
    const killed = killedMs.map((ms, n) => `${ms} ms at block ${heights[n]}`).join(", ");
    printRound(`${name}, round ${round} (${mode}): killed after ${killed}`, failures);
  };
}

async function main(): Promise<number> {
  const all = setups();
  const reports: CrashReport[] = [];
  const failures: string[] = [];
  for (const [i, setup] of all.entries()) {
    const share = Math.floor(rounds / all.length) + (i < rounds % all.length ? 1 : 0);
    if (share === 0) continue;
    const name = `${basename(setup.recording)}, segments of ${setup.segmentLength ?? 1000}`;
    const report = await crashRounds({
      ...setup,
      ...program,
      rounds: share,
      seed: seed * 1_000 + i,
      onRound: printer(name),
    });
    reports.push(report);
    failures.push(...report.failures.map((text) => `${name}, ${text}`));
  }
  const canary = await crashRounds({
    ...all[0]!,
    ...program,
    rounds: 1,
    seed,
    modes: ["replay"],
    tamper: dropRow,
  });
  const isAlive = canary.failures.some((text) => text.includes("table balances"));
  if (!isAlive) failures.push("the canary is dead: a missing row was not seen");
  const sum = (count: (report: CrashReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const kills = `${sum(({ kills }) => kills)} kills, ${sum(({ killsMidway }) => killsMidway)} of them with the load partly committed`;
  console.log(
    `\n${rounds} rounds, ${kills}: ${failures.length} failures; canary ${isAlive ? "seen" : "NOT seen"}`,
  );
  for (const text of failures) console.log(text);
  return failures.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
