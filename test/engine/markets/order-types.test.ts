// Times in force, reduce-only and post-only orders, expiry and batches (docs/protocol/70-trading-orders.md#2-orders).
// Notation of statements and results: rig.ts.
import { expect, test } from "bun:test";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { amendmentOf, idOf, orderOf } from "./rig.ts";
import {
  around1000,
  BOUND,
  eventsFrom,
  FLAT,
  LIGHT,
  lastOrder,
  opened,
  quoted,
  states,
} from "./sample-markets.ts";

test("a fill-or-kill order counts the volume within its limit, across price levels", () => {
  const play = opened();
  play.run("x B 15@119 FOK =a");
  expect(states(play, "a")).toEqual(["4 15 119"]);
  play.run("x B 15@120 FOK =b2");
  expect(states(play, "b2")).toEqual(["5 0 120"]);
  expect(play.trades(1)).toEqual(["x-p2 10@110", "x-lp 5@120"]);
});

test("a fill-or-kill order is stopped by its own party's order only if it needs that volume", () => {
  const play = opened();
  play.run("y S 5@104; x S 5@105 =own; x B 5@105 FOK =ok");
  expect(states(play, "ok")).toEqual(["5 0 105"]);
  play.run("y S 5@104; x B 6@120 FOK =no");
  expect(states(play, "no", "own")).toEqual(["4 6 120 20", "1 5 105"]);
  expect(play.last.text).toBe("");
});

test("a reduce-only order trades no more than the position, and its rest is stopped", () => {
  const play = opened();
  play.run("x B 5@110; y B 3@95; x S 8@95 IOC reduce =r");
  expect(states(play, "r")).toEqual(["4 5 95"]);
  expect(play.rig.position("x", "M")).toMatchObject({ size: 2n, sell: 0n });
  play.run("x S 3@90 FOK reduce =f; x B 1@110 IOC reduce =g; x S 2@90 FOK reduce =h; x S 1@90 IOC reduce =i");
  expect(states(play, "f", "g", "h", "i")).toEqual(["4 3 90 50", "4 1 110 50", "5 0 90", "4 1 90 50"]);
});

test("an order whose fees cannot be paid is refused before it trades; fees may come from margin", () => {
  const play = opened(
    { linearSlippage: "0", quadraticSlippage: "0" },
    { parameters: { "market.fee.factors.makerFee": "0.2" } },
  )
    .deposit(131n, "w")
    .deposit(142n, "v");
  // w buys 10@110: margin mark 100 -> 100*10*.1=100 initial 120; fee 1100*.2 = 220 > 131
  play.run("w B 10@110 =w");
  expect(play.last.text).toBe("OrderError: Insufficient funds to pay fees");
  expect(states(play, "w")).toEqual(["6 10 110 21"]);
  expect([play.general("w"), play.margin("w")]).toEqual([131n, 0n]);
  // v buys 5: margin 50->60; fee 110 <= 142: pays general 82, margin 28
  play.run("v B 5@110 =v");
  expect(states(play, "v")).toEqual(["5 0 110"]);
  expect([play.general("v"), play.margin("v")]).toEqual([0n, 32n]);
});

test("expiries can be amended and take effect in an auction", () => {
  const play = quoted({ openingSeconds: 20 });
  play.run(
    "x B 1@95 GTT+5 =a; y B 1@96 GTT+5 =b1; z B 1@97 =c; / 2; amend a GTT+10; amend b1 GTC; amend c GTT+1; / 2",
  );
  expect(play.rig.events("expiredOrders").map((e) => e.payload.orderIds)).toEqual([[play.ids.get("c")!]]);
  expect(play.queue("buy")).toEqual(["p1 1@100", "y 1@96", "x 1@95", "p1 10@90"]);
  expect(play.rig.liveOrder(play.ids.get("b1")!)).toMatchObject({
    expiresAt: 0n,
    timeInForce: 1,
    version: 2n,
  });
  play.run("/ 7");
  expect(play.queue("buy")).toEqual(["p1 1@100", "y 1@96", "x 1@95", "p1 10@90"]);
  play.run("/ 1");
  expect(play.queue("buy")).toEqual(["p1 1@100", "y 1@96", "p1 10@90"]);
  expect(play.rig.events("expiredOrders").at(-1)!.payload).toEqual({
    marketId: idOf("M"),
    orderIds: [play.ids.get("a")!],
  });
});

