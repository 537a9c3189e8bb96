// Scenarios of fees, margins, close-outs, marks and settlement whose figures were worked out by hand from the reference (70,
// sections 4 to 6 and 9.5), to the unit, before the engine was asked.
import { expect, test } from "bun:test";
import type { Play } from "./rig.ts";
import {
  FLAT,
  feeFactors,
  feesOf,
  flows,
  M2,
  M4,
  MILLIONS,
  money,
  move,
  PROVIDED,
  shared,
  socialised,
  total,
  trading,
} from "./sample-markets.ts";

const NONE = { linearSlippage: "0", quadraticSlippage: "0" };
/** Trades more than 10 from the last price begin an auction of 5 seconds. */
const WATCHED = {
  ...FLAT,
  simple: { ...FLAT.simple, up: 10, down: -10 },
  triggers: [{ horizon: 60, probability: 0.95, extension: 5 }],
  targetStake: { scaling: 0.01 },
};
const withFees = (maker: string, infrastructure: string) => ({
  parameters: feeFactors(maker, infrastructure),
});
const every = (time: string) => ({ parameters: { "network.markPriceUpdateMaximumFrequency": time } });

/** Entries of the last event that has one of a type: `type party amount`. */
function entriesWith(play: Play, type: number): string[] {
  const all = play.rig
    .events("ledgerMovements")
    .map(({ payload }) => payload.ledgerMovements.flatMap(({ entries }: { entries: unknown[] }) => entries));
  return all
    .findLast((entries) => entries.some((entry: { type: number }) => entry.type === type))
    .map(
      // biome-ignore lint/suspicious/noExplicitAny: an event is looked at as it is
      ({ type: kind, fromAccount, toAccount, amount }: any) =>
        `${kind} ${fromAccount.owner ?? ""}>${toAccount.owner ?? ""} ${amount}`,
    );
}

test("4.2 one order that meets two makers: each part is rounded up by trade, sums are paid once", () => {
  const play = trading(FLAT, { rich: "t1 t2 t3" }, withFees("0.005", "0.002"));
  play.run("t1 B 3@1003; t2 B 4@1002; t3 S 7@1002");
  expect(entriesWith(play, 9)).toEqual([
    "9 t3> 16",
    "9 t3> 21",
    "11 t3> 16",
    "13 t3> 0",
    "10 >t1 16",
    "10 >t2 21",
  ]);
});

test("4.2 fees to the unit: the general account first, and the margin for the rest", () => {
  const buy = (funds: bigint) => {
    const play = trading(FLAT, { rich: "mm bp" }, withFees("0.1", "0.1")).deposit(funds, "p");
    return play.run("mm S 10@1000; bp B 20@990; p B 10@1000 =o");
  };
  const poor = buy(1_999n);
  expect([poor.order("o").reason, money(poor, "p")]).toEqual([21, "0 1999 0"]);
  const play = buy(2_000n);
  expect([money(play, "p"), flows(play, 9), flows(play, 11)]).toEqual([
    "0 0 0",
    ["p> 800", "p> 200"],
    ["p> 1000"],
  ]);
  // Its fees have taken its margin: it is closed out with nothing to pay those of that trade.
  play.run("/");
  expect(play.trades().slice(-2)).toEqual(["bp-network 10@990", "network-p 10@990"]);
  expect(feesOf(play, 2)).toEqual(["0/0/0 990/990/0", "0/0/0 990/990/0"]);
  expect([play.pnl("p"), shared(play), play.insurance()]).toEqual(["0/0/0", ["bp -100"], 0n]);
});

test("4.2 in a monitoring auction the seller pays first, and a party that trades with itself both halves", () => {
  const first = "lp lp(100000, 0.003, BID-1, ASK+1)";
  const play = trading(WATCHED, { first, rich: "lp a b" }, withFees("0.005", "0.0015"));
  play.run("a B 3@1020; b S 3@1020; / 6");
  expect(feesOf(play, 1)).toEqual(["0/3/5 0/3/5"]);
  expect(entriesWith(play, 11)).toEqual(["11 b> 3", "13 b> 5", "11 a> 3", "13 a> 5"]);
  const alone = trading(WATCHED, { first, rich: "lp a b" }, withFees("0.005", "0.0015"));
  alone.run("b S 3@1020 =s; a B 3@1020; cancel s; a S 3@1020; / 6");
  expect(alone.trades().slice(1)).toEqual(["a-a 3@1020"]);
  expect(entriesWith(alone, 11)).toEqual(["11 a> 3", "13 a> 5", "11 a> 3", "13 a> 5"]);
});

