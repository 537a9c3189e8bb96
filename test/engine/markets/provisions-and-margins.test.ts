// What the comparison with the naive model has found (test/simulation/markets.test.ts), each by hand.
import { expect, test } from "bun:test";
import { idOf, type Play } from "./rig.ts";
import { M3, market, VOID } from "./sample-markets.ts";

const GTT = 2;
const IOC = 3;
const STOPPED = 4;

/** A market whose provider covers its target. */
const PROVIDED = {
  ...M3,
  linearSlippage: "1",
  quadraticSlippage: "0",
  targetStake: { scaling: 0.001 },
};

/** Continuous trading at 1000 between 900 and 1100. */
function opened(more: Parameters<typeof market>[0] = {}, parameters: Record<string, string> = {}): Play {
  const play = market({ ...M3, linearSlippage: "1", quadraticSlippage: "0", ...more }, { parameters });
  play.deposit(100_000_000n, "aux", "aux2", "void", "p1", "p2");
  return play.run(`${VOID}; aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000`).open();
}

const shown = (play: Play, id: string) =>
  play.rig.events("order").findLast(({ payload }) => payload.id === id)!.payload;

test("an order may expire at the time of its block: only before is too early", () => {
  const play = opened();
  const { rig } = play;
  const at = (expiresAt: bigint) => rig.order("p1", "M", "buy", 1, 950, { timeInForce: GTT, expiresAt });
  expect(at(rig.nowNs - 1n).text).toBe("invalid expiresAt time");
  const { code, id } = at(rig.nowNs);
  expect(code).toBe(0);
  rig.nextBlock();
  expect(rig.liveOrder(id)).toBeUndefined();
});

test("the batch is that of the book, which refused and waiting orders have not seen", () => {
  const play = opened();
  const { rig } = play;
  rig.deposit("poor", "ETH", 1n);
  expect(shown(play, rig.order("poor", "M", "buy", 10, 950).id)).toMatchObject({ reason: 14, batchId: 0n });
  expect(shown(play, rig.order("p1", "M", "buy", 1, 950).id)).toMatchObject({ batchId: 1n });
});

test("a reduce-only order is stopped when something remains, also where it has met its own party", () => {
  const play = opened();
  const { rig } = play;
  play.run("p2 S 5@1000; p1 B 5@1000; p2 B 2@990; p1 B 4@980");
  const { id } = rig.order("p1", "M", "sell", 5, 970, { timeInForce: IOC, reduceOnly: true });
  expect(shown(play, id)).toMatchObject({ status: STOPPED, reason: 20, remaining: 3n });
});

test("an amendment that expires an order shows it amended", () => {
  const play = opened();
  const { rig } = play;
  const { id } = rig.order("p1", "M", "buy", 5, 950);
  rig.nextBlock(10);
  const payload = {
    orderId: id,
    marketId: idOf("M"),
    sizeDelta: -2n,
    timeInForce: GTT,
    expiresAt: rig.nowNs - 1n,
  };
  expect(rig.deliver("p1", { kind: "orderAmendment", payload }).code).toBe(0);
  expect(shown(play, id)).toMatchObject({ status: 2, size: 3n, remaining: 3n });
});

test("an amendment to nothing cancels the order, whatever else it asks for", () => {
  const play = opened();
  const { rig } = play;
  const { id } = rig.order("p1", "M", "buy", 5, 950);
  const payload = { orderId: id, marketId: idOf("M"), sizeDelta: -5n, expiresAt: 1n };
  expect(rig.deliver("p1", { kind: "orderAmendment", payload }).code).toBe(0);
  expect(shown(play, id)).toMatchObject({ status: 3 });
});

