// The configuration of a market of the sample, and its messages.
import type { Init } from "../../src/wire/codec.ts";
import { ConditionOperator, PropertyKeyType } from "../../src/wire/generated/data.ts";
import {
  type DataSourceDefinition,
  DataSourceSpecStatus,
  type Market,
  type NewMarketConfiguration,
} from "../../src/wire/generated/vega.ts";
import { ASSET, PARTY } from "./cast.ts";
import { Governance } from "./governance.ts";
import { idOf } from "./seeded.ts";

export interface MarketConfig {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly asset: string;
  readonly decimals: bigint;
  readonly positionDecimals: bigint;
  /** Internal price = market price times this. */
  readonly priceFactor: bigint;
  /** 10 to the power of the position decimals. */
  readonly factor: bigint;
  readonly openingPrice: bigint;
  readonly riskLongPpm: bigint;
  readonly riskShortPpm: bigint;
  readonly liquidityFeePpm: bigint;
  readonly settlementProperty: string;
  readonly terminationProperty: string;
}

/** A future with 4 decimals and sizes of a hundredth; it runs to the end of the recording. */
export const COMET: MarketConfig = {
  id: Governance.idOf("comet market"),
  code: "COMET/DEC26",
  name: "Comet December 2026 (sample)",
  asset: ASSET.dollar,
  decimals: 4n,
  positionDecimals: 2n,
  priceFactor: 100n,
  factor: 100n,
  openingPrice: 125_000n,
  riskLongPpm: 100_000n,
  riskShortPpm: 110_000n,
  liquidityFeePpm: 1_000n,
  settlementProperty: "prices.COMET.value",
  terminationProperty: "terminated.COMET",
};

/** A future in whole sizes; an oracle ends and settles it. */
export const METEOR: MarketConfig = {
  id: Governance.idOf("meteor market"),
  code: "METEOR/JAN26",
  name: "Meteor January 2026 (sample)",
  asset: ASSET.dollar,
  decimals: 6n,
  positionDecimals: 0n,
  priceFactor: 1n,
  factor: 1n,
  openingPrice: 250_000_000n,
  riskLongPpm: 150_000n,
  riskShortPpm: 150_000n,
  liquidityFeePpm: 2_000n,
  settlementProperty: "prices.METEOR.value",
  terminationProperty: "terminated.METEOR",
};

export const BOUNDS_TRIGGER = { horizon: 3600n, probability: "0.9999", auctionExtension: 60n };
export const FEES_PPM = { maker: 200n, infrastructure: 500n };
const PRICE_MONITORING = { triggers: [BOUNDS_TRIGGER] };
const LIQUIDITY_MONITORING = {
  targetStakeParameters: { timeWindow: 3600n, scalingFactor: 10 },
  triggeringRatio: "0.7",
  auctionExtension: 1n,
};
const SLIPPAGE = { linearSlippageFactor: "0.1", quadraticSlippageFactor: "0.001", lpPriceRange: "0.5" };
const SCALING = { searchLevel: 1.1, initialMargin: 1.2, collateralRelease: 1.4 };

function source(property: string, type: number): Init<DataSourceDefinition> {
  const isNumber = type === PropertyKeyType.TYPE_INTEGER;
  const condition = isNumber
    ? { operator: ConditionOperator.OPERATOR_GREATER_THAN, value: "0" }
    : { operator: ConditionOperator.OPERATOR_EQUALS, value: "true" };
  return {
    external: {
      oracle: {
        signers: [{ pubKey: { key: PARTY.oracle } }],
        filters: [{ key: { name: property, type }, conditions: [condition] }],
      },
    },
  };
}

export function dataSources(config: MarketConfig) {
  const settlement = source(config.settlementProperty, PropertyKeyType.TYPE_INTEGER);
  const termination = source(config.terminationProperty, PropertyKeyType.TYPE_BOOLEAN);
  return {
    settlement: { id: idOf("oracle spec", config.settlementProperty), data: settlement },
    termination: { id: idOf("oracle spec", config.terminationProperty), data: termination },
    binding: {
      settlementDataProperty: config.settlementProperty,
      tradingTerminationProperty: config.terminationProperty,
    },
  };
}

const simpleRisk = (config: MarketConfig) => ({
  factorLong: Number(config.riskLongPpm) / 1e6,
  factorShort: Number(config.riskShortPpm) / 1e6,
  maxMoveUp: 10,
  minMoveDown: -5,
  probabilityOfTrading: 0.1,
});

/** The market as its proposal asks for it. */
export function proposedMarket(config: MarketConfig): Init<NewMarketConfiguration> {
  const { settlement, termination, binding } = dataSources(config);
  return {
    instrument: {
      name: config.name,
      code: config.code,
      future: {
        settlementAsset: config.asset,
        quoteName: "sUSD",
        dataSourceSpecForSettlementData: settlement.data,
        dataSourceSpecForTradingTermination: termination.data,
        dataSourceSpecBinding: binding,
      },
    },
    decimalPlaces: config.decimals,
    metadata: ["class:sample", "base:celestial"],
    priceMonitoringParameters: PRICE_MONITORING,
    liquidityMonitoringParameters: LIQUIDITY_MONITORING,
    simple: simpleRisk(config),
    positionDecimalPlaces: config.positionDecimals,
    ...SLIPPAGE,
  };
}

/** The market as events show it; its state is added by the market itself. */
export function marketMessage(config: MarketConfig, tags: readonly string[]): Init<Market> {
  const { settlement, termination, binding } = dataSources(config);
  const status = DataSourceSpecStatus.STATUS_ACTIVE;
  return {
    id: config.id,
    tradableInstrument: {
      instrument: {
        code: config.code,
        name: config.name,
        metadata: { tags },
        future: {
          settlementAsset: config.asset,
          quoteName: "sUSD",
          dataSourceSpecForSettlementData: { ...settlement, status },
          dataSourceSpecForTradingTermination: { ...termination, status },
          dataSourceSpecBinding: binding,
        },
      },
      marginCalculator: { scalingFactors: SCALING },
      simpleRiskModel: { params: simpleRisk(config) },
    },
    decimalPlaces: config.decimals,
    fees: {
      factors: {
        makerFee: "0.0002",
        infrastructureFee: "0.0005",
        liquidityFee: String(Number(config.liquidityFeePpm) / 1e6),
      },
    },
    openingAuction: { duration: 40n },
    priceMonitoringSettings: { parameters: PRICE_MONITORING },
    liquidityMonitoringParameters: LIQUIDITY_MONITORING,
    positionDecimalPlaces: config.positionDecimals,
    ...SLIPPAGE,
  };
}
