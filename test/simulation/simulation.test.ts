// The engine against the naive ledger (naive-ledger.ts), over random sequences. `bun scripts/simulate.ts` runs as many as
// one likes, and a single one again.
import { beforeAll, describe, expect, test } from "bun:test";
import { seeds } from "../support/seed.ts";
import { sequenceOf } from "./generator.ts";
import { allSimulations, describeFinding, findDifference, Simulation, shrink } from "./simulation.ts";
import type { Step } from "./steps.ts";
import { WORLDS } from "./world.ts";

const SEEDS = seeds(100);
let simulations: Simulation[];

beforeAll(() => {
  simulations = allSimulations();
});

test("given random sequences, then engine and ledger agree after every command and every block", () => {
  const facts = new Set<string>();
  let commands = 0;
  const finding = findDifference(simulations, SEEDS[0]!, SEEDS.length, (_seed, outcome) => {
    commands += outcome.commands;
    for (const kind of outcome.facts.keys()) facts.add(kind);
  });
  if (finding !== undefined) throw new Error(describeFinding(finding));
  // The sequences do say something: all that the ledger knows of came up.
  expect([...facts].sort()).toEqual([
    ...["account", "delegation", "deposit", "epoch", "movement", "parameter", "party", "proposal"],
    ...["ranking", "reward", "score", "stake", "transfer", "vote", "withdrawal"],
  ]);
  expect(commands).toBeGreaterThan(SEEDS.length * 10);
}, 120_000);

test("given the sequences in which there once was a difference, then there is none", () => {
  // Stake of more than 256 bits.
  for (const seed of [32_218]) {
    const finding = findDifference(simulations, seed, 1);
    if (finding !== undefined) throw new Error(describeFinding(finding));
  }
});

describe("the same state", () => {
  test("given a sequence twice, and once more on an engine of its own, then every block has the same digest", () => {
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const steps = sequenceOf(seed);
      const world = seed % WORLDS.length;
      const { digests } = simulations[world]!.run(steps);
      expect(simulations[world]!.run(steps).digests).toEqual([...digests]);
      if (seed < 4) expect(new Simulation(WORLDS[world]!).run(steps).digests).toEqual([...digests]);
    }
  });

  test("given the state is stored and loaded in the middle, then nothing is different from there on", () => {
    for (const seed of [10, 11, 12, 13, 14, 15]) {
      const steps = sequenceOf(seed);
      const simulation = simulations[seed % WORLDS.length]!;
      const { digests } = simulation.run(steps);
      const places = [1, Math.floor(digests.length / 2)];
      for (const place of places) {
        // A restarted engine is compared with the ledger as well, event by event.
        expect(simulation.run(steps, place).digests).toEqual([...digests]);
      }
    }
  }, 120_000);
});

describe("the rig itself", () => {
  test("given an engine that charges another fee, then a short sequence tells it from the ledger", () => {
    const world = { ...WORLDS[0]!, parameters: {} };
    const simulation = new Simulation(world);
    simulation.engine.engine.beginBlock({
      height: 999,
      timeNs: simulation.engine.engine.core.nowNs,
      hash: "ff",
    });
    simulation.engine.engine.setParameter("transfer.fee.factor", "0.0011");
    simulation.engine.engine.commit();
    simulation.engine.mark();
    const finding = findDifference([simulation], 0, 50)!;
    expect(finding.error.message).toMatch(/^(account|movement) /);
    expect(finding.steps.length).toBeLessThanOrEqual(3);
    expect(finding.steps.some((step) => step.do === "pay" || step.do === "repeat")).toBe(true);
  });

  test("given steps of which two matter, then only these are left", () => {
    const steps = Array.from({ length: 40 }, (_, pick): Step => ({ do: "cancel", party: 0, pick }));
    const fails = (list: readonly Step[]) =>
      [7, 29].every((pick) => list.some((step) => "pick" in step && step.pick === pick));
    expect(shrink(steps, fails).map((step) => "pick" in step && step.pick)).toEqual([7, 29]);
  });
});

describe("faults that the simulation has found", () => {
  const regressions: readonly (readonly [title: string, steps: readonly Step[]])[] = [
    ...["", "all", "-1", "0x10", "1.5"].map((amount): [string, Step[]] => [
      `an undelegation of '${amount}' is refused as no number`,
      [{ do: "undelegate", party: 0, node: 0, amount, now: true }],
    ]),
  ];
  test.each(regressions.map(([title, steps]) => ({ title, steps })))("$title", ({ steps }) => {
    const outcome = simulations[0]!.run(steps);
    expect([...outcome.refused.values()]).toEqual([1]);
  });
});
