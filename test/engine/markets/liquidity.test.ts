// Liquidity provisions: deployment, bond, fees, scores, shares and amendments
// (docs/protocol/70-trading-liquidity.md#7-liquidity-provision). Figures are worked out by hand, to the unit.
// Notation of statements and results: rig.ts.
import { expect, test } from "bun:test";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { createMarketRig, idOf, type MarketRigOptions, Play } from "./rig.ts";
import {
  ACTIVE,
  CANCELLED,
  FLAT,
  feesOf,
  flows,
  LN,
  MILLIONS,
  market,
  money,
  move,
  type Opening,
  PROVIDED,
  shared,
  trading,
  UNDEPLOYED,
} from "./sample-markets.ts";

type Config = Parameters<typeof trading>[0];

/** Continuous trading at 1000, between 990 and 1010 if nothing else is said, with provisions. */
const provided = (
  first: string,
  more: Opening = {},
  config: Config = PROVIDED,
  options: MarketRigOptions = {},
) =>
  trading(config, { bid: 990, ask: 1010, first, ...more, rich: `l1 l2 l3 p q ${more.rich ?? ""}` }, options);
const amend = (play: Play, party: string, change: object): string =>
  play.rig.deliver(party, {
    kind: "liquidityProvisionAmendment",
    payload: {
      marketId: idOf("M"),
      commitmentAmount: play.rig.provision(party, "M")!.commitment.toString(),
      fee: "0",
      ...change,
    },
  }).text;
const cancel = (play: Play, party: string): string =>
  play.rig.deliver(party, { kind: "liquidityProvisionCancellation", payload: { marketId: idOf("M") } }).text;
const statusOf = (play: Play, party: string): number =>
  play.rig.events("liquidityProvision").findLast(({ payload }) => payload.partyId === party)!.payload.status;
const fee = (play: Play): string => play.rig.market("M").context.record.liquidityFee;
const feeShares = (play: Play) => play.rig.marketData("M").liquidityProviderFeeShare;
const NOT_ENOUGH = "commitment submission rejected, not enough stake";
const rarely = { parameters: { "market.liquidity.providers.fee.distributionTimeStep": "1h" } };

// docs/protocol/70-trading-liquidity.md#73-order-sizes-and-prices
test("a shape entry's share is rounded up before it is divided by the price", () => {
  const first = "lp l1(9000, 0, BID-1*2 BID-2*1, ASK+1)";
  const play = provided(first, { bid: 1001, ask: 1999, mark: 1500 });
  expect(play.deployed("l1")).toEqual(["buy 4@999", "buy 7@1000", "sell 5@2000"]);
});

// docs/protocol/70-trading-liquidity.md#73-order-sizes-and-prices
test("the price range of provisions: in ticks, narrower than the spread, and entries beyond it", () => {
  const finer = { assets: { ETH: { decimals: 5 } } };
  const ticks = { ...PROVIDED, decimals: 3, lpPriceRange: "0.05" };
  const first = "lp l1(1000000, 0, BID-100, ASK+10 ASK+50)";
  // From 94762.5 and to 104737.5.
  expect(provided(first, { bid: 985, funds: 10n ** 12n }, ticks, finer).deployed("l1")).toEqual([
    "buy 11@948",
    "sell 5@1020",
    "sell 5@1047",
  ]);
  const narrow = { ...PROVIDED, lpPriceRange: "0.0001" };
  const near = "lp l1(10000, 0, BID-10, ASK+10)";
  expect(provided(near, {}, narrow).deployed("l1")).toEqual(["buy 10@1000", "sell 10@1001"]);
  const touching = { bid: 999, ask: 1000, mark: 999 };
  expect(provided(near, touching, narrow).deployed("l1")).toEqual(["buy 11@999", "sell 10@1001"]);
  const far = "lp l1(100, 0, BID-2000, ASK+5000)";
  expect(provided(far).deployed("l1")).toEqual(["buy 100@1", "sell 1@2000"]);
});

// docs/protocol/70-trading-liquidity.md#73-order-sizes-and-prices
test("a provision's sell around an odd middle lies between ticks and trades at the displayed price", () => {
  const options = { assets: { ETH: { decimals: 1 } } };
  const play = provided("lp l1(100000, 0, MID-1, MID+1)", { ask: 1011 }, PROVIDED, options);
  expect(play.rig.liveOrders("l1", "M").map(({ price }) => price)).toEqual([10_000n, 10_015n]);
  play.run("p B 3; /");
  expect([play.trades().slice(1), play.mark(), play.pnl("p")]).toEqual([["p-l1 3@1001"], 1001n, "3/0/0"]);
});

