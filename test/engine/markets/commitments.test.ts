// Ends of provisions and the fate of their orders, and when commitments may be amended
// (docs/protocol/70-trading-liquidity.md#7-liquidity-provision). Notation of statements and results: rig.ts.
import { describe, expect, test } from "bun:test";
import { createMarketRig, idOf, Play } from "./rig.ts";
import { BOUND, eventsFrom, LIGHT, MILLIONS, market, money, opened, quoted } from "./sample-markets.ts";

const CANCELLED = 3;
const STOPPED = 4;
const REJECTED = 6;
const PARKED = 8;
const [GTC, NONE] = [1, 0];

/** Orders of a party's provisions as they were shown from a place on, and the provisions: `order 3 0@0`, `provision 3`. */
const shown = (play: Play, party: string, from = 0): string[] =>
  eventsFrom(play, from, "order", "liquidityProvision")
    .filter(({ payload }) => payload.partyId === party && payload.liquidityProvisionId !== "")
    .map(({ member, payload: { status, size, price } }) =>
      member === "order" ? `order ${status} ${size}@${price}` : `provision ${status}`,
    );
/** Orders of a party's provisions as they were shown last. */
const last = (play: Play, party: string) => {
  const orders = new Map<string, { status: number; size: bigint; price: string }>();
  for (const { payload } of play.rig.events("order"))
    if (payload.partyId === party && payload.liquidityProvisionId !== "") orders.set(payload.id, payload);
  return [...orders.values()].map(({ status, size, price }) => `${status} ${size}@${price}`);
};
const ended = (status: number, ...others: string[]) => [
  `order ${status} 0@0`,
  `order ${status} 0@0`,
  ...others,
];

