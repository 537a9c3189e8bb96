// Random histories through both drivers (two-drivers.test.ts has one), and histories of validators who come and go: nothing
// that anybody sends can give updates at which a consensus engine stops.
import { afterAll, expect, spyOn, test } from "bun:test";
import { removeHomes } from "../chain/rig.ts";
import { seeds } from "../support/seed.ts";
import { VALIDATOR_MAKERS } from "./history.ts";
import { playBoth } from "./two-drivers.ts";

afterAll(removeHomes);

const BLOCKS = 80;

async function factsOf(
  all: readonly number[],
  makers?: typeof VALIDATOR_MAKERS,
): Promise<Map<string, number>> {
  const log = spyOn(process.stderr, "write").mockImplementation(() => true);
  const reached = new Map<string, number>();
  for (const seed of all) {
    const { facts } = await playBoth(seed, BLOCKS, makers);
    for (const [fact, times] of facts) reached.set(fact, (reached.get(fact) ?? 0) + times);
  }
  log.mockRestore();
  return reached;
}

test("random histories of markets, votes, epochs and bans go the same way through both drivers", async () => {
  const reached = await factsOf(seeds(20));
  const missing = [
    ...["70", "60", "89 party is banned from sending transactions", "89 too many transactions per block"],
    ...[
      "power set",
      "rows of trades",
      "rows of positions",
      "rows of liquidity_provisions",
      "rows of rewards",
    ],
    ...["rows of delegations", "rows of withdrawals", "rows of votes"],
  ].filter((fact) => !reached.get(fact));
  expect(missing).toEqual([]);
}, 300_000);

test("the history in which a synchronised node once differed, by a member that a value got late, goes the same way", async () => {
  await factsOf([7_006]);
}, 60_000);

test("whatever validators and would-be validators send, a consensus engine can go on", async () => {
  const reached = await factsOf(seeds(20), VALIDATOR_MAKERS);
  expect(["power set", "validator removed"].filter((fact) => !reached.get(fact))).toEqual([]);
}, 300_000);
