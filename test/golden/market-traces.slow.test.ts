// The original's traces of market scenarios that the repository does not hold, from ../shared where they exist.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { marketRulesOf } from "../../src/engine/markets/rules.ts";
import { playTrace, readTraces } from "../../src/testing/market-traces.ts";

const FILES = ["random-2", "random-3", "random-4"].map(
  (name) => new URL(`../../../shared/vectors/markets/${name}.json.gz`, import.meta.url),
);

for (const file of FILES) {
  const name = file.pathname.slice(file.pathname.lastIndexOf("/") + 1);
  test.skipIf(!existsSync(file))(
    `${name} gives the original's events; skipped without ../shared/vectors/markets`,
    () => {
      for (const trace of readTraces(readFileSync(file)))
        expect([trace.name, playTrace(trace, marketRulesOf("0.71.6")).differences]).toEqual([trace.name, []]);
    },
    120_000,
  );
}