describe("orders of a provision end with it, on the book or parked, and are", () => {
  test("cancelled while they are parked", () => {
    const play = opened().run("lp x(1000, 0, BID-10, ASK+10); cancel s");
    expect(last(play, "x")).toEqual([`${PARKED} 13@80`, `${PARKED} 9@120`]);
    const from = play.rig.events().length;
    expect(play.rig.cancelProvision("x", "M").text).toBe("");
    expect(shown(play, "x", from)).toEqual(ended(CANCELLED, `provision ${CANCELLED}`));
    const [first] = eventsFrom(play, from, "order");
    expect(first!.payload).toMatchObject({ timeInForce: GTC, updatedAt: play.rig.nowNs, batchId: 0n });
    expect(play.rig.shownProvision("x", "M")!.updatedAt).toBe(play.rig.nowNs);
  });

  test("cancelled before they were placed, or with one of them on the book", () => {
    const play = quoted().run("lp x(1000, 0, BID-10, ASK+10)");
    const from = play.rig.events().length;
    play.rig.cancelProvision("x", "M");
    expect(shown(play, "x", from)).toEqual(ended(CANCELLED, `provision ${CANCELLED}`));
    // Of its two offers none is needed beside its own.
    play.open().run("y S 10@115; lp y(1000, 0, BID-10, ASK+10)");
    const then = play.rig.events().length;
    play.rig.cancelProvision("y", "M");
    expect(shown(play, "y", then)).toEqual([
      `order ${CANCELLED} 0@0`,
      `provision ${CANCELLED}`,
      `order ${CANCELLED} 13@80`,
    ]);
  });

  test("stopped with a market that settles, or ends before it opens", () => {
    const play = opened();
    play.rig.terminate();
    const from = play.rig.events().length;
    play.rig.settle(100);
    const stopped = [`order ${STOPPED} 13@80`, `order ${STOPPED} 9@120`];
    const placed = shown(play, "lp", from);
    expect(placed.slice(0, 2).sort()).toEqual(stopped);
    expect(placed.slice(2)).toEqual(ended(STOPPED, "provision 2"));
    expect(play.rig.shownProvision("lp", "M")!.updatedAt).toBe(play.rig.nowNs);
    const parked = opened().run("cancel s");
    parked.rig.terminate();
    parked.rig.settle(100);
    expect(last(parked, "lp")).toEqual([`${STOPPED} 0@0`, `${STOPPED} 0@0`]);
    const early = quoted();
    const before = early.rig.events().length;
    early.rig.terminate();
    expect(shown(early, "lp", before)).toEqual(ended(STOPPED, "provision 2"));
  });

  test("rejected with a provision whose bond or whose orders cannot be paid for", () => {
    const play = opened().deposit(1_050n, "q").deposit(1_100n, "r");
    play.run("lp q(2000, 0, BID-10, ASK+10)");
    expect(play.last.text).toBe("not enough collateral in general account");
    expect(shown(play, "q")).toEqual(ended(STOPPED, "provision 6", ...ended(REJECTED, "provision 4")));
    // 84 for its first order, 96 more for the second.
    play.run("lp r(1000, 0, BID-10 BID-20, ASK+10)");
    expect(play.last.text).toBe("margin check failed");
    const orders = shown(play, "r").slice(5);
    expect(orders).toEqual([
      "order 1 7@80",
      "order 6 8@70",
      "order 3 7@80",
      "order 6 9@120",
      ...[0, 1, 2].map(() => `order ${REJECTED} 0@0`),
      "provision 4",
    ]);
    expect([money(play, "q"), money(play, "r")]).toEqual(["0 1050 0", "0 1100 0"]);
  });

  test("cancelled in the order they were placed when a later order of a new provision cannot be paid for", () => {
    const play = opened().deposit(1_200n, "q");
    play.run("lp q(1000, 0, BID-50 BID-40 BID-30 BID-20 BID-10, ASK+10)");
    expect(play.last.text).toBe("margin check failed");
    expect(shown(play, "q").slice(8, -7)).toEqual([
      ...["order 1 5@40", "order 1 4@50", "order 1 4@60", "order 1 3@70"],
      "order 6 3@80",
      ...["order 3 5@40", "order 3 4@50", "order 3 4@60", "order 3 3@70"],
      "order 6 9@120",
    ]);
    expect(money(play, "q")).toBe("0 1200 0");
  });

  test("cancelled before the orders that a close-out stops", () => {
    const play = market({ ...LIGHT, linearSlippage: "0", quadraticSlippage: "0" });
    play.deposit(MILLIONS, "p1", "p2", "x", "y", "lp").deposit(1_000n, "z");
    play.run("lp lp(1000, 0, BID-10, ASK+10); lp z(100, 0, BID-10, ASK+10)");
    play.run("p1 B 50@20; p2 S 50@150; p1 B 1@100; p2 S 1@100").open();
    play.run("y S 25@100; z B 25@100; /; x S 1@21; p1 B 1@21");
    const from = play.rig.events().length;
    play.run("/");
    expect(shown(play, "z", from)).toEqual([
      ...ended(CANCELLED, "provision 3"),
      `order ${STOPPED} 10@10`,
      `order ${STOPPED} 1@160`,
    ]);
  });

  test("stopped by an amendment while parked, and replaced by new ones", () => {
    const play = quoted();
    const from = play.rig.events().length;
    play.rig.amendProvision("lp", "M", { fee: "0.01" });
    expect(shown(play, "lp", from)).toEqual(ended(STOPPED, ...ended(STOPPED, "provision 6")));
    const stubs = eventsFrom(play, from, "order").map(({ payload }) => payload);
    expect(stubs.map(({ timeInForce }) => timeInForce)).toEqual([GTC, GTC, NONE, NONE]);
    expect(stubs.map(({ updatedAt }) => updatedAt > 0n)).toEqual([true, true, false, false]);
  });
});

