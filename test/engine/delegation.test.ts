// Delegation: docs/protocol/60-state-engine-staking.md#72-delegation to #74-epoch-end.
import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { proportional, reduced, type Shares, totalOf } from "../../src/engine/stakes.ts";
import { runs } from "../support/seed.ts";
import { ALICE, BOB, of, ValidatorRig } from "./validator-rig.ts";

const NOW = 1;
const AT_END = 2;
const TOKEN = 10n ** 18n;

let rig: ValidatorRig;
let A: string;
let B: string;

beforeEach(() => {
  rig = new ValidatorRig({ nodes: 2, parameters: { "validators.delegation.minAmount": "2.9" } });
  [A, B] = rig.nodes.map(({ id }) => id) as [string, string];
  rig.endEpoch();
  rig.link(ALICE, 100n);
  rig.events();
});

function undelegate(party: string, nodeId: string, amount: bigint, method: number): string {
  return rig.send(party, () => rig.delegation.undelegate({ nodeId, amount: `${amount}`, method }));
}

/** DelegationBalance events as `node amount@epoch`; the party in front where it is not Alice. */
function balances(events = rig.events()): string[] {
  return of(events, "delegationBalance").map(({ party, nodeId, amount, epochSeq }) => {
    const who = party === ALICE ? "" : party === BOB ? "bob " : "other ";
    return `${who}${nodeId === A ? "A" : "B"} ${amount}@${epochSeq}`;
  });
}

const shares = (party = ALICE) => {
  const text = (list: Shares) =>
    list.map(({ node, amount }) => `${node === A ? "A" : "B"} ${amount}`).join(" ");
  const { current, next } = rig.sharesOf(party);
  return { current: text(current), next: text(next) };
};

describe("delegate", () => {
  test.each([
    ["an unknown node", ALICE, "ff".repeat(32), 50n, "invalid node ID"],
    ["a party without a staking account", BOB, "", 50n, "cannot find staking account for the party"],
    [
      "less than the minimum, cut to a whole number",
      ALICE,
      "",
      1n,
      "delegation amount is lower than the minimum amount for delegation for a validator",
    ],
    ["the minimum", ALICE, "", 2n, ""],
    ["all of the stake", ALICE, "", 100n, ""],
    ["more than the stake", ALICE, "", 101n, "insufficient balance for delegation"],
  ])("given %s, then it answers as documented", (_title, party, node, amount, text) => {
    expect(rig.delegate(party, node || A, amount)).toBe(text);
    expect(balances()).toEqual(text === "" ? [`A ${amount}@2`] : []);
  });

  test("given two delegations to one node, then the event has their sum, and the next epoch's total counts", () => {
    rig.delegate(ALICE, A, 40n);
    rig.delegate(ALICE, A, 30n);
    rig.delegate(ALICE, B, 20n);
    expect(balances()).toEqual(["A 40@2", "A 70@2", "B 20@2"]);
    expect(rig.delegate(ALICE, B, 11n)).toBe("insufficient balance for delegation");
    expect(shares()).toEqual({ current: "", next: "A 70 B 20" });
  });
});

