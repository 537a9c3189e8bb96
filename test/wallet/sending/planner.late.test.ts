// Two wallets with one key on a machine that stands still now and then: questions are answered late, proofs take
// blocks, the one or the other sleeps. The key is not banned (src/wallet/sending/planner.ts).
import { describe, expect, test } from "bun:test";
import type { ChainView, LastBlock } from "../../../src/wallet/sending/blocks.ts";
import { ProofPlanner } from "../../../src/wallet/sending/planner.ts";
import { runs, seeds } from "../../support/seed.ts";
import { Dice, planOne, SimulatedChain, type SimulatedTransaction } from "./planner-simulation.ts";

const RUNS = runs(40);
/** Seeds that found something once. */
const FOUND = [740, 1045];
const STEPS = 900;
const STEP_MS = 50;
/** Steps until a transaction that has left is in the mempool. */
const TRAVEL_STEPS = 2;

interface Answer {
  readonly view: ChainView;
  readonly ticket: number;
  readonly dueAt: number;
}

interface Proof {
  readonly transaction: SimulatedTransaction;
  readonly foundAt: number;
}

/** A wallet: at each step it takes in what has come, proves, and asks. */
class Wallet {
  readonly planner = new ProofPlanner({ extraBitsMax: 4 });
  sent = 0;
  sleepsUntil = 0;
  private answer: Answer | undefined;
  private proofs: Proof[] = [];

  constructor(
    private readonly chain: SimulatedChain,
    private readonly dice: Dice,
    private readonly isTroubled: boolean,
  ) {}

  /** @returns what leaves */
  step(at: number): SimulatedTransaction[] {
    const { planner, dice, chain } = this;
    if (at < this.sleepsUntil) return [];
    if (this.isTroubled && dice.isOn(0.01)) this.sleepsUntil = at + dice.upTo(60);
    const nowMs = at * STEP_MS;
    // A node reports a block at once.
    if (dice.isOn(0.7)) planner.observeHead(this.newest(), planner.nextTicket(), nowMs);
    const ready = this.proofs.filter(({ foundAt }) => foundAt <= at);
    this.proofs = this.proofs.filter(({ foundAt }) => foundAt > at);
    const leaving = ready.map(({ transaction }) => transaction).filter((one) => this.isLeaving(one));
    this.sent += leaving.length;
    if (this.answer !== undefined && this.answer.dueAt <= at) {
      const { view, ticket } = this.answer;
      this.answer = undefined;
      planner.observe(view, ticket, nowMs);
      for (let sends = dice.upTo(4); sends > 0; sends--) {
        const transaction = planOne(chain, planner);
        if (transaction === undefined) break;
        this.proofs.push({ transaction, foundAt: at + this.delay(40) });
      }
    }
    this.answer ??= {
      ...{ view: chain.view(), ticket: planner.nextTicket() },
      dueAt: at + this.delay(30),
    };
    return leaving;
  }

  private isLeaving({ slot }: SimulatedTransaction): boolean {
    const isTimely = this.planner.isTimely(slot);
    if (!isTimely) this.planner.release(slot);
    return isTimely;
  }

  /** Steps that something takes, now and then as many as `most`. */
  private delay(most: number): number {
    return this.isTroubled && this.dice.isOn(0.15) ? this.dice.upTo(most) : this.dice.upTo(2);
  }

  private newest(): LastBlock {
    const view = this.chain.view();
    const { height, hash, hashFunction, difficulty, txPerBlock, increasingDifficulty } = view.blocks.find(
      (block) => block.height === view.head,
    )!;
    const { pastBlocks } = view;
    return {
      chainId: "",
      height,
      hash,
      hashFunction,
      difficulty,
      pastBlocks,
      txPerBlock,
      increasingDifficulty,
    };
  }
}

function run(seed: number): { sent: number[]; problems: string[] } {
  const dice = new Dice(seed);
  const chain = new SimulatedChain(dice, "default", `late ${seed}`);
  chain.set("spam.pow.numberOfPastBlocks", String([20, 50, 100][dice.upTo(2)]));
  chain.set("spam.pow.difficulty", String(dice.upTo(2)));
  chain.set("spam.pow.numberOfTxPerBlock", String(2 + dice.upTo(2)));
  chain.set("spam.pow.increaseDifficulty", String(dice.upTo(1)));
  const blockSteps = [4, 8, 20][dice.upTo(2)]!;
  chain.block([]);
  const wallets = [new Wallet(chain, dice, dice.isOn(0.5)), new Wallet(chain, dice, true)];
  const begins = [0, dice.isOn(0.3) ? 0 : dice.upTo(STEPS / 2)];
  const problems: string[] = [];
  let mempool: { transaction: SimulatedTransaction; arrivesAt: number }[] = [];
  for (let at = 1; at <= STEPS; at++) {
    if (at % blockSteps === 0) {
      const due = mempool.filter(({ arrivesAt }) => arrivesAt <= at);
      mempool = mempool.filter((one) => !due.includes(one));
      const refused = chain.block(due.map(({ transaction }) => transaction));
      // A sender that sleeps through a window gets an error, and sends a new transaction.
      problems.push(...refused.filter((text) => !text.includes("unknown block height")));
    }
    for (const [which, wallet] of wallets.entries()) {
      if (at < begins[which]!) continue;
      for (const transaction of wallet.step(at)) {
        mempool.push({ transaction, arrivesAt: at + dice.upTo(TRAVEL_STEPS) });
      }
    }
  }
  return { sent: wallets.map(({ sent }) => sent), problems };
}

describe("two wallets with one key, one of them slow", () => {
  test("in random runs", () => {
    const sent = [0, 0];
    for (const seed of [...FOUND, ...seeds(40)]) {
      const outcome = run(seed);
      for (const at of [0, 1]) sent[at]! += outcome.sent[at]!;
      expect({ seed, problems: outcome.problems }).toEqual({ seed, problems: [] });
    }
    expect(sent.every((count) => count > RUNS * 10)).toBe(true);
  }, 120_000);
});