// docs/protocol/70-trading-liquidity.md#79-amend-and-cancel
test("an amendment's own fee and shape are checked first, then whose it is, then what it keeps", () => {
  const play = opened();
  const amend = (party: string, change: Parameters<typeof play.rig.amendProvision>[2]) =>
    play.rig.amendProvision(party, "M", change).text;
  play.rig.setParameter("market.liquidity.maximumLiquidityFeeFactorLevel", "0.1");
  play.rig.setParameter("market.liquidityProvision.minLpStakeQuantumMultiple", "5000");
  const entry = { reference: 2, proportion: 1, offset: "3" };
  expect(amend("x", { fee: "0.2" })).toBe("invalid liquidity provision fee");
  expect(amend("x", { fee: "0.2", commitment: 1 })).toBe("invalid liquidity provision fee");
  const six = Array.from({ length: 6 }, () => entry);
  expect(amend("x", { buys: six })).toBe("SIDE_BUY shape size exceed max (5)");
  expect(amend("x", { buys: [entry], commitment: 1 })).toBe("commitment amount is too low");
  expect(amend("x", { buys: [entry], commitment: 5_000 })).toBe("party is not a liquidity provider");
  play.rig.setParameter("market.liquidityProvision.minLpStakeQuantumMultiple", "1");
  expect(amend("lp", { buys: [entry, entry] })).toBe("");
  play.rig.setParameter("market.liquidityProvision.shapes.maxSize", "1");
  expect(amend("lp", { fee: "0.01" })).toBe("SIDE_BUY shape size exceed max (1)");
  expect(amend("lp", { buys: [entry] })).toBe("");
});

// docs/protocol/70-trading-liquidity.md#79-amend-and-cancel
test("a provision cannot be amended in continuous trading without a best bid and ask, but can in the auction that follows", () => {
  const play = opened().run("cancel s");
  expect(play.rig.amendProvision("lp", "M", { fee: "0.01" }).text).toBe("no orders on the book");
  expect(play.rig.shownProvision("lp", "M")).toMatchObject({ fee: "0", version: 1n });
  play.run("/");
  expect(play.rig.marketData("M").marketTradingMode).toBe(4);
  expect(play.rig.amendProvision("lp", "M", { fee: "0.01" }).text).toBe("");
});

// docs/protocol/70-trading-liquidity.md#79-amend-and-cancel
test("in an auction a provider whose own orders meet its commitment is not asked for margin", () => {
  const play = opened(BOUND).deposit(1_500n, "q");
  play.run("q B 12@90; q S 10@110; lp q(1000, 0, BID-10, ASK+10); x B 21@120");
  expect(play.rig.marketData("M").marketTradingMode).toBe(4);
  const factors = { search_level: 20, initial_margin: 30, collateral_release: 40 };
  play.rig.setParameter("market.margin.scalingFactors", JSON.stringify(factors));
  const before = money(play, "q");
  expect(play.rig.amendProvision("q", "M", { fee: "0.01" }).text).toBe("");
  expect(money(play, "q")).toBe(before);
  // Beyond what its own orders are worth, the rest is measured with them.
  expect(play.rig.amendProvision("q", "M", { commitment: 1_001 }).text).toBe("");
  expect(play.rig.amendProvision("q", "M", { commitment: 1_101 }).text).toBe(
    "margin would require bond: insufficient margin",
  );
});

// docs/protocol/70-trading-markets.md#17-market-update
test("a market update that changes the target stake changes the fee at once", () => {
  const play = market({ ...LIGHT, targetStake: { scaling: 1 } }).deposit(MILLIONS, "a", "b", "l1", "l2");
  play.run("lp l1(100, 0.01, BID-10, ASK+10); lp l2(1000, 0.02, BID-10, ASK+10)");
  play.run("a B 1@90; b S 1@110; a B 5@100; b S 5@100").open();
  const fee = () => play.rig.shownMarket("M")!.fees!.factors!.liquidityFee;
  expect([fee(), play.rig.marketData("M").targetStake]).toEqual(["0.01", "50"]);
  play.rig.updateMarket("M", { asset: "ETH", ...LIGHT, targetStake: { scaling: 3 } });
  expect([fee(), play.rig.marketData("M").targetStake]).toEqual(["0.02", "150"]);
  play.run("a S 1@100; b B 1@100");
  expect(play.rig.trades("M").at(-1)!.buyerFee!.liquidityFee).toBe("2");
});

