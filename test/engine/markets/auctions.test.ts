// Auctions: what begins, extends and ends them, with price triggers, stake, updates and ends of markets
// (docs/protocol/70-trading-markets.md#1-market-lifecycle, docs/protocol/70-trading-orders.md#3-matching-and-auctions
// and docs/protocol/70-trading-liquidity.md#8-auction-triggers). Expected values are worked out by hand. Notation of
// statements and results: rig.ts.
import { expect, test } from "bun:test";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { createMarketRig, idOf, Play } from "./rig.ts";
import { BOUND, bounds, eventsFrom, LIGHT, MILLIONS, opened, quoted, states } from "./sample-markets.ts";

const BOUND_TWICE = {
  ...BOUND,
  triggers: [...BOUND.triggers, { horizon: 600, probability: 0.99, extension: 7 }],
};

/** An opening auction, with quotes far away. */
function crossing(orders: string): Play {
  const rig = createMarketRig();
  rig.createMarket("M", { asset: "ETH", ...LIGHT, openingSeconds: 5 });
  const play = new Play(rig, "M").deposit(MILLIONS, "p1", "p2", "lp", "a", "b", "c", "d");
  return play.run(`lp lp(1000, 0, BID-10, ASK+10); p1 B 1@50; p2 S 1@200; ${orders}`);
}

test("a proposed market takes provisions but no orders; its opening auction begins when the vote passes", () => {
  const rig = createMarketRig();
  rig.proposeMarket("M", { asset: "ETH", ...LIGHT, openingSeconds: 5 });
  const t0 = rig.nowNs;
  const play = new Play(rig, "M").deposit(MILLIONS, "x", "lp");
  expect([play.rig.marketData(play.market).marketState]).toEqual([1]);
  play.run("x B 1@100 =o");
  expect(play.last.text).toBe("trading not allowed");
  expect(states(play, "o")).toEqual(["6 1 100 13"]);
  play.run("lp lp(1000, 0, BID-10, ASK+10)");
  expect(play.last.text).toBe("");
  expect(play.bond("lp")).toBe(1000n);
  rig.terminate();
  expect(play.rig.marketData(play.market).marketState).toBe(1);
  const seen = rig.events().length;
  rig.decide("M", true);
  expect([play.rig.marketData(play.market).marketState, play.rig.marketData("M").marketTradingMode]).toEqual([
    3, 3,
  ]);
  const [auction] = eventsFrom(play, seen, "auction");
  expect(auction!.payload).toMatchObject({
    openingAuction: true,
    leave: false,
    start: t0,
    end: t0 + 5n * SECOND_NS,
    trigger: 2,
  });
  expect(play.rig.shownMarket("M")).toMatchObject({ state: 3, tradingMode: 3 });
  expect(play.rig.shownMarket("M")!.marketTimestamps).toMatchObject({
    proposed: t0,
    pending: t0,
    open: t0 + 5n * SECOND_NS,
  });
});

test("an opening auction goes on until providers supply the stake that its trades need", () => {
  const rig = createMarketRig();
  rig.createMarket("M", {
    asset: "ETH",
    ...LIGHT,
    targetStake: { scaling: 1 },
    openingSeconds: 5,
    liquidityExtension: 10,
  });
  const t0 = rig.nowNs;
  const play = new Play(rig, "M").deposit(MILLIONS, "p1", "p2", "lp");
  play.run("p1 B 1@90; p2 S 1@110; p1 B 10@100; p2 S 10@100");
  // theoretical target 100*10*0.1*1 = 100
  expect(play.rig.marketData("M")).toMatchObject({
    targetStake: "100",
    indicativePrice: "100",
    indicativeVolume: 10n,
    auctionStart: t0,
    auctionEnd: t0 + 5n * SECOND_NS,
  });
  play.run("lp lp(99, 0, BID-10, ASK+10); / 6");
  expect(play.rig.marketData("M")).toMatchObject({
    marketTradingMode: 3,
    trigger: 2,
    extensionTrigger: 5,
    auctionEnd: t0 + 15n * SECOND_NS,
  });
  expect(rig.events("auction").at(-1)!.payload).toMatchObject({
    leave: false,
    openingAuction: true,
    end: t0 + 15n * SECOND_NS,
    extensionTrigger: 5,
  });
  play.rig.amendProvision("lp", "M", { commitment: 100 });
  play.run("/ 9");
  expect(play.rig.marketData("M").marketTradingMode).toBe(3);
  play.run("/");
  expect(play.rig.marketData("M").marketTradingMode).toBe(1);
});

