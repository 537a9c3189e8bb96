// Streams a recording into a sidecar whose connection is cut and whose process is killed at random (test/rig/sidecar.ts).
//
//   bun scripts/sidecar-rig.ts [--rounds 50] [--cuts 20] [--seed N] [--sender python|own] [--binary PATH]
//
// --cuts is for each round, which is a way through the whole recording. The sender is nng's by Python (`pip install
// pynng`; PYTHON names the interpreter), where it can be had. Without --binary the sources are run. At the end a canary: a
// finished home is changed, and the rig must see it. Exit code 1 when anything is wrong.
import { hasRecording, RECORDING, SAMPLE } from "../test/rig/homes.ts";
import { printRound, rigOptions } from "../test/rig/options.ts";
import { hasPynng, PythonSender } from "../test/rig/python-sender.ts";
import { sidecarRounds, tamperedRow } from "../test/rig/sidecar.ts";

const { rounds, seed, program, values } = rigOptions(50, {
  cuts: { type: "string", default: "20" },
  sender: { type: "string", default: "python" },
});
const cutsPerRound = Number(values.cuts);
const recording = hasRecording ? RECORDING : SAMPLE;
if (!hasRecording)
  console.log("the network's recording is not beside the project: the sample is sent instead");
const isPython = values.sender === "python" && (await hasPynng());
if (values.sender === "python" && !isPython)
  console.log("pynng is not installed: the rig's own sender is used");
const options = {
  ...program,
  recording,
  cutsPerRound,
  ...(isPython && { sender: (path: string) => new PythonSender(path) }),
};

const began = performance.now();
const cuts = { closed: 0, aborted: 0, killed: 0 };
const failures = await sidecarRounds({
  ...options,
  rounds,
  seed,
  onRound({ round, cuts: one, failures }) {
    for (const kind of ["closed", "aborted", "killed"] as const) cuts[kind] += one[kind];
    printRound(`round ${round}: ${JSON.stringify(one)}`, failures);
  },
});
const canary = await sidecarRounds({ ...options, rounds: 1, cutsPerRound: 2, seed, tamper: tamperedRow });
console.log(`canary (a balance changed): ${canary.length > 0 ? "seen" : "NOT seen"}`);
if (canary.length === 0) failures.push("the canary is dead");
const seconds = Math.round((performance.now() - began) / 1_000);
console.log(`\n${rounds} rounds in ${seconds} s, cuts ${JSON.stringify(cuts)}: ${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
