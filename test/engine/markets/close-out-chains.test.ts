// Close-outs followed from end to end, where several rules meet
// (docs/protocol/70-trading-orders.md#27-pegged-orders-brief, #35-indicative-price-and-uncrossing,
// docs/protocol/70-trading-positions.md#53-margin-levels to #55-close-out-of-distressed-parties, #62-mtm-run and
// docs/protocol/70-trading-liquidity.md#73-order-sizes-and-prices;
// docs/protocol/70-trading-scenarios.md#s10-mtm-with-insurance-pool-and-close-out, #s14-full-close-out-chain and
// #s15-close-out-with-fees). Notation of statements and results: rig.ts.
import { expect, test } from "bun:test";
import { AccountType } from "../../../src/wire/generated/vega.ts";
import type { Play } from "./rig.ts";
import {
  amounts,
  entries,
  feesOf,
  LIQUIDITY_PAY,
  LN,
  ledger,
  M3,
  M4,
  MD,
  MILLIONS,
  market,
  money,
  socialised,
  states,
  total,
} from "./sample-markets.ts";

const RICH = 1_000_000_000_000n;

const scaling = (search: number, initial: number, release: number) => ({
  "market.margin.scalingFactors": JSON.stringify({
    search_level: search,
    initial_margin: initial,
    collateral_release: release,
  }),
});

const WIDE = { parameters: scaling(1.5, 2, 3) };

/** A block's end and a tick at the same time: the mark follows. */
const mark = (play: Play): Play => {
  play.rig.nextBlock(0);
  return play;
};

const modeOf = (play: Play) => {
  const { marketTradingMode, trigger, markPrice } = play.rig.marketData("M");
  return `${marketTradingMode} ${trigger} ${markPrice}`;
};

/** Bids 5@5, asks 10@1000, a mark of 10; the provision's orders are 55 ticks away from the best. */
const thin = (config: Parameters<typeof market>[0], parties: Readonly<Record<string, bigint>>): Play => {
  const play = market(config, WIDE).deposit(RICH, "a", "b", "lp");
  for (const [party, funds] of Object.entries(parties)) play.deposit(funds, party);
  play.run("lp lp(100000, 0.001, BID-55, ASK+55)");
  return play.run("b B 5@5; a S 10@1000; b B 10@10; a S 10@10").open();
};

/** A provider that is short of one, and sells 111 more far below the mark: the asks are all its own. */
function soldOut(linear: string, quadratic: string, funds: bigint): Play {
  const triggers = [{ horizon: 72_000_000, probability: 0.99, extension: 3 }];
  const config = { ...LN, decimals: 3, triggers, linearSlippage: linear, quadraticSlippage: quadratic };
  const play = market(config, { ...WIDE, assets: { ETH: { decimals: 3 } } });
  play.deposit(10_000_000_000_000n, "a", "c").deposit(funds, "lp");
  play.run("lp lp(150000, 0.001, BID-20, ASK+20)");
  play.run("a B 1@49; lp S 1@350; a B 1@350; lp S 1@2000; lp S 1@3000").open();
  expect(play.levels("lp")).toBe("1449759/2174638/2899518/4349277");
  expect(play.deployed("lp")).toEqual(["buy 5173@29", "sell 74@2020"]);
  return mark(mark(play.run("a B 111@50")).run("lp S 111@50"));
}

