// Fees and how they are passed on: what the network has been seen to do where the rules leave it open (reference 70,
// sections 7.7 and 7.8).
import { describe, expect, test } from "bun:test";
import { AccountType } from "../../../src/wire/generated/vega.ts";
import { flows, LIQUIDITY_DISTRIBUTE, MILLIONS, market, NS, trading } from "./sample-markets.ts";

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
  test("given a market's first tick, then it is a distribution, and the step is counted from there", () => {
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

  test("given a provider without a score, then its share is measured by the scores of the others, and it gets what they leave", () => {
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
    // for a and b, and twice what there is for c, of which 1 is there. For its reward the whole part counts.
    expect(flows(play, LIQUIDITY_DISTRIBUTE)).toEqual([">a 14", ">b 3", ">c 1"]);
    const received = ["a", "b", "c"].map((party) => play.rig.market("M").index.activities.get(party));
    expect(received.map((activity) => activity?.liquidityReceived)).toEqual([14n, 3n, 36n]);
  });

  test("given two equal stakes, then each round is split by the scores of its ticks, and what rounding leaves waits", () => {
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

test("given the length of value windows changes, then the running one ends by the new length", () => {
  const play = trading(
    { ...OPEN, openingSeconds: 1 },
    { bid: 900, ask: 1100, first: "lp lp(10000, 0.001, BID-2, ASK+2)", rich: "lp x y" },
    { parameters: { "market.value.windowLength": "1h" } },
  );
  const opened = play.rig.nowNs;
  const at = (seconds: number): string => {
    play.rig.nextBlock(BigInt(seconds) - (play.rig.nowNs - opened) / NS);
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
