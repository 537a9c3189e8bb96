// Equity-like shares over the life of a market: growth of stakes, market value, fee distributions and the target stake
// (docs/protocol/70-trading-liquidity.md#76-liquidity-fee-factor to #78-equity-like-share-and-market-value-proxy and
// #82-liquidity-monitoring). Notation of statements and results: rig.ts.
import { expect, test } from "bun:test";
import { createMarketRig, type MarketRigOptions, Play, provisionOf, type RigMarket } from "./rig.ts";
import { around1000, COVERED, LIGHT, M4, MILLIONS, market } from "./sample-markets.ts";

/** Shares of fees as they are shown: equity-like share and average valuation. */
const shares = (play: Play): string[] =>
  play.rig
    .marketData("M")
    .liquidityProviderFeeShare.map(
      ({ party, equityLikeShare, averageEntryValuation }) =>
        `${party} ${equityLikeShare} ${averageEntryValuation}`,
    )
    .sort();

/** Payments of a distribution. @param from entry of the ledger on which to begin */
const paid = (play: Play, from = 0): string[] =>
  play
    .transfers(14)
    .slice(from)
    .map(({ to, amount }) => `${to} ${amount}`);

/** Margins by risk of a tenth; distribution of fees every ten minutes, windows of an hour. */
const rewarding = (config: Partial<RigMarket> = {}, parameters: MarketRigOptions["parameters"] = {}): Play =>
  market(
    {
      simple: { long: 0.1, short: 0.1, up: 500, down: -500 },
      linearSlippage: "0.2",
      quadraticSlippage: "0",
      targetStake: { windowSeconds: 86_400, scaling: 1 },
      ...config,
    },
    {
      parameters: {
        "market.value.windowLength": "1h",
        "market.liquidity.providers.fee.distributionTimeStep": "10m",
        ...parameters,
      },
    },
  ).deposit(MILLIONS, "lp1", "lp2", "lp3", "p1", "p2");

/** Half a window and a second, so often. */
const halves = (play: Play, count = 1): Play => {
  play.rig.nextBlock(1_801, count);
  return play;
};

const BOTH = "BID-2*1 MID-1*3, ASK+2*1 MID+1*3";

// docs/protocol/70-trading-liquidity.md#78-equity-like-share-and-market-value-proxy
test("virtual stakes grow with the mean market value, opening trades included, and shrink back to the commitment", () => {
  const play = rewarding().run(`lp lp1(25000, 0.001, ${BOTH}); lp lp2(25000, 0.001, ${BOTH})`);
  play.run("p1 B 1@900; p1 B 10@1000; p2 S 1@1100; p2 S 10@1000").open();
  // The opening has traded 10000, the first window nothing: that mean is the first one. The second window is worth 20020.
  halves(play, 2).run("p1 B 20@1001");
  halves(play, 2);
  expect(shares(play)).toEqual(["lp1 0.5 25000", "lp2 0.5 50000"]);
  play.run(`lp lp3(25000, 0.001, ${BOTH})`);
  const grown = ["lp1 0.3750624687656172", "lp2 0.3750624687656172", "lp3 0.2498750624687656"];
  const valued = (...text: string[]) => text.map((line, index) => `${line} ${[25000, 50000, 100050][index]}`);
  expect(shares(play)).toEqual(valued(...grown));
  halves(play.run("p1 B 30@1001"), 2);
  expect(shares(play)).toEqual(valued(...grown));
  halves(play.run("p1 B 10@1001"), 2);
  expect(shares(play)).toEqual(valued(...grown));
  const shrunk = [];
  for (let window = 0; window < 4; window++) shrunk.push(shares(halves(play, 2))[2]);
  expect(shrunk).toEqual(
    ["0.2629917946560067", "0.2998201079352388", "0.3331429659242338", "0.3333333333333333"].map(
      (share) => `lp3 ${share} 100050`,
    ),
  );
});

