// A refusal leaves nothing in memory, whatever it was of. 100,000 of each kind are in scripts/refusals.ts.
import { expect, test } from "bun:test";
import { growthOf } from "./refusals.ts";

/** The list of recent refusals that people can read is not full yet. */
const GROWTH_MIB_MAX = 3;

test("given refusals of every kind, with as much text as they can hold, then memory stays flat", async () => {
  const growths = await growthOf({ warmUp: 20, count: 150, characters: 100_000 });
  expect(growths.length).toBeGreaterThan(11);
  expect(growths.filter(({ mib }) => mib > GROWTH_MIB_MAX)).toEqual([]);
}, 120_000);
