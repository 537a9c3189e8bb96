// Rewards at the end of an epoch:
// docs/protocol/60-state-engine-staking.md#86-reward-accounts-and-payout-order-at-epoch-end to #89-payout-events,
// against examples worked out by hand.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Contributions, groupBudgets, stakingPayout } from "../../src/engine/rewards.ts";
import type { NodeStake } from "../../src/engine/stakes.ts";
import { Decimal } from "../../src/wire/decimal.ts";
import { AccountType, DispatchMetric } from "../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import {
  ALICE,
  BOB,
  CAROL,
  kinds,
  NodeKeys,
  of,
  type SeenEvent,
  ValidatorRig,
  VOTE,
} from "./validator-rig.ts";

const { ACCOUNT_TYPE_GLOBAL_REWARD: TREASURY, ACCOUNT_TYPE_FEES_INFRASTRUCTURE: INFRASTRUCTURE } =
  AccountType;
const COIN = "c0".repeat(32);
const MARKET = "3a".repeat(32);
const d = Decimal.parse;

const stake = (self: bigint, delegators: Record<string, bigint> = {}): NodeStake => {
  const byDelegators = Object.values(delegators).reduce((sum, amount) => sum + amount, 0n);
  return { self, delegators: new Map(Object.entries(delegators)), byDelegators, total: self + byDelegators };
};
const score = (nodeId: string, normalised: string) => ({
  nodeId,
  vegaPubKey: `key-${nodeId}`,
  normalised: d(normalised),
});

describe("the split between the groups", () => {
  test.each([
    // balance, tendermint and ersatz stake, factor, the budgets
    [1_000n, 300n, 0n, "0.5", 1_000n, 0n],
    [1_000n, 300n, 200n, "0.5", 750n, 250n],
    [1_000n, 200n, 200n, "0.5", 666n, 333n],
    [1_000n, 0n, 200n, "0.5", 0n, 1_000n],
    [1_000n, 0n, 0n, "0.5", 0n, 0n],
    // Both parts end in a half of the 16th decimal and are rounded up.
    [10n ** 16n, 10n ** 16n + 1n, 10n ** 16n - 1n, "1", 5n * 10n ** 15n + 1n, 5n * 10n ** 15n - 1n],
    [1_000n, 300n, 200n, "0", 1_000n, 0n],
  ] as const)(
    "given %p for stakes of %p and %p at %p, then it is %p and %p",
    (balance, own, others, factor, tendermint, ersatz) => {
      expect(groupBudgets(balance, { tendermint: own, ersatz: others }, d(factor))).toEqual({
        tendermint,
        ersatz,
      });
    },
  );

  test("given any stakes, then the budgets are no more than the balance", () => {
    const amount = fc.bigInt(0n, 10n ** 30n);
    fc.assert(
      fc.property(
        amount,
        amount,
        amount,
        fc.constantFrom("0", "0.1", "0.5", "0.333", "1"),
        (balance, own, others, factor) => {
          const { tendermint, ersatz } = groupBudgets(
            balance,
            { tendermint: own, ersatz: others },
            d(factor),
          );
          expect(tendermint >= 0n && ersatz >= 0n && tendermint + ersatz <= balance).toBe(true);
        },
      ),
    );
  });
});

