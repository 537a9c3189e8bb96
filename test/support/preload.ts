// Loaded before the tests of a process (bunfig.toml). By default fast-check makes about ten elements, whatever `maxLength` says.
import { setDefaultTimeout } from "bun:test";
import fc from "fast-check";
import { LENGTH, runs, SEED } from "./seed.ts";

setDefaultTimeout(120_000);
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true, seed: SEED, numRuns: runs(100) });
// `npm test` says it once for all of its processes.
if (process.env.LYRA_TEST_SEED === undefined)
  console.log(`random tests: LYRA_TEST_SEED=${SEED} LYRA_TEST_LENGTH=${LENGTH}`);
