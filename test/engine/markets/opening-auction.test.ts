// Opening auctions, to the unit (docs/protocol/70-trading-scenarios.md#s1-opening-auction-uncross-gfa and
// #s2-wash-trades-in-the-opening-auction; docs/protocol/70-trading-orders.md#3-matching-and-auctions). Notation of
// statements and results: rig.ts.
import { describe, expect, test } from "bun:test";
import { CANCELLED, FILLED, M4, MILLIONS, market } from "./sample-markets.ts";

// docs/protocol/70-trading-scenarios.md#s1-opening-auction-uncross-gfa
describe("an opening auction", () => {
  const play = market(M4).deposit(MILLIONS, "p1", "p2", "p3", "p4", "lp");
  play.run(`p3 B 1@1000; p4 S 1@11000; p1 B 5@10000 GFA =b1; p2 S 5@10000 GFA =s1; p1 B 5@10000 GFA =b2
    p2 S 5@10001 GFA =s2; p1 B 4@3000 GFA =b3; p2 S 3@3000 GFA =s3; lp lp(90000, 0.1, MID-100, MID+100)`);

  test("takes initial margins before its end", () => {
    expect(play.results.map(({ text }) => text).filter((text) => text !== "")).toEqual([]);
    expect(play.levels("p1")).toBe("11200/12320/13440/15680");
    expect(play.margin("p1")).toBe(13440n);
    expect(play.levels("p2")).toBe("10901/11991/13081/15261");
    expect(play.margin("p2")).toBe(13081n);
  });

  test("uncrosses by price and time, and cancels the orders that were for it alone", () => {
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

  test("is followed by margins at the mark price", () => {
    play.run("/");
    expect([play.margin("p1"), play.general("p1")]).toEqual([48960n, 1280n]);
    expect(play.levels("p1")).toBe("40800/44880/48960/57120");
    expect([play.margin("p2"), play.general("p2")]).toEqual([9600n, 39080n]);
  });
});

// docs/protocol/70-trading-scenarios.md#s2-wash-trades-in-the-opening-auction
test("a party that trades with itself in the opening auction has no position of it", () => {
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