describe("undelegate", () => {
  test("given nothing is delegated and amount 0, then it succeeds without an event", () => {
    expect(undelegate(ALICE, A, 0n, NOW)).toBe("");
    expect(undelegate(ALICE, A, 0n, AT_END)).toBe("");
    expect(balances()).toEqual([]);
  });

  test("given an unknown node, then it is refused, whatever the amount and the method", () => {
    for (const method of [NOW, AT_END])
      for (const amount of [0n, 50n])
        expect(undelegate(ALICE, "ff".repeat(32), amount, method)).toBe("invalid node ID");
    expect(undelegate(ALICE, "ff".repeat(32), 0n, 3)).toBe("unimplemented");
  });

  test.each([
    // current, next, amount, method, error, events, then
    [50n, 80n, 30n, NOW, "", ["A 20@2", "A 50@3"], { current: "A 20", next: "A 50" }],
    [50n, 80n, 0n, NOW, "", ["A 0@2", "A 0@3"], { current: "A 0", next: "A 0" }],
    [50n, 80n, 81n, NOW, "incorrect token amount for undelegation", [], { current: "A 50", next: "A 80" }],
    [50n, 0n, 50n, NOW, "", ["A 0@2"], { current: "A 0", next: "A 0" }],
    [0n, 80n, 10n, NOW, "", ["A 70@3"], { current: "", next: "A 70" }],
    [50n, 80n, 30n, AT_END, "", ["A 50@3"], { current: "A 50", next: "A 50" }],
    [50n, 80n, 0n, AT_END, "", ["A 0@3"], { current: "A 50", next: "A 0" }],
    [50n, 40n, 41n, AT_END, "incorrect token amount for undelegation", [], { current: "A 50", next: "A 40" }],
    [50n, 50n, 1n, 3, "unimplemented", [], { current: "A 50", next: "A 50" }],
    [50n, 50n, 1n, 0, "unimplemented", [], { current: "A 50", next: "A 50" }],
  ] as const)(
    "given %p now and %p next, when %p leaves by method %p",
    (current, next, amount, method, text, seen, then) => {
      if (current > 0n) rig.delegate(ALICE, A, current);
      rig.endEpoch();
      if (next > current) rig.delegate(ALICE, A, next - current);
      if (next < current) undelegate(ALICE, A, current - next, AT_END);
      rig.events();
      expect(undelegate(ALICE, A, amount, method)).toBe(text);
      expect(balances()).toEqual([...seen]);
      expect(shares()).toEqual(then);
    },
  );
});

describe("reconciliation", () => {
  test("given stake goes, then 30 seconds after the last one both maps give it up, every node is told", () => {
    rig.delegate(ALICE, A, 60n);
    rig.delegate(ALICE, B, 40n);
    rig.params.setValue("validators.epoch.length", "1h");
    rig.endEpoch();
    rig.endEpoch();
    rig.delegation.onTick();
    rig.link(ALICE, 9n, { unlink: true, seconds: 2n });
    expect(balances(rig.block(29n))).toEqual([]);
    // 60 × 9 / 100 and 40 × 9 / 100, cut, are 5 and 3; one more is taken from the first node.
    expect(balances(rig.block(1n))).toEqual(["A 54@3", "B 37@3", "A 54@4", "B 37@4"]);
    expect(balances(rig.block(60n))).toEqual([]);
  });

  test("given an epoch ends, then it is done for the ended epoch before anything else", () => {
    rig.delegate(ALICE, A, 60n);
    rig.endEpoch();
    rig.block(11n);
    rig.link(ALICE, 100n, { unlink: true, seconds: 2n });
    expect(rig.staking.balance(ALICE)).toBe(0n);
    const seen = rig.block();
    expect(balances(seen)).toEqual(["A 0@2", "A 0@3"]);
    expect(seen[0]!.member).toBe("epochEvent");
    expect(rig.scores!.stakes.size).toBe(0);
  });

  test("given shares and a smaller stake, then their sum is the stake and nobody has less than nothing", () => {
    const amounts = fc.array(fc.bigInt(0n, 1_000n), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(amounts, fc.bigInt(0n, 7_000n), (list, limit) => {
        const before = list.map((amount, index) => ({ node: `${index}`, amount }));
        const total = totalOf(before);
        const stake = limit < total ? limit : total;
        const after = reduced(before, stake);
        expect(totalOf(after)).toBe(stake);
        expect(after.every(({ amount }, index) => amount >= 0n && amount <= before[index]!.amount)).toBe(
          true,
        );
      }),
    );
  });

  test("given any commands and stakes, then after an epoch no party has delegated more than its stake", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("link" as const), amount: fc.bigInt(1n, 50n) }),
      fc.record({ kind: fc.constant("unlink" as const), amount: fc.bigInt(1n, 60n) }),
      fc.record({ kind: fc.constant("delegate" as const), amount: fc.bigInt(1n, 60n), node: fc.nat(1) }),
      fc.record({
        kind: fc.constant("undelegate" as const),
        amount: fc.bigInt(0n, 60n),
        node: fc.nat(1),
        method: fc.constantFrom(NOW, AT_END),
      }),
      fc.record({ kind: fc.constant("epoch" as const) }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(ALICE, BOB), step), { maxLength: 20 }), (steps) => {
        const chain = new ValidatorRig({ nodes: 2 });
        const ids = chain.nodes.map(({ id }) => id);
        let clock = 1n;
        for (const [party, action] of steps) {
          clock += 1n;
          if (action.kind === "link") chain.link(party, action.amount, { seconds: clock });
          else if (action.kind === "unlink")
            chain.link(party, action.amount, { unlink: true, seconds: clock });
          else if (action.kind === "delegate") chain.delegate(party, ids[action.node]!, action.amount);
          else if (action.kind === "epoch") chain.endEpoch();
          else {
            const { amount, method } = action;
            chain.send(party, () =>
              chain.delegation.undelegate({ nodeId: ids[action.node]!, amount: `${amount}`, method }),
            );
          }
        }
        chain.endEpoch();
        for (const party of [ALICE, BOB]) {
          const { current, next } = chain.sharesOf(party);
          const stake = chain.staking.balance(party) ?? 0n;
          expect(totalOf(current) <= stake && totalOf(next) <= stake).toBe(true);
        }
      }),
      { numRuns: runs(60) },
    );
  });
});

