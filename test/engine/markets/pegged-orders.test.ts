// Pegged orders: where they stand, when they are parked, and how they are amended
// (docs/protocol/70-trading-orders.md#25-submission-step-by-step to #28-amend-cancel-batch). Notation of statements and
// results: rig.ts.
import { expect, test } from "bun:test";
import { Play } from "./rig.ts";
import { eventsFrom, FLAT, LIGHT, MILLIONS, money, opened, quoted, states } from "./sample-markets.ts";

test("pegged orders to the middle can lie between ticks", () => {
  const play = opened({ decimals: 0 }, { assets: { ETH: { decimals: 2 } } });
  play.run("amend s @111; x B 1 MID-1 =a; x S 1 MID+1 =c");
  expect(states(play, "a", "c")).toEqual(["1 1 100", "1 1 101"]);
  expect(play.rig.position("x", "M")).toMatchObject({ buySum: 10000n, sellSum: 10150n });
  play.run("y B 1@101 =r");
  expect(states(play, "r", "c")).toEqual(["1 1 101", "1 1 107"]);
});

test("a pegged order with a price of 0 or less waits, parked", () => {
  const play = opened();
  play.run("x B 1 BID-90 =a; x B 1 BID-89 =c; x B 1 MID-100 =d");
  expect(states(play, "a", "c", "d")).toEqual(["8 1 0", "1 1 1", "8 1 0"]);
  play.run("p1 B 1@91");
  expect(states(play, "a", "c", "d")).toEqual(["1 1 1", "1 1 2", "1 1 1"]); // mid floor((91+110+1)/2)=101
});

test("repriced pegged orders queue behind others at their price, by id", () => {
  const play = opened();
  play.run("x B 1 BID-1 =a; y B 2 BID-1 =c; z B 3 BID-1 =d; p1 B 1@91");
  const sorted = [
    ["x 1@90", "a"],
    ["y 2@90", "c"],
    ["z 3@90", "d"],
  ]
    .sort((l, r) => (play.ids.get(l[1]!)! < play.ids.get(r[1]!)! ? -1 : 1))
    .map(([t]) => t!);
  expect(play.queue("buy").slice(0, 5)).toEqual(["p1 1@91", "p1 10@90", ...sorted]);
});

test("pegged orders can be amended and cancelled while an opening auction parks them", () => {
  const play = quoted({ openingSeconds: 10 });
  play.run("x B 5 BID-3 =a; x S 5 MID+9 =c; amend a +2 BID-4; amend c ASK+1 GTT+5");
  expect(play.rig.shownOrder(play.ids.get("a")!)).toMatchObject({
    status: 8,
    version: 2n,
    size: 7n,
    remaining: 7n,
    price: "0",
    peggedOrder: { reference: 2, offset: "4" },
  });
  expect([play.margin("x"), play.general("x")]).toEqual([0n, MILLIONS]);
  play.run("/ 6");
  expect(play.rig.events("expiredOrders").at(-1)!.payload.orderIds).toEqual([play.ids.get("c")!]);
  play.open();
  expect(states(play, "a")).toEqual(["1 7 86"]);
  expect(play.rig.shownOrder(play.ids.get("a")!)!.version).toBe(2n);
});

test("a partly filled pegged order is repriced with what remains", () => {
  const play = opened();
  play.run("x B 5 MID-1 =a; y S 2@99; p1 B 1@92");
  // mid floor((92+110+1)/2) = 101 → 100
  expect(states(play, "a")).toEqual(["1 3 100"]);
  expect(play.rig.position("x", "M")).toMatchObject({ size: 2n, buy: 3n, buySum: 300n });
});

test("an expiry reprices pegged orders, and begins an auction, in the same tick", () => {
  const play = opened();
  play.run("x B 5 BID-3 =a; y B 1@95 GTT+2; /");
  expect(states(play, "a")).toEqual(["1 5 92"]);
  play.run("/");
  expect(states(play, "a")).toEqual(["1 5 87"]);
  play.run("amend b GTT+1; /");
  expect(play.rig.marketData("M").marketTradingMode).toBe(4);
  expect(states(play, "a")).toEqual(["8 5 0"]);
});

// docs/protocol/70-trading-orders.md#25-submission-step-by-step
test("the limit counts pegged orders on the books of all markets, but not parked ones or provisions", () => {
  const play = opened({}, { parameters: { "limits.markets.maxPeggedOrders": "1" } });
  play.rig.createMarket("O", { asset: "ETH", ...LIGHT });
  const other = new Play(play.rig, "O").run("x B 1 BID-3; x B 1 BID-3");
  expect(other.results.map(({ text }) => text)).toEqual(["", ""]);
  play.run("x B 1 BID-3 =a");
  expect(play.last.text).toBe("");
  const seen = play.rig.events().length;
  other.run("y B 1 BID-3");
  expect([other.last.text, eventsFrom(play, seen, "order")]).toEqual([
    "OrderError: too many pegged orders",
    [],
  ]);
});

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("an amended peg must keep a reference of its side, and an offset from the middle", () => {
  const play = opened().run("x B 5 BID-0 =a; y S 5 ASK+0 =b2");
  const amend = (party: string, name: string, reference: number, offset?: string) =>
    play.rig.amend(party, "M", play.ids.get(name)!, { peg: { reference, ...(offset && { offset }) } }).text;
  const [mid, bid, ask] = [1, 2, 3];
  const shown = play.rig.events("order").length;
  expect([
    amend("x", "a", ask, "5"),
    amend("x", "a", mid),
    amend("y", "b2", bid, "5"),
    amend("y", "b2", mid),
  ]).toEqual([
    "OrderError: buy cannot reference best ask price",
    "OrderError: offset must be greater than zero",
    "OrderError: sell cannot reference best bid price",
    "OrderError: offset must be greater than zero",
  ]);
  expect(play.rig.events("order").length).toBe(shown);
  expect([amend("x", "a", mid, "2"), amend("y", "b2", mid, "2")]).toEqual(["", ""]);
  expect(states(play, "a", "b2")).toEqual(["1 5 98", "1 5 102"]);
});

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("an amended peg is checked even if it is parked or the amendment would cancel it", () => {
  const play = quoted().run("x B 5 BID-1 =a");
  const amend = (sizeDelta: number) =>
    play.rig.amend("x", "M", play.ids.get("a")!, { sizeDelta, peg: { reference: 3 } }).text;
  const text = "OrderError: buy cannot reference best ask price";
  expect([amend(1), amend(-9)]).toEqual([text, text]);
  play.open();
  expect(states(play, "a")).toEqual(["1 5 89"]);
});