test("an amendment is measured like a new order, also where it only reduces the position", () => {
  const play = opened();
  const { rig } = play;
  // Bids for one of its five: the rest would be closed at any price.
  rig.deposit("p3", "ETH", 6_600n);
  play.run("p2 S 5@1000; p3 B 5@1000 =long; p2 B 10@999");
  const { id, code } = rig.order("p3", "M", "sell", 3, 1050);
  expect(code).toBe(0);
  rig.nextBlock();
  rig.withdraw("p3", "ETH", rig.balance("p3", "ETH"));
  play.run("aux B 1@910; p2 B 1@998");
  const cancelled = rig.deliver("p2", { kind: "orderCancellation", payload: { marketId: idOf("M") } });
  expect(cancelled.code).toBe(0);
  const payload = { orderId: id, marketId: idOf("M"), sizeDelta: 1n };
  expect(rig.deliver("p3", { kind: "orderAmendment", payload }).text).toBe("margin check failed");
});

test("zero amounts share a difference of rounding of either sign, but for zeros below zero", () => {
  const play = opened({ positionDecimals: 2 });
  play.deposit(100_000n, "x", "y").run("p1 S 1@1000; p2 S 3@1000; aux B 4@1000; /");
  // aux wins 4.5; aux2 and p1 lose 0.9 each, p2 2.7; x has sold at the mark price, y has bought.
  play.run("x S 1@1090; y B 1@1090; /");
  const wins = play.transfers(5).filter(({ amount }) => amount > 0n);
  expect(wins.map(({ to, amount }) => `${to} ${amount}`)).toEqual(["aux 1", "y 1"]);
  expect(play.transfers(4).map(({ from, amount }) => `${from} ${amount}`)).toEqual(["p2 2"]);
});