test("an opening auction goes on until orders would remain on both sides of the book", () => {
  const rig = createMarketRig();
  rig.createMarket("M", { asset: "ETH", ...LIGHT });
  const play = new Play(rig, "M").deposit(MILLIONS, "p1", "p2", "lp");
  play.run("lp lp(1000, 0, BID-10, ASK+10); p1 B 1@90; p2 S 1@110 GFA; p1 B 1@100; p2 S 1@100; / 3");
  expect(play.rig.marketData("M").marketTradingMode).toBe(3);
  play.run("p2 S 1@111; / 3");
  expect(play.rig.marketData("M").marketTradingMode).toBe(1);
  expect(play.queue("sell")[0]).toBe("p2 1@111");
});

test("a market that is terminated before it opens returns all money", () => {
  const play = quoted({ openingSeconds: 100 });
  play.run("x B 5 BID-3 =peg");
  play.rig.terminate();
  expect(play.rig.marketData(play.market).marketState).toBe(9 - 5);
  expect(play.rig.shownMarket("M")).toMatchObject({ state: 4, tradingMode: 5 });
  expect([play.general("p1"), play.general("p2"), play.general("lp")]).toEqual([
    MILLIONS,
    MILLIONS,
    MILLIONS,
  ]);
  expect(states(play, "b", "s", "peg").map((s) => s[0])).toEqual(["3", "3", "3"]);
  expect(play.rig.shownProvision("lp", "M")!.status).toBe(2);
  play.run("x B 1@100 =late");
  expect(play.last.text).toBe("trading not allowed");
  play.run("/; x B 1@100");
  expect(play.last.text).toBe("OrderError: Invalid Market ID");
});

test("any value of the termination property ends trading, and the latest settlement price counts", () => {
  const play = opened({ settlementDecimals: 2 });
  play.rig.settle(5000);
  play.rig.settle(12050);
  expect(play.rig.marketData(play.market).marketState).toBe(5);
  const seen = play.rig.events().length;
  play.rig.oracleData({ "trading.terminated": "false" });
  expect(play.rig.marketData(play.market).marketState).toBe(9);
  // aDP 0, 2 decimals: trunc(12050/100) = 120; p1 +1 at 100 wins 20
  expect([play.general("p1"), play.general("p2"), play.general("lp")]).toEqual([
    MILLIONS + 20n,
    MILLIONS - 20n,
    MILLIONS,
  ]);
  expect(eventsFrom(play, seen, "settleMarket")[0]!.payload).toMatchObject({ price: "120" });
  expect(states(play, "b", "s")).toEqual(["4 10 90", "4 10 110"]);
  expect(play.rig.marketData("M")).toMatchObject({ markPrice: "120", lastTradedPrice: "120" });
  play.run("x B 1@100 =late");
  expect(play.last.text).toBe("trading not allowed");
  play.run("/; x B 1@100");
  expect(play.last.text).toBe("OrderError: Invalid Market ID");
});

test("the next mark to market moves when its frequency parameter changes", () => {
  const play = opened({}, { parameters: { "network.markPriceUpdateMaximumFrequency": "10s" } });
  const t = play.rig.nowNs;
  expect(play.rig.marketData("M").nextMarkToMarket).toBe(t + 10n * SECOND_NS);
  play.rig.setParameter("network.markPriceUpdateMaximumFrequency", "4s");
  play.run("x B 1@110; / 3");
  expect(play.rig.marketData("M").nextMarkToMarket).toBe(t + 4n * SECOND_NS);
  expect(play.mark()).toBe(100n);
  play.run("/ 1"); // ends block at t+3
  expect(play.mark()).toBe(100n);
  play.run("/ 1"); // ends block at t+4: due
  expect(play.mark()).toBe(110n);
  expect(play.rig.marketData("M").nextMarkToMarket).toBe(t + 8n * SECOND_NS);
});

