// Auctions that follow from one another: what extends them, and market data meanwhile
// (docs/protocol/70-trading-orders.md#27-pegged-orders-brief, #34-entering-an-auction,
// #35-indicative-price-and-uncrossing, docs/protocol/70-trading-liquidity.md#81-price-monitoring and
// #82-liquidity-monitoring). Notation of statements and results: rig.ts.
import { expect, test } from "bun:test";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import type { MarketRigOptions, Play } from "./rig.ts";
import { FLAT, feeFactors, M4, MILLIONS, market } from "./sample-markets.ts";

const PARAMETERS = { ...feeFactors("0.004", "0.001"), "market.auction.minimumDuration": "10s" };
const MONITORED = {
  simple: { long: 0.1, short: 0.1, up: 10, down: -10 },
  linearSlippage: "0.5",
  quadraticSlippage: "0",
  triggers: [{ horizon: 100, probability: 0.99, extension: 300 }],
  targetStake: { windowSeconds: 86_400, scaling: 1 },
  triggeringRatio: "0.8",
  openingSeconds: 10,
};
const QUOTES = "p1 B 1@900; p1 B 1@990; p1 B 10@1000; p2 S 1@1100; p2 S 1@1010; p2 S 10@1000";

/** Opened at 1000 with ten contracts. @param offset of the orders beside the best prices */
function opened(commitment: number, ratio = "0.8", quotes = QUOTES, offset = 2): Play {
  const options: MarketRigOptions = { parameters: PARAMETERS };
  const play = market({ ...MONITORED, triggeringRatio: ratio }, options).deposit(MILLIONS, "p1", "p2", "lp");
  const buys = `BID-${offset}*1 MID-1*2`;
  const sells = `ASK+${offset}*1 MID+1*2`;
  return play.run(`lp lp(${commitment}, 0.001, ${buys}, ${sells}); ${quotes}`).open();
}

const amended = (play: Play, commitment: number): Play => {
  expect(play.rig.amendProvision("lp", "M", { commitment }).text).toBe("");
  return play;
};

/** Mode, trigger/extension, mark, target/supplied stake, open interest. */
function shown(play: Play): string {
  const data = play.rig.marketData("M");
  const { marketTradingMode, trigger, extensionTrigger, markPrice, targetStake, suppliedStake } = data;
  return `${marketTradingMode} ${trigger}/${extensionTrigger} ${markPrice} ${targetStake}/${suppliedStake} ${data.openInterest}`;
}

/** Seconds that the auction lasts as it is now. */
const lasts = (play: Play): bigint => {
  const { auctionStart, auctionEnd } = play.rig.marketData("M");
  return (auctionEnd - auctionStart) / SECOND_NS;
};

test("too little stake begins an auction at the next tick, which prices extend, and then the stake for its trades", () => {
  const play = opened(1000).run("p2 S 2@1010; p1 B 10@1010");
  expect(play.trades(1)).toEqual(["p1-lp 1@1001", "p1-p2 1@1010", "p1-p2 2@1010"]);
  expect(shown(play)).toBe("1 0/0 1000 1400/1000 14");
  play.run("/");
  expect(shown(play)).toBe("4 5/0 1010 1414/1000 14");
  expect(lasts(play)).toBe(10n);
  play.run("p1 B 20@1020; p2 S 20@1020");
  amended(play, 3468).run("/ 11");
  // The stake is enough for 34 contracts at 1020; the price is not within 10 of what was traded.
  expect(shown(play)).toBe("4 5/3 1010 3468/3468 14");
  expect(lasts(play)).toBe(310n);
  play.run("p1 B 10@1020; p2 S 10@1020; / 300");
  expect(shown(play)).toBe("4 5/5 1010 4488/3468 14");
  amended(play, 4488).run("/ 2");
  expect(shown(play)).toBe("1 0/0 1020 4488/4488 44");
  expect(play.rig.marketData("M").priceMonitoringBounds).toMatchObject([
    { minValidPrice: "1010", maxValidPrice: "1030" },
  ]);
});

