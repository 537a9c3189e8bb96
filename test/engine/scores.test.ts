// Scores, voting power and promotion: docs/protocol/60-state-engine-staking.md#76-scores-at-epoch-end, against examples
// worked out by hand.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { NodeStatus } from "../../src/engine/ports.ts";
import {
  multisigScores,
  nextStatuses,
  normalised,
  optimalStake,
  type PerformanceFacts,
  performanceScore,
  Randomness,
  type RankedNode,
  rawScores,
  type ScoreParameters,
  stakeScores,
  sumOf,
  votingPower,
} from "../../src/engine/scores.ts";
import type { NodeStake } from "../../src/engine/stakes.ts";
import { Decimal } from "../../src/wire/decimal.ts";

const d = Decimal.parseNumber;
const texts = (scores: ReadonlyMap<string, Decimal>) => [...scores].map(([id, score]) => `${id} ${score}`);

const PARAMS: ScoreParameters = {
  competitionLevel: d("1.1"),
  validatorsMin: d("2"),
  optimalStakeMultiplier: d("1.5"),
  selfStakeMin: d("100"),
  performanceScaling: d("0"),
  ethereumEventsMin: 3n,
  incumbentBonus: d("1"),
  multisigSigners: 2,
};

const stake = (self: bigint, byDelegators = 0n): NodeStake => ({
  self,
  delegators: new Map(byDelegators > 0n ? [["p", byDelegators]] : []),
  byDelegators,
  total: self + byDelegators,
});

describe("performance", () => {
  const facts: PerformanceFacts = {
    status: "tendermint",
    stake: stake(100n),
    proposed: 10n,
    blocks: 100n,
    power: 40n,
    totalPower: 100n,
    forwarded: 3n,
    heartbeats: 7,
  };

  test.each([
    // (10 + 2) / 100 = 0.12 of 0.4
    ["blocks as a third of its power", {}, {}, "0.3"],
    // (10 + 10 × 0.5) / 100 = 0.15 of 0.4
    ["a scaling factor that gives more than two blocks", {}, { performanceScaling: d("0.5") }, "0.375"],
    // (10 + 2) / 100 again: 1 is less than 2
    ["a scaling factor that gives less", {}, { performanceScaling: d("0.1") }, "0.3"],
    ["all of the blocks", { proposed: 100n }, {}, "1"],
    ["no block of many", { proposed: 0n, blocks: 1_000n }, {}, "0.05"],
    ["no blocks at all", { proposed: 0n, blocks: 0n }, {}, "0.05"],
    // 2 / 50 of all the power
    ["blocks without a proposer", { proposed: 0n, blocks: 8n, power: 100n }, {}, "0.25"],
    ["too little stake of its own", { stake: stake(99n, 5_000n) }, {}, "0"],
    ["heartbeats of a standby validator", { status: "ersatz" }, {}, "0.7"],
    ["heartbeats of an announced one", { status: "pending" }, {}, "0.7"],
    ["too few forwarded events", { status: "pending", forwarded: 2n }, {}, "0"],
    ["too little stake of a standby validator", { status: "ersatz", stake: stake(99n) }, {}, "0"],
  ] as const)("given %s, then it is as documented", (_title, changes, params, score) => {
    const result = performanceScore({ ...facts, ...changes }, { ...PARAMS, ...params });
    expect(result.toString()).toBe(score);
  });
});

