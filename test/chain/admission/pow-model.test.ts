// The proof-of-work engine against the naive model, over random lives of a chain; and its saved state on the way.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PowEngine, type PowTransaction } from "../../../src/chain/admission/pow/engine.ts";
import type { PowParameters } from "../../../src/chain/admission/pow/windows.ts";
import type { AdmissionRules, Verdict } from "../../../src/chain/admission/rules.ts";
import { State } from "../../../src/engine/state.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { runs } from "../../support/seed.ts";
import { hashOf, textOf } from "./pow-fixture.ts";
import { BLOCK_SECONDS, PowModel } from "./pow-model.ts";

const FIRST: PowParameters = {
  pastBlocks: 5n,
  difficulty: 1,
  hashFunction: "sha3_24_rounds",
  txPerBlock: 2n,
  increasingDifficulty: false,
};

interface Sent {
  readonly how: "submit" | "deliver";
  readonly party: string;
  readonly hash: string;
  /** Blocks behind the current one; negative is ahead. */
  readonly age: number;
  readonly tid: string;
  readonly nonce: bigint;
  readonly isValidatorCommand: boolean;
}
type Step = "block" | "save" | { readonly change: Partial<PowParameters> } | Sent;

// Few values of each, so that they meet again: a hash and a tid are used twice, a party goes over its quota.
const sent: fc.Arbitrary<Sent> = fc.record({
  how: fc.constantFrom("deliver", "deliver", "deliver", "submit"),
  party: fc.constantFrom("A", "B", "C"),
  hash: fc.nat(60).map((number) => `hash ${number}`),
  age: fc.integer({ min: -1, max: 12 }),
  tid: fc.nat(60).map((number) => (number === 0 ? "" : `tid ${number}`)),
  nonce: fc.bigInt({ min: 0n, max: 5n }),
  isValidatorCommand: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
});
const change = fc.record(
  {
    pastBlocks: fc.bigInt({ min: 2n, max: 12n }),
    difficulty: fc.integer({ min: 0, max: 2 }),
    txPerBlock: fc.bigInt({ min: 1n, max: 3n }),
    increasingDifficulty: fc.boolean(),
  },
  { requiredKeys: [] },
);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: sent },
    { weight: 4, arbitrary: fc.constant("block" as const) },
    { weight: 1, arbitrary: change.map((values) => ({ change: values })) },
    { weight: 1, arbitrary: fc.constant("save" as const) },
  ),
  { minLength: 40, maxLength: 160 },
);

class Pair {
  private state = new State();
  engine: PowEngine;
  readonly model: PowModel;
  height = 0;
  readonly verdicts = new Map<string, number>();

  constructor(private readonly rules: AdmissionRules) {
    this.engine = new PowEngine(rules, this.state);
    this.engine.change(FIRST);
    this.model = new PowModel(FIRST, rules === "0.71.6");
    this.block();
  }

  private get timeNs(): bigint {
    return BigInt(this.height * BLOCK_SECONDS) * SECOND_NS;
  }

  do(step: Step): void {
    if (step === "block") this.block();
    else if (step === "save") this.reload();
    else if ("change" in step) {
      this.engine.change(step.change);
      this.model.change(step.change);
    } else this.send(step);
  }

  private block(): void {
    if (this.height > 0) {
      this.engine.endBlock();
      this.engine.commit();
      this.model.end();
    }
    this.begin();
  }

  private begin(): void {
    const previousTimeNs = this.timeNs;
    this.height += 1;
    const hash = hashOf(BigInt(this.height));
    this.engine.beginBlock(BigInt(this.height), hash, previousTimeNs);
    this.model.begin(this.height, hash);
    for (const party of ["A", "B", "C"]) {
      expect(this.engine.bannedUntil(party) !== undefined).toBe(this.model.isBanned(party));
    }
  }

  private send({ how, age, ...rest }: Sent): void {
    const blockHeight = BigInt(Math.max(0, this.height - age));
    const tx: PowTransaction = { ...rest, blockHeight, commandName: "Vote on Proposal" };
    const verdict = how === "submit" ? this.submit(tx) : this.engine.deliver(tx, this.timeNs);
    expect(textOf(verdict)).toBe(this.model[how](tx));
    const rule = verdict.accepted ? "accepted" : verdict.rule;
    this.verdicts.set(rule, (this.verdicts.get(rule) ?? 0) + 1);
  }

  private submit(tx: PowTransaction): Verdict {
    const verdict = this.engine.check(tx);
    expect(this.engine.check(tx)).toEqual(verdict);
    if (verdict.accepted) this.engine.reserve(tx);
    else this.engine.refuse(tx);
    return verdict;
  }

  /** Goes on with an engine that was loaded from the bytes of this one's state. */
  private reload(): void {
    this.engine.endBlock();
    this.engine.commit();
    this.model.end();
    const entries = [...this.state.entries()];
    this.state = new State();
    this.engine = new PowEngine(this.rules, this.state);
    this.state.load(entries);
    this.engine.resume(BigInt(this.height));
    expect([...this.state.entries()]).toEqual(entries);
    this.begin();
  }
}

describe.each(["default", "0.71.6"] as const)("rules: %s", (rules) => {
  test("the engine says what the model says, through saving and loading", () => {
    const met = new Map<string, number>();
    fc.assert(
      fc.property(steps, (life) => {
        const pair = new Pair(rules);
        for (const step of life) pair.do(step);
        for (const [rule, count] of pair.verdicts) met.set(rule, (met.get(rule) ?? 0) + count);
      }),
      { numRuns: runs(1_000) },
    );
    // A run in which a rule never spoke would prove nothing of it.
    expect([...met.keys()].sort()).toEqual([
      "accepted",
      "pow_banned",
      "pow_hash_used",
      "pow_invalid",
      "pow_quota",
      "pow_tid_seen",
      "pow_tid_used",
      "pow_too_old",
      "pow_unknown_height",
    ]);
  });
});