// docs/protocol/70-trading-liquidity.md#73-order-sizes-and-prices
test("a provider's own orders count towards its commitment within the price range, their value truncated", () => {
  const play = provided("lp l1(1000, 0, BID-10, ASK+10)", {}, { ...PROVIDED, lpPriceRange: "0.05" });
  expect(play.run("l1 B 1@949").deployed("l1")).toEqual(["buy 2@980", "sell 1@1020"]);
  expect(play.run("l1 B 1@950").deployed("l1")).toEqual(["buy 1@980", "sell 1@1020"]);
  expect(play.run("l1 B 1@950; l1 S 1@1050").deployed("l1")).toEqual([]);
  // 29.97 of 0.03: 971 are left, where 970.03 would need 99.
  const parts = provided("lp l1(1000, 0, BID-19, ASK+10)", {}, { ...PROVIDED, positionDecimals: 2 });
  expect(parts.run("l1 B 3@999").deployed("l1")).toContain("buy 100@980");
});

// docs/protocol/70-trading-liquidity.md#73-order-sizes-and-prices
test("a repriced provision order keeps its id, creation time and reference, and has version 1", () => {
  const play = provided("lp l1(9000, 0, BID-10, ASK+10)");
  const { createdAt, id: liquidityProvisionId, buys, sells } = play.rig.shownProvision("l1", "M")!;
  const shown = (entry: { orderId: string } | undefined) => play.rig.shownOrder(entry!.orderId);
  const common = {
    ...{ partyId: "l1", liquidityProvisionId, reference: "lp-l1", version: 1n, createdAt },
    ...{ type: 1, timeInForce: 1, status: 1, peggedOrder: undefined },
  };
  // 9000/980 and 9000/1020
  expect(shown(buys[0])).toMatchObject({ ...common, price: "980", size: 10n, remaining: 10n });
  expect(shown(sells[0])).toMatchObject({ ...common, price: "1020", size: 9n, remaining: 9n });
  play.run("/ 7; aux B 1@993; aux2 S 1@1007; /");
  expect(play.rig.nowNs).toBeGreaterThan(createdAt + 7_000_000_000n);
  // 9000/983 and 9000/1017
  expect(shown(buys[0])).toMatchObject({ ...common, price: "983", size: 10n, remaining: 10n });
  expect(shown(sells[0])).toMatchObject({ ...common, price: "1017", size: 9n, remaining: 9n });
});

// docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop
test("a provision order that traded is refilled at its new price; a provider's order stops at its own provision", () => {
  const first = "lp l1(10000, 0, BID-1, ASK+1); w S 1@1020";
  const play = provided(first, { rich: "w" });
  expect([play.deployed("l1"), play.margin("l1")]).toEqual([["buy 11@989", "sell 10@1011"], 1_320n]);
  play.run("p B 3@1011");
  expect(play.trades().slice(1)).toEqual(["p-aux2 1@1010", "p-l1 2@1011"]);
  expect(play.deployed("l1")).toEqual(["buy 11@989", "sell 10@1021"]);
  expect([play.levels("l1"), play.margin("l1")]).toEqual(["1200/1320/1440/1680", 1_320n]);
  const own = provided(first, { rich: "w" }).run("l1 B 3@1015 =o");
  expect(own.order("o")).toMatchObject({ status: 7, reason: 20, remaining: 2n });
});

/** A provider that has bought ten at 1000, and has been paid its fee again. */
function trader(funds: bigint, penalty: string, bids = ""): Play {
  const options = { parameters: { "market.liquidity.bondPenaltyParameter": penalty } };
  const play = market(PROVIDED, options).deposit(MILLIONS, "aux", "aux2", "s", "bp").deposit(funds, "z");
  play.run(`lp z(1000, 0.01, BID-1, ASK+1); aux B 1@500; ${bids}; aux2 S 1@2000 =ask`);
  return play.run("aux B 1@1000; aux2 S 1@1000").open().run("s S 10@1000; z B 10@1000; /; /");
}

// docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress
test("a bond that pays for margin after a mark is slashed, and refilled from later money", () => {
  const play = trader(2_660n, "0.5");
  expect(money(play, "z")).toBe("1560 100 1000");
  // 168 missing, 68 of them from the bond, 34 to the insurance; 10 of fees come back.
  expect([money(move(play, 980), "z"), play.insurance()]).toEqual(["1528 0 908", 34n]);
  play.deposit(300n, "z");
  expect(money(play.run("/"), "z")).toBe("1528 208 1000");
});

// docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress
test("a bond is refilled during an auction for orders", () => {
  const play = move(trader(2_660n, "0.5"), 980).run("cancel all aux2; /");
  expect([play.rig.marketData("M").marketTradingMode, play.bond("z"), play.general("z")]).toEqual([
    4,
    908n,
    0n,
  ]);
  play.deposit(300n, "z").run("/ 2");
  expect([play.rig.marketData("M").marketTradingMode, play.bond("z"), play.general("z")]).toEqual([
    4,
    1000n,
    208n,
  ]);
});

// docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress
test("an order may use the bond to its last unit, at a penalty from bond and margin", () => {
  const first = "lp l1(1000, 0.1, BID-10, ASK+10); lp z(1000, 0.2, BID-1, ASK+1)";
  const options = { parameters: { "market.liquidity.bondPenaltyParameter": "0.1" } };
  const opened = () => {
    const play = market(PROVIDED, options).deposit(MILLIONS, "aux", "aux2", "l1").deposit(1_240n, "z");
    return play.run(`${first}; aux B 1@990; aux2 S 1@1010; aux B 1@1000; aux2 S 1@1000`).open();
  };
  expect(opened().run("z S 10@1100 =o").order("o").reason).toBe(14);
  const play = opened().run("z S 9@1100 =o");
  expect([money(play, "z"), flows(play, 20), play.deployed("z")]).toEqual([
    "1144 0 0",
    ["z> 40", "z> 56"],
    ["buy 2@989"],
  ]);
});

// docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress
test("provision orders that grow at lower prices take the bond, and the penalty takes margin too", () => {
  const options = { parameters: { "market.liquidity.bondPenaltyParameter": "0.1" } };
  const play = market(PROVIDED, options).deposit(MILLIONS, "aux", "aux2", "x").deposit(1_240n, "z");
  play.run("x B 1@90; lp z(1000, 0.2, BID-1, ASK+1); aux B 1@990 =bid; aux2 S 1@1010");
  play.run("aux B 1@1000; aux2 S 1@1000").open();
  expect(money(play, "z")).toBe("240 0 1000");
  // 12 instead of 2: 1200 missing, of which there are 1000.
  play.run("cancel bid");
  expect([play.deployed("z"), money(play, "z"), play.insurance()]).toEqual([
    ["buy 12@89", "sell 1@1011"],
    "1120 0 0",
    120n,
  ]);
});

// docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress
test("the bond of a closed-out provider pays its loss, and the bond account stays", () => {
  const check = (play: Play) => {
    expect(play.trades().slice(-2)).toEqual(["bp-network 10@700", "network-z 10@700"]);
    expect(flows(play, 8)).toEqual(["z> 540"]);
    expect([shared(play), play.pnl("z"), play.insurance()]).toEqual([["bp -460"], "0/0/-2540", 0n]);
    expect([statusOf(play, "z"), money(play, "z"), fee(play)]).toEqual([CANCELLED, "0 0 0", "0"]);
    // The margin account is gone; that of the bond goes where a bond returns
    // (docs/protocol/70-trading-events.md#96-accounts-of-this-engine-as-seen-in-tables), and none does here.
    expect(play.rig.accounts().flatMap(({ owner, type }) => (owner === "z" ? [type as number] : []))).toEqual(
      [4, 9],
    );
  };
  const play = trader(2_540n, "0", "bp B 20@700");
  expect(money(play, "z")).toBe("1440 100 1000");
  check(move(play, 800));
  expect(flows(play, 4).filter((line) => line.startsWith("z"))).toEqual(["z> 1440", "z> 100", "z> 460"]);
  // The same with the end of an auction.
  const auction = trader(2_540n, "0", "bp B 20@700").deposit(MILLIONS, "a", "b").run("cancel ask; / 2");
  expect(money(auction, "z")).toBe("1440 100 1000");
  check(auction.run("aux2 S 1@2000; a B 1@800; b S 1@800; / 2; / 2"));
});

// docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress
test("a provider that is safe once its provision is cancelled keeps its position", () => {
  const play = move(trader(2_660n, "0"), 830);
  // 960 are left: 1079 with what it buys for its provision, 830 without.
  expect([statusOf(play, "z"), money(play, "z"), play.pnl("z"), play.levels("z")]).toEqual([
    CANCELLED,
    "960 0 0",
    "10/-1700/0",
    "830/913/996/1162",
  ]);
  expect(play.rig.events("distressedOrders").at(-1)!.payload.parties).toEqual(["z"]);
});

// docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress
test("a close-out of a provider is charged the liquidity fee of the remaining providers, who receive it", () => {
  const play = market(PROVIDED).deposit(MILLIONS, "aux", "aux2", "s", "bp", "big").deposit(2_590n, "z");
  play.run("lp big(1000, 0.02, BID-1, ASK+1); lp z(1000, 0.01, BID-1, ASK+1); aux B 1@500; bp B 20@700");
  play.run("aux2 S 1@2000; aux B 1@1000; aux2 S 1@1000").open().run("s S 10@1000; z B 10@1000; /; /");
  expect([fee(play), money(play, "z")]).toEqual(["0.01", "1440 100 1000"]);
  move(play, 800);
  expect(feesOf(play, 2)).toEqual(["none 0/0/140", "none 0/0/140"]);
  expect([fee(play), flows(play, 8), shared(play)]).toEqual(["0.02", ["z> 400"], ["bp -600"]]);
  expect(flows(play, 14).at(-1)).toBe(">big 148");
});

// docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress
test("at an auction's end a provider pays for its orders by the new mark price", () => {
  const config = {
    ...FLAT,
    simple: { ...FLAT.simple, up: 10, down: -10 },
    triggers: [{ horizon: 60, probability: 0.95, extension: 5 }],
    targetStake: { scaling: 0.01 },
  };
  const options = { parameters: { "market.liquidity.bondPenaltyParameter": "0.5" } };
  const play = market(config, options).deposit(MILLIONS, "aux", "aux2", "a", "b").deposit(1_240n, "z");
  play.run("lp z(1000, 0.01, BID-1, ASK+1); aux B 1@900; aux2 S 1@1200; aux B 1@1000; aux2 S 1@1000").open();
  // Its margin comes back while nothing is deployed.
  expect([money(play, "z"), money(play.run("a B 1@1100; b S 1@1100; /"), "z")]).toEqual([
    "240 0 1000",
    "0 240 1000",
  ]);
  expect([money(play.run("/ 5"), "z"), play.mark(), play.insurance()]).toEqual(["264 0 964", 1100n, 12n]);
  expect(money(play.run("/"), "z")).toBe("264 0 976");
});

// docs/protocol/70-trading-liquidity.md#76-liquidity-fee-factor
test("the liquidity fee is that of the provider whose stake reaches the target, from the next trade on", () => {
  const first =
    "lp l1(1000, 0.001, BID-1, ASK+1); lp l2(500, 0.002, BID-1, ASK+1); lp l3(2000, 0.005, BID-1, ASK+1)";
  const play = provided(first, {}, { ...FLAT, targetStake: { scaling: 1 } });
  const after = (size: number) => [
    play.run(`q S ${size}@1000; p B ${size}@1000; /`).rig.marketData("M").targetStake,
    fee(play),
  ];
  expect([after(9), after(1), after(4), after(1), after(20)]).toEqual([
    ["1000", "0.001"],
    ["1100", "0.002"],
    ["1500", "0.002"],
    ["1600", "0.005"],
    ["3600", "0.005"],
  ]);
  expect(flows(play, 13)).toEqual(["p> 9", "p> 1", "p> 8", "p> 2", "p> 100"]);
});