describe("scores by stake", () => {
  const stakes = new Map([
    ["a", stake(600n)],
    ["b", stake(200n, 100n)],
    ["c", stake(100n)],
  ]);
  const ids = ["a", "b", "c"];

  test("given stake, then each node's part of all of it has 16 decimals", () => {
    expect(texts(stakeScores(ids, stakes))).toEqual(["a 0.6", "b 0.3", "c 0.1"]);
    expect(texts(stakeScores(["a", "c", "d"], stakes))).toEqual([
      "a 0.8571428571428571",
      "c 0.1428571428571429",
      "d 0",
    ]);
    expect(texts(stakeScores(["d"], stakes))).toEqual(["d 0"]);
  });

  test("given the tendermint group, then the optimum is its stake by the greater of the two divisors", () => {
    // 3 / 1.1 = 2.73 is more than 2: 1000 / 2.7272727272727273
    expect(optimalStake(ids, stakes, PARAMS).toString()).toBe("366.666666666666663");
    expect(optimalStake(ids, stakes, { ...PARAMS, validatorsMin: d("5") }).toString()).toBe("200");
  });

  test("given an optimum of 200, then what exceeds it does not count and what exceeds 300 counts against", () => {
    // a: 600 − 400 − 300 is below 0; b: 300 − 100 − 0; c: 100.
    expect(texts(rawScores(ids, stakes, d("200"), PARAMS))).toEqual(["a 0", "b 0.2", "c 0.1"]);
    // a: 600 − 200 − 0; b and c whole.
    expect(texts(rawScores(ids, stakes, d("400"), PARAMS))).toEqual(["a 0.4", "b 0.3", "c 0.1"]);
    expect(texts(rawScores(["d"], stakes, d("0"), PARAMS))).toEqual(["d 0"]);
  });
});

describe("multisig scores", () => {
  const nodes = ["a", "b", "c"].map((nodeId) => ({ nodeId, ethereumAddress: `0xE${nodeId}` }));
  const weights = new Map([
    ["a", d("0.1")],
    ["b", d("0.5")],
    ["c", d("0.4")],
  ]);
  const contract = (signers: readonly string[]) => ({
    signers: () => signers,
    isSigner: (address: string) => signers.includes(address.toLowerCase()),
  });

  test.each([
    ["the two best, one of them no signer", ["0xeb"], ["a 1", "b 1", "c 0"]],
    ["both", ["0xeb", "0xec"], ["a 1", "b 1", "c 1"]],
    ["nobody", [], ["a 1", "b 0", "c 0"]],
    ["a stranger too", ["0xeb", "0xec", "0xff"], ["a 0", "b 0", "c 0"]],
  ] as const)("given the contract has %s, then the scores are as documented", (_title, signers, scores) => {
    expect(texts(multisigScores(nodes, weights, contract(signers), 2))).toEqual([...scores]);
  });
});

describe("normalised scores", () => {
  const random = () => new Randomness(1_893_456_000n, "test");

  test("given scores, then each is divided by their sum", () => {
    expect(
      texts(
        normalised(
          new Map([
            ["a", d("0.3")],
            ["b", d("0.1")],
          ]),
          random(),
        ),
      ),
    ).toEqual(["a 0.75", "b 0.25"]);
    expect(
      texts(
        normalised(
          new Map([
            ["a", d("0")],
            ["b", d("0")],
          ]),
          random(),
        ),
      ),
    ).toEqual(["a 0", "b 0"]);
  });

  test("given six parts that are rounded up, then one gives up the excess and the sum is 1", () => {
    const six = new Map(["a", "b", "c", "d", "e", "f"].map((id) => [id, d("1")] as const));
    const scores = normalised(six, random());
    expect(sumOf(scores.values()).toString()).toBe("1");
    // Six times 0.1666666666666667 are 2 too much in the last decimal.
    expect(texts(scores).filter((text) => text.endsWith("0.1666666666666667"))).toHaveLength(5);
    expect(texts(scores).filter((text) => text.endsWith("0.1666666666666665"))).toHaveLength(1);
    expect(texts(normalised(six, random()))).toEqual(texts(scores));
  });

  test("given any scores, then no part is below 0 and the sum is at most 1", () => {
    const list = fc.array(fc.bigInt(0n, 1_000_000n), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(list, (values) => {
        const scores = new Map(values.map((value, index) => [`${index}`, Decimal.of(value)] as const));
        const parts = [...normalised(scores, random()).values()];
        expect(parts.some((part) => part.isNegative())).toBe(false);
        expect(sumOf(parts).compare(Decimal.one) <= 0).toBe(true);
      }),
    );
  });
});