// docs/protocol/70-trading-orders.md#27-pegged-orders-brief
test("a parked post-only peg is stopped if its amendment would let it trade", () => {
  const range = { ...FLAT, targetStake: { scaling: 0.00001 }, lpPriceRange: "0.001" };
  const play = opened(range).run("amend s @111; x S 2 ASK+5 post =a; cancel b; p1 B 10@90");
  expect([states(play, "a"), play.deployed("lp")[0]]).toEqual([["8 2 0"], "buy 10@101"]);
  play.run("amend a MID+1");
  expect(play.last.text).toBe("OrderError: post only order would trade");
  expect([states(play, "a"), money(play, "x")]).toEqual([["4 2 101 49"], `0 ${MILLIONS} 0`]);
  play.run("amend a MID+9");
  expect(play.last.text).toBe("OrderError: Invalid Order ID");
});

// docs/protocol/70-trading-orders.md#27-pegged-orders-brief
test("a parked pegged order is emitted with the time it was parked, even on submission", () => {
  const play = quoted().run("x B 5 BID-1 =c");
  const { updatedAt, createdAt } = play.rig.shownOrder(play.ids.get("c")!)!;
  expect([updatedAt, createdAt]).toEqual([play.rig.nowNs, play.rig.nowNs]);
});

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("an amended peg that trades is emitted last, after repricing", () => {
  const range = { ...FLAT, targetStake: { scaling: 0.00001 }, lpPriceRange: "0.001" };
  const play = opened(range).run("amend s @111; x S 12 MID+2 =a");
  const place = play.rig.events().length;
  play.run("amend a MID+1");
  const own = eventsFrom(play, place, "order").filter(({ payload }) => payload.partyId === "x");
  expect(own.map(({ payload }) => `${payload.status} ${payload.remaining}@${payload.price}`)).toEqual([
    "1 2@101",
  ]);
  expect(eventsFrom(play, place, "order").at(-1)!.payload.partyId).toBe("x");
});

// docs/protocol/70-trading-orders.md#27-pegged-orders-brief
test("of repriced pegs those left without a price are emitted first, and keep their margin until the block's end", () => {
  const play = opened().run("p1 B 1@91 =t");
  const [first, second] = ["1", "2"].map((digit) => digit.repeat(64));
  play.rig.order("x", "M", "buy", 5, undefined, { id: first, peg: { reference: 2, offset: "1" } });
  play.rig.order("y", "M", "buy", 5, undefined, { id: second, peg: { reference: 2, offset: "90" } });
  const place = play.rig.events().length;
  play.run("cancel t");
  const pegged = eventsFrom(play, place, "order").filter(({ payload }) => payload.peggedOrder !== undefined);
  expect(pegged.map(({ payload }) => `${payload.partyId} ${payload.status} ${payload.price}`)).toEqual([
    "y 8 0",
    "x 1 89",
  ]);
  const measured = () => eventsFrom(play, place, "marginLevels").map(({ payload }) => payload.partyId);
  expect(measured()).not.toContain("y");
  expect([measured().includes("x"), money(play, "y")]).toEqual([true, "60 99999940 0"]);
  play.run("/");
  expect(money(play, "y")).toBe("0 100000000 0");
});

// docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop
test("providers' margins are updated by a pegged order that is parked on submission or amended while parked", () => {
  const play = opened();
  const measured = (statement: string) => {
    const place = play.rig.events().length;
    play.run(statement);
    return eventsFrom(play, place, "marginLevels").map(({ payload }) => payload.partyId);
  };
  expect(measured("x B 5 BID-500 =a")).toEqual(["lp"]);
  expect(measured("amend a BID-400")).toEqual(["lp"]);
  expect(states(play, "a")).toEqual(["8 5 0"]);
});

// docs/protocol/70-trading-orders.md#27-pegged-orders-brief
test.each([
  ["sell", "x S 10 MID+15 =peg; y S 10@115 =own; z B 1@91", "115"],
  ["buy", "x B 10 MID-15 =peg; y B 10@85 =own; z S 1@109", "85"],
] as const)(
  "a peg to the middle loses its place when either rounding of the middle moves: a %s order",
  (side, script, price) => {
    // The better price moves one of the two by a tick, and not the one that the peg is priced by.
    const play = opened().run(script);
    expect(play.queue(side).filter((line) => line.endsWith(`@${price}`))).toEqual([
      `y 10@${price}`,
      `x 10@${price}`,
    ]);
    expect(states(play, "peg")).toEqual([`1 10 ${price}`]);
  },
);
