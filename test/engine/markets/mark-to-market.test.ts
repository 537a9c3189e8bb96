// The worked scenarios of the reference (70, section 10), to the unit: S1 to S13.
import { describe, expect, test } from "bun:test";
import { AccountType, OrderTimeInForce } from "../../../src/wire/generated/vega.ts";
import type { Play } from "./rig.ts";
import {
  amounts,
  CANCELLED,
  entries,
  FILLED,
  INFRASTRUCTURE_PAY,
  LIQUIDITY_DISTRIBUTE,
  LIQUIDITY_PAY,
  ledger,
  M2,
  M3,
  M4,
  MAKER_PAY,
  MAKER_RECEIVE,
  MD,
  MILLIONS,
  market,
  socialised,
  total,
  VOID,
} from "./sample-markets.ts";

const FEES = [MAKER_PAY, INFRASTRUCTURE_PAY, LIQUIDITY_PAY, MAKER_RECEIVE];
/** Losses and wins of marks. */
const MARKS = [4, 5];
/** Top-ups of margins. */
const LOW = 6;
const CONFISCATED = 8;
/** Types of the last trades: 1 of orders, 2 GOOD and 3 BAD ones of a close-out. */
const kinds = (play: Play, count: number) =>
  play.rig
    .trades("M")
    .slice(-count)
    .map(({ type }) => type);

describe("S1 opening auction", () => {
  const play = market(M4).deposit(MILLIONS, "p1", "p2", "p3", "p4", "lp");
  play.run(`p3 B 1@1000; p4 S 1@11000; p1 B 5@10000 GFA =b1; p2 S 5@10000 GFA =s1; p1 B 5@10000 GFA =b2
    p2 S 5@10001 GFA =s2; p1 B 4@3000 GFA =b3; p2 S 3@3000 GFA =s3; lp lp(90000, 0.1, MID-100, MID+100)`);

  test("margins before its end", () => {
    expect(play.results.map(({ text }) => text).filter((text) => text !== "")).toEqual([]);
    expect(play.levels("p1")).toBe("11200/12320/13440/15680");
    expect(play.margin("p1")).toBe(13440n);
    expect(play.levels("p2")).toBe("10901/11991/13081/15261");
    expect(play.margin("p2")).toBe(13081n);
  });

  test("uncrossing", () => {
    play.rig.withdraw("p1", "ETH", 99_949_760n);
    play.rig.withdraw("p2", "ETH", 99_951_320n);
    expect([play.general("p1"), play.general("p2")]).toEqual([36_800n, 35_599n]);
    play.open();
    expect(play.trades()).toEqual(["p1-p2 3@10000", "p1-p2 2@10000", "p1-p2 3@10000"]);
    expect(play.rig.trades("M").map(({ aggressor }) => aggressor)).toEqual([0, 0, 0]);
    const names = new Map([...play.ids].map(([name, id]) => [id, name]));
    expect(
      play.rig.trades("M").map(({ buyOrder, sellOrder }) => `${names.get(sellOrder)}×${names.get(buyOrder)}`),
    ).toEqual(["s3×b1", "s1×b1", "s1×b2"]);
    expect(play.mark()).toBe(10000n);
    expect(["b1", "s1", "s3", "b2", "b3", "s2"].map((name) => play.order(name).status)).toEqual([
      FILLED,
      FILLED,
      FILLED,
      CANCELLED,
      CANCELLED,
      CANCELLED,
    ]);
    expect(play.order("b2").remaining).toBe(2n);
    expect(play.deployed("lp")).toEqual(["buy 16@5900", "sell 15@6100"]);
    expect(play.margin("lp")).toBe(19200n);
  });

  test("after the next block", () => {
    play.run("/");
    expect([play.margin("p1"), play.general("p1")]).toEqual([48960n, 1280n]);
    expect(play.levels("p1")).toBe("40800/44880/48960/57120");
    expect([play.margin("p2"), play.general("p2")]).toEqual([9600n, 39080n]);
  });
});

