// Liquidity provisions in continuous trading: repricing, slashing, refusals and scores
// (docs/protocol/70-trading-orders.md#25-submission-step-by-step and 7). Notation of statements and results: rig.ts.
import { expect, test } from "bun:test";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { ACTIVE, CANCELLED, feeFactors, MILLIONS, market, money } from "./sample-markets.ts";

const step = { "market.liquidity.providers.fee.distributionTimeStep": "10s" };
/** Provisions stay near the middle, penalties take all that was missing, and fees are paid out seldom. */
const NARROW = {
  simple: { long: 0.1, short: 0.1 },
  targetStake: { windowSeconds: 86_400, scaling: 1 },
  triggeringRatio: "0.1",
  lpPriceRange: "0.01",
  linearSlippage: "0.5",
  quadraticSlippage: "0",
};
const PENALISED = {
  parameters: { ...step, ...feeFactors("0.004", "0.001"), "market.liquidity.bondPenaltyParameter": "1" },
};
const OPENING = "p1 B 1@990; p1 B 10@1000; p2 S 1@1010; p2 S 10@1000";

/** Provider z has 721 beside its bond of 5000. */
const narrow = (first: string, more = "") =>
  market(NARROW, PENALISED)
    .deposit(5_721n, "z", "y")
    .deposit(MILLIONS, "p1", "p2", "p3", "w")
    .run(`${first}; ${OPENING}; ${more}`)
    .open();

// docs/protocol/70-trading-orders.md#25-submission-step-by-step
test("repricing happens within a trade and after the order: a provider below its search level is slashed twice", () => {
  const play = narrow("lp z(5000, 0.001, BID-10, ASK+10)", "p1 B 1000@900; p2 S 1000@1100");
  play.run("p3 B 3@1010; /; p3 B 5@1055 FOK; /");
  expect([money(play, "z"), play.insurance()]).toEqual(["1843 0 2638", 1_181n]);
  play.run("p3 B 5@1055 FOK; /");
  expect([money(play, "z"), play.insurance()]).toEqual(["2527 0 1314", 1_843n]);
  // 868 of 890 from the bond, and as much for the insurance; then 422 are missing, which the margin itself pays.
  play.run("p3 B 5@1055 FOK");
  expect([play.levels("z"), money(play, "z")]).toEqual(["2848/3132/3417/3987", "2573 0 0"]);
  expect([play.insurance(), play.rig.shownProvision("z", "M")!.status]).toEqual([3_133n, ACTIVE]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("the margin reported for a closed-out provider is what its penalty left", () => {
  const play = narrow("lp z(5000, 0.001, BID-10, ASK+10)", "p1 B 1000@900; p2 S 1000@1100");
  play.run("p3 B 3@1010; /; p3 B 5@1055 FOK; /; p3 B 5@1055 FOK; /; p3 B 5@1055 FOK; /");
  expect(play.trades().slice(-2)).toEqual(["network-p2 17@1100", "z-network 17@1100"]);
  // 2573 less a penalty of 844; 94 of that went for fees, and the network lost 765.
  const [settled] = play.rig.events("settleDistressed");
  expect([settled!.payload.margin, play.pnl("z"), play.insurance()]).toEqual(["1729", "0/0/-1819", 4_847n]);
  expect([money(play, "z"), play.rig.shownProvision("z", "M")!.status]).toEqual(["0 0 0", CANCELLED]);
});

// docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress
test("a provider whose penalty leaves it below maintenance margin loses its provision within the order", () => {
  const play = market({ ...NARROW, positionDecimals: 2 }, PENALISED);
  play.deposit(5_721n, "z").deposit(MILLIONS, "p1", "p2", "p3");
  play.run("lp z(5000, 0.001, BID-10, ASK+10); p1 B 100000@900; p1 B 100@990; p1 B 1000@1000");
  play.run("p2 S 100@1010; p2 S 100000@1100; p2 S 1000@1000").open();
  play.run("p3 B 300@1010; /; p3 B 474@1055 FOK; /; p3 B 474@1055 FOK; /; p3 B 474@1055 FOK; /");
  expect([money(play, "z"), play.insurance()]).toEqual(["3148 0 0", 2_555n]);
  play.run("p3 B 474@1055 FOK");
  expect(play.rig.shownProvision("z", "M")!.status).toBe(CANCELLED);
  expect([play.deployed("z"), play.rig.position("z", "M")!.size]).toEqual([[], -2_096n]);
  // Its position alone is more than what is left, which the mark to market finds without another penalty.
  play.run("/");
  expect([play.pnl("z"), play.insurance()]).toEqual(["0/0/-2320", 4_664n]);
  expect(play.rig.book("M", "sell")).toEqual([{ price: 1_100n, volume: 97_904n }]);
});

// docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop
test("after a trade provision orders queue by their ids again, the traded one included", () => {
  const play = narrow("lp z(5000, 0.001, BID-10, ASK+10); lp y(5000, 0.001, BID-10, ASK+10)", "p2 S 9@1100");
  play.run("p3 B 1@1010; /");
  const sells = () =>
    ["z", "y"].flatMap((party) => play.rig.liveOrders(party, "M")).filter(({ side }) => side === 2);
  const byId = sells()
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ party }) => `${party} 5@1055`);
  const inTurn = () => play.queue("sell").slice(0, 2);
  expect(inTurn()).toEqual(byId);
  // An order that only comes to the book changes nothing about that, and neither does one that takes the first.
  play.run("w B 1@900; p3 B 5@1055 FOK");
  expect([play.trades().at(-1), inTurn()]).toEqual([`p3-${byId[0]!.split(" ")[0]} 5@1055`, byId]);
});

// docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order
test("a market's first tick counts as a fee distribution, however long the step is", () => {
  const play = narrow("lp z(5000, 0.001, BID-10, ASK+10)", "p2 S 9@1100");
  const fees = () => play.rig.systemBalance("ETH", 6, "M");
  const first = play.rig.shownMarket("M")!.marketTimestamps!.proposed + SECOND_NS;
  play.run("p3 B 1@1010");
  while (play.rig.nowNs < first + 10_000_000_000n) play.run("/");
  expect(fees()).toBe(2n);
  expect(play.run("/") && fees()).toBe(0n);
});

// docs/protocol/70-trading-liquidity.md#79-amend-and-cancel
test("in an auction an amended provision needs margin around the margin price, whatever its references", () => {
  const model = { logNormal: { lambda: 1e-6, tau: 0.01, sigma: 1 } };
  const play = market({ ...model, targetStake: { scaling: 1.5 }, openingSeconds: 3 });
  play.deposit(500_000_000n, "z").deposit(MILLIONS, "p1", "p2", "p3");
  play.run("lp z(50000, 0.001, BID-17, ASK+17); p1 B 1@900; p1 B 1@990; p1 B 10@1000; p1 B 100@50000 =b");
  play.run("p2 S 10@1000; p2 S 1@1100; p2 S 1@1010; p3 S 100@50000 =s");
  play.rig.amendProvision("z", "M", { commitment: 55_000 });
  // Two each at 49983 and 50017, though the best static prices are 50000 and 1000.
  expect(play.levels("z")).toBe("63256/69581/75907/88558");
  expect(money(play, "z")).toBe("75907 499869093 55000");
  play.run("cancel s; cancel b").open();
  expect([play.levels("z"), money(play, "z")]).toEqual(["34147/37561/40976/47805", "40976 499904024 55000"]);
});

// docs/protocol/70-trading-liquidity.md#79-amend-and-cancel
test("an amendment of a provision is refused for its content first, then for its party, then for its money", () => {
  const play = narrow("lp z(5000, 0.001, BID-10, ASK+10)", "p2 S 9@1100");
  const amend = (party: string, change: Parameters<typeof play.rig.amendProvision>[2]) =>
    play.rig.amendProvision(party, "M", change).text;
  const none = { commitment: "", fee: "0" };
  expect(amend("z", { ...none, reference: "other" })).toBe("empty liquidity provision amendment content");
  expect(amend("y", none)).toBe("empty liquidity provision amendment content");
  expect(amend("y", { fee: "0.1", commitment: 5_000 })).toBe("party is not a liquidity provider");
  expect(amend("z", { commitment: 5_722 })).toBe("commitment submission not allowed");
  expect(play.rig.shownProvision("z", "M")).toMatchObject({ version: 1n, commitmentAmount: "5000" });
  // The least stake has risen since, which binds those who keep theirs, too.
  play.rig.setParameter("market.liquidityProvision.minLpStakeQuantumMultiple", "5001");
  expect(amend("y", { commitment: 5_000 })).toBe("commitment amount is too low");
  expect(amend("z", { fee: "0.002", reference: "other" })).toBe("commitment amount is too low");
  expect(amend("z", { commitment: 5_001, fee: "0.002", reference: "other" })).toBe("");
  expect(play.rig.shownProvision("z", "M")).toMatchObject({ version: 2n, reference: "other" });
  play.rig.terminate();
  expect(play.rig.cancelProvision("y", "M").text).toBe("commitment submission not allowed");
});

