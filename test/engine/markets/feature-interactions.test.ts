// Several features of markets at once. Expected values are worked out by hand from docs/protocol/70-*.md.
// Notation of statements and results: rig.ts.
import { expect, test } from "bun:test";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { amendmentOf, createMarketRig, idOf, orderOf, Play, type RigOrder } from "./rig.ts";
import {
  BOUND,
  bounds,
  eventsFrom,
  FLAT,
  feeFactors,
  feesOf,
  flows,
  MILLIONS,
  market,
  money,
  move,
  opened,
  PROVIDED,
  quoted,
  shared,
  showLevels,
  states,
  total,
  trading,
} from "./sample-markets.ts";

/** Margins by risk alone, and trades more than 10 from the reference begin an auction of 5 seconds. */
const WATCHED = { ...BOUND, linearSlippage: "0", quadraticSlippage: "0" };
const data = (play: Play) => play.rig.marketData("M");
const submission = (side: "buy" | "sell", size: number, price?: number, more?: RigOrder) =>
  orderOf("M", side, size, price, more).payload as never;
const bondPenalty = { parameters: { "market.liquidity.bondPenaltyParameter": "0.5" } };

test("an amendment in a batch begins an auction, whose rules hold for the rest of the batch", () => {
  const play = opened(WATCHED);
  play.run("x B 5@95 =a; x B 3@94 =c; x B 2 BID-2 =peg; z S 5@115; y B 1@93 GFN =gfn; /");
  const t = play.rig.nowNs;
  const { code, text } = play.rig.batch("x", {
    cancellations: [{ orderId: play.ids.get("a")!, marketId: idOf("M") }],
    amendments: [
      amendmentOf("M", play.ids.get("c")!, { sizeDelta: 9, price: 115 }),
      amendmentOf("M", play.ids.get("peg")!, { sizeDelta: 1, peg: { offset: "3" } }),
    ],
    submissions: [
      submission("buy", 1, 120, { timeInForce: 3 }),
      submission("sell", 4, 112),
      submission("buy", 1, 94, { timeInForce: 6 }),
      submission("buy", 1, undefined, { peg: { reference: 2, offset: "1" } }),
      submission("sell", 1, 130, { timeInForce: 5 }),
      submission("buy", 1, 115, { postOnly: true }),
    ],
  });
  expect([code, text]).toEqual([
    71,
    "3 (ioc order received during auction trading), 5 (gfn order received during auction trading)",
  ]);
  expect(states(play, "a", "c", "peg", "gfn")).toEqual(["3 5 95", "1 12 115", "8 3 0", "3 1 93"]);
  // 13 trade at 112 and at 115, which is post-only's price, too.
  expect(data(play)).toMatchObject({
    marketTradingMode: 4,
    trigger: 3,
    auctionEnd: t + 5n * SECOND_NS,
    indicativePrice: "113",
    indicativeVolume: 13n,
    openInterest: 1n,
  });
  play.run("/ 6");
  expect(play.trades(1)).toEqual(["x-p2 10@113", "x-x 2@113", "x-x 1@113"]);
  expect(data(play)).toMatchObject({ markPrice: "113", openInterest: 11n, bestStaticOfferPrice: "112" });
  expect(states(play, "peg")).toEqual(["1 3 87"]);
  expect(play.queue("sell").slice(0, 2)).toEqual(["x 1@112", "z 5@115"]);
  expect(play.rig.position("x", "M")).toMatchObject({ size: 10n, buy: 4n, sell: 1n });
});

test("a pegged order can be amended in the block in which an expiry repriced it", () => {
  const play = opened(FLAT);
  play.run("y B 1@95 GTT+2; x B 5 BID-3 =a");
  expect([states(play, "a")[0], play.margin("x")]).toEqual(["1 5 92", 60n]);
  play.run("/ 2");
  expect(states(play, "a")).toEqual(["1 5 87"]);
  play.run("amend a +2 BID-4");
  expect([states(play, "a")[0], play.levels("x"), play.margin("x")]).toEqual(["1 7 86", "70/77/84/98", 84n]);
  expect(play.margin("y")).toBe(12n);
  play.run("/");
  expect(play.margin("y")).toBe(0n);
  expect(play.queue("buy")).toEqual(["p1 10@90", "x 7@86", "lp 13@80"]);
});

