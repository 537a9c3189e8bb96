// As fast as they come, through wallets in processes of their own, against a real devnet. scripts/wallet-flood.ts does
// the same with a thousand and the network's own difficulty, and with a chain that is lost and begins again.
import { afterAll, describe, expect, test } from "bun:test";
import { Scratch } from "../../rig/homes.ts";
import { type FloodOutcome, type FloodPlan, flood, NETWORK_LIMITS } from "../../rig/wallet-flood.ts";

const scratch = new Scratch("wallet-flood");
afterAll(() => scratch.remove());
const EASY = { ...NETWORK_LIMITS, "spam.pow.difficulty": "4" };

function run(plan: Pick<FloodPlan, "transactions" | "block"> & Partial<FloodPlan>): Promise<FloodOutcome> {
  return flood({ scratch, parameters: EASY, waitMs: 1_500, ...plan });
}

function expectOrderly({ sent, executed, withoutTime, bannedUntil }: FloodOutcome, least: number): void {
  expect({ bannedUntil, withoutTime, executed }).toEqual({
    bannedUntil: undefined,
    withoutTime: [],
    executed: sent,
  });
  expect(sent).toBeGreaterThanOrEqual(least);
}

describe("clients that send as fast as they can", () => {
  test("two a block: each is executed in its turn", async () => {
    const outcome = await run({ transactions: 60, block: "100ms", waitMs: 20_000 });
    expectOrderly(outcome, 60);
  }, 120_000);

  test("two a block, and little patience: the rest is told why and when", async () => {
    const outcome = await run({ transactions: 100, block: "1s" });
    expectOrderly(outcome, 2);
    expect([...outcome.refusals.keys()].join()).toContain(
      "the transaction per block limit has been reached: 2 for",
    );
  }, 120_000);

  test("growing difficulty, of the only wallet with its key", async () => {
    const parameters = { ...EASY, "spam.pow.increaseDifficulty": "1" };
    expectOrderly(
      await run({ transactions: 100, block: "100ms", parameters, waitMs: 4_000, isSoleUser: true }),
      60,
    );
  }, 120_000);

  test("a chain that stands still, and goes on", async () => {
    const outcome = await run({
      transactions: 30,
      block: "manual",
      waitMs: 3_000,
      meanwhile: async ({ client, sentAtMs }) => {
        await Bun.sleep(500);
        // Until it is seen to go on, however busy the machine is; then it stands still for the rest.
        for (let blocks = 0; sentAtMs.length < 5 && blocks < 50; blocks++) {
          await client.tool("mine", { blocks: 1 });
          await Bun.sleep(100);
        }
      },
    });
    expectOrderly(outcome, 5);
    expect([...outcome.refusals.keys()].join()).toContain(
      "the transaction per block limit has been reached: 2 for",
    );
  }, 120_000);

  test("a second wallet that uses the same key", async () => {
    expectOrderly(await run({ transactions: 80, block: "50ms", wallets: 2 }), 20);
  }, 120_000);
});