// docs/protocol/70-trading-liquidity.md#79-amend-and-cancel
test("a cancelled provision updates the margins of other providers by the thinner book", () => {
  const config = { ...NARROW, lpPriceRange: "1", linearSlippage: "1", targetStake: { scaling: 0.01 } };
  const play = market(config, { parameters: { "market.liquidity.bondPenaltyParameter": "0" } });
  play.deposit(MILLIONS, "z", "y", "p1", "p2", "p3");
  play.run("lp z(5000, 0, BID-10, ASK+10); lp y(5000, 0, BID-10, ASK+10); p1 B 8@990; p2 S 20@1100");
  play.run("p2 S 2@1010; p1 B 10@1000; p2 S 10@1000").open();
  play.run("p3 B 8@1000; z S 8@1000; /");
  // Eight at 1017 on the average: two at 1010, and six of ten at 1020.
  expect(play.levels("z").split("/")[0]).toBe(String(8 * 17 + 800 + 500));
  expect(play.rig.cancelProvision("y", "M").text).toBe("");
  // A single one of them is at 1100 now.
  expect(play.levels("z").split("/")[0]).toBe(String(8 * 27 + 800 + 500));
});

// docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop
test("repricing updates margins of providers with deployed orders only, not of those covered by their own orders", () => {
  const config = { ...NARROW, lpPriceRange: "1", linearSlippage: "1", targetStake: { scaling: 0.01 } };
  const play = market(config).deposit(MILLIONS, "z", "p1", "p2", "p3");
  play.run(
    "lp z(5000, 0, BID-10, ASK+10); z B 6@900; z S 5@1100 =own; p1 B 8@990; p2 S 2@1010; p2 S 20@1200",
  );
  play.run("p1 B 10@1000; p2 S 10@1000").open().run("p3 B 8@1000; z S 8@1000; /");
  expect(play.deployed("z")).toEqual([]);
  // Two at 1010, five at 1100, one at 1200: 1090 on the average; five of its own at risk, too.
  const levels = () => play.levels("z").split("/")[0];
  expect(levels()).toBe(String(8 * 90 + 800 + 500));
  expect(play.run("p2 S 8@1010; /") && levels()).toBe(String(8 * 90 + 800 + 500));
  // With an order of its own less its provision has one more.
  play.run("amend own -1");
  expect([play.deployed("z"), levels()]).toEqual([["sell 1@1020"], String(8 * 10 + 800 + 500)]);
});

/** Two providers at one price, and a third one with an id before theirs. */
const RIVALS = { simple: { long: 0.1, short: 0.1 }, targetStake: { scaling: 0.001 } };

// docs/protocol/70-trading-liquidity.md#72-submit
test("the first orders of a provision in continuous trading leave other provisions' orders and margins as they are", () => {
  const play = market(RIVALS).deposit(MILLIONS, "a", "b", "n1", "n2", "n3");
  play.run("lp n1(25000, 0.001, MID-1, MID+1); lp n2(25000, 0.001, MID-1, MID+1)");
  play.run("a B 1@900; a B 10@1000; b S 1@1100; b S 10@1000").open();
  const owners = () =>
    play.rig.queue("M", "sell").flatMap(({ provision, party }) => (provision ? [party] : []));
  const before = owners();
  const levels = play.rig.events("marginLevels").length;
  play.run("lp n3(25000, 0.001, MID-1, MID+1)");
  expect(owners()).toEqual([...before, "n3"]);
  expect(play.rig.events("marginLevels").slice(levels)).toMatchObject([{ payload: { partyId: "n3" } }]);
  play.run("a B 30@1001");
  expect(play.trades().slice(-2)).toEqual([`a-${before[0]} 25@1001`, `a-${before[1]} 5@1001`]);
});