test("a pegged order parked by an empty side returns when its own reference moves", () => {
  const play = opened({ ...FLAT, targetStake: { scaling: 0.00001 } });
  play.run("x B 5 BID-3 =bid; x S 2 ASK+1 =ask; x B 1 MID-2 =mid");
  const seen = play.rig.events().length;
  // The best bid goes and comes back within a transaction.
  play.rig.batch("p1", {
    cancellations: [{ orderId: play.ids.get("b")!, marketId: idOf("M") }],
    submissions: [submission("buy", 10, 90)],
  });
  expect(play.last.code).toBe(0);
  expect(states(play, "bid", "ask", "mid")).toEqual(["1 5 87", "8 2 0", "1 1 98"]);
  expect(play.deployed("lp")).toEqual(["buy 13@80", "sell 9@120"]);
  expect(eventsFrom(play, seen, "liquidityProvision").map(({ payload }) => payload.status)).toEqual([5, 1]);
  play.run("/");
  expect(data(play).marketTradingMode).toBe(1);
  play.run("y S 1@109");
  expect(states(play, "ask")).toEqual(["1 2 110"]);
});

test("when best prices are gone, pegs are parked first, then provisions are emitted, then their orders by id", () => {
  const eventsOf = (statement: string) => {
    const play = opened(WATCHED);
    play.run("lp y(500, 0, BID-5, ASK+5); x B 2 BID-1; z S 5@115; /");
    const seen = play.rig.events().length;
    play.run(statement);
    const shown = eventsFrom(play, seen, "order", "liquidityProvision", "auction");
    const provided = shown.flatMap(({ payload }) =>
      payload.liquidityProvisionId ? [payload.id as string] : [],
    );
    expect(provided).toEqual(provided.toSorted());
    return shown.map(({ member, payload }) =>
      member === "auction" ? member : `${member} ${payload.partyId} ${payload.status}`,
    );
  };
  const parked = [
    "order x 8",
    ...["liquidityProvision lp 5", "liquidityProvision y 5"],
    ...["order y 8", "order lp 8", "order y 8", "order lp 8"],
  ];
  expect(eventsOf("cancel b")).toEqual(["order p1 3", ...parked]);
  expect(eventsOf("p1 B 12@115")).toEqual([...parked, "auction", "order p1 1"]);
});

test("orders of one expiry expire in the order in which they were given it", () => {
  const play = opened(FLAT);
  play.run(
    "x B 1 BID-95 GTT+9 =parked; y B 1@84 GTT+9 =amended; z B 1 BID-1 GTT+9 =peg; x B 1@83 GTT+9 =late",
  );
  play.run("y B 1@82 GTT+9 =last; amend late GTT+5; amend late GTT+9; amend amended @86; p1 B 1@91; / 9");
  const names = new Map([...play.ids].map(([name, id]) => [id, name]));
  const { orderIds } = play.rig.events("expiredOrders").at(-1)!.payload;
  expect(orderIds.map((id: string) => names.get(id))).toEqual(["parked", "amended", "peg", "last", "late"]);
});

test("margin of orders that expire in an auction is released at the block's end, or at the auction's if other orders need margin", () => {
  const play = opened(WATCHED).deposit(1000n, "w", "v");
  play.run("z S 5@115; z S 3@118; w B 5@110; x B 12@115; w B 10@100 GTT+2 =o; v B 10@100 GTT+2 =q");
  // w has 5 open at a mark of 100, not settled: 50, and 100 of its order.
  expect([play.levels("w"), play.margin("w"), play.margin("v")]).toEqual(["150/165/180/210", 180n, 120n]);
  play.run("/ 2");
  expect(play.rig.events("expiredOrders").at(-1)!.payload.orderIds).toEqual([
    play.ids.get("o"),
    play.ids.get("q"),
  ]);
  expect([play.margin("w"), play.margin("v")]).toEqual([180n, 120n]);
  play.run("/");
  expect([play.margin("w"), play.margin("v")]).toEqual([180n, 0n]);
  play.run("/ 3");
  expect([play.mark(), money(play, "w"), play.levels("w")]).toEqual([115n, "69 956 0", "58/63/69/81"]);
});

