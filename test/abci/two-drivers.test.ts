// Blocks that go through both drivers give the same state, rows and application hash at each height, and what one driver's
// chain hands out as a snapshot the other one's goes on from. Many histories: two-drivers.slow.test.ts.
import { afterAll, expect, spyOn, test } from "bun:test";
import { removeHomes } from "../chain/rig.ts";
import { SEED } from "../support/seed.ts";
import { playBoth } from "./two-drivers.ts";

afterAll(removeHomes);

test("a random history goes the same way through a consensus engine and through the sequencer, also from each other's snapshots", async () => {
  const log = spyOn(process.stderr, "write").mockImplementation(() => true);
  const { facts } = await playBoth(SEED, 24);
  expect(facts.get("0")).toBeGreaterThan(20);
  log.mockRestore();
});