// docs/protocol/70-trading-liquidity.md#72-submit
test("a provider rejected for lack of money can commit once it has the money", () => {
  const play = new Play(createMarketRig(), "M");
  play.rig.createMarket("M", { asset: "ETH", ...LIGHT });
  play.deposit(100n, "x").run("lp x(101, 0, BID-10, ASK+10)").deposit(1n, "x");
  play.run("lp x(101, 0, BID-10, ASK+10)");
  expect([play.last.text, money(play, "x")]).toEqual(["", "0 0 101"]);
});

// docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties
test("the network trades with the book as repriced after a distressed provider's orders are gone", () => {
  const play = market({ ...LIGHT, linearSlippage: "0", quadraticSlippage: "0" });
  play.deposit(MILLIONS, "p1", "p2", "x", "y", "lp").deposit(1_450n, "z");
  play.run("lp lp(1000, 0, BID-1, ASK+10); lp z(100, 0, BID-10, ASK+10); p1 B 50@20; p2 S 50@150");
  play.run("p1 B 1@100; p2 S 1@100").open();
  play.run("z B 1@30; y S 25@100; z B 25@100; /");
  expect(play.deployed("lp").at(0)).toBe("buy 35@29");
  play.run("x S 1@31; p1 B 1@31; /");
  // Not at 29, where the provider's bid stood below that of the party in distress.
  expect(play.trades().slice(-2)).toEqual(["p1-network 25@20", "network-z 25@20"]);
  expect(play.deployed("lp").at(0)).toBe("buy 53@19");
});

// docs/protocol/70-trading-liquidity.md#77-distribution
test("a provider that leaves and returns within a block keeps its score", () => {
  const parameters = { "market.liquidity.providers.fee.distributionTimeStep": "1h" };
  const play = opened({}, { parameters }).run("lp x(1000, 0, BID-10, ASK+10); / 2; /; /");
  const scores = () =>
    play.rig.marketData("M").liquidityProviderFeeShare.map(({ averageScore }) => averageScore);
  expect(scores()).toEqual(["0.6", "0.4"]);
  play.rig.cancelProvision("x", "M");
  play.run("lp x(1000, 0, BID-10, ASK+10)");
  expect(scores()).toEqual(["0.6", "0.4"]);
  play.run("/");
  expect(scores()).toEqual(["0.5833333333", "0.4166666667"]);
  // With a tick in between it restarts.
  play.rig.cancelProvision("x", "M");
  play.run("/; lp x(1000, 0, BID-10, ASK+10)");
  expect(scores()).toEqual(["0.6428571428", "0"]);
});

// docs/protocol/70-trading-liquidity.md#79-amend-and-cancel
test("the refusal of an unpaid amendment says whether the bond would have been enough", () => {
  const play = opened(BOUND).deposit(1_200n, "q").run("lp q(1000, 0, BID-10, ASK+10)");
  const margins = (initial: number) => {
    const factors = { search_level: 1.1, initial_margin: initial, collateral_release: 2 * initial };
    play.rig.setParameter("market.margin.scalingFactors", JSON.stringify(factors));
  };
  const amend = () => play.rig.amendProvision("q", "M", { fee: "0.01" }).text;
  // 130 of maintenance; 1200 in all, 1000 of it the bond.
  margins(9);
  expect(amend()).toBe("margin would be below maintenance with amend during continuous: insufficient margin");
  margins(10);
  expect(amend()).toBe("insufficient funds for initial margin");
  // 110 in the auction, in which its orders are ten from 100.
  play.run("x B 20@120");
  expect(play.rig.marketData("M").marketTradingMode).toBe(4);
  margins(2);
  expect(amend()).toBe("margin would require bond: insufficient margin");
  margins(1.2);
  expect(amend()).toBe("");
  play.rig.setParameter("market.liquidity.stakeToCcyVolume", "12");
  expect(amend()).toBe("margin would be below maintenance: insufficient margin");
});