test("an auction of one price trigger: what begins it, which orders it parks or stops, and how it ends", () => {
  const play = opened(BOUND);
  expect(play.rig.marketData("M").priceMonitoringBounds).toMatchObject([
    {
      minValidPrice: "90",
      maxValidPrice: "110",
      referencePrice: "100",
      trigger: { horizon: 60n, probability: "0.95", auctionExtension: 5n },
    },
  ]);
  play.run("z S 5@115; y B 1@94 GFN =gfn; y B 1 BID-94 GFN =pgfn; y B 2 BID-5 =peg; / 60");
  expect(states(play, "gfn", "pgfn", "peg")).toEqual(["1 1 94", "8 1 0", "1 2 89"]); // BID includes GFN order 94? static best: non pegged, non LP → 94
  const seen = play.rig.events().length;
  const t = play.rig.nowNs;
  play.run("x B 12@115 =in");
  expect(play.last.text).toBe("");
  expect(play.trades(1)).toEqual([]);
  expect(states(play, "gfn", "pgfn", "peg", "in")).toEqual(["3 1 94", "3 1 0", "8 2 0", "1 12 115"]);
  expect(play.rig.marketData("M")).toMatchObject({
    marketTradingMode: 4,
    marketState: 6,
    trigger: 3,
    extensionTrigger: 0,
    auctionStart: t,
    auctionEnd: t + 5n * SECOND_NS,
    priceMonitoringBounds: [],
    indicativePrice: "115",
    indicativeVolume: 12n,
  });
  const ev = eventsFrom(play, seen, "order", "liquidityProvision", "auction", "marketUpdated").map(
    ({ member, payload }) => (member === "order" ? `${payload.partyId} ${payload.status}` : member),
  );
  expect(ev.slice(0, 3)).toEqual(["y 3", "y 3", "y 8"]);
  expect(ev.slice(-3)).toEqual(["auction", "marketUpdated", "x 1"]);
  play.run("y B 1@90 GFA =gfa; / 5");
  expect(play.rig.marketData("M").marketTradingMode).toBe(4);
  const left = play.rig.events().length;
  play.run("/");
  expect(play.trades(1)).toEqual(["x-p2 10@115", "x-z 2@115"]);
  expect(play.rig.marketData("M")).toMatchObject({
    marketTradingMode: 1,
    marketState: 5,
    markPrice: "115",
    auctionEnd: 0n,
    trigger: 0,
  });
  expect(play.rig.marketData("M").priceMonitoringBounds).toMatchObject([
    { minValidPrice: "106", maxValidPrice: "124", referencePrice: "115" },
  ]);
  expect(states(play, "gfa", "peg")).toEqual(["3 1 90", "1 2 85"]);
  const shown = eventsFrom(play, left, "order", "trade", "auction", "marketUpdated").map(
    ({ member, payload }) => (member === "order" ? `${payload.partyId} ${payload.status}` : member),
  );
  expect(shown.join(", ")).toBe("p2 5, z 1, trade, trade, x 5, y 3, y 1, lp 1, lp 1, auction, marketUpdated");
  expect(play.rig.trades("M").at(-1)).toMatchObject({
    aggressor: 0,
    buyerFee: { makerFee: "0", infrastructureFee: "0", liquidityFee: "0" },
    timestamp: play.rig.nowNs,
  });
});

test("a trade that breaks two bounds at once adds the second bound's extension only when the first has run out", () => {
  const play = opened(BOUND_TWICE);
  play.run("z S 5@115; z S 2@118; / 10");
  const t = play.rig.nowNs;
  play.run("x B 12@115");
  expect(play.rig.marketData("M")).toMatchObject({ auctionEnd: t + 5n * SECOND_NS });
  expect(play.rig.marketData("M").priceMonitoringBounds.map((b) => b.trigger!.horizon)).toEqual([600n]);
  play.run("/ 6");
  expect(play.rig.marketData("M")).toMatchObject({
    marketTradingMode: 4,
    trigger: 3,
    extensionTrigger: 3,
    auctionEnd: t + 12n * SECOND_NS,
    priceMonitoringBounds: [],
  });
  play.run("/ 6");
  expect(play.rig.marketData("M").marketTradingMode).toBe(4);
  play.run("/");
  expect(play.rig.marketData("M").marketTradingMode).toBe(1);
});

test("two trades break two bounds", () => {
  const play = opened(BOUND_TWICE);
  play.run("z S 1@115; z S 5@116; z S 1@119; / 10");
  const t = play.rig.nowNs;
  play.run("x B 12@116");
  expect(play.rig.marketData("M")).toMatchObject({
    auctionEnd: t + 12n * SECOND_NS,
    priceMonitoringBounds: [],
  });
  play.run("/ 13");
  expect(play.rig.marketData("M").marketTradingMode).toBe(1);
});