test("an auction whose only order expires as it ends, ends without trades", () => {
  const play = opened(WATCHED);
  play.run("z S 5@115; x B 12@115 GTT+6; / 5");
  expect(data(play)).toMatchObject({ marketTradingMode: 4, indicativeVolume: 12n });
  play.run("/");
  expect(data(play)).toMatchObject({ marketTradingMode: 1, markPrice: "100" });
  expect([bounds(play), play.trades(1)]).toEqual([["60 90-110 100"], []]);
});

test("an auction that cancels the only offer at its end goes on for missing orders, then for the price", () => {
  const play = opened(WATCHED);
  play.run("cancel s; p2 S 10@111 GFN =g; /");
  const t = play.rig.nowNs;
  play.run("x B 15@115");
  expect(states(play, "g")).toEqual(["3 10 111"]);
  play.run("/ 6");
  expect(data(play)).toMatchObject({ trigger: 3, extensionTrigger: 6, auctionEnd: t + 6n * SECOND_NS });
  // Without trades the last price stays, and its bounds are on again.
  expect(bounds(play)).toEqual(["60 90-110 100"]);
  play.run("p2 S 3@112; p2 S 1@130; /");
  expect(data(play)).toMatchObject({
    indicativePrice: "113",
    extensionTrigger: 3,
    auctionEnd: t + 11n * SECOND_NS,
  });
  play.run("/ 4");
  expect(data(play).marketTradingMode).toBe(4);
  play.run("/");
  expect(data(play)).toMatchObject({ marketTradingMode: 1, markPrice: "113" });
  const auctions = play.rig
    .events("auction")
    .slice(2)
    .map(({ payload: { leave, end, trigger, extensionTrigger } }) =>
      [leave, (end - t) / SECOND_NS, trigger, extensionTrigger].join(" "),
    );
  expect(auctions).toEqual(["false 5 3 0", "false 6 3 6", "true 12 3 0"]);
});

test("an order that breaks a price bound and the target stake begins a price auction, which is extended for stake", () => {
  const play = opened({ ...WATCHED, targetStake: { scaling: 1 }, triggeringRatio: "0.9" });
  const commit = (commitment: number) => play.rig.amendProvision("lp", "M", { commitment }).text;
  const tooLittle = "commitment submission rejected, not enough stake";
  play.run("z S 100@115; z S 1@130");
  const t = play.rig.nowNs;
  play.run("x B 110@115");
  expect(data(play)).toMatchObject({
    trigger: 3,
    targetStake: "1276",
    suppliedStake: "1000",
    openInterest: 1n,
  });
  play.run("/ 6");
  expect(data(play)).toMatchObject({ trigger: 3, extensionTrigger: 5, auctionEnd: t + 6n * SECOND_NS });
  expect(commit(1275)).toBe("");
  play.run("/");
  expect(data(play)).toMatchObject({ marketTradingMode: 4, auctionEnd: t + 7n * SECOND_NS });
  expect(commit(1276)).toBe("");
  play.run("/");
  expect(data(play)).toMatchObject({ marketTradingMode: 1, targetStake: "1276", openInterest: 111n });
  expect([commit(1275), play.rig.cancelProvision("lp", "M").text]).toEqual([tooLittle, tooLittle]);
  play.run("lp y(1276, 0, BID-10, ASK+10)");
  expect(play.rig.cancelProvision("lp", "M").text).toBe("");
});

test("a market is emitted as active once its auction has ended, not with a fee change on the way", () => {
  const play = market(PROVIDED).deposit(MILLIONS, "p1", "p2", "lp").deposit(1000n, "q");
  play.run("lp q(1000, 0.01, BID-10, ASK+10); lp lp(1000, 0.02, BID-10, ASK+10)");
  play.run("p1 B 10@90; p2 S 10@110; p1 B 1@100; p2 S 1@100");
  const before = play.rig.shownMarket("M")!.marketTimestamps!.open;
  const seen = play.rig.events().length;
  play.open();
  // q cannot pay for its orders, and its fee is not the market's any more.
  const updates = eventsFrom(play, seen, "marketUpdated").map(({ payload }) => [
    payload.state,
    payload.tradingMode,
    payload.fees.factors.liquidityFee,
    payload.marketTimestamps.open,
  ]);
  expect(updates).toEqual([
    [3, 3, "0.02", before],
    [5, 1, "0.02", play.rig.nowNs],
  ]);
});