test("S2 wash trades in the opening auction", () => {
  const play = market(M4).deposit(MILLIONS, "p1", "p2", "p3", "p4", "lp");
  play
    .run(`p3 B 1@1000; p4 S 1@11000; p1 B 5@10000 GFA =b1; p1 S 5@10000 GFA =s1; p1 B 5@10000 GFA =b2
    p2 S 5@10000 GFA =s2; p2 S 3@12000 GFA =s3; lp lp(50000, 0.1, MID-100, MID+100)`)
    .open();
  expect(play.trades()).toEqual(["p1-p1 5@10000", "p1-p2 5@10000"]);
  expect(["b1", "s1", "b2", "s2", "s3"].map((name) => play.order(name).status)).toEqual([5, 5, 5, 5, 3]);
  const data = play.rig.marketData("M");
  expect(data.targetStake).toBe("50000");
  expect(data.openInterest).toBe(5n);
  expect([play.rig.position("p1", "M")!.size, play.rig.position("p2", "M")!.size]).toEqual([5n, -5n]);
  expect([play.pnl("p1"), play.pnl("p2")]).toEqual(["5/0/0", "-5/0/0"]);
});

describe("S3 queue priority on amend", () => {
  const opened = () => {
    const play = market(M2, {
      parameters: {
        "market.margin.scalingFactors": '{"search_level":3.2,"initial_margin":4,"collateral_release":5}',
      },
    }).deposit(MILLIONS, "x", "y", "z", "a", "b");
    play.run("a B 1@1; b S 1@100; a B 1@10; b S 1@10").open();
    return play.run("x S 5@2 =o1; y S 5@2 =o2");
  };
  test("a smaller size keeps its place", () => {
    const play = opened().run("amend o1 -2; z B 3@2");
    expect(play.trades(1)).toEqual(["z-x 3@2"]);
  });
  test("a larger size goes to the back", () => {
    const play = opened().run("amend o1 +3; z B 3@2");
    expect(play.trades(1)).toEqual(["z-y 3@2"]);
  });
  test("an amend that leaves nothing cancels", () => {
    const play = opened().run("z B 3@2; amend o1 -3");
    expect(play.trades(1)).toEqual(["z-x 3@2"]);
    expect(play.order("o1").status).toBe(CANCELLED);
  });
  test("a time in force is changed neither to FOK nor against its time", () => {
    const play = opened();
    const id = play.ids.get("o1")!;
    const before = { ...play.rig.liveOrder(id)! };
    const { TIME_IN_FORCE_FOK, TIME_IN_FORCE_GTT, TIME_IN_FORCE_GTC } = OrderTimeInForce;
    const amend = (timeInForce: number, expiresAt?: bigint) =>
      play.rig.amend("x", "M", id, { timeInForce, ...(expiresAt !== undefined && { expiresAt }) }).text;
    expect([
      amend(TIME_IN_FORCE_FOK),
      amend(TIME_IN_FORCE_GTT),
      amend(TIME_IN_FORCE_GTC, play.rig.nowNs + 1_000_000_000n),
    ]).toEqual([
      "OrderError: Cannot amend TIF to FOK or IOC",
      "OrderError: Cannot amend order to GTT without an expiryAt field",
      "OrderError: Cannot set ExpiryAt and GTC",
    ]);
    expect(before).toMatchObject({ version: 1n, timeInForce: TIME_IN_FORCE_GTC, expiresAt: 0n });
    expect(play.rig.liveOrder(id)).toEqual(before);
    expect(play.queue("sell").slice(0, 2)).toEqual(["x 5@2", "y 5@2"]);
  });
  test("an order that is gone cannot be amended", () => {
    const play = opened().run("cancel o1; amend o1 -1");
    expect(play.last.text).toBe("OrderError: Invalid Order ID");
  });
});

