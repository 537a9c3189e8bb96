// Estimates over a small made-up chain.
import { afterAll, expect, test } from "bun:test";
import { Field } from "../../../src/wire/block.ts";
import {
  encodeAsset,
  encodeMarket,
  encodeMarketData,
  encodeRiskFactor,
  MarketTradingMode,
} from "../../../src/wire/generated/vega.ts";
import { chainOf, type Event, id, removeChains } from "../../support/small-chain.ts";

afterAll(removeChains);

const [MARKET, ASSET] = [id(0xa1), id(0xe1)];

test("the margin of a position goes by the risk factors that the network told, where it told some", async () => {
  const market: Event = [
    Field.marketCreated,
    encodeMarket({
      id: MARKET,
      tradableInstrument: {
        instrument: {
          future: {
            settlementAsset: ASSET,
            dataSourceSpecForSettlementData: {},
            dataSourceSpecForTradingTermination: {},
            dataSourceSpecBinding: {},
          },
        },
        marginCalculator: { scalingFactors: { searchLevel: 2, initialMargin: 3, collateralRelease: 4 } },
        simpleRiskModel: { params: { factorLong: 0.1, factorShort: 0.2 } },
      },
      linearSlippageFactor: "0",
      quadraticSlippageFactor: "0",
    }),
  ];
  const asset: Event = [Field.asset, encodeAsset({ id: ASSET, details: { quantum: "1" } })];
  const mode = MarketTradingMode.TRADING_MODE_CONTINUOUS;
  const data: Event = [
    Field.marketData,
    encodeMarketData({ market: MARKET, markPrice: "1000", marketTradingMode: mode }),
  ];
  const factors: Event = [
    Field.riskFactor,
    encodeRiskFactor({ market: MARKET, long: "0.125", short: "0.25" }),
  ];
  const maintenance = async (events: Event[], size: number) => {
    const get = chainOf([[asset, market, data, ...events]]);
    const { margin } = (await get(`/estimate/position?marketId=${MARKET}&openVolume=${size}`)).body;
    return margin.bestCase.maintenanceMargin;
  };
  expect([await maintenance([], 2), await maintenance([], -2)]).toEqual(["200", "400"]);
  expect([await maintenance([factors], 2), await maintenance([factors], -2)]).toEqual(["250", "500"]);
});

test("decimals and exponents are read, and each level is rounded by itself, as in the original", async () => {
  const market = encodeMarket({
    id: MARKET,
    decimalPlaces: 2n,
    tradableInstrument: {
      instrument: {
        future: {
          settlementAsset: ASSET,
          dataSourceSpecForSettlementData: {},
          dataSourceSpecForTradingTermination: {},
          dataSourceSpecBinding: {},
        },
      },
      marginCalculator: { scalingFactors: { searchLevel: 1.1, initialMargin: 1.2, collateralRelease: 1.4 } },
      simpleRiskModel: { params: { factorLong: 0.1, factorShort: 0.2 } },
    },
    linearSlippageFactor: "0",
    quadraticSlippageFactor: "0",
  });
  const asset = encodeAsset({ id: ASSET, details: { quantum: "1", decimals: 5n } });
  const mode = MarketTradingMode.TRADING_MODE_CONTINUOUS;
  const data = encodeMarketData({ market: MARKET, markPrice: "1000", marketTradingMode: mode });
  const get = chainOf([
    [
      [Field.asset, asset],
      [Field.marketCreated, market],
      [Field.marketData, data],
    ],
  ]);
  const position = async (query: string) =>
    (await get(`/estimate/position?marketId=${MARKET}&${query}`)).body;
  // 1,000 with two decimals are 1,000,000 in an asset of five.
  const { liquidation } = await position("openVolume=10&collateralAvailable=2e6");
  expect(liquidation.bestCase).toEqual({
    openVolumeOnly: "888888.8888888888888889",
    includingBuyOrders: "888888.8888888888888889",
    includingSellOrders: "888888.8888888888888889",
  });
  const none = await position("openVolume=0&collateralAvailable=.5");
  expect(none.liquidation.worstCase.openVolumeOnly).toBe("0");
  for (const wrong of ["1_000", "0x10", "NaN", "1e101", "9".repeat(121)])
    expect((await position(`openVolume=1&collateralAvailable=${wrong}`)).message).toBe(
      "InvalidArgument error",
    );

  const margin = async (query: string) =>
    (await get(`/estimate/margin?marketId=${MARKET}&side=SIDE_BUY&size=7&${query}`)).body.marginLevels;
  expect(await margin("type=TYPE_LIMIT&price=123.9")).toMatchObject({
    maintenanceMargin: "86100",
    searchLevel: "94710",
    initialMargin: "103320",
    collateralReleaseLevel: "120540",
  });
  expect(await margin("type=TYPE_MARKET&price=123")).toMatchObject({ maintenanceMargin: "700000" });
});