test("a price auction goes on until there is stake for its trades", () => {
  const play = opened(2000).run("p2 S 20@1020; p1 B 20@1020");
  expect(shown(play)).toBe("4 3/0 1000 3060/2000 10");
  play.run("/ 301");
  expect(shown(play)).toBe("4 3/5 1000 3060/2000 10");
  // It began below 0.8 of the target, and ends, once it was extended, with all of it.
  amended(play, 3000).run("/");
  expect(shown(play)).toBe("4 3/5 1000 3060/3000 10");
  amended(play, 3060).run("/");
  expect(shown(play)).toBe("1 0/0 1020 3060/3060 30");
});

test("a side of the book that empties and refills within a block begins no auction", () => {
  const quotes = "p1 B 1@991; p1 B 1@1000; p2 S 1@1009; p2 S 1@1000";
  const emptied = () => opened(2000, "0", quotes, 1).run("p1 B 4 IOC");
  const play = emptied();
  expect(play.trades(1)).toEqual(["p1-lp 2@1001", "p1-p2 1@1009", "p1-lp 1@1010"]);
  expect([play.queue("sell"), play.queue("buy")]).toEqual([[], ["p1 1@991"]]);
  play.run("/");
  expect(shown(play)).toBe("4 6/0 1010 505/2000 5");

  const filled = emptied().run("p1 S 1@1009; /");
  expect(shown(filled)).toBe("1 0/0 1010 505/2000 5");
  expect(filled.queue("sell")).toEqual(["lp 2@1001", "p1 1@1009", "lp 1@1010"]);
  // The reference is the average of the block with the opening: (1000 + 2*1001 + 1009 + 1010) / 5 = 1004.2.
  expect(filled.rig.marketData("M").priceMonitoringBounds).toMatchObject([
    { minValidPrice: "995", maxValidPrice: "1014", referencePrice: "1004" },
  ]);
});

test("an opening auction is extended by a second at each tick, counted from its planned end", () => {
  const play = market({ ...MONITORED, openingSeconds: 1 }).deposit(MILLIONS, "p1", "p2", "lp");
  play.run("lp lp(700, 0.001, BID-2, ASK+2); p1 B 1@900; p1 B 10@1000; p2 S 1@1100; p2 S 10@1000");
  play.rig.nextBlock(2);
  expect([shown(play), lasts(play)]).toEqual(["3 2/5 0 1000/700 0", 2n]);
  amended(play, 801).run("/; p1 B 10@1020; p2 S 20@1020");
  expect([shown(play), lasts(play)]).toEqual(["3 2/5 0 1010/801 0", 3n]);
  amended(play, 1010).run("/");
  expect([shown(play), lasts(play)]).toEqual(["1 0/0 1010 1010/1010 10", 0n]);
  // 1000/1010 and 1020/1010 have 16 digits: the bounds are a hair within 1000 and 1020.
  expect(play.rig.marketData("M").priceMonitoringBounds).toMatchObject([
    { minValidPrice: "1001", maxValidPrice: "1019", referencePrice: "1010" },
  ]);
});

// docs/protocol/70-trading-liquidity.md#82-liquidity-monitoring
test.each([
  [0, 1n],
  [7, 7n],
])(
  "an auction without enough stake goes on by its extension of %d seconds, or a second at least",
  (liquidityExtension, seconds) => {
    const config = { ...MONITORED, openingSeconds: 1, liquidityExtension };
    const play = market(config).deposit(MILLIONS, "p1", "p2", "lp");
    play.run("lp lp(700, 0.001, BID-2, ASK+2); p1 B 1@900; p1 B 10@1000; p2 S 1@1100; p2 S 10@1000");
    expect(lasts(play)).toBe(1n);
    play.rig.nextBlock(2);
    expect([shown(play), lasts(play)]).toEqual(["3 2/5 0 1000/700 0", 1n + seconds]);
  },
);

