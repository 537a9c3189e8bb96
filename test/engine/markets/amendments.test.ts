// Amendments and cancellations of orders, and the margin that moves with them
// (docs/protocol/70-trading-orders.md#25-submission-step-by-step to #29-expiry;
// docs/protocol/70-trading-scenarios.md#s3-queue-priority-on-amend). Notation of statements and results: rig.ts.
import { describe, expect, test } from "bun:test";
import { OrderTimeInForce } from "../../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { amendmentOf, idOf, orderOf } from "./rig.ts";
import {
  around1000,
  CANCELLED,
  eventsFrom,
  FLAT,
  feeFactors,
  lastOrder,
  M2,
  MILLIONS,
  market,
  money,
  opened,
  states,
} from "./sample-markets.ts";

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("an expiry added alone expires a GFN order, and is only recorded on a GTC order", () => {
  const play = opened().run("x B 5@95 =a; y B 5@94 GFN =n");
  const amend = (party: string, name: string, expiresAt: bigint, sizeDelta = 0) =>
    play.rig.amend(party, "M", play.ids.get(name)!, { expiresAt, sizeDelta }).text;
  const time = play.rig.nowNs + 2n * SECOND_NS;
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

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("an order becomes GTT only with an expiry that lies after its creation", () => {
  const play = opened().run("x B 5@95 =a");
  const until = { timeInForce: OrderTimeInForce.TIME_IN_FORCE_GTT };
  const amend = (expiresAt?: bigint) =>
    play.rig.amend("x", "M", play.ids.get("a")!, { ...until, ...(expiresAt !== undefined && { expiresAt }) })
      .text;
  const time = play.rig.nowNs + 9n * SECOND_NS;
  expect([amend(), amend(play.rig.nowNs - 100n * SECOND_NS), amend(time)]).toEqual([
    "OrderError: Cannot amend order to GTT without an expiryAt field",
    "OrderError: ExpiryAt field must not be before CreatedAt",
    "",
  ]);
  expect(play.rig.shownOrder(play.ids.get("a")!)).toMatchObject({ ...until, expiresAt: time, version: 2n });
});

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("an expiry of zero counts as no expiry, which a GTT order refuses", () => {
  const play = opened().run("x B 5@95 GTT =a; y B 5@94 =c");
  const amend = (party: string, name: string) =>
    play.rig.amend(party, "M", play.ids.get(name)!, { sizeDelta: 1, expiresAt: 0n }).text;
  expect([amend("x", "a"), amend("y", "c")]).toEqual(["OrderError: Invalid Expiration Datetime", ""]);
  expect(states(play, "a", "c")).toEqual(["1 5 95", "1 6 94"]);
});

// docs/protocol/70-trading-orders.md#29-expiry
test("an amendment that expires an order releases its margin at the block's end, not at once", () => {
  const play = opened().run("x B 5@95 GTT+20 =a; / 5");
  const place = play.rig.events().length;
  const change = { timeInForce: 2, expiresAt: play.rig.nowNs - SECOND_NS, price: 97, sizeDelta: 2 };
  expect(play.rig.amend("x", "M", play.ids.get("a")!, change).text).toBe("");
  expect([states(play, "a"), money(play, "x")]).toEqual([["2 7 97"], "60 99999940 0"]);
  expect(eventsFrom(play, place, "ledgerMovements")).toEqual([]);
  play.run("/");
  expect(money(play, "x")).toBe(`0 ${MILLIONS} 0`);
});

// docs/protocol/70-trading-orders.md#25-submission-step-by-step
test("margin of an expired order is not released by a later order that is refused", () => {
  const play = opened(FLAT).deposit(60n, "w").run("w B 5@95 GTT+1 =a; /");
  expect(money(play, "w")).toBe("60 0 0");
  play.run("w B 6@95 =b2; w S 1@95 IOC reduce =r");
  expect([states(play, "b2", "r"), money(play, "w")]).toEqual([["6 6 95 14", "4 1 95 50"], "60 0 0"]);
  play.run("/");
  expect(money(play, "w")).toBe("0 60 0");
});

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("an amended order that closes a position opened in the same block releases margin at the block's end", () => {
  const play = opened(FLAT).run("x B 5@110; x S 5@130 =a; amend a @90");
  expect([states(play, "a"), play.rig.position("x", "M")]).toMatchObject([
    ["5 0 90"],
    { size: 0n, sell: 0n },
  ]);
  expect(play.margin("x")).toBe(60n);
  play.run("/");
  expect(play.margin("x")).toBe(0n);
});

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("margin moved for an amendment stays when the book refuses the amended order", () => {
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

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("an order of a liquidity provision cannot be cancelled by anyone", () => {
  const play = opened();
  const { id } = play.rig.liveOrders("lp", "M").find(({ provision }) => provision !== "")!;
  for (const party of ["lp", "x"])
    expect(play.rig.cancel(party, "M", id).text).toBe("OrderError: Edit Not Allowed");
});

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("cancelling all orders cancels one by one, and releases margin once the last order that needs it is gone", () => {
  const play = opened();
  const [first, second] = ["1", "2"].map((digit) => digit.repeat(64));
  play.rig.order("x", "M", "buy", 5, 95, { id: first });
  play.rig.order("x", "M", "buy", 5, undefined, { id: second, peg: { reference: 2, offset: "500" } });
  const place = play.rig.events().length;
  play.run("cancel all x");
  const seen = eventsFrom(play, place, "order", "ledgerMovements").slice(0, 3);
  expect(seen.map(({ member, payload }) => payload.id ?? member)).toEqual([first, "ledgerMovements", second]);
});

// docs/protocol/70-trading-scenarios.md#s3-queue-priority-on-amend
describe("queue priority of an amended order", () => {
  const opened = () => {
    const play = market(M2, {
      parameters: {
        "market.margin.scalingFactors": '{"search_level":3.2,"initial_margin":4,"collateral_release":5}',
      },
    }).deposit(MILLIONS, "x", "y", "z", "a", "b");
    play.run("a B 1@1; b S 1@100; a B 1@10; b S 1@10").open();
    return play.run("x S 5@2 =o1; y S 5@2 =o2");
  };
  test("a smaller size keeps its place in the queue", () => {
    const play = opened().run("amend o1 -2; z B 3@2");
    expect(play.trades(1)).toEqual(["z-x 3@2"]);
  });
  test("a larger size goes to the back of the queue", () => {
    const play = opened().run("amend o1 +3; z B 3@2");
    expect(play.trades(1)).toEqual(["z-y 3@2"]);
  });
  test("an amendment that leaves nothing cancels the order", () => {
    const play = opened().run("z B 3@2; amend o1 -3");
    expect(play.trades(1)).toEqual(["z-x 3@2"]);
    expect(play.order("o1").status).toBe(CANCELLED);
  });
  test("a time in force cannot become FOK, GTT without an expiry, or GTC with one", () => {
    const play = opened();
    const id = play.ids.get("o1")!;
    const before = { ...play.rig.liveOrder(id)! };
    const { TIME_IN_FORCE_FOK, TIME_IN_FORCE_GTT, TIME_IN_FORCE_GTC } = OrderTimeInForce;
    const amend = (timeInForce: number, expiresAt?: bigint) =>
      play.rig.amend("x", "M", id, { timeInForce, ...(expiresAt !== undefined && { expiresAt }) }).text;
    expect([
      amend(TIME_IN_FORCE_FOK),
      amend(TIME_IN_FORCE_GTT),
      amend(TIME_IN_FORCE_GTC, play.rig.nowNs + SECOND_NS),
    ]).toEqual([
      "OrderError: Cannot amend TIF to FOK or IOC",
      "OrderError: Cannot amend order to GTT without an expiryAt field",
      "OrderError: Cannot set ExpiryAt and GTC",
    ]);
    expect(before).toMatchObject({ version: 1n, timeInForce: TIME_IN_FORCE_GTC, expiresAt: 0n });
    expect(play.rig.liveOrder(id)).toEqual(before);
    expect(play.queue("sell").slice(0, 2)).toEqual(["x 5@2", "y 5@2"]);
  });
  test("a cancelled order cannot be amended", () => {
    const play = opened().run("cancel o1; amend o1 -1");
    expect(play.last.text).toBe("OrderError: Invalid Order ID");
  });
});

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("an amendment that would let a post-only order trade is refused and changes nothing", () => {
  const play = opened().run("x B 5@95 post =a; amend a @110");
  expect([play.last.text, states(play, "a"), play.queue("buy")[0]]).toEqual([
    "couldn't insert order in book",
    ["1 5 95"],
    "x 5@95",
  ]);
  play.run("amend a @109");
  expect([play.last.text, states(play, "a")]).toEqual(["", ["1 5 109"]]);
});

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("an amendment whose fees cannot be paid is refused with a text of its own", () => {
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

// docs/protocol/70-trading-orders.md#27-pegged-orders-brief
test("a pegged order amended out of any price emits one event as it is parked and one as it is amended", () => {
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

// docs/protocol/70-trading-orders.md#28-amend-cancel-batch
test("margin of an order made smaller is released before the order's event", () => {
  const play = opened().run("x B 50@95 =a");
  const place = play.rig.events().length;
  play.run("amend a -40");
  const seen = eventsFrom(play, place, "order", "ledgerMovements").map(({ member }) => member);
  expect([seen, money(play, "x")]).toEqual([["ledgerMovements", "order"], "120 99999880 0"]);
});

const GTT = 2;

test("an amendment that expires an order applies its other changes first", () => {
  const play = around1000();
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
  expect(lastOrder(play, id)).toMatchObject({ status: 2, size: 3n, remaining: 3n });
});

test("an amendment to nothing cancels the order, whatever else it asks for", () => {
  const play = around1000();
  const { rig } = play;
  const { id } = rig.order("p1", "M", "buy", 5, 950);
  const payload = { orderId: id, marketId: idOf("M"), sizeDelta: -5n, expiresAt: 1n };
  expect(rig.deliver("p1", { kind: "orderAmendment", payload }).code).toBe(0);
  expect(lastOrder(play, id)).toMatchObject({ status: 3 });
});

test("an amendment needs margin like a new order, even if it only reduces the position", () => {
  const play = around1000();
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