test("S4 continuous fees", () => {
  const play = market(
    { ...MD, linearSlippage: "1", quadraticSlippage: "0" },
    {
      parameters: { "market.fee.factors.makerFee": "0.005", "market.fee.factors.infrastructureFee": "0.002" },
    },
  ).deposit(MILLIONS, "aux1", "aux2", "void");
  play.deposit(10_000n, "t3", "t4").run(VOID);
  play.run("aux1 B 10@1000; aux2 S 10@1000; aux1 B 1@900; aux2 S 1@1100").open();
  expect(play.mark()).toBe(1000n);
  expect(play.rig.marketData("M").suppliedStake).toBe("0");
  expect(play.general("void")).toBe(MILLIONS);
  play.run("t3 B 3@1002; /");
  expect([play.margin("t3"), play.general("t3")]).toEqual([720n, 9280n]);
  const place = entries(play);
  play.run("t4 S 4@1002; /");
  expect(play.trades(1)).toEqual(["t3-t4 3@1002"]);
  expect(play.rig.trades("M").at(-1)!.aggressor).toBe(2);
  expect(play.mark()).toBe(1002n);
  expect(amounts(play, LIQUIDITY_PAY)).toEqual([0n]);
  expect(ledger(play, place, ...FEES)).toEqual(["t4 G>FM 16", "t4 G>FI 7", "FM>t3 G 16"]);
  expect(ledger(play, place, ...MARKS)).toEqual(["aux2 M>S 20", "S>aux1 M 20"]);
  expect([play.margin("t3"), play.general("t3"), play.levels("t3")]).toEqual([
    4329n,
    5687n,
    "3608/3968/4329/5051",
  ]);
  expect([play.margin("t4"), play.general("t4"), play.levels("t4")]).toEqual([
    4088n,
    5889n,
    "3407/3747/4088/4769",
  ]);
});

test("S5 fees on an amended order", () => {
  const play = market(MD, {
    parameters: { "market.fee.factors.makerFee": "0.004", "market.fee.factors.infrastructureFee": "0.003" },
  }).deposit(MILLIONS, "aux1", "aux2");
  play.deposit(10_000n, "t1", "t2");
  play
    .run("lp aux1(10000, 0.002, BID-10, ASK+10); aux1 B 1@1000; aux2 S 1@1000; aux1 B 1@920; aux2 S 1@1080")
    .open();
  expect(play.deployed("aux1")).toEqual(["buy 10@910", "sell 10@1090"]);
  play.run("t1 B 2@1002; /; t2 S 4@1004 =o; /; amend o @1002");
  expect(play.trades(1)).toEqual(["t1-t2 2@1002"]);
  const data = play.rig.marketData("M");
  expect([data.markPrice, data.lastTradedPrice]).toEqual(["1000", "1002"]);
  expect(ledger(play, 0, ...FEES)).toEqual(["t2 G>FM 9", "t2 G>FI 7", "t2 G>FL 5", "FM>t1 G 9"]);
  expect([play.margin("t1"), play.general("t1")]).toEqual([480n, 9529n]);
  expect([play.margin("t2"), play.general("t2")]).toEqual([480n, 9499n]);
});

