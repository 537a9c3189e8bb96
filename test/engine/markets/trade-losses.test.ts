// Single trades, and their marks on those who made them: losses that nobody covers, fees of an amended order, and a
// party that trades with itself as an auction ends. Marks are made at each block's end.
import { expect, test } from "bun:test";
import { amounts, LIQUIDITY_PAY, M2, MAKER_PAY, market, socialised } from "./sample-markets.ts";

const RICH = 1_000_000_000_000n;

test("6.3 a mark's missing money comes from those who won by it, a close-out's from the one who sold to it", () => {
  const play = market(
    { ...M2, linearSlippage: "1", quadraticSlippage: "0" },
    {
      parameters: {
        "market.margin.scalingFactors": JSON.stringify({
          search_level: 3.2,
          initial_margin: 4,
          collateral_release: 5,
        }),
      },
    },
  );
  play.deposit(RICH, "asker", "bidder", "a", "b").deposit(10_000n, "short");
  play.run("b B 1@1; a S 1@1000; a S 10@180; b B 10@180").open();
  play.run("asker S 150@200 =wall; /; bidder B 50@190; /; bidder B 50@180; /; short S 100@180; /");
  // Its way out is at 200, its mark at 180; it sold half of what it has for 190.
  expect(play.levels("short")).toBe("2000/6400/8000/10000");
  expect([play.margin("short"), play.general("short")]).toEqual([8_000n, 2_500n]);

  play.run("cancel wall; asker S 150@350; /; asker S 1@300; /; bidder B 1@300; /");
  // 12,000 are owed and 10,500 there; b has won 1,200 by the same mark. Then the network pays 50 too much for each of 100.
  expect(play.trades().slice(-2)).toEqual(["network-asker 100@350", "short-network 100@350"]);
  expect(["short", "bidder", "asker"].map((party) => play.pnl(party))).toEqual([
    "0/0/-10000",
    "101/11500/-1363",
    "-101/5000/-5000",
  ]);
  expect(socialised(play)).toContain("bidder -1363");
  expect(play.insurance()).toBe(0n);
  expect([play.margin("short"), play.general("short")]).toEqual([0n, 0n]);
});

test("4.3 an amended order that trades pays its fees from the general account and the rest from the margin", () => {
  const play = market(
    {
      simple: { long: 0.2, short: 0.1, up: 100, down: -100, probability: 0.1 },
      triggers: [{ horizon: 1, probability: 0.99, extension: 3 }],
    },
    {
      parameters: { "market.fee.factors.makerFee": "0.005", "market.fee.factors.infrastructureFee": "0.002" },
    },
  );
  play.deposit(100_000_000n, "a", "b", "lp").deposit(10_000n, "long", "other").deposit(1_550n, "short");
  play.run("a B 1@1000; b S 1@1000; a B 1@920; b S 1@1080; lp lp(90000, 0.1, BID-100, ASK+100)").open();
  play.run("long B 2@1002; /; other B 1@1002; /; short S 4@1002; /");
  play.run("long B 2@1000; /; short S 4@1002 =more; /");
  expect([play.margin("short"), play.general("short")]).toEqual([1_174n, 49n]);

  play.run("amend more @1000");
  // 10 to the maker and 4 for the infrastructure leave 35 of the liquidity fee's 200 on the general account.
  expect(amounts(play, MAKER_PAY).slice(-1)).toEqual([10n]);
  expect(amounts(play, LIQUIDITY_PAY).slice(-2)).toEqual([35n, 165n]);
  play.run("/");
  expect(play.trades().slice(-1)).toEqual(["long-short 2@1000"]);
  expect([play.margin("short"), play.general("short")]).toEqual([1_015n, 0n]);
  expect([play.margin("long"), play.general("long")]).toEqual([1_704n, 8_313n]);
});

test("5.1 a party that trades with itself as an auction ends realises what it has lost on that volume", () => {
  const play = market(
    {
      logNormal: { lambda: 1e-6, tau: 0.00011407711613050422, r: 0.016, sigma: 2 },
      linearSlippage: "0.0001",
      quadraticSlippage: "0.0001",
      triggers: [
        { horizon: 3600, probability: 0.95, extension: 240 },
        { horizon: 7200, probability: 0.999, extension: 360 },
      ],
    },
    { parameters: { "market.auction.minimumDuration": "100s" } },
  );
  const { rig } = play;
  play.deposit(100_000_000_000n, "p1", "p2", "p3", "p4", "aux", "lp");
  play.run(
    "lp lp(90000000, 0.1, BID-100, ASK+100); aux B 1@1; aux S 1@200000; p3 S 1@100000 GFA; p4 B 1@100000 GFA",
  );
  rig.nextBlock(200);
  for (const price of [100_000, 95_878, 104_251]) play.run(`p1 S 1@${price}; /; p2 B 1@${price}; / 1`);
  play.run("p1 S 1@104252; p2 B 1@104252 =late; cancel late");
  const { marketTradingMode, openInterest } = rig.marketData("M");
  expect([marketTradingMode, Number(openInterest)]).toEqual([4, 4]);

  rig.nextBlock(240);
  play.run("p1 B 1@104252");
  expect(["p1", "p2"].map((party) => play.pnl(party))).toEqual(["-3/-12624/0", "3/12624/0"]);
  rig.nextBlock(3_600);
  expect(play.trades().slice(-1)).toEqual(["p1-p1 1@104252"]);
  expect(["p1", "p2", "p3", "p4"].map((party) => play.pnl(party))).toEqual([
    "-3/-8418/-4209",
    "3/12627/0",
    "-1/-4252/0",
    "1/4252/0",
  ]);
});
