// Price monitoring: bounds, the auctions that begin where they are left, and what updates leave of them
// (docs/protocol/70-trading-markets.md#17-market-update,
// docs/protocol/70-trading-orders.md#35-indicative-price-and-uncrossing and
// docs/protocol/70-trading-liquidity.md#81-price-monitoring; docs/protocol/70-trading-scenarios.md#s21-price-auction
// and #s26-price-bounds-log-normal). Notation of statements and results: rig.ts.
import { describe, expect, test } from "bun:test";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import type { Play } from "./rig.ts";
import {
  amounts,
  around1000,
  BOUND,
  bounds,
  eventsFrom,
  FLAT,
  feesOf,
  LIQUIDITY_PAY,
  LN,
  lastOrder,
  MILLIONS,
  market,
  opened,
  VOID,
} from "./sample-markets.ts";

const SHORT_AND_LONG = {
  ...BOUND,
  linearSlippage: "0",
  quadraticSlippage: "0",
  triggers: [
    { horizon: 10, probability: 0.95, extension: 5 },
    { horizon: 100, probability: 0.99, extension: 7 },
  ],
};

/** Two triggers that a price breaks alike. */
const BOTH = [
  { horizon: 60, probability: 0.95, extension: 5 },
  { horizon: 600, probability: 0.99, extension: 7 },
];

/** An opening auction of ten seconds that has seen a tick. */
const opening = (orders: string): Play =>
  market({ ...SHORT_AND_LONG, openingSeconds: 10 })
    .deposit(MILLIONS, "p1", "p2")
    .run(`${orders}; /`);

/** Changed to move by 20, which counts when bounds are worked out next. */
const changeTo20 = (play: Play): void => {
  const simple = { ...SHORT_AND_LONG.simple, up: 20, down: -20 };
  play.rig.updateMarket("M", { asset: "ETH", ...SHORT_AND_LONG, simple });
};

test("a trigger's reference is the last price before its horizon, or else the first price within it", () => {
  const play = opened(SHORT_AND_LONG).run("y S 1@105; / 60; x B 1@105; / 40");
  expect(bounds(play)).toEqual(["10 95-115 105", "100 90-110 100"]);
  // The opening is more than a hundred seconds ago, and forgotten.
  play.run("/");
  expect(bounds(play)).toEqual(["10 95-115 105", "100 95-115 105"]);
  play.run("y S 1@103; x B 1@103; / 10");
  expect(bounds(play)).toEqual(["10 93-113 103", "100 95-115 105"]);
  // The newest one stays, however old it is.
  play.run("/ 200");
  expect(bounds(play)).toEqual(["10 93-113 103", "100 93-113 103"]);
});

test("time that passes in an auction moves a trigger's reference on", () => {
  const play = opened(SHORT_AND_LONG).run("y S 1@106; / 60; x B 1@106; z S 1@102; / 25; x B 1@102; / 14");
  expect(bounds(play)).toEqual(["10 92-112 102", "100 90-110 100"]);
  const begin = play.rig.nowNs;
  // 113 breaks the first bound; 10% of 106 would let it pass the second one, that of 100 does not.
  play.run("z S 1@118; cancel s; z S 1@113; x B 1@113");
  expect(play.rig.marketData("M")).toMatchObject({
    marketTradingMode: 4,
    auctionEnd: begin + 5n * SECOND_NS,
  });
  expect(bounds(play)).toEqual(["100 90-110 100"]);
  // By the auction's end the opening is more than a hundred seconds ago, and the trade at 106 is not.
  play.run("/ 5");
  expect(bounds(play)).toEqual(["100 96-116 106"]);
  play.run("/");
  expect([play.rig.marketData("M").marketTradingMode, play.mark()]).toEqual([1, 113n]);
});

