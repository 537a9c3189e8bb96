// Orders that are refused, stopped, changed and ended: numbers and texts
// (docs/protocol/70-trading-orders.md#24-ordererror-numbers to #210-self-trade-rule), ids
// (docs/protocol/70-trading-orders.md#23-commands-inputdata-oneof-tag). Notation of statements and results: rig.ts.
import { beforeEach, describe, expect, test } from "bun:test";
import { sha3HexOf } from "../../../src/crypto/sha.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { amendmentOf, createMarketRig, idOf, type MarketRig, orderOf, Play } from "./rig.ts";

const MILLIONS = 100_000_000n;
const [ACTIVE, EXPIRED, CANCELLED, STOPPED, FILLED, REJECTED, PARTIAL, PARKED] = [1, 2, 3, 4, 5, 6, 7, 8];
const [GTT, IOC, FOK, GFA, GFN] = [2, 3, 4, 5, 6];
const [MID, BID, ASK] = [1, 2, 3];

let rig: MarketRig;
let play: Play;

beforeEach(() => {
  rig = createMarketRig({ parameters: { "limits.markets.maxPeggedOrders": "2" } });
  rig.createMarket("M", {
    asset: "ETH",
    simple: { long: 0.1, short: 0.1 },
    targetStake: { scaling: 0.00001 },
  });
  play = new Play(rig, "M").deposit(MILLIONS, "p1", "p2", "p3", "lp").deposit(50n, "poor");
  play.run("lp lp(1000, 0, BID-10, ASK+10); p1 B 10@90; p2 S 10@110; p1 B 1@100; p2 S 1@100");
});

const opened = () => play.open();
const shown = (id: string) => rig.events("order").findLast(({ payload }) => payload.id === id)!.payload;

