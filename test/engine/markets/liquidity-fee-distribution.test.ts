// The liquidity fee of a market and its distribution among providers
// (docs/protocol/70-trading-liquidity.md#76-liquidity-fee-factor to #78-equity-like-share-and-market-value-proxy;
// docs/protocol/70-trading-scenarios.md#s17-lp-fee-shares-and-rounding). Notation of statements and results: rig.ts.
import { describe, expect, test } from "bun:test";
import { AccountType } from "../../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { createMarketRig, Play } from "./rig.ts";
import {
  amounts,
  COVERED,
  flows,
  INFRASTRUCTURE_PAY,
  LIQUIDITY_DISTRIBUTE,
  LIQUIDITY_PAY,
  LN,
  MAKER_PAY,
  MILLIONS,
  market,
  PROVIDED,
  trading,
} from "./sample-markets.ts";

const STEP = "market.liquidity.providers.fee.distributionTimeStep";

/** Margins that every party here can pay, and a target of a hundredth of the open interest's value. */
const OPEN = {
  simple: { long: 0.1, short: 0.1, probability: 0.1 },
  linearSlippage: "1",
  quadraticSlippage: "0",
  targetStake: { scaling: 0.1 },
};

const SHAPE = "BID-2*1 MID-1*2, ASK+2*1 MID+1*2";

describe("the distribution of liquidity fees", () => {
  test("a market's first tick counts as a distribution, from which the step is counted", () => {
    const play = trading(
      { ...OPEN, openingSeconds: 3 },
      { first: `lp lp(10000, 0.001, ${SHAPE})`, rich: "lp x" },
      { parameters: { [STEP]: "5s" } },
    );
    // The market has opened three seconds after that tick, four after it was made.
    play.run("x S 1@1000 FOK; / 2");
    expect(flows(play, LIQUIDITY_DISTRIBUTE)).toEqual([]);
    play.run("/");
    expect(flows(play, LIQUIDITY_DISTRIBUTE)).toEqual([">lp 2"]);
  });

  test("a provider without a score is paid from what the others leave, while its reward counts its whole share", () => {
    const play = trading(
      { ...OPEN, openingSeconds: 3 },
      {
        bid: 900,
        ask: 1100,
        first: `lp a(8000, 0.001, ${SHAPE}); lp b(2000, 0.002, ${SHAPE})`,
        rich: "a b c x",
      },
      { parameters: { [STEP]: "10m" } },
    );
    // A single tick has scored a and b alike; c comes after it.
    play.rig.nextBlock(601);
    play.run(`lp c(10000, 0.001, ${SHAPE}); x B 15@1001 FOK`);
    expect(play.rig.systemBalance("ETH", AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY, "M")).toBe(18n);
    play.rig.nextBlock(601);
    // Shares 0.4, 0.1, 0.5; the first two by 0.5, and all of them by the sum of those two, 0.25: four fifths and a fifth
    // for a and b, and twice what there is for c, of which 1 is available. For its reward the whole part counts.
    expect(flows(play, LIQUIDITY_DISTRIBUTE)).toEqual([">a 14", ">b 3", ">c 1"]);
    const received = ["a", "b", "c"].map((party) => play.rig.market("M").context.index.activities.get(party));
    expect(received.map((activity) => activity?.liquidityReceived)).toEqual([14n, 3n, 36n]);
  });

  test("two equal stakes are paid by the scores of each round, and what rounding leaves waits", () => {
    const play = market(
      {
        logNormal: { lambda: 0.001, tau: 0.01, sigma: 1.2 },
        linearSlippage: "1",
        quadraticSlippage: "1",
        openingSeconds: 2,
        triggers: [{ horizon: 10_000, probability: 0.9999999, extension: 3 }],
        targetStake: { scaling: 1 },
      },
      { parameters: { [STEP]: "5s" } },
    ).deposit(MILLIONS, "close", "far", "p1", "p2");
    play.run("lp close(40000, 0.001, BID-32, ASK+32); lp far(40000, 0.002, BID-102, ASK+102)");
    play.run("p1 B 1@995; p1 B 90@1000; p2 S 1@1005; p2 S 90@1000");
    // Both begin with the market's first tick: the opening, and the first of the rounds, six seconds each.
    play.rig.nextBlock(4);
    const wait = (script: string): string[] => {
      const before = flows(play, LIQUIDITY_DISTRIBUTE).length;
      play.run(script).run("/ 6");
      return flows(play, LIQUIDITY_DISTRIBUTE).slice(before);
    };
    const [sell, buy] = ["p1 S 20@1000; p2 B 20@1000 FOK", "p2 B 20@1000; p1 S 20@1000 FOK"];
    expect(wait(sell)).toEqual([">close 26", ">far 13"]);
    const peg = (reference: number) => [{ reference, offset: "116", proportion: 1 }];
    play.rig.amendProvision("far", "M", { buys: peg(2), sells: peg(3) });
    // Beyond the bounds of 893 and 1120, where the score is 0: the unit that was left is no more to be had for a share.
    expect(play.deployed("far")).toEqual(["buy 46@879", "sell 36@1121"]);
    expect(wait("")).toEqual([]);
    expect(wait(buy)).toEqual([">close 41"]);
    // Orders of its own at the best prices count, beside what they leave of the provided ones.
    expect(wait(`far B 15@995; far S 15@1005; ${buy}`)).toEqual([">close 29", ">far 10"]);
    expect(play.deployed("far")).toEqual(["buy 29@879", "sell 23@1121"]);
    // Pegs fulfil the rest, nearer than the rival's.
    expect(wait(`far S 30 ASK+1; far B 30 BID-1; ${buy}`)).toEqual([">close 19", ">far 21"]);
    expect(play.deployed("far")).toEqual([]);
  });
});