test("a batch in an auction names the instructions that are invalid there", () => {
  const play = quoted();
  play.run("x B 1@95 =a");
  const r = play.rig.batch("x", {
    amendments: [amendmentOf("none", play.ids.get("a")!, { sizeDelta: 1 })],
    submissions: [
      orderOf("M", "buy", 1, 96, { timeInForce: 3 }).payload as never,
      orderOf("M", "buy", 1, 97).payload as never,
      orderOf("none", "buy", 1, 97).payload as never,
    ],
  });
  expect(r.code).toBe(71);
  expect(r.text).toBe(
    "0 (OrderError: Invalid Market ID), 1 (ioc order received during auction trading), 3 (OrderError: Invalid Market ID)",
  );
});

test("a batch can pay for an order with the margin of one that it cancels", () => {
  const play = opened().deposit(120n, "w");
  play.run("w B 10@95 =a");
  const r = play.rig.batch("w", {
    cancellations: [{ orderId: play.ids.get("a")!, marketId: idOf("M") }],
    submissions: [orderOf("M", "buy", 10, 96).payload as never],
  });
  expect([r.code, r.text]).toEqual([0, ""]);
  expect(play.queue("buy")[0]).toBe("w 10@96");
});

test("a partly filled order is amended by what remains", () => {
  const play = opened();
  play.run("x B 10@95 =a; y S 6@95");
  play.run("amend a +2");
  expect(play.rig.shownOrder(play.ids.get("a")!)).toMatchObject({
    size: 12n,
    remaining: 6n,
    status: 1,
    version: 2n,
  });
  play.run("amend a -5");
  expect(play.rig.shownOrder(play.ids.get("a")!)).toMatchObject({
    size: 7n,
    remaining: 1n,
    status: 1,
    version: 3n,
  });
  play.run("amend a -1");
  expect(play.rig.shownOrder(play.ids.get("a")!)).toMatchObject({ status: 3 });
  expect(play.rig.position("x", "M")).toMatchObject({ size: 6n, buy: 0n });
});

test("a parked order amended to a past expiry expires at once", () => {
  const play = quoted({ openingSeconds: 20 });
  play.run("x B 5 BID-3 GTT+15 =a; / 5");
  const text = play.rig.amend("x", "M", play.ids.get("a")!, {
    timeInForce: 2,
    expiresAt: play.rig.nowNs - 2n * SECOND_NS,
  }).text;
  expect(text).toBe("");
  expect(play.rig.shownOrder(play.ids.get("a")!)).toMatchObject({ status: 2, version: 2n });
  play.open();
  expect(play.rig.liveOrder(play.ids.get("a")!)).toBeUndefined();
});

