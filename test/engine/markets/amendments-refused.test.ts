// Orders that are changed, as the network shows them (reference 70, sections 2.4, 2.7 and 2.8).
import { expect, test } from "bun:test";
import { amendmentOf, orderOf } from "./rig.ts";
import { BOUND, eventsFrom, feeFactors, money, opened, quoted, states } from "./sample-markets.ts";

test("2.8 a post-only order that a new price would let trade stays where it was", () => {
  const play = opened().run("x B 5@95 post =a; amend a @110");
  expect([play.last.text, states(play, "a"), play.queue("buy")[0]]).toEqual([
    "couldn't insert order in book",
    ["1 5 95"],
    "x 5@95",
  ]);
  play.run("amend a @109");
  expect([play.last.text, states(play, "a")]).toEqual(["", ["1 5 109"]]);
});

test("2.8 a price that fees cannot be paid for is refused with the amendment's own text", () => {
  const free = { linearSlippage: "0", quadraticSlippage: "0" };
  const play = opened(free, { parameters: feeFactors("0.2", "0") }).deposit(131n, "w");
  play.run("w B 10@95 =a");
  expect(money(play, "w")).toBe("120 11 0");
  play.run("amend a @110");
  expect([play.last.text, states(play, "a"), money(play, "w")]).toEqual([
    "could not apply fees for order",
    ["1 10 95"],
    "120 11 0",
  ]);
  const { code, text } = play.rig.batch("w", {
    amendments: [amendmentOf("M", play.ids.get("a")!, { price: 110 })],
    submissions: [orderOf("M", "buy", 1, 90).payload as never],
  });
  expect([code, text]).toEqual([70, "0 (could not apply fees for order), 1 (margin check failed)"]);
});

test("2.7 a peg that its change leaves without a price is shown as it leaves the book, and as it is changed", () => {
  const play = opened().run("x B 5 BID-3 =a");
  const place = play.rig.events().length;
  play.run("amend a BID-90");
  const orders = eventsFrom(play, place, "order").map(({ payload }) => {
    const { status, version, price, peggedOrder } = payload;
    return [status, version, price, peggedOrder.offset].join(" ");
  });
  expect(orders).toEqual(["8 1 0 3", "8 2 0 90"]);
  expect([states(play, "a"), money(play, "x")]).toEqual([["8 5 0"], "0 100000000 0"]);
  play.run("amend a BID-2");
  expect(states(play, "a")).toEqual(["1 5 88"]);
});

test("2.8 a smaller order gives its margin back before it is shown", () => {
  const play = opened().run("x B 50@95 =a");
  const place = play.rig.events().length;
  play.run("amend a -40");
  const seen = eventsFrom(play, place, "order", "ledgerMovements").map(({ member }) => member);
  expect([seen, money(play, "x")]).toEqual([["ledgerMovements", "order"], "120 99999880 0"]);
});

test("3.4 orders that an auction's begin or end cancels go by side, price and queue", () => {
  const cancelled = (play: ReturnType<typeof opened>, place: number) =>
    eventsFrom(play, place, "order")
      .filter(({ payload }) => payload.status === 3)
      .map(({ payload }) => `${payload.side === 1 ? "B" : "S"} ${payload.remaining}@${payload.price}`);
  const of = (kind: string) => {
    const orders = ["S 1@112", "B 1@95", "S 2@111", "B 2@94", "S 3@112", "B 3@95", "B 4@94"];
    return orders.map((order) => `x ${order} ${kind}`).join(";");
  };
  const sorted = ["B 2@94", "B 4@94", "B 1@95", "B 3@95", "S 1@112", "S 3@112", "S 2@111"];
  const begun = opened(BOUND).run(of("GFN"));
  let place = begun.rig.events().length;
  begun.run("y B 20@130");
  expect([begun.rig.marketData("M").marketTradingMode, cancelled(begun, place)]).toEqual([4, sorted]);
  const ended = quoted().run(of("GFA"));
  place = ended.rig.events().length;
  expect(cancelled(ended.open(), place)).toEqual(sorted);
});

test("2.7 of orders that follow a price those that it leaves without one are shown first, and keep their margin", () => {
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

test("7.4 providers are measured with an order that is parked as it comes, or changed while it waits", () => {
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

test.each([
  ["sell", "x S 10 MID+15 =peg; y S 10@115 =own; z B 1@91", "115"],
  ["buy", "x B 10 MID-15 =peg; y B 10@85 =own; z S 1@109", "85"],
] as const)(
  "2.7 a peg to the middle loses its place with either rounding of it: a %s order",
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