test("pegged orders that cannot be paid for at the uncrossing are cancelled, with the price they would have had", () => {
  const play = market(M4).deposit(MILLIONS, "p1", "p2", "p3", "p4", "lp").deposit(1n, "poor");
  play.run(
    "p4 B 100000 BID-1 =bid; p4 B 100000 MID-1 =low; poor S 100000 ASK+1 =ask; poor S 100000 MID+1 =high",
  );
  const states = () =>
    ["bid", "low", "ask", "high"].map((name) => `${play.order(name).status} ${play.order(name).price}`);
  expect(states()).toEqual(["8 0", "8 0", "8 0", "8 0"]);
  play
    .run("p3 B 1@900; p4 S 1@1100; p1 B 5@1000; p2 S 5@1000 GFA; lp lp(90000, 0.1, MID-100, MID+100)")
    .open();
  expect(states()).toEqual(["1 899", "1 999", "3 1101", "3 1001"]);
  expect([play.queue("sell"), play.queue("buy")]).toEqual([
    ["p4 1@1100", "lp 82@1100"],
    ["p4 100000@999", "p3 1@900", "lp 100@900", "p4 100000@899"],
  ]);
  // They do not come back with the next best price.
  play.run("p3 S 1@1000; /");
  expect(states()).toEqual(["1 899", "1 949", "3 1101", "3 1001"]);
  expect(play.queue("sell")).toEqual(["p3 1@1000", "lp 86@1050", "p4 1@1100"]);
});

test("the price at which an opening auction uncrosses counts, not the one that it indicated first", () => {
  const play = market(
    {
      ...FLAT,
      simple: { long: 0.1, short: 0.1, up: 2, down: -3 },
      triggers: MONITORED.triggers,
      openingSeconds: 10,
    },
    { parameters: { "network.floatingPointUpdates.delay": "10s" } },
  ).deposit(MILLIONS, "p1", "p2", "lp");
  play.run("lp lp(90000, 0.1, BID-100, ASK+100); p1 B 1@10 GFA =b; p2 S 1@10 GFA; /");
  expect(play.rig.marketData("M").priceMonitoringBounds).toMatchObject([
    { minValidPrice: "7", maxValidPrice: "12", referencePrice: "10" },
  ]);
  play.run("p1 B 1@1000; p2 S 1@11000; p1 B 6@10000; p2 S 5@10000").open();
  expect([play.mark(), play.order("b").status]).toEqual([10_000n, 3]);
  expect(play.rig.marketData("M").priceMonitoringBounds).toMatchObject([
    { minValidPrice: "9997", maxValidPrice: "10002", referencePrice: "10000" },
  ]);
});

// docs/protocol/70-trading-markets.md#12-fields-proto
test("auctions last whole seconds, even if the minimum duration has a fraction", () => {
  const parameters = { "market.auction.minimumDuration": "1500ms" };
  const quote = (): Play => {
    const triggers = [{ horizon: 60, probability: 0.95, extension: 1 }];
    const play = market({ ...MONITORED, triggers, targetStake: { scaling: 0.000_01 } }, { parameters });
    return play.deposit(MILLIONS, "a", "b", "lp").run("lp lp(10000, 0.001, BID-5, ASK+5); a B 5@90 =bid");
  };
  const opening = () => quote().run("b S 5@110 =ask; a B 1@100; b S 1@100");
  const length = (play: Play) => {
    const { auctionStart, auctionEnd } = play.rig.marketData("M");
    return auctionEnd - auctionStart;
  };
  expect(length(opening().open().run("cancel ask; b S 5@115; b S 1@112; a B 1@112"))).toBe(SECOND_NS);
  expect(length(opening().open().run("cancel bid; /"))).toBe(SECOND_NS);
  const raised = opening();
  raised.rig.setParameter("market.auction.minimumDuration", "17500ms");
  expect(length(raised)).toBe(17n * SECOND_NS);
});