test("a changed length of value windows counts for the running window", () => {
  const play = trading(
    { ...OPEN, openingSeconds: 1 },
    { bid: 900, ask: 1100, first: "lp lp(10000, 0.001, BID-2, ASK+2)", rich: "lp x y" },
    { parameters: { "market.value.windowLength": "1h" } },
  );
  const opened = play.rig.nowNs;
  const at = (seconds: number): string => {
    play.rig.nextBlock(BigInt(seconds) - (play.rig.nowNs - opened) / SECOND_NS);
    return play.rig.marketData("M").marketValueProxy;
  };
  play.run("x S 20@1000; y B 20@1000");
  expect([at(10), at(1850)]).toEqual(["7200000", "38918"]);
  play.rig.setParameter("market.value.windowLength", "30m");
  expect(at(1852)).toBe("10000");
  play.run("x B 10@1000; y S 10@1000");
  // As long as the window, and past it.
  expect([at(1854), at(3652), at(3653)]).toEqual(["9000000", "10000", "10000"]);
  play.run("x S 10@1000; y B 10@1000");
  expect(at(3853)).toBe("90000");
  play.rig.setParameter("market.value.windowLength", "40m");
  expect([at(5853), at(6053)]).toEqual(["10909", "10000"]);
});

// docs/protocol/70-trading-scenarios.md#s17-lp-fee-shares-and-rounding
test("fees are shared by stake, and what rounding leaves waits for the next distribution", () => {
  const rig = createMarketRig({
    assets: { ETH: { decimals: 5 } },
    parameters: {
      "market.fee.factors.makerFee": "0.0004",
      "market.fee.factors.infrastructureFee": "0.001",
      "market.liquidity.providers.fee.distributionTimeStep": "10m",
    },
  });
  rig.createMarket("M", { asset: "ETH", ...LN, targetStake: { scaling: 1 } });
  const play = new Play(rig, "M");
  play.deposit(10n ** 15n, "lp1", "lp2", "p1", "p2");
  play.run("lp lp1(800000000000, 0.001, BID-2*1 MID-1*2, ASK+2*1 MID+1*2)");
  play.run("lp lp2(100000, 0.002, BID-2*1 MID-1*2, ASK+2*1 MID+1*2)");
  play.run("p1 B 1@900; p1 B 60@1000; p2 S 1@1100; p2 S 60@1000").open();
  expect(play.deployed("lp1")).toEqual(["buy 2970@898", "buy 5337@999", "sell 2420@1102", "sell 5329@1001"]);
  expect(play.deployed("lp2")).toEqual(["buy 1@898", "buy 1@999", "sell 1@1001", "sell 1@1102"]);
  const data = rig.marketData("M");
  expect(data.liquidityProviderFeeShare.map(({ equityLikeShare }) => equityLikeShare)).toEqual([
    "0.9999998750000156",
    "0.0000001249999844",
  ]);
  expect(data.liquidityProviderFeeShare.map(({ averageEntryValuation }) => averageEntryValuation)).toEqual([
    "800000000000",
    "800000100000",
  ]);
  expect(data.targetStake).toBe("21341400000");
  expect(rig.market("M").context.record.liquidityFee).toBe("0.001");
  play.run("p1 S 20@1000; /");
  const { bestStaticOfferPrice, staticMidPrice } = rig.marketData("M");
  expect([bestStaticOfferPrice, staticMidPrice]).toEqual(["1000", "950"]);
  expect(play.deployed("lp1").filter((order) => order.endsWith("@951") || order.endsWith("@949"))).toEqual([
    "buy 5617@949",
    "sell 5609@951",
  ]);
  play.run("p2 B 20@1000; /");
  expect(play.trades(1)).toEqual(["p2-lp1 20@951"]);
  expect([MAKER_PAY, INFRASTRUCTURE_PAY, LIQUIDITY_PAY].map((type) => amounts(play, type))).toEqual([
    [760800n],
    [1902000n],
    [1902000n],
  ]);
  rig.nextBlock(601);
  expect(play.transfers(14).map(({ to, amount }) => [to, amount])).toEqual([
    ["lp1", 1901999n],
    ["lp2", 0n],
  ]);
  expect(rig.systemBalance("ETH", 6, "M")).toBe(1n);
});

const rich = "l1 l2 l3 p q";
const provided = (first: string) => trading(PROVIDED, { bid: 990, ask: 1010, first, rich });