test("S6 auction fees", () => {
  const play = market(
    {
      simple: { long: 0.2, short: 0.1, up: 100, down: -100 },
      linearSlippage: "1",
      quadraticSlippage: "0",
      triggers: [{ horizon: 1, probability: 0.99, extension: 300 }],
      targetStake: { scaling: 1 },
      triggeringRatio: "1",
    },
    {
      parameters: {
        "market.fee.factors.makerFee": "0.005",
        "market.fee.factors.infrastructureFee": "0.002",
        "market.liquidity.providers.fee.distributionTimeStep": "10s",
      },
    },
  ).deposit(MILLIONS, "aux1", "aux2");
  play.deposit(10_000n, "t3", "t4");
  play
    .run("lp aux1(200, 0.001, BID-10, ASK+10); aux1 B 1@500; aux2 S 1@2000; t3 B 1@1002; t4 S 1@1002")
    .open();
  expect(play.deployed("aux1")).toEqual(["sell 1@2010"]);
  expect([play.margin("t3"), play.general("t3")]).toEqual([843n, 9157n]);
  expect([play.margin("t4"), play.general("t4")]).toEqual([1318n, 8682n]);
  const before = play.rig.marketData("M");
  expect([before.targetStake, before.suppliedStake]).toEqual(["200", "200"]);
  play.run("t3 B 3@1002; t4 S 3@1002");
  expect(ledger(play, 0, ...FEES)).toEqual(["t4 G>FM 16", "t4 G>FI 7", "t4 G>FL 4", "FM>t3 G 16"]);
  play.run("/");
  const during = play.rig.marketData("M");
  expect([during.marketTradingMode, during.trigger, during.targetStake]).toEqual([4, 5, "801"]);
  const place = entries(play);
  play.run("t3 B 3@1002; t4 S 3@1002");
  const payload = { marketId: play.rig.market("M").id, commitmentAmount: "10000" };
  expect(play.rig.deliver("aux1", { kind: "liquidityProvisionAmendment", payload }).text).toBe("");
  play.run("/ 2");
  expect(play.rig.marketData("M").marketTradingMode).toBe(1);
  expect(play.trades(2)).toEqual(["t3-t4 3@1002"]);
  const { buyerFee, sellerFee } = play.rig.trades("M").at(-1)!;
  const fee = { makerFee: "0", infrastructureFee: "4", liquidityFee: "2" };
  expect([buyerFee, sellerFee]).toEqual([fee, fee]);
  expect(ledger(play, place, ...FEES)).toEqual(["t4 G>FI 4", "t4 G>FL 2", "t3 G>FI 4", "t3 G>FL 2"]);
  expect([play.margin("t3"), play.general("t3")]).toEqual([6493n, 3517n]);
  expect([play.margin("t4"), play.general("t4")]).toEqual([9259n, 708n]);
  const after = play.rig.marketData("M");
  expect([after.targetStake, after.openInterest]).toEqual(["1402", 7n]);
});

test("S7 mark to market", () => {
  const play = market({ ...M3, linearSlippage: "0.9", quadraticSlippage: "0" }).deposit(
    MILLIONS,
    "aux",
    "aux2",
    "void",
  );
  play.deposit(10_000n, "p1", "p2", "p3").run(VOID);
  play.run("aux B 1@49; aux S 1@5001; aux2 B 1@1000; aux S 1@1000").open();
  play.run("p1 S 1@1000; /");
  expect(play.rig.marketData("M").targetStake).toBe("1100");
  play.run("p2 B 1@1000; /");
  // By section 8.2 it follows the trade: 1000 × 2 × 0.11 × 10. The scenario's 1100 is that of the row's first block.
  expect(play.rig.marketData("M").targetStake).toBe("2200");
  expect([play.general("void"), play.rig.marketData("M").suppliedStake]).toEqual([MILLIONS, "0"]);
  expect([play.margin("p1"), play.general("p1")]).toEqual([1200n, 8800n]);
  expect([play.margin("p2"), play.general("p2")]).toEqual([1212n, 8788n]);
  play.run("p1 S 1@2000; /");
  expect([play.margin("p1"), play.general("p1")]).toEqual([1320n, 8680n]);
  const place = entries(play);
  play.run("p3 B 1@2000; /");
  expect(play.mark()).toBe(2000n);
  expect(ledger(play, place, ...MARKS)).toEqual([
    "aux M>S 1000",
    "p1 M>S 1000",
    "S>aux2 M 1000",
    "S>p2 M 1000",
  ]);
  expect([play.margin("p1"), play.general("p1")]).toEqual([4800n, 4200n]);
  expect([play.margin("p2"), play.general("p2")]).toEqual([2424n, 8576n]);
  expect([play.margin("p3"), play.general("p3")]).toEqual([2424n, 7576n]);
  expect([play.pnl("p1"), play.pnl("p2")]).toEqual(["-2/-1000/0", "1/1000/0"]);
  expect(play.rig.shownPosition("p1", "M")?.averageEntryPrice).toBe("1500");
});

