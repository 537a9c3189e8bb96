// A party whose transactions the planner places is never banned, and never refused for its proof of work, by the real
// admission engine, under either set of rules (docs/protocol/40-pow-spam.md#3-the-pow-engine and #6-wallet-side-algorithm).
import { describe, expect, test } from "bun:test";
import type { AdmissionRules } from "../../../src/chain/admission/rules.ts";
import type { ChainView } from "../../../src/wallet/sending/blocks.ts";
import { ProofPlanner } from "../../../src/wallet/sending/planner.ts";
import { seeds } from "../../support/seed.ts";
import { Dice, PARTY, planOne, SimulatedChain, type SimulatedTransaction } from "./planner-simulation.ts";

const SEEDS = seeds(400);
const BLOCKS = 30;

interface Waiting {
  readonly transaction: SimulatedTransaction;
  readonly dueAt: bigint;
}

interface Outcome {
  readonly accepted: number;
  readonly problems: readonly string[];
}

function randomParameters(dice: Dice): Record<string, string> {
  return {
    "spam.pow.numberOfPastBlocks": String([5, 6, 10, 25, 25, 60][dice.upTo(5)]),
    "spam.pow.difficulty": String(dice.upTo(3)),
    "spam.pow.numberOfTxPerBlock": String(1 + dice.upTo(3)),
    "spam.pow.increaseDifficulty": String(dice.upTo(1)),
  };
}

function run(seed: number, rules: AdmissionRules): Outcome {
  const dice = new Dice(seed);
  const chain = new SimulatedChain(dice, rules, `run ${seed}`);
  const planner = new ProofPlanner({ extraBitsMax: 6, isSoleUser: dice.isOn(0.5) });
  for (const [name, value] of Object.entries(randomParameters(dice))) chain.set(name, value);
  const late: { view: ChainView; ticket: number; dueAt: bigint }[] = [];
  let mempool: Waiting[] = [];
  const problems: string[] = [];
  let accepted = 0;
  // Blocks that statistics may be late, and that a transaction may wait: together what the planner allows for.
  const lateness = BigInt(dice.upTo(2));
  const patience = 2n - lateness;
  const [loss, othersChance, changeChance, askChance] = [
    dice.next() * 0.4,
    dice.next(),
    0.1,
    0.3 + dice.next() * 0.7,
  ];

  for (let count = 0; count < BLOCKS; count++) {
    const due = mempool.filter(({ dueAt }) => dueAt <= chain.height + 1n);
    mempool = mempool.filter((waiting) => !due.includes(waiting));
    const block = due.map(({ transaction }) => transaction).sort(() => dice.next() - 0.5);
    while (chain.height > 0n && dice.isOn(othersChance * 0.5)) {
      const height = chain.height - BigInt(dice.upTo(Number(chain.height > 3n ? 3n : chain.height - 1n)));
      block.splice(dice.upTo(block.length), 0, chain.foreign(height, 3));
    }
    const parameters = dice.isOn(changeChance) ? randomParameters(dice) : {};
    const refused = chain.block(block, parameters).filter((text) => text.startsWith("a"));
    accepted += due.length - refused.length;
    problems.push(...refused);

    if (dice.isOn(askChance) || chain.height === 1n) {
      const dueAt = chain.height + BigInt(dice.upTo(Number(lateness)));
      late.push({ view: chain.view(), ticket: planner.nextTicket(), dueAt });
    }
    // Out of order, too.
    for (const answer of late.filter(({ dueAt }) => dueAt <= chain.height).sort(() => dice.next() - 0.5)) {
      late.splice(late.indexOf(answer), 1);
      planner.observe(answer.view, answer.ticket, Number(chain.height) * 100);
    }
    // A wallet that has not heard of the chain for longer than that does not send.
    if (chain.height - planner.headHeight > lateness)
      planner.observe(chain.view(), planner.nextTicket(), Number(chain.height) * 100);

    for (let sends = dice.upTo(6); sends > 0; sends--) {
      const transaction = planOne(chain, planner);
      if (transaction === undefined) break;
      if (dice.isOn(0.05)) {
        planner.release(transaction.slot);
        continue;
      }
      if (dice.isOn(loss)) continue;
      const refusal = chain.check(transaction);
      if (refusal !== undefined) problems.push(`check: ${refusal}`);
      mempool.push({ transaction, dueAt: chain.height + 1n + BigInt(dice.upTo(Number(patience))) });
    }
    if (dice.isOn(0.05)) {
      // The wallet is started again and remembers.
      const state = planner.save();
      planner.load(JSON.parse(JSON.stringify(state)));
    }
    if (chain.admission.pow.bannedUntil(PARTY) !== undefined) problems.push(`banned at ${chain.height}`);
  }
  return { accepted, problems };
}

describe.each(["default", "0.71.6"] as const)("a planned party, rules %s", (rules) => {
  test(`is neither banned nor refused in random runs`, () => {
    let accepted = 0;
    for (const seed of SEEDS) {
      const outcome = run(seed, rules);
      accepted += outcome.accepted;
      expect({ seed, problems: outcome.problems }).toEqual({ seed, problems: [] });
    }
    // A planner that sends nothing is never banned either.
    expect(accepted).toBeGreaterThan(SEEDS.length * 10);
  }, 120_000);
});