// docs/protocol/70-trading-liquidity.md#77-distribution
test("a provider that comes after the last score is paid from what the others leave", () => {
  const joined = (party: string, first: string) => {
    const play = provided(first).run(`lp ${party}(500, 0.01, BID-1, ASK+1); q S 10@1000; p B 10@1000; /`);
    expect(play.rig.systemBalance("ETH", 6, "M")).toBe(0n);
    return flows(play, 14);
  };
  // A quarter, of three quarters: a third for the one that comes first, and nothing for the one that comes last.
  expect(joined("l2", "lp l1(1500, 0.01, BID-1, ASK+1)")).toEqual([">l1 100"]);
  expect(joined("l1", "lp l2(1500, 0.01, BID-1, ASK+1)")).toEqual([">l1 33", ">l2 67"]);
});

/** A provider in continuous trading; fees are not distributed, so that scores gather. */
function scored(model: Parameters<typeof market>[0] = COVERED): Play {
  const { linearSlippage, quadraticSlippage, targetStake } = COVERED;
  const play = market(
    { ...model, linearSlippage, quadraticSlippage, targetStake },
    { parameters: { "market.liquidity.providers.fee.distributionTimeStep": "100h" } },
  );
  play.deposit(100_000_000n, "aux", "aux2", "near", "far");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000");
  return play.run("lp near(50000, 0, BID-1, ASK+1)").open();
}

const scores = (play: Play) =>
  Object.fromEntries(
    play.rig
      .marketData("M")
      .liquidityProviderFeeShare.map(({ party, averageScore }) => [party, Number(averageScore)]),
  );

test("scores average over all ticks of the market: a later provider begins with an average of 0", () => {
  const play = scored().run("/ 3; lp far(50000, 0, BID-1, ASK+1); /");
  // Of five ticks, the opening's included, it has had half of the last one.
  expect(scores(play)).toEqual({ near: 0.9, far: 0.1 });
});

test("an order beyond the probability table scores its lowest probability", () => {
  const play = scored({ logNormal: { lambda: 1e-6, tau: 0.1, sigma: 1 } });
  // At a price of 1, which is farther from the bid than the bid was from 0 when the table was made.
  play.run("aux B 1@950; lp far(50000, 0, BID-949, ASK+1); /");
  expect(play.deployed("far")).toContain("buy 50000@1");
  expect(scores(play).far).toBeLessThan(1e-6);
});

test("probabilities of trading are recomputed with time, even if no price is monitored", () => {
  const play = scored();
  const { rig } = play;
  const base = () => rig.market("M").context.status.scoredBid;
  play.run("aux B 1@950");
  rig.nextBlock(200);
  expect(base()).toBe(900n);
  rig.nextBlock(200);
  expect(base()).toBe(950n);
});

test("the liquidity fee is recomputed with each trade, even if no price moves and no provider trades", () => {
  const play = market({ ...COVERED, targetStake: { scaling: 1 } });
  play.deposit(100_000_000n, "aux", "aux2", "p1", "p2", "cheap", "dear");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000");
  play.run("lp cheap(1000, 0.001, BID-1, ASK+1); lp dear(5000, 0.01, BID-1, ASK+1)").open();
  const fee = () => play.rig.market("M").context.record.liquidityFee;
  play.run("p1 S 20@1000; p2 B 2@1000");
  expect(fee()).toBe("0.001");
  // 13 at 0.11 of 1000 are more than the 1000 of the first provider.
  play.run("p2 B 10@1000");
  expect(play.trades().slice(1)).toEqual(["p2-p1 2@1000", "p2-p1 10@1000"]);
  expect(fee()).toBe("0.01");
});

test("the mark to market at the end of trading still recomputes the liquidity fee", () => {
  const play = market(
    { ...COVERED, targetStake: { scaling: 1 } },
    {
      parameters: { "network.markPriceUpdateMaximumFrequency": "1h" },
    },
  );
  play.deposit(100_000_000n, "aux", "aux2", "p1", "p2", "cheap", "dear");
  play.run("aux B 1@900; aux2 S 1@9000; aux B 1@1000; aux2 S 1@1000");
  play.run("lp cheap(1000, 0.001, BID-1, ASK+1); lp dear(5000, 0.01, BID-1, ASK+1)").open();
  const fee = () => play.rig.market("M").context.record.liquidityFee;
  play.run("p1 S 1@8000; p2 B 1@8000");
  expect(fee()).toBe("0.001");
  // 2 at 0.11 of 8000 are more than the 1000 of the first provider.
  play.rig.terminate();
  expect(fee()).toBe("0.01");
});

test("a market update that changes the target stake recomputes the liquidity fee", () => {
  const config = { ...COVERED, targetStake: { scaling: 1 } };
  const play = market(config).deposit(100_000_000n, "aux", "aux2", "p1", "cheap", "dear");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000");
  play.run("lp cheap(1000, 0.001, BID-1, ASK+1); lp dear(5000, 0.01, BID-1, ASK+1)").open();
  const fee = () => play.rig.market("M").context.record.liquidityFee;
  expect(fee()).toBe("0.001");
  play.rig.updateMarket("M", { ...config, asset: "ETH", targetStake: { scaling: 20 } });
  expect(fee()).toBe("0.01");
});