describe("S8 and S9 position decimals", () => {
  const opened = (frequency: string) => {
    const play = market(
      { ...M3, positionDecimals: -3 },
      {
        parameters: { "network.markPriceUpdateMaximumFrequency": frequency },
      },
    ).deposit(MILLIONS, "aux", "aux2", "lp");
    play.deposit(10_000_000n, "p1", "p2", "p3");
    play
      .run("lp lp(10000000, 0.001, BID-1, ASK+1); aux B 1@49; aux S 1@5001; aux2 B 1@1000; aux S 1@1000")
      .open();
    expect(play.deployed("lp")).toEqual(["buy 209@48", "sell 2@5002"]);
    return play;
  };
  test("marks at each block", () => {
    const play = opened("0s");
    play.run("p1 S 1@1000; /; p2 B 1@1000; /");
    expect(amounts(play, LIQUIDITY_PAY)).toEqual([1000n]);
    expect([play.margin("p1"), play.general("p1")]).toEqual([4921200n, 5078800n]);
    expect([play.margin("p2"), play.general("p2")]).toEqual([1273200n, 8725800n]);
    play.run("p1 S 1@2000; /");
    expect([play.margin("p1"), play.general("p1")]).toEqual([5041200n, 4958800n]);
    const place = entries(play);
    play.run("p3 B 1@2000; /");
    expect(ledger(play, place, ...MARKS)).toEqual([
      "aux M>S 1000000",
      "p1 M>S 1000000",
      "S>aux2 M 1000000",
      "S>p2 M 1000000",
    ]);
    expect([play.margin("p1"), play.general("p1")]).toEqual([7682400n, 1317600n]);
    expect([play.margin("p2"), play.general("p2")]).toEqual([2605200n, 8393800n]);
    expect([play.margin("p3"), play.general("p3")]).toEqual([2605200n, 7392800n]);
  });
  test.each(["", "; /"])("marks every five seconds, orders parted by %p", (boundary) => {
    const play = opened("5s");
    play.run(`p1 S 1@1000${boundary}; p2 B 1@1000${boundary}`);
    expect([play.margin("p1"), play.general("p1")]).toEqual([120000n, 9880000n]);
    expect([play.margin("p2"), play.general("p2")]).toEqual([132000n, 9867000n]);
    play.run(`p1 S 1@2000${boundary}`);
    expect([play.margin("p1"), play.general("p1")]).toEqual([5041200n, 4958800n]);
    play.run(`p3 B 1@2000${boundary}`);
    expect(play.mark()).toBe(1000n);
    expect([play.margin("p3"), play.general("p3")]).toEqual([132000n, 9866000n]);
    expect([play.margin("p1"), play.general("p1")]).toEqual([5041200n, 4958800n]);
    play.run("/ 6");
    const paid = boundary === "" ? [3000] : [1000, 2000];
    expect(ledger(play, 0, LIQUIDITY_DISTRIBUTE)).toEqual(paid.map((fee) => `FL>lp G ${fee}`));
    expect([play.margin("p1"), play.general("p1")]).toEqual([7682400n, 1317600n]);
    expect([play.margin("p2"), play.general("p2")]).toEqual([2605200n, 8393800n]);
    expect([play.margin("p3"), play.general("p3")]).toEqual([2605200n, 7392800n]);
  });
});

