// Amendments of orders that have a peg or a time, as the network takes them (reference 70, sections 2.7 to 2.9).
import { expect, test } from "bun:test";
import { OrderTimeInForce } from "../../../src/wire/generated/vega.ts";
import { eventsFrom, FLAT, MILLIONS, money, NS, opened, quoted, states } from "./sample-markets.ts";

test("2.8 a peg keeps to its side and away from the middle, whatever member of it is amended", () => {
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

test("2.8 a peg that waits for an auction's end, or that would be cancelled, is looked at, too", () => {
  const play = quoted().run("x B 5 BID-1 =a");
  const amend = (sizeDelta: number) =>
    play.rig.amend("x", "M", play.ids.get("a")!, { sizeDelta, peg: { reference: 3 } }).text;
  const text = "OrderError: buy cannot reference best ask price";
  expect([amend(1), amend(-9)]).toEqual([text, text]);
  play.open();
  expect(states(play, "a")).toEqual(["1 5 89"]);
});

test("2.8 a time alone ends orders for normal trading, and stands on one that is good till cancelled", () => {
  const play = opened().run("x B 5@95 =a; y B 5@94 GFN =n");
  const amend = (party: string, name: string, expiresAt: bigint, sizeDelta = 0) =>
    play.rig.amend(party, "M", play.ids.get(name)!, { expiresAt, sizeDelta }).text;
  const time = play.rig.nowNs + 2n * NS;
  expect([amend("x", "a", time), amend("y", "n", time)]).toEqual(["", ""]);
  const shown = (name: string) => play.rig.shownOrder(play.ids.get(name)!)!;
  expect([shown("a"), shown("n")].map((order) => order.expiresAt)).toEqual([time, time]);
  play.run("/ 3");
  expect(play.rig.events("expiredOrders").map(({ payload }) => payload.orderIds)).toEqual([
    [play.ids.get("n")!],
  ]);
  expect(play.queue("buy")[0]).toBe("x 5@95");
  // Its next change finds the time over.
  play.run("amend a -1");
  expect([states(play, "a"), shown("a").version]).toEqual([["2 4 95"], 3n]);
});

test("2.8 an order becomes good till a time only with one", () => {
  const play = opened().run("x B 5@95 =a");
  const until = { timeInForce: OrderTimeInForce.TIME_IN_FORCE_GTT };
  const amend = (expiresAt?: bigint) =>
    play.rig.amend("x", "M", play.ids.get("a")!, { ...until, ...(expiresAt !== undefined && { expiresAt }) })
      .text;
  const time = play.rig.nowNs + 9n * NS;
  expect([amend(), amend(play.rig.nowNs - 100n * NS), amend(time)]).toEqual([
    "OrderError: Cannot amend order to GTT without an expiryAt field",
    "OrderError: ExpiryAt field must not be before CreatedAt",
    "",
  ]);
  expect(play.rig.shownOrder(play.ids.get("a")!)).toMatchObject({ ...until, expiresAt: time, version: 2n });
});

test("2.8 a time of zero is none: no order that is good till time can do without", () => {
  const play = opened().run("x B 5@95 GTT =a; y B 5@94 =c");
  const amend = (party: string, name: string) =>
    play.rig.amend(party, "M", play.ids.get(name)!, { sizeDelta: 1, expiresAt: 0n }).text;
  expect([amend("x", "a"), amend("y", "c")]).toEqual(["OrderError: Invalid Expiration Datetime", ""]);
  expect(states(play, "a", "c")).toEqual(["1 5 95", "1 6 94"]);
});

test("2.9 the margin of an order that an amendment ends by its time waits for the block's end", () => {
  const play = opened().run("x B 5@95 GTT+20 =a; / 5");
  const place = play.rig.events().length;
  const change = { timeInForce: 2, expiresAt: play.rig.nowNs - NS, price: 97, sizeDelta: 2 };
  expect(play.rig.amend("x", "M", play.ids.get("a")!, change).text).toBe("");
  expect([states(play, "a"), money(play, "x")]).toEqual([["2 7 97"], "60 99999940 0"]);
  expect(eventsFrom(play, place, "ledgerMovements")).toEqual([]);
  play.run("/");
  expect(money(play, "x")).toBe(`0 ${MILLIONS} 0`);
});

test("2.5 the margin of an order that is over does not come back with one that is refused for its margin", () => {
  const play = opened(FLAT).deposit(60n, "w").run("w B 5@95 GTT+1 =a; /");
  expect(money(play, "w")).toBe("60 0 0");
  play.run("w B 6@95 =b2; w S 1@95 IOC reduce =r");
  expect([states(play, "b2", "r"), money(play, "w")]).toEqual([["6 6 95 14", "4 1 95 50"], "60 0 0"]);
  play.run("/");
  expect(money(play, "w")).toBe("0 60 0");
});

test("2.7 a parked peg whose change lets it come in is lost where it may not trade", () => {
  const range = { ...FLAT, targetStake: { scaling: 0.00001 }, lpPriceRange: "0.001" };
  const play = opened(range).run("amend s @111; x S 2 ASK+5 post =a; cancel b; p1 B 10@90");
  expect([states(play, "a"), play.deployed("lp")[0]]).toEqual([["8 2 0"], "buy 10@101"]);
  play.run("amend a MID+1");
  expect(play.last.text).toBe("OrderError: post only order would trade");
  expect([states(play, "a"), money(play, "x")]).toEqual([["4 2 101 49"], `0 ${MILLIONS} 0`]);
  play.run("amend a MID+9");
  expect(play.last.text).toBe("OrderError: Invalid Order ID");
});

test("2.7 a peg is shown with the time at which it was parked, also when it has just come", () => {
  const play = quoted().run("x B 5 BID-1 =c");
  const { updatedAt, createdAt } = play.rig.shownOrder(play.ids.get("c")!)!;
  expect([updatedAt, createdAt]).toEqual([play.rig.nowNs, play.rig.nowNs]);
});

test("2.8 an amended order that closes what was opened in the block gives no margin back before its end", () => {
  const play = opened(FLAT).run("x B 5@110; x S 5@130 =a; amend a @90");
  expect([states(play, "a"), play.rig.position("x", "M")]).toMatchObject([
    ["5 0 90"],
    { size: 0n, sell: 0n },
  ]);
  expect(play.margin("x")).toBe(60n);
  play.run("/");
  expect(play.margin("x")).toBe(0n);
});

test("2.8 an amended peg that trades is shown last, where following prices has put it", () => {
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

test("2.8 margin that was moved for an amendment stays where the order cannot take its new place", () => {
  const play = opened(FLAT).run("x B 5@95 post =a");
  const place = play.rig.events().length;
  expect(play.rig.amend("x", "M", play.ids.get("a")!, { price: 110, sizeDelta: 5 }).text).toBe(
    "couldn't insert order in book",
  );
  expect([states(play, "a"), money(play, "x")]).toEqual([["1 5 95"], "120 99999880 0"]);
  expect(play.rig.position("x", "M")).toMatchObject({ buy: 5n, buySum: 475n });
  const seen = eventsFrom(play, place, "order", "ledgerMovements", "marginLevels");
  expect(seen.map(({ member }) => member)).toEqual(["ledgerMovements", "marginLevels"]);
  expect(play.queue("buy")[0]).toBe("x 5@95");
  play.run("cancel a");
  expect(money(play, "x")).toBe(`0 ${MILLIONS} 0`);
});

test("2.8 an order of a provision is no one's to cancel", () => {
  const play = opened();
  const { id } = play.rig.liveOrders("lp", "M").find(({ provision }) => provision !== "")!;
  for (const party of ["lp", "x"])
    expect(play.rig.cancel(party, "M", id).text).toBe("OrderError: Edit Not Allowed");
});

test("2.8 all of a party's orders are cancelled one by one, and its margin comes back behind the last that it was for", () => {
  const play = opened();
  const [first, second] = ["1", "2"].map((digit) => digit.repeat(64));
  play.rig.order("x", "M", "buy", 5, 95, { id: first });
  play.rig.order("x", "M", "buy", 5, undefined, { id: second, peg: { reference: 2, offset: "500" } });
  const place = play.rig.events().length;
  play.run("cancel all x");
  const seen = eventsFrom(play, place, "order", "ledgerMovements").slice(0, 3);
  expect(seen.map(({ member, payload }) => payload.id ?? member)).toEqual([first, "ledgerMovements", second]);
});