test("an update in continuous trading keeps past prices, with bounds of a tenth until they are recomputed", () => {
  const play = opened(SHORT_AND_LONG);
  const changed = (up: number) => ({
    asset: "ETH",
    ...SHORT_AND_LONG,
    simple: { ...SHORT_AND_LONG.simple, up, down: -up },
  });
  play.rig.updateMarket("M", changed(20));
  expect(bounds(play)).toEqual(["10 90-110 100", "100 90-110 100"]);
  play.run("z S 1@111; cancel s; z S 1@119; x B 1@111; /");
  expect(play.rig.marketData("M").marketTradingMode).toBe(4);
  expect(bounds(play)).toEqual(["100 90-110 100"]);
  // An update puts a bound that was broken on again.
  play.rig.updateMarket("M", changed(20));
  expect(bounds(play)).toEqual(["10 90-110 100", "100 90-110 100"]);
  // The one trade breaks them one after the other, and then the end of the auction works them out.
  play.run("/ 5");
  expect(bounds(play)).toEqual(["100 90-110 100"]);
  play.run("/ 5");
  expect(bounds(play)).toEqual([]);
  play.run("/ 7");
  expect(bounds(play)).toEqual(["10 91-131 111", "100 91-131 111"]);
});

test("an update in an opening auction makes the next indicative price the reference", () => {
  const play = opening("p1 B 1@100 =b; p2 S 1@100 =s");
  expect(bounds(play)).toEqual(["10 90-110 100", "100 90-110 100"]);
  play.rig.updateMarket("M", {
    asset: "ETH",
    ...SHORT_AND_LONG,
    simple: { long: 0.1, short: 0.1, up: 20, down: -20 },
  });
  play.run("cancel b; cancel s; p1 B 1@200; p2 S 1@200; /");
  expect(bounds(play)).toEqual(["10 180-220 200", "100 180-220 200"]);
});

test("an update in an opening auction keeps the old reference until another price is indicated", () => {
  const play = opening("p1 B 1@100 =b; p2 S 1@100 =s").run("cancel b; cancel s");
  changeTo20(play);
  expect(bounds(play)).toEqual(["10 90-110 100", "100 90-110 100"]);
  play.run("/; p1 B 1@200; p2 S 1@200; /");
  expect(bounds(play)).toEqual(["10 180-220 200", "100 180-220 200"]);
});

test("the first trade after an update is checked, but does not become a reference", () => {
  const play = opened(SHORT_AND_LONG);
  changeTo20(play);
  play.run("y S 1@105; x B 1@105; / 11");
  expect(bounds(play)).toEqual(["10 90-110 100", "100 90-110 100"]);
  play.run("y S 1@106; x B 1@106; / 11");
  expect(bounds(play)).toEqual(["10 96-116 106", "100 90-110 100"]);
});

test("a price auction with an update does not end until something would trade", () => {
  const play = opened(SHORT_AND_LONG).run("z S 1@118; cancel s; z S 1@115 =ask; x B 1@115 =bid");
  changeTo20(play);
  play.run("cancel ask; cancel bid; / 30");
  expect(play.rig.marketData("M")).toMatchObject({ marketTradingMode: 4, trigger: 3, extensionTrigger: 0 });
  play.run("z S 1@109; x B 1@109; /");
  expect([play.rig.marketData("M").marketTradingMode, play.mark()]).toEqual([1, 109n]);
});

test("prices of an auction for orders do not become references", () => {
  // The one trigger has no price within its horizon any more, so that it lets 120 pass.
  const play = opened(BOUND).run("/ 70; cancel s; /; y S 5@120 =ask; y S 1@125; x B 3@120; / 2");
  expect([play.rig.marketData("M").marketTradingMode, play.mark()]).toEqual([1, 120n]);
  expect(bounds(play)).toEqual(["60 90-110 100"]);
  play.run("/ 5; x B 1@120");
  expect(play.rig.marketData("M")).toMatchObject({ marketTradingMode: 4, trigger: 3 });
  // Its own price is the only one, and 130/120 has 16 digits.
  play.run("/ 6");
  expect(bounds(play)).toEqual(["60 111-129 120"]);
});