test("S10 close-out with an insurance pool", () => {
  const play = market({ ...M3, linearSlippage: "1", quadraticSlippage: "0" }).deposit(
    10_000n,
    "p2",
    "p3",
    "aux",
    "aux2",
  );
  play.deposit(100_000n, "void").deposit(5122n, "p1").run("lp void(100000, 0.1, MID-1, MID+1)");
  play.rig.fundInsurance("M", 10_000n);
  play.run("aux B 1@999; aux S 1@6001; aux2 B 1@1000; aux S 1@1000").open();
  play.run("p1 S 1@1000; /; p2 B 1@1000; /");
  expect([play.margin("p1"), play.general("p1")]).toEqual([1320n, 3802n]);
  expect([play.margin("p2"), play.general("p2")]).toEqual([132n, 9868n]);
  play.run("p2 B 1@6000; /");
  expect([play.margin("p2"), play.general("p2")]).toEqual([265n, 9735n]);
  const place = entries(play);
  play.run("p3 S 1@5000; /");
  expect(play.trades().slice(-3)).toEqual(["p2-p3 1@6000", "network-aux 1@6001", "p1-network 1@6001"]);
  expect(kinds(play, 3)).toEqual([1, 2, 3]);
  expect(ledger(play, place, ...MARKS)).toEqual([
    "aux M>S 1440",
    "aux G>S 3560",
    "p1 M>S 1320",
    "p1 G>S 3680",
    "S>aux2 M 5000",
    "S>p2 M 5000",
    "I>S 1",
    "S>aux M 1",
  ]);
  expect(ledger(play, place, LOW).filter((line) => line.startsWith("p1 "))).toEqual(["p1 G>p1 M 122"]);
  expect(ledger(play, place, CONFISCATED)).toEqual(["p1 M>I 122"]);
  expect([play.margin("p1"), play.general("p1")]).toEqual([0n, 0n]);
  const kept = play.rig.accounts().filter(({ type }) => type === AccountType.ACCOUNT_TYPE_MARGIN);
  expect(kept.map(({ owner }) => owner)).not.toContain("p1");
  expect([play.margin("p2"), play.general("p2")]).toEqual([15000n, 0n]);
  expect([play.margin("p3"), play.general("p3")]).toEqual([7920n, 2080n]);
  expect(play.insurance()).toBe(10121n);
  expect(total(play)).toBe(155_122n);
});

