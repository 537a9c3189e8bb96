// Price monitoring over time (reference 70, sections 1.7, 3.5 and 8.1): which price of the past a trigger looks at, and what an
// update of the market leaves of them.
import { expect, test } from "bun:test";
import type { Play } from "./rig.ts";
import { BOUND, bounds, FLAT, MILLIONS, market, NS, opened } from "./scenario-markets.ts";

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

test("a trigger looks at the last price from before its horizon, however much older that is", () => {
  const play = opened(SHORT_AND_LONG).run("y S 1@105; / 60; x B 1@105; / 50");
  expect(bounds(play)).toEqual(["10 95-115 105", "100 90-110 100"]);
  // The trade is a horizon old now.
  play.run("/ 49");
  expect(bounds(play)).toEqual(["10 95-115 105", "100 90-110 100"]);
  play.run("/");
  expect(bounds(play)).toEqual(["10 95-115 105", "100 95-115 105"]);
});

test("time that passes in an auction does not move a trigger on to a price within its horizon", () => {
  const play = opened(SHORT_AND_LONG).run("y S 1@106; / 60; x B 1@106; z S 1@102; / 25; x B 1@102; / 14");
  expect(bounds(play)).toEqual(["10 92-112 102", "100 90-110 100"]);
  const begin = play.rig.nowNs;
  // 113 breaks the first bound; 10% of 106 would let it pass the second one, that of 100 does not.
  play.run("z S 1@118; cancel s; z S 1@113; x B 1@113");
  expect(play.rig.marketData("M")).toMatchObject({ marketTradingMode: 4, auctionEnd: begin + 5n * NS });
  expect(bounds(play)).toEqual(["100 90-110 100"]);
  // The opening is more than 100 seconds ago by now.
  play.run("/ 6");
  expect(play.rig.marketData("M")).toMatchObject({
    marketTradingMode: 4,
    extensionTrigger: 3,
    auctionEnd: begin + 12n * NS,
  });
  play.run("/ 7");
  expect([play.rig.marketData("M").marketTradingMode, play.mark()]).toEqual([1, 113n]);
});

test("an update in continuous trading leaves the prices, a tenth each way until bounds are worked out anew", () => {
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

test("an update in an opening auction begins with the price that is indicated next", () => {
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

/** Changed to move by 20, which counts when bounds are worked out next. */
const changeTo20 = (play: Play): void => {
  const simple = { ...SHORT_AND_LONG.simple, up: 20, down: -20 };
  play.rig.updateMarket("M", { asset: "ETH", ...SHORT_AND_LONG, simple });
};

test("an update in an opening auction leaves the old price, until another one is indicated", () => {
  const play = opening("p1 B 1@100 =b; p2 S 1@100 =s").run("cancel b; cancel s");
  changeTo20(play);
  expect(bounds(play)).toEqual(["10 90-110 100", "100 90-110 100"]);
  play.run("/; p1 B 1@200; p2 S 1@200; /");
  expect(bounds(play)).toEqual(["10 180-220 200", "100 180-220 200"]);
});

test("the first trade after an update is looked at, and does not become a price of the past", () => {
  const play = opened(SHORT_AND_LONG);
  changeTo20(play);
  play.run("y S 1@105; x B 1@105; / 11");
  expect(bounds(play)).toEqual(["10 90-110 100", "100 90-110 100"]);
  play.run("y S 1@106; x B 1@106; / 11");
  expect(bounds(play)).toEqual(["10 96-116 106", "100 90-110 100"]);
});

test("a price auction that was updated does not end before something would trade", () => {
  const play = opened(SHORT_AND_LONG).run("z S 1@118; cancel s; z S 1@115 =ask; x B 1@115 =bid");
  changeTo20(play);
  play.run("cancel ask; cancel bid; / 30");
  expect(play.rig.marketData("M")).toMatchObject({ marketTradingMode: 4, trigger: 3, extensionTrigger: 0 });
  play.run("z S 1@109; x B 1@109; /");
  expect([play.rig.marketData("M").marketTradingMode, play.mark()]).toEqual([1, 109n]);
});

test("an auction for orders leaves the prices from before it, which its own do not become", () => {
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

test("an auction for orders that ends without trades keeps all prices", () => {
  const play = opened(SHORT_AND_LONG).run("/; y S 1@105; x B 1@105; / 12; cancel s; /; z S 1@112; / 2");
  expect(play.rig.marketData("M").marketTradingMode).toBe(1);
  expect(bounds(play)).toEqual(["10 96-114 105", "100 90-110 100"]);
});

test("an auction for orders that prices have extended is asked for its prices first", () => {
  const play = opened({ ...SHORT_AND_LONG, triggers: BOTH }).run("cancel s; /");
  const begin = play.rig.nowNs;
  play.run("y S 5@120; y S 1@125 =last; x B 5@120; / 2");
  expect(play.rig.marketData("M")).toMatchObject({ extensionTrigger: 3, auctionEnd: begin + 6n * NS });
  // No sale would be left, which is asked for when no bound is broken any more.
  play.run("cancel last; / 5");
  expect(play.rig.marketData("M")).toMatchObject({ extensionTrigger: 3, auctionEnd: begin + 13n * NS });
  play.run("/ 7");
  expect(play.rig.marketData("M")).toMatchObject({ trigger: 6, extensionTrigger: 6 });
});

test("open interest of a block that lies behind the window begins no auction", () => {
  const config = { ...FLAT, targetStake: { windowSeconds: 10, scaling: 20 }, triggeringRatio: "0" };
  const play = opened(config).run("y S 10@105; x B 10@105; y B 10@104; x S 10@104; / 12");
  // The last block with trades is what is shown for the target: 11 at 104.
  const shown = { openInterest: 1n, targetStake: "2288", suppliedStake: "1000" };
  expect(play.rig.marketData("M")).toMatchObject(shown);
  play.rig.updateMarket("M", { asset: "ETH", ...config, triggeringRatio: "1" });
  play.run("/");
  expect(play.rig.marketData("M")).toMatchObject({ ...shown, marketTradingMode: 1 });
});
