// The end of trading and the last settlement of a market (docs/protocol/70-trading-positions.md#65-final-settlement;
// docs/protocol/70-trading-scenarios.md#s23-settlement-by-oracle and #s24-settlement-with-insurance). Notation of
// statements and results: rig.ts.
import { describe, expect, test } from "bun:test";
import { OrderStatus } from "../../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { createMarketRig, idOf, Play } from "./rig.ts";
import {
  entries,
  eventsFrom,
  FLAT,
  flows,
  ledger,
  M3,
  MILLIONS,
  money,
  opened,
  shared,
  socialised,
  trading,
  VOID,
} from "./sample-markets.ts";

// docs/protocol/70-trading-scenarios.md#s23-settlement-by-oracle and #s24-settlement-with-insurance
describe("settlement by an oracle", () => {
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
  // docs/protocol/70-trading-scenarios.md#s23-settlement-by-oracle
  test("pays gains and losses, stops orders, and splits the insurance pool between the other market and the treasury", () => {
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
    const outcome = rig.deliver("p1", {
      kind: "orderSubmission",
      payload: { marketId: idOf("A"), price: "1", size: 1n, side: 1, timeInForce: 1, type: 1 },
    });
    expect(outcome.text).toBe("OrderError: Invalid Market ID");
  });
  // docs/protocol/70-trading-scenarios.md#s24-settlement-with-insurance
  test("pays what a loser cannot from the insurance pool", () => {
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
  // docs/protocol/70-trading-scenarios.md#s24-settlement-with-insurance
  test("shares what the insurance pool cannot pay among winners", () => {
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

const every = (time: string) => ({ parameters: { "network.markPriceUpdateMaximumFrequency": time } });

// docs/protocol/70-trading-positions.md#65-final-settlement
test("the end of trading marks and closes out; a rounding unit of the settlement goes to the treasury", () => {
  const play = trading(FLAT, { rich: "s bp" }, every("1h")).deposit(1_200n, "p");
  play.run("bp B 100@850; s S 10@1000; p B 10@1000; /; aux2 S 1@900; aux B 1@900");
  play.rig.terminate();
  expect(play.trades().slice(-2)).toEqual(["bp-network 10@850", "network-p 10@850"]);
  play.rig.settle(950);
  // 200 of the 500 that the network owes, then 500 for the rise; 1000 won by the fall, 500 given back.
  expect([play.pnl("p"), play.general("bp") - MILLIONS, play.general("s") - MILLIONS]).toEqual([
    "0/0/-1200",
    700n,
    500n,
  ]);
  const other = trading({ ...FLAT, positionDecimals: 2 }, { rich: "a b c" });
  other.run("a S 3@1000; b B 1@1000; c B 2@1000; /");
  other.rig.terminate();
  other.rig.settle(1_070);
  expect([flows(other, 1), flows(other, 2), other.rig.systemBalance("ETH", 12)]).toEqual([
    ["a> 2"],
    [">c 1"],
    1n,
  ]);
});

// docs/protocol/70-trading-positions.md#65-final-settlement
test("settlement stops orders on the book by their ids, then parked orders by theirs", () => {
  const play = trading(FLAT, { rich: "p q r" });
  play.run("p B 1@700; q S 1@1500; r B 1@800; q B 1@600; p S 1@1400; r S 1@1300");
  play.run("p B 1 BID-400; q S 1 ASK+1; r B 1 BID-1; p S 1 ASK+2; r S 1 ASK+3; q B 1 MID-1");
  // No bid is left that a peg could follow.
  for (const party of ["p", "q", "r"]) {
    for (const { id, side, peg } of play.rig.liveOrders(party, "M"))
      if (side === 1 && peg === undefined) play.rig.cancel(party, "M", id);
  }
  play.run("cancel bid");
  const live = ["aux2", "p", "q", "r"].flatMap((party) => play.rig.liveOrders(party, "M"));
  const ids = (isParked: boolean) =>
    live
      .filter(({ place }) => (place === 0) === isParked)
      .map(({ id }) => id)
      .sort();
  expect([ids(false).length, ids(true).length]).toEqual([4, 6]);
  play.rig.terminate();
  const before = play.rig.events("order").length;
  play.rig.settle(1000);
  const stopped = play.rig.events("order").slice(before);
  expect(stopped.map(({ payload }) => payload.id)).toEqual([...ids(false), ...ids(true)]);
  expect(new Set(stopped.map(({ payload }) => payload.status))).toEqual(new Set([4]));
});

const monies = (play: Play, ...parties: string[]): string[] => parties.map((party) => money(play, party));

// docs/protocol/70-trading-positions.md#65-final-settlement and docs/protocol/70-trading-liquidity.md#81-price-monitoring
test("a market settles beyond its price bounds by data of fewer decimals, and its insurance is split in equal parts", () => {
  const rig = createMarketRig({ assets: { ETH: { decimals: 5 } } });
  const oracles = { A: idOf("first"), B: idOf("second"), C: idOf("third") };
  const moves = { simple: { long: 0.2, short: 0.1, up: 10_000_000, down: -10_000_000 } };
  const triggers = [{ horizon: 1, probability: 0.99, extension: 300 }];
  rig.createMarket("A", { asset: "ETH", ...M3, decimals: 3, settlementDecimals: 2, oracle: oracles.A });
  rig.createMarket("B", {
    ...{ asset: "ETH", ...moves, triggers, decimals: 2, settlementDecimals: 1 },
    oracle: oracles.B,
  });
  rig.createMarket("C", { asset: "ETH", ...M3, oracle: oracles.C });
  const [a, b, c] = ["A", "B", "C"].map((name) => new Play(rig, name)) as [Play, Play, Play];
  a.deposit(10_000_000_000_000n, "lp").deposit(10_000_000_000n, "x", "y");
  a.deposit(1_000_000_000n, "p").deposit(100_000_000n, "q");
  for (const name of ["A", "B", "C"]) rig.fundInsurance(name, 50_000_001n);
  for (const [play, tick] of [
    [a, 10n],
    [b, 1n],
  ] as const) {
    play.run("lp lp(3000000000000, 0, BID-1000, ASK+1000)");
    const [bid, ask, price] = [99_900n * tick, 100_100n * tick, 100_000n * tick];
    play.run(`x B 1@${bid}; y S 1@${ask}; x B 1@${price}; y S 1@${price}`);
  }
  a.open();
  b.open();
  const { minValidPrice, maxValidPrice } = rig.marketData("B").priceMonitoringBounds[0]!;
  expect([minValidPrice, maxValidPrice]).toEqual(["90001", "110000"]);
  a.run("p S 2@1000000; /; q B 2@1000000; /");
  expect(monies(a, "p", "q")).toEqual(["24000000 976000000 0", "26400000 73600000 0"]);
  rig.terminate(oracles.B);
  rig.settle(7_000, oracles.B);
  const { marketState, marketTradingMode } = rig.marketData("B");
  expect([marketState, marketTradingMode]).toEqual([9, 1]);
  const insured = () => [a.insurance(), b.insurance(), c.insurance(), rig.systemBalance("ETH", 12)];
  expect(insured()).toEqual([66_666_668n, 0n, 66_666_668n, 16_666_667n]);
  rig.terminate(oracles.A);
  rig.settle(4_200, oracles.A);
  // q and the insurance have 24933332 too little: 262466668 of 287400000 for two winners, a unit of it for the last one.
  expect(monies(a, "p", "q")).toEqual(["0 1174977778 0", "0 0 0"]);
  expect(shared(a)).toEqual(["q 24933332", "p -16622222", "y -8311110"]);
  expect(insured()).toEqual([0n, 0n, 66_666_668n, 16_666_667n]);
});

const LOSS = 1;
const WIN = 2;
const CLEAR = 24;

/** Entries of a type, also those that moved nothing. */
const moved = (play: Play, type: number): string[] =>
  play.transfers(type).map(({ from, to, amount }) => `${from ?? ""}>${to ?? ""} ${amount}`);

const place = (play: Play): number => play.rig.events().length;

// docs/protocol/70-trading-positions.md#65-final-settlement
test("final settlement makes transfers of 0 for losses and gains of 0", () => {
  const play = opened();
  play.rig.terminate();
  play.rig.settle(100);
  expect([moved(play, LOSS), moved(play, WIN)]).toEqual([["p2> 0"], [">p1 0"]]);
});

// docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order
test("a settled market still emits its data at the end of that block, and then no more", () => {
  const play = opened({}, { parameters: { "network.markPriceUpdateMaximumFrequency": "1s" } });
  play.run("/ 2; x B 1@85");
  play.rig.terminate();
  play.rig.settle(95);
  const [from, settledNs] = [place(play), play.rig.nowNs];
  play.run("/");
  const [last] = eventsFrom(play, from, "marketData");
  expect([last!.payload.marketState, last!.payload.nextMarkToMarket]).toEqual([9, settledNs + SECOND_NS]);
  const shown = eventsFrom(play, from, "positionStateEvent").map(({ payload }) => payload);
  expect(shown.find(({ partyId }) => partyId === "x")).toMatchObject({ size: 0n, potentialBuys: 1n });
  // It is gone with the tick, and no block shows it again.
  const end = place(play);
  play.run("/ 2");
  expect(eventsFrom(play, end, "marketData", "positionStateEvent")).toEqual([]);
});

// docs/protocol/70-trading-positions.md#65-final-settlement
test("settlement clears the accounts of all parties in the market, empty ones too, but not of parties that left", () => {
  const play = opened();
  // x has come and gone by trades, y by an order alone.
  play.run("x B 1@110; /; x S 1@90; /; y B 1@50 =c; cancel c; /");
  expect([play.rig.position("x", "M"), play.rig.position("y", "M")]).toEqual([undefined, undefined]);
  play.rig.terminate();
  play.rig.settle(500);
  // All that p2 had on its margin account is lost.
  expect(moved(play, CLEAR)).toEqual(["lp>lp 140", "lp>lp 1000", "p1>p1 938", "p2>p2 0", "> 0"]);
});

// docs/protocol/70-trading-positions.md#65-final-settlement
test("orders stopped by settlement keep the time of their last amendment", () => {
  const play = opened().run("x B 1@85 =o; x B 2@70 =changed; /; amend changed @71");
  const changedNs = play.rig.nowNs;
  play.run("/ 3");
  play.rig.terminate();
  play.rig.settle(95);
  const shown = (name: string) => play.rig.shownOrder(play.ids.get(name)!)!;
  expect(shown("o")).toMatchObject({ status: OrderStatus.STATUS_STOPPED, remaining: 1n, updatedAt: 0n });
  expect(shown("changed")).toMatchObject({
    status: OrderStatus.STATUS_STOPPED,
    remaining: 2n,
    updatedAt: changedNs,
  });
});