describe("voting power", () => {
  test.each([
    [
      ["0.5", "0.3", "0.2"],
      [5000n, 3000n, 2000n],
    ],
    [
      ["1", "1", "1"],
      [3333n, 3333n, 3333n],
    ],
    [
      ["1", "0.00000001", "0"],
      [9999n, 1n, 1n],
    ],
    [
      ["0", "0"],
      [10n, 10n],
    ],
  ] as const)("given scores %p, then it is %p", (scores, power) => {
    const map = new Map(scores.map((score, index) => [`${index}`, d(score)] as const));
    expect([...votingPower(map).values()]).toEqual([...power]);
  });
});

describe("promotion", () => {
  /** `t5` is a tendermint node with ranking 5, `s` in front means that it is a signer, `@9` its status height. */
  function node(text: string, index: number): RankedNode {
    const [, signer, letter, ranking, height] = /^(s?)([tep])(\d+)(?:@(\d+))?$/.exec(text)!;
    const status = ({ t: "tendermint", e: "ersatz", p: "pending" } as const)[letter as "t" | "e" | "p"];
    return {
      nodeId: `n${index}`,
      status,
      statusHeight: Number(height ?? 1),
      ranking: d(ranking!),
      isSigner: signer === "s",
    };
  }
  const letters: Readonly<Record<NodeStatus, string>> = { tendermint: "t", ersatz: "e", pending: "p" };

  test.each([
    // nodes, tendermint and ersatz slots, contract (signers, threshold), the statuses that follow
    ["free slots go to the best that have a ranking", "t5 e3 e0 p4 p1", [3, 5], [0, 0], "t t e t e"],
    ["a full set stays while nobody is better", "t5 t4 e4 p3", [2, 2], [0, 0], "t t e e"],
    ["the best of the others takes the place of the worst", "t5 t2 e3", [2, 1], [0, 0], "t e t"],
    ["one place changes in an epoch", "t1 t2 e5 e6", [2, 2], [0, 0], "e t e t"],
    ["a pending one may go straight to the top", "t1 e2 p9", [1, 1], [0, 0], "p e t"],
    ["a validator without a ranking makes room", "t0 e1", [1, 1], [0, 0], "e t"],
    ["nobody without a ranking is promoted", "t5 p0", [2, 2], [0, 0], "t p"],
    ["fewer slots: the worst are demoted", "t5 t1 t2 e4", [1, 3], [0, 0], "t e e e"],
    ["fewer slots: the last one that is left may be swapped", "t5 t1 t2 e9", [1, 3], [0, 0], "e e e t"],
    ["more slots: the worst may be swapped once they are full", "t5 t1 p4 p3", [3, 0], [0, 0], "t p t t"],
    ["more slots that stay free: nobody is swapped", "t5 t1 p4 p0", [4, 0], [0, 0], "t t t p"],
    ["more slots: a pending one comes before a standby one", "t5 t5 e2 e1 p9", [3, 2], [0, 0], "t t e e t"],
    ["a signer is demoted while the others suffice", "st5 st4 st3 st1", [3, 3], [4, 666], "t t t e"],
    ["a signer stays when the others would not suffice", "st5 st4 st1", [2, 3], [3, 667], "t t t"],
    [
      "a signer stays when the others would only just reach it",
      "st5 st4 st3 st1",
      [3, 3],
      [4, 750],
      "t t t t",
    ],
    ["one that is not a signer stays with a worse signer", "st5 t4 st1", [2, 3], [2, 667], "t t t"],
    ["one that is not a signer goes whatever the threshold", "st5 st4 t1", [2, 3], [2, 999], "t t e"],
    ["only one signer goes in an epoch", "st9 st8 st7 st2 st1", [3, 3], [5, 100], "t t t t e"],
    ["nobody else goes behind a signer", "st9 t8 t7 st2 t1", [1, 4], [2, 100], "t t t e e"],
    ["while signers have to stay, nobody is swapped", "st5 st4 st1 e9", [2, 3], [3, 667], "t t t e"],
    ["the standby group has slots too", "t9 e1 e3 e2", [1, 2], [0, 0], "t p e e"],
    ["a standby is replaced by a better pending one", "t9 e1 p2 p3", [1, 1], [0, 0], "t p p e"],
    ["of equals the older status is better", "t5@7 t5@3 e6", [2, 1], [0, 0], "e t t"],
    ["no standby slots", "t5 e4 p3", [1, 0], [0, 0], "t p p"],
    [
      "fewer standby slots: the last one that is left may be swapped",
      "t9 e3 e2 p5",
      [1, 1],
      [0, 0],
      "t p p e",
    ],
    [
      "more standby slots: the worst may be swapped once they are full",
      "t9 e1 p4 p3",
      [1, 2],
      [0, 0],
      "t p e e",
    ],
    ["a replaced validator gets a standby place by being better", "t3 e2 p9", [1, 1], [0, 0], "e p t"],
    ["of equals a replaced validator loses the standby place", "t2@1 e2@5 p9", [1, 1], [0, 0], "p e t"],
    ["no slots at all", "t5 e4 p3", [0, 0], [0, 0], "p p p"],
  ] as const)("%s", (_title, list, [tendermint, ersatz], [signers, threshold], expected) => {
    const nodes = list.split(" ").map(node);
    const random = new Randomness(7n, "test");
    const statuses = nextStatuses(nodes, { tendermint, ersatz }, { signers, threshold }, random);
    expect(nodes.map(({ nodeId }) => letters[statuses.get(nodeId)!]).join(" ")).toBe(expected);
  });

  test("given equal nodes, then the lot decides, for every node of the network alike", () => {
    const nodes = ["p1", "p1", "p1", "p1"].map(node);
    const promoted = (seed: bigint) => {
      const statuses = nextStatuses(
        nodes,
        { tendermint: 1, ersatz: 0 },
        { signers: 0, threshold: 0 },
        new Randomness(seed, "x"),
      );
      return [...statuses]
        .filter(([, status]) => status === "tendermint")
        .map(([id]) => id)
        .join();
    };
    const seeds = Array.from({ length: 40 }, (_, index) => BigInt(index));
    expect(seeds.map(promoted)).toEqual(seeds.map(promoted));
    expect(new Set(seeds.map(promoted))).toEqual(new Set(["n0", "n1", "n2", "n3"]));
  });

  test("given any nodes, then there are never more than the slots, unless signers had to stay", () => {
    const any = fc.array(fc.tuple(fc.constantFrom("t", "e", "p"), fc.nat(9)), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: 5 }), fc.nat(4), (list, tendermint, ersatz) => {
        const nodes = list.map(([letter, ranking], index) => node(`${letter}${ranking}`, index));
        const statuses = nextStatuses(
          nodes,
          { tendermint, ersatz },
          { signers: 0, threshold: 0 },
          new Randomness(1n, "x"),
        );
        const count = (status: NodeStatus) => [...statuses.values()].filter((own) => own === status).length;
        expect(count("tendermint") <= tendermint && count("ersatz") <= ersatz).toBe(true);
      }),
    );
  });
});

describe("randomness", () => {
  test("given a seed and a purpose, then the numbers are always the same, and others are others", () => {
    const draw = (seconds: bigint, purpose: string) => {
      const random = new Randomness(seconds, purpose);
      return Array.from({ length: 8 }, () => random.below(1_000));
    };
    expect(draw(1_893_456_000n, "validators")).toEqual([...RECORDED]);
    expect(draw(1n, "a")).not.toEqual(draw(2n, "a"));
    expect(draw(1n, "a")).not.toEqual(draw(1n, "b"));
  });

  test("given a limit, then every number below it comes and no other", () => {
    const random = new Randomness(5n, "dice");
    const seen = new Set(Array.from({ length: 300 }, () => random.below(6)));
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

/** The first numbers below 1000: a chain that was made with them must stay the same. */
const RECORDED = [187, 857, 646, 961, 946, 779, 988, 520] as const;
