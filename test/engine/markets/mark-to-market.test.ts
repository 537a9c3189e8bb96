// Mark to market: when the mark price moves, what it settles, and what its events show
// (docs/protocol/70-trading-positions.md#61-mark-price and #62-mtm-run; docs/protocol/70-trading-scenarios.md#s7-mtm).
// Notation of statements and results: rig.ts.
import { expect, test } from "bun:test";
import type { Play } from "./rig.ts";
import {
  entries,
  FLAT,
  flows,
  ledger,
  M3,
  MILLIONS,
  market,
  money,
  move,
  opened,
  PROVIDED,
  trading,
  VOID,
} from "./sample-markets.ts";

/** Losses and wins of marks. */
const MARKS = [4, 5];

// docs/protocol/70-trading-scenarios.md#s7-mtm
test("a mark to market pays gains and losses, and updates margins", () => {
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
  // By docs/protocol/70-trading-liquidity.md#82-liquidity-monitoring it follows the trade: 1000 × 2 × 0.11 × 10. The
  // scenario's 1100 is that of the row's first block.
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

const every = (time: string) => ({ parameters: { "network.markPriceUpdateMaximumFrequency": time } });

// docs/protocol/70-trading-positions.md#61-mark-price
test("a mark due without trades postpones the next one, and a changed frequency moves it", () => {
  const traded = (play: Play) => play.run("q S 1@1200; p B 1@1200");
  const late = traded(trading(FLAT, { rich: "p q" }, every("5s")).run("/; /; /; /; /; /"));
  expect(late.run("/; /; /; /").mark()).toBe(1000n);
  expect(late.run("/").mark()).toBe(1200n);
  const sooner = traded(trading(FLAT, { rich: "p q" }, every("10s")));
  sooner.rig.setParameter("network.markPriceUpdateMaximumFrequency", "4s");
  expect(sooner.run("/; /; /; /").mark()).toBe(1000n);
  expect(sooner.run("/").mark()).toBe(1200n);
});

// docs/protocol/70-trading-positions.md#61-mark-price
test("an auction that ends without trades marks to the last trade before it", () => {
  const first = "lp l(100000, 0, BID-1, ASK+1)";
  const play = trading(PROVIDED, { first, rich: "p q l" }, every("1h"));
  play.run("q S 1@1200; p B 1@1200; cancel ask; / 2; / 2");
  expect([play.mark(), play.rig.marketData("M").marketTradingMode]).toEqual([1000n, 4]);
  play.run("aux2 S 1@2000; / 2; / 2");
  expect([play.mark(), play.rig.marketData("M").marketTradingMode]).toEqual([1200n, 1]);
  expect(flows(play, 4)).toEqual(["aux2> 200"]);
});

// docs/protocol/70-trading-positions.md#62-mtm-run
test("a settlement event lists the trades since the last mark, with prices in asset and in market units", () => {
  const play = trading(
    { ...FLAT, positionDecimals: 1 },
    { rich: "p q" },
    { assets: { ETH: { decimals: 1 } } },
  );
  const settled = (party: string) =>
    play.rig.events("settlePosition").findLast(({ payload }) => payload.partyId === party)!.payload;
  play.run("q S 5@1003; p B 5@1003; q B 2@1001; p S 2@1001; /");
  const trades = [
    { size: 5n, price: "10030", marketPrice: "1003" },
    { size: -2n, price: "10010", marketPrice: "1001" },
  ];
  expect(settled("p")).toMatchObject({ price: "10010", tradeSettlements: trades, positionFactor: "10" });
  expect(settled("q").tradeSettlements.map(({ size }: { size: bigint }) => size)).toEqual([-5n, 2n]);
  // Positions without a trade are shown, too.
  expect(settled("aux")).toMatchObject({ price: "10010", tradeSettlements: [] });
  move(play, 1004);
  expect(settled("p")).toMatchObject({ price: "10040", tradeSettlements: [] });
});

/** Factors of 0.3369 for long and 0.4879 for short positions. */
const RISKY = { logNormal: { lambda: 0.001, tau: 0.01, sigma: 1.2 }, quadraticSlippage: "0" };
const RICH = 1_000_000_000_000n;

const factors = (search_level: number, initial_margin: number, collateral_release: number) => ({
  "market.margin.scalingFactors": JSON.stringify({ search_level, initial_margin, collateral_release }),
});

const WIDE = factors(1.2, 1.5, 2);
const pnls = (play: Play, ...parties: string[]): string[] => parties.map((party) => play.pnl(party));
const monies = (play: Play, ...parties: string[]): string[] => parties.map((party) => money(play, party));

// docs/protocol/70-trading-positions.md#62-mtm-run
test("a party that trades in and out between two marks gets its gain at the next one", () => {
  const play = market(
    { ...RISKY, linearSlippage: "1", lpPriceRange: "2" },
    { parameters: { ...WIDE, "network.markPriceUpdateMaximumFrequency": "10s" } },
  ).deposit(RICH, "a", "c", "lp");
  play.deposit(1_000_000n, "b", "s", "p", "q");
  play.run("lp lp(9000, 0.0, BID-100, ASK+100); a B 10@1; c S 10@2000; a B 1@150; c S 1@150").open();
  play.run("/; b B 6@90; /; b B 9@95; /; b B 5@100; /; p S 11@90 FOK; /; q S 9@87 FOK");
  expect(play.trades(1)).toEqual(["b-p 5@100", "b-p 6@95", "b-q 3@95", "b-q 6@90"]);
  expect([play.levels("p"), play.levels("q"), play.mark()]).toEqual([
    "805/966/1207/1610",
    "659/790/988/1318",
    150n,
  ]);
  play.run("/; s S 8@90; s S 7@85; s S 6@80; /; p B 11@90 FOK");
  expect(play.trades(5)).toEqual(["p-s 6@80", "p-s 5@85"]);
  expect(monies(play, "p", "q")).toEqual(["0 1000000 0", "988 999012 0"]);
  play.run("/ 5");
  expect([...monies(play, "p", "q"), play.mark()]).toEqual(["0 1000165 0", "601 999459 0", 85n]);
  expect(pnls(play, "p", "q")).toEqual(["0/0/165", "-9/60/0"]);
  play.run("q B 9@90 FOK; / 9");
  expect(play.trades(7)).toEqual(["q-s 2@85", "q-s 7@90"]);
  expect(monies(play, "p", "q", "b", "s")).toEqual([
    "0 1000165 0",
    "0 1000025 0",
    "3479 996426 0",
    "2674 997231 0",
  ]);
  expect(pnls(play, "p", "q", "b", "s")).toEqual(["0/0/165", "0/0/25", "20/-95/0", "-20/-95/0"]);
});

const MTM_LOSS = 4;
const MTM_WIN = 5;

/** Entries of a type, also those that moved nothing. */
const moved = (play: Play, type: number): string[] =>
  play.transfers(type).map(({ from, to, amount }) => `${from ?? ""}>${to ?? ""} ${amount}`);

// docs/protocol/70-trading-positions.md#62-mtm-run
test("a gain of 0 makes no transfer in a mark to market", () => {
  // At the opening all are seen for the first time, lp with orders alone, and x is with the trade at 110.
  const play = opened().run("x B 1@50; /");
  expect(moved(play, MTM_WIN)).toEqual([]);
  play.run("y B 1@110; /");
  expect([moved(play, MTM_LOSS), moved(play, MTM_WIN)]).toEqual([["p2> 10"], [">p1 10"]]);
});

// docs/protocol/70-trading-positions.md#51-position-record
test("a party that trades with itself as an auction ends realises its loss on that volume", () => {
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