// docs/protocol/70-trading-liquidity.md#78-equity-like-share-and-market-value-proxy
test("a raised commitment is valued at the grown stake, and a lowered one shrinks it in proportion", () => {
  const play = rewarding().run("lp lp1(4000, 0.001, MID-1, MID+1); lp lp2(46000, 0.002, MID-1, MID+1)");
  play.run("p1 B 1@900; p1 B 20@1000; p2 S 1@1100; p2 S 20@1000").open();
  const seen: string[][] = [];
  const amended = (commitments: Readonly<Record<string, string>>, order: string) => {
    for (const [party, commitment] of Object.entries(commitments))
      expect(play.rig.amendProvision(party, "M", { commitment }).code).toBe(0);
    seen.push(shares(play));
    halves(play.run(order), 2);
    expect(shares(play)).toEqual(seen.at(-1)!);
  };
  halves(play, 2);
  amended({ lp1: "3000" }, "p1 B 21@1001");
  amended({ lp1: "4000" }, "p1 B 22@1001");
  amended({ lp1: "3000", lp2: "45000" }, "p1 B 23@1001");
  amended({ lp1: "4000", lp2: "46000" }, "p1 B 24@1001");
  amended({ lp1: "3000", lp2: "47000" }, "p1 B 25@1001");
  expect(seen).toEqual([
    ["lp1 0.0612244897959184 4000", "lp2 0.9387755102040816 50000"],
    ["lp1 0.0795418016037822 15812.68125", "lp2 0.9204581983962178 50000"],
    ["lp1 0.0621352630754675 15812.68125", "lp2 0.9378647369245325 50000"],
    ["lp1 0.0784675524761938 25014.390259105092498", "lp2 0.9215324475238062 50078.6851584004428259"],
    ["lp1 0.0589326838400726 25014.390259105092498", "lp2 0.9410673161599274 50178.9876096722076451"],
  ]);
});

// docs/protocol/70-trading-liquidity.md#78-equity-like-share-and-market-value-proxy
test("a market's value follows the running window, even if the window's length changes meanwhile", () => {
  const play = rewarding().run("lp lp1(8000, 0.001, BID-2, ASK+2); lp lp2(2000, 0.002, BID-2, ASK+2)");
  play.run("p1 B 1@900; p1 B 60@1000; p2 S 1@1100; p2 S 60@1000").open();
  const worth = (order: string, seconds: number): string => {
    play.run(order).rig.nextBlock(seconds);
    return play.rig.marketData("M").marketValueProxy;
  };
  const length = (value: string) => play.rig.setParameter("market.value.windowLength", value);
  expect(play.rig.marketData("M").marketValueProxy).toBe("10000");
  expect(worth("p1 S 5@1000; p2 B 5@1000; p1 B 15@1000; p2 S 15@1000", 10)).toBe("7200000");
  expect(worth("", 1_840)).toBe("38918");
  length("30m");
  expect(worth("", 2)).toBe("10000");
  expect(worth("p1 B 10@1000; p2 S 10@1000", 2)).toBe("9000000");
  expect(worth("", 1_800)).toBe("10000");
  expect(worth("p1 S 10@1000; p2 B 10@1000", 200)).toBe("90000");
  length("40m");
  expect(worth("", 2_000)).toBe("10909");
  expect(worth("", 200)).toBe("10000");
});

// docs/protocol/70-trading-liquidity.md#77-distribution
test("a provider without a score is paid from what the others leave", () => {
  const play = rewarding().run(`lp lp1(25000, 0.001, ${BOTH}); lp lp2(25000, 0.001, ${BOTH})`);
  play.run("p1 B 1@900; p1 B 10@1000; p2 S 1@1100; p2 S 10@1000").open().rig.nextBlock(601);
  // No tick has scored it when the fees are shared.
  play.run(`lp lp3(25000, 0.001, ${BOTH}); p1 B 32@1001`);
  expect(play.rig.systemBalance("ETH", 6, "M")).toBe(34n);
  play.rig.nextBlock(601);
  expect(paid(play)).toEqual(["lp1 17", "lp2 17"]);
  play.run("p1 B 32@1001").rig.nextBlock(601);
  expect(paid(play, 2)).toEqual(["lp1 11", "lp2 11", "lp3 11"]);
});

// docs/protocol/70-trading-liquidity.md#82-liquidity-monitoring
test("the target stake of an auction counts the open interest that the auction would leave", () => {
  const play = rewarding({ targetStake: { windowSeconds: 10, scaling: 1 }, triggeringRatio: "1" });
  play.run("lp1 B 1000@90; lp1 S 1000@200; p1 S 50@110; p2 B 50@110; lp lp1(1000, 0, BID-10, ASK+10)").open();
  const stake = () => {
    const { targetStake, marketTradingMode, openInterest } = play.rig.marketData("M");
    return `${targetStake} in mode ${marketTradingMode} of ${openInterest}`;
  };
  expect(stake()).toBe("550 in mode 1 of 50");
  play.run("/ 5; p1 S 50@110; p2 B 50@110");
  expect(stake()).toBe("1100 in mode 1 of 100");
  play.run("/");
  expect(stake()).toBe("1100 in mode 4 of 100");
  // Open interest counts without trades, too, however old it is.
  play.run("/ 11");
  expect(stake()).toBe("1100 in mode 4 of 100");
  play.run("p1 B 50@110; p2 S 50@110");
  expect(stake()).toBe("550 in mode 4 of 100");
  play.run("/");
  expect(stake()).toBe("550 in mode 1 of 50");
});

// docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop
test("after an order trades, repriced provision orders queue by their ids, not by party", () => {
  const root = (digit: string) => digit.repeat(64);
  const play = rewarding().deposit(MILLIONS, "lp1", "lp2");
  const side = (reference: number) => [{ reference, offset: "1", proportion: 1 }];
  for (const [party, id] of [
    ["lp1", root("1")],
    ["lp2", root("e")],
  ] as const) {
    const payload = provisionOf("M", { commitment: "10000", fee: "0", buys: side(1), sells: side(1) });
    play.rig.deliver(party, { kind: "liquidityProvisionSubmission", payload }, id);
  }
  play.run("p1 B 1@900; p1 B 10@1000; p2 S 1@1100; p2 S 10@1000").open();
  const asks = () => play.queue("sell").slice(0, 2);
  expect(asks()).toEqual(["lp1 10@1001", "lp2 10@1001"]);
  const [first, second] = play.rig.queue("M", "sell").map(({ id }) => id);
  expect(first! > second!).toBe(true);
  // Both are hit, and made again: by party first, and by id when the order has traded.
  play.run("p1 B 11@1001");
  expect(play.trades(1)).toEqual(["p1-lp1 10@1001", "p1-lp2 1@1001"]);
  expect(asks()).toEqual(["lp2 10@1001", "lp1 10@1001"]);
});

// docs/protocol/70-trading-liquidity.md#79-amend-and-cancel
test("a provision amended in an auction needs margin around the margin price, wherever the book is", () => {
  const play = market(
    {
      logNormal: { lambda: 1e-6, tau: 0.01, sigma: 1 },
      targetStake: { windowSeconds: 86_400, scaling: 1.5 },
    },
    { parameters: { "market.liquidity.bondPenaltyParameter": "0.2" } },
  ).deposit(500_000_000n, "p0");
  play.deposit(MILLIONS, "p1", "p2", "p3");
  play.run("lp p0(50000, 0.001, BID-17, ASK+17); p1 B 1@990; p1 B 10@1000; p1 B 100@50000 =bid");
  play.run("p2 S 10@1000; p2 S 1@1010; p3 S 100@50000 =ask");
  const amended = (commitment: string) => play.rig.amendProvision("p0", "M", { commitment }).text;
  // The indicative price is 50000: 2 to buy at 49983, and 2 to sell at 50017.
  expect(amended("55000")).toBe("");
  expect(play.levels("p0")).toBe("63256/69581/75907/88558");
  expect([play.margin("p0"), play.general("p0"), play.bond("p0")]).toEqual([75907n, 499869093n, 55000n]);
  play.run("cancel ask; cancel bid").open();
  expect(play.levels("p0")).toBe("34147/37561/40976/47805");
  expect([play.margin("p0"), play.general("p0"), play.bond("p0")]).toEqual([40976n, 499904024n, 55000n]);
});

// docs/protocol/70-trading-liquidity.md#79-amend-and-cancel
test("a provision can be amended in a monitoring auction without orders on a side, by the mark price", () => {
  const play = rewarding().run("lp lp1(10000, 0, BID-10, ASK+10); p1 B 1@900 =bid; p2 S 1@1100");
  play.run("p1 B 1@1000; p2 S 1@1000").open().run("cancel bid; /");
  expect(play.rig.marketData("M").marketTradingMode).toBe(4);
  expect(play.margin("lp1")).toBe(1_440n);
  // 21 to buy at 990, 20 to sell at 1010.
  expect(play.rig.amendProvision("lp1", "M", { commitment: "20000" }).text).toBe("");
  expect(play.levels("lp1")).toBe("2079/2286/2494/2910");
  expect(play.margin("lp1")).toBe(2_494n);
});

