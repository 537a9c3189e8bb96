// The markets' scenarios through the driver of a consensus engine give the original's verdicts and events
// (test/golden/market-traces.test.ts plays them on the engine alone).
import { afterAll, expect, spyOn, test } from "bun:test";
import { readFileSync } from "node:fs";
import { readTraces } from "../../src/testing/market-traces.ts";
import { removeHomes } from "../chain/rig.ts";
import { isPlayable, playThroughConsensus } from "./market-scenarios.ts";

afterAll(removeHomes);

/** Of a party's two buy orders at one price the one that trades first follows from their identifiers, which are others here. */
const BY_IDENTIFIERS = ["random 900059"];

const file = (name: string) => readFileSync(new URL(`../golden/markets/${name}.json.gz`, import.meta.url));

for (const name of ["own", "random-1"])
  test(`the scenarios of ${name}, as far as commands can say them`, async () => {
    const log = spyOn(process.stderr, "write").mockImplementation(() => true);
    const traces = [...readTraces(file(name))].filter(
      (trace) => isPlayable(trace) && !BY_IDENTIFIERS.includes(trace.name),
    );
    expect(traces.length).toBeGreaterThan(7);
    for (const trace of traces)
      expect([trace.name, await playThroughConsensus(trace)]).toEqual([trace.name, []]);
    log.mockRestore();
  }, 300_000);
