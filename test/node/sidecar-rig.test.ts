// A short run of the sidecar's rig (scripts/sidecar-rig.ts runs it for long, with another SP implementation).
import { expect, test } from "bun:test";
import { SAMPLE } from "../rig/homes.ts";
import { sidecarRounds } from "../rig/sidecar.ts";

const options = { recording: SAMPLE, rounds: 1, cutsPerRound: 5, seed: 7 };

test("a recording streamed into a sidecar that is cut off and killed makes what the recording makes", async () => {
  expect(await sidecarRounds(options)).toEqual([]);
}, 120_000);