// docs/protocol/70-trading-liquidity.md#76-liquidity-fee-factor and #82-liquidity-monitoring
test("a monitoring auction keeps the fee and the required stake of the mark price and the open interest before it", () => {
  const config = {
    ...FLAT,
    simple: { ...FLAT.simple, up: 10, down: -10 },
    triggers: [{ horizon: 60, probability: 0.95, extension: 5 }],
    targetStake: { scaling: 1 },
  };
  const first = "lp l1(1000, 0.001, BID-1, ASK+1); lp l2(5000, 0.003, BID-1, ASK+1)";
  const play = trading(config, { first, rich: "l1 l2 p q" });
  play.run("q S 4@1000; p B 4@1000; /; p B 10@1020; q S 10@1020; / 2");
  // Of 15 at 1020, where 5 at 1000 are 500.
  expect([play.rig.marketData("M").marketTradingMode, play.rig.marketData("M").targetStake]).toEqual([
    4,
    "1530",
  ]);
  expect(fee(play)).toBe("0.001");
  // 5500 are above 500; 4470 would be above the other.
  expect(amend(play, "l2", { commitmentAmount: "700" })).toBe("");
  play.run("/ 6");
  expect([play.trades().length, feesOf(play, 1), fee(play)]).toEqual([3, ["0/0/6 0/0/6"], "0.003"]);
});

// docs/protocol/70-trading-liquidity.md#77-distribution
test("liquidity fees are shared by stake, kept while nothing is deployed, and lost if the market ends in an auction", () => {
  const two = provided("lp l1(1000, 0.01, BID-1, ASK+1); lp l2(500, 0.01, BID-1, ASK+1)");
  two.run("q S 10@1000; p B 10@1000; /; /");
  expect([flows(two, 14), two.rig.systemBalance("ETH", 6, "M")]).toEqual([[">l1 66", ">l2 33"], 1n]);
  const kept = provided("lp l1(1000, 0.01, BID-1, ASK+1)");
  kept.run("q S 10@1000; p B 10@1000; cancel ask; / 2; / 2; / 2");
  expect([statusOf(kept, "l1"), flows(kept, 14)]).toEqual([UNDEPLOYED, []]);
  expect(flows(kept.run("aux2 S 1@1010; / 2; / 2; / 2"), 14)).toEqual([">l1 100"]);
  const lost = provided("lp l1(1000, 0.01, BID-1, ASK+1)", {}, PROVIDED, rarely);
  lost.run("q S 10@1000; p B 10@1000; cancel ask; / 2; /");
  lost.rig.terminate();
  lost.rig.settle(1_000);
  expect([flows(lost, 14), lost.rig.systemBalance("ETH", 12), money(lost, "l1")]).toEqual([
    [],
    100n,
    "0 100000000 0",
  ]);
});

// docs/protocol/70-trading-liquidity.md#77-distribution
test("an order at the best price scores a half, one beyond it half of its probability of trading", () => {
  const first = "lp l1(1000, 0.01, BID-0, ASK+0); lp l2(1000, 0.01, BID-100, ASK+100)";
  const parameters = { "market.liquidity.providers.fee.distributionTimeStep": "20s" };
  // 0.5 and 0.05
  const simple = provided(first, {}, PROVIDED, { parameters });
  simple.run("q S 100@1000; p B 100@1000; / 10; / 15");
  expect(flows(simple, 14)).toEqual([">l1 909", ">l2 90"]);
  // The lesser of 0.38122514 for 890 and 0.37050504 for 1110: 101,010 and 99,009 millionths away from the best price.
  const config = { ...LN, linearSlippage: "0", quadraticSlippage: "0", targetStake: { scaling: 0.001 } };
  const model = provided(first, {}, config, { parameters }).run("/; /");
  const [near, far] = feeShares(model).map(({ averageScore }) => Number(averageScore));
  expect(near).toBeCloseTo(0.574379216, 9);
  expect(far).toBeCloseTo(0.425620784, 9);
});

// docs/protocol/70-trading-liquidity.md#77-distribution
test("scores restart when a distribution is due, even if there is nothing to distribute", () => {
  const play = provided(
    "lp l1(9000, 0, BID-1, ASK+1); lp l2(9000, 0, BID-1, ASK+1)",
    {},
    { ...PROVIDED, simple: { long: 0.1, short: 0.1, probability: 0.5 } },
    { parameters: { "market.liquidity.providers.fee.distributionTimeStep": "10s" } },
  );
  const scores = () => feeShares(play).map(({ averageScore }) => averageScore);
  expect(scores()).toEqual(["0.5", "0.5"]);
  const at = (reference: number) => [{ reference, offset: "0", proportion: 1 }];
  expect(amend(play, "l2", { buys: at(2), sells: at(3) })).toBe("");
  // Half at the best price and a quarter beyond it: a third of the score, after a half in the first tick.
  play.run("/");
  expect(scores()).toEqual(["0.4166666667", "0.5833333333"]);
  const due = play.rig.market("M").context.status.distributedNs + 10_000_000_000n;
  while (play.rig.nowNs < due) play.run("/");
  expect(scores()).toEqual(["0.35", "0.65"]);
  expect(play.transfers(14)).toEqual([]);
  play.run("/");
  expect(scores()).toEqual(["0.3333333333", "0.6666666667"]);
});