test("an auction for stake follows the opening auction if a provision cannot pay for its first orders", () => {
  const config = { ...FLAT, targetStake: { scaling: 1 }, triggeringRatio: "1" };
  const begin = () => {
    const play = market(config).deposit(MILLIONS, "p1", "p2", "lp").deposit(1000n, "q");
    play.run("lp q(1000, 0.1, BID-10, ASK+10); p1 B 10@90; p2 S 10@110; p1 B 1@100; p2 S 1@100; / 2");
    return play;
  };
  const play = begin();
  expect(data(play)).toMatchObject({
    marketTradingMode: 4,
    trigger: 5,
    marketState: 6,
    markPrice: "0",
    lastTradedPrice: "100",
    openInterest: 1n,
    suppliedStake: "0",
    auctionStart: play.rig.nowNs,
  });
  const auctions = play.rig
    .events("auction")
    .map(({ payload }) => `${payload.openingAuction} ${payload.leave}`);
  expect([auctions.slice(1), money(play, "q")]).toEqual([["false false"], "0 1000 0"]);
  expect(play.rig.events("settlePosition")).toEqual([]);
  play.run("lp lp(1000, 0.1, BID-10, ASK+10); / 2");
  expect(data(play)).toMatchObject({ marketTradingMode: 1, markPrice: "100", marketState: 5 });
  // Trades of the opening auction are settled with the end of trading, where that comes first.
  const ended = begin();
  ended.rig.terminate();
  expect(data(ended)).toMatchObject({ marketState: 8, markPrice: "100" });
  ended.rig.settle(120);
  expect([ended.general("p1"), ended.general("p2")]).toEqual([MILLIONS + 20n, MILLIONS - 20n]);
});

test("a provider's order is stopped before it matches the provider's own order or provision", () => {
  const play = opened();
  play.run("lp S 12@80 FOK =all; lp S 12@80 IOC =some");
  expect(states(play, "all", "some")).toEqual(["4 12 80 20", "7 2 80 20"]);
  expect([play.deployed("lp"), play.rig.provision("lp", "M")!.status]).toEqual([[], 5]);
  play.run("/");
  expect(data(play)).toMatchObject({ marketTradingMode: 4, trigger: 6 });
  const own = opened();
  own.run("lp B 5@85");
  expect(own.deployed("lp")).toEqual(["buy 8@80", "sell 9@120"]);
  own.run("lp S 11@85 FOK =more; lp S 10@85 FOK =less");
  expect(states(own, "more", "less")).toEqual(["4 11 85 20", "5 0 85"]);
  // The own order is the best bid now: 575 are left for 75.
  expect(own.deployed("lp")).toEqual(["buy 8@75", "sell 9@120"]);
});

test("a pegged order trades with a narrow provision when submitted, but does not when repriced across it", () => {
  const play = opened({ ...FLAT, targetStake: { scaling: 0.00001 }, lpPriceRange: "0.001" });
  play.run("amend s @111");
  expect(play.deployed("lp")).toEqual(["buy 10@101", "sell 10@102"]);
  play.run("x S 2 MID+1 post =post; x S 2 MID+1 =peg");
  expect(states(play, "post", "peg")).toEqual(["4 2 101 49", "5 0 101"]);
  expect(play.trades(1)).toEqual(["lp-x 2@101"]);
  play.run("y B 1@91 =y; x S 3 MID+1 =moved");
  expect(states(play, "moved")).toEqual(["1 3 102"]);
  play.run("cancel y");
  expect(states(play, "moved")).toEqual(["1 3 101"]);
  expect(data(play)).toMatchObject({ bestBidPrice: "101", bestOfferPrice: "101", staticMidPrice: "100" });
  play.run("z B 1@101; z S 1@101");
  expect(play.trades(2)).toEqual(["z-x 1@101", "lp-z 1@101"]);
});