test("each price trigger has its own reference price, by its horizon", () => {
  const play = opened({
    ...BOUND,
    triggers: [
      { horizon: 60, probability: 0.95, extension: 5 },
      { horizon: 5, probability: 0.95, extension: 7 },
    ],
  });
  expect(bounds(play)).toEqual(["5 90-110 100", "60 90-110 100"]);
  play.run("y S 2@104; y S 5@112; / 10; x B 3@110");
  // vwap (208+110)/3 = 106
  play.run("/ 4");
  expect(bounds(play)).toEqual(["5 90-110 100", "60 90-110 100"]);
  play.run("/");
  // 106*.9=95.4→96, 106*1.1=116.6→116
  expect(bounds(play)).toEqual(["5 96-116 106", "60 90-110 100"]);
  const t = play.rig.nowNs;
  play.run("cancel s; z S 1@111; x B 1@111");
  expect(play.rig.marketData("M")).toMatchObject({ marketTradingMode: 4, auctionEnd: t + 5n * SECOND_NS });
  expect(bounds(play)).toEqual(["5 96-116 106"]);
});

test("an auction lasts at least the minimum duration, even if that is raised meanwhile", () => {
  const play = opened(BOUND);
  play.rig.setParameter("market.auction.minimumDuration", "20s");
  play.run("z S 5@115; z S 1@118; /");
  const t = play.rig.nowNs;
  play.run("x B 12@115");
  expect(play.rig.marketData("M").auctionEnd).toBe(t + 20n * SECOND_NS);
  const seen = play.rig.events().length;
  play.rig.setParameter("market.auction.minimumDuration", "60s");
  play.run("/");
  expect(play.rig.marketData("M")).toMatchObject({
    auctionEnd: t + 60n * SECOND_NS,
    trigger: 3,
    extensionTrigger: 0,
  });
  expect(eventsFrom(play, seen, "auction").map(({ payload }) => payload)).toMatchObject([
    {
      leave: false,
      openingAuction: false,
      start: t,
      end: t + 60n * SECOND_NS,
      trigger: 3,
      extensionTrigger: 0,
    },
  ]);
  play.rig.setParameter("market.auction.minimumDuration", "1s");
  play.run("/ 58");
  expect(play.rig.marketData("M")).toMatchObject({ marketTradingMode: 4, auctionEnd: t + 60n * SECOND_NS });
  play.run("/");
  expect([play.rig.marketData("M").marketTradingMode, play.mark()]).toEqual([4, 100n]);
  play.run("/");
  expect([play.rig.marketData("M").marketTradingMode, play.mark()]).toEqual([1, 115n]);
});

test("stake below the triggering ratio begins an auction, which ends with stake for the full target", () => {
  const withRatio = (ratio: string) => {
    const rig = createMarketRig();
    rig.createMarket("M", { asset: "ETH", ...LIGHT, targetStake: { scaling: 1 }, triggeringRatio: ratio });
    const play = new Play(rig, "M").deposit(MILLIONS, "p1", "p2", "lp", "x", "z");
    play.run("lp lp(100, 0, BID-10, ASK+10); p1 B 10@90; p2 S 10@110; p1 B 1@100; p2 S 1@100").open();
    play.run("z S 10@111; x B 10@110; /");
    return play.run("");
  };
  expect(withRatio("0.8").rig.marketData("M")).toMatchObject({
    marketTradingMode: 1,
    targetStake: "121",
    suppliedStake: "100",
    openInterest: 11n,
  });
  const play = withRatio("0.9");
  expect(play.rig.marketData("M")).toMatchObject({
    marketTradingMode: 4,
    trigger: 5,
    auctionEnd: play.rig.nowNs + SECOND_NS,
  });
  const t = play.rig.nowNs;
  play.rig.amendProvision("lp", "M", { commitment: 120 });
  play.run("/ 2");
  expect(play.rig.marketData("M")).toMatchObject({
    marketTradingMode: 4,
    extensionTrigger: 5,
    auctionEnd: t + 2n * SECOND_NS,
  });
  play.rig.amendProvision("lp", "M", { commitment: 121 });
  play.run("/");
  expect(play.rig.marketData("M").marketTradingMode).toBe(1);
});