// docs/protocol/70-trading-liquidity.md#77-distribution
test("the first tick of the opening auction counts as a fee distribution, from which the next is due", () => {
  const step = { "market.liquidity.providers.fee.distributionTimeStep": "5s" };
  const play = rewarding({}, step).run("lp lp1(10000, 0.01, BID-10, ASK+10); p1 B 1@900; p2 S 100@1100");
  play.rig.nextBlock(4);
  play.run("p1 B 10@1000; p2 S 10@1000; /; p1 B 1@1100");
  const paidAfter: number[] = [];
  for (let seconds = 1; seconds <= 12; seconds++) {
    play.run("/; p1 B 1@1100");
    if (paid(play).length > paidAfter.length) paidAfter.push(seconds + 1);
  }
  expect(paidAfter).toEqual([6, 12]);
});

// docs/protocol/70-trading-liquidity.md#77-distribution
test("the longer the time scaling of the probability model, the higher far orders score", () => {
  const split = (scaling: string, far: number): string[] => {
    const play = market(
      {
        logNormal: { lambda: 1e-6, tau: 0.001, sigma: 1 },
        linearSlippage: "0.001",
        quadraticSlippage: "0",
        triggers: [{ horizon: 100_000, probability: 0.99, extension: 3 }],
        targetStake: { windowSeconds: 86_400, scaling: 1 },
      },
      {
        parameters: {
          "market.liquidity.providers.fee.distributionTimeStep": "10m",
          "market.liquidity.probabilityOfTrading.tau.scaling": scaling,
        },
        assets: { ETH: { decimals: 2 } },
      },
    );
    play.deposit(100_000_000_000n, "far", "near", "p1", "p2");
    const shape = (offset: number) => `BID-${offset * 2} MID-${offset}, ASK+${offset * 2} MID+${offset}`;
    play.run(`lp far(500000000, 0.001, ${shape(far)}); lp near(500000000, 0.002, ${shape(1)})`);
    play.run("p1 B 1@900; p1 B 60@1000; p2 S 1@1100; p2 S 60@1000").open();
    play.run("/; p1 S 20@1000; /; p2 B 20@1000; /").rig.nextBlock(600);
    expect(play.transfers(13).at(-1)?.amount).toBe(1_902n);
    return paid(play);
  };
  // 100 away some of the orders are outside of the price bounds, and worth nothing.
  expect(["1", "10", "1000"].map((scaling) => split(scaling, 100)[0])).toEqual([
    "far 295",
    "far 291",
    "far 289",
  ]);
  expect(["1", "10", "1000"].map((scaling) => split(scaling, 10))).toEqual([
    ["far 815", "near 1086"],
    ["far 910", "near 991"],
    ["far 946", "near 955"],
  ]);
});

// docs/protocol/70-trading-liquidity.md#77-distribution
test("orders beyond the price bounds score nothing, a provider's own nearer orders and pegs do", () => {
  const play = market(
    {
      logNormal: { lambda: 0.001, tau: 0.01, sigma: 1.2 },
      linearSlippage: "0.5",
      quadraticSlippage: "0",
      triggers: [{ horizon: 10_000, probability: 0.9999999, extension: 3 }],
      targetStake: { windowSeconds: 86_400, scaling: 1 },
    },
    { parameters: { "market.liquidity.providers.fee.distributionTimeStep": "5s" } },
  ).deposit(MILLIONS, "lp1", "lp2", "p1", "p2");
  play.run("lp lp1(40000, 0.001, BID-32, ASK+32); lp lp2(40000, 0.002, BID-102, ASK+102)");
  play.run("p1 B 1@995; p1 B 90@1000; p2 S 1@1005; p2 S 90@1000").rig.nextBlock(4);
  let seen = 0;
  /** Of 40 in fees, and what the last distribution has left. */
  const shared = (): string[] => {
    play.run("p1 S 20@1000; p2 B 20@1000 FOK; / 6");
    const now = paid(play).slice(seen);
    seen += now.length;
    return now;
  };
  expect(play.deployed("lp2")).toEqual(["buy 45@893", "sell 37@1107"]);
  expect(shared()).toEqual(["lp1 26", "lp2 13"]);
  const side = (reference: number) => [{ reference, offset: "116", proportion: 1 }];
  play.rig.amendProvision("lp2", "M", { buys: side(2), sells: side(3) });
  expect(play.deployed("lp2")).toEqual(["buy 46@879", "sell 36@1121"]);
  // The first of six ticks has seen the former orders.
  expect(shared()).toEqual(["lp1 38", "lp2 2"]);
  expect(shared()).toEqual(["lp1 41", "lp2 0"]);
  play.run("lp2 B 15@995; lp2 S 15@1005");
  expect(play.deployed("lp2").filter((order) => /@(879|1121)/.test(order))).toEqual([
    "buy 29@879",
    "sell 23@1121",
  ]);
  expect(shared()).toEqual(["lp1 29", "lp2 10"]);
  play.run("lp2 S 30 ASK+1; lp2 B 30 BID-1");
  expect(play.deployed("lp2")).toEqual([]);
  expect(shared()).toEqual(["lp1 19", "lp2 21"]);
});

