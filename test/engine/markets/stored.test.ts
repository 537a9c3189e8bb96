// Commands that an engine takes and a store refuses would stop the chain: values at the bounds of what rows hold.
import { afterEach, describe, expect, test } from "bun:test";
import { idOf, type MarketRig, Play, type RigMarket } from "./rig.ts";
import { createStoredRig } from "./stored-rig.ts";

const HUGE = 10n ** 70n;
const UINT_MAX = (1n << 256n) - 1n;
const ORDER_MAX = (1n << 63n) - 1n;
const [BUYER, SELLER, THIRD, PROVIDER] = ["p1", "p2", "p3", "lp"].map(idOf) as [
  string,
  string,
  string,
  string,
];

let close = () => {};
afterEach(() => close());

/** A market in continuous trading: a bid of 90, an ask of 110. */
function opened(
  config: Partial<RigMarket> = {},
  parameters: Readonly<Record<string, string>> = {},
): MarketRig {
  const { rig, ...stored } = createStoredRig({ assets: { ETH: { decimals: 18 } }, parameters });
  close = stored.close;
  const free = { asset: "ETH", decimals: 18, positionDecimals: 6, simple: { long: 0, short: 0 } };
  rig.createMarket("M", { ...free, ...config });
  for (const party of [BUYER, SELLER, THIRD, PROVIDER]) rig.deposit(party, "ETH", HUGE);
  rig.order(BUYER, "M", "buy", 1, 90);
  rig.order(SELLER, "M", "sell", 1, 110);
  rig.order(BUYER, "M", "buy", 1, 100);
  rig.order(SELLER, "M", "sell", 1, 100);
  new Play(rig, "M").open();
  return rig;
}

describe("pegged orders at the bounds of numbers", () => {
  const peg = (rig: MarketRig, side: "buy" | "sell", reference: number, offset: string) =>
    rig.order(BUYER, "M", side, 1, undefined, { peg: { reference, offset } });

  test.each([
    [1, UINT_MAX],
    [3, UINT_MAX - 109n],
  ])("an order whose price exceeds any amount waits, parked: reference %d", (reference, offset) => {
    const rig = opened();
    const { code, id } = peg(rig, "sell", reference, offset.toString());
    expect(code).toBe(0);
    expect(rig.liveOrder(id)!.place).toBe(0);
    rig.nextBlock();
    // The highest price that there is.
    const highest = peg(rig, "sell", 3, (UINT_MAX - 110n).toString());
    expect(rig.liveOrder(highest.id)!.price).toBe(UINT_MAX);
    rig.nextBlock();
    expect(rig.faults).toEqual([]);
  });

  test.each([
    ["buy", 2],
    ["sell", 3],
  ] as const)("an offset of more than 256 bits is refused: %s", (side, reference) => {
    const rig = opened();
    expect(peg(rig, side, reference, "1".repeat(1_500)).text).toBe("invalid order price");
    expect(peg(rig, side, reference, (UINT_MAX + 1n).toString()).text).toBe("invalid order price");
    const { id } = peg(rig, side, reference, "1");
    const amended = rig.amend(BUYER, "M", id, { peg: { offset: "1".repeat(1_500) } });
    expect(amended.text).toBe("invalid order price");
    expect(peg(rig, side, reference, "+2").code).toBe(0);
    rig.nextBlock();
    expect(rig.faults).toEqual([]);
  });
});

describe("an order larger than a stored row can hold", () => {
  const refused = (rig: MarketRig) => {
    expect(rig.order(BUYER, "M", "buy", ORDER_MAX + 1n, 95).text).toBe("OrderError: Invalid Size");
    expect(rig.order(BUYER, "M", "buy", (1n << 64n) - 1n, 95).text).toBe("OrderError: Invalid Size");
    rig.nextBlock();
    expect(rig.faults).toEqual([]);
  };

  test("is refused without an event, and the chain goes on", () => {
    refused(opened());
  });

  test("is refused in a market whose trading has ended as well", () => {
    const rig = opened();
    rig.terminate();
    refused(rig);
  });
});

test("a provision's sell order ends at the highest possible price", () => {
  const rig = opened({ lpPriceRange: "100" });
  rig.cancel(SELLER, "M");
  rig.order(SELLER, "M", "sell", 1, UINT_MAX - 1n);
  const shape = { proportion: 1, offset: "10" };
  const provision = { commitment: 10n ** 60n, fee: "0" };
  const sides = { buys: [{ reference: 2, ...shape }], sells: [{ reference: 3, ...shape }] };
  expect(rig.provide(PROVIDER, "M", { ...provision, ...sides }).code).toBe(0);
  const sale = rig.liveOrders(PROVIDER, "M").find(({ side }) => side === 2)!;
  expect(sale.price).toBe(UINT_MAX);
  rig.nextBlock();
  expect(rig.faults).toEqual([]);
});

test("a position larger than any order is closed out", () => {
  const rig = opened({
    simple: { long: 0.1, short: 0.1 },
    linearSlippage: "0",
    quadraticSlippage: "0",
  });
  const poor = idOf("poor");
  rig.deposit(poor, "ETH", 5n * 10n ** 14n);
  for (let n = 0; n < 3; n++) {
    rig.order(SELLER, "M", "sell", ORDER_MAX, 100);
    rig.order(poor, "M", "buy", ORDER_MAX, 100);
  }
  rig.nextBlock();
  expect(rig.position(poor, "M")!.size).toBe(3n * ORDER_MAX);
  rig.cancel(BUYER, "M");
  for (let n = 0; n < 4; n++) rig.order(BUYER, "M", "buy", ORDER_MAX, 20);
  rig.order(THIRD, "M", "sell", 1, 20);
  rig.nextBlock();
  expect(rig.position(poor, "M")).toBeUndefined();
  expect(rig.position(BUYER, "M")!.size).toBeGreaterThan(3n * ORDER_MAX);
  // Trades of a close-out: the good ones, as large as the orders that they met, and the bad one.
  expect(rig.trades("M").map(({ type, size }) => [type, size])).toContainEqual([3, ORDER_MAX]);
  rig.nextBlock();
  expect(rig.faults).toEqual([]);
});

test("a risk model without deviation, with a trigger of probability 1", () => {
  const triggers = '{"triggers":[{"horizon":5,"probability":"1","auction_extension":5}]}';
  const model = (sigma: number): RigMarket => ({
    asset: "ETH",
    logNormal: { lambda: 0.01, tau: 0.0001, sigma, mu: 1e-9 },
    adjust: (changes) => ({ ...changes, simple: undefined, priceMonitoringParameters: undefined }),
  });
  const rig = opened(model(1), { "market.monitor.price.defaultParameters": triggers });
  rig.updateMarket("M", model(5e-324));
  for (let n = 0; n < 3; n++) {
    rig.order(SELLER, "M", "sell", 1_000, 100 + n);
    rig.order(BUYER, "M", "buy", 1_000, 100 + n);
    rig.nextBlock(400);
  }
  expect(rig.faults).toEqual([]);
});

test("oracle data with half of a surrogate pair ends trading, and is emitted", () => {
  const rig = opened();
  expect(rig.oracleData({ "trading.terminated": "true", "\ud800": "\udfff" }).text).toBe("");
  const [shown] = rig.events("oracleData");
  expect(shown!.payload.externalData.data.data[1]).toMatchObject({ name: "\ufffd", value: "\ufffd" });
  rig.nextBlock();
  expect(rig.faults).toEqual([]);
});