test("a price auction that ends without trades keeps only the last price as reference", () => {
  const play = opened(SHORT_AND_LONG).run("/; y S 1@105; x B 1@105; / 12; cancel s; z S 1@112");
  expect(bounds(play.run("/"))).toEqual(["10 95-115 105", "100 90-110 100"]);
  play.run("y S 1@120 =ask; x B 2@120 =bid; cancel ask; cancel bid; /");
  expect(play.rig.marketData("M")).toMatchObject({ marketTradingMode: 4, trigger: 3 });
  // 112 breaks the second bound and 120 the first: 12 seconds.
  play.run("/ 13");
  expect([play.rig.marketData("M").marketTradingMode, play.mark()]).toEqual([1, 105n]);
  expect(bounds(play)).toEqual(["10 96-114 105", "100 96-114 105"]);
});

test("an auction for orders that ends without trades keeps all reference prices", () => {
  const play = opened(SHORT_AND_LONG).run("/; y S 1@105; x B 1@105; / 12; cancel s; /; z S 1@112; / 2");
  expect(play.rig.marketData("M").marketTradingMode).toBe(1);
  expect(bounds(play)).toEqual(["10 96-114 105", "100 90-110 100"]);
});

test("an auction for orders that was extended for its price is checked for its price first", () => {
  const play = opened({ ...SHORT_AND_LONG, triggers: BOTH }).run("cancel s; /");
  const begin = play.rig.nowNs;
  play.run("y S 5@120; y S 1@125 =last; x B 5@120; / 2");
  expect(play.rig.marketData("M")).toMatchObject({ extensionTrigger: 3, auctionEnd: begin + 6n * SECOND_NS });
  // No sale would be left, which is asked for when no bound is broken any more.
  play.run("cancel last; / 5");
  expect(play.rig.marketData("M")).toMatchObject({
    extensionTrigger: 3,
    auctionEnd: begin + 13n * SECOND_NS,
  });
  play.run("/ 7");
  expect(play.rig.marketData("M")).toMatchObject({ trigger: 6, extensionTrigger: 6 });
});

test("open interest of a block older than the window begins no auction", () => {
  const config = { ...FLAT, targetStake: { windowSeconds: 10, scaling: 20 }, triggeringRatio: "0" };
  const play = opened(config).run("y S 10@105; x B 10@105; y B 10@104; x S 10@104; / 12");
  // The last block with trades is what is shown for the target: 11 at 104.
  const shown = { openInterest: 1n, targetStake: "2288", suppliedStake: "1000" };
  expect(play.rig.marketData("M")).toMatchObject(shown);
  play.rig.updateMarket("M", { asset: "ETH", ...config, triggeringRatio: "1" });
  play.run("/");
  expect(play.rig.marketData("M")).toMatchObject({ ...shown, marketTradingMode: 1 });
});

// docs/protocol/70-trading-liquidity.md#81-price-monitoring
test.each([
  [1, "1 1000-1000 1000"],
  [1000, "1000 986-1014 1000"],
  [100_000, "100000 864-1154 1000"],
])("bounds of a log-normal model for a horizon of %d seconds", (horizon, shown) => {
  const play = market({ ...LN, triggers: [{ horizon, probability: 0.99, extension: 300 }] });
  play.deposit(MILLIONS * 1000n, "p1", "p2", "lp");
  play.run("lp lp(90000000, 0.1, BID-100, ASK+100); p1 B 1@900; p2 S 1@1100; p1 B 1@1000; p2 S 1@1000");
  expect(bounds(play.open())).toEqual([shown]);
});

// docs/protocol/70-trading-liquidity.md#82-liquidity-monitoring
test("the target stake truncates fractions of the open interest", () => {
  const play = opened({ ...FLAT, positionDecimals: 1, targetStake: { scaling: 10 } });
  play.run("y S 4@105; x B 4@105; /");
  // 5 tenths at 105 are 52.5.
  expect(play.rig.marketData("M")).toMatchObject({ openInterest: 5n, markPrice: "105", targetStake: "52" });
});