describe("a submission that is refused", () => {
  const late = { timeInForce: GTT, expiresAt: 1n };
  test.each([
    [
      "good for auction, in continuous trading",
      "p1",
      { timeInForce: GFA },
      25,
      "gfa order received during continuous trading",
    ],
    ["that would have expired", "p1", late, 7, "invalid expiresAt time"],
    ["of a party without an account", "stranger", {}, 43, "party has insufficient balance in asset"],
    ["that its party cannot pay for", "poor", {}, 14, "margin check failed"],
  ])("%s", (_name, party, more, reason, text) => {
    opened();
    const { id, text: refusal } = rig.order(party, "M", "buy", 100, 95, more);
    expect(refusal).toBe(text);
    expect(shown(id)).toMatchObject({ status: REJECTED, reason });
    expect(rig.liveOrder(id)).toBeUndefined();
  });

  test.each([
    [GFN, 24, "gfn order received during auction trading"],
    [IOC, 32, "ioc order received during auction trading"],
    [FOK, 33, "fok order received during auction trading"],
  ])("of kind %d in an auction", (timeInForce, reason, text) => {
    const { id, text: refusal } = rig.order("p1", "M", "buy", 1, 95, { timeInForce });
    expect([refusal, shown(id).status, shown(id).reason]).toEqual([text, REJECTED, reason]);
  });

  const peg = (reference: number, offset = "5") => ({ price: "", peggedOrder: { reference, offset } });
  const [MARKET, NETWORK, GTC, SELL_SIDE] = [2, 3, 1, 2];
  const invalid = "invalid OrderError";
  // In the order in which they are looked at: each has the faults of those below, too.
  test.each<[string, number, string, object]>([
    ["of the network's type", 19, "OrderError: Invalid Type", { type: NETWORK, ...peg(ASK, "0") }],
    ["pegged, without a limit", 34, invalid, { type: MARKET, timeInForce: IOC, ...peg(0) }],
    ["pegged, that cannot rest", 35, invalid, { timeInForce: FOK, ...peg(0) }],
    ["pegged to nothing", 36, invalid, peg(0)],
    ["that buys by the best ask", 37, "OrderError: buy cannot reference best ask price", peg(ASK)],
    [
      "that sells by the best bid",
      41,
      "OrderError: sell cannot reference best bid price",
      { side: SELL_SIDE, ...peg(BID) },
    ],
    ["in the middle itself", 42, "OrderError: offset must be greater than zero", peg(MID, "0")],
    ["of nothing", 4, "OrderError: Invalid Remaining Size", { size: 0n, timeInForce: GTT }],
    ["good till no time", 7, "OrderError: Invalid Expiration Datetime", { timeInForce: GTT }],
    [
      "at any price, good till a time",
      18,
      "OrderError: Invalid Persistence",
      { type: MARKET, price: "", timeInForce: GTT, expiresAt: 2n ** 62n },
    ],
    ["at any price, good till cancelled", 18, "OrderError: Invalid Persistence", { type: MARKET, price: "" }],
  ])("%s, which no mempool lets through", (_name, reason, text, more) => {
    for (const begins of [() => {}, opened]) {
      begins();
      // An auction refuses their times in force before it looks at pegs.
      if ((reason === 34 || reason === 35) && rig.market("M").context.isInAuction) continue;
      const payload = {
        marketId: idOf("M"),
        side: 1,
        type: 1,
        timeInForce: GTC,
        price: "95",
        size: 2n,
        ...more,
      };
      const { id, text: refusal } = rig.deliver("p3", { kind: "orderSubmission", payload });
      expect([refusal, shown(id).status, shown(id).reason]).toEqual([text, REJECTED, reason]);
      expect(rig.liveOrder(id)).toBeUndefined();
      expect([play.margin("p3"), play.general("p3")]).toEqual([0n, MILLIONS]);
    }
  });

  test("in a form that the engine does not look at", () => {
    const form = (more: object) =>
      rig.deliver("p3", {
        kind: "orderSubmission",
        payload: { marketId: idOf("M"), side: 1, type: 1, timeInForce: GTC, price: "95", size: 2n, ...more },
      });
    expect([
      form({ side: 0 }).code,
      form({ side: 0, size: 0n }).code,
      form(peg(0, "x")).code,
      form(peg(MID, "-1")).code,
      form({ type: MARKET, price: "", timeInForce: GFN }).code,
      form({ price: "0" }).code,
    ]).toEqual([60, 60, 60, 60, 60, 60]);
  });

  test("for an unknown market has no order event, for one that does not trade has one", () => {
    const unknown = rig.deliver("p1", {
      kind: "orderSubmission",
      payload: { marketId: idOf("none"), price: "1", size: 1n, side: 1, timeInForce: 1, type: 1 },
    });
    expect(unknown.text).toBe("OrderError: Invalid Market ID");
    rig.proposeMarket("P", { asset: "ETH", simple: { long: 0.1, short: 0.1 } });
    const { id, text } = rig.order("p1", "P", "buy", 1, 95);
    expect([text, shown(id).status, shown(id).reason]).toEqual(["trading not allowed", REJECTED, 13]);
  });
});