// docs/protocol/70-trading-liquidity.md#77-distribution
test("fees without a deployed provider wait through an auction, and so do scores", () => {
  const play = provided(
    "lp l1(9000, 0.01, BID-1, ASK+1); lp l2(9000, 0.01, BID-0, ASK+0)",
    {},
    { ...PROVIDED, simple: { long: 0.1, short: 0.1, probability: 0.5 } },
    { parameters: { "market.liquidity.providers.fee.distributionTimeStep": "10s" } },
  );
  const scores = () => feeShares(play).map(({ averageScore }) => averageScore);
  const state = () => [play.rig.marketData("M").marketTradingMode, ...scores()];
  const dueNs = () => play.rig.market("M").context.status.distributedNs + 10_000_000_000n;
  expect(state()).toEqual([1, "0.3333333333", "0.6666666667"]);
  // Nothing but orders of providers is left on that side.
  play.run("p B 1@1010; /");
  expect(play.rig.systemBalance("ETH", 6, "M")).toBe(11n);
  expect(state()).toEqual([4, "0.3333333333", "0.6666666667"]);
  const first = dueNs();
  while (dueNs() === first || play.rig.nowNs + SECOND_NS < dueNs()) play.run("/");
  expect(state()).toEqual([4, "0.3333333333", "0.6666666667"]);
  const behind = (reference: number) => [{ reference, offset: "1", proportion: 1 }];
  expect(amend(play, "l2", { buys: behind(2), sells: behind(3) })).toBe("");
  // Half of the score for each in this tick.
  play.run("aux2 S 1@1010; /");
  expect(state()).toEqual([1, "0.4166666667", "0.5833333334"]);
  expect(play.transfers(14)).toEqual([]);
  play.run("/");
  expect(play.transfers(14).map(({ to, amount }) => `${to} ${amount}`)).toEqual(["l1 4", "l2 6"]);
  expect(state()).toEqual([1, "0.5", "0.5"]);
});

// docs/protocol/70-trading-liquidity.md#77-distribution
test("providers share equally if none of their orders lies within the price bounds", () => {
  const config = {
    ...PROVIDED,
    simple: { long: 0.1, short: 0.1, up: 10, down: -10, probability: 0.5 },
    triggers: [{ horizon: 60, probability: 0.95, extension: 5 }],
  };
  const scores = (l2: string) =>
    feeShares(provided(`lp l1(9000, 0, BID-10, ASK+10); lp l2(9000, 0, ${l2})`, {}, config)).map(
      ({ averageScore }) => averageScore,
    );
  // Prices may be from 990 to 1010, where the best ones are.
  expect(scores("BID-20, ASK+20")).toEqual(["0.5", "0.5"]);
  expect(scores("BID-0, ASK+20")).toEqual(["0.5", "0.5"]);
  expect(scores("BID-0, ASK+0")).toEqual(["0", "1"]);
});

// docs/protocol/70-trading-liquidity.md#78-equity-like-share-and-market-value-proxy
test("equity-like shares and entry valuations as commitments rise, fall and are cancelled", () => {
  const play = provided("lp l1(1000, 0.01, BID-1, ASK+1)");
  const equityShares = () =>
    feeShares(play).map(
      ({ party, equityLikeShare, averageEntryValuation }) =>
        `${party} ${equityLikeShare} ${averageEntryValuation}`,
    );
  play.run("lp l2(500, 0.01, BID-1, ASK+1)");
  expect(amend(play, "l1", { commitmentAmount: "2000" })).toBe("");
  expect(equityShares()).toEqual(["l1 0.8 1750", "l2 0.2 1500"]);
  expect(amend(play, "l1", { commitmentAmount: "1500" })).toBe("");
  expect(equityShares()).toEqual(["l1 0.75 1750", "l2 0.25 1500"]);
  expect(cancel(play, "l1")).toBe("");
  expect(equityShares()).toEqual(["l2 1 1500"]);
});

