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