describe("an order that is stopped", () => {
  test("post-only, when it would trade", () => {
    opened();
    const { id, text } = rig.order("p3", "M", "buy", 1, 110, { postOnly: true });
    expect([text, shown(id).status, shown(id).reason]).toEqual([
      "OrderError: post only order would trade",
      STOPPED,
      49,
    ]);
  });
  test("reduce-only, without a position; with one it takes no more than that", () => {
    opened();
    const text = "OrderError: reduce only order would not reduce position";
    const none = rig.order("p3", "M", "sell", 1, 90, { timeInForce: IOC, reduceOnly: true });
    expect([none.text, shown(none.id).status, shown(none.id).reason]).toEqual([text, STOPPED, 50]);
    rig.order("p3", "M", "buy", 3, undefined);
    const more = rig.order("p3", "M", "sell", 5, 90, { timeInForce: FOK, reduceOnly: true });
    expect(shown(more.id).reason).toBe(50);
    const part = rig.order("p3", "M", "sell", 5, 90, { timeInForce: IOC, reduceOnly: true });
    expect(part.text).toBe("");
    expect(shown(part.id)).toMatchObject({ status: STOPPED, remaining: 2n, reason: undefined });
    expect(rig.position("p3", "M")!.size).toBe(0n);
  });
  test("fill or kill, immediate or cancel", () => {
    opened();
    const [killed, untouched, part, whole] = [
      rig.order("p3", "M", "buy", 11, 110, { timeInForce: FOK }),
      rig.order("p3", "M", "buy", 1, 105, { timeInForce: IOC }),
      rig.order("p3", "M", "buy", 12, 110, { timeInForce: IOC }),
      rig.order("p3", "M", "sell", 2, 90, { timeInForce: IOC }),
    ];
    expect(
      [killed, untouched, part, whole].map(({ id, text }) => [text, shown(id).status, shown(id).remaining]),
    ).toEqual([
      ["", STOPPED, 11n],
      ["", STOPPED, 1n],
      ["", PARTIAL, 2n],
      ["", FILLED, 0n],
    ]);
  });
  test("by an order of its own party keeps its trades, and the rest does not rest", () => {
    opened();
    rig.order("p3", "M", "sell", 2, 105);
    const first = rig.order("p3", "M", "buy", 1, 105);
    expect(shown(first.id)).toMatchObject({ status: STOPPED, reason: 20, remaining: 1n });
    rig.order("p2", "M", "sell", 1, 104);
    const second = rig.order("p3", "M", "buy", 3, 105);
    expect(shown(second.id)).toMatchObject({ status: PARTIAL, reason: 20, remaining: 2n });
    const killed = rig.order("p3", "M", "buy", 2, 105, { timeInForce: FOK });
    expect(shown(killed.id)).toMatchObject({ status: STOPPED, reason: 20 });
  });
});