describe("the end of an epoch", () => {
  test("given a delegation, then it counts from the next epoch on, and is told one epoch ahead at each start", () => {
    rig.delegate(ALICE, A, 60n);
    expect(rig.stakeOf(A).total).toBe(0n);
    expect(balances(rig.endEpoch())).toEqual(["A 60@3"]);
    expect(shares()).toEqual({ current: "A 60", next: "A 60" });
    expect(rig.stakeOf(A)).toEqual({
      self: 0n,
      delegators: new Map([[ALICE, 60n]]),
      byDelegators: 60n,
      total: 60n,
    });
    expect(balances(rig.endEpoch())).toEqual(["A 60@4"]);
  });

  test("given everything is taken back, then 0 is told once, and then nothing", () => {
    rig.delegate(ALICE, A, 60n);
    rig.endEpoch();
    undelegate(ALICE, A, 0n, AT_END);
    expect(balances(rig.endEpoch())).toEqual(["A 0@4"]);
    expect(balances(rig.endEpoch())).toEqual([]);
    expect(shares()).toEqual({ current: "", next: "" });
  });

  test("given a delegation that is taken back in the same epoch, then nothing is told of it later", () => {
    rig.delegate(ALICE, A, 60n);
    undelegate(ALICE, A, 0n, NOW);
    expect(balances()).toEqual(["A 60@2", "A 0@2"]);
    expect(balances(rig.endEpoch())).toEqual([]);
  });

  test("given parties and nodes, then the start of an epoch tells them by party, then by node", () => {
    rig.link(BOB, 10n);
    rig.delegate(BOB, A, 3n);
    rig.delegate(ALICE, B, 4n);
    rig.delegate(ALICE, A, 5n);
    expect(balances(rig.endEpoch())).toEqual(["A 5@3", "B 4@3", "bob A 3@3"]);
  });

  test("given a node's own key delegates, then that is its own stake", () => {
    const own = rig.nodes[0]!.key;
    rig.link(own, 7n);
    rig.delegate(own, A, 7n);
    rig.delegate(ALICE, A, 5n);
    rig.endEpoch();
    rig.endEpoch();
    expect(rig.scores!.stakes.get(A)).toEqual({
      self: 7n,
      delegators: new Map([[ALICE, 5n]]),
      byDelegators: 5n,
      total: 12n,
    });
  });
});

