// Price monitoring over time (reference 70, sections 1.7, 3.5 and 8.1): which price of the past a trigger looks at, and what an
// update of the market leaves of them.
import { expect, test } from "bun:test";
import { BOUND, bounds, NS, opened } from "./scenario-markets.ts";

const SHORT_AND_LONG = {
  ...BOUND,
  linearSlippage: "0",
  quadraticSlippage: "0",
  triggers: [
    { horizon: 10, probability: 0.95, extension: 5 },
    { horizon: 100, probability: 0.99, extension: 7 },
  ],
};

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