describe("an amendment", () => {
  const amend = (party: string, orderId: string, change: object) =>
    rig.deliver(party, {
      kind: "orderAmendment",
      payload: { orderId, marketId: idOf("M"), sizeDelta: 0n, ...change },
    }).text;
  test.each([
    ["another party's", "p2", { sizeDelta: 1n }, "OrderError: Invalid Party ID"],
    ["to fill or kill", "p3", { timeInForce: FOK }, "OrderError: Cannot amend TIF to FOK or IOC"],
    ["to an auction's kind", "p3", { timeInForce: GFN }, "OrderError: Cannot amend TIF to GFA or GFN"],
    ["to an unknown time in force", "p3", { timeInForce: 77 }, undefined],
    [
      "pegged members of an order without a peg",
      "p3",
      { peggedOffset: "3" },
      "OrderError: cannot amend pegged details on a non pegged order",
    ],
  ])("%s", (_name, party, change, text) => {
    opened();
    const { id } = rig.order("p3", "M", "buy", 5, 95);
    const refusal = amend(party, id, change);
    // A command whose form is wrong does not reach the market.
    if (text === undefined) expect(refusal).toContain("order_amendment.time_in_force");
    else expect(refusal).toBe(text);
    expect(rig.liveOrder(id)).toMatchObject({ version: 1n, size: 5n });
  });
  test.each([
    ["before the order was made", -1n],
    ["below zero", undefined],
  ])("to a time %s", (_name, after) => {
    opened();
    const expiresAt = rig.nowNs + SECOND_NS;
    const { id } = rig.order("p3", "M", "buy", 5, 95, { timeInForce: GTT, expiresAt });
    const early = after === undefined ? -5n : rig.nowNs + after;
    expect(amend("p3", id, { sizeDelta: 1n, expiresAt: early })).toBe(
      "OrderError: Invalid Expiration Datetime",
    );
    expect(rig.liveOrder(id)).toMatchObject({ version: 1n, size: 5n, expiresAt });
  });
  test("of an unknown order, or of a provision's order, is refused", () => {
    opened();
    expect(amend("p3", idOf("none"), { sizeDelta: 1n })).toBe("OrderError: Invalid Order ID");
    const own = rig.liveOrders("lp", "M").find(({ provision }) => provision !== "")!;
    expect(amend("lp", own.id, { sizeDelta: 1n })).toBe("OrderError: Edit Not Allowed");
    const cancel = { orderId: own.id, marketId: idOf("M") };
    expect(rig.deliver("lp", { kind: "orderCancellation", payload: cancel }).text).toBe(
      "OrderError: Edit Not Allowed",
    );
  });
  test("keeps id, reference and place, and counts versions; a past expiry expires the order", () => {
    opened();
    const { id } = rig.order("p3", "M", "buy", 5, 95, { reference: "mine" });
    rig.nextBlock();
    expect(amend("p3", id, { sizeDelta: -2n })).toBe("");
    expect(shown(id)).toMatchObject({
      id,
      reference: "mine",
      version: 2n,
      size: 3n,
      remaining: 3n,
      updatedAt: rig.nowNs,
    });
    rig.nextBlock(5);
    expect(amend("p3", id, { timeInForce: GTT, expiresAt: rig.nowNs - SECOND_NS })).toBe("");
    expect(shown(id).status).toBe(EXPIRED);
    expect(rig.liveOrder(id)).toBeUndefined();
  });
  test("that trades emits the other orders first, and its own last", () => {
    opened();
    const { id } = rig.order("p3", "M", "buy", 5, 95);
    const seen = rig.events().length;
    expect(amend("p3", id, { price: "110" })).toBe("");
    const members = rig
      .events()
      .slice(seen)
      .filter(({ member }) => member === "order" || member === "trade")
      .map(({ member, payload }) => (member === "order" ? payload.partyId : member));
    // The best ask has become smaller, which orders of the provider follow before the amended one is shown.
    expect(members).toEqual(["p2", "trade", "lp", "p3"]);
    expect(shown(id).status).toBe(FILLED);
  });
  test("that matches its own party stops the order, as partly filled if it had traded before", () => {
    opened();
    const { id } = rig.order("p3", "M", "sell", 10, 110);
    const whole = rig.order("p3", "M", "sell", 1, 111);
    rig.order("p1", "M", "buy", 14, 110);
    rig.order("p3", "M", "buy", 1, 105);
    expect(amend("p3", id, { price: "105" })).toBe("");
    expect(shown(id)).toMatchObject({ status: PARTIAL, reason: 20, remaining: 6n });
    expect(amend("p3", whole.id, { price: "105" })).toBe("");
    expect(shown(whole.id)).toMatchObject({ status: STOPPED, reason: 20, remaining: 1n });
    expect(rig.position("p3", "M")).toMatchObject({ size: -4n, sell: 0n });
  });
});

describe("a cancellation", () => {
  const cancel = (payload: { orderId?: string; marketId?: string }) =>
    rig.deliver("p3", { kind: "orderCancellation", payload });
  test("of one order, of all in a market, of all everywhere", () => {
    opened();
    const ids = [1, 2, 3].map((n) => rig.order("p3", "M", "buy", 1, 90 + n).id);
    expect(cancel({ orderId: ids[0], marketId: idOf("M") }).text).toBe("");
    expect(shown(ids[0]!)).toMatchObject({ status: CANCELLED, remaining: 1n });
    expect(cancel({ orderId: ids[0], marketId: idOf("M") }).text).toBe(
      "unable to find the order in the market",
    );
    expect(cancel({ orderId: ids[1], marketId: "" }).text).toBe("invalid order cancellation");
    expect(cancel({ marketId: idOf("M") }).text).toBe("");
    expect(rig.liveOrders("p3", "M")).toEqual([]);
    const { id } = rig.order("p3", "M", "buy", 1, 92);
    expect(cancel({}).text).toBe("");
    expect(shown(id).status).toBe(CANCELLED);
    expect(play.margin("p3")).toBe(0n);
  });
});