describe("automatic delegation", () => {
  /** Alice has 100, delegates this amount, two epochs go by, and then gets 50 more. */
  function grow(onA: bigint, onB: bigint): void {
    rig.delegate(ALICE, A, onA);
    rig.delegate(ALICE, B, onB);
    rig.endEpoch();
    rig.link(ALICE, 50n, { seconds: 2n });
  }

  test("given at least 95 % is delegated, then new stake follows in proportion, cut", () => {
    grow(60n, 35n);
    // 55 × 60 / 95 = 34.7, 55 × 35 / 95 = 20.2: for epoch 3, and then the prediction for epoch 4.
    expect(balances(rig.endEpoch())).toEqual(["A 94@3", "B 55@3", "A 94@4", "B 55@4"]);
  });

  test.each([
    ["that is 95 % in 16 decimals, then new stake follows", 1n, 150n * TOKEN],
    ["that is 95 % in 16 decimals no more, then it stays", 10_000n, 95n * TOKEN - 10_000n],
  ])("given a share %s", (_title, missing, delegated) => {
    rig.link(BOB, 100n * TOKEN);
    rig.delegate(BOB, A, 95n * TOKEN - missing);
    rig.endEpoch();
    rig.link(BOB, 50n * TOKEN, { seconds: 2n });
    rig.endEpoch();
    expect(shares(BOB).next).toBe(`A ${delegated}`);
  });

  test("given less than 95 %, then it stays", () => {
    grow(60n, 34n);
    expect(balances(rig.endEpoch())).toEqual(["A 60@4", "B 34@4"]);
  });

  test("given the party delegates in that epoch, then it stays for that epoch", () => {
    grow(60n, 35n);
    rig.delegate(ALICE, A, 5n);
    expect(balances(rig.endEpoch())).toEqual(["A 65@4", "B 35@4"]);
  });

  test.each([[NOW], [AT_END]])(
    "given the party undelegates by method %p, then new stake does not follow",
    (method) => {
      grow(60n, 35n);
      undelegate(ALICE, A, 10n, method);
      rig.endEpoch();
      expect(shares().next).toBe("A 50 B 35");
      rig.endEpoch();
      expect(shares().next).toBe("A 50 B 35");
    },
  );

  test("given a reconciliation takes stake back, then the party leaves, and enters again at the end of an epoch", () => {
    rig.delegate(ALICE, A, 100n);
    rig.endEpoch();
    rig.block(8n);
    rig.link(ALICE, 40n, { unlink: true, seconds: 2n });
    rig.endEpoch();
    expect(shares().next).toBe("A 60");
    rig.link(ALICE, 20n, { seconds: 3n });
    rig.endEpoch();
    expect(shares().next).toBe("A 80");
  });

  test("given a reconciliation within the epoch, then new stake of the same epoch does not follow", () => {
    rig.delegate(ALICE, A, 100n);
    rig.params.setValue("validators.epoch.length", "1h");
    rig.endEpoch();
    rig.link(ALICE, 40n, { unlink: true, seconds: 2n });
    rig.block(40n);
    expect(shares()).toEqual({ current: "A 60", next: "A 60" });
    rig.link(ALICE, 20n, { seconds: 3n });
    rig.endEpoch();
    expect(shares().next).toBe("A 60");
  });

  test("given spare stake, then no more than it is handed out", () => {
    const amounts = fc.array(fc.bigInt(0n, 1_000n), { maxLength: 7 });
    fc.assert(
      fc.property(amounts, fc.bigInt(0n, 7_000n), (list, spare) => {
        const extra = proportional(
          list.map((amount, index) => ({ node: `${index}`, amount })),
          spare,
        );
        expect(totalOf(extra) <= spare).toBe(true);
      }),
    );
  });
});