test("4.2 a party that an auction's fees leave without margin is closed out with its end", () => {
  const first = "lp lp(100000, 0, BID-1, ASK+1)";
  const play = trading(WATCHED, { first, rich: "lp b" }, withFees("0", "0.5")).deposit(367n, "a");
  play.run("b S 3@1020; a B 3@1020; / 6");
  expect(flows(play, 11)).toEqual(["b> 765", "a> 7", "a> 360"]);
  expect(play.trades().slice(1)).toEqual([
    "a-b 3@1020",
    "aux-network 1@500",
    "lp-network 2@499",
    "network-a 3@499",
  ]);
  expect(feesOf(play, 3)).toEqual(["0/0/0 0/250/0", "0/0/0 0/499/0", "0/0/0 0/749/0"]);
  expect([shared(play), play.insurance()]).toEqual([["aux -520", "lp -1042"], 0n]);
});

test("4.4 fees of a close-out are shared by size, each part rounded up", () => {
  const play = trading(FLAT, { rich: "w sp" }, withFees("0.01", "0.02"))
    .deposit(550n, "p")
    .deposit(1_150n, "q");
  play.run("sp S 20@1100; w B 10@1000; p S 3@1000; q S 7@1000; /");
  expect([money(play, "p"), money(play, "q")]).toEqual(["360 100 0", "840 100 0"]);
  move(play, 1080);
  expect(play.trades().slice(-3)).toEqual(["network-sp 10@1100", "p-network 3@1100", "q-network 7@1100"]);
  expect(feesOf(play, 3)).toEqual(["110/220/0 0/0/0", "33/66/0 0/0/0", "77/154/0 0/0/0"]);
  // 220 and 380 were left, before fees; 270 pay the 200 that the network loses against the mark.
  const told = play.rig
    .events("settleDistressed")
    .map(({ payload }) => `${payload.partyId} ${payload.margin}`);
  expect([told, flows(play, 8)]).toEqual([
    ["p 220", "q 380"],
    ["p> 121", "q> 149"],
  ]);
  expect([play.insurance(), play.pnl("p"), play.pnl("q")]).toEqual([70n, "0/0/-460", "0/0/-940"]);
  // Rewards count the fees of the trades before, and not these; the value of the close-out counts as that of the others.
  const { index, status } = play.rig.market("M");
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

/** A long of ten and a short of four whose closing has become too dear at once: 6 are sold. */
const bothSides = (fees: readonly [string, string], long: bigint, short: bigint): Play => {
  const config = { ...M4, linearSlippage: "0.5", quadraticSlippage: "0" };
  const play = trading(config, { rich: "sp bp s w" }, withFees(...fees))
    .deposit(long, "p")
    .deposit(short, "q");
  play.run("bp B 100@999 =b; sp S 100@1001 =s; s S 10@1000; p B 10@1000; w B 4@1000; q S 4@1000; /");
  return move(play.run("cancel b; cancel s; bp B 6@950"), 999);
};

test("5.5 of close-outs of both sides the network trades the difference, all at its average", () => {
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
  expect(feesOf(paid, 3)).toEqual(["0/0/0 57/114/0", "0/0/0 41/82/0", "17/33/0 0/0/0"]);
  expect([paid.insurance(), paid.rig.systemBalance("ETH", 7, "M")]).toEqual([1_207n, 1n]);
});

test("5.5 close-outs that cancel out trade nothing", () => {
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

test("5.1 the event of a position has its orders' volumes, and their mean prices in asset units, floored", () => {
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

test("5.3 orders against a position count in full from where they would turn it", () => {
  const play = trading(FLAT, { rich: "p s" }).run("s B 5@1000; p S 5@1000; /");
  const after = (size: number) => play.run(`p B ${size}@900`).levels("p");
  expect([after(3), after(2), after(1), after(14)]).toEqual([
    "500/550/600/700",
    "500/550/600/700",
    "600/660/720/840",
    "2000/2200/2400/2800",
  ]);
});

test.each([
  // 1200 and 10 for each unit of the move; levels are 1, 1.1, 1.2 and 1.4 times the mark.
  [989, "1090 110 0"],
  [988, "1185 5 0"],
  [1023, "1430 110 0"],
  [1024, "1228 322 0"],
])("5.4 margin moves below the search level and from the release level on: %d", (price, expected) => {
  const play = trading(FLAT, { rich: "s" }).deposit(1_310n, "p").run("s S 10@1000; p B 10@1000; /");
  expect(money(move(play, price), "p")).toBe(expected);
});

test("5.4 an order that is made smaller is measured, too; margin of one of two orders waits for a mark", () => {
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

test("5.4 a flat party's margin waits for the trades of a position that was settled before, and for no others", () => {
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

test("5.4 a newcomer's own order brings its margin back at once, another's with the block's end", () => {
  const play = trading(FLAT, { rich: "q" }).deposit(2_000n, "p", "late");
  play.rig.setParameter("network.markPriceUpdateMaximumFrequency", "1h");
  play.run("/; q S 10@1000; p B 10@1000; p S 10@1005; q B 10@1005");
  expect([play.rig.position("p", "M")?.size, money(play, "p")]).toEqual([0n, "1200 800 0"]);
  expect(money(play.run("/"), "p")).toBe("0 2000 0");
  play.run("q S 10@1000; late B 10@1000; q B 10@1000; late S 10@1000");
  expect(money(play, "late")).toBe("0 2000 0");
});

test("5.5 at the maintenance margin a position stays, a unit below it is closed out", () => {
  const after = (funds: bigint) => {
    const play = trading(FLAT, { rich: "s bp" }).deposit(funds, "p");
    return move(play.run("bp B 100@850; s S 10@1000; p B 10@1000; /"), 900);
  };
  expect(money(after(1_900n), "p")).toBe("900 0 0");
  const play = after(1_899n);
  expect(play.trades().slice(-2)).toEqual(["bp-network 10@850", "network-p 10@850"]);
  expect([play.pnl("p"), play.insurance()]).toEqual(["0/0/-1899", 399n]);
});

test("5.5 without its orders a party must have more than the maintenance margin to be safe", () => {
  const after = (funds: bigint) => {
    const play = trading(FLAT, { rich: "s bp" }).deposit(funds, "p");
    return move(play.run("s S 10@1000; p B 10@1000; /; p B 10@800 =o; bp B 20@700"), 844);
  };
  // 844 is the maintenance margin of the position.
  const safe = after(2_405n);
  expect([safe.pnl("p"), safe.order("o").status, money(safe, "p")]).toEqual(["10/-1560/0", 4, "845 0 0"]);
  expect(after(2_404n).pnl("p")).toBe("0/0/-2404");
});

test("5.5 parties that no book can take are told once, and told to be safe with the next one that is not", () => {
  const play = trading(FLAT, { rich: "w" }).deposit(1_300n, "p").deposit(1_900n, "q");
  const told = () =>
    play.rig
      .events("distressedPositions")
      .map(({ payload }) => [payload.distressedParties, payload.safeParties]);
  play.run("w S 10@1000; p B 10@1000; w S 10@1000; q B 10@1000; /");
  // 700 and 1300 are left for a maintenance margin of 940, and there is a bid for 1.
  move(play, 940);
  expect(told()).toEqual([[["p"], []]]);
  move(play, 941);
  expect(told()).toHaveLength(1);
  play.deposit(10_000n, "p");
  // 800 for 890
  move(play, 890);
  expect(told().slice(1)).toEqual([[["q"], ["p"]]]);
  expect(["p", "q"].map((party) => play.rig.position(party, "M")!.size)).toEqual([10n, 10n]);
});

test("5.5 orders stop from the lowest buy up and from the highest sell down; bids of a distressed party are no volume", () => {
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

test("5.5 who takes a close-out is closed out in turn, and the network keeps what it wins", () => {
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

test("5.5 a close-out over two levels: its average is floored, what the network cannot pay is shared", () => {
  const play = trading(FLAT, { rich: "s b1 b2" }).deposit(360n, "p");
  play.rig.fundInsurance("M", 25n);
  move(play.run("s S 3@1000; p B 3@1000; /; b1 B 1@870; b2 B 2@865"), 880);
  expect(play.trades().slice(-3)).toEqual(["b1-network 1@870", "b2-network 2@865", "network-p 3@866"]);
  // 25 of 40: floor(6.25), floor(18.75), and one more for the last.
  expect([shared(play), play.insurance(), play.pnl("p")]).toEqual([["b1 -4", "b2 -11"], 0n, "0/0/-360"]);
});

test("5.5 the average of a close-out is floored in asset units, and what is shown of it in market units", () => {
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

test("5.6 of two losers the first has the insurance, whichever that is", () => {
  const opened = () => {
    const play = trading(FLAT, { rich: "s bp" }).deposit(1_200n, "a", "b");
    play.run("s S 20@1000; b B 10@1000; a B 10@1000; /");
    play.rig.fundInsurance("M", 500n);
    return play;
  };
  // The first to have a position; 3100 of 4200 are there for 200 and 4000.
  const marked = move(opened().run("bp B 100@700"), 800);
  expect(shared(marked)).toEqual(["b 300", "a 800", "aux2 -53", "s -1047", "bp -2000"]);
  expect([marked.pnl("b"), marked.pnl("a")]).toEqual(["0/0/-1700", "0/0/-1200"]);
  // By id at the settlement.
  const settled = opened();
  settled.rig.terminate();
  settled.rig.settle(800);
  expect([socialised(settled), flows(settled, 2)]).toEqual([
    ["a 300", "b 800", "aux2 -53", "s -1047"],
    [">aux2 147", ">s 2953"],
  ]);
});

test("6.1 a mark that is due without trades puts the next one off; a change of the time shifts it", () => {
  const traded = (play: Play) => play.run("q S 1@1200; p B 1@1200");
  const late = traded(trading(FLAT, { rich: "p q" }, every("5s")).run("/; /; /; /; /; /"));
  expect(late.run("/; /; /; /").mark()).toBe(1000n);
  expect(late.run("/").mark()).toBe(1200n);
  const sooner = traded(trading(FLAT, { rich: "p q" }, every("10s")));
  sooner.rig.setParameter("network.markPriceUpdateMaximumFrequency", "4s");
  expect(sooner.run("/; /; /; /").mark()).toBe(1000n);
  expect(sooner.run("/").mark()).toBe(1200n);
});

test("6.1 an auction that is left without trades marks the last one", () => {
  const first = "lp l(100000, 0, BID-1, ASK+1)";
  const play = trading(PROVIDED, { first, rich: "p q l" }, every("1h"));
  play.run("q S 1@1200; p B 1@1200; cancel ask; / 2; / 2");
  expect([play.mark(), play.rig.marketData("M").marketTradingMode]).toEqual([1000n, 4]);
  play.run("aux2 S 1@2000; / 2; / 2");
  expect([play.mark(), play.rig.marketData("M").marketTradingMode]).toEqual([1200n, 1]);
  expect(flows(play, 4)).toEqual(["aux2> 200"]);
});

test.each([
  [0n, ["104", "313", "522", "211"], ["p1 500", "aux -46", "w1 -137", "w2 -228", "w3 -89"]],
  [300n, ["131", "395", "659", "265"], ["p1 200", "aux -19", "w1 -55", "w2 -91", "w3 -35"]],
] as const)(
  "6.3 four winners share what is there, the last one the units left over: insurance %p",
  (insurance, wins, losses) => {
    const play = trading({ ...M2, ...NONE }, { first: "", rich: "w1 w2 w3" }).deposit(1_000n, "p1");
    play.rig.fundInsurance("M", insurance);
    move(play.run("p1 S 10@1000; w1 B 3@1000; w2 B 5@1000; w3 B 2@1000; /"), 1150);
    expect(flows(play, 5).map((line) => line.split(" ")[1]!)).toEqual([...wins]);
    expect([socialised(play), play.pnl("p1")]).toEqual([[...losses], `-10/-1500/${500n - insurance}`]);
  },
);

test("6.2 a mark's event has the trades since the last one, each with its price in asset and in market units", () => {
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

test("6.3 a ratio that was rounded up makes no money: the last winner has less", () => {
  const unit = 10n ** 18n;
  const config = { ...M2, ...NONE };
  const options = { assets: { ETH: { decimals: 18 } } };
  const play = trading(config, { first: "", rich: "w1 w2 w3", funds: 10n ** 30n }, options);
  play.deposit(1_000n * unit, "p1").run("p1 S 10@1000; w1 B 3@1000; w2 B 5@1000; w3 B 2@1000; /");
  const before = total(play);
  move(play, 1150);
  expect(flows(play, 5)).toEqual([
    ">aux 104545454545454550000",
    ">w1 313636363636363650000",
    ">w2 522727272727272750000",
    ">w3 209090909090909050000",
  ]);
  expect(total(play)).toBe(before);
});

test.each([
  [3, 98_765n, 123_500n],
  [8, 9_876_543_219n, 123_457n],
  [0, 98n, 200_000n],
])(
  "6.5 a settlement price with %d decimals, an asset with five and a market with two",
  (settlementDecimals, data, loss) => {
    const opening = { bid: 5000, ask: 20000, mark: 10000, funds: 10n ** 12n };
    const options = { assets: { ETH: { decimals: 5 } } };
    const play = trading({ ...FLAT, decimals: 2, settlementDecimals }, opening, options);
    play.deposit(2_000_000n, "p", "q").run("p B 1@10000; q S 1@10000; /");
    play.rig.terminate();
    play.rig.settle(data);
    expect([play.general("p"), play.general("q")]).toEqual([2_000_000n - loss, 2_000_000n + loss]);
  },
);

test("6.5 five decimals of positions, from the trade to the settlement: money is cut, rows are rounded", () => {
  const config = { ...FLAT, positionDecimals: 5, settlementDecimals: 1 };
  const play = trading(config, { funds: 10n ** 12n }, { assets: { ETH: { decimals: 5 } } });
  play.deposit(MILLIONS, "p", "q").run("q S 12345@1003; p B 12345@1003; /");
  expect(move(play, 1010).pnl("p")).toBe("12345/86415/0");
  play.rig.terminate();
  play.rig.settle(10_205);
  // 86415 and 129622.5
  expect([play.general("p") - MILLIONS, play.general("q") - MILLIONS]).toEqual([216_037n, -216_037n]);
  expect([play.pnl("p"), play.pnl("q")]).toEqual(["0/0/216038", "0/0/-216038"]);
});

test("6.5 the end of trading marks and closes out; a unit that rounding leaves goes to the treasury", () => {
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

test("6.5 settlement stops the orders on the book by their ids, then those that are parked by theirs", () => {
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

test("9.5 rows of a market with decimals: settled ones by size, pending ones mixed", () => {
  const play = trading(
    { ...FLAT, positionDecimals: 1 },
    { rich: "p q" },
    { assets: { ETH: { decimals: 1 } } },
  );
  const step = (line: string) => play.run(line).pnl("p");
  expect(step("q S 50@1000; p B 50@1000; /; q B 5@1005; p S 5@1005; /")).toBe("45/225/25");
  expect(step("q B 5@995; p S 5@995; /")).toBe("40/-200/0");
  expect(step("q B 60@1009; p S 60@1009; /")).toBe("-20/0/360");
  expect(step("q B 10@1000; p S 10@1000; /")).toBe("-30/180/360");
  const whole = trading(FLAT, { rich: "p q" }, { assets: { ETH: { decimals: 1 } } });
  whole.run("q S 50@1000; p B 50@1000; /; q B 5@1005; p S 5@1005");
  // 1005 of the market against 10000 of the asset, until the next mark.
  expect(whole.pnl("p")).toBe("45/-404775/-44975");
  expect(whole.run("/").pnl("p")).toBe("45/2250/250");
});