describe("a pegged order", () => {
  test("follows its reference, is parked without one, and counts towards the limit", () => {
    const peg = (reference: number, offset: string) => ({ peg: { reference, offset } });
    const parked = rig.order("p3", "M", "buy", 5, undefined, peg(BID, "5"));
    expect(shown(parked.id)).toMatchObject({ status: PARKED, price: "0" });
    opened();
    expect(shown(parked.id)).toMatchObject({ status: ACTIVE, price: "85", version: 1n });
    rig.order("p1", "M", "buy", 1, 95);
    expect(shown(parked.id)).toMatchObject({ status: ACTIVE, price: "90" });
    const middle = rig.order("p3", "M", "sell", 1, undefined, peg(MID, "2"));
    expect(shown(middle.id).price).toBe("104");
    expect(rig.order("p3", "M", "sell", 1, undefined, peg(ASK, "2")).text).toBe(
      "OrderError: too many pegged orders",
    );
    const wrong = rig.order("p3", "M", "sell", 1, undefined, peg(BID, "2"));
    // Before anything else of the order is looked at.
    expect(wrong.text).toBe("OrderError: too many pegged orders");
  });
});

test("that cannot be paid for after a repricing is cancelled, other pegged orders are not", () => {
  opened();
  const stays = rig.order("poor", "M", "sell", 1, undefined, { peg: { reference: ASK, offset: "5" } });
  const comes = rig.order("poor", "M", "buy", 10, undefined, { peg: { reference: BID, offset: "95" } });
  expect(shown(comes.id).status).toBe(PARKED);
  rig.order("p1", "M", "buy", 1, 99);
  expect(shown(comes.id)).toMatchObject({ status: CANCELLED, price: "4" });
  expect(shown(stays.id)).toMatchObject({ status: ACTIVE, price: "115" });
  expect(rig.position("poor", "M")).toMatchObject({ buy: 0n, sell: 1n });
});

describe("a pegged order that is amended", () => {
  const amend = (party: string, orderId: string, change: object) =>
    rig.deliver(party, {
      kind: "orderAmendment",
      payload: { orderId, marketId: idOf("M"), sizeDelta: 0n, ...change },
    }).text;

  test("so that it has no price leaves its provider's obligation to the provision", () => {
    opened();
    const peg = { peg: { reference: BID, offset: "5" } };
    const { id } = rig.order("lp", "M", "buy", 5, undefined, peg);
    expect(play.deployed("lp")[0]).toBe("buy 8@80");
    expect(amend("lp", id, { peggedOffset: "500" })).toBe("");
    expect(shown(id).status).toBe(PARKED);
    expect(play.deployed("lp")[0]).toBe("buy 13@80");
  });

  test("while it is parked stays as it was when its party cannot pay for it at its price", () => {
    opened();
    const { id } = rig.order("poor", "M", "buy", 10, undefined, { peg: { reference: BID, offset: "95" } });
    const seen = rig.events("order").length;
    expect(amend("poor", id, { peggedOffset: "5" })).toBe("insufficient funds for initial margin");
    expect(rig.events("order").length).toBe(seen);
    expect(rig.liveOrder(id)).toMatchObject({ status: PARKED, version: 1n, peg: { offset: 95n } });
    expect(amend("poor", id, { peggedOffset: "5", sizeDelta: -8n })).toBe("");
    expect(rig.liveOrder(id)).toMatchObject({ status: ACTIVE, version: 2n, price: 85n, remaining: 2n });
  });

  test("so that it begins an auction waits for its end", () => {
    rig.createMarket("A", {
      asset: "ETH",
      simple: { long: 0.1, short: 0.1, up: 0, down: 0 },
      targetStake: { scaling: 0.00001 },
      lpPriceRange: "0.001",
      triggers: [{ horizon: 1_000, probability: 0.99, extension: 300 }],
    });
    const other = new Play(rig, "A");
    other.run("lp lp(1000, 0, BID-10, ASK+10); p1 B 10@90; p2 S 10@111; p1 B 1@100; p2 S 1@100").open();
    expect(other.deployed("lp")).toEqual(["buy 10@101", "sell 10@102"]);
    other.run("p3 S 5 MID+2 =peg; amend peg MID+1");
    expect(other.last.text).toBe("");
    expect(rig.marketData("A").marketTradingMode).toBe(4);
    expect(shown(other.ids.get("peg")!)).toMatchObject({ status: PARKED, price: "0", version: 2n });
    expect(rig.position("p3", "A")).toMatchObject({ sell: 0n, sellSum: 0n });
    expect(other.margin("p3")).toBe(0n);
  });
});

