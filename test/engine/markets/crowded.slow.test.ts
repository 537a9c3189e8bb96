// Markets with thousands of orders at one place: what a further order costs does not grow.
import { expect, test } from "bun:test";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { cpuMs } from "../../support/cost.ts";
import { FREE, HUGE, opened, sound } from "./hostile-rig.ts";
import { createMarketRig, idOf, Play } from "./rig.ts";

/** Does something so often. @returns what it cost, milliseconds of CPU time */
const repeated =
  (act: (n: number) => void) =>
  (count: number): number =>
    cpuMs(() => {
      for (let n = 0; n < count; n++) act(n);
    });

/** The cheapest of some rounds of a hundred. */
const cheapest = (place: (count: number) => number): number =>
  Math.min(...Array.from({ length: 5 }, () => place(100)));

test("a party that floods one level: each order costs the same, and all are cancelled at once", () => {
  const { rig } = opened();
  const place = repeated(() => rig.order("p1", "M", "buy", 1, 80));
  place(500);
  const early = cheapest(place);
  const placed = place(8_000);
  expect(cheapest(place)).toBeLessThan(early * 5);
  const cancelled = cpuMs(() => {
    rig.deliver("p1", { kind: "orderCancellation", payload: { marketId: idOf("M") } });
  });
  expect(cancelled).toBeLessThan(placed * 4);
  sound({ rig });
}, 120_000);

test("a provider with thousands of orders of its own: one more costs the same", () => {
  const { rig } = opened();
  const shape = (reference: number) => [{ reference, offset: "1", proportion: 1 }];
  const provision = { commitmentAmount: (10n ** 21n).toString(), fee: "0", reference: "" };
  const payload = { marketId: idOf("M"), ...provision, buys: shape(2), sells: shape(3) };
  expect(rig.deliver("lp", { kind: "liquidityProvisionSubmission", payload }).text).toBe("");
  let value = 0n;
  const place = repeated((n) => {
    rig.order("lp", "M", "buy", 1, 1 + (n % 80));
    value += BigInt(1 + (n % 80)) * 10n ** 18n;
  });
  place(500);
  const early = cheapest(place);
  place(15_000);
  // When all orders were gone through, it was fifty times as much.
  expect(cheapest(place)).toBeLessThan(early * 5);
  const supply = rig.market("M").context.index.supplyOf("lp");
  expect(supply.value(1, { low: 1n, high: 10n ** 30n })).toBe(value);
  sound({ rig });
}, 120_000);

test("thousands of crossing prices in an auction: an order costs the same at their end", () => {
  const rig = createMarketRig({ assets: { ETH: { decimals: 18 } } });
  rig.createMarket("M", { asset: "ETH", openingSeconds: 1_000_000, ...FREE });
  const play = new Play(rig, "M").deposit(HUGE, "p1", "p2");
  let price = 1_000;
  const place = repeated(() => {
    rig.order("p1", "M", "buy", 1, price);
    rig.order("p2", "M", "sell", 1, price);
    price += 1;
  });
  place(250);
  const early = cheapest(place);
  place(7_000);
  // When all prices were gone through, it was three hundred times as much. book.test.ts counts what is looked at.
  expect(cheapest(place)).toBeLessThan(early * 5);
  expect(play.rig.marketData("M").indicativeVolume).toBe(4_125n);
  sound({ rig });
}, 120_000);

test("many orders with an expiry: a tick at which none expires looks at none of them", () => {
  const { rig } = opened();
  const expiresAt = (seconds: number) => rig.nowNs + BigInt(seconds) * SECOND_NS;
  const soon = rig.order("p1", "M", "buy", 1, 80, { timeInForce: 2, expiresAt: expiresAt(30) }).id;
  for (let n = 0; n < 3_000; n++) {
    rig.order("p1", "M", "buy", 1, 81, { timeInForce: 2, expiresAt: expiresAt(10_000 + (n % 7)) });
  }
  const { expiring } = rig.market("M").context.index;
  let looks = 0;
  const values = expiring.values.bind(expiring);
  expiring.values = () => {
    looks++;
    return values();
  };
  rig.nextBlock(1, 10);
  expect(looks).toBeLessThanOrEqual(1);
  // A new order that is the first to expire, and the one that was it leaves.
  const sooner = rig.order("p1", "M", "buy", 1, 82, { timeInForce: 2, expiresAt: expiresAt(5) }).id;
  rig.nextBlock(5);
  expect([rig.liveOrder(sooner), rig.liveOrder(soon)?.remaining]).toEqual([undefined, 1n]);
  rig.deliver("p1", { kind: "orderCancellation", payload: { orderId: soon, marketId: idOf("M") } });
  rig.nextBlock(20);
  expect(expiring.size).toBe(3_000);
  rig.nextBlock(10_000);
  expect(expiring.size).toBe(0);
  sound({ rig });
}, 120_000);

test("thousands of pegged orders that wait for a price", () => {
  const { rig } = opened();
  const most = 15_000;
  const place = (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      const offset = String(1_000 + n);
      expect(rig.order("p1", "M", "buy", 1, undefined, { peg: { reference: 2, offset } }).text).toBe("");
    }
  };
  const moves = repeated(() => {
    const { id } = rig.order("p2", "M", "buy", 1, 95);
    rig.deliver("p2", { kind: "orderCancellation", payload: { orderId: id, marketId: idOf("M") } });
  });
  place(0, 1_500);
  moves(20);
  const early = moves(20);
  place(1_500, most);
  const more = rig.order("p1", "M", "buy", 1, undefined, { peg: { reference: 2, offset: "1000" } });
  expect(more.text).toBe("OrderError: too many pegged orders");
  // A move looks at each of them, ten times as many.
  expect(moves(20)).toBeLessThan(early * 60);
  expect(rig.market("M").context.index.parked.size).toBe(most);
  sound({ rig });
}, 120_000);

test("many pegged orders that follow every move", () => {
  const { rig } = opened();
  const place = (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      const offset = String(1 + (n % 40));
      rig.order("p1", "M", "buy", 1, undefined, { peg: { reference: 2, offset } });
    }
  };
  let price = 91;
  const moves = repeated(() => rig.order("p2", "M", "buy", 1, price++));
  place(0, 150);
  moves(1);
  const early = moves(3);
  place(150, 1_500);
  expect(rig.order("p1", "M", "buy", 1, undefined, { peg: { reference: 2, offset: "1" } }).text).toBe(
    "OrderError: too many pegged orders",
  );
  // Each of them follows, ten times as many.
  expect(moves(3)).toBeLessThan(early * 60);
  sound({ rig });
}, 120_000);