test("a price auction ends with stake of the triggering ratio, or of the full target once it was extended for stake", () => {
  const withRatio = (ratio: string) => {
    const rig = createMarketRig();
    rig.createMarket("M", {
      asset: "ETH",
      ...BOUND,
      targetStake: { scaling: 1 },
      triggeringRatio: ratio,
      liquidityExtension: 3,
    });
    const play = new Play(rig, "M").deposit(MILLIONS, "p1", "p2", "lp", "x", "z");
    play.run("lp lp(100, 0, BID-10, ASK+10); p1 B 10@90; p2 S 10@110; p1 B 1@100; p2 S 1@100").open();
    play.run("z S 10@115; z S 1@118; x B 12@115");
    return play.run("");
  };
  // OI after: 13; at 115: 1495*.1 = 149
  const free = withRatio("0");
  expect(free.rig.marketData("M").targetStake).toBe("149");
  free.run("/ 6");
  expect(free.rig.marketData("M").marketTradingMode).toBe(1);
  const play = withRatio("0.8"); // trunc(149*.8)=119 > 100
  const t = play.rig.nowNs;
  play.run("/ 6");
  expect(play.rig.marketData("M")).toMatchObject({
    marketTradingMode: 4,
    trigger: 3,
    extensionTrigger: 5,
    auctionEnd: t + 8n * SECOND_NS,
  });
  play.rig.amendProvision("lp", "M", { commitment: 148 });
  play.run("/ 3");
  expect(play.rig.marketData("M")).toMatchObject({ marketTradingMode: 4, auctionEnd: t + 11n * SECOND_NS });
  play.rig.amendProvision("lp", "M", { commitment: 149 });
  play.run("/ 3");
  expect(play.rig.marketData("M").marketTradingMode).toBe(1);
});

test("an auction for missing orders is extended for its price", () => {
  const play = opened(BOUND);
  play.run("cancel s; /");
  const t = play.rig.nowNs;
  expect(play.rig.marketData("M")).toMatchObject({ trigger: 6, auctionEnd: t + SECOND_NS });
  play.run("y S 5@120; y S 1@125; x B 5@120; / 2");
  expect(play.rig.marketData("M")).toMatchObject({
    marketTradingMode: 4,
    trigger: 6,
    extensionTrigger: 3,
    auctionEnd: t + 6n * SECOND_NS,
  });
  play.run("/ 4");
  expect(play.rig.marketData("M").marketTradingMode).toBe(4);
  play.run("/");
  expect([play.rig.marketData("M").marketTradingMode, play.mark(), play.trades(1)]).toEqual([
    1,
    120n,
    ["x-y 5@120"],
  ]);
});

test("an order matching its own party begins a price auction, and trades with that party there", () => {
  const play = opened(BOUND);
  play.run("y S 1@111; x S 1@112; z S 3@118; x B 13@115 =in");
  expect(play.rig.marketData("M").marketTradingMode).toBe(4);
  expect(play.rig.marketData("M")).toMatchObject({ indicativePrice: "113", indicativeVolume: 12n });
  play.run("/ 6");
  expect(play.trades(1)).toEqual(["x-p2 10@113", "x-y 1@113", "x-x 1@113"]);
  expect(states(play, "in")).toEqual(["1 1 115"]);
  expect(play.rig.position("x", "M")).toMatchObject({ size: 11n, buy: 1n, sell: 0n, buySum: 115n });
  expect(play.mark()).toBe(113n);
});

test("a market update in a price auction restores all price bounds", () => {
  const play = opened(BOUND_TWICE);
  play.run("z S 5@115; z S 2@118; x B 12@115 =in; /");
  play.rig.updateMarket("M", { asset: "ETH", ...BOUND_TWICE });
  expect(play.rig.marketData("M")).toMatchObject({ marketTradingMode: 4, marketState: 6 });
  expect(play.rig.shownMarket("M")).toMatchObject({ state: 6, tradingMode: 4 });
  const { auctionEnd } = play.rig.marketData("M");
  play.run("/ 5");
  // Each of the two trades breaks a bound of the opening's 100.
  expect(play.rig.marketData("M")).toMatchObject({ marketTradingMode: 4, extensionTrigger: 3 });
  expect(play.rig.marketData("M").auctionEnd).toBe(auctionEnd + 12n * SECOND_NS);
  play.run("/ 12");
  expect([play.rig.marketData("M").marketTradingMode, play.mark()]).toEqual([1, 115n]);
});