describe("orders that expire", () => {
  test("in one event, without one of their own, and in the order of their times", () => {
    opened();
    const at = (seconds: bigint) => ({ timeInForce: GTT, expiresAt: rig.nowNs + seconds * SECOND_NS });
    const second = rig.order("p3", "M", "buy", 1, 92, at(3n));
    const first = rig.order("p3", "M", "buy", 1, 93, at(2n));
    const later = rig.order("p3", "M", "buy", 1, 94, at(9n));
    const orders = rig.events("order").length;
    rig.nextBlock(3);
    expect(rig.events("expiredOrders").map(({ payload }) => payload.orderIds)).toEqual([
      [first.id, second.id],
    ]);
    expect(
      rig
        .events("order")
        .slice(orders)
        .filter(({ payload }) => payload.partyId === "p3"),
    ).toEqual([]);
    expect(rig.liveOrders("p3", "M").map(({ id }) => id)).toEqual([later.id]);
  });
});

test("orders for continuous trading end with it: those on the book, then parked ones", () => {
  opened();
  const peg = { reference: BID, offset: "500" };
  const [parked, placed] = ["1", "2"].map((digit) => digit.repeat(64));
  rig.order("p3", "M", "buy", 1, undefined, { timeInForce: GFN, id: parked, peg });
  rig.order("p3", "M", "buy", 1, 80, { timeInForce: GFN, id: placed });
  rig.order("p3", "M", "buy", 10, 110);
  const seen = rig.events().length;
  rig.nextBlock();
  const members = rig.events().slice(seen);
  const ended = members.filter(({ payload }) => payload.status === CANCELLED);
  expect(ended.map(({ payload }) => payload.id)).toEqual([placed, parked]);
  expect(members.indexOf(ended[1]!)).toBeLessThan(members.findIndex(({ member }) => member === "auction"));
});

test("in a close-out all provisions end before the orders that are parked", () => {
  play.deposit(120n, "frail").deposit(130n, "weak");
  play.run("frail B 1@70; lp weak(10, 0, BID-10, ASK+10)");
  opened();
  play.run("p1 B 100@90; p1 S 100@200; frail B 5@110; weak B 5@110");
  const parked = rig.order("frail", "M", "buy", 1, undefined, { peg: { reference: BID, offset: "500" } });
  play.run("p2 S 1@90");
  const seen = rig.events().length;
  rig.nextBlock();
  const events = rig.events().slice(seen);
  const ended = events.findIndex(
    ({ member, payload }) =>
      member === "liquidityProvision" && payload.partyId === "weak" && payload.status === 3,
  );
  const stopped = events.findIndex(({ payload }) => payload.id === parked.id && payload.status === STOPPED);
  expect(ended).toBeGreaterThan(0);
  expect(stopped).toBeGreaterThan(ended);
});

