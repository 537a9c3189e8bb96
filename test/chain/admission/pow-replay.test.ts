// Replays after the window changes, the state that is saved, and the defects of the original
// (docs/protocol/40-pow-spam.md#35-endblock-and-commit, #53-block-states).
import { describe, expect, test } from "bun:test";
import { PowEngine } from "../../../src/chain/admission/pow/engine.ts";
import { expectedDifficulty, levelOf, requiredTotal } from "../../../src/chain/admission/pow/function.ts";
import type { AdmissionRules } from "../../../src/chain/admission/rules.ts";
import { State } from "../../../src/engine/state.ts";
import { DEFAULTS, PowChain } from "./pow-fixture.ts";

const USED = "transaction hash already used";

interface WindowChange {
  readonly from: bigint;
  readonly to: bigint;
  readonly sentAt: bigint;
  readonly firstAt: bigint;
  readonly blocks: number;
}

/** Repeats of a transaction in the blocks after the one that took it, where the window changes at block 50. */
function replays({ from, to, sentAt, firstAt, blocks }: WindowChange, rules: AdmissionRules): string[] {
  const chain = new PowChain({ pastBlocks: from, difficulty: 2, txPerBlock: 9n }, rules);
  chain.goTo(50n);
  chain.engine.change({ pastBlocks: to });
  chain.goTo(firstAt);
  const tx = chain.tx(sentAt, 2);
  expect(chain.deliver(tx)).toBe("accepted");
  return Array.from({ length: blocks }, () => {
    chain.next();
    return chain.deliver(tx).replace(/^unknown block height.*/, "unknown");
  });
}

describe("a window that shrinks from 10 to 5 at block 50", () => {
  const change = { from: 10n, to: 5n, sentAt: 48n, firstAt: 51n, blocks: 7 };

  test("a transaction is not taken twice", () => {
    expect(replays(change, "default")).toEqual([...Array(6).fill(USED), "unknown"]);
  });

  test("by the rules of 0.71.6 it is taken again at 53", () => {
    expect(replays(change, "0.71.6")).toEqual([USED, "accepted", USED, USED, USED, USED, "unknown"]);
  });
});

describe("a window that grows from 5 to 10 at block 50", () => {
  const change = { from: 5n, to: 10n, sentAt: 51n, firstAt: 52n, blocks: 9 };

  test("a transaction is not taken twice", () => {
    expect(replays(change, "default")).toEqual([...Array(8).fill(USED), "unknown"]);
  });

  test("by the rules of 0.71.6 the old set forgets one height too many before it is dropped", () => {
    // The old set ends with 50 and is dropped at the end of 55, where it still forgets 55 + 1 - 5 = 51.
    expect(replays(change, "0.71.6")).toEqual([
      USED,
      USED,
      USED,
      "accepted",
      USED,
      USED,
      USED,
      USED,
      "unknown",
    ]);
  });
});

test.each([
  [3n, 60n, 20n],
  [5n, 100n, 21n],
  [6n, 121n, 21n],
  [9n, 184n, 21n],
  [10n, 205n, 22n],
  [20n, 430n, 24n],
  [22n, 478n, 24n],
])("difficulty 20, quota 5: %d transactions need %d together, and the next one %d", (n, total, next) => {
  const quota = { difficulty: 20, txPerBlock: 5n };
  expect(requiredTotal(n, quota)).toBe(total);
  expect(levelOf(n + 1n, quota)).toBe(next);
  expect(requiredTotal(n + 1n, quota)).toBe(total + next);
});

// docs/protocol/40-pow-spam.md#53-block-states.
describe("expected difficulty", () => {
  const increasing = { ...DEFAULTS, difficulty: 10, txPerBlock: 5n, increasingDifficulty: true };
  test.each([
    [12n, 132n, 10n],
    [13n, 142n, 11n],
    [14n, 153n, 12n],
    [15n, 166n, 12n],
    [16n, 178n, 13n],
    [17n, 193n, 11n],
    [1n, 20n, 10n],
    [1n, 21n, 10n],
  ])("%d seen with %d observed expects %d", (seen, observed, expected) => {
    expect(expectedDifficulty({ seen, observed }, increasing)).toBe(expected);
  });

  test("over-delivery is no debt, but for the rules of 0.71.6", () => {
    expect(expectedDifficulty({ seen: 1n, observed: 21n }, increasing, true)).toBe(2n ** 64n - 1n);
    expect(expectedDifficulty({ seen: 1n, observed: 20n }, increasing, true)).toBe(10n);
  });

  test("without growing difficulty the quota is the end", () => {
    const fixed = { ...increasing, increasingDifficulty: false };
    expect(expectedDifficulty({ seen: 17n, observed: 200n }, fixed)).toBeUndefined();
    expect(expectedDifficulty({ seen: 1n, observed: 10n }, { ...fixed, txPerBlock: 100n })).toBe(10n);
  });
});

describe("block states", () => {
  test("the current height is last, also when somebody could name it", () => {
    const chain = new PowChain({ difficulty: 1 });
    chain.goTo(5n);
    for (const height of [5n, 2n, 4n]) chain.deliver(chain.tx(height, 1, { party: "A" }));
    const heights = (party: string) => chain.engine.blockStates(party).map(({ height }) => height);
    expect(heights("A")).toEqual([2n, 4n, 5n]);
    expect(heights("B")).toEqual([5n]);
  });

  // docs/protocol/40-pow-spam.md#8-easily-missed, 21.
  test("by the rules of 0.71.6 another party's transaction hides it", () => {
    const chain = new PowChain({ difficulty: 1 }, "0.71.6");
    chain.goTo(5n);
    chain.deliver(chain.tx(5n, 1, { party: "A" }));
    expect(chain.engine.blockStates("B")).toEqual([]);
  });
});

test("a state is the same whatever way led to it, and goes on as the one it came from", () => {
  const one = new PowChain({ difficulty: 1 });
  one.goTo(5n);
  const [a, b] = [one.tx(4n, 1, { party: "A" }), one.tx(4n, 2, { party: "B" })];
  const two = new PowChain({ difficulty: 1 });
  two.goTo(5n);
  for (const tx of [a, b]) one.deliver(tx);
  for (const tx of [b, a]) two.deliver(tx);
  for (const { engine } of [one, two]) engine.endBlock();
  const entries = [...one.state.entries()];
  expect([...two.state.entries()]).toEqual(entries);
  const state = new State();
  const loaded = new PowEngine("default", state);
  state.load(entries);
  loaded.resume(one.engine.currentHeight);
  expect([...state.entries()]).toEqual(entries);
  expect(loaded.deliver(a, 0n)).toMatchObject({ rule: "pow_hash_used" });
});