/** Decimals of money 5; bounds around a price of 10 are 8 and 13. */
const coarse = (config: Partial<Parameters<typeof market>[0]>): Play => {
  const triggers = [{ horizon: 360_000, probability: 0.99, extension: 300 }];
  const fees = { "market.fee.factors.makerFee": "0.004", "market.fee.factors.infrastructureFee": "0.001" };
  const options = { assets: { ETH: { decimals: 5 } }, parameters: fees };
  const target = { targetStake: { windowSeconds: 86_400, scaling: 1 }, triggeringRatio: "0.1" };
  return market({ ...LN, triggers, ...target, ...config }, options).deposit(MILLIONS, "p", "q", "r");
};

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("a party whose bid takes a close-out can be closed out itself in the same block", () => {
  const play = mark(thin(M4, { p: 2_000n, q: 100n }).run("p B 50@50"));
  expect([play.levels("p"), money(play, "p")]).toEqual(["50/75/100/150", "100 1900 0"]);
  play.run("q B 50@100; a S 50@100; b B 50@10; /");
  expect(play.trades()).toEqual([
    "b-a 10@10",
    "q-a 50@100",
    "p-network 50@50",
    "network-q 50@50",
    "b-network 50@10",
    "network-p 50@10",
  ]);
  // The prices of close-outs are not the mark.
  expect([modeOf(play), play.pnl("p"), play.pnl("q")]).toEqual(["1 0 100", "0/0/-2000", "0/0/-100"]);
  expect([money(play, "a"), money(play, "b")]).toEqual(["114320 999999884775 0", "13180 999999989816 0"]);
  expect(play.deployed("lp")).toEqual(["buy 100000@1", "sell 100@1005"]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("two parties in distress at once: one has orders only, the other takes the last bids with it", () => {
  const play = mark(thin(LN, { p: 2_000n, q: 162n }).run("p B 40@50"));
  expect([play.levels("p"), play.levels("lp")]).toEqual([
    "321/481/642/963",
    "800729/1201093/1601458/2402187",
  ]);
  mark(play.run("q B 10@100"));
  expect([play.deployed("lp"), money(play, "q")]).toEqual([["buy 2223@45", "sell 95@1055"], "162 0 0"]);
  mark(play.run("b S 10@100"));
  expect(play.trades().slice(1)).toEqual(["q-b 10@100", "b-network 5@5", "lp-network 5@1", "network-q 10@3"]);
  expect(["p", "q", "b", "lp"].map((party) => play.pnl(party))).toEqual([
    "0/0/0",
    "0/0/-162",
    "5/475/503",
    "5/495/-413",
  ]);
  expect(["p", "q"].map((party) => play.rig.shownPosition(party, "M")!.positionStatus)).toEqual([1, 2]);
  expect([money(play, "p"), modeOf(play), play.insurance()]).toEqual(["0 2000 0", "4 6 100", 0n]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("a short that a price auction leaves without margin is closed out in the tick that ends it", () => {
  const triggers = [
    { horizon: 5, probability: 0.95, extension: 6 },
    { horizon: 10, probability: 0.99, extension: 8 },
  ];
  const play = thin({ ...LN, triggers }, { p: 1_027n });
  mark(mark(play.run("b B 1@10")).run("p S 1@10"));
  expect([play.levels("p"), money(play, "p")]).toEqual(["1026/1539/2052/3078", "1026 0 0"]);
  play.run("a S 10@40; b B 10@40; / 14");
  expect([modeOf(play), play.pnl("p")]).toEqual(["4 3 10", "-1/0/0"]);
  play.run("/");
  expect([modeOf(play), play.pnl("p"), money(play, "p")]).toEqual(["1 0 40", "0/0/-1026", "0 0 0"]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("a party that the opening auction leaves without margin is closed out, and pays the liquidity fee of that trade", () => {
  const play = market({ ...M4, linearSlippage: "0.1", quadraticSlippage: "0.1" });
  play.deposit(MILLIONS, "q", "r", "s", "t", "u", "lp").deposit(20_000n, "p");
  play.run("t B 1@1000; u S 1@11000; p B 5@10000 GFA; q S 5@10000 GFA; p B 5@10000 GFA; r S 5@10001 GFA");
  play.run("p B 4@3000 GFA; s S 3@3000 GFA; lp lp(160000, 0.01, MID-100, MID+100)");
  expect([play.levels("p"), money(play, "p")]).toEqual(["11200/12320/13440/15680", "13440 6560 0"]);
  play.open();
  expect(play.trades()).toEqual([
    "p-s 3@10000",
    "p-q 2@10000",
    "p-q 3@10000",
    "lp-network 8@5900",
    "network-p 8@5900",
  ]);
  expect([play.pnl("p"), play.pnl("lp"), socialised(play)]).toEqual([
    "0/0/-20000",
    "8/32800/-13272",
    ["lp -13272"],
  ]);
  expect([money(play, "p"), money(play, "lp"), play.insurance()]).toEqual([
    "0 0 0",
    "82560 99776968 160000",
    0n,
  ]);
});

// docs/protocol/70-trading-positions.md#53-margin-levels
test.each([
  ["1000000", "1000000", "632800019919/949200029878/1265600039838/1898400059757"],
  ["1", "100", "62745519/94118278/125491038/188236557"],
  ["10", "1000", "627275919/940913878/1254551838/1881827757"],
])(
  "slippage factors %s and %s cap the margin of a position that no book can close: its provision ends, the position stays",
  (linear, quadratic, levels) => {
    const play = soldOut(linear, quadratic, 3_100_000n);
    expect([play.levels("lp"), money(play, "lp")]).toEqual([levels, "3100294 0 0"]);
    expect([play.queue("buy"), play.queue("sell")]).toEqual([["a 1@49"], []]);
    expect([modeOf(play), play.rig.marketData("M").targetStake]).toEqual(["4 6 50", "199186"]);
  },
);

// docs/protocol/70-trading-positions.md#53-margin-levels
test("an ask at any price does not raise slippage beyond its cap", () => {
  const play = soldOut("100", "1", 21_700_000n);
  const held = ["1220635/1830952/2441270/3661905", "2441270 19109024 0"];
  expect([play.levels("lp"), `${play.margin("lp")} ${play.general("lp")} 0`]).toEqual(held);
  mark(play.run("c S 120@45000000000"));
  expect([play.levels("lp"), `${play.margin("lp")} ${play.general("lp")} 0`]).toEqual(held);
  expect([money(play, "c"), modeOf(play), play.bond("lp")]).toEqual([
    "42684 9999999957316 0",
    "1 0 50",
    150_000n,
  ]);
});

// docs/protocol/70-trading-orders.md#27-pegged-orders-brief
test("pegged orders that cannot be paid for when an auction ends are cancelled for good", () => {
  const play = market(M4).deposit(MILLIONS, "p", "q", "r", "s", "lp").deposit(1n, "t");
  play.run("s B 100000 BID-1 =a; s B 100000 MID-1 =b; t S 100000 ASK+1 =c; t S 100000 MID+1 =d");
  play.run("r B 1@900; s S 1@1100; p B 5@1000; q S 5@1000 GFA; lp lp(90000, 0.1, MID-100, MID+100)").open();
  const cancelled = ["3 100000 1101", "3 100000 1001"];
  expect(states(play, "a", "b", "c", "d")).toEqual(["1 100000 899", "1 100000 999", ...cancelled]);
  expect(play.deployed("lp")).toEqual(["buy 100@900", "sell 82@1100"]);
  mark(play.run("r S 1@1000"));
  expect(states(play, "a", "b", "c", "d")).toEqual(["1 100000 899", "1 100000 949", ...cancelled]);
  expect(play.deployed("lp")).toEqual(["buy 106@850", "sell 86@1050"]);
});

// docs/protocol/70-trading-positions.md#62-mtm-run
test("position decimals of minus one: marks, fees and margins of trades in tens", () => {
  const play = coarse({ decimals: 5, positionDecimals: -1, lpPriceRange: "0.99" }).deposit(5_000_000n, "lp");
  play.run("lp lp(35569, 0.001, BID-20, ASK+20); lp S 1481@13; lp B 1206@8");
  play.run("p B 5@8; p B 1@9; p B 10@10; q S 10@10; q S 1@10; q S 5@11").open();
  // Its own orders are all that it owes.
  expect([play.deployed("lp"), money(play, "lp")]).toEqual([[], "632133 4332298 35569"]);
  expect([money(play, "p"), money(play, "q")]).toEqual(["1778 99998222 0", "7042 99992958 0"]);
  expect([play.levels("p"), play.levels("q")]).toEqual(["1482/1630/1778/2074", "5792/6371/6950/8108"]);
  mark(play.run("r S 1@9"));
  expect([play.pnl("p"), play.pnl("q"), play.pnl("r")]).toEqual(["11/-100/0", "-10/100/0", "-1/0/0"]);
  expect([money(play, "p"), money(play, "q")]).toEqual(["1678 99998223 0", "7142 99992958 0"]);
  expect(play.levels("lp")).toBe("474100/521510/568920/663740");
  mark(play.run("r S 1@8"));
  expect([play.pnl("p"), play.pnl("q"), play.pnl("r"), play.pnl("lp")]).toEqual([
    "11/-210/0",
    "-10/200/0",
    "-2/10/0",
    "1/0/0",
  ]);
  expect([money(play, "p"), money(play, "q"), money(play, "lp")]).toEqual([
    "1230 99998561 0",
    "5823 99994377 0",
    "505706 4458726 35569",
  ]);
  expect(play.rig.marketData("M")).toMatchObject({ targetStake: "3414", openInterest: 12n });
});

// docs/protocol/70-trading-liquidity.md#73-order-sizes-and-prices
test("provision orders next to the middle of a spread of one tick never trade when they are repriced", () => {
  const config = { decimals: 2, positionDecimals: -2, lpPriceRange: "0.000001" };
  const play = coarse(config).deposit(1_005_000_000n, "lp").run("lp lp(40000000, 0.001, MID-1, MID+1)");
  play.run("p B 5@8; p B 1@9; p B 10@10; q S 10@10; q S 1@10; q S 5@11").open();
  const volumes = () =>
    (["sell", "buy"] as const).map((side) =>
      play.rig.book("M", side).map(({ price, volume }) => `${volume}@${price}`),
    );
  expect(volumes()).toEqual([
    ["40@10", "5@11"],
    ["46@9", "5@8"],
  ]);
  mark(play.run("r S 1@9"));
  expect(volumes()).toEqual([
    ["41@10", "5@11"],
    ["45@9", "5@8"],
  ]);
  mark(play.run("r B 1@10"));
  expect(volumes()).toEqual([
    ["39@10", "5@11"],
    ["40@10", "5@8"],
  ]);
  expect([modeOf(play), play.trades().length]).toEqual(["1 0 10", 3]);
});

// docs/protocol/70-trading-scenarios.md#s14-full-close-out-chain
test("a close-out from the order that causes it to the losses that winners share", () => {
  const play = market(MD)
    .deposit(1_000_000n, "sp", "bp", "party1", "party2")
    .deposit(240_000n, "guy")
    .deposit(100_000n, "aux");
  play.deposit(1_000_000n, "lp");
  play
    .run(
      "aux B 1@1; aux S 1@10001; lp lp(90000, 0.1, BID-100, ASK+100); party1 B 1@100 GFA; party2 S 1@100 GFA",
    )
    .open();
  expect([play.general("lp"), play.bond("lp"), play.deployed("lp")]).toEqual([1_000_000n, 0n, []]);
  play.run("sp S 200@10000; /; bp B 200@1; /");
  expect(play.levels("sp")).toBe("2000/2200/2400/2800");
  const before = play.trades().length;
  const place = entries(play);
  play.run("guy B 100@10000; /");
  expect(play.trades(before)).toEqual([
    "guy-sp 100@10000",
    "aux-network 1@1",
    "bp-network 99@1",
    "network-guy 100@1",
  ]);
  expect(play.transfers(6).filter(({ amount, from }) => from === "guy" && amount === 237_600n).length).toBe(
    1,
  );
  expect(play.transfers(8)).toEqual([{ from: "guy", to: undefined, amount: 240_000n }]);
  expect(
    play
      .transfers(5)
      .slice(-2)
      .map(({ to, amount }) => [to, amount]),
  ).toEqual([
    ["aux", 2399n],
    ["bp", 237_601n],
  ]);
  expect(ledger(play, place).filter((line) => /^(guy|I|S|party2 M>S)\b/.test(line))).toEqual([
    "guy G>guy M 2400",
    "party2 M>S 9900",
    "S>party1 M 9900",
    "guy G>guy M 237600",
    "guy M>I 240000",
    "I>S 240000",
    "S>aux M 2399",
    "S>bp M 237601",
  ]);
  expect(socialised(play)).toEqual(["aux -7600", "bp -752300"]);
  expect([play.margin("guy"), play.general("guy")]).toEqual([0n, 0n]);
  expect([play.margin("sp"), play.general("sp")]).toEqual([240_000n, 760_000n]);
  expect(play.insurance()).toBe(0n);
  expect(total(play)).toBe(5_340_000n);
  expect(play.rig.position("bp", "M")!.isDistressed).toBe(true);
  expect(play.pnl("guy")).toBe("0/0/-240000");
  expect(play.rig.shownPosition("bp", "M")?.positionStatus).toBe(4);
});

// docs/protocol/70-trading-scenarios.md#s15-close-out-with-fees
test("a close-out of a party that has nothing left for its fees", () => {
  const play = market(M4, {
    parameters: {
      "market.fee.factors.makerFee": "0.00025",
      "market.fee.factors.infrastructureFee": "0.0005",
    },
  })
    .deposit(500_000n, "tt_4")
    .deposit(100n, "tt_5")
    .deposit(10_000_000n, "tt_10", "tt_11");
  play.deposit(MILLIONS, "tt_6", "ta", "tb", "lp");
  play.run("lp lp(90000, 0.1, MID-100, MID+100); ta B 1@1; ta S 1@200; tb B 1@100; ta S 1@100").open();
  for (const order of [
    "tt_10 B 5@100 GTT",
    "tt_11 S 5@100 GTT",
    "tt_4 B 2@150",
    "tt_4 B 2@150",
    "tt_5 B 2@150",
    "tt_6 S 2@150",
    "tt_5 B 2@150",
    "tt_6 S 2@150",
    "tt_10 B 25@100",
  ])
    play.run(order).run("/");
  const trades = play.trades().length;
  const fees = amounts(play, LIQUIDITY_PAY).length;
  const place = entries(play);
  play.run("tt_11 S 25 FOK");
  expect(feesOf(play, 3)).toEqual(["0/0/0 1/1/30", "0/0/0 1/1/30", "0/0/0 1/2/210"]);
  expect(ledger(play, place).filter((line) => line.includes("F"))).toEqual([
    "tt_11 G>FM 1",
    "tt_11 G>FM 1",
    "tt_11 G>FM 1",
    "tt_11 G>FI 4",
    "tt_11 G>FL 270",
    "FM>tt_5 G 1",
    "FM>tt_5 G 1",
    "FM>tt_10 G 1",
  ]);
  expect(play.trades(trades)).toEqual(["tt_5-tt_11 2@150", "tt_5-tt_11 2@150", "tt_10-tt_11 21@100"]);
  expect(amounts(play, LIQUIDITY_PAY).slice(fees)).toEqual([270n]);
  play.run("/");
  // Of 200; nothing is left for the fees of the close-out.
  expect(ledger(play).filter((line) => /^tt_5 .>(S|I|F.) /.test(line))).toEqual([
    "tt_5 M>S 72",
    "tt_5 G>S 30",
  ]);
  expect(socialised(play)[0]).toBe("tt_5 98");
  expect(play.mark()).toBe(100n);
  expect(play.trades(trades + 3)).toEqual(["tt_10-network 4@100", "network-tt_5 4@100"]);
  expect([play.margin("tt_5"), play.general("tt_5"), play.insurance()]).toEqual([0n, 0n, 0n]);
  expect(["tt_4", "tt_5", "tt_6", "tt_10", "tt_11"].map((party) => play.pnl(party))).toEqual([
    "4/-200/0",
    "0/0/-102",
    "-4/200/-28",
    "30/0/0",
    "-30/200/-63",
  ]);
});

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

// docs/protocol/70-trading-scenarios.md#s10-mtm-with-insurance-pool-and-close-out
test("a close-out of a short with an insurance pool", () => {
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