describe("the payout of a group", () => {
  const stakes = new Map([["n", stake(400n, { alice: 400n, bob: 200n })]]);
  const rules = { delegatorShare: d("0.883"), cap: 0n };
  const paid = (payout: Map<string, bigint>) => [...payout].map(([party, amount]) => `${party} ${amount}`);

  test("given a validator and two delegators, then it is split by stake, and dust stays", () => {
    // d = 0.883 × 600 / 1000 = 0.5298; a third of 529800 by 16 decimals is one less than 176600.
    expect(paid(stakingPayout([score("n", "1")], stakes, 1_000_000n, rules))).toEqual([
      "key-n 470200",
      "alice 353200",
      "bob 176599",
    ]);
  });

  test("given a cap, then what exceeds it goes to others in ten rounds, and the rest stays", () => {
    // Alice's part is capped each time: Bob gets a third of the rest nine times more.
    expect(paid(stakingPayout([score("n", "1")], stakes, 1_000_000n, { ...rules, cap: 300_000n }))).toEqual([
      "key-n 300000",
      "alice 300000",
      "bob 228414",
    ]);
  });

  test("given a cap, then rounds stop when less than its thousandth is left", () => {
    // 53201 are left after the first round.
    const capped = stakingPayout([score("n", "1")], stakes, 1_000_000n, { ...rules, cap: 353_000n });
    // 200 of Alice's 353200 are left, and 1: less than 353.
    expect(paid(capped)).toEqual(["key-n 353000", "alice 353000", "bob 176599"]);
  });

  test("given no delegations, then the validator has all of it", () => {
    const own = new Map([["n", stake(5n)]]);
    expect(paid(stakingPayout([score("n", "1")], own, 999n, rules))).toEqual(["key-n 999"]);
  });

  test("given only others' stake, then the validator has what the share leaves", () => {
    const others = new Map([["n", stake(0n, { alice: 5n })]]);
    expect(paid(stakingPayout([score("n", "1")], others, 1_000n, rules))).toEqual(["key-n 117", "alice 883"]);
  });

  test("given scores, then each node has its part, and one without a score nothing", () => {
    const three = new Map([
      ["a", stake(10n)],
      ["b", stake(10n)],
      ["c", stake(10n)],
    ]);
    const group = [score("a", "0.75"), score("b", "0.25"), score("c", "0")];
    expect(paid(stakingPayout(group, three, 1_000n, rules))).toEqual(["key-a 750", "key-b 250"]);
  });

  test("given a small reward, then 0 is possible", () => {
    expect(paid(stakingPayout([score("n", "1")], stakes, 2n, rules))).toEqual([
      "key-n 0",
      "alice 0",
      "bob 0",
    ]);
  });

  test("given a validator that delegates to another node as well, then its amounts are added up", () => {
    const two = new Map([
      ["a", stake(100n, { "key-b": 100n })],
      ["b", stake(100n)],
    ]);
    const payout = stakingPayout([score("a", "0.5"), score("b", "0.5")], two, 2_000n, {
      ...rules,
      delegatorShare: d("1"),
    });
    expect(paid(payout)).toEqual(["key-a 500", "key-b 1500"]);
  });

  test("given weights that are rounded up, then the largest gives the excess up", () => {
    const six = stake(0n, Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((party) => [party, 1n])));
    const pot = 6n * 10n ** 16n;
    const payout = stakingPayout([score("n", "1")], new Map([["n", six]]), pot, {
      delegatorShare: d("1"),
      cap: 0n,
    });
    const total = [...payout.values()].reduce((sum, amount) => sum + amount, 0n);
    expect(total <= pot).toBe(true);
    expect(payout.get("a")).toBe(9_999_999_999_999_990n);
    expect(payout.get("b")).toBe(10_000_000_000_000_002n);
  });

  test("given any stakes, scores, shares and caps, then no more than the budget is paid, and no party passes the cap", () => {
    const node = fc.record({
      self: fc.bigInt(0n, 1_000n),
      delegators: fc.dictionary(fc.constantFrom("p", "q", "r", "key-0", "key-1"), fc.bigInt(1n, 10n ** 20n)),
      weight: fc.bigInt(0n, 10n),
    });
    const share = fc.constantFrom("0", "0.1", "0.883", "1");
    const nodes = fc.array(node, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        nodes,
        fc.bigInt(0n, 10n ** 24n),
        share,
        fc.bigInt(0n, 10n ** 20n),
        (list, budget, delegatorShare, cap) => {
          const sum = list.reduce((total, { weight }) => total + weight, 0n);
          fc.pre(sum > 0n);
          // Cut, so that the parts are never more than 1.
          const group = list.map(({ weight }, index) =>
            score(`${index}`, `0.${((weight * 9_999n) / sum).toString().padStart(4, "0")}`),
          );
          const all = new Map(
            list.map(({ self, delegators }, index) => [`${index}`, stake(self, delegators)]),
          );
          const amounts = [
            ...stakingPayout(group, all, budget, { delegatorShare: d(delegatorShare), cap }).values(),
          ];
          expect(amounts.reduce((total, amount) => total + amount, 0n) <= budget).toBe(true);
          expect(amounts.every((amount) => amount >= 0n && (cap === 0n || amount <= cap))).toBe(true);
        },
      ),
    );
  });
});

