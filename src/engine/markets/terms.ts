/**
 * A market's definition as the formulas use it: numbers read once, for each version of the record
 * (docs/protocol/70-trading-markets.md#12-fields-proto).
 */

import { Decimal } from "../../wire/decimal.ts";
import type { Market } from "../../wire/generated/vega.ts";
import { SECOND_NS } from "../../wire/time-text.ts";
import type { MarketRecord } from "./records.ts";
import { type RiskModel, riskModelOf } from "./risk.ts";

/** Scaling factors are whole numbers of this part (docs/protocol/70-trading-scenarios.md#11-arithmetic-rules). */
export const FACTOR_PARTS = 100_000n;

export interface TriggerTerms {
  /** Nanoseconds. */
  readonly horizonNs: bigint;
  readonly probability: number;
  readonly extensionNs: bigint;
  /** Place in the proposal, for events. */
  readonly index: number;
}

export interface Terms {
  readonly asset: string;
  /** Internal units of one tick: 10^(asset decimals - market decimals). */
  readonly priceFactor: bigint;
  readonly positionDecimals: number;
  /** 10^positionDecimals as text: a decimal. */
  readonly positionFactor: string;
  readonly linear: Decimal;
  readonly quadratic: Decimal;
  readonly priceRange: Decimal;
  /** Parts of 100,000 of the maintenance margin. */
  readonly search: bigint;
  readonly initial: bigint;
  readonly release: bigint;
  readonly riskLong: Decimal;
  readonly riskShort: Decimal;
  readonly makerFee: Decimal;
  readonly infrastructureFee: Decimal;
  readonly liquidityFee: Decimal;
  readonly triggers: readonly TriggerTerms[];
  readonly targetWindowNs: bigint;
  /** Of the target stake, parts of 100,000: the larger risk factor, and the scaling. */
  readonly targetRisk: bigint;
  readonly targetScaling: bigint;
  readonly triggeringRatio: Decimal;
  readonly liquidityExtensionNs: bigint;
  readonly model: RiskModel;
  readonly settlementSource: string;
  readonly settlementProperty: string;
  /** Decimals of the settlement data. */
  readonly settlementDecimals: number;
  readonly terminationSource: string;
  readonly terminationProperty: string;
}

/** A double as the decimal of its shortest text (docs/protocol/70-trading-scenarios.md#11-arithmetic-rules, "constants through floats"). */
export function decimalOf(value: number): Decimal {
  return Decimal.parseNumber(String(value));
}

const parts = (value: number): bigint => decimalOf(value).times(Decimal.of(FACTOR_PARTS)).truncated();

/** Members of a record that the formulas use. */
type Stated = Pick<
  MarketRecord,
  "definition" | "riskLong" | "riskShort" | "makerFee" | "infrastructureFee" | "liquidityFee" | "slippage"
>;

/** As `termsOf`, of a market as events show it: its risk factors are worked out. */
export function termsOfMessage(market: Market, assetDecimals: number): Terms {
  const { long, short } = riskModelOf(market.tradableInstrument!).factors;
  const factors = market.fees?.factors;
  const stated = {
    definition: market,
    riskLong: long,
    riskShort: short,
    makerFee: factors?.makerFee ?? "",
    infrastructureFee: factors?.infrastructureFee ?? "",
    liquidityFee: factors?.liquidityFee ?? "",
  };
  return termsOf(stated, assetDecimals);
}

export function termsOf(record: Stated, assetDecimals: number): Terms {
  const { definition, slippage = definition } = record;
  const {
    tradableInstrument,
    priceMonitoringSettings,
    liquidityMonitoringParameters: liquidity,
  } = definition;
  const future = tradableInstrument!.instrument!.future!;
  const scaling = tradableInstrument!.marginCalculator!.scalingFactors!;
  const settlementKey = future.dataSourceSpecForSettlementData?.data?.external?.oracle?.filters.find(
    ({ key }) => key?.name === future.dataSourceSpecBinding!.settlementDataProperty,
  )?.key;
  const positionDecimals = Number(definition.positionDecimalPlaces);
  const triggers = (priceMonitoringSettings?.parameters?.triggers ?? []).map((trigger, index) => ({
    horizonNs: trigger.horizon * SECOND_NS,
    probability: Number(trigger.probability),
    extensionNs: trigger.auctionExtension * SECOND_NS,
    index,
  }));
  const [riskLong, riskShort] = [Decimal.parse(record.riskLong), Decimal.parse(record.riskShort)];
  return {
    asset: future.settlementAsset,
    priceFactor: 10n ** BigInt(assetDecimals - Number(definition.decimalPlaces)),
    positionDecimals,
    positionFactor: Decimal.shifted(1n, -positionDecimals).toString(),
    linear: Decimal.parseNumber(slippage.linearSlippageFactor),
    quadratic: Decimal.parseNumber(slippage.quadraticSlippageFactor),
    priceRange: Decimal.parseNumber(definition.lpPriceRange),
    search: parts(scaling.searchLevel),
    initial: parts(scaling.initialMargin),
    release: parts(scaling.collateralRelease),
    riskLong,
    riskShort,
    makerFee: Decimal.parse(record.makerFee),
    infrastructureFee: Decimal.parse(record.infrastructureFee),
    liquidityFee: Decimal.parse(record.liquidityFee),
    triggers: inOrder(triggers),
    targetWindowNs: (liquidity?.targetStakeParameters?.timeWindow ?? 0n) * SECOND_NS,
    targetRisk: riskLong.max(riskShort).times(Decimal.of(FACTOR_PARTS)).truncated(),
    targetScaling: parts(liquidity?.targetStakeParameters?.scalingFactor ?? 0),
    triggeringRatio: Decimal.parseNumber(liquidity?.triggeringRatio ?? ""),
    liquidityExtensionNs: (liquidity?.auctionExtension || 1n) * SECOND_NS,
    model: riskModelOf(tradableInstrument!),
    settlementSource: future.dataSourceSpecForSettlementData!.id,
    settlementProperty: future.dataSourceSpecBinding!.settlementDataProperty,
    settlementDecimals: Number(settlementKey?.numberDecimalPlaces ?? 0n),
    terminationSource: future.dataSourceSpecForTradingTermination!.id,
    terminationProperty: future.dataSourceSpecBinding!.tradingTerminationProperty,
  };
}

/**
 * As the proposal has them, but that a shorter horizon with a probability at least as high moves ahead
 * (docs/protocol/70-trading-liquidity.md#81-price-monitoring).
 */
function inOrder(triggers: readonly TriggerTerms[]): TriggerTerms[] {
  const ordered = [...triggers];
  for (let end = ordered.length - 1; end > 0; end--) {
    for (let i = 0; i < end; i++) {
      const [a, b] = [ordered[i]!, ordered[i + 1]!];
      if (b.horizonNs < a.horizonNs && b.probability >= a.probability) [ordered[i], ordered[i + 1]] = [b, a];
    }
  }
  return ordered;
}
