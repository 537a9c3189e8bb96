// Liquidation prices, worked out by hand: collateral + V × (P - price) = |V| × P × (slippage + risk factor).
import { expect, test } from "bun:test";
import {
  liquidationPrices,
  maintenanceMargin,
  type OrderBeside,
} from "../../../src/planes/data/liquidation.ts";
import { Decimal } from "../../../src/wire/decimal.ts";

const terms = {
  riskLong: Decimal.parse("0.1"),
  riskShort: Decimal.parse("0.1"),
  linear: Decimal.zero,
  quadratic: Decimal.zero,
  positionDecimals: 0,
};
const slipping = { ...terms, linear: Decimal.parse("0.1") };
const price = Decimal.of(1_000n);
const order = (side: "buy" | "sell", remaining: bigint, price?: string): OrderBeside => ({
  side: side === "buy" ? 1 : 2,
  price: Decimal.parse(price ?? ""),
  remaining,
  isMarketOrder: price === undefined,
});
const at = (size: bigint, collateral: string, orders: readonly OrderBeside[] = [], of = terms) => {
  const prices = liquidationPrices({ terms: of, price }, size, Decimal.parse(collateral), orders);
  return prices && Object.values(prices).map(String);
};

test("of a position alone: where the price has to come to, with 16 decimals, with slippage sooner", () => {
  expect(at(10n, "2000")).toEqual(new Array(3).fill("888.8888888888888889"));
  expect(at(10n, "2000", [], slipping)).toEqual(["1000", "1000", "1000"]);
  expect(at(-10n, "2000")).toEqual(new Array(3).fill("1090.9090909090909091"));
  expect(at(10n, "1999.5")![0]).toBe("888.9444444444444444");
});

test("0 without a position, and with more collateral than it can lose", () => {
  expect(at(0n, "2000")).toEqual(["0", "0", "0"]);
  expect(at(10n, "20000")).toEqual(["0", "0", "0"]);
  expect(at(0n, "2000", [order("buy", 10n)])).toEqual(["0", "888.8888888888888889", "0"]);
});

test("not defined where collateral and margin grow alike", () => {
  const whole = { ...terms, riskLong: Decimal.one };
  expect(at(10n, "2000", [], whole)).toBeUndefined();
  expect(at(-5n, "2000", [order("buy", 10n, "900")], whole)).toBeUndefined();
});

test("orders of a side fill on the way, the nearest first, as long as the position stands", () => {
  const alone = "888.8888888888888889";
  const both = "972.2222222222222222";
  expect(at(10n, "2000", [order("buy", 10n, "950")])).toEqual([alone, both, alone]);
  expect(at(10n, "2000", [order("buy", 10n, "800")])).toEqual([alone, alone, alone]);
  expect(at(10n, "2000", [order("buy", 10n, "800"), order("buy", 10n, "950")])).toEqual([alone, both, alone]);
  expect(at(10n, "2000", [order("sell", 5n, "1100")])).toEqual([alone, alone, "555.5555555555555556"]);
  const short = "1090.9090909090909091";
  expect(at(-10n, "2000", [order("sell", 10n, "1050")])).toEqual([short, short, "1022.7272727272727273"]);
  expect(at(-10n, "2000", [order("sell", 10n, "1200")])).toEqual([short, short, short]);
});

test("an order at the very price still fills, and one of nothing changes nothing", () => {
  expect(at(9n, "900", [order("buy", 1n, "1000")])![1]).toBe("1011.1111111111111111");
  expect(at(10n, "2000", [order("buy", 0n, "950")])).toEqual(new Array(3).fill("888.8888888888888889"));
});

test("market orders fill at the price of the moment, among the others", () => {
  expect(at(10n, "2000", [order("buy", 10n)])).toEqual([
    "888.8888888888888889",
    "1000",
    "888.8888888888888889",
  ]);
  expect(at(10n, "2000", [order("sell", 10n)])![2]).toBe("0");
});

test("a maintenance margin is of the riskier side, in an auction with orders at their own prices", () => {
  const margin = (isAuction: boolean, size: bigint, ...orders: OrderBeside[]) =>
    maintenanceMargin({ terms: slipping, price }, isAuction, size, orders).toString();
  expect(margin(false, 10n)).toBe("2000");
  expect(margin(false, -10n, order("sell", 5n, "1200.5"))).toBe("2500");
  expect(margin(true, -10n, order("sell", 5n, "1200.5"))).toBe("2600.25");
  expect(margin(false, 10n, order("sell", 10n, "1100"))).toBe("2000");
  expect(margin(false, 10n, order("sell", 30n, "1100"))).toBe("3000");
  expect(margin(false, 10n, order("sell", 10n))).toBe("0");
});