test("an amendment can begin a price auction; an amended order that may not rest stays as it was", () => {
  const play = opened(BOUND);
  play.run("z S 5@115; z S 1@118; x B 12@95 =a; y B 12@94 GFN =g");
  play.run("amend g @115");
  expect(play.last.text).toBe("couldn't insert order in book");
  expect([states(play, "g"), play.rig.marketData("M").marketTradingMode]).toEqual([["1 12 94"], 1]);
  play.run("amend a @115");
  expect(play.last.text).toBe("");
  expect([play.rig.marketData("M").marketTradingMode, play.trades(1).length]).toEqual([4, 0]);
  expect(play.rig.shownOrder(play.ids.get("a")!)).toMatchObject({
    status: 1,
    version: 2n,
    remaining: 12n,
    price: "115",
  });
  expect(play.queue("buy")[0]).toBe("x 12@115");
  play.run("/ 6");
  expect(play.trades(1)).toEqual(["x-p2 10@115", "x-z 2@115"]);
});

test("orders can be amended and cancelled during a price auction", () => {
  const play = opened(BOUND);
  play.run("z S 5@115; z S 1@118; x B 12@115 =in; y B 2@116 GFA =g; amend g -1; amend g GTC");
  expect(play.last.text).toBe("OrderError: Cannot amend TIF from GFA or GFN");
  expect(play.rig.marketData("M")).toMatchObject({ indicativePrice: "115", indicativeVolume: 13n });
  play.run("/ 6");
  expect(play.trades(1)).toEqual(["y-p2 1@115", "x-p2 9@115", "x-z 3@115"]);
});

test("a parked pegged order releases its margin, can be amended, and needs margin again on its return", () => {
  const play = opened(BOUND);
  play.run("y B 10 BID-5 =peg; z S 5@115");
  expect(play.margin("y")).toBe(120n);
  play.run("x B 12@115 =in");
  expect([play.margin("y"), play.general("y")]).toEqual([0n, MILLIONS]);
  play.run("amend peg -4; cancel in; / 6");
  expect(states(play, "peg")).toEqual(["1 6 85"]);
  expect(play.margin("y")).toBe(72n);
});

test("both sides pay half the fees of a price auction, a party that trades with itself both halves", () => {
  const play = opened(BOUND, {
    parameters: { "market.fee.factors.infrastructureFee": "0.002", "market.fee.factors.makerFee": "0.01" },
  });
  play.run("y S 3@111; x S 5@112; z S 3@118; p2 B 1@50 =q; cancel s; x B 8@115 =in");
  // asks y3@111, x5@112; bids 8@115: V=8 @112..115 → 113;
  expect(play.rig.marketData("M")).toMatchObject({ indicativePrice: "113", indicativeVolume: 8n });
  play.run("/ 6");
  expect(play.trades(1)).toEqual(["x-y 3@113", "x-x 5@113"]);
  const [a, b] = play.rig.trades("M").slice(1);
  // 339*.002=.678→1 → half ceil 1 each; 565*.002 = 1.13→2 → 1 each
  expect([a!.buyerFee, a!.sellerFee, b!.buyerFee, b!.sellerFee]).toMatchObject(
    Array(4).fill({ makerFee: "0", infrastructureFee: "1", liquidityFee: "0" }),
  );
});

test("an auction uncrosses at a price that fills all buys and leaves a part of the last sell", () => {
  const play = crossing("a B 5@102; b B 5@101; c S 3@99; c S 3@100; d S 5@101 =d");
  expect(play.rig.marketData("M")).toMatchObject({ indicativePrice: "101", indicativeVolume: 10n });
  play.open();
  expect(play.trades()).toEqual(["a-c 3@101", "a-c 2@101", "b-c 1@101", "b-d 4@101"]);
  expect(states(play, "d")).toEqual(["1 1 101"]);
});

test("an auction uncrosses at a price that fills all sells and leaves a part of the last buy", () => {
  const play = crossing("a B 8@102; b B 5@101 =b; c S 4@100; d S 6@101");
  expect(play.rig.marketData("M")).toMatchObject({ indicativePrice: "101", indicativeVolume: 10n });
  play.open();
  expect(play.trades()).toEqual(["a-c 4@101", "a-d 4@101", "b-d 2@101"]);
  expect(states(play, "b")).toEqual(["1 3 101"]);
});