/** A validator with 400 of its own, 400 of Alice's and 200 of Bob's, in the epoch that counts. */
function rigWith(parameters: Record<string, string> = {}, contributions?: Contributions): ValidatorRig {
  const rig = new ValidatorRig({
    parameters: { "reward.staking.delegation.minValidators": "1", ...parameters },
    ...(contributions && { contributions }),
  });
  const [node] = rig.nodes as [NodeKeys];
  rig.setSigner(node.address);
  for (const [party, amount] of [
    [node.key, 400n],
    [ALICE, 400n],
    [BOB, 200n],
  ] as const) {
    rig.link(party, amount);
    rig.delegate(party, node.id, amount);
  }
  rig.endEpoch();
  return rig;
}

const payouts = (events: readonly SeenEvent[]) => of(events, "rewardPayout");
const lines = (events: readonly SeenEvent[]) =>
  payouts(events).map(
    ({ party, amount, rewardType }) =>
      `${nameOf(party as string)} ${amount} ${(rewardType as string).slice(13)}`,
  );
const nameOf = (party: string) => ({ [ALICE]: "alice", [BOB]: "bob", [CAROL]: "carol" })[party] ?? "node";

describe("rewards for staking", () => {
  test("given the treasury holds the reward asset, then it is paid out with all its events", () => {
    const rig = rigWith();
    const treasury = rig.fund(VOTE, TREASURY, 1_000_000n);
    const key = rig.nodes[0]!.key;
    const seen = rig.endEpoch();
    const parties = [key, ALICE, BOB].sort();
    const at = seen.findIndex(({ member }) => member === "party");
    const payout = seen.slice(
      at,
      seen.findIndex(({ member, payload }) => member === "epochEvent" && payload.action === 1),
    );
    const each = ["party", "account", "account", "account"];
    expect(payout.map(({ member }) => member)).toEqual([
      ...each,
      ...each,
      ...each,
      "ledgerMovements",
      ...Array(3).fill("rewardPayout"),
    ]);
    expect(of(payout, "party").map(({ id }) => id)).toEqual(parties);
    const { ledgerMovements } = of(payout, "ledgerMovements")[0] as {
      ledgerMovements: { entries: { type: number; toAccount: { owner: string } }[] }[];
    };
    expect(
      ledgerMovements.map(({ entries }) => [entries.length, entries[0]!.type, entries[0]!.toAccount.owner]),
    ).toEqual(parties.map((party) => [1, 21, party]));
    const rows = payouts(seen);
    expect(rows.map(({ party }) => party)).toEqual(parties);
    expect(rows.find(({ party }) => party === key)).toEqual({
      party: key,
      epochSeq: "1",
      asset: VOTE,
      amount: "470200",
      percentOfTotalReward: "47.02004702004702",
      timestamp: rig.core.nowNs,
      rewardType: "ACCOUNT_TYPE_GLOBAL_REWARD",
      market: "!",
    });
    expect(rig.core.nowNs % SECOND_NS).toBe(0n);
    expect(parties.map((party) => rig.general(party, VOTE)).sort()).toEqual(
      [470_200n, 353_200n, 176_599n].sort(),
    );
    expect(rig.collateral.balance(treasury)).toBe(1n);
  });

  test("given a treasury of another asset, then it stays, and infrastructure fees of every asset are paid", () => {
    const rig = rigWith({ "reward.staking.delegation.maxPayoutPerParticipant": "100" });
    const kept = rig.fund(COIN, TREASURY, 500n);
    rig.fund(VOTE, TREASURY, 1_000n);
    rig.fund(COIN, INFRASTRUCTURE, 10_000n);
    rig.fund(VOTE, INFRASTRUCTURE, 1_000n);
    const seen = rig.endEpoch();
    const order = [rig.nodes[0]!.key, ALICE, BOB].sort().map(nameOf);
    const sorted = (amounts: Record<string, number>, type: string) =>
      order.map((name) => `${name} ${amounts[name]} ${type}`);
    // The cap is for the treasury alone; asset after asset by account id: digits come before capitals, those before c.
    expect(lines(seen)).toEqual([
      ...sorted({ node: 100, alice: 100, bob: 100 }, "GLOBAL_REWARD"),
      ...sorted({ node: 470, alice: 352, bob: 176 }, "FEES_INFRASTRUCTURE"),
      ...sorted({ node: 4702, alice: 3532, bob: 1765 }, "FEES_INFRASTRUCTURE"),
    ]);
    expect(payouts(seen).map(({ asset }) => asset)).toEqual([...Array(6).fill(VOTE), ...Array(3).fill(COIN)]);
    expect(rig.collateral.balance(kept)).toBe(500n);
  });

  test("given the contract knows no validator, then nothing is paid", () => {
    const rig = rigWith();
    rig.setSigner(rig.nodes[0]!.address, { remove: true, seconds: 9n });
    const treasury = rig.fund(VOTE, TREASURY, 1_000n);
    expect(payouts(rig.endEpoch())).toEqual([]);
    expect(rig.collateral.balance(treasury)).toBe(1_000n);
  });

  test("given an empty treasury, then nothing is told", () => {
    const rig = rigWith();
    expect(kinds(rig.endEpoch())).not.toContain("ledgerMovements");
  });

  test("given a standby validator, then its group has a payout of its own, and percents of each sum to 100", () => {
    const rig = rigWith({
      "network.validators.tendermint.number": "1",
      "network.validators.multisig.numberOfSigners": "1",
      "network.validators.ersatz.multipleOfTendermintValidators": "1",
      "network.validators.minimumEthereumEventsForNewValidator": "0",
    });
    const standby = new NodeKeys(81);
    rig.send(standby.key, () => rig.validators.announceNode(standby.announcement()));
    rig.link(standby.key, 1_000n);
    rig.delegate(standby.key, standby.id, 1_000n);
    rig.block();
    const message = rig.validators.heartbeatDue(standby.id)!;
    const beat = {
      nodeId: standby.id,
      message,
      vegaSignature: standby.vegaSignature(message),
      ethereumSignature: standby.ethereumSignature(message),
    };
    expect(rig.send(standby.key, () => rig.validators.acceptHeartbeat(beat))).toBe("");
    rig.endEpoch();
    expect(rig.validators.node(standby.id)!.status).toBe("ersatz");
    // Its stake counts half: 1000 and 500. A third of 1500 by 16 decimals is cut to 499; its score is its group's.
    rig.fund(VOTE, TREASURY, 1_500n);
    const seen = rig.endEpoch();
    expect(
      of(seen, "validatorScore").map(({ validatorStatus, multisigScore }) => [
        validatorStatus,
        multisigScore,
      ]),
    ).toEqual([
      ["tendermint", "1"],
      ["ersatz", "1"],
    ]);
    expect(of(seen, "ledgerMovements")).toHaveLength(2);
    const rows = payouts(seen);
    expect(rows.slice(0, 3).reduce((sum, { amount }) => sum + BigInt(amount as string), 0n)).toBe(998n);
    expect(rows.slice(3)).toMatchObject([{ party: standby.key, amount: "499", percentOfTotalReward: "100" }]);
    const sum = rows
      .slice(0, 3)
      .reduce((total, row) => total.plus(d(row.percentOfTotalReward as string)), d("0"));
    expect(sum.minus(d("100")).compare(d("0.00000000000001")) <= 0).toBe(true);
    expect(sum.isLess(d("99.9999999999999"))).toBe(false);
  });
});