// docs/protocol/70-trading-liquidity.md#81-price-monitoring
test("triggers are sorted by horizon, the shortest first, whatever their probability", () => {
  const extensionWith = (...triggers: readonly (readonly [horizon: number, probability: number])[]) => {
    const play = opened({
      ...SHORT_AND_LONG,
      triggers: triggers.map(([horizon, probability]) => ({ horizon, probability, extension: horizon / 10 })),
    });
    const horizons = bounds(play).map((line) => Number(line.split(" ")[0]));
    expect(horizons).toEqual(triggers.map(([horizon]) => horizon).sort((a, b) => a - b));
    // A single trade breaks all bounds, and switches off the first of them.
    play.run("z S 1@118; cancel s; z S 1@115; x B 1@115");
    const { auctionStart, auctionEnd } = play.rig.marketData("M");
    return (auctionEnd - auctionStart) / SECOND_NS;
  };
  expect(extensionWith([600, 0.95], [60, 0.99])).toBe(6n);
  expect(extensionWith([600, 0.95], [60, 0.95])).toBe(6n);
  expect(extensionWith([600, 0.99], [60, 0.95])).toBe(60n);
});

// docs/protocol/70-trading-events.md#93-marketdata
test("of two triggers with one horizon the one of lower probability is emitted first, whichever is checked first", () => {
  const trigger = { horizon: 60, extension: 5 };
  const triggers = [
    { ...trigger, probability: 0.99 },
    { ...trigger, probability: 0.95 },
  ];
  const shown = opened({ ...SHORT_AND_LONG, triggers }).rig.marketData("M").priceMonitoringBounds;
  expect(shown.map((bound) => bound.trigger!.probability)).toEqual(["0.95", "0.99"]);
});

// docs/protocol/70-trading-events.md#93-marketdata
test("static prices and volumes exclude pegs and provisions; middle prices are floored in market units", () => {
  const play = opened({}, { assets: { ETH: { decimals: 1 } } });
  play.run("p1 B 2@93; x B 3 BID-0; y S 4 MID+1; /");
  expect(play.rig.marketData("M")).toMatchObject({
    ...{ bestBidPrice: "93", bestBidVolume: 5n, bestStaticBidPrice: "93", bestStaticBidVolume: 2n },
    // The middle is 101.5, and that of 93 and 102.5 is 97.75.
    ...{ bestOfferPrice: "102", bestOfferVolume: 4n, midPrice: "97" },
    ...{ bestStaticOfferPrice: "110", bestStaticOfferVolume: 10n, staticMidPrice: "101" },
  });
});

// docs/protocol/70-trading-events.md#93-marketdata
test("market data of an auction without an end has none, and the next mark is unset before the first", () => {
  const play = market(
    { ...BOUND, openingSeconds: 0 },
    {
      parameters: { "network.markPriceUpdateMaximumFrequency": "5s" },
    },
  );
  const begin = play.rig.nowNs;
  play.run("/ 5");
  expect(play.rig.marketData("M")).toMatchObject({
    ...{ marketTradingMode: 3, auctionEnd: 0n, markPrice: "0", lastTradedPrice: "0", midPrice: "0" },
    nextMarkToMarket: -6_795_364_578_871_345_152n + 5n * SECOND_NS,
  });
  play.rig.setParameter("network.markPriceUpdateMaximumFrequency", "8s");
  play.run("/");
  expect(play.rig.marketData("M").nextMarkToMarket).toBe(-6_795_364_578_871_345_152n + 8n * SECOND_NS);
  expect(play.rig.marketData("M").auctionStart).toBeLessThanOrEqual(begin);
  expect(play.rig.marketData("M").auctionStart).toBeGreaterThan(0n);
});

// docs/protocol/70-trading-liquidity.md#81-price-monitoring
test("an auction for orders begins without triggers whose horizon has no price", () => {
  const play = opened({ ...BOUND, triggers: [{ horizon: 5, probability: 0.95, extension: 5 }] });
  play.run("/ 10");
  expect(bounds(play)).toHaveLength(1);
  play.run("cancel s; /");
  const data = () => play.rig.events("marketData").at(-1)!.payload;
  expect(data()).toMatchObject({ marketTradingMode: 4, priceMonitoringBounds: [] });
});