describe("a batch", () => {
  test("carries out what it can, draws its ids first, and names what failed", () => {
    opened();
    const { id } = rig.order("p3", "M", "buy", 5, 95);
    const marketId = idOf("M");
    const submission = { marketId, price: "96", size: 1n, side: 1, timeInForce: 1, type: 1 };
    const root = idOf("batch");
    const { code, text } = rig.deliver(
      "p3",
      {
        kind: "batchMarketInstructions",
        payload: {
          cancellations: [{ orderId: idOf("none"), marketId }],
          amendments: [
            { orderId: id, marketId, sizeDelta: 1n },
            { orderId: id, marketId, sizeDelta: 1n },
          ],
          submissions: [submission, { ...submission, size: 0n }],
        },
      },
      root,
    );
    expect(code).toBe(71);
    expect(text).toBe(
      "0 (unable to find the order in the market), 2 (order already amended in batch), " +
        "4 (order_submission.size (must be positive))",
    );
    expect(shown(id).size).toBe(6n);
    expect(rig.liveOrder(root)).toMatchObject({ price: 96n });
  });
  test("fails as a whole when nothing worked", () => {
    opened();
    const cancellations = [{ orderId: idOf("none"), marketId: idOf("M") }];
    const { code } = rig.deliver("p3", {
      kind: "batchMarketInstructions",
      payload: { cancellations, amendments: [], submissions: [] },
    });
    expect(code).toBe(70);
  });
  test("looks at the ids of its cancellations, which may be left out", () => {
    opened();
    const marketId = idOf("M");
    const cancellations = [
      { orderId: "x", marketId: "y" },
      { orderId: "x", marketId },
      { orderId: "", marketId },
      { orderId: "", marketId: "" },
    ];
    const { code, text } = rig.deliver("p3", {
      kind: "batchMarketInstructions",
      payload: { cancellations, amendments: [], submissions: [] },
    });
    expect(code).toBe(71);
    const wrong = (member: string) => `order_cancellation.${member} (should be a valid vega ID)`;
    expect(text).toBe(`0 (${wrong("market_id")}, ${wrong("order_id")}), 1 (${wrong("order_id")})`);
  });
  test("is refused when it holds too many instructions", () => {
    opened();
    const cancellations = Array.from({ length: 16 }, () => ({ orderId: "", marketId: "" }));
    const { code, text } = rig.deliver("p3", {
      kind: "batchMarketInstructions",
      payload: { cancellations, amendments: [], submissions: [] },
    });
    expect(code).toBe(70);
    expect(text).toBe("market batch instructions too big, got(16), expected(15)");
  });
});

test("ids: an order has the root id of its transaction, its trades the following ones", () => {
  opened();
  const root = "8035f23eee32b7add60ca18d1d1b4b4f935ef1176c31926bb351b76d810985f4";
  rig.order("p3", "M", "buy", 1, 110, { id: root });
  expect(rig.trades("M").at(-1)).toMatchObject({
    buyOrder: root,
    id: "d2ccce4d7a0c69f8c2ee37bb1cc791345d9826149d0253c49b76e55386229de0",
  });
});

const after = (id: string): string => sha3HexOf(Uint8Array.fromHex(id));

test("ids: the first trade of an amendment has the transaction's root id, and the order keeps its creation time", () => {
  opened();
  const { id } = rig.order("p3", "M", "buy", 11, 95);
  const nowNs = rig.nowNs;
  rig.nextBlock(5);
  rig.order("p2", "M", "sell", 1, 109);
  const root = idOf("amendment");
  const payload = amendmentOf("M", id, { price: 110 });
  expect(rig.deliver("p3", { kind: "orderAmendment", payload }, root).text).toBe("");
  const trades = rig.trades("M").slice(-2);
  expect(trades).toMatchObject([
    { id: root, size: 1n, buyOrder: id, aggressor: 1, timestamp: nowNs },
    { id: after(root), size: 10n, buyOrder: id, aggressor: 1, timestamp: nowNs },
  ]);
});

test("ids: a batch draws those of its orders first, then those of trades as they are made", () => {
  opened();
  const { id } = rig.order("p3", "M", "buy", 1, 95);
  const submission = orderOf("M", "buy", 1, 110).payload as never;
  const payload = {
    amendments: [amendmentOf("M", id, { price: 110 })],
    submissions: [submission, submission],
  };
  const root = idOf("batch");
  expect(rig.deliver("p3", { kind: "batchMarketInstructions", payload }, root).text).toBe("");
  const ids = [root];
  for (let n = 0; n < 4; n++) ids.push(after(ids.at(-1)!));
  const trades = rig.trades("M").slice(-3);
  expect(trades.map((trade) => [trade.id, trade.buyOrder])).toEqual([
    [ids[2]!, id],
    [ids[3]!, ids[0]!],
    [ids[4]!, ids[1]!],
  ]);
});

test("ids: those of a tick follow the hash of the block's hash and the market's id", () => {
  opened();
  const root = rig.engine.core.block.hash + sha3HexOf(new TextEncoder().encode(idOf("M")));
  expect(rig.trades("M").map(({ id }) => id)).toEqual([after(root)]);
});
