// Close-outs: who is closed out, what the network trades, pays and tells
// (docs/protocol/70-trading-orders.md#44-close-out-fees and
// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties). Notation of statements and results:
// rig.ts.
import { expect, test } from "bun:test";
import { OrderType } from "../../../src/wire/generated/vega.ts";
import type { MarketRigOptions, Play, RigMarket } from "./rig.ts";
import {
  entries,
  eventsFrom,
  FLAT,
  feeFactors,
  feesOf,
  flows,
  ledger,
  M2,
  M4,
  MILLIONS,
  market,
  money,
  move,
  opened,
  shared,
  socialised,
  trading,
} from "./sample-markets.ts";

const withFees = (maker: string, infrastructure: string) => ({
  parameters: feeFactors(maker, infrastructure),
});

/** A long of ten and a short of four whose closing has become too dear at once: 6 are sold. */
const bothSides = (fees: readonly [string, string], long: bigint, short: bigint): Play => {
  const config = { ...M4, linearSlippage: "0.5", quadraticSlippage: "0" };
  const play = trading(config, { rich: "sp bp s w" }, withFees(...fees))
    .deposit(long, "p")
    .deposit(short, "q");
  play.run("bp B 100@999 =b; sp S 100@1001 =s; s S 10@1000; p B 10@1000; w B 4@1000; q S 4@1000; /");
  return move(play.run("cancel b; cancel s; bp B 6@950"), 999);
};

