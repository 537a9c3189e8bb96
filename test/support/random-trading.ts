// Random bus events of markets: orders, trades, positions, margin, liquidity, oracles.
import fc from "fast-check";
import { Field } from "../../src/wire/block.ts";
import * as events from "../../src/wire/generated/events.ts";
import * as vega from "../../src/wire/generated/vega.ts";
import { eventOf, type MadeEvent } from "./random-events.ts";
import * as v from "./random-values.ts";

const marketFields = {
  id: v.anyMarket,
  state: v.oneOf(2, 5, 9),
  tradingMode: v.oneOf(1, 3),
  positionDecimalPlaces: fc.constantFrom(0n, 2n),
  linearSlippageFactor: v.decimal,
};
const trader = fc.constantFrom(...v.BUSY_PARTIES);
const priceText = v.price;

/** Versions 1 and 2 belong to one creation, 3 and 4 to a second one a microsecond later: orders are made again. */
export function createdNs(version: bigint): bigint {
  return 1_659_430_800_000_000_000n + (version > 2n ? 1_500n : 0n);
}

function encodeOrder(message: Partial<vega.Order>): Uint8Array {
  return vega.encodeOrder({ ...message, createdAt: createdNs(message.version!) });
}

export const TRADING_EVENTS: readonly fc.Arbitrary<MadeEvent>[] = [
  eventOf(Field.marketCreated, vega.encodeMarket, marketFields),
  eventOf(Field.marketUpdated, vega.encodeMarket, marketFields),
  eventOf(Field.marketData, vega.encodeMarketData, {
    market: v.market,
    markPrice: priceText,
    openInterest: v.size,
    nextMarkToMarket: v.timeNs,
  }),
  eventOf(Field.order, encodeOrder, {
    id: v.order,
    marketId: v.market,
    partyId: trader,
    side: v.oneOf(1, 2),
    price: priceText,
    size: v.size,
    remaining: fc.bigInt(0n, 2n),
    timeInForce: v.oneOf(1, 3),
    type: v.oneOf(1, 2),
    status: v.oneOf(1, 3, 5, 8),
    reference: v.text,
    version: fc.bigInt(1n, 4n),
    liquidityProvisionId: fc.constantFrom("", "ab"),
  }),
  eventOf(Field.expiredOrders, events.encodeExpiredOrders, {
    marketId: fc.constant(v.MARKETS[0]!),
    orderIds: fc.uniqueArray(fc.constantFrom(...v.ORDERS), { maxLength: 3 }),
  }),
  eventOf(Field.trade, vega.encodeTrade, {
    id: v.someId("7a", 200),
    marketId: v.market,
    price: priceText,
    size: v.size,
    buyer: trader,
    seller: trader,
    buyOrder: v.order,
    sellOrder: v.order,
    type: v.oneOf(1, 2),
  }),
  eventOf(Field.settlePosition, events.encodeSettlePosition, {
    marketId: v.market,
    partyId: trader,
    price: priceText,
    positionFactor: fc.constantFrom("1", "100"),
    tradeSettlements: fc.array(
      fc.record({ size: fc.bigInt(-3n, 3n), price: priceText, marketPrice: priceText }),
      { maxLength: 2 },
    ),
  }),
  eventOf(Field.lossSocialization, events.encodeLossSocialization, {
    marketId: v.market,
    partyId: trader,
    amount: fc.constantFrom("-5", "3"),
  }),
  eventOf(Field.marginLevels, vega.encodeMarginLevels, {
    partyId: v.anyParty,
    marketId: v.market,
    asset: v.asset,
    maintenanceMargin: v.amount,
  }),
  eventOf(Field.liquidityProvision, vega.encodeLiquidityProvision, {
    id: v.someId("1f", 30),
    partyId: fc.constantFrom(...v.BUSY_PARTIES.slice(0, 2)),
    marketId: fc.constantFrom(...v.MARKETS.slice(0, 2)),
    commitmentAmount: v.amount,
    fee: v.decimal,
    status: v.oneOf(1, 2, 5, 6),
    reference: v.text,
    version: v.size,
  }),
  eventOf(Field.oracleSpec, vega.encodeOracleSpec, {
    externalDataSourceSpec: fc.record({ spec: fc.record({ id: v.spec, createdAt: v.timeNs }) }),
  }),
  eventOf(Field.oracleData, vega.encodeOracleData, {
    externalData: fc.record({
      data: fc.record({
        matchedSpecIds: fc.uniqueArray(fc.constantFrom(...v.SPECS.slice(0, 3)), { maxLength: 3 }),
        broadcastAt: v.timeNs,
        signers: fc.array(fc.record({ pubKey: fc.record({ key: fc.constantFrom("k1", "k2") }) }), {
          maxLength: 2,
        }),
      }),
    }),
  }),
];