// docs/protocol/70-trading-scenarios.md#s21-price-auction
describe("a trade beyond the price bounds", () => {
  const opened = () => {
    const play = market(
      {
        simple: { long: 0.11, short: 0.1, up: 10, down: -11 },
        linearSlippage: "0.01",
        quadraticSlippage: "0",
        triggers: [
          { horizon: 60, probability: 0.95, extension: 240 },
          { horizon: 600, probability: 0.99, extension: 360 },
        ],
        openingSeconds: 240,
      },
      { parameters: { "market.auction.minimumDuration": "240s" } },
    )
      .deposit(MILLIONS * 1000n, "aux", "aux2", "lp")
      .deposit(MILLIONS * 1000n, "p1", "p2");
    play.run("lp lp(90000000, 0.1, BID-100, ASK+100); aux B 1@99; aux S 1@134; aux2 B 1@100; aux S 1@100");
    play.rig.nextBlock(241, 2);
    expect(play.mark()).toBe(100n);
    expect(play.deployed("lp")).toEqual(["buy 90000000@1", "sell 386267@233"]);
    play.rig.nextBlock(600);
    return play.run("p1 S 1@100; p2 B 1@100");
  };
  test("begins an auction if the order may rest", () => {
    const play = opened();
    expect(amounts(play, LIQUIDITY_PAY)).toEqual([10n]);
    const t0 = play.rig.nowNs;
    const trades = play.trades().length;
    const from = play.rig.events().length;
    play.run("p1 S 1@111 =s; p2 B 1@111 =b");
    expect(play.trades()).toHaveLength(trades);
    expect([play.order("s").status, play.order("b").status]).toEqual([1, 1]);
    const data = play.rig.marketData("M");
    expect([data.marketTradingMode, data.trigger, data.markPrice]).toEqual([4, 3, "100"]);
    // The first trigger's extension; the second one's comes when it has ended.
    expect(data.auctionEnd - data.auctionStart).toBe(240_000_000_000n);
    expect(play.deployed("lp")).toEqual([]);
    const parked = eventsFrom(play, from, "order").filter(({ payload }) => payload.status === 8);
    expect(parked.map(({ payload }) => `${payload.partyId} ${payload.side}`)).toEqual(["lp 1", "lp 2"]);
    play.rig.nextBlock(600);
    expect(play.rig.nowNs - t0).toBe(600_000_000_000n);
    expect(play.rig.marketData("M").marketTradingMode).toBe(4);
    play.rig.nextBlock(1);
    expect(play.rig.marketData("M").marketTradingMode).toBe(1);
    expect(play.trades(trades)).toEqual(["p2-p1 1@111"]);
    expect(play.mark()).toBe(111n);
    expect(amounts(play, LIQUIDITY_PAY).slice(1)).toEqual([6n, 6n]);
    expect(feesOf(play, 1)).toEqual(["0/0/6 0/0/6"]);
  });
  test.each(["FOK", "IOC", "GFN"])("stops the order if it may not rest: %s", (tif) => {
    const play = opened().run(`p1 S 1@111; p2 B 1@111 ${tif} =b`);
    expect([play.order("b").status, play.order("b").reason]).toEqual([4, 47]);
    expect(play.rig.marketData("M").marketTradingMode).toBe(1);
  });
});

