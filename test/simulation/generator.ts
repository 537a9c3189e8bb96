// Random sequences from a seed: the same seed, the same sequence, on every machine.
import { type Amount, type Base, CHANGES, type CommandStep, type Step } from "./steps.ts";

export class Chance {
  private state: number;

  constructor(seed: number) {
    this.state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) >>> 0;
  }

  /** A whole number from 0 to `below` - 1 (mulberry32). */
  below(below: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  of<T>(...values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  /** A random value, by the weights. */
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let at = this.below(choices.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, value] of choices) if ((at -= weight) < 0) return value;
    throw new Error("there is always one");
  }
}

const COMMANDS: readonly (readonly [number, CommandStep["do"]])[] = [
  [14, "deposit"],
  [10, "withdraw"],
  [4, "claim"],
  [1, "bridge"],
  [20, "pay"],
  [10, "repeat"],
  [4, "cancel"],
  [12, "stake"],
  [1, "supply"],
  [14, "delegate"],
  [12, "undelegate"],
  [9, "propose"],
  [12, "vote"],
];

/** 10 to 60 commands, in blocks; mostly fewer than 40. */
export function sequenceOf(seed: number): Step[] {
  const chance = new Chance(seed);
  const count = 10 + chance.below(chance.once(8) ? 51 : 26);
  const steps: Step[] = [];
  while (steps.filter((step) => step.do !== "block").length < count) {
    if (chance.once(3)) steps.push(block(chance));
    if (chance.once(12)) steps.push(...chance.of(proposalStory, repetition, claimStory)(chance));
    else steps.push(command(chance, chance.weighted(COMMANDS)));
  }
  // Work under way comes to its end.
  for (let blocks = 0; blocks < 4; blocks++) steps.push(block(chance));
  return steps;
}

/** A proposal that can pass, and what parties think of it. */
function proposalStory(chance: Chance): Step[] {
  const change = chance.once(3) ? 0 : chance.below(CHANGES.length);
  const vote = (): Step => ({ do: "vote", party: chance.below(6), pick: 0, yes: !chance.once(4) });
  return [
    { do: "propose", party: chance.below(6), change, closeS: chance.of(3, 4, 6), enactS: chance.of(0, 1, 5) },
    ...Array.from({ length: chance.below(4) }, vote),
    { do: "block", stepMs: chance.of(1_000, 4_000), proposer: 0, voters: 7 },
    ...Array.from({ length: 1 + chance.below(3) }, vote),
    { do: "block", stepMs: 7_000, proposer: 1, voters: 7 },
  ];
}

/** The same recurring transfer twice, with something in between, and then an epoch's end or two. */
function repetition(chance: Chance): Step[] {
  const transfer = command(chance, "repeat");
  const ends = Array.from({ length: chance.below(4) }, (): Step => {
    return { do: "block", stepMs: 10_500, proposer: chance.below(3), voters: 7 };
  });
  return [transfer, command(chance, chance.of("cancel", "pay")), transfer, ...ends];
}

/** A withdrawal that goes all the way, or nearly. Rarely: real signatures take their time. */
function claimStory(chance: Chance): Step[] {
  const withdrawal: Step = {
    do: "withdraw",
    party: chance.below(6),
    asset: 2,
    amount: { base: chance.of("minimum", "balance"), plus: 0, zeros: 0 },
    details: true,
  };
  if (!chance.once(4)) return [withdrawal];
  const sign = (by: number): Step => ({ do: "sign", by, pick: 0 });
  const claim = (): Step => ({ do: "claim", by: 0, pick: 0, how: "ref", nonce: 100 + chance.below(3) });
  return [withdrawal, sign(0), claim(), sign(1), claim(), sign(2), claim()];
}

function block(chance: Chance): Step {
  const stepMs = chance.weighted<number>([
    [6, 1_000],
    [3, 1 + chance.below(3_000)],
    [4, 5_000],
    [4, 10_000],
    [3, 11_000],
    [2, 30_000],
    [1, 31_000],
  ]);
  const isLong = chance.once(300);
  // Mostly all validators do their work; else some of them.
  const voters = chance.once(5) ? chance.below(8) : 7;
  return {
    do: "block",
    stepMs: isLong ? chance.of(22, 31) * 86_400_000 : stepMs,
    proposer: chance.below(3),
    voters,
  };
}

