// Marks, close-outs and last settlements over many blocks: money, positions and profits as a network has shown them (reference
// 70, sections 5.5, 6 and 8.1).
import { expect, test } from "bun:test";
import { createMarketRig, idOf, type MarketRigOptions, Play, type RigMarket } from "./rig.ts";
import { flows, M2, M3, MILLIONS, market, money, shared, total } from "./sample-markets.ts";

/** Factors of 0.3369 for long and 0.4879 for short positions. */
const RISKY = { logNormal: { lambda: 0.001, tau: 0.01, sigma: 1.2 }, quadraticSlippage: "0" };
const RICH = 1_000_000_000_000n;
const INTO_INSURANCE = 8;
const FROM_INSURANCE = 4;

const factors = (search_level: number, initial_margin: number, collateral_release: number) => ({
  "market.margin.scalingFactors": JSON.stringify({ search_level, initial_margin, collateral_release }),
});
const WIDE = factors(1.2, 1.5, 2);

const pnls = (play: Play, ...parties: string[]): string[] => parties.map((party) => play.pnl(party));
const monies = (play: Play, ...parties: string[]): string[] => parties.map((party) => money(play, party));

/** A wide book with a provision, and a mark of 150. */
function wide(config: Omit<RigMarket, "asset">, options: MarketRigOptions = {}): Play {
  const play = market({ ...RISKY, ...config }, options).deposit(RICH, "s", "b", "a", "c", "lp");
  return play.run("lp lp(9000, 0.1, BID-100, ASK+100); a B 10@1; a S 10@2000; a B 1@150; c S 1@150").open();
}

test("4.4 5.5 a close-out's fee comes from the margin, and what the network gains stays until the market ends", () => {
  const play = wide({ linearSlippage: "0.74667" }, { parameters: WIDE }).deposit(22_000n, "p");
  play.run("s S 290@150; /; b B 1@140 =far; /; p B 290@150; /");
  // A fee of a tenth was paid; the rest of what p has is far below its maintenance margin, and the book too thin.
  expect([play.levels("p"), money(play, "p")]).toEqual(["47134/56560/70701/94268", "17650 0 0"]);
  play.run("cancel far; b B 290@120; /; s S 1@140; /; b B 1@140; /");
  expect(play.trades().slice(-3)).toEqual(["b-s 1@140", "b-network 290@120", "network-p 290@120"]);
  expect(flows(play, 13).slice(-1)).toEqual(["p> 3480"]);
  expect(flows(play, INTO_INSURANCE)).toEqual(["p> 11270"]);
  expect(flows(play, FROM_INSURANCE).at(-1)).toBe("> 5800");
  expect(play.insurance()).toBe(5470n);
  expect(pnls(play, "p", "s", "b", "a", "c")).toEqual([
    "0/0/-17650",
    "-291/2900/0",
    "291/5800/0",
    "1/-10/0",
    "-1/10/0",
  ]);
  expect(monies(play, "s", "b", "a", "c")).toEqual([
    "83564 999999919336 0",
    "66216 999999939570 0",
    "1088 999999998902 0",
    "289 999999999721 0",
  ]);
  play.run("a S 1@120; /; c B 1@120; /");
  expect(monies(play, "s", "b", "c")).toEqual([
    "64666 999999944054 0",
    "60396 999999939570 0",
    "0 1000000000018 0",
  ]);
  expect(pnls(play, "s", "b", "a", "c")).toEqual(["-291/8720/0", "291/-20/0", "0/0/-30", "0/0/30"]);
  play.rig.terminate();
  play.rig.settle(80);
  expect([play.insurance(), play.rig.systemBalance("ETH", 12)]).toEqual([0n, 5470n]);
});

test("5.5 a party that trades beyond its margin is closed out at the next mark, and has lost all it had", () => {
  const play = wide({ linearSlippage: "0.74667" }, { parameters: WIDE }).deposit(22_000n, "p");
  play.run("s S 290@150; /; b B 100@140; /; p B 290@150; /");
  expect([play.levels("p"), money(play, "p"), play.insurance()]).toEqual(["0/0/0/0", "0 0 0", 0n]);
  expect(pnls(play, "p", "s")).toEqual(["0/0/-17650", "-290/0/0"]);
});