// docs/protocol/70-trading-scenarios.md#s26-price-bounds-log-normal
describe("price bounds of a log-normal model", () => {
  const opened = () => {
    const play = market({ ...LN, triggers: [{ horizon: 1000, probability: 0.99, extension: 300 }] }).deposit(
      MILLIONS * 1000n,
      "a",
      "b",
      "lp",
      "p1",
      "p2",
    );
    return play
      .run("lp lp(90000000, 0.1, BID-100, ASK+100); a B 1@900; b S 1@1100; a B 1@1000; b S 1@1000")
      .open();
  };
  test("are the model's around the reference price", () => {
    const [bounds] = opened().rig.marketData("M").priceMonitoringBounds;
    expect([bounds!.minValidPrice, bounds!.maxValidPrice, bounds!.referencePrice]).toEqual([
      "986",
      "1014",
      "1000",
    ]);
  });
  test.each([1009, 995])("let a trade at %d pass", (price) => {
    const play = opened().run(`p1 S 1@${price}; p2 B 1@${price}`);
    expect(play.trades(1)).toEqual([`p2-p1 1@${price}`]);
  });
  test.each([
    [1, 300],
    [400, 400],
  ])("turn a trade at 1015 into an auction: with a minimum of %d seconds it lasts %d", (minimum, length) => {
    const play = opened();
    play.rig.setParameter("market.auction.minimumDuration", `${minimum}s`);
    play.run("p1 S 1@1015; p2 B 1@1015");
    expect(play.trades()).toHaveLength(1);
    const data = play.rig.marketData("M");
    expect([data.marketTradingMode, data.auctionEnd - data.auctionStart]).toEqual([
      4,
      BigInt(length) * SECOND_NS,
    ]);
  });
});

test("price bounds begin with the opening auction's final price, however far from its first indicative price", () => {
  const play = market({
    simple: { long: 0.1, short: 0.1, up: 10, down: -10 },
    triggers: [{ horizon: 60, probability: 0.95, extension: 5 }],
    openingSeconds: 4,
  });
  play.deposit(100_000_000n, "aux", "aux2", "void");
  play.run(`${VOID}; aux B 1@10; aux2 S 1@900; aux B 1@100 =b; aux2 S 1@100 =s; /; cancel b; cancel s`);
  play.run("aux B 1@200; aux2 S 1@200").open();
  const [bounds] = play.rig.marketData("M").priceMonitoringBounds;
  expect([bounds?.minValidPrice, bounds?.referencePrice, bounds?.maxValidPrice]).toEqual([
    "190",
    "200",
    "210",
  ]);
});

test("price bounds of an updated market are recomputed when they would have been without the update", () => {
  const simple = { long: 0.1, short: 0.1, up: 20, down: -20 };
  const triggers = [{ horizon: 60, probability: 0.95, extension: 5 }];
  const config = { simple, triggers, linearSlippage: "0", quadraticSlippage: "0" };
  const play = market({ ...config, targetStake: { scaling: 0.001 } });
  play.deposit(100_000_000n, "aux", "aux2", "void", "p1", "p2");
  play.run(`${VOID}; aux B 1@10; aux2 S 1@900; aux B 1@100; aux2 S 1@100`).open();
  const bounds = () => play.rig.marketData("M").priceMonitoringBounds.map((one) => one.maxValidPrice);
  expect(bounds()).toEqual(["120"]);
  play.rig.updateMarket("M", { asset: "ETH", ...config });
  expect(bounds()).toEqual(["110"]);
  play.run("p1 S 1@100; p2 B 1@100; /");
  expect(bounds()).toEqual(["110"]);
  play.rig.nextBlock(300);
  expect(bounds()).toEqual(["120"]);
  // Prices of a market without triggers are kept for those to come.
  play.rig.updateMarket("M", { asset: "ETH", ...config, triggers: [] });
  play.run("p1 S 1@100; p2 B 1@100; /");
  play.rig.updateMarket("M", { asset: "ETH", ...config });
  expect(bounds()).toEqual(["110"]);
});

test("the price of an order that cannot pay its fees still becomes a reference price", () => {
  const simple = { long: 0.11, short: 0.1, up: 60, down: -60 };
  const play = around1000({ simple, triggers: [{ horizon: 1, probability: 0.95, extension: 50 }] });
  const { rig } = play;
  rig.setParameter("market.fee.factors.infrastructureFee", "1");
  play.deposit(300n, "poor").run("/ 5; aux2 S 1@1050");
  const { id } = rig.order("poor", "M", "buy", 1, undefined);
  expect(lastOrder(play, id)).toMatchObject({ reason: 21, remaining: 1n });
  play.run("/; /");
  const [bounds] = rig.marketData("M").priceMonitoringBounds;
  expect(bounds).toMatchObject({ referencePrice: "1050", minValidPrice: "987", maxValidPrice: "1113" });
});