test("a parked pegged order does not count for a closing order's margin, and is cancelled if its return is too dear", () => {
  const play = opened(FLAT).deposit(200n, "w");
  play.run("w B 3@110; /; w S 5 ASK+1 =peg");
  expect([states(play, "peg")[0], money(play, "w")]).toEqual(["1 5 111", "66 134 0"]);
  play.rig.withdraw("w", "ETH", 134n);
  play.run("w S 3@95 =first");
  expect(states(play, "first")).toEqual(["6 3 95 14"]);
  play.run("cancel s; w S 3@95 =second");
  expect(states(play, "second", "peg")).toEqual(["1 3 95", "3 5 96"]);
  expect([money(play, "w"), play.rig.position("w", "M")!.sell]).toEqual(["66 0 0", 3n]);
  const reduced = opened(FLAT).deposit(200n, "w");
  reduced.run("w B 3@110; /; w S 5 ASK+1 =peg; cancel s; w S 5@90 IOC reduce =r; w S 1@90 IOC reduce =none");
  expect(states(reduced, "peg", "r", "none")).toEqual(["8 5 0", "4 2 90", "4 1 90 50"]);
  expect(reduced.margin("w")).toBe(66n);
  reduced.run("/");
  expect([money(reduced, "w"), data(reduced).trigger]).toEqual(["0 140 0", 6]);
});

test("a distressed provider's provision does not count as close-out volume, and giving it up may save the provider", () => {
  const fall = (extra: bigint) => {
    const play = market(PROVIDED).deposit(MILLIONS, "aux", "aux2", "mm", "bp");
    play.deposit(760n + extra, "lp").deposit(720n, "w");
    play.run("lp lp(160, 0, BID-100, ASK+100); aux B 5@900; aux2 S 5@1100; aux B 1@1000; aux2 S 1@1000");
    play.open().run("bp B 20@850; mm S 10@1000; lp B 4@1000; w B 6@1000; /");
    expect([money(play, "lp"), money(play, "w")]).toEqual([`600 ${extra} 160`, "720 0 0"]);
    return play.run("mm S 1@900; /");
  };
  const both = fall(0n);
  expect(both.trades().slice(-4)).toEqual([
    "aux-network 4@900",
    "bp-network 6@850",
    "network-lp 4@870",
    "network-w 6@870",
  ]);
  const closed = both.rig
    .events("settleDistressed")
    .map(({ payload }) => `${payload.partyId} ${payload.margin}`);
  // 480 less 300 that the network has lost against the mark.
  expect([closed, both.insurance()]).toEqual([["lp 360", "w 120"], 180n]);
  expect([both.pnl("lp"), both.pnl("w"), data(both).suppliedStake]).toEqual(["0/0/-760", "0/0/-720", "0"]);
  const safe = fall(1n);
  expect(safe.trades().slice(-3)).toEqual(["aux-network 4@900", "bp-network 2@850", "network-w 6@883"]);
  expect(safe.rig.events("distressedOrders").at(-1)!.payload.parties).toEqual(["lp"]);
  expect([money(safe, "lp"), safe.pnl("lp"), safe.insurance()]).toEqual(["361 0 0", "4/-400/0", 20n]);
  expect(safe.rig.shownProvision("lp", "M")!.status).toBe(3);
});

test("a position that no book can take pays winners at each mark until it is closed out with nothing left", () => {
  const play = trading(FLAT, { rich: "mm bp" }).deposit(1200n, "w");
  play.run("mm S 10@1000; w B 10@1000; /");
  const all = total(play);
  move(play, 800);
  // 1400 of 2200 are available: 127 and 1272, and the last winner has the unit that is left.
  expect(shared(play)).toEqual(["w 800", "aux2 -73", "mm -727"]);
  move(play, 790);
  expect(shared(play).slice(3)).toEqual(["w 100", "aux2 -17", "mm -83"]);
  expect(play.rig.events("distressedPositions").map(({ payload }) => payload)).toMatchObject([
    { distressedParties: ["w"], safeParties: [] },
  ]);
  play.run("bp B 20@700");
  move(play, 795);
  expect(play.trades().slice(-2)).toEqual(["bp-network 10@700", "network-w 10@700"]);
  expect([shared(play).slice(6), play.insurance(), money(play, "w")]).toEqual([["bp -900"], 0n, "0 0 0"]);
  expect(total(play)).toBe(all);
});