test("an order that has expired does not trade when the auction ends", () => {
  const play = quoted({ openingSeconds: 5 });
  play.run("x B 5@105 GTT+6; y S 5@95 =c; / 5");
  // Asks 5@95 and 1@100, bids 5@105 and 1@100.
  expect(play.rig.marketData("M").indicativeVolume).toBe(6n);
  play.run("/");
  expect(play.rig.marketData("M").marketTradingMode).toBe(1);
  expect(play.trades()).toEqual(["p1-y 1@97"]);
  expect(states(play, "c")).toEqual(["1 4 95"]);
});

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("an amendment with several faults is refused for the first in a fixed order", () => {
  const play = opened().run("x B 5@95 =a; x B 5@94 GFN =n; x B 5 BID-3 =peg");
  const [GTC, GTT, FOK, GFA, GFN] = [1, 2, 4, 5, 6];
  const past = play.rig.nowNs;
  const ids = play.ids;
  const own = play.rig.liveOrders("lp", "M").find(({ provision }) => provision !== "")!.id;
  const peg = { peg: { offset: "3" }, sizeDelta: 1 };
  const amend = (party: string, id: string | undefined, change: object) =>
    play.rig.amend(party, "M", id!, { ...peg, ...change }).text;
  const seen = play.rig.events().length;
  expect([
    amend("y", idOf("none"), { timeInForce: GTT }),
    amend("y", own, { timeInForce: GTT }),
    amend("lp", own, { timeInForce: GTT }),
    amend("x", ids.get("n"), { timeInForce: GTT }),
    amend("x", ids.get("n"), { timeInForce: GTC, expiresAt: past }),
    amend("x", ids.get("n"), { timeInForce: FOK, expiresAt: past }),
    amend("x", ids.get("n"), { timeInForce: GTT, expiresAt: past }),
    amend("x", ids.get("n"), { timeInForce: GFA }),
    amend("x", ids.get("n"), { timeInForce: GTC }),
    amend("x", ids.get("n"), { timeInForce: GFN, price: 1 }),
    amend("x", ids.get("a"), { price: 1 }),
    amend("x", ids.get("peg"), { price: 1 }),
  ]).toEqual([
    "OrderError: Invalid Order ID",
    "OrderError: Invalid Party ID",
    "OrderError: Edit Not Allowed",
    "OrderError: Cannot amend order to GTT without an expiryAt field",
    "OrderError: Cannot set ExpiryAt and GTC",
    "OrderError: Cannot amend TIF to FOK or IOC",
    "OrderError: ExpiryAt field must not be before CreatedAt",
    "OrderError: Cannot amend TIF to GFA or GFN",
    "OrderError: Cannot amend TIF from GFA or GFN",
    "OrderError: cannot amend pegged details on a non pegged order",
    "OrderError: cannot amend pegged details on a non pegged order",
    "invalid OrderError",
  ]);
  expect(eventsFrom(play, seen, "order")).toEqual([]);
  // From a time in force to the same one nothing is asked.
  const same = { timeInForce: GFN, sizeDelta: -1 };
  expect(play.rig.amend("x", "M", ids.get("n")!, same).text).toBe("");
  play.rig.terminate();
  expect(amend("y", idOf("none"), { timeInForce: GTT })).toBe("trading not allowed");
});

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("a market that does not trade refuses cancellations, and is skipped when orders of all markets are cancelled", () => {
  const play = opened().run("x B 5@95 =a");
  const { rig } = play;
  rig.createMarket("O", { asset: "ETH", ...LIGHT, oracle: idOf("other") });
  const { id } = rig.order("x", "O", "buy", 1, 95);
  rig.terminate();
  const closed = "trading not allowed";
  expect([rig.cancel("x", "M", play.ids.get("a")!).text, rig.cancel("x", "M").text]).toEqual([
    closed,
    closed,
  ]);
  expect(rig.cancel("x").text).toBe("");
  expect([rig.shownOrder(id)!.status, rig.shownOrder(play.ids.get("a")!)!.status]).toEqual([3, 1]);
  const unknown = "OrderError: Invalid Market ID";
  expect([rig.cancel("x", "none").text, rig.cancel("x", "none", id).text]).toEqual([unknown, unknown]);
});

// docs/protocol/70-trading-orders.md#24-ordererror-numbers
test("an order that may not begin an auction is stopped with its own text", () => {
  const play = opened(BOUND).run("z S 5@115; x B 12@115 IOC =a");
  expect(play.last.text).toBe("OrderError: non-persistent order trades out of price bounds");
  expect(states(play, "a")).toEqual(["4 12 115 47"]);
});

// docs/protocol/70-trading-orders.md#25-submission-step-by-step
test("post-only is ignored in an auction", () => {
  const play = quoted().run("x B 1@110 post =a");
  expect([play.last.text, states(play, "a")]).toEqual(["", ["1 1 110"]]);
  play.open();
  expect([states(play, "a"), play.trades()]).toEqual([["5 0 110"], ["x-p2 1@105"]]);
});

