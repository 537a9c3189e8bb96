// Margins of orders and positions: levels, slippage, top-ups and releases
// (docs/protocol/70-trading-positions.md#51-position-record to #55-close-out-of-distressed-parties;
// docs/protocol/70-trading-scenarios.md#s18-stopped-fok-releases-margin to #s20-exit-price-slippage). Notation of
// statements and results: rig.ts.
import { expect, test } from "bun:test";
import {
  entries,
  eventsFrom,
  FLAT,
  LN,
  ledger,
  M2,
  M3,
  M4,
  MILLIONS,
  market,
  money,
  move,
  trading,
  VOID,
} from "./sample-markets.ts";

const RICH = 10n ** 12n;

/** Margin factors: search level, initial margin, release level. */
const scaled = (search: number, initial: number, release: number) => ({
  parameters: {
    "market.margin.scalingFactors": JSON.stringify({
      search_level: search,
      initial_margin: initial,
      collateral_release: release,
    }),
  },
});

// docs/protocol/70-trading-positions.md#53-margin-levels
test("slippage is the cost of closing by the book, or its cap if that is less or the book is too thin", () => {
  const config = { ...M4, targetStake: { scaling: 1e-9 } };
  const short = (linearSlippage: string, quadraticSlippage: string) => {
    const play = market({ ...config, linearSlippage, quadraticSlippage }).deposit(RICH, "b", "s", "p");
    play.run("b B 10@14900; b B 1@15000; b B 1@15900; p S 1@15900; s S 1@100000; s S 10@100100");
    return play.open().levels("p");
  };
  expect(short("0.25", "0.25")).toBe("9540/10494/11448/13356");
  expect(short("100", "100")).toBe("85690/94259/102828/119966");
  const play = market({ ...config, linearSlippage: "0.25", quadraticSlippage: "0.25" });
  play.deposit(RICH, "b", "s", "long", "short", "x", "y");
  play.run("b B 10@496 =b1; b B 5@498; long B 10@500; short S 10@500; s S 5@502; s S 10@504 =s1").open();
  const levels = () => [play.levels("long"), play.levels("short")];
  const move = "x B 1@501; y S 1@501; x B 1@500; y S 1@500; /";
  expect(levels()).toEqual(["530/583/636/742", "530/583/636/742"]);
  expect(play.run(`cancel b1; ${move}`).levels("long")).toBe("14250/15675/17100/19950");
  expect(play.run(`cancel s1; ${move}`).levels("short")).toBe("14250/15675/17100/19950");
  play.run("x B 5@502; y S 5@498; /");
  expect(levels()).toEqual(["14193/15612/17031/19870", "14193/15612/17031/19870"]);
});

