// Liquidation prices, worked out by hand: collateral + V × (P - price) = |V| × P × risk factor.
import { expect, test } from "bun:test";
import { liquidationPrices, type OrderBeside } from "../../../src/planes/data/liquidation.ts";
import { Decimal } from "../../../src/wire/decimal.ts";
import { createMarketRig } from "../../engine/markets/rig.ts";

const rig = createMarketRig();
rig.createMarket("M", {
  asset: "ETH",
  simple: { long: 0.1, short: 0.1 },
  linearSlippage: "0.1",
  quadraticSlippage: "0",
});
const { terms } = rig.market("M");
const order = (side: "buy" | "sell", remaining: bigint, price?: bigint): OrderBeside => ({
  side: side === "buy" ? 1 : 2,
  price: price ?? 0n,
  remaining,
  isMarketOrder: price === undefined,
});
const at = (size: bigint, collateral: bigint, orders: readonly OrderBeside[] = [], hasSlippage = false) => {
  const prices = liquidationPrices(
    { terms, price: 1_000n, hasSlippage },
    size,
    Decimal.of(collateral),
    orders,
  );
  return [prices.openVolumeOnly, prices.includingBuyOrders, prices.includingSellOrders];
};

test("of a position alone: where the price has to come to, with slippage sooner", () => {
  expect(at(10n, 2_000n)).toEqual(["889", "889", "889"]);
  expect(at(10n, 2_000n, [], true)).toEqual(["1000", "1000", "1000"]);
  expect(at(-10n, 2_000n)).toEqual(["1091", "1091", "1091"]);
});

test("none without a position, nor with more collateral than it can lose", () => {
  expect(at(0n, 2_000n)).toEqual(["", "", ""]);
  expect(at(10n, 20_000n)).toEqual(["", "", ""]);
});

test("orders of a side fill on the way, the nearest first, as long as the position stands", () => {
  expect(at(10n, 2_000n, [order("buy", 10n, 950n)])).toEqual(["889", "972", "889"]);
  expect(at(10n, 2_000n, [order("buy", 10n, 800n)])).toEqual(["889", "889", "889"]);
  expect(at(10n, 2_000n, [order("buy", 10n, 800n), order("buy", 10n, 950n)])).toEqual(["889", "972", "889"]);
  expect(at(10n, 2_000n, [order("sell", 5n, 1_100n)])).toEqual(["889", "889", "556"]);
  expect(at(-10n, 2_000n, [order("sell", 10n, 1_050n)])).toEqual(["1091", "1091", "1023"]);
  expect(at(-10n, 2_000n, [order("sell", 10n, 1_200n)])).toEqual(["1091", "1091", "1091"]);
});

test("market orders count at once", () => {
  expect(at(10n, 2_000n, [order("buy", 10n)])).toEqual(["889", "1000", "889"]);
  expect(at(10n, 2_000n, [order("sell", 10n)])).toEqual(["889", "889", ""]);
});