test("a close-out takes the general account before later markets can, but not what earlier markets hold", () => {
  const fall = (markets: readonly string[]) => {
    const rig = createMarketRig();
    for (const name of markets) rig.createMarket(name, { asset: "ETH", ...PROVIDED });
    const plays = [new Play(rig, "A"), new Play(rig, "B")] as const;
    const [a, b] = plays;
    a.deposit(MILLIONS, "aux", "aux2", "mm", "bp", "lp").deposit(1350n, "w");
    for (const play of plays) play.run("lp lp(1000, 0, BID-100, ASK+100); aux B 1@500; aux2 S 5@1100");
    for (const play of plays) play.run("aux B 1@1000; aux2 S 1@1000");
    a.open().run("bp B 100@900; mm S 10@1000; w B 10@1000");
    b.run("bp B 100@900; mm S 1@1000; w B 1@1000; /");
    expect([money(a, "w"), b.margin("w")]).toEqual(["1200 30 0", 120n]);
    a.run("aux2 S 1@950; aux B 1@950");
    b.run("aux2 S 1@975; aux B 1@975; /");
    return [a.pnl("w"), b.pnl("w"), b.margin("w"), a.insurance("A"), a.insurance("B")];
  };
  // In B 95 are left for 98: with 30 more it stays.
  expect(fall(["A", "B"])).toEqual(["0/0/-1230", "0/0/-120", 0n, 230n, 20n]);
  expect(fall(["B", "A"])).toEqual(["0/0/-1208", "1/-25/0", 117n, 208n, 0n]);
});

test("a provider's final loss is paid by insurance and winners, not by its bond, which returns", () => {
  const play = market(PROVIDED).deposit(MILLIONS, "aux", "aux2", "mm").deposit(2440n, "lp");
  play.run("lp lp(1000, 0, BID-100, ASK+100); aux B 5@900; aux2 S 5@1100; aux B 1@1000; aux2 S 1@1000");
  play.open();
  play.rig.fundInsurance("M", 100n);
  play.run("mm S 10@1000; lp B 10@1000; /");
  expect(money(play, "lp")).toBe("1440 0 1000");
  play.rig.terminate();
  play.rig.settle(800);
  expect(shared(play)).toEqual(["lp 460", "aux2 -42", "mm -418"]);
  expect([money(play, "lp"), play.general("mm")]).toEqual(["0 1000 0", MILLIONS + 1582n]);
});

test("trading can end in a block that has traded and begun an auction", () => {
  const play = opened(WATCHED).deposit(MILLIONS, "w");
  expect(play.margin("p1")).toBe(132n);
  play.run("z S 5@115; w B 2@110; x B 12@115 =in");
  play.rig.terminate();
  expect(data(play)).toMatchObject({ marketTradingMode: 4, marketState: 8, markPrice: "110", trigger: 3 });
  expect(play.rig.shownMarket("M")).toMatchObject({ state: 8, tradingMode: 5 });
  showLevels(play);
  // Measured as in an auction, and nothing goes back.
  expect([play.levels("p1"), play.margin("p1")]).toEqual(["101/111/121/141", 142n]);
  play.run("/ 10");
  play.rig.settle(120);
  expect(states(play, "in", "b", "s")).toEqual(["4 12 115", "4 10 90", "4 8 110"]);
  const gains = ["p1", "w", "p2", "x", "lp"].map((party) => play.general(party) - MILLIONS);
  expect(gains).toEqual([20n, 20n, -40n, 0n, 0n]);
});

test("a single oracle message settles two markets of an asset: the second gets a part of the first one's insurance", () => {
  const rig = createMarketRig();
  const plays = ["A", "B"].map((name) => new Play(rig, name));
  for (const { market: name } of plays) rig.createMarket(name, { asset: "ETH", ...PROVIDED });
  rig.createMarket("C", { asset: "ETH", ...PROVIDED, oracle: idOf("other") });
  plays[0]!.deposit(MILLIONS, "p1", "p2", "lp");
  for (const play of plays) play.run("lp lp(1000, 0, BID-10, ASK+10); p1 B 10@90; p2 S 10@110");
  for (const play of plays) play.run("p1 B 1@100; p2 S 1@100");
  for (const play of plays) play.open();
  rig.fundInsurance("A", 1000n);
  rig.fundInsurance("B", 500n);
  rig.terminate();
  rig.settle(120);
  // A's 1000: 333 to B, 333 to C; B's 833: 416 to C.
  expect([rig.systemBalance("ETH", 1, "C"), rig.balance("p1", "ETH")]).toEqual([749n, MILLIONS + 40n]);
});