// docs/protocol/70-trading-orders.md#44-close-out-fees
test("fees of a close-out are split by size, each part rounded up", () => {
  const play = trading(FLAT, { rich: "w sp" }, withFees("0.01", "0.02"))
    .deposit(550n, "p")
    .deposit(1_150n, "q");
  play.run("sp S 20@1100; w B 10@1000; p S 3@1000; q S 7@1000; /");
  expect([money(play, "p"), money(play, "q")]).toEqual(["360 100 0", "840 100 0"]);
  move(play, 1080);
  expect(play.trades().slice(-3)).toEqual(["network-sp 10@1100", "p-network 3@1100", "q-network 7@1100"]);
  expect(feesOf(play, 3)).toEqual(["110/220/0 0/0/0", "33/66/0 none", "77/154/0 none"]);
  // 220 and 380 were left, before fees; 270 pay the 200 that the network loses against the mark.
  const closed = play.rig
    .events("settleDistressed")
    .map(({ payload }) => `${payload.partyId} ${payload.margin}`);
  expect([closed, flows(play, 8)]).toEqual([
    ["p 220", "q 380"],
    ["p> 121", "q> 149"],
  ]);
  expect([play.insurance(), play.pnl("p"), play.pnl("q")]).toEqual([70n, "0/0/-460", "0/0/-940"]);
  // Rewards count the fees of the trades before, and not these; the value of the close-out counts as that of the others.
  const { index, status } = play.rig.market("M").context;
  const noted = ["p", "q", "sp"].map((party) => {
    const { makerPaid = 0n, makerReceived = 0n } = index.activities.get(party) ?? {};
    return [makerPaid, makerReceived];
  });
  expect(noted).toEqual([
    [30n, 0n],
    [70n, 0n],
    [0n, 0n],
  ]);
  expect(status.tradedValue).toBe(1_000n + 10_000n + 1_080n + 11_000n);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("when longs and shorts are closed out at once, the network trades the difference and all get its average price", () => {
  const play = bothSides(["0", "0"], 1_200n, 480n);
  expect(play.trades().slice(-3)).toEqual(["bp-network 6@950", "network-p 10@950", "q-network 4@950"]);
  expect([play.insurance(), play.pnl("p"), play.pnl("q"), play.rig.marketData("M").openInterest]).toEqual([
    1_380n,
    "0/0/-1200",
    "0/0/-480",
    12n,
  ]);
  // With fees: 57 and 114 for the 6, by 10 and 4 of 14. A unit too many is left with the maker's.
  const paid = bothSides(["0.01", "0.02"], 1_500n, 600n);
  expect(feesOf(paid, 3)).toEqual(["none 57/114/0", "none 41/82/0", "17/33/0 none"]);
  expect([paid.insurance(), paid.rig.systemBalance("ETH", 7, "M")]).toEqual([1_207n, 1n]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("close-outs of equal longs and shorts need no trade with the book", () => {
  const config = { ...M4, linearSlippage: "0.5", quadraticSlippage: "0" };
  const play = trading(config, { rich: "sp bp" }).deposit(1_200n, "p", "q");
  play.run("bp B 100@999 =b; sp S 100@1001 =s; p B 10@1000; q S 10@1000; /; cancel b; cancel s");
  const before = play.trades().length;
  // Without a trade of their own and at the same mark they have nothing to settle, and their margins wait (6.2, steps 1 and 8).
  move(play, 1000);
  expect([play.insurance(), play.pnl("p"), play.pnl("q")]).toEqual([0n, "10/0/0", "-10/0/0"]);
  move(play, 1001);
  expect(play.trades()).toHaveLength(before + 2);
  expect([play.insurance(), play.pnl("p"), play.pnl("q")]).toEqual([2_400n, "0/0/-1200", "0/0/-1200"]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("a position is closed out one unit below its maintenance margin, not at it", () => {
  const after = (funds: bigint) => {
    const play = trading(FLAT, { rich: "s bp" }).deposit(funds, "p");
    return move(play.run("bp B 100@850; s S 10@1000; p B 10@1000; /"), 900);
  };
  expect(money(after(1_900n), "p")).toBe("900 0 0");
  const play = after(1_899n);
  expect(play.trades().slice(-2)).toEqual(["bp-network 10@850", "network-p 10@850"]);
  expect([play.pnl("p"), play.insurance()]).toEqual(["0/0/-1899", 399n]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("once its orders are stopped, a party is safe only with more than its maintenance margin", () => {
  const after = (funds: bigint) => {
    const play = trading(FLAT, { rich: "s bp" }).deposit(funds, "p");
    return move(play.run("s S 10@1000; p B 10@1000; /; p B 10@800 =o; bp B 20@700"), 844);
  };
  // 844 is the maintenance margin of the position.
  const safe = after(2_405n);
  expect([safe.pnl("p"), safe.order("o").status, money(safe, "p")]).toEqual(["10/-1560/0", 4, "845 0 0"]);
  expect(after(2_404n).pnl("p")).toBe("0/0/-2404");
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("parties too large for the book are reported distressed once, and reported safe with the next report", () => {
  const play = trading(FLAT, { rich: "w" }).deposit(1_300n, "p").deposit(1_900n, "q");
  const distressed = () =>
    play.rig
      .events("distressedPositions")
      .map(({ payload }) => [payload.distressedParties, payload.safeParties]);
  play.run("w S 10@1000; p B 10@1000; w S 10@1000; q B 10@1000; /");
  // 700 and 1300 are left for a maintenance margin of 940, and there is a bid for 1.
  move(play, 940);
  expect(distressed()).toEqual([[["p"], []]]);
  move(play, 941);
  expect(distressed()).toHaveLength(1);
  play.deposit(10_000n, "p");
  // 800 for 890
  move(play, 890);
  expect(distressed().slice(1)).toEqual([[["q"], ["p"]]]);
  expect(["p", "q"].map((party) => play.rig.position(party, "M")!.size)).toEqual([10n, 10n]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("orders of a distressed party stop from the worst price, and its bids do not count as volume", () => {
  const play = trading(FLAT, { rich: "s" }).deposit(4_800n, "p").deposit(1_200n, "q");
  play.run("s S 20@1000; p B 10@1000; q B 10@1000; /; p B 10@700 =a; p B 10@710 =b; p B 10@700 =c");
  play.run("p S 1@1200 =d; p S 1@1300 =e; p S 1@1200 =f");
  const before = play.rig.events("order").length;
  move(play, 720);
  const names = new Map([...play.ids].map(([name, id]) => [id, name]));
  const stopped = play.rig.events("order").slice(before);
  expect(stopped.flatMap(({ payload }) => (payload.status === 4 ? [names.get(payload.id)] : []))).toEqual([
    "a",
    "c",
    "b",
    "e",
    "d",
    "f",
  ]);
  expect(play.rig.events("distressedOrders").at(-1)!.payload.parties).toEqual(["p"]);
  expect(play.rig.events("distressedPositions").at(-1)!.payload.distressedParties).toEqual(["q"]);
  expect(play.rig.position("q", "M")!.size).toBe(10n);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("a party that takes a close-out can be closed out in turn, and the network keeps its gain", () => {
  const play = trading(FLAT, { rich: "s bq" }).deposit(1_200n, "p", "bp");
  play.run("s S 10@1000; p B 10@1000; /; aux2 S 1@900; aux B 1@900; bp B 10@950; bq B 20@890; /");
  expect(play.trades().slice(-4)).toEqual([
    "bp-network 10@950",
    "network-p 10@950",
    "bq-network 10@890",
    "network-bp 10@890",
  ]);
  // 200 and 700 confiscated, 500 won, 100 lost.
  expect([play.insurance(), socialised(play)]).toEqual([1_300n, []]);
  expect([play.pnl("p"), play.pnl("bp"), play.pnl("bq")]).toEqual(["0/0/-1200", "0/0/-1200", "10/100/0"]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("the average price of a close-out is floored, and winners share what the network cannot pay", () => {
  const play = trading(FLAT, { rich: "s b1 b2" }).deposit(360n, "p");
  play.rig.fundInsurance("M", 25n);
  move(play.run("s S 3@1000; p B 3@1000; /; b1 B 1@870; b2 B 2@865"), 880);
  expect(play.trades().slice(-3)).toEqual(["b1-network 1@870", "b2-network 2@865", "network-p 3@866"]);
  // 25 of 40: floor(6.25), floor(18.75), and one more for the last.
  expect([shared(play), play.insurance(), play.pnl("p")]).toEqual([["b1 -4", "b2 -11"], 0n, "0/0/-360"]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("the average price of a close-out is floored in asset units, and emitted in market units", () => {
  const play = trading(FLAT, { rich: "s b1 b2" }, { assets: { ETH: { decimals: 1 } } }).deposit(3_600n, "p");
  play.rig.fundInsurance("M", 250n);
  move(play.run("s S 3@1000; p B 3@1000; /; b1 B 1@870; b2 B 2@865"), 880);
  // 26000/3 is 8666.
  expect(play.trades().slice(-1)).toEqual(["network-p 3@866"]);
  const own = play.rig.events("order").findLast(({ payload }) => payload.reference === "distressed-p")!;
  expect(own.payload).toMatchObject({ partyId: "p", price: "866", size: 3n, remaining: 0n, status: 5 });
  // 250 of 400: floor(62.5), floor(187.5), and one more for the last.
  expect(shared(play)).toEqual(["b1 -38", "b2 -112"]);
});

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

// docs/protocol/70-trading-orders.md#44-close-out-fees and
// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("fees of a close-out come from the margin, and the network's gain stays in the insurance pool", () => {
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

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("a party that trades beyond its margin is closed out at the next mark and loses all its money", () => {
  const play = wide({ linearSlippage: "0.74667" }, { parameters: WIDE }).deposit(22_000n, "p");
  play.run("s S 290@150; /; b B 100@140; /; p B 290@150; /");
  // The levels that found it in distress come after those of 0.
  expect([play.levels("p"), money(play, "p"), play.insurance()]).toEqual([
    "36694/44032/55041/73388",
    "0 0 0",
    0n,
  ]);
  expect(pnls(play, "p", "s")).toEqual(["0/0/-17650", "-290/0/0"]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties and
// docs/protocol/70-trading-liquidity.md#81-price-monitoring
test("the network trades beyond price bounds without an auction, and the winner gets what is there", () => {
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

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties and #65-final-settlement
test("a position that no book can take keeps the rest of its margin until settlement returns it", () => {
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

const MARGIN_HIGH = 7;
const place = (play: Play): number => play.rig.events().length;

/** p is in distress with a short of five, of which the book has one for sale; q has a long of one, which 850 is too low for. */
function marked(): Play {
  const play = trading().deposit(650n, "p").deposit(130n, "q");
  play.run("p S 5@1000; aux B 5@1000; q B 1@1000; aux S 1@1000; /");
  move(play, 1090);
  expect(play.rig.shownPosition("p", "M")!.positionStatus).toBe(4);
  return play;
}

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("a successful close-out reports parties that are safe again before the network's order", () => {
  const play = marked();
  const from = place(play);
  move(play, 850);
  expect(play.trades().slice(-2)).toEqual(["aux-network 1@500", "network-q 1@500"]);
  const distressEvents = eventsFrom(play, from, "distressedPositions", "order", "settleDistressed").filter(
    ({ member, payload }) => member !== "order" || payload.reference === "LS",
  );
  expect(distressEvents.map(({ member }) => member)).toEqual([
    "distressedPositions",
    "order",
    "settleDistressed",
  ]);
  expect(distressEvents[0]!.payload).toMatchObject({ distressedParties: [], safeParties: ["p"] });
  expect(play.rig.position("p", "M")!.isDistressed).toBe(false);
  expect(play.rig.shownPosition("p", "M")!.positionStatus).toBe(0);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("orders of the network and of the closed-out party have version 0", () => {
  const play = move(marked(), 850);
  const shown = play.rig.events("order").filter(({ payload }) => payload.type === OrderType.TYPE_NETWORK);
  expect(shown.map(({ payload }) => `${payload.partyId} ${payload.reference} ${payload.version}`)).toEqual([
    "network LS 0",
    "q distressed-q 0",
    "network close-out distressed 0",
  ]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("the update after a close-out deploys provisions again, and the outer update sorts their orders by id", () => {
  const play = opened().deposit(MILLIONS, "k", "lp2").deposit(62n, "q");
  play.run("k B 1@60; k S 1@140; lp lp2(1000, 0, BID-10, ASK+10); p1 B 2@91; cancel b; /");
  const buys = () => play.queue("buy").filter((line) => line.startsWith("lp"));
  expect(buys()).toEqual(["lp2 13@81", "lp 13@81"]);
  play.run("x S 5@100; q B 5@100; /");
  expect(play.trades().slice(-3)).toEqual(["p1-network 2@91", "lp2-network 3@81", "network-q 5@85"]);
  // The inner run makes their orders again, by party; the outer one finds nothing to change and puts them back by id.
  const [a, b] = ["lp", "lp2"].map((party) => play.rig.provision(party, "M")!.buys[0]!.orderId);
  expect(a! > b!).toBe(true);
  expect(buys()).toEqual(["lp2 20@50", "lp 20@50"]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("a close-out at the end of trading rechecks margins as any other", () => {
  const after = (end: (play: Play) => void) => {
    const play = opened().deposit(62n, "q").run("z B 1@60; p1 B 5@91; cancel b; /; x S 5@100; q B 5@100");
    const from = entries(play);
    end(play);
    expect(play.trades().slice(-2)).toEqual(["p1-network 5@91", "network-q 5@91"]);
    return [play.levels("p1"), money(play, "p1"), ...ledger(play, from, MARGIN_HIGH)];
  };
  // Of p1's six z would buy one at 60, and the provision the others at 50: 49 below the mark on the average.
  const closed = ["354/389/424/495", "424 99999621 0", "p1 M>p1 G 41"];
  const terminated = (play: Play) => {
    play.rig.terminate();
    // Levels come with the next command, also one that is refused.
    play.run("x B 1@1");
  };
  expect(after(terminated)).toEqual(closed);
  expect(after((play) => play.run("/"))).toEqual(closed);
});
