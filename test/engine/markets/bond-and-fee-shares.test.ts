// The worked scenarios of the reference (70, section 10), to the unit: S16 to S26.
import { describe, expect, test } from "bun:test";
import { createMarketRig, idOf, Play } from "./rig.ts";
import {
  amounts,
  entries,
  eventsFrom,
  feeFactors,
  feesOf,
  INFRASTRUCTURE_PAY,
  LIQUIDITY_PAY,
  LN,
  ledger,
  M3,
  MAKER_PAY,
  MILLIONS,
  market,
  socialised,
  VOID,
} from "./sample-markets.ts";

describe("S16 provision orders, bond and slashing", () => {
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
  test("penalty 0.2", () => {
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

  test("penalty 0.5, in a run of its own: an order that trades asks the provider twice", () => {
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

test("S17 shares of fees and what rounding leaves", () => {
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
  expect(rig.market("M").record.liquidityFee).toBe("0.001");
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

test("S18 a stopped order gives its margin back", () => {
  const play = market(M3).deposit(MILLIONS, "a", "b", "void").deposit(10_000n, "p1").run(VOID);
  play.run("a B 10@100; b S 10@10000; a B 1@1000; b S 1@1000").open();
  expect(play.mark()).toBe(1000n);
  const moved = play.transfers(6).length;
  play.run("p1 S 1@1000 FOK =o");
  expect(play.order("o").status).toBe(4);
  expect(play.levels("p1")).toBe("100/110/120/140");
  expect(play.transfers(6).slice(moved)).toEqual([{ from: "p1", to: "p1", amount: 120n }]);
  expect(play.transfers(7).at(-1)).toEqual({ from: "p1", to: "p1", amount: 120n });
  expect([play.margin("p1"), play.general("p1")]).toEqual([0n, 10_000n]);
});

test("S19 amending and cancelling give margin back; an empty side begins an auction", () => {
  const play = market({ ...LN, targetStake: { scaling: 1 }, triggeringRatio: "0.1" }).deposit(
    MILLIONS,
    "p0",
    "p1",
    "p2",
    "p3",
    "p4",
  );
  play
    .run("lp p0(50000, 0.001, BID-20, ASK+20); p1 B 20@900 =b; p2 B 10@1000; p3 S 10@1000; p4 S 20@1100 =s")
    .open();
  expect([play.margin("p1"), play.levels("p1")]).toEqual([19218n, "16015/17616/19218/22421"]);
  expect([play.margin("p4"), play.levels("p4")]).toEqual([93902n, "71139/78252/85366/99594"]);
  play.run("amend b -18; amend s +20");
  expect([play.margin("p1"), play.general("p1"), play.levels("p1")]).toEqual([
    1922n,
    99_998_078n,
    "1602/1762/1922/2242",
  ]);
  expect([play.margin("p4"), play.general("p4"), play.levels("p4")]).toEqual([
    170_732n,
    99_829_268n,
    "142277/156504/170732/199187",
  ]);
  const from = play.rig.events().length;
  play.run("cancel b; cancel s");
  const parked = eventsFrom(play, from, "order").filter(({ payload }) => payload.status === 8);
  expect(parked.map(({ payload }) => `${payload.partyId} ${payload.side}`)).toEqual(["p0 1", "p0 2"]);
  expect([play.margin("p1"), play.general("p1"), play.margin("p4"), play.general("p4")]).toEqual([
    0n,
    MILLIONS,
    0n,
    MILLIONS,
  ]);
  expect(play.deployed("p0")).toEqual([]);
  play.run("/");
  const data = play.rig.marketData("M");
  expect([data.marketTradingMode, data.trigger]).toEqual([4, 6]);
});

test("S20 slippage by the exit price", () => {
  const play = market(
    {
      logNormal: { lambda: 0.001, tau: 0.01, sigma: 1.2 },
      triggers: [{ horizon: 100_000, probability: 0.9999999, extension: 3 }],
    },
    {
      parameters: {
        "market.margin.scalingFactors": '{"search_level":2,"initial_margin":2.5,"collateral_release":3}',
      },
    },
  )
    .deposit(MILLIONS, "sp", "bp", "a1", "a2", "p2")
    .deposit(30_000n, "p1");
  play.run(
    "lp a1(20000, 0.001, BID-10 MID-10, ASK+10 MID+26); sp S 1000@150; a1 S 1@105; a1 S 1@100; a2 B 1@100",
  );
  play.run("bp B 1000@95; a2 B 1@80").open();
  const data = play.rig.marketData("M");
  expect(
    data.priceMonitoringBounds.map(({ minValidPrice, maxValidPrice }) => [minValidPrice, maxValidPrice]),
  ).toEqual([["70", "142"]]);
  expect(data.targetStake).toBe("487");
  play.run("p1 S 100@100");
  expect([play.levels("p1"), play.margin("p1")]).toEqual(["4879/9758/12197/14637", 12197n]);
  const asks = () => play.rig.book("M", "sell").map(({ price, volume }) => `${price}:${volume}`);
  expect(asks().filter((level) => !level.startsWith("100:"))).toEqual([
    "105:1",
    "110:91",
    "123:81",
    "150:1000",
  ]);
  play.run("/; p2 B 100@100");
  expect(asks()).toEqual(["105:1", "115:87", "126:79", "150:1000"]);
  play.run("/");
  expect([play.levels("p1"), play.margin("p1"), play.general("p1")]).toEqual([
    "6479/12958/16197/19437",
    16197n,
    13803n,
  ]);
  const before = play.trades().length;
  const place = entries(play);
  play.run("p2 B 500@126; /");
  expect(play.trades(before)).toEqual(["p2-a1 1@105", "p2-a1 87@115", "p2-a1 79@126"]);
  expect(ledger(play, place).filter((line) => line.startsWith("p1"))).toEqual([
    "p1 M>S 2600",
    "p1 G>p1 M 7773",
  ]);
  expect(play.mark()).toBe(126n);
  expect([play.margin("p1"), play.general("p1")]).toEqual([21370n, 6030n]);
});

describe("S21 price auction", () => {
  const opened = () => {
    const play = market(
      {
        simple: { long: 0.11, short: 0.1, up: 10, down: -11 },
        linearSlippage: "0.01",
        quadraticSlippage: "0",
        triggers: [
          { horizon: 60, probability: 0.95, extension: 240 },
          { horizon: 600, probability: 0.99, extension: 360 },
        ],
        openingSeconds: 240,
      },
      { parameters: { "market.auction.minimumDuration": "240s" } },
    )
      .deposit(MILLIONS * 1000n, "aux", "aux2", "lp")
      .deposit(MILLIONS * 1000n, "p1", "p2");
    play.run("lp lp(90000000, 0.1, BID-100, ASK+100); aux B 1@99; aux S 1@134; aux2 B 1@100; aux S 1@100");
    play.rig.nextBlock(241, 2);
    expect(play.mark()).toBe(100n);
    expect(play.deployed("lp")).toEqual(["buy 90000000@1", "sell 386267@233"]);
    play.rig.nextBlock(600);
    return play.run("p1 S 1@100; p2 B 1@100");
  };
  test("an order that may rest begins it", () => {
    const play = opened();
    expect(amounts(play, LIQUIDITY_PAY)).toEqual([10n]);
    const t0 = play.rig.nowNs;
    const trades = play.trades().length;
    const from = play.rig.events().length;
    play.run("p1 S 1@111 =s; p2 B 1@111 =b");
    expect(play.trades()).toHaveLength(trades);
    expect([play.order("s").status, play.order("b").status]).toEqual([1, 1]);
    const data = play.rig.marketData("M");
    expect([data.marketTradingMode, data.trigger, data.markPrice]).toEqual([4, 3, "100"]);
    // The first trigger's extension; the second one's comes when it is over.
    expect(data.auctionEnd - data.auctionStart).toBe(240_000_000_000n);
    expect(play.deployed("lp")).toEqual([]);
    const parked = eventsFrom(play, from, "order").filter(({ payload }) => payload.status === 8);
    expect(parked.map(({ payload }) => `${payload.partyId} ${payload.side}`)).toEqual(["lp 1", "lp 2"]);
    play.rig.nextBlock(600);
    expect(play.rig.nowNs - t0).toBe(600_000_000_000n);
    expect(play.rig.marketData("M").marketTradingMode).toBe(4);
    play.rig.nextBlock(1);
    expect(play.rig.marketData("M").marketTradingMode).toBe(1);
    expect(play.trades(trades)).toEqual(["p2-p1 1@111"]);
    expect(play.mark()).toBe(111n);
    expect(amounts(play, LIQUIDITY_PAY).slice(1)).toEqual([6n, 6n]);
    expect(feesOf(play, 1)).toEqual(["0/0/6 0/0/6"]);
  });
  test.each(["FOK", "IOC", "GFN"])("one that may not is stopped: %s", (tif) => {
    const play = opened().run(`p1 S 1@111; p2 B 1@111 ${tif} =b`);
    expect([play.order("b").status, play.order("b").reason]).toEqual([4, 47]);
    expect(play.rig.marketData("M").marketTradingMode).toBe(1);
  });
});

test("S22 fees do not touch the profit and loss", () => {
  const play = market(LN, { parameters: feeFactors("0.004", "0.001") }).deposit(
    MILLIONS,
    "p1",
    "p2",
    "p3",
    "lp",
  );
  play
    .run("lp lp(5000000, 0.001, BID-500, ASK+500); p2 B 1@900; p2 S 1@1100; p1 B 50@1000; p2 S 50@1000")
    .open();
  const rows = [5, 5, 2].map((size, i) => {
    const price = [1005, 995, 1009][i]!;
    return play.run(`p3 B ${size}@${price}; p1 S ${size}@${price}; /`).pnl("p1");
  });
  expect(rows).toEqual(["45/225/25", "40/-200/0", "38/342/18"]);
  expect(feesOf(play, 3)).toEqual(["0/0/0 21/6/6", "0/0/0 20/5/5", "0/0/0 9/3/3"]);
});

describe("S23 and S24 settlement by an oracle", () => {
  const GLOBAL_REWARD = 12;
  const INSURANCE = 1;
  const ORACLE_B = "bb".repeat(32);
  const opened = (insurance: bigint, funds = MILLIONS) => {
    const rig = createMarketRig();
    rig.createMarket("A", { asset: "ETH", ...M3 });
    rig.createMarket("B", { asset: "ETH", ...M3, oracle: ORACLE_B });
    const play = new Play(rig, "A").deposit(funds, "aux1", "aux2").deposit(MILLIONS, "void").run(VOID);
    rig.fundInsurance("A", insurance);
    rig.fundInsurance("B", insurance);
    return play;
  };
  test("S23", () => {
    const play = opened(10_000n).deposit(10_000n, "p1").deposit(1_000n, "p2").deposit(5_000n, "p3");
    const { rig } = play;
    play.run("aux1 B 2@999 =bid; aux2 S 2@1001 =ask; aux1 B 1@1000; aux2 S 1@1000").open();
    new Play(rig, "B")
      .deposit(MILLIONS, "o1", "o2", "void2")
      .run("lp void2(100000000, 0.1, MID-1, MID+1); o1 B 1@9; o2 S 1@11; o1 B 1@10; o2 S 1@10")
      .open();
    expect(rig.terminate(ORACLE_B).text).toBe("");
    expect(rig.settle(10, ORACLE_B).text).toBe("");
    expect([rig.systemBalance("ETH", INSURANCE, "A"), rig.systemBalance("ETH", GLOBAL_REWARD)]).toEqual([
      15_000n,
      5_000n,
    ]);
    play.run("p1 S 2@1000; /; p2 B 1@1000; /; p3 B 1@1000; /");
    expect([play.margin("p1"), play.general("p1")]).toEqual([240n, 9760n]);
    expect([play.margin("p2"), play.general("p2")]).toEqual([132n, 868n]);
    expect([play.margin("p3"), play.general("p3")]).toEqual([132n, 4868n]);
    play.run("aux1 S 1@1000; /; aux2 B 1@1000; /");
    expect([rig.position("aux1", "A")?.size, rig.position("aux2", "A")?.size]).toEqual([0n, 0n]);
    expect(rig.shownMarket("A")?.state).toBe(5);
    rig.terminate();
    expect(rig.shownMarket("A")?.state).toBe(8);
    play.run("p1 B 1@1000 =late");
    expect([play.order("late").status, play.order("late").reason, play.last.text]).toEqual([
      6,
      13,
      "trading not allowed",
    ]);
    expect([play.order("bid").status, play.order("ask").status]).toEqual([1, 1]);
    const place = entries(play);
    rig.settle(42);
    expect([play.order("bid").status, play.order("ask").status]).toEqual([4, 4]);
    expect(ledger(play, place).filter((line) => line.startsWith("S>"))).toEqual(["S>p1 M 1916"]);
    expect(["p1", "p2", "p3", "aux1", "aux2"].map((party) => play.margin(party))).toEqual([
      0n,
      0n,
      0n,
      0n,
      0n,
    ]);
    expect(rig.systemBalance("ETH", INSURANCE, "A")).toBe(0n);
    expect(
      play
        .transfers(1)
        .filter(({ from }) => from === "p2" || from === "p3")
        .map(({ amount }) => amount),
    ).toEqual([132n, 826n, 132n, 826n]);
    expect([play.general("p1"), play.general("p2"), play.general("p3")]).toEqual([11_916n, 42n, 4_042n]);
    expect(rig.systemBalance("ETH", GLOBAL_REWARD)).toBe(20_000n);
    rig.nextBlock();
    expect(rig.hasMarket("A")).toBe(false);
    const gone = rig.deliver("p1", {
      kind: "orderSubmission",
      payload: { marketId: idOf("A"), price: "1", size: 1n, side: 1, timeInForce: 1, type: 1 },
    });
    expect(gone.text).toBe("OrderError: Invalid Market ID");
  });
  test("S24 the insurance covers it", () => {
    const play = opened(1_000n).deposit(10_000n, "p1").deposit(1_000n, "p2");
    play.run("aux1 B 2@999; aux2 S 2@1001; aux1 B 1@1000; aux2 S 1@1000").open();
    play.run("p1 S 2@1000; /; p2 B 2@1000; /; aux1 S 1@1000; /; aux2 B 1@1000; /");
    play.rig.terminate();
    const place = entries(play);
    play.rig.settle(42);
    expect(ledger(play, place).filter((line) => /S|I/.test(line))).toEqual([
      "p2 M>S 264",
      "p2 G>S 736",
      "I>S 916",
      "S>p1 M 1916",
      "I>I 42",
      "I>12 42",
    ]);
    expect(play.general("p1")).toBe(11_916n);
    expect([
      play.rig.systemBalance("ETH", INSURANCE, "B"),
      play.rig.systemBalance("ETH", GLOBAL_REWARD),
    ]).toEqual([1_042n, 42n]);
  });
  test("S24 it does not", () => {
    const play = opened(500n, 1_000_000n).deposit(10_000n, "p1").deposit(1_000n, "p2");
    play.run("aux1 B 2@999; aux2 S 2@1001; aux1 B 2@1000; aux2 S 2@1000").open();
    play.run("p1 S 2@1000; /; p2 B 2@1000; /");
    play.rig.terminate();
    const place = entries(play);
    play.rig.settle(42);
    expect(ledger(play, place).filter((line) => /S|I/.test(line))).toEqual([
      "aux1 M>S 528",
      "aux1 G>S 1388",
      "p2 M>S 264",
      "p2 G>S 736",
      "I>S 500",
      "S>aux2 M 1707",
      "S>p1 M 1709",
    ]);
    expect(socialised(play)).toEqual(["p2 416", "aux2 -209", "p1 -207"]);
    expect(play.general("p1")).toBe(11_709n);
  });
});

describe("S25 decimals", () => {
  test("of positions", () => {
    const play = market({ ...M3, positionDecimals: 2 })
      .deposit(MILLIONS, "a", "b", "void", "p1")
      .run(VOID);
    play.run("a B 10@100; b S 10@10000; a B 1@1000; b S 1@1000").open();
    play.run("p1 S 100@1000");
    expect(play.levels("p1")).toBe("100/110/120/140");
  });
  test.each([
    { decimals: 3, positionDecimals: 3, size: 10, price: 1000 },
    { decimals: 5, positionDecimals: 5, size: 1000, price: 100_000 },
  ])("of markets: $decimals", ({ decimals, positionDecimals, size, price }) => {
    const rig = createMarketRig({ assets: { ETH: { decimals: 5 } } });
    rig.createMarket("M", { asset: "ETH", ...LN, decimals, positionDecimals, targetStake: { scaling: 1 } });
    const play = new Play(rig, "M").deposit(MILLIONS, "p1", "p2");
    rig.order("p1", "M", "buy", size, price);
    rig.order("p2", "M", "sell", size, price);
    expect([play.margin("p1"), play.margin("p2")]).toEqual([961n, 4268n]);
    expect(rig.marketData("M").targetStake).toBe("3556");
  });
  test("fewer than none", () => {
    const rig = createMarketRig({ assets: { ETH: { decimals: 5 } } });
    rig.createMarket("M", {
      asset: "ETH",
      ...LN,
      decimals: 2,
      positionDecimals: -2,
      lpPriceRange: "0.000001",
      targetStake: { scaling: 1 },
    });
    const play = new Play(rig, "M").deposit(MILLIONS * MILLIONS, "p0", "p1", "p2");
    play
      .run(
        "lp p0(40000000, 0.001, MID-1, MID+1); p1 B 5@8; p1 B 1@9; p1 B 10@10; p2 S 10@10; p2 S 1@10; p2 S 5@11",
      )
      .open();
    const data = rig.marketData("M");
    expect([data.bestStaticBidPrice, data.bestStaticOfferPrice]).toEqual(["9", "10"]);
    const internal = rig.liveOrders("p0", "M").map(({ price, remaining }) => `${remaining}@${price}`);
    // The middle is 9500: a sell a tick above it is shown at 10, and 39 are those of 10500.
    expect(internal).toEqual(["45@9000", "39@10500"]);
    expect(play.deployed("p0")).toEqual(["buy 45@9", "sell 39@10"]);
    expect(rig.book("M", "sell")[0]).toEqual({ price: 10n, volume: 40n });
    expect(rig.book("M", "buy")[0]).toEqual({ price: 9n, volume: 46n });
    expect(data.targetStake).toBe("35569000");
  });
});

describe("S26 price bounds", () => {
  const opened = () => {
    const play = market({ ...LN, triggers: [{ horizon: 1000, probability: 0.99, extension: 300 }] }).deposit(
      MILLIONS * 1000n,
      "a",
      "b",
      "lp",
      "p1",
      "p2",
    );
    return play
      .run("lp lp(90000000, 0.1, BID-100, ASK+100); a B 1@900; b S 1@1100; a B 1@1000; b S 1@1000")
      .open();
  };
  test("are those of the model", () => {
    const [bounds] = opened().rig.marketData("M").priceMonitoringBounds;
    expect([bounds!.minValidPrice, bounds!.maxValidPrice, bounds!.referencePrice]).toEqual([
      "986",
      "1014",
      "1000",
    ]);
  });
  test.each([1009, 995])("a trade at %d passes", (price) => {
    const play = opened().run(`p1 S 1@${price}; p2 B 1@${price}`);
    expect(play.trades(1)).toEqual([`p2-p1 1@${price}`]);
  });
  test.each([
    [1, 300],
    [400, 400],
  ])("one at 1015 does not: at least %d seconds, an auction of %d", (minimum, length) => {
    const play = opened();
    play.rig.setParameter("market.auction.minimumDuration", `${minimum}s`);
    play.run("p1 S 1@1015; p2 B 1@1015");
    expect(play.trades()).toHaveLength(1);
    const data = play.rig.marketData("M");
    expect([data.marketTradingMode, data.auctionEnd - data.auctionStart]).toEqual([
      4,
      BigInt(length) * 1_000_000_000n,
    ]);
  });
});