// docs/protocol/70-trading-liquidity.md#79-amend-and-cancel
test("commitments can fall, and providers leave, down to the target stake and no further", () => {
  const play = provided("lp l1(6000, 0.01, BID-1, ASK+1)", {}, { ...FLAT, targetStake: { scaling: 1 } });
  expect([amend(play, "l1", { commitmentAmount: "99" }), cancel(play, "l1")]).toEqual([
    NOT_ENOUGH,
    NOT_ENOUGH,
  ]);
  expect(amend(play, "l1", { commitmentAmount: "100" })).toBe("");
  expect([play.deployed("l1"), play.bond("l1"), play.margin("l1")]).toEqual([
    ["buy 1@989", "sell 1@1011"],
    100n,
    120n,
  ]);
  play.run("lp l2(99, 0.02, BID-1, ASK+1)");
  expect(cancel(play, "l1")).toBe(NOT_ENOUGH);
  expect(amend(play, "l2", { commitmentAmount: "100" })).toBe("");
  expect([cancel(play, "l1"), money(play, "l1"), fee(play)]).toEqual(["", "0 100000000 0", "0.02"]);
  // In an opening auction the target is that of the mark price, which is 0: any provider may leave.
  const early = market(FLAT).deposit(MILLIONS, "aux", "aux2", "l1", "l2");
  early.run("lp l1(2000, 0.01, BID-1, ASK+1); lp l2(1000, 0.01, BID-1, ASK+1); aux B 1@1000; aux2 S 1@1000");
  expect([cancel(early, "l2"), cancel(early, "l1")]).toEqual(["", ""]);
  expect(statusOf(early, "l1")).toBe(CANCELLED);
});

// docs/protocol/70-trading-liquidity.md#79-amend-and-cancel
test("a raised commitment needs bond and margin to the unit, and its margin cannot come from the bond", () => {
  const play = market(PROVIDED).deposit(MILLIONS, "aux", "aux2", "l1").deposit(1_240n, "z");
  play.run("lp l1(1000, 0.1, BID-10, ASK+10); lp z(1000, 0.2, BID-1, ASK+1); aux B 1@990; aux2 S 1@1010");
  play.run("aux B 1@1000; aux2 S 1@1000").open();
  const raise = (more: bigint) => amend(play.deposit(more, "z"), "z", { commitmentAmount: "2000" });
  expect([raise(0n), raise(1_000n), raise(119n)].every((text) => text !== "")).toBe(true);
  expect([money(play, "z"), play.deployed("z")]).toEqual(["240 1119 1000", ["buy 2@989", "sell 1@1011"]]);
  expect(raise(1n)).toBe("");
  expect([money(play, "z"), play.deployed("z")]).toEqual(["360 0 2000", ["buy 3@989", "sell 2@1011"]]);
});

test("a close-out takes the general account, but not margin and bond of another market of the asset", () => {
  const rig = createMarketRig();
  for (const name of ["A", "B"]) rig.createMarket(name, { asset: "ETH", ...PROVIDED, oracle: idOf(name) });
  const [a, b] = [new Play(rig, "A"), new Play(rig, "B")];
  a.deposit(MILLIONS, "aux", "aux2", "s", "bp").deposit(5_000n, "z");
  for (const play of [a, b]) {
    play.run(
      "lp z(1000, 0, BID-1, ASK+1); aux B 1@500; bp B 20@700; aux2 S 1@2000; aux B 1@1000; aux2 S 1@1000",
    );
  }
  a.open();
  b.open();
  a.run("s S 10@1000; z B 10@1000; /");
  expect([money(a, "z"), money(b, "z")]).toEqual(["1440 1320 1000", "240 1320 1000"]);
  // 2990 lost: 1440, 1320 and 230; then 770 where 841 are needed for twelve and 701 for ten.
  move(a, 701);
  expect([money(a, "z"), rig.provision("z", "A"), rig.position("z", "A")!.size]).toEqual([
    "770 0 0",
    undefined,
    10n,
  ]);
  expect([money(b, "z"), rig.provision("z", "B")!.status]).toEqual(["240 0 1000", ACTIVE]);
});