describe("rewards for what was done on markets", () => {
  const TYPES = [
    [AccountType.ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES, DispatchMetric.DISPATCH_METRIC_MAKER_FEES_RECEIVED],
    [AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES, DispatchMetric.DISPATCH_METRIC_MAKER_FEES_PAID],
    [AccountType.ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES, DispatchMetric.DISPATCH_METRIC_LP_FEES_RECEIVED],
    [AccountType.ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS, DispatchMetric.DISPATCH_METRIC_MARKET_VALUE],
  ] as const;

  test("given contributions, then each account is paid by their parts, in the order of the types, and dust stays", () => {
    const queries: string[] = [];
    const rig = rigWith({}, (market, metric, epoch) => {
      queries.push(`${market === MARKET} ${metric} ${epoch}`);
      if (metric === DispatchMetric.DISPATCH_METRIC_MARKET_VALUE) return [{ party: CAROL, amount: 1n }];
      return [
        { party: BOB, amount: 2n },
        { party: ALICE, amount: 1n },
        { party: CAROL, amount: 0n },
      ];
    });
    const ids = [...TYPES].reverse().map(([type]) => rig.fund(COIN, type, 1_000n, MARKET));
    const seen = rig.endEpoch();
    expect(queries).toEqual(TYPES.map(([, metric]) => `true ${metric} 1`));
    expect(lines(seen)).toEqual([
      "alice 333 REWARD_MAKER_RECEIVED_FEES",
      "bob 666 REWARD_MAKER_RECEIVED_FEES",
      "alice 333 REWARD_MAKER_PAID_FEES",
      "bob 666 REWARD_MAKER_PAID_FEES",
      "alice 333 REWARD_LP_RECEIVED_FEES",
      "bob 666 REWARD_LP_RECEIVED_FEES",
      "carol 1000 REWARD_MARKET_PROPOSERS",
    ]);
    expect(payouts(seen)[0]).toMatchObject({
      market: MARKET,
      asset: COIN,
      percentOfTotalReward: "33.33333333333333",
    });
    expect(ids.map((id) => rig.collateral.balance(id))).toEqual([0n, 1n, 1n, 1n]);
  });

  test("given a chain without markets, then nothing is paid", () => {
    const rig = rigWith();
    const ids = TYPES.map(([type]) => rig.fund(COIN, type, 1_000n, MARKET));
    expect(payouts(rig.endEpoch())).toEqual([]);
    expect(ids.map((id) => rig.collateral.balance(id))).toEqual([1_000n, 1_000n, 1_000n, 1_000n]);
  });

  test("given accounts that belong to no market, then they are never paid", () => {
    const rig = rigWith({}, () => [{ party: ALICE, amount: 1n }]);
    for (const [type] of TYPES) rig.fund(COIN, type, 1_000n);
    expect(payouts(rig.endEpoch())).toEqual([]);
  });

  test("given contributions of nothing, then nothing is paid", () => {
    const rig = rigWith({}, () => [{ party: ALICE, amount: 0n }]);
    for (const [type] of TYPES) rig.fund(COIN, type, 1_000n, MARKET);
    expect(payouts(rig.endEpoch())).toEqual([]);
  });

  test.each([
    ["one and two", [1n, 2n], [333_333_333_333_333_300_000n, 666_666_666_666_666_700_000n]],
    [
      "six alike",
      [1n, 1n, 1n, 1n, 1n, 1n],
      [...Array(5).fill(166_666_666_666_666_700_000n), 166_666_666_666_666_500_000n],
    ],
  ] as const)(
    "given a large reward, then parts have 16 digits, and the last party what is left: %s",
    (_name, parts, paid) => {
      const parties = parts.map((_part, index) => `${index}a`.repeat(32));
      const rig = rigWith({}, () => parts.map((amount, index) => ({ party: parties[index]!, amount })));
      const id = rig.fund(COIN, AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES, 10n ** 21n, MARKET);
      expect(payouts(rig.endEpoch()).map(({ party, amount }) => [party, BigInt(amount as string)])).toEqual(
        parties.map((party, index) => [party, paid[index]]),
      );
      expect(rig.collateral.balance(id)).toBe(0n);
    },
  );
});