test("price bounds begin with the opening auction's price, however far it is from what was indicated first", () => {
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

test("orders of a provision stand behind what comes to their price", () => {
  const play = market(PROVIDED);
  play.deposit(100_000_000n, "aux", "aux2", "lp", "p1", "p2");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000; lp lp(50000, 0, BID-1, ASK+1)").open();
  expect(play.deployed("lp")).toEqual(["buy 56@899", "sell 46@1101"]);
  play.run("p1 S 2@1101; p2 B 3@1101");
  expect(play.trades().slice(1)).toEqual(["p2-aux2 1@1100", "p2-p1 2@1101"]);
});

test("pegged orders are measured without the orders of provisions", () => {
  const play = market(PROVIDED);
  const { rig } = play;
  play.deposit(100_000_000n, "aux", "aux2", "lp", "p1", "p2");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000; lp lp(50000, 0, BID-1, ASK+1)").open();
  // Short of ten, of which the provision alone could sell enough.
  play.run("p2 B 10@1000; p1 S 10@1000; /");
  rig.order("p1", "M", "buy", 1, undefined, { peg: { reference: 2, offset: "5" } });
  const before = play.levels("p1");
  play.run("aux B 1@905");
  expect(BigInt(play.levels("p1").split("/")[0]!)).toBeGreaterThan(BigInt(before.split("/")[0]!));
});

test("margin of a provider's expired order stays until the block's end, where nothing is deployed", () => {
  const play = market(PROVIDED);
  const { rig } = play;
  play.deposit(100_000_000n, "aux", "aux2", "lp");
  play.run("aux B 1@900; aux2 S 1@1100 =ask; aux B 1@1000; aux2 S 1@1000; lp lp(50000, 0, BID-1, ASK+1)");
  play.open().run("cancel ask");
  expect(play.deployed("lp")).toEqual([]);
  rig.order("lp", "M", "buy", 5, 890, { timeInForce: GTT, expiresAt: rig.nowNs + 1_000_000_000n });
  const held = play.margin("lp");
  expect(held).toBeGreaterThan(0n);
  rig.nextBlock();
  expect(play.margin("lp")).toBe(held);
  rig.nextBlock();
  expect(play.margin("lp")).toBe(0n);
});

test("a provision amended in an auction has the margin of its orders moved", () => {
  const play = market(PROVIDED);
  play.deposit(100_000_000n, "aux", "aux2", "lp");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000; lp lp(50000, 0, BID-1, ASK+1)");
  expect(play.margin("lp")).toBe(0n);
  const payload = { marketId: idOf("M"), commitmentAmount: "60000" };
  expect(play.rig.deliver("lp", { kind: "liquidityProvisionAmendment", payload }).text).toBe("");
  expect(BigInt(play.levels("lp").split("/")[2]!)).toBe(play.margin("lp"));
  expect(play.margin("lp")).toBeGreaterThan(0n);
  expect(play.bond("lp")).toBe(60_000n);
});

/** A provider in continuous trading; fees are not distributed, so that scores gather. */
function scored(model: Parameters<typeof market>[0] = PROVIDED): Play {
  const { linearSlippage, quadraticSlippage, targetStake } = PROVIDED;
  const play = market(
    { ...model, linearSlippage, quadraticSlippage, targetStake },
    { parameters: { "market.liquidity.providers.fee.distributionTimeStep": "100h" } },
  );
  play.deposit(100_000_000n, "aux", "aux2", "near", "far");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000");
  return play.run("lp near(50000, 0, BID-1, ASK+1)").open();
}

const scores = (play: Play) =>
  Object.fromEntries(
    play.rig
      .marketData("M")
      .liquidityProviderFeeShare.map(({ party, averageScore }) => [party, Number(averageScore)]),
  );

test("ticks are counted for all providers: a later one begins with an average of 0", () => {
  const play = scored().run("/ 3; lp far(50000, 0, BID-1, ASK+1); /");
  // Of five ticks, the opening's included, it has had half of the last one.
  expect(scores(play)).toEqual({ near: 0.9, far: 0.1 });
});

test("an order beyond all probabilities has the least one", () => {
  const play = scored({ logNormal: { lambda: 1e-6, tau: 0.1, sigma: 1 } });
  // At a price of 1, which is farther from the bid than the bid was from 0 when the table was made.
  play.run("aux B 1@950; lp far(50000, 0, BID-949, ASK+1); /");
  expect(play.deployed("far")).toContain("buy 50000@1");
  expect(scores(play).far).toBeLessThan(1e-6);
});

test("probabilities of trading are worked out anew with time, also where no price is monitored", () => {
  const play = scored();
  const { rig } = play;
  const base = () => rig.market("M").status.scoredBid;
  play.run("aux B 1@950");
  rig.nextBlock(200);
  expect(base()).toBe(900n);
  rig.nextBlock(200);
  expect(base()).toBe(950n);
});

test("the value of an order's trades is floored once", () => {
  const play = opened({ positionDecimals: 2 });
  const traded = () => play.rig.market("M").status.tradedValue;
  play.run("p1 B 1@990; p1 B 1@980");
  const before = traded();
  // 9.9 and 9.8
  play.run("p2 S 2@980");
  expect(traded() - before).toBe(19n);
});

test("the liquidity fee follows each trade, also where no price moves and no provider takes part", () => {
  const play = market({ ...PROVIDED, targetStake: { scaling: 1 } });
  play.deposit(100_000_000n, "aux", "aux2", "p1", "p2", "cheap", "dear");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000");
  play.run("lp cheap(1000, 0.001, BID-1, ASK+1); lp dear(5000, 0.01, BID-1, ASK+1)").open();
  const fee = () => play.rig.market("M").record.liquidityFee;
  play.run("p1 S 20@1000; p2 B 2@1000");
  expect(fee()).toBe("0.001");
  // 13 at 0.11 of 1000 are more than the 1000 of the first provider.
  play.run("p2 B 10@1000");
  expect(play.trades().slice(1)).toEqual(["p2-p1 2@1000", "p2-p1 10@1000"]);
  expect(fee()).toBe("0.01");
});

test("another risk model measures the orders of an opening auction anew, by what it indicates", () => {
  const play = market(M3);
  play.deposit(1_000_000n, "aux", "aux2", "p1").run("aux B 1@1000; aux2 S 1@1000; p1 B 10@900");
  expect(play.levels("p1")).toBe("990/1089/1188/1386");
  play.rig.updateMarket("M", { ...M3, asset: "ETH", simple: { long: 0.2, short: 0.1 } });
  play.rig.nextBlock();
  expect(play.levels("p1")).toBe("1800/1980/2160/2520");
  expect(play.margin("p1")).toBe(2160n);
});

test("a risk model of the same factors is another one, too", () => {
  const play = opened({ simple: { long: 0.1, short: 0.1, up: 10, down: -10 } });
  play.run("p1 B 5@1000; p2 S 5@1000; p2 B 5@990 =near; aux B 5@950; /");
  expect(play.levels("p1").split("/")[0]).toBe("550");
  play.run("cancel near");
  const config = { ...M3, linearSlippage: "1", quadraticSlippage: "0", asset: "ETH" };
  play.rig.updateMarket("M", { ...config, simple: { long: 0.1, short: 0.1, up: 20, down: -10 } });
  play.rig.nextBlock();
  // 50 below the mark price, and a tenth of it, for each.
  expect(play.levels("p1").split("/")[0]).toBe("750");
});

test("orders of provisions follow another price range with the next order", () => {
  const config = { ...PROVIDED, lpPriceRange: "0.05" };
  const play = market(config);
  play.deposit(100_000_000n, "aux", "aux2", "lp", "p1");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000; lp lp(50000, 0, BID-1, ASK+1)").open();
  expect(play.deployed("lp")).toEqual(["buy 53@950", "sell 48@1050"]);
  play.rig.updateMarket("M", { ...config, asset: "ETH", lpPriceRange: "1" });
  play.run("p1 B 1@800");
  expect(play.deployed("lp")).toEqual(["buy 56@899", "sell 46@1101"]);
});

test("price bounds of an updated market are worked out when they would have been", () => {
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
  // Prices of a market without triggers are not kept.
  play.rig.updateMarket("M", { asset: "ETH", ...config, triggers: [] });
  play.run("p1 S 1@100; p2 B 1@100; /");
  play.rig.updateMarket("M", { asset: "ETH", ...config });
  expect(bounds()).toEqual([]);
  play.run("p1 S 1@100; p2 B 1@100; /");
  expect(bounds()).toEqual(["110"]);
});

test("the value of a market whose trading has ended stays what it was", () => {
  const play = market(PROVIDED, { parameters: { "market.value.windowLength": "60s" } });
  play.deposit(100_000_000n, "aux", "aux2", "lp", "p1", "p2");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000; lp lp(5000, 0, BID-1, ASK+1)").open();
  const { rig } = play;
  const value = () => rig.marketData("M").marketValueProxy;
  play.run("p1 S 1@1000; p2 B 1@1000");
  rig.nextBlock(5);
  expect(value()).toBe("12000");
  rig.nextBlock(5);
  expect(value()).toBe("6000");
  rig.terminate();
  rig.nextBlock(5);
  expect(value()).toBe("6000");
});

test("a window that has become shorter than its past counts as a whole one for a market's value", () => {
  const play = market(PROVIDED, { parameters: { "market.value.windowLength": "3m" } });
  play.deposit(100_000_000n, "aux", "aux2", "lp", "p1", "p2");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000; lp lp(5000, 0, BID-1, ASK+1)").open();
  const { rig } = play;
  play.run("p1 S 20@1000; p2 B 20@1000");
  rig.nextBlock(90);
  expect(rig.marketData("M").marketValueProxy).toBe("40000");
  rig.setParameter("market.value.windowLength", "1m");
  rig.amendProvision("lp", "M", { commitment: "6000" });
  expect(rig.marketData("M").marketValueProxy).toBe("20000");
});

test("the last mark to market leaves out the recheck only: the liquidity fee follows the new mark", () => {
  const play = market(
    { ...PROVIDED, targetStake: { scaling: 1 } },
    {
      parameters: { "network.markPriceUpdateMaximumFrequency": "1h" },
    },
  );
  play.deposit(100_000_000n, "aux", "aux2", "p1", "p2", "cheap", "dear");
  play.run("aux B 1@900; aux2 S 1@9000; aux B 1@1000; aux2 S 1@1000");
  play.run("lp cheap(1000, 0.001, BID-1, ASK+1); lp dear(5000, 0.01, BID-1, ASK+1)").open();
  const fee = () => play.rig.market("M").record.liquidityFee;
  play.run("p1 S 1@8000; p2 B 1@8000");
  expect(fee()).toBe("0.001");
  // 2 at 0.11 of 8000 are more than the 1000 of the first provider.
  play.rig.terminate();
  expect(fee()).toBe("0.01");
});

test("the fee follows another target stake with the update that changes it", () => {
  const config = { ...PROVIDED, targetStake: { scaling: 1 } };
  const play = market(config).deposit(100_000_000n, "aux", "aux2", "p1", "cheap", "dear");
  play.run("aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000");
  play.run("lp cheap(1000, 0.001, BID-1, ASK+1); lp dear(5000, 0.01, BID-1, ASK+1)").open();
  const fee = () => play.rig.market("M").record.liquidityFee;
  expect(fee()).toBe("0.001");
  play.rig.updateMarket("M", { ...config, asset: "ETH", targetStake: { scaling: 20 } });
  expect(fee()).toBe("0.01");
});

test("the recheck of a mark to market asks a provider again that has just paid a penalty, with the same book, too", () => {
  const play = market(PROVIDED, { parameters: { "market.liquidity.bondPenaltyParameter": "1" } });
  play.deposit(100_000_000n, "aux", "aux2", "p1", "p2").deposit(8_150n, "lp");
  play.run("lp lp(1300, 0.001, BID-20, ASK+20); aux B 1@900; aux2 S 1@1100; aux B 1@1000; aux2 S 1@1000");
  play.open().run("lp S 5@1000; p1 B 5@1000; /; p1 S 1@1095; p2 B 1@1095; /");
  // Its margin is below the search level after the first penalty, and nothing is left to raise it.
  expect(play.levels("lp")).toBe("6242/6866/7490/8738");
  expect(play.transfers(20).map(({ amount }) => amount)).toEqual([190n, 920n, 920n]);
  expect([play.margin("lp"), play.insurance()]).toEqual([5650n, 2030n]);
});

test("the price of an order that cannot pay its fees has been seen all the same", () => {
  const simple = { long: 0.11, short: 0.1, up: 60, down: -60 };
  const play = opened({ simple, triggers: [{ horizon: 1, probability: 0.95, extension: 50 }] });
  const { rig } = play;
  rig.setParameter("market.fee.factors.infrastructureFee", "1");
  play.deposit(300n, "poor").run("/ 5; aux2 S 1@1050");
  const { id } = rig.order("poor", "M", "buy", 1, undefined);
  expect(shown(play, id)).toMatchObject({ reason: 21, remaining: 1n });
  play.run("/; /");
  const [bounds] = rig.marketData("M").priceMonitoringBounds;
  expect(bounds).toMatchObject({ referencePrice: "1050", minValidPrice: "987", maxValidPrice: "1113" });
});

test("a provision that was never deployed costs no penalty when its bond pays for a margin", () => {
  const play = opened({}, { "market.liquidity.bondPenaltyParameter": "1" });
  play.deposit(20_000n, "q").run("aux B 10@1000; q S 10@1000; /");
  // Nothing is left to sell, so that the provision waits for its first orders.
  play.run("p1 B 1@1100 FOK");
  play.run(`lp q(${play.general("q")}, 0.1, BID-10, ASK+10); /`);
  expect(play.bond("q")).toBeLessThan(6_800n);
  expect(play.margin("q")).toBe(14_520n);
  expect(play.insurance()).toBe(0n);
});

/** A buy order far below the best bid: parked until there is a higher one. */
const lowPeg = (play: Play, party: string, size: number): string =>
  play.rig.order(party, "M", "buy", size, undefined, { peg: { reference: 2, offset: "950" } }).id;

test("a party that cannot pay for pegged orders that were repriced keeps those that were not", () => {
  const play = opened().deposit(2_000n, "q");
  const { rig } = play;
  const sell = rig.order("q", "M", "sell", 10, undefined, { peg: { reference: 3, offset: "10" } }).id;
  const buy = lowPeg(play, "q", 100);
  expect([shown(play, sell).status, shown(play, buy).status]).toEqual([1, 8]);
  play.run("aux B 1@1000");
  expect([shown(play, sell).status, shown(play, buy).status]).toEqual([1, 3]);
  expect(rig.liveOrder(sell)).toBeDefined();
});

test("a bond pays for the margin of pegged orders without a penalty", () => {
  const play = opened({}, { "market.liquidity.bondPenaltyParameter": "0.1" }).deposit(1_364n, "q");
  play.run("lp q(1000, 0.1, BID-10, ASK+10)");
  // 2 bought at 890 and 5 pegged: 7 at 0.11 of 1000, times 1.2.
  lowPeg(play, "q", 5);
  expect([play.margin("q"), play.general("q"), play.bond("q")]).toEqual([264n, 100n, 1_000n]);
  play.run("aux B 1@1000");
  // The bond gave 560 of the 924; at the higher price one bought order is enough, and its margin goes back.
  expect([play.margin("q"), play.general("q"), play.bond("q")]).toEqual([792n, 132n, 440n]);
  expect(play.insurance()).toBe(0n);
  expect(play.transfers(20)).toEqual([]);
});

test("a provision's amendment stops the orders that its former entries had, also where they are parked", () => {
  const play = opened().deposit(100_000n, "q").run("lp q(1000, 0.1, BID-10, ASK+10)");
  const { rig } = play;
  const parkedOf = (party: string) => {
    const last = new Map(rig.events("order").map(({ payload }) => [payload.id, payload]));
    return [...last.values()].filter(({ partyId, status }) => partyId === party && status === 8);
  };
  // Nothing is left to sell: orders of provisions are parked.
  play.run("p1 B 1@1100 FOK");
  expect(parkedOf("q")).toHaveLength(2);
  play.run("/");
  const payload = { marketId: idOf("M"), commitmentAmount: "", fee: "", reference: "", sells: [] };
  const buys = [{ reference: 2, offset: "20", proportion: 1 }];
  const amendment = { kind: "liquidityProvisionAmendment", payload: { ...payload, buys } } as const;
  expect(rig.deliver("q", amendment).text).toBe("");
  expect(parkedOf("q")).toEqual([]);
});

test("the first orders of a provision are paid for one by one, up to the initial margin", () => {
  const play = opened().deposit(100_000n, "q").run("q B 10@950");
  expect(play.margin("q")).toBe(1_320n);
  // Its own order supplies all that it owes on that side.
  play.run("lp q(800, 0.1, BID-10, ASK+10)");
  expect(play.deployed("q")).toEqual(["sell 1@1110"]);
  expect(play.levels("q")).toBe("1100/1210/1320/1540");
  play.deposit(100_000n, "r").run("r B 20@850");
  expect(play.margin("r")).toBe(2_640n);
  // One more is bought: the margin is above the search level still.
  play.run("lp r(17800, 0.1, BID-10, ASK+10)");
  expect([play.levels("r"), play.margin("r")]).toEqual(["2310/2541/2772/3234", 2_772n]);
});

test("a first order that cannot be paid for takes the others of its provision with it", () => {
  const play = opened().deposit(1_300n, "q").run("q B 1@950");
  const before = [play.margin("q"), play.general("q"), play.bond("q")];
  expect(before).toEqual([132n, 1_168n, 0n]);
  // The bond leaves 168: enough for the first of its orders.
  play.run("lp q(1000, 0.1, MID-999 BID-10, ASK+10)");
  expect(play.last.text).toBe("margin check failed");
  const orders = play.rig
    .events("order")
    .filter(({ payload }) => payload.partyId === "q" && payload.liquidityProvisionId && payload.size > 0n);
  const told = orders.map(({ payload: { side, size, price, status } }) => [side, size, price, status]);
  expect(told).toEqual([
    [1, 1n, "26", 1],
    [1, 1n, "940", 6],
    [1, 1n, "26", 3],
    [2, 1n, "1110", 6],
  ]);
  expect([play.margin("q"), play.general("q"), play.bond("q")]).toEqual(before);
});
