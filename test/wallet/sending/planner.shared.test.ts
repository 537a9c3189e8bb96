// Two wallets that know nothing of each other and use the same key: it is never banned, as long as what they send
// arrives within a few blocks and a block takes two or more (src/wallet/sending/planner.ts).
import { describe, expect, test } from "bun:test";
import type { AdmissionRules } from "../../../src/chain/admission/rules.ts";
import { ProofPlanner } from "../../../src/wallet/sending/planner.ts";
import { seeds } from "../../support/seed.ts";
import { Dice, PARTY, planOne, SimulatedChain, type SimulatedTransaction } from "./planner-simulation.ts";

const SEEDS = seeds(60);
const BLOCKS = 80;

/** @param quota what a block takes; two or more without */
function run(seed: number, rules: AdmissionRules, quota?: number): { sent: number[]; problems: string[] } {
  const dice = new Dice(seed);
  const chain = new SimulatedChain(dice, rules, `pair ${seed}`);
  chain.set("spam.pow.numberOfPastBlocks", String([20, 50, 100][dice.upTo(2)]));
  chain.set("spam.pow.difficulty", String(dice.upTo(2)));
  chain.set("spam.pow.numberOfTxPerBlock", String(quota ?? 2 + dice.upTo(3)));
  chain.set("spam.pow.increaseDifficulty", String(dice.upTo(1)));
  const planners = [new ProofPlanner({ extraBitsMax: 4 }), new ProofPlanner({ extraBitsMax: 4 })];
  // The second begins with the first, or later; each sends in bursts and rests.
  const begins = [1, dice.isOn(0.3) ? 1 : 1 + dice.upTo(40)];
  const sent = [0, 0];
  let firstAt = Number.POSITIVE_INFINITY;
  const problems: string[] = [];
  let mempool: { transaction: SimulatedTransaction; dueAt: bigint }[] = [];
  for (let count = 1; count <= BLOCKS; count++) {
    const due = mempool.filter(({ dueAt }) => dueAt <= chain.height + 1n);
    mempool = mempool.filter((one) => !due.includes(one));
    const block = due.map(({ transaction }) => transaction).sort(() => dice.next() - 0.5);
    problems.push(...chain.block(block));
    const nowMs = count * 1_000;
    for (const [at, planner] of planners.entries()) {
      // By turns, as where a block takes one, they only come to it one after the other.
      const isTooSoon = quota !== undefined && at === 1 && count < firstAt + 3;
      if (count < begins[at]! || isTooSoon || dice.isOn(0.1)) continue;
      planner.observe(chain.view(), planner.nextTicket(), nowMs);
      const isBursting = (count >> 3) % (2 + at) === 0;
      for (let sends = dice.upTo(isBursting ? 12 : 2); sends > 0; sends--) {
        const transaction = planOne(chain, planner);
        if (transaction === undefined) break;
        sent[at]! += 1;
        firstAt = Math.min(firstAt, count);
        mempool.push({ transaction, dueAt: chain.height + 1n + BigInt(dice.upTo(1)) });
      }
    }
    if (chain.admission.pow.bannedUntil(PARTY) !== undefined) problems.push(`banned at ${chain.height}`);
  }
  return { sent, problems };
}

describe.each(["default", "0.71.6"] as const)("two wallets with one key, rules %s", (rules) => {
  test("in random runs", () => {
    const sent = [0, 0];
    for (const seed of SEEDS) {
      const outcome = run(seed, rules);
      for (const at of [0, 1]) sent[at]! += outcome.sent[at]!;
      expect({ seed, problems: outcome.problems }).toEqual({ seed, problems: [] });
    }
    expect(sent.every((count) => count > SEEDS.length * 10)).toBe(true);
  }, 120_000);

  test("with one transaction a block, the second wallet waits", () => {
    const sent = [0, 0];
    for (const seed of SEEDS) {
      const outcome = run(seed, rules, 1);
      for (const at of [0, 1]) sent[at]! += outcome.sent[at]!;
      expect({ seed, problems: outcome.problems }).toEqual({ seed, problems: [] });
    }
    expect(sent[0]).toBeGreaterThan(SEEDS.length * 10);
    expect(sent[1]).toBeLessThan(sent[0]!);
  }, 120_000);
});