// docs/protocol/70-trading-orders.md#25-submission-step-by-step
test("a party without money can close its position by market or limit orders up to its size, but not by a peg", () => {
  const play = opened(FLAT).deposit(150n, "w").run("p2 S 5@111; w B 10@110; /");
  play.rig.withdraw("w", "ETH", play.general("w"));
  play.run("y S 1@109; x B 1@109; /");
  // The initial margin of ten at 109 is 130.
  expect([play.margin("w"), play.general("w")]).toEqual([122n, 0n]);
  play.run("w S 1 ASK+5 =peg; w S 10@130 =whole; w S 1@131 =more; w S 5 FOK =any");
  expect(states(play, "peg", "whole", "more", "any")).toEqual([
    "6 1 116 14",
    "1 10 130",
    "6 1 131 14",
    "5 0 0",
  ]);
  expect(play.rig.position("w", "M")).toMatchObject({ size: 5n, sell: 10n });
});

// docs/protocol/70-trading-orders.md#26-time-in-force-summary and #28-amend-cancel-batch
test("an expiry equal to the block's time is accepted, and expires the order at the next tick", () => {
  const play = opened().run("y B 1@94 =c; /");
  const { rig } = play;
  const now = { timeInForce: 2, expiresAt: rig.nowNs };
  const { id, text } = rig.order("x", "M", "buy", 1, 95, now);
  expect([text, rig.shownOrder(id)!.status]).toEqual(["", 1]);
  expect(rig.amend("y", "M", play.ids.get("c")!, now).text).toBe("");
  expect(states(play, "c")).toEqual(["1 1 94"]);
  play.run("/");
  expect(rig.events("expiredOrders").map(({ payload }) => payload.orderIds)).toEqual([
    [id, play.ids.get("c")!],
  ]);
});

// docs/protocol/70-trading-orders.md#22-order-message
test("a provision's order has its provision's creation time, whenever it is placed", () => {
  const play = opened();
  const { createdAt } = play.rig.shownProvision("lp", "M")!;
  play.run("/ 5; p1 B 1@95");
  const order = play.rig.events("order").findLast(({ payload }) => payload.liquidityProvisionId !== "")!;
  expect(order.payload).toMatchObject({ status: 1, createdAt, version: 1n });
  expect(createdAt).toBeLessThan(play.rig.nowNs);
});

const GTT = 2;
const IOC = 3;
const STOPPED = 4;

test("an order may expire at its own block's time, but not before", () => {
  const play = around1000();
  const { rig } = play;
  const at = (expiresAt: bigint) => rig.order("p1", "M", "buy", 1, 950, { timeInForce: GTT, expiresAt });
  expect(at(rig.nowNs - 1n).text).toBe("invalid expiresAt time");
  const { code, id } = at(rig.nowNs);
  expect(code).toBe(0);
  rig.nextBlock();
  expect(rig.liveOrder(id)).toBeUndefined();
});

test("an order's batch number is 0 if the book never saw it", () => {
  const play = around1000();
  const { rig } = play;
  rig.deposit("poor", "ETH", 1n);
  expect(lastOrder(play, rig.order("poor", "M", "buy", 10, 950).id)).toMatchObject({
    reason: 14,
    batchId: 0n,
  });
  expect(lastOrder(play, rig.order("p1", "M", "buy", 1, 950).id)).toMatchObject({ batchId: 1n });
});

test("the stopped rest of a reduce-only order gives wash trade as the reason if it met its own party", () => {
  const play = around1000();
  const { rig } = play;
  play.run("p2 S 5@1000; p1 B 5@1000; p2 B 2@990; p1 B 4@980");
  const { id } = rig.order("p1", "M", "sell", 5, 970, { timeInForce: IOC, reduceOnly: true });
  expect(lastOrder(play, id)).toMatchObject({ status: STOPPED, reason: 20, remaining: 3n });
});

// docs/protocol/70-trading-orders.md#34-entering-an-auction
test("orders that the start or end of an auction cancels are cancelled by side, price and time", () => {
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
