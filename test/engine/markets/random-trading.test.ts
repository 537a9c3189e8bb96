// Random trading: what must hold after every block, whatever was sent; and the same seed gives the same chain.
import { expect, test } from "bun:test";
import { seeds } from "../../support/seed.ts";
import { RandomTrading } from "./random-trading.ts";

/** `LYRA_TEST_LENGTH=1000 bun test random-trading` plays 60,000. */
const SEEDS = seeds(60);
const COMMANDS = 60;

test("after every block of random trading money, positions and books add up", () => {
  for (const seed of SEEDS) {
    const trading = new RandomTrading(seed);
    trading.play(COMMANDS);
    trading.settle();
  }
}, 3_600_000);

test("random trading of one seed gives the same events and the same state", () => {
  const run = () => {
    const trading = new RandomTrading(4711);
    trading.play(COMMANDS);
    const digest = trading.rig.digest();
    return {
      digest,
      events: Bun.hash(
        JSON.stringify(trading.rig.events(), (_key, value) =>
          typeof value === "bigint" ? `${value}n` : value,
        ),
      ),
    };
  };
  expect(run()).toEqual(run());
});
