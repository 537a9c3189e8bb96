// Trials of a network of four validators behind CometBFT: kills, restarts, lost homes, partitions, full disks and mempools, a validator
// that differs, proposers that lie, validators that come and go, parties that are banned, an upgrade. After each, all validators must have the same application hash at each height, and the same rows, segments and exports.
// Each trial is a file in testnet-rig/.
//
//   bun scripts/testnet-rig.ts [--only 1,3] [--short] [--cometbft PATH] [--program PATH] [--keep]
//
// Where the consensus engine is missing nothing is tried, and the exit code is 0. Exit code 1 when a trial fails.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SOURCES } from "../test/rig/lyra.ts";
import { expectSame } from "./testnet-rig/comparison.ts";
import { droppedBlocks } from "./testnet-rig/dropped-blocks.ts";
import { engineBehind } from "./testnet-rig/engine-behind.ts";
import { epochEnds } from "./testnet-rig/epoch-ends.ts";
import { flood } from "./testnet-rig/flood.ts";
import { fullDisk } from "./testnet-rig/full-disk.ts";
import { fullPool } from "./testnet-rig/full-pool.ts";
import { killedChain } from "./testnet-rig/killed-chain.ts";
import { killedEngine } from "./testnet-rig/killed-engine.ts";
import { lyingProposer } from "./testnet-rig/lying-proposer.ts";
import { RigNetwork } from "./testnet-rig/network.ts";
import { olderHome } from "./testnet-rig/older-home.ts";
import { otherGenesis } from "./testnet-rig/other-genesis.ts";
import { otherRules } from "./testnet-rig/other-rules.ts";
import { partition } from "./testnet-rig/partition.ts";
import { powerFailure } from "./testnet-rig/power-failure.ts";
import { readiness } from "./testnet-rig/readiness.ts";
import { readmeExamples } from "./testnet-rig/readme-examples.ts";
import { replayedLocally } from "./testnet-rig/replayed-locally.ts";
import { sidecar } from "./testnet-rig/sidecar.ts";
import { stateSync } from "./testnet-rig/state-sync.ts";
import { submissions } from "./testnet-rig/submissions.ts";
import { type Trial, TrialSkipped } from "./testnet-rig/trial.ts";
import { twoEnginesOneKey } from "./testnet-rig/two-engines-one-key.ts";
import { upgrade } from "./testnet-rig/upgrade.ts";
import { usedKeys } from "./testnet-rig/used-keys.ts";
import { validatorSet } from "./testnet-rig/validator-set.ts";
import { voteExtensions } from "./testnet-rig/vote-extensions.ts";

/** In the order of their runs. */
const TRIALS: readonly Trial[] = [
  submissions,
  readiness,
  killedChain,
  killedEngine,
  olderHome,
  engineBehind,
  partition,
  otherRules,
  readmeExamples,
  usedKeys,
  replayedLocally,
  upgrade,
  twoEnginesOneKey,
  stateSync,
  sidecar,
  lyingProposer,
  fullPool,
  validatorSet,
  powerFailure,
  epochEnds,
  voteExtensions,
  flood,
  otherGenesis,
  fullDisk,
  droppedBlocks,
];
const LINES_SHOWN = 12;
const LINE_CHARACTERS = 300;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    short: { type: "boolean", default: false },
    cometbft: { type: "string" },
    program: { type: "string" },
    keep: { type: "boolean", default: false },
  },
});
const cometbft = values.cometbft ?? process.env.LYRA_COMETBFT ?? Bun.which("cometbft") ?? undefined;
if (cometbft === undefined || Bun.which(cometbft) === null) {
  console.log(
    "skipped: no consensus engine (go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.26; LYRA_COMETBFT=PATH)",
  );
  process.exit(0);
}

const programs = { lyra: values.program === undefined ? SOURCES : [values.program], cometbft };
const folder = mkdtempSync(join(tmpdir(), "lyra-tn-"));
const only = values.only?.split(",").map(Number);
const chosen = TRIALS.filter(({ number, isShort }) =>
  only === undefined ? !values.short || isShort : only.includes(number),
);
const seconds = (since: number) => ((performance.now() - since) / 1_000).toFixed(0);
const began = performance.now();
let failures = 0;
let skipped = 0;

async function runTrials(name: string, trials: readonly Trial[]): Promise<void> {
  if (trials.length === 0) return;
  const network = await RigNetwork.start(join(folder, name), programs, values.short, trials[0]!.network);
  try {
    for (const { number, title, run, isAlone } of trials) {
      const start = performance.now();
      try {
        const result = await run(network);
        const same = isAlone ? "" : `; ${await expectSame(network.pairs)}`;
        console.log(`${number}. ${title}: ${result}${same} (${seconds(start)} s)`);
      } catch (error) {
        if (error instanceof TrialSkipped) {
          skipped++;
          console.log(`${number}. ${title}: SKIPPED: ${error.message}`);
          continue;
        }
        failures++;
        console.log(`${number}. ${title}: FAILED: ${(error as Error).message} (${seconds(start)} s)`);
        for (const line of network.lines.slice(-LINES_SHOWN))
          console.log(`   ${line.slice(0, LINE_CHARACTERS)}`);
      }
    }
  } finally {
    await network.stop();
  }
}

try {
  const groups = Map.groupBy(chosen, ({ network }) => network);
  for (const trials of groups.values()) await runTrials(`net${trials[0]!.number}`, trials);
} finally {
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
  else console.log(folder);
}
const passed = chosen.length - failures - skipped;
const others = skipped === 0 ? "" : `, ${skipped} skipped`;
console.log(`${passed} of ${chosen.length} trials passed${others}, ${seconds(began)} s`);
process.exit(failures === 0 ? 0 : 1);