test("5.5 8.1 the network trades beyond the bounds of prices without an auction; its winner has what there is", () => {
  const play = wide(
    {
      linearSlippage: "1",
      triggers: [{ horizon: 3_600, probability: 0.99999999, extension: 300 }],
    },
    { parameters: { ...WIDE, "network.markPriceUpdateMaximumFrequency": "4s" } },
  ).deposit(21_981n, "p");
  // The only price that a buy of the provision can have.
  expect(play.deployed("lp")).toEqual(["buy 9000@1", "sell 5@2001"]);
  play.run("s S 290@150; b B 1@140 =far; p B 290@150; /");
  expect([play.levels("p"), money(play, "p")]).toEqual(["14654/17584/21981/29308", "17631 0 0"]);
  play.run("/ 4");
  expect(play.levels("p")).toBe("58154/69784/87231/116308");
  play.run("cancel far; b B 290@20; s S 1@140; b B 1@140; / 6");
  expect(play.trades().slice(-2)).toEqual(["b-network 290@20", "network-p 290@20"]);
  const { marketTradingMode, priceMonitoringBounds, targetStake, openInterest } = play.rig.marketData("M");
  expect([marketTradingMode, targetStake, openInterest]).toEqual([1, "397516", 292n]);
  expect(priceMonitoringBounds[0]).toMatchObject({ minValidPrice: "140", maxValidPrice: "161" });
  expect(flows(play, INTO_INSURANCE)).toEqual(["p> 14151"]);
  expect(flows(play, FROM_INSURANCE).at(-1)).toBe("> 14151");
  expect([play.insurance(), ...pnls(play, "p", "b")]).toEqual([0n, "0/0/-17631", "291/34800/-20649"]);
});

test("5.5 6.5 a position that no book can take keeps what is left of its margin, and has it back at the end", () => {
  const play = market(
    { ...M2, linearSlippage: "0.9145", quadraticSlippage: "0" },
    { parameters: factors(3.2, 4, 5) },
  ).deposit(RICH, "s", "b", "a", "c");
  play.deposit(11_600n, "p").run("a B 10@1; a S 10@2000; a B 1@150; c S 1@150").open();
  play.run("s S 290@150; /; b B 1@140 =far; /; p B 290@150; /");
  expect([play.levels("p"), money(play, "p")]).toEqual(["39781/127299/159124/198905", "11600 0 0"]);
  play.run("cancel far; b B 1@40; /; s S 1@120; /; b B 1@120; /");
  expect([play.levels("p"), money(play, "p")]).toEqual(["31825/101840/127300/159125", "2900 0 0"]);
  expect(monies(play, "s", "b", "a", "c")).toEqual([
    "127740 999999880960 0",
    "320 999999999680 0",
    "320 999999999650 0",
    "440 999999999590 0",
  ]);
  play.rig.terminate();
  play.rig.settle(120);
  expect(pnls(play, "p", "s", "b", "a")).toEqual(["0/0/-8700", "0/0/8700", "0/0/0", "0/0/-30"]);
  expect([money(play, "p"), play.insurance()]).toEqual(["0 2900 0", 0n]);
});

test("6.2 who comes and goes between two marks has the gain of it with the next one", () => {
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

test("6.3 two losers at once: their winners share what is missing, or the insurance has just enough", () => {
  const after = (insurance: bigint) => {
    const play = market(M2).deposit(MILLIONS, "sp", "bp", "a", "c");
    play.rig.fundInsurance("M", insurance);
    play.deposit(2_000n, "p1").deposit(3_000n, "p3").deposit(10_000n, "p2", "p4");
    play.run(
      "sp S 1000@120 =s; bp B 1000@80 =b; a S 1@120 =as; c B 1@80 =cb; a B 10@100 GFA; c S 10@100 GFA",
    );
    play.open().run("p1 S 30@100; /; p2 B 30@100; /; p3 S 60@100; /; p2 B 60@100; /; p3 S 10@100; /");
    play.run("p4 B 10@100; /; cancel s; cancel b; sp S 1000@300; /; bp B 1000@80; /; cancel as; cancel cb");
    const before = total(play);
    play.run("p2 B 10@180; /; p4 S 10@180; /");
    expect([play.insurance(), total(play)]).toEqual([0n, before]);
    return play;
  };
  expect(pnls(after(0n), "p1", "p2", "p3", "p4")).toEqual([
    "0/0/-2000",
    "100/7200/-2455",
    "0/0/-3000",
    "0/0/528",
  ]);
  const covered = after(3_000n);
  expect(pnls(covered, "p1", "p2", "p3", "p4")).toEqual(["0/0/-2400", "100/7200/0", "0/0/-5600", "0/0/800"]);
  // The network cannot pay for the close-outs: their taker goes without its win.
  expect(shared(covered)).toEqual(["sp -12000"]);
});

test("6.5 8.1 settled beyond the bounds, by data of fewer decimals; insurance goes to what is left in equal parts", () => {
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