// docs/protocol/70-trading-positions.md#54-when-margin-moves
test("orders need the initial margin; orders that only reduce a position need no more than the position has", () => {
  const play = market(LN, scaled(1.5, 2, 3)).deposit(RICH, "a1", "a2", "lp");
  play.deposit(711n, "t1").deposit(712n, "t2").deposit(321n, "t3").deposit(40n, "t4");
  play.run("lp lp(100000, 0, BID-55, ASK+55); a2 B 5@5; a1 S 10@15; a2 B 10@10; a1 S 10@10").open();
  const refused = (line: string) => expect(play.run(line).last.text).toBe("margin check failed");
  const expectTaken = (line: string) => expect(play.run(line).last.text).toBe("");
  refused("t1 S 10@10");
  // For a person, beside the network's text.
  const balances = { available: 711n, margin: 0n, general: 711n, bond: 0n };
  expect(play.last.numbers).toMatchObject({ needed: 712n, ...balances, decimals: 0n });
  expectTaken("t2 S 1@10");
  play.deposit(1n, "t1");
  expectTaken("t1 S 10@10");
  expectTaken("t2 S 9@10");
  refused("t3 B 20@15 FOK");
  play.deposit(2n, "t3");
  expectTaken("t3 B 20@15 FOK");
  expect([money(play, "t1"), money(play, "t2"), money(play, "t3")]).toEqual([
    "712 0 0",
    "712 0 0",
    "322 1 0",
  ]);
  // The mark has come to 15 meanwhile; nobody has lost, and nobody can pay more.
  play.run("/");
  expect([play.levels("t1"), play.levels("t3"), money(play, "t3")]).toEqual([
    "406/609/812/1218",
    "321/481/642/963",
    "323 0 0",
  ]);
  play.run("t3 S 1@10; /; a2 B 2@10; /; t3 S 18@10; /");
  expect([play.pnl("t3"), play.levels("t3")]).toEqual(["18/0/0", "289/433/578/867"]);
  refused("t3 B 1@10; /");
  refused("t3 S 3@10; /");
  refused("t3 S 19 FOK; /");
  expectTaken("t3 S 1 FOK; /");
  expect([play.pnl("t3"), play.levels("t3")]).toEqual(["17/-85/-5", "137/205/274/411"]);
  expectTaken("t3 S 17 FOK; /");
  expect([play.pnl("t3"), play.levels("t3"), money(play, "t3")]).toEqual([
    "0/0/-142",
    "61/91/122/183",
    "181 0 0",
  ]);
  // An empty side has begun an auction, whose orders need the initial margin as well.
  expect(play.rig.marketData("M").trigger).toBe(6);
  refused("t4 S 1@10; /");
  play.deposit(32n, "t4");
  expectTaken("t4 S 1@10; /");
  expect([play.levels("t4"), money(play, "t4")]).toEqual(["36/54/72/108", "72 0 0"]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("a position that the book cannot close stays, and pays at each mark", () => {
  const config = { ...M2, linearSlippage: "0.535", quadraticSlippage: "0" };
  const play = market(config, scaled(3.2, 4, 5))
    .deposit(RICH, "sp", "bp", "aux", "aux2")
    .deposit(12_000n, "p");
  play.run("aux B 1@1; aux S 1@151; aux B 1@150; aux2 S 1@150").open();
  play.run("sp S 290@150; /; bp B 1@140 =b; /; p B 290@150; /");
  expect([money(play, "p"), play.levels("p")]).toEqual(["12000 0 0", "23273/74473/93092/116365"]);
  play.run("cancel b; bp B 1@40; /; sp S 1@120; /; bp B 1@120; /");
  expect([money(play, "p"), play.levels("p"), play.pnl("p"), play.insurance()]).toEqual([
    "3300 0 0",
    "18618/59577/74472/93090",
    "290/-8700/0",
    0n,
  ]);
});

// docs/protocol/70-trading-scenarios.md#s18-stopped-fok-releases-margin
test("a stopped order releases its margin", () => {
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

// docs/protocol/70-trading-scenarios.md#s19-amendcancel-releases-margin-empty-side--auction
test("amending and cancelling release margin; an empty side of the book begins an auction", () => {
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

// docs/protocol/70-trading-scenarios.md#s20-exit-price-slippage
test("slippage follows the exit price as the book changes", () => {
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

// docs/protocol/70-trading-positions.md#51-position-record
test("a position's event has the volumes of its orders, and their mean prices floored in asset units", () => {
  const play = trading(FLAT, { rich: "p q" }, { assets: { ETH: { decimals: 1 } } });
  const shown = () =>
    play.rig.events("positionStateEvent").findLast(({ payload }) => payload.partyId === "p")!.payload;
  play.run("p B 2@901; p B 1@900; p S 3@1101; p S 4@1100; /");
  expect(shown()).toMatchObject({
    ...{ size: 0n, potentialBuys: 3n, potentialSells: 7n },
    // 27020/3 and 77030/7
    ...{ vwBuyPrice: "9006", vwSellPrice: "11004" },
  });
  // (9010 + 9000)/2: of the buy at 901 one is left, and nothing to sell.
  play.run("q S 1@901; cancel all q; q B 3@1101; q B 4@1101; /");
  expect(shown()).toMatchObject({
    ...{ size: -6n, potentialBuys: 2n, potentialSells: 0n },
    ...{ vwBuyPrice: "9005", vwSellPrice: "0" },
  });
});

// docs/protocol/70-trading-positions.md#53-margin-levels
test("orders against a position need margin from the size at which they would turn it", () => {
  const play = trading(FLAT, { rich: "p s" }).run("s B 5@1000; p S 5@1000; /");
  const after = (size: number) => play.run(`p B ${size}@900`).levels("p");
  expect([after(3), after(2), after(1), after(14)]).toEqual([
    "500/550/600/700",
    "500/550/600/700",
    "600/660/720/840",
    "2000/2200/2400/2800",
  ]);
});

// docs/protocol/70-trading-positions.md#54-when-margin-moves
test.each([
  // 1200 and 10 for each unit of the move; levels are 1, 1.1, 1.2 and 1.4 times the mark.
  [989, "1090 110 0"],
  [988, "1185 5 0"],
  [1023, "1430 110 0"],
  [1024, "1228 322 0"],
])(
  "margin is topped up below the search level and released at the release level: mark price %d",
  (price, expected) => {
    const play = trading(FLAT, { rich: "s" }).deposit(1_310n, "p").run("s S 10@1000; p B 10@1000; /");
    expect(money(move(play, price), "p")).toBe(expected);
  },
);

// docs/protocol/70-trading-positions.md#54-when-margin-moves
test("an order made smaller is still checked for margin; cancelling one of two orders releases margin at the next mark", () => {
  const play = trading(FLAT, { rich: "s x" }).deposit(2_400n, "p");
  play.run("s S 10@1000; p B 10@1000; /; p B 10@800 =o; x B 10@700; x B 10@600 =second; cancel second");
  expect([play.margin("x"), play.margin("p")]).toEqual([2_400n, 2_400n]);
  move(play, 960);
  expect([play.margin("x"), play.margin("p")]).toEqual([1_152n, 2_000n]);
  play.run("amend o -1");
  expect([play.last.text, play.order("o").size]).toEqual(["margin check failed", 10n]);
  play.run("amend o -3");
  expect([play.last.text, play.levels("p"), play.margin("p")]).toEqual(["", "1632/1795/1958/2284", 2_000n]);
});

// docs/protocol/70-trading-positions.md#54-when-margin-moves
test("a flat party's margin is kept until its trades are settled only if it held a position at an earlier mark", () => {
  const play = trading(FLAT, { rich: "q" }).deposit(2_000n, "p", "late");
  play.run("/; q S 10@1010; p B 10@1010; /");
  const after = money(play, "p");
  play.rig.setParameter("network.markPriceUpdateMaximumFrequency", "1h");
  play.run("q B 20@1000; p S 10@1000; /; /");
  expect(money(play, "p")).toBe(after);
  // In and out between two marks: the loss of 50 comes with the next one, from the general account.
  play.run("cancel all q; q S 10@1005; late B 10@1005; q B 10@1000; late S 10@1000");
  expect(money(play, "late")).toBe("0 2000 0");
  play.rig.setParameter("network.markPriceUpdateMaximumFrequency", "0s");
  play.run("/");
  expect([money(play, "p"), money(play, "late")]).toEqual(["0 1900 0", "0 1950 0"]);
});

// docs/protocol/70-trading-positions.md#54-when-margin-moves
test("a flat newcomer's margin is released by its own order at once, or at the block's end", () => {
  const play = trading(FLAT, { rich: "q" }).deposit(2_000n, "p", "late");
  play.rig.setParameter("network.markPriceUpdateMaximumFrequency", "1h");
  play.run("/; q S 10@1000; p B 10@1000; p S 10@1005; q B 10@1005");
  expect([play.rig.position("p", "M")?.size, money(play, "p")]).toEqual([0n, "1200 800 0"]);
  expect(money(play.run("/"), "p")).toBe("0 2000 0");
  play.run("q S 10@1000; late B 10@1000; q B 10@1000; late S 10@1000");
  expect(money(play, "late")).toBe("0 2000 0");
});