test("a risk model changed in an auction raises margins, but does not lower them", () => {
  const play = opened(WATCHED).deposit(MILLIONS, "w");
  const update = (long: number) => {
    play.rig.updateMarket("M", { asset: "ETH", ...WATCHED, simple: { ...WATCHED.simple, long } });
    showLevels(play);
  };
  play.run("z S 5@115; z S 20@130; w B 5@110; x B 12@115; /");
  const margins = () => [play.levels("w"), play.margin("w"), play.margin("p1"), play.margin("x")];
  expect(margins()).toEqual(["50/55/60/70", 60n, 132n, 144n]);
  update(0.3);
  // p1 has 1 at 100 and orders of 900, x orders of 1380.
  expect(margins()).toEqual(["150/165/180/210", 180n, 360n, 496n]);
  update(0.1);
  expect(margins()).toEqual(["50/55/60/70", 180n, 360n, 496n]);
  play.run("/ 5");
  expect(margins()).toEqual(["58/63/69/81", 69n, 152n, 165n]);
  expect(bounds(play)).toEqual(["60 106-124 115"]);
});

test("a provision made in a priced auction pays its first orders from its bond; one made without prices is cancelled", () => {
  const play = opened(WATCHED, bondPenalty).deposit(1050n, "q");
  play.run("z S 5@115; z S 3@118; x B 12@115; lp q(1000, 0.02, BID-10, ASK+10)");
  expect([money(play, "q"), play.rig.provision("q", "M")!.status]).toEqual(["0 50 1000", 6]);
  play.run("/ 6");
  expect(play.deployed("q")).toEqual(["buy 13@80", "sell 8@125"]);
  expect([money(play, "q"), play.insurance()]).toEqual(["180 0 805", 65n]);
  const blind = opened(WATCHED, bondPenalty).deposit(1050n, "q");
  blind.run("cancel s; /; lp q(1000, 0.02, BID-10, ASK+10); p2 S 10@110; / 2");
  expect(data(blind)).toMatchObject({ marketTradingMode: 1, suppliedStake: "1000" });
  expect([money(blind, "q"), blind.insurance()]).toEqual(["0 1050 0", 0n]);
  expect(blind.rig.shownProvision("q", "M")!.status).toBe(3);
});

test("a provision amended in an auction needs margin by the mark price, and is deployed around the prices that remain", () => {
  const play = opened(WATCHED);
  play.run("z S 5@115; z S 1@130; x B 12@115");
  play.rig.amendProvision("lp", "M", { commitment: 2000 });
  // 23 at 90 and 19 at 110: 209, and a fifth more.
  expect(money(play, "lp")).toBe(`250 ${MILLIONS - 2250n} 2000`);
  play.run("/ 6");
  expect(play.deployed("lp")).toEqual(["buy 25@80", "sell 16@125"]);
  expect(money(play, "lp")).toBe(`345 ${MILLIONS - 2345n} 2000`);
  const narrowed = quoted({ openingSeconds: 5 });
  narrowed.rig.updateMarket("M", { asset: "ETH", ...FLAT, lpPriceRange: "0.05" });
  expect(narrowed.run("/ 6").deployed("lp")).toEqual(["buy 11@95", "sell 10@105"]);
});

test("a price auction with asset and position decimals uncrosses between ticks and rounds half fees up", () => {
  const options = { assets: { ETH: { decimals: 2 } }, parameters: feeFactors("0.001", "0.0015") };
  const play = market({ ...WATCHED, positionDecimals: 2 }, options);
  play.deposit(10_000_000_000n, "p1", "p2", "lp", "x", "z");
  play.run("lp lp(1000000, 0.003, BID-10, ASK+10); p1 B 1000@90; p2 S 1000@110; p1 B 100@100; p2 S 100@100");
  play.open();
  expect(play.deployed("lp")).toEqual(["buy 12500@80", "sell 8334@120"]);
  expect(bounds(play)).toEqual(["60 100-100 100"]);
  play.run("z S 150@102; x B 150@103");
  expect(data(play)).toMatchObject({ trigger: 3, indicativePrice: "102", indicativeVolume: 150n });
  play.run("/ 6");
  expect([play.trades(1), feesOf(play, 1)]).toEqual([["x-z 150@102"], ["0/12/24 0/12/24"]]);
  expect([play.rig.market("M").context.status.mark, flows(play, 4)]).toEqual([10250n, ["p2> 250"]]);
  expect([play.levels("x"), play.margin("x")]).toEqual(["1538/1691/1845/2153", 1800n]);
});