// docs/protocol/70-trading-liquidity.md#79-amend-and-cancel
test("a refused amendment returns the bond that it moved, and both transfers are emitted", () => {
  const play = opened().deposit(1_200n, "q").run("lp q(1000, 0, BID-10, ASK+10)");
  const before = money(play, "q");
  const [UP, DOWN] = [15, 16];
  const moved = (from: number) =>
    eventsFrom(play, from, "ledgerMovements").flatMap(({ payload }) =>
      payload.ledgerMovements.flatMap(({ entries }: { entries: { type: number; amount: string }[] }) =>
        entries.map(({ type, amount }) => [type, amount]),
      ),
    );
  const amend = (commitment: number) => {
    const from = play.rig.events().length;
    return [play.rig.amendProvision("q", "M", { commitment }).text, ...moved(from)];
  };
  const short = "margin would be below maintenance with amend during continuous: insufficient margin";
  // 168 for one more bid, and 156 without the 44.
  expect(amend(1_044)).toEqual([short, [UP, "44"], [DOWN, "44"]]);
  expect(money(play, "q")).toBe(before);
  // Without an offer nothing can be priced.
  play.run("cancel s");
  expect(amend(1_020)).toEqual(["no orders on the book", [UP, "20"], [DOWN, "20"]]);
  expect(amend(990)).toEqual(["no orders on the book", [DOWN, "10"], [UP, "10"]]);
});

const REJECTED_PROVISION = 4;
const [MIDDLE, BID, ASK] = [1, 2, 3];
const entry = (reference: number, offset: string, proportion = 1) => ({ reference, offset, proportion });

// docs/protocol/70-trading-liquidity.md#72-submit
test.each<[string, object]>([
  ["empty SIDE_BUY shape", { buys: [], sells: [] }],
  ["empty SIDE_SELL shape", { sells: [] }],
  ["SIDE_BUY shape size exceed max (2)", { buys: [entry(BID, "1"), entry(BID, "2"), entry(0, "3")] }],
  ["order in shape without reference", { buys: [entry(BID, "1"), entry(0, "1", 0)] }],
  ["order in shape without a proportion", { sells: [entry(BID, "0", 0)] }],
  ["order in buy side shape with best ask price reference", { buys: [entry(ASK, "-1")] }],
  ["order in sell side shape with best bid price reference", { sells: [entry(BID, "-1")] }],
  ["order in buy side shape offset must be > 0", { buys: [entry(MIDDLE, "0")] }],
  ["order in sell shape offset must be > 0", { sells: [entry(MIDDLE, "0")] }],
  ["order in buy side shape offset must be >= 0", { buys: [entry(BID, "-1")] }],
  ["order in sell shape offset must be >= 0", { sells: [entry(ASK, "-1")] }],
  ["invalid liquidity provision fee", { fee: "-0.1", buys: [] }],
])("%s: a submission is emitted as rejected, an amendment is refused", (text, more) => {
  const play = opened({}, { parameters: { "market.liquidityProvision.shapes.maxSize": "2" } });
  const { rig } = play;
  const held = play.general("x");
  const good = { commitmentAmount: "1000", fee: "0.01", buys: [entry(BID, "1")], sells: [entry(ASK, "1")] };
  const payload = { marketId: idOf("M"), reference: "r", ...good };
  const refused = rig.deliver("x", {
    kind: "liquidityProvisionSubmission",
    payload: { ...payload, ...more },
  });
  expect(refused.text).toBe(text);
  expect(rig.events("liquidityProvision").at(-1)!.payload).toMatchObject({
    ...{ id: refused.id, status: REJECTED_PROVISION, version: 0n, updatedAt: 0n },
  });
  expect(play.general("x")).toBe(held);
  expect(rig.deliver("y", { kind: "liquidityProvisionSubmission", payload }).text).toBe("");
  if (text.startsWith("empty")) return;
  const amendment = { ...payload, ...more, reference: "s" };
  const kept = rig.deliver("y", { kind: "liquidityProvisionAmendment", payload: amendment });
  expect(kept.text).toBe(text);
  expect(rig.shownProvision("y", "M")).toMatchObject({ version: 1n, reference: "r" });
});