test("the traded value of an order is floored once, not once a trade", () => {
  const play = around1000({ positionDecimals: 2 });
  const traded = () => play.rig.market("M").context.status.tradedValue;
  play.run("p1 B 1@990; p1 B 1@980");
  const before = traded();
  // 9.9 and 9.8
  play.run("p2 S 2@980");
  expect(traded() - before).toBe(19n);
});

test("a market's value stays what it was when trading ends", () => {
  const play = market(COVERED, { parameters: { "market.value.windowLength": "60s" } });
  play.deposit(100_000_000n, "aux", "aux2", "lp", "p1", "p2");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000; lp lp(5000, 0, BID-1, ASK+1)").open();
  const { rig } = play;
  const value = () => rig.marketData("M").marketValueProxy;
  play.run("p1 S 1@1000; p2 B 1@1000");
  rig.nextBlock(5);
  expect(value()).toBe("12000");
  rig.nextBlock(5);
  expect(value()).toBe("6000");
  rig.terminate();
  rig.nextBlock(5);
  expect(value()).toBe("6000");
});

test("a value window made shorter than its elapsed time counts as a whole window", () => {
  const play = market(COVERED, { parameters: { "market.value.windowLength": "3m" } });
  play.deposit(100_000_000n, "aux", "aux2", "lp", "p1", "p2");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000; lp lp(5000, 0, BID-1, ASK+1)").open();
  const { rig } = play;
  play.run("p1 S 20@1000; p2 B 20@1000");
  rig.nextBlock(90);
  expect(rig.marketData("M").marketValueProxy).toBe("40000");
  rig.setParameter("market.value.windowLength", "1m");
  rig.amendProvision("lp", "M", { commitment: "6000" });
  expect(rig.marketData("M").marketValueProxy).toBe("20000");
});

// docs/protocol/70-trading-liquidity.md#78-equity-like-share-and-market-value-proxy
test("a proposed market's value keeps a cancelled provision until the next commitment", () => {
  const play = new Play(createMarketRig(), "M");
  const { rig } = play;
  rig.proposeMarket("M", { asset: "ETH", ...LIGHT });
  play.deposit(MILLIONS, "x", "y", "z");
  const value = () => rig.marketData("M").marketValueProxy;
  play.run("lp x(1000, 0, BID-10, ASK+10); lp y(500, 0, BID-10, ASK+10); /");
  expect(value()).toBe("1500");
  expect(rig.cancelProvision("x", "M").text).toBe("");
  play.run("/ 3");
  expect(value()).toBe("1500");
  play.run("lp z(100, 0, BID-10, ASK+10); /");
  expect(value()).toBe("600");
  for (const party of ["y", "z"]) expect(rig.cancelProvision(party, "M").text).toBe("");
  play.run("/");
  expect(value()).toBe("600");
  rig.decide("M", true);
  play.run("/");
  expect(value()).toBe("0");
});

// docs/protocol/70-trading-liquidity.md#78-equity-like-share-and-market-value-proxy
test("a close-out at the end of the opening auction does not count to the first value window", () => {
  const config = { ...M4, linearSlippage: "0.1", quadraticSlippage: "0.1" };
  const play = market(config, { parameters: { "market.value.windowLength": "1m" } });
  play.deposit(MILLIONS, "q", "r", "s", "t", "u", "lp").deposit(20_000n, "p");
  play.run("t B 1@1000; u S 1@11000; p B 5@10000 GFA; q S 5@10000 GFA; p B 5@10000 GFA; r S 5@10001 GFA");
  play.run("p B 4@3000 GFA; s S 3@3000 GFA; lp lp(160000, 0.01, MID-100, MID+100)").open();
  expect(play.trades().slice(-2)).toEqual(["lp-network 8@5900", "network-p 8@5900"]);
  play.run("/");
  // A second into the window 47200 of it would count sixty times.
  expect(play.rig.marketData("M").marketValueProxy).toBe("160000");
});