test("a price auction with negative position decimals, and a party that can pay a loss but not its margin", () => {
  const play = market({ ...WATCHED, positionDecimals: -2 }, { parameters: feeFactors("0.001", "0.0015") });
  play.deposit(MILLIONS, "p1", "p2", "lp", "x", "z", "y").deposit(4000n, "w");
  play.run("lp lp(100000, 0.003, BID-10, ASK+10); p1 B 10@90; p2 S 10@110; p1 B 1@100; p2 S 1@100").open();
  expect(play.deployed("lp")).toEqual(["buy 13@80", "sell 9@120"]);
  play.run("z S 3@115; z S 5@140; x B 13@115; / 6");
  expect(feesOf(play, 2)).toEqual(["0/87/173 0/87/173", "0/26/52 0/26/52"]);
  expect(flows(play, 4)).toEqual(["p2> 1500"]);
  play.run("y B 2@115; w S 2@115");
  expect([feesOf(play, 1), money(play, "w")]).toEqual([["0/0/0 23/35/69"], "2760 1113 0"]);
  play.run("/; z S 1@122; y B 2@121; z S 1@121; /");
  expect([play.mark(), money(play, "w"), play.levels("w")]).toEqual([
    121n,
    "2673 0 0",
    "2420/2662/2904/3388",
  ]);
});

test("a changed maker fee counts from the next trade, a changed fee distribution step from the next tick", () => {
  const step = "market.liquidity.providers.fee.distributionTimeStep";
  const play = market(PROVIDED, { parameters: { [step]: "10s", ...feeFactors("0", "0") } });
  const ends = play.rig.nowNs + 13n * SECOND_NS;
  play.deposit(MILLIONS, "p1", "p2", "lp", "x");
  play.run("lp lp(1000, 0.1, BID-10, ASK+10); p1 B 10@90; p2 S 10@110; p1 B 1@100; p2 S 1@100").open();
  while (play.rig.nowNs < ends) play.run("/");
  play.run("x B 1@110");
  play.rig.setParameter("market.fee.factors.makerFee", "0.05");
  play.rig.setParameter(step, "1s");
  play.run("x B 1@110");
  expect(feesOf(play, 2)).toEqual(["0/0/11 0/0/0", "6/0/11 0/0/0"]);
  expect(flows(play, 14)).toEqual([]);
  play.run("/");
  expect(flows(play, 14)).toEqual([">lp 22"]);
});

test("an auction between two marks settles all trades since the last mark", () => {
  const parameters = { "network.markPriceUpdateMaximumFrequency": "100s" };
  const play = opened(WATCHED, { parameters }).deposit(MILLIONS, "w");
  play.run("z S 5@118; z S 3@119; w B 2@110; /; x B 12@118; / 5");
  const settled = () => play.rig.events("settlePosition").filter(({ payload }) => payload.partyId === "w");
  expect([play.mark(), settled()]).toEqual([100n, []]);
  play.run("/");
  expect(settled().map(({ payload }) => payload.tradeSettlements)).toMatchObject([
    [{ size: 2n, price: "110" }],
  ]);
  expect(data(play)).toMatchObject({ markPrice: "118", nextMarkToMarket: play.rig.nowNs + 100n * SECOND_NS });
  expect(money(play, "w")).toBe(`28 ${MILLIONS - 12n} 0`);
});

test("a provider that leaves and returns is valued at its return", () => {
  const play = opened(PROVIDED);
  const shares = () =>
    data(play).liquidityProviderFeeShare.map(({ party, equityLikeShare, averageEntryValuation }) =>
      [party, equityLikeShare, averageEntryValuation].join(" "),
    );
  play.run("lp x(3000, 0, BID-10, ASK+10)");
  expect(shares()).toEqual(["lp 0.25 1000", "x 0.75 4000"]);
  play.rig.cancelProvision("lp", "M");
  expect(shares()).toEqual(["x 1 4000"]);
  play.run("lp lp(1000, 0, BID-10, ASK+10)");
  expect(shares()).toEqual(["lp 0.25 4000", "x 0.75 4000"]);
  play.rig.amendProvision("x", "M", { commitment: 1500 });
  expect(shares()).toEqual(["lp 0.4 4000", "x 0.6 4000"]);
});