function amount(chance: Chance, bases: readonly Base[]): Amount {
  const base = chance.weighted<Base>([
    [6, "plain"],
    [8, chance.of(...bases)],
    [1, chance.of("2^63", "2^255")],
  ]);
  if (base !== "plain") return { base, plus: chance.of(0, 0, 1, -1), zeros: 0 };
  return { base, plus: plain(chance), zeros: chance.below(20) };
}

function plain(chance: Chance): number {
  return chance.once(20) ? 0 : chance.of(1, 1 + chance.below(100), 1 + chance.below(10_000));
}

function command(chance: Chance, kind: CommandStep["do"]): CommandStep {
  const by = chance.once(50) ? 99 : chance.below(3);
  const party = chance.below(6);
  const asset = chance.weighted([
    [8, 0],
    [6, 1],
    [8, 2],
    [1, 3],
    [1, 4],
  ]);
  const nonce = chance.below(60);
  const pick = chance.once(2) ? 0 : chance.below(5);
  const node = chance.once(25) ? 99 : chance.below(3);
  switch (kind) {
    case "deposit": {
      const value = amount(chance, ["plain"]);
      return { do: kind, by, to: chance.below(7), asset, amount: value, wrongClass: chance.once(12), nonce };
    }
    case "withdraw":
      return {
        do: kind,
        party,
        asset,
        amount: amount(chance, ["minimum", "balance"]),
        details: !chance.once(8),
      };
    case "sign":
      return { do: kind, by, pick };
    case "claim":
      return { do: kind, by, pick, how: chance.once(6) ? chance.of("nonsense", "unknown") : "ref", nonce };
    case "bridge":
      return { do: kind, by, stop: chance.once(2), nonce };
    case "pay":
      return {
        do: kind,
        party,
        to: chance.below(7),
        asset,
        amount: amount(chance, ["minimum", "balance", "affordable", "affordable"]),
        laterMs: chance.once(2) ? undefined : chance.of(-1, 0, 1_000, 5_000, 12_000, 40_000),
      };
    case "repeat":
      return {
        do: kind,
        party,
        to: chance.below(6),
        asset,
        amount: amount(chance, ["minimum", "balance", "affordable"]),
        pool: chance.weighted([
          [6, 0],
          [4, 1],
          [3, 2 + chance.below(4)],
          [1, 6 + chance.below(2)],
        ]),
        start: chance.of(0, 0, 0, 1, 2, -1),
        epochs: chance.once(2) ? undefined : chance.below(4),
        factor: chance.of("1", "0.5", "0.3333333333333333", "1.5", "2", "0.0001"),
        strategy: chance.once(2),
      };
    case "cancel":
      return { do: kind, party, pick };
    case "stake":
      return {
        do: kind,
        by,
        party,
        amount: amount(chance, ["free", "plain"]),
        link: !chance.once(3),
        time: 1 + chance.below(4),
        nonce,
      };
    case "supply":
      return { do: kind, by, amount: amount(chance, ["plain"]), nonce };
    case "delegate":
      return { do: kind, party, node, amount: amount(chance, ["free", "free", "delegated"]) };
    case "undelegate":
      return {
        do: kind,
        party,
        node,
        amount: chance.once(4)
          ? "0"
          : chance.once(20)
            ? chance.of("", "all", "-1", "0x10", " 1", "1.0", `1${"0".repeat(80)}`)
            : amount(chance, ["delegated"]),
        now: chance.once(2),
      };
    case "propose":
      return {
        do: kind,
        party,
        change: chance.once(3) ? 0 : chance.below(CHANGES.length),
        closeS: chance.of(1, 2, 3, 3, 4, 6, 12, 100, 101),
        enactS: chance.of(0, 0, 1, 3, 10, 11),
      };
    case "vote":
      return { do: kind, party, pick, yes: !chance.once(3) };
  }
}