// docs/protocol/70-trading-positions.md#54-when-margin-moves
test.each([
  ["95000", 14_256n, ["16 5000", "7 15000", "6 14256"]],
  ["105000", 15_756n, ["15 5000", "7 15000", "6 15756"]],
] as const)(
  "an amended provision releases the margin of its old orders before it takes that of the new ones: commitment %s",
  (commitment, margin, moved) => {
    const play = market(RIVALS).deposit(MILLIONS, "a", "b", "k", "z");
    play.run("lp k(1000, 0, BID-10, ASK+10); lp z(100000, 0, BID-10, ASK+10)");
    play.run("a B 10@90; b S 10@110; a B 1@100; b S 1@100").open();
    expect(play.margin("z")).toBe(15_000n);
    const place = play.rig.transfers().length;
    expect(play.rig.amendProvision("z", "M", { commitment }).text).toBe("");
    const transfers = play.rig.transfers().slice(place);
    expect(transfers.map(({ type, amount }) => `${type} ${amount}`)).toEqual([...moved]);
    expect(play.margin("z")).toBe(margin);
    // With an order of its own there is something that margin is kept for.
    play.run("z B 1@70");
    const held = play.margin("z");
    play.rig.amendProvision("z", "M", { commitment: "99000" });
    expect(play.margin("z")).toBe(held);
  },
);

// docs/protocol/70-trading-events.md#96-accounts-of-this-engine-as-seen-in-tables
test("a bond account emptied by penalties outlives its provision, and is used again", () => {
  const config = { ...RIVALS, linearSlippage: "0", quadraticSlippage: "0" };
  const play = market(config, { parameters: { "market.liquidity.bondPenaltyParameter": "1" } });
  play.deposit(MILLIONS, "a", "b", "k").deposit(1_200n, "z");
  play.run("lp k(100000, 0, BID-10, ASK+10); lp z(1000, 0, BID-10, ASK+10)");
  play.run("a B 10@90; b S 10@110; a B 1@100; b S 1@100").open().run("z S 80@130");
  expect([money(play, "z").split(" ")[2], play.rig.shownProvision("z", "M")!.status]).toEqual([
    "0",
    CANCELLED,
  ]);
  const bonds = () =>
    play.rig.events("account").filter(({ payload }) => payload.owner === "z" && payload.type === 9);
  const bondCount = bonds().length;
  play.deposit(5_000n, "z").run("lp z(100, 0, BID-10, ASK+10)");
  expect(
    bonds()
      .slice(bondCount)
      .map(({ payload }) => payload.balance),
  ).toEqual(["100"]);
});

// docs/protocol/70-trading-liquidity.md#77-distribution
test("the average score multiplies the rounded share of earlier ticks by the earlier average", () => {
  const config = {
    ...RIVALS,
    simple: { long: 0.1, short: 0.1, up: 500, down: -500, probability: 0.25 },
    linearSlippage: "0.1",
    quadraticSlippage: "0",
  };
  const play = market(config, {
    parameters: { "market.liquidity.providers.fee.distributionTimeStep": "24h" },
  });
  play.deposit(MILLIONS, "a", "b", "n1", "n2");
  play.run("lp n1(10000, 0.001, MID-1, MID+1); lp n2(10000, 0.001, MID-1, MID+1)");
  play.run("a B 1@900; a B 10@1000; b S 1@1100; b S 10@1000").open();
  const ticks = () => play.rig.market("M").context.status.scoredTicks;
  expect(ticks()).toBe(1);
  play.rig.amendProvision("n2", "M", {
    buys: [{ reference: 2, offset: "10", proportion: 1 }],
    sells: [{ reference: 3, offset: "10", proportion: 1 }],
  });
  play.run("/ 13");
  expect(ticks()).toBe(14);
  // Thirteen parts of fourteen are 0.9285714285714286: 0.7785714285 and not, with one rounding less, 0.7785714286.
  const scores = play.rig.marketData("M").liquidityProviderFeeShare.map(({ averageScore }) => averageScore);
  expect(scores).toEqual(["0.7785714285", "0.2214285715"]);
});
