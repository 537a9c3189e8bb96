// Long lives of a market, in short: no number and no table of the state grows with its age. At full length, with time and
// memory: scripts/long-runs.ts.
import { expect, test } from "bun:test";
import { DIGITS_MAX, LongRun, type LongRunKind } from "./long-run.ts";

test.each([
  ["windows", 20, 270],
  ["epochs", 60, 100],
  // The last trigger's horizon, within which prices are kept, is 100 blocks long.
  ["blocks", 120, 270],
] as readonly [LongRunKind, number, number][])("state does not grow with %s", (kind, early, late) => {
  const run = new LongRun(kind);
  run.play(early);
  const before = run.size();
  run.play(late - early);
  const after = run.size();
  expect(after.digits).toBeLessThanOrEqual(DIGITS_MAX);
  expect(after.entries).toBeLessThan(before.entries * 1.5);
  expect(after.characters).toBeLessThan(before.characters * 1.5);
});