test("an uncrossing price can lie between ticks", () => {
  const rig = createMarketRig({ assets: { ETH: { decimals: 1 } } });
  rig.createMarket("M", { asset: "ETH", ...LIGHT, openingSeconds: 5 });
  const play = new Play(rig, "M").deposit(MILLIONS, "p1", "p2", "lp", "a", "c");
  play.run("lp lp(1000, 0, BID-10, ASK+10); p1 B 1@50; p2 S 1@200; a B 5@106; c S 5@95");
  expect(play.rig.marketData("M").indicativePrice).toBe("100");
  play.open();
  expect(play.trades()).toEqual(["a-c 5@100"]);
  expect(rig.events("settlePosition").at(-1)!.payload.price).toBe("1005");
  // a's margin: P 1005
  play.run("p1 B 1@99 =q");
  expect(play.rig.marginLevels("p1", "M")!.maintenanceMargin).toBe("201"); // 2 lots * .1 * 1005
});

test("an auction goes on if its trades would empty a side of the book", () => {
  const play = opened();
  play.run("cancel b; /; y B 3@92; x B 10@110; / 2");
  expect(play.rig.marketData("M")).toMatchObject({
    marketTradingMode: 4,
    extensionTrigger: 6,
    indicativeVolume: 10n,
    indicativePrice: "110",
  });
  play.run("z S 1@111 GFA; / 3");
  expect(play.rig.marketData("M").marketTradingMode).toBe(4);
  play.run("z S 1@112; / 3");
  expect([play.rig.marketData("M").marketTradingMode, play.mark()]).toEqual([1, 110n]);
});

test("trading that ends by the chain's time ends before the market's own tick", () => {
  const rig = createMarketRig();
  const at = rig.nowNs / SECOND_NS + 20n;
  rig.createMarket("M", { asset: "ETH", ...LIGHT, terminationSeconds: at });
  const play = new Play(rig, "M").deposit(MILLIONS, "p1", "p2", "lp");
  play.run("lp lp(1000, 0, BID-10, ASK+10); p1 B 10@90; p2 S 10@110; p1 B 1@100; p2 S 1@100").open();
  while (rig.nowNs / SECOND_NS < at - 1n) play.run("/");
  expect(play.rig.marketData(play.market).marketState).toBe(5);
  play.run("/");
  expect(play.rig.marketData(play.market).marketState).toBe(8);
  rig.settle(100);
  expect(play.rig.marketData(play.market).marketState).toBe(9);
});

test("an updated market listens to its new oracle only", () => {
  const play = opened();
  const n = play.rig.events().length;
  play.rig.updateMarket("M", { asset: "ETH", ...LIGHT, oracle: idOf("new") });
  const specs = eventsFrom(play, n, "oracleSpec").map(({ payload }) => {
    const { status, data } = payload.externalDataSourceSpec.spec;
    return `${status} ${data.external.oracle.filters[0].key.name}`;
  });
  // The old ones go as those of a market that has ended do, and the new ones come as those of a new market.
  expect(specs).toEqual([
    ...["2 trading.terminated", "2 prices.settlement"],
    ...["1 prices.settlement", "1 trading.terminated"],
  ]);
  expect(play.rig.terminate().code).not.toBe(0);
  expect(play.rig.marketData(play.market).marketState).toBe(5);
  expect(play.rig.terminate(idOf("new")).code).toBe(0);
  expect(play.rig.marketData(play.market).marketState).toBe(8);
});

test("a price trigger without a price in its horizon is skipped in an auction", () => {
  const waited = (seconds: number) =>
    opened(BOUND).run(`/ ${seconds}; cancel s; /; y S 5@120; y S 1@125; x B 5@120; / 2`).rig.marketData("M");
  expect(waited(50)).toMatchObject({ marketTradingMode: 4, extensionTrigger: 3 });
  expect(waited(70)).toMatchObject({ marketTradingMode: 1, markPrice: "120" });
});

test("an order filled twice at an uncrossing is emitted twice, both times in its final state", () => {
  const play = crossing("a B 8@102; b B 5@101; c S 4@100; d S 6@101; / 5");
  const seen = play.rig.events().length;
  play.run("/");
  const shown = eventsFrom(play, seen, "order", "trade").map(({ member, payload }) =>
    member === "order" ? `${payload.partyId} ${payload.status} ${payload.remaining}` : member,
  );
  expect(shown.slice(0, 8)).toEqual(["a 5 0", "trade", "a 5 0", "b 1 3", "trade", "trade", "c 5 0", "d 5 0"]);
});
