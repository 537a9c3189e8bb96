// Orders of a provision whose provider runs short: its bond pays, and the penalty is slashed
// (docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress;
// docs/protocol/70-trading-scenarios.md#s16-lp-orders-bond-use-and-slashing). Notation of statements and results:
// rig.ts.
import { describe, expect, test } from "bun:test";
import {
  amounts,
  entries,
  INFRASTRUCTURE_PAY,
  LIQUIDITY_PAY,
  LN,
  ledger,
  MAKER_PAY,
  MILLIONS,
  market,
} from "./sample-markets.ts";

// docs/protocol/70-trading-scenarios.md#s16-lp-orders-bond-use-and-slashing
describe("a provider short of margin pays from its bond", () => {
  const opened = (penalty: string, ratio: string, funds: bigint, orders: string, rest = "") => {
    const play = market(
      {
        ...LN,
        linearSlippage: "0.7",
        quadraticSlippage: "0",
        triggers: [{ horizon: 1, probability: 0.99, extension: 300 }],
        triggeringRatio: ratio,
        targetStake: { windowSeconds: 86_400, scaling: 1 },
      },
      {
        parameters: {
          "market.fee.factors.makerFee": "0.004",
          "market.fee.factors.infrastructureFee": "0.001",
          "market.liquidity.bondPenaltyParameter": penalty,
        },
      },
    )
      .deposit(funds, "p0")
      .deposit(MILLIONS, "p1", "p2", "p3", "p4", "p5");
    play.run(`lp p0(50000, 0.001, BID-20, ASK+20); ${orders}; p1 B 1@990; p1 B 10@1000`);
    return play.run(`p2 S 10@1000; p2 S 1@1010; p2 S 1@1100${rest}`).open();
  };
  test("a bond penalty of 0.2 slashes a provider's order, and the trade that follows", () => {
    const play = opened("0.2", "0.24", 512_500n, "p4 B 100@850; p1 B 1@900", "; p5 S 100@1200");
    expect(play.deployed("p0")).toEqual(["buy 52@970", "sell 49@1030"]);
    expect(play.rig.marketData("M").targetStake).toBe("35569");
    expect([play.margin("p0"), play.general("p0"), play.bond("p0")]).toEqual([209146n, 253354n, 50000n]);
    expect(play.levels("p0")).toBe("174289/191717/209146/244004");
    expect(play.margin("p1")).toBe(11425n);
    expect(play.levels("p1")).toMatch(/^9889\/.*\/11866\//);
    expect(play.margin("p2")).toBe(51690n);
    expect(play.levels("p2")).toMatch(/^42963\/.*\/51555\//);
    const shownOf = (status: number) =>
      play.rig
        .events("order")
        .filter(({ payload }) => payload.liquidityProvisionId !== "" && payload.status === status)
        .map(({ payload }) => `${payload.id} ${payload.remaining}@${payload.price}`);
    const ids = play.rig.liveOrders("p0", "M").map(({ id }) => id);
    const shown = shownOf(1).length;
    play.run("p3 B 30@1000");
    const { id: bid } = play.rig.liveOrders("p0", "M").find(({ side }) => side === 1)!;
    expect(ids).toContain(bid);
    expect(shownOf(1).slice(shown)).toEqual([`${bid} 52@980`]);
    expect(play.deployed("p0")).toEqual(["buy 52@980", "sell 49@1030"]);
    play.run("p2 S 50@1000");
    expect(play.trades(1)).toEqual(["p3-p2 30@1000"]);
    expect([MAKER_PAY, INFRASTRUCTURE_PAY, LIQUIDITY_PAY].map((type) => amounts(play, type))).toEqual([
      [120n],
      [30n],
      [30n],
    ]);
    expect(play.rig.marketData("M").targetStake).toBe("142276");
    expect([play.margin("p2"), play.general("p2")]).toEqual([264970n, 99734850n]);
    expect(play.levels("p0")).toBe("177846/195630/213415/248984");
    let place = entries(play);
    play.run("p0 S 70@1000");
    expect(ledger(play, place)).toEqual([
      "p0 G>p0 M 253354",
      "p0 D>p0 M 49694",
      "p0 D>I 306",
      "p0 M>I 9632",
      "p0 M>p0 G 203782",
    ]);
    expect(play.transfers(20).map(({ from, amount }) => [from, amount])).toEqual([
      ["p0", 306n],
      ["p0", 9632n],
    ]);
    place = entries(play);
    play.run("p1 B 100@1000");
    expect(ledger(play, place).slice(1)).toEqual([
      "p1 G>FM 80",
      "p1 G>FM 280",
      "p1 G>FI 90",
      "p1 G>FL 90",
      "FM>p2 G 80",
      "FM>p0 G 280",
      "p0 G>p0 M 204062",
      "p0 M>I 2293",
    ]);
    expect(play.trades(2)).toEqual(["p1-p2 20@1000", "p1-p0 70@1000"]);
    expect(amounts(play, MAKER_PAY).slice(1)).toEqual([80n, 280n]);
    expect(amounts(play, INFRASTRUCTURE_PAY).slice(1)).toEqual([90n]);
    expect(amounts(play, LIQUIDITY_PAY).slice(1)).toEqual([90n]);
    expect(play.deployed("p0")).toEqual(["buy 52@980", "sell 49@1030"]);
    expect(play.insurance()).toBe(12231n);
    expect([play.margin("p0"), play.general("p0"), play.bond("p0")]).toEqual([500549n, 0n, 0n]);
    expect(play.levels("p0")).toBe("428592/471451/514310/600028");
    expect(play.levels("p1")).toBe("89962/98958/107954/125946");
    expect(play.general("p1")).toBe(99891506n);
    place = entries(play);
    const parked = shownOf(8).length;
    play.run("/");
    expect(ledger(play, place)).toEqual(["FL>p0 G 120", "p0 G>p0 D 120"]);
    expect(
      shownOf(8)
        .slice(parked)
        .map((line) => line.split(" ")[0]!)
        .sort(),
    ).toEqual(ids.toSorted());
    expect([play.general("p0"), play.bond("p0")]).toEqual([0n, 120n]);
    const data = play.rig.marketData("M");
    expect([data.marketTradingMode, data.trigger, data.targetStake, data.openInterest]).toEqual([
      4,
      5,
      "462397",
      130n,
    ]);
    expect(play.deployed("p0")).toEqual([]);
  });

  test("a bond penalty of 0.5 slashes a provider twice in an order that trades", () => {
    const play = opened("0.5", "0.1", 500_000n, "p1 B 2@900");
    expect([play.margin("p0"), play.general("p0"), play.bond("p0")]).toEqual([209146n, 240854n, 50000n]);
    expect(play.levels("p0")).toBe("174289/191717/209146/244004");
    play.run("p3 B 30@1000; p2 S 50@1000");
    expect(play.rig.marketData("M").targetStake).toBe("142276");
    expect(play.levels("p0")).toBe("177846/195630/213415/248984");
    play.run("p0 S 60@1000; p1 B 100@1000");
    expect(play.trades(2)).toEqual(["p1-p2 20@1000", "p1-p0 60@1000"]);
    const { targetStake, openInterest } = play.rig.marketData("M");
    expect([targetStake, openInterest]).toEqual(["426828", 120n]);
    // For the order, for the provision's own orders after it, and once more below the search level.
    expect(amounts(play, 20)).toEqual([9756n, 22945n, 24052n]);
    expect(play.insurance()).toBe(56753n);
    expect([play.margin("p0"), play.general("p0"), play.bond("p0")]).toEqual([443487n, 0n, 0n]);
    expect(play.levels("p0")).toBe("429703/472673/515643/601584");
  });
});
