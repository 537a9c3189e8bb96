// Voting powers that a consensus engine is given: whatever validators do, it must be able to go on.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ConsensusSet, consensusKey, nextPowers } from "../../src/engine/consensus-set.ts";
import { Core } from "../../src/engine/core.ts";
import { runs, SEED } from "../support/seed.ts";

const key = (n: number) => Buffer.alloc(32, n).toString("base64");
const powers = (...list: readonly (readonly [number, bigint])[]) =>
  new Map(list.map(([n, power]) => [key(n), power]));

/** The most that CometBFT 0.38 takes. */
const POWER_MAX = (1n << 60n) - 1n;

describe("the way from one set to another", () => {
  const set = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.bigInt(1n, 10_000n)), {
    minLength: 1,
    maxLength: 8,
    selector: ([n]) => n,
  });

  test("moves at most a third of all power in a block, never ends empty, and arrives", () => {
    const property = fc.property(set, set, (from, to) => {
      let current: ReadonlyMap<string, bigint> = powers(...from);
      const target = powers(...to);
      for (let block = 0; ; block++) {
        expect(block).toBeLessThan(6);
        const next = nextPowers(current, target);
        const [total, nextTotal] = [current, next].map((each) =>
          [...each.values()].reduce((a, b) => a + b, 0n),
        );
        expect(next.size).toBeGreaterThan(0);
        expect(nextTotal! < POWER_MAX && [...next.values()].every((power) => power > 0n)).toBe(true);
        let gained = 0n;
        for (const [each, power] of next) {
          const gain = power * total! - (current.get(each) ?? 0n) * nextTotal!;
          if (gain > 0n) gained += gain;
        }
        // Powers are whole: a thousandth more is their rounding.
        expect(gained * 1_000n <= (total! * nextTotal! * 1_003n) / 3n).toBe(true);
        if (Bun.deepEquals(next, target)) break;
        current = next;
      }
    });
    fc.assert(property, { numRuns: runs(500), seed: SEED });
  });

  test("takes one of four out at once, all of them never, and one of two in steps", () => {
    const four = powers([1, 10n], [2, 10n], [3, 10n], [4, 10n]);
    const three = powers([1, 10n], [2, 10n], [3, 10n]);
    expect(nextPowers(four, three)).toEqual(three);
    expect(nextPowers(four, new Map())).toEqual(four);
    const step = nextPowers(powers([1, 10n], [2, 10n]), powers([1, 10n]));
    expect(step.size).toBe(2);
    expect(nextPowers(step, powers([1, 10n]))).toEqual(powers([1, 10n]));
  });
});

describe("the set", () => {
  const setOf = (nodes: { tmPubKey: string; power: bigint }[]) => {
    const core = new Core("toy");
    return { core, set: new ConsensusSet(core, { tendermint: () => nodes }) };
  };

  test("begins with all validators, and tells only what changes", () => {
    const nodes = [1, 2, 3, 4].map((n) => ({ tmPubKey: key(n), power: 10n }));
    const { set } = setOf(nodes);
    set.onBlockEnd();
    expect(set.members()).toHaveLength(4);
    expect(set.updates).toEqual(set.members());
    set.onBlockEnd();
    expect(set.updates).toEqual([]);
    nodes.pop();
    set.onBlockEnd();
    expect(set.updates).toEqual([{ key: key(4), power: 0n }]);
    expect(set.members()).toHaveLength(3);
  });

  test("has a key once, and none that is not a key or has no power; its last members stay", () => {
    const nodes = [
      { tmPubKey: key(1), power: 10n },
      { tmPubKey: key(1).replace("=", ""), power: 99n },
      { tmPubKey: "no key", power: 10n },
      { tmPubKey: "", power: 10n },
      { tmPubKey: key(2), power: 0n },
    ];
    const { set } = setOf(nodes);
    set.onBlockEnd();
    expect(set.members()).toEqual([{ key: key(1), power: 10n }]);
    nodes.length = 0;
    set.onBlockEnd();
    expect(set.updates).toEqual([]);
    expect(set.members()).toHaveLength(1);
  });

  test("is taken back with the block", () => {
    const nodes = [{ tmPubKey: key(1), power: 10n }];
    const { core, set } = setOf(nodes);
    set.onBlockEnd();
    const mark = core.state.mark();
    nodes[0] = { tmPubKey: key(1), power: 12n };
    set.onBlockEnd();
    core.state.rollback(mark);
    set.onBlockEnd();
    expect(set.updates).toEqual([{ key: key(1), power: 12n }]);
  });

  test("names keys in one form", () => {
    expect(consensusKey(key(7).replace("=", ""))).toBe(key(7));
    for (const text of ["", "AAAA", "no key"]) expect(consensusKey(text)).toBeUndefined();
  });
});