describe("S11 to S13 loss socialisation", () => {
  const providers = (play: Play) => play.deposit(MILLIONS, "sp", "bp", "a1", "a2");
  const noInsurance =
    "sp S 1000@120 =sp1; bp B 1000@80 =bp1; a1 S 1@120 =a120; a2 B 1@80 =a80; a1 S 1@100; a2 B 1@100";

  test("S11 one debtor", () => {
    const play = providers(market(M2))
      .deposit(5_000n, "p1")
      .deposit(50_000n, "p2", "p3")
      .deposit(MILLIONS, "lp");
    play.run(noInsurance).open();
    expect(play.mark()).toBe(100n);
    play.run("p1 S 100@100; /; p2 B 100@100; /; cancel sp1; cancel bp1; sp S 1000@200; /; bp B 1000@80; /");
    play.run("cancel a120; cancel a80; p2 B 100@180; /");
    const place = entries(play);
    play.run("p3 S 100@180; /");
    expect(play.mark()).toBe(180n);
    expect(ledger(play, place, ...MARKS)).toEqual([
      "a1 M>S 24",
      "a1 G>S 56",
      "p1 M>S 2400",
      "p1 G>S 2600",
      "S>a2 M 50",
      "S>p2 M 5030",
    ]);
    expect(kinds(play, 2)).toEqual([2, 3]);
    expect(socialised(play)).toEqual(["p1 3000", "a2 -30", "p2 -2970", "sp -2000"]);
    expect([play.margin("p2"), play.general("p2")]).toEqual([24000n, 31030n]);
    expect([play.margin("p3"), play.general("p3")]).toEqual([2400n, 47600n]);
    expect(["p1", "p2", "p3", "sp"].map((party) => play.pnl(party))).toEqual([
      "0/0/-5000",
      "200/8000/-2970",
      "-100/0/0",
      "-100/2000/-2000",
    ]);
    expect(play.rig.shownPosition("p1", "M")?.positionStatus).toBe(2);
    expect(total(play) - MILLIONS).toBe(400_105_000n);
    expect(play.insurance()).toBe(0n);
    expect(play.rig.position("p1", "M")).toBeUndefined();
    expect(play.trades().slice(-2)).toEqual(["network-sp 100@200", "p1-network 100@200"]);
  });

  test("S12 two winners", () => {
    const play = providers(market(M2))
      .deposit(2_500n, "p1")
      .deposit(10_000n, "p2", "p3", "p4")
      .deposit(MILLIONS, "lp");
    play.run(noInsurance).open();
    play.run("p1 S 25@100; /; p2 B 25@100; /; p1 S 75@100; /; p3 B 75@100; /; cancel sp1; cancel bp1");
    play.run("sp S 1000@300; /; bp B 1000@80; /; cancel a120; cancel a80; p2 B 10@180; /");
    const place = entries(play);
    play.run("p4 S 10@180; /");
    expect(ledger(play, place, ...MARKS)).toEqual([
      "a1 M>S 24",
      "a1 G>S 56",
      "p1 M>S 2400",
      "p1 G>S 100",
      "S>a2 M 25",
      "S>p2 M 638",
      "S>p3 M 1917",
    ]);
    expect(play.trades().slice(-2)).toEqual(["network-sp 100@300", "p1-network 100@300"]);
    expect(kinds(play, 2)).toEqual([2, 3]);
    // 5500 that p1 did not pay; then sp's win of 12000 over the mark, which nobody pays.
    expect(socialised(play)).toEqual(["p1 5500", "a2 -55", "p2 -1362", "p3 -4083", "sp -12000"]);
    expect([play.margin("p2"), play.general("p2")]).toEqual([4200n, 6438n]);
    expect([play.margin("p3"), play.general("p3")]).toEqual([9000n, 2917n]);
    expect([play.margin("p4"), play.general("p4")]).toEqual([1440n, 8560n]);
    expect(play.margin("sp")).toBe(14400n);
    expect(["p1", "p2", "p3", "p4"].map((party) => play.pnl(party))).toEqual([
      "0/0/-2500",
      "35/2000/-1362",
      "75/6000/-4083",
      "-10/0/0",
    ]);
  });

  test("S13 partial insurance", () => {
    const play = market(M2).deposit(MILLIONS, "sp", "bp", "a1", "a2", "p5", "p6", "lp");
    play.deposit(2_000n, "p1").deposit(10_000n, "p2", "p4").deposit(3_000n, "p3");
    play.rig.fundInsurance("M", 2_900n);
    play.run("a1 B 1@10 =a10; a2 S 1@1000 =a1000; p5 B 1@100 GFA; p6 S 1@100 GFA").open();
    play.run(
      "sp S 1000@120 =sp1; /; bp B 1000@80 =bp1; /; p1 S 30@100; /; p2 B 30@100; /; p3 S 60@100; /; p2 B 60@100; /",
    );
    play.run("p3 S 10@100; /; p4 B 10@100; /; cancel sp1; cancel bp1; sp S 1000@300; /; bp B 1000@80; /");
    play.run("cancel a10; cancel a1000; p2 B 10@180; /; p4 S 10@180; /");
    expect(play.insurance()).toBe(0n);
    expect([play.general("p2"), play.margin("p2")]).toEqual([5110n, 12000n]);
    expect(play.general("p4")).toBe(10791n);
    expect(["p1", "p2", "p3", "p4"].map((party) => play.pnl(party))).toEqual([
      "0/0/-2400",
      "100/7200/-90",
      "0/0/-5500",
      "0/0/791",
    ]);
  });
});
