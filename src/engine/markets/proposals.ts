/**
 * Proposals of markets: their checks by governance, and the resulting definition
 * (docs/protocol/70-trading-markets.md#12-fields-proto, #13-newmarket-change-checks and #17-market-update).
 */
import { Decimal } from "../../wire/decimal.ts";
import { ConditionOperator, type Filter, PropertyKeyType } from "../../wire/generated/data.ts";
import type {
  DataSourceDefinition,
  FutureProduct,
  LiquidityMonitoringParameters,
  NewMarketConfiguration,
  PriceMonitoringParameters,
  ProposalTerms,
  TradableInstrument,
  UpdateFutureProduct,
  UpdateMarketConfiguration,
} from "../../wire/generated/vega.ts";
import { durationText, SECOND_NS } from "../../wire/time-text.ts";
import { refuseProposal } from "../errors.ts";
import type { AssetReader, ParameterReader } from "../ports.ts";
import { parseInt64, shortened, shownDecimal } from "../values.ts";
import { BUILTIN_TIME, filterProblem, filtersOf, int64Problem, Oracles, typeName } from "./oracles.ts";
import type { MarketDefinition } from "./records.ts";
import type { MarketRules } from "./rules.ts";

/** Decimal places that an asset can have beyond those of its market: the next power of ten has more than 256 bits. */
const PRICE_PLACES_MAX = 77n;
const TRIGGERS_MAX = 5;
const EARLIER: ReadonlySet<number> = new Set([
  ConditionOperator.OPERATOR_LESS_THAN,
  ConditionOperator.OPERATOR_LESS_THAN_OR_EQUAL,
]);
const SLIPPAGE_MAX = Decimal.of(1_000_000n);
const RANGE_MAX = Decimal.of(100n);
/** Digits of a decimal in the narrowest column for one, `numeric(1000, 16)`. */
const DECIMAL_DIGITS_MAX = 984;
/** Far above any model's values. */
const RISK_MAX = 1e15;
const SCALING = "market.margin.scalingFactors";

interface ScalingFactors {
  readonly search_level: number;
  readonly initial_margin: number;
  readonly collateral_release: number;
}

type Changes = Pick<
  UpdateMarketConfiguration,
  | "priceMonitoringParameters"
  | "liquidityMonitoringParameters"
  | "simple"
  | "logNormal"
  | "lpPriceRange"
  | "linearSlippageFactor"
  | "quadraticSlippageFactor"
>;

interface CheckedAgainst {
  readonly assets: AssetReader;
  readonly params: ParameterReader;
}

/** @throws ProposalRefusal */
export function checkNewMarket(terms: ProposalTerms, { assets, params }: CheckedAgainst): void {
  const changes = terms.newMarket!.changes!;
  const future = changes.instrument?.future;
  if (future === undefined) refuseProposal("NO_PRODUCT", "missing product");
  checkSources(future, terms.enactmentTimestamp);
  const { settlementAsset } = future;
  const asset = assets.get(settlementAsset);
  if (asset === undefined) refuseProposal("INVALID_ASSET", "asset does not exist");
  if (!assets.isEnabled(settlementAsset)) {
    refuseProposal("INVALID_ASSET", `assets is not enabled ${settlementAsset}`);
  }
  const { decimals } = asset.details;
  if (decimals < changes.decimalPlaces) {
    refuseProposal("TOO_MANY_MARKET_DECIMAL_PLACES", "market cannot have more decimal places than assets");
  }
  if (decimals - changes.decimalPlaces > PRICE_PLACES_MAX) {
    refuseProposal("INVALID_ASSET", "prices in units of the asset would not have room in 256 bits");
  }
  const durationNs = (terms.enactmentTimestamp - terms.closingTimestamp) * SECOND_NS;
  const minDuration = params.duration("market.auction.minimumDuration");
  if (durationNs !== 0n && durationNs < minDuration) {
    const got = `expected > ${durationText(minDuration)}, got ${durationText(durationNs)}`;
    refuseProposal(
      "OPENING_AUCTION_DURATION_TOO_SMALL",
      `proposal opening auction duration is too short, ${got}`,
    );
  }
  const most = params.duration("market.auction.maximumDuration");
  if (durationNs > most) {
    const got = `expected < ${durationText(most)}, got ${durationText(durationNs)}`;
    refuseProposal(
      "OPENING_AUCTION_DURATION_TOO_LARGE",
      `proposal opening auction duration is too long, ${got}`,
    );
  }
  checkChanges(changes);
}

/** @throws ProposalRefusal */
export function checkUpdateMarket(terms: ProposalTerms): void {
  const changes = terms.updateMarket!.changes!;
  const future = changes.instrument?.future;
  if (future === undefined) refuseProposal("NO_PRODUCT", "missing product");
  checkSources(future, terms.enactmentTimestamp);
  checkChanges(changes);
}

function checkChanges(changes: Changes): void {
  if ((changes.priceMonitoringParameters?.triggers.length ?? 0) > TRIGGERS_MAX) {
    refuseProposal("TOO_MANY_PRICE_MONITORING_TRIGGERS", `${TRIGGERS_MAX} is the maximum number of triggers`);
  }
  const ratio = changes.liquidityMonitoringParameters?.triggeringRatio ?? "";
  const probabilities =
    changes.priceMonitoringParameters?.triggers.map(({ probability }) => probability) ?? [];
  const factors = [changes.linearSlippageFactor, changes.quadraticSlippageFactor];
  const texts = [changes.lpPriceRange, ...factors, ratio, ...probabilities];
  if (!texts.every(isReadable)) {
    refuseProposal("INVALID_RISK_PARAMETER", "a decimal of the market is not one that can be worked with");
  }
  const range = Decimal.parseNumber(changes.lpPriceRange);
  if (!range.isPositive())
    refuseProposal("LP_PRICE_RANGE_NONPOSITIVE", "LP price range must be greater than 0");
  if (RANGE_MAX.isLess(range)) {
    refuseProposal("LP_PRICE_RANGE_TOO_LARGE", "LP price range must be less than or equal to 100");
  }
  const isOutside = (text: string) => {
    const factor = Decimal.parseNumber(text);
    return factor.isNegative() || SLIPPAGE_MAX.isLess(factor);
  };
  if (isOutside(changes.linearSlippageFactor)) {
    refuseProposal(
      "LINEAR_SLIPPAGE_FACTOR_OUT_OF_RANGE",
      "linear slippage factor must be between 0 and 1000000",
    );
  }
  if (isOutside(changes.quadraticSlippageFactor)) {
    refuseProposal(
      "QUADRATIC_SLIPPAGE_FACTOR_OUT_OF_RANGE",
      "quadratic slippage factor must be between 0 and 1000000",
    );
  }
  if (changes.simple === undefined && changes.logNormal === undefined) {
    refuseProposal("NO_RISK_PARAMETERS", "missing risk parameters");
  }
  const { params, ...model } = changes.logNormal ?? { params: {} };
  const target = changes.liquidityMonitoringParameters?.targetStakeParameters?.scalingFactor ?? 0;
  const numbers = [...Object.values({ ...changes.simple, ...model, ...params }), target];
  if (!numbers.every((value) => Number.isFinite(value) && Math.abs(value) <= RISK_MAX)) {
    refuseProposal(
      "INVALID_RISK_PARAMETER",
      "a parameter of the risk model is not a number that can be worked with",
    );
  }
  if (!isInRange(changes)) refuseProposal("INVALID_RISK_PARAMETER", "invalid risk parameter");
}

/**
 * The form of the command allows more digits and exponents than decimals have here, and than a row of the market
 * holds; and a probability of NaN or in hexadecimal, which the original takes for 0.
 */
function isReadable(text: string): boolean {
  try {
    return Decimal.parseNumber(text).toString().replace(".", "").length <= DECIMAL_DIGITS_MAX;
  } catch {
    return false;
  }
}

/** The form of an update allows more than the network takes: the ranges are those of new markets. */
function isInRange({ logNormal }: Changes): boolean {
  if (logNormal === undefined) return true;
  const { riskAversionParameter: lambda, tau, params } = logNormal;
  const { mu, r, sigma } = params!;
  const isBetween = (value: number, least: number, most: number) => value >= least && value <= most;
  return (
    isBetween(lambda, 1e-8, 0.1) &&
    isBetween(tau, 1e-8, 1) &&
    isBetween(mu, -1e-6, 1e-6) &&
    isBetween(r, -1, 1) &&
    isBetween(sigma, 1e-3, 50)
  );
}

/** Sources of the settlement price and of the end of trading must have the properties that are bound. */
function checkSources(future: FutureProduct | UpdateFutureProduct, enactment: bigint): void {
  const { settlementDataProperty, tradingTerminationProperty } = future.dataSourceSpecBinding!;
  const settlement = filtersOf(future.dataSourceSpecForSettlementData!);
  const termination = filtersOf(future.dataSourceSpecForTradingTermination!);
  checkTerminationTime(termination, enactment);
  checkFilters(settlement);
  checkBound("settlement data", settlement, settlementDataProperty, PropertyKeyType.TYPE_INTEGER);
  checkFilters(termination);
  const isTimed = tradingTerminationProperty === BUILTIN_TIME;
  const type = isTimed ? PropertyKeyType.TYPE_TIMESTAMP : PropertyKeyType.TYPE_BOOLEAN;
  checkBound("trading termination", termination, tradingTerminationProperty, type);
}

/** The property that is bound is among the filters, with the type that its use needs. */
function checkBound(use: string, filters: readonly Filter[], property: string, type: number): void {
  const filteredType = filters.find(({ key }) => key?.name === property)?.key?.type;
  if (filteredType === type) return;
  const problem =
    filteredType === undefined
      ? `bound property "${shortened(property)}" not filtered by oracle spec`
      : `bound type "${typeName(type)}" doesn't match filtered property type "${typeName(filteredType)}"`;
  refuseProposal("INVALID_FUTURE_PRODUCT", `invalid oracle spec binding for ${use}: ${problem}`);
}

function checkFilters(filters: readonly Filter[]): void {
  const names = new Set<string | undefined>();
  for (const filter of filters) {
    if (names.has(filter.key?.name))
      refuseProposal("INVALID_FUTURE_PRODUCT", "multiple keys with same name found in filter list");
    names.add(filter.key?.name);
    const problem = filterProblem(filter);
    if (problem !== undefined) refuseProposal("INVALID_FUTURE_PRODUCT", problem);
    if (filter.key?.type !== PropertyKeyType.TYPE_TIMESTAMP) continue;
    if (filter.conditions.some(({ operator }) => EARLIER.has(operator))) {
      refuseProposal(
        "INVALID_FUTURE_PRODUCT",
        "data source spec time value is used with 'less than' or 'less than equal' condition",
      );
    }
  }
}

/** Trading may not end before the market is enacted. */
function checkTerminationTime(filters: readonly Filter[], enactment: bigint): void {
  for (const { key, conditions } of filters) {
    if (key?.type !== PropertyKeyType.TYPE_TIMESTAMP) continue;
    for (const { value } of conditions) {
      const time = parseInt64(value);
      if (time === undefined) refuseProposal("INVALID_FUTURE_PRODUCT", int64Problem(value));
      if (time > enactment) continue;
      refuseProposal("INVALID_FUTURE_PRODUCT", "data source spec termination time before enactment");
    }
  }
}

/** An accepted market proposal, with the network's defaults for members that it leaves out. */
export function completedTerms(terms: ProposalTerms, params: ParameterReader): ProposalTerms {
  const changes = terms.newMarket?.changes;
  if (changes === undefined) return terms;
  const { priceMonitoringParameters, liquidityMonitoringParameters: liquidity } = changes;
  const completed = {
    ...changes,
    priceMonitoringParameters: priceMonitoringParameters ?? defaultTriggers(params),
    liquidityMonitoringParameters: {
      ...liquidityOf(liquidity, params),
      auctionExtension: liquidity?.auctionExtension ?? 0n,
    },
  };
  return { ...terms, newMarket: { changes: completed } };
}

/** The terms as a market publishes them: an extension of 0 is one second. */
export function usedTerms(terms: ProposalTerms): ProposalTerms {
  const { newMarket, updateMarket } = terms;
  if (newMarket?.changes !== undefined)
    return { ...terms, newMarket: { changes: withExtension(newMarket.changes) } };
  if (updateMarket?.changes !== undefined)
    return { ...terms, updateMarket: { ...updateMarket, changes: withExtension(updateMarket.changes) } };
  return terms;
}

function withExtension<C extends NewMarketConfiguration | UpdateMarketConfiguration>(changes: C): C {
  const { liquidityMonitoringParameters: liquidity } = changes;
  if (liquidity === undefined || liquidity.auctionExtension !== 0n) return changes;
  return { ...changes, liquidityMonitoringParameters: { ...liquidity, auctionExtension: 1n } };
}

/** The definition of a proposed market. */
export function newDefinition(
  terms: ProposalTerms,
  params: ParameterReader,
  rules: MarketRules,
): MarketDefinition {
  const changes = terms.newMarket!.changes!;
  const instrument = changes.instrument!;
  const future = instrument.future!;
  return {
    tradableInstrument: {
      instrument: {
        id: "",
        code: instrument.code,
        name: instrument.name,
        metadata: { tags: changes.metadata },
        future: {
          settlementAsset: future.settlementAsset,
          quoteName: future.quoteName,
          dataSourceSpecForSettlementData: specOf(future.dataSourceSpecForSettlementData!),
          dataSourceSpecForTradingTermination: specOf(future.dataSourceSpecForTradingTermination!),
          dataSourceSpecBinding: future.dataSourceSpecBinding,
        },
      },
      marginCalculator: marginCalculator(params),
      ...riskOf(changes),
    },
    decimalPlaces: changes.decimalPlaces,
    positionDecimalPlaces: changes.positionDecimalPlaces,
    openingAuction: { duration: terms.enactmentTimestamp - terms.closingTimestamp, volume: 0n },
    ...monitoringOf(changes, params),
    lpPriceRange: shownDecimal(changes.lpPriceRange),
    ...slippageOf(changes, rules),
  };
}

/** A market's definition with the changes of a proposal (docs/protocol/70-trading-markets.md#17-market-update). */
export function updatedDefinition(
  before: MarketDefinition,
  changes: UpdateMarketConfiguration,
  params: ParameterReader,
  rules: MarketRules,
): MarketDefinition {
  const tradable = before.tradableInstrument!;
  const instrument = tradable.instrument!;
  const future = changes.instrument!.future!;
  return {
    ...before,
    tradableInstrument: {
      ...tradable,
      instrument: {
        ...instrument,
        code: changes.instrument!.code,
        metadata: { tags: changes.metadata },
        future: {
          settlementAsset: instrument.future!.settlementAsset,
          quoteName: future.quoteName,
          dataSourceSpecForSettlementData: specOf(future.dataSourceSpecForSettlementData!),
          dataSourceSpecForTradingTermination: specOf(future.dataSourceSpecForTradingTermination!),
          dataSourceSpecBinding: future.dataSourceSpecBinding,
        },
      },
      ...riskOf(changes),
    },
    ...monitoringOf(changes, params),
    lpPriceRange: shownDecimal(changes.lpPriceRange),
    ...slippageOf(changes, rules),
  };
}

/** A factor that is left out is 0; older networks had none. */
function slippageOf(
  { linearSlippageFactor: linear, quadraticSlippageFactor: quadratic }: Changes | NewMarketConfiguration,
  { boundsSlippage }: MarketRules,
): Pick<MarketDefinition, "linearSlippageFactor" | "quadraticSlippageFactor"> {
  const none = boundsSlippage ? "0" : "";
  return {
    linearSlippageFactor: shownDecimal(linear) || none,
    quadraticSlippageFactor: shownDecimal(quadratic) || none,
  };
}

/** With the scaling factors that the network states. */
export function withScaling(before: MarketDefinition, params: ParameterReader): MarketDefinition {
  return {
    ...before,
    tradableInstrument: { ...before.tradableInstrument!, marginCalculator: marginCalculator(params) },
  };
}

function marginCalculator(params: ParameterReader): TradableInstrument["marginCalculator"] {
  const factors = params.json<ScalingFactors>(SCALING);
  return {
    scalingFactors: {
      searchLevel: factors.search_level,
      initialMargin: factors.initial_margin,
      collateralRelease: factors.collateral_release,
    },
  };
}

function specOf(definition: DataSourceDefinition) {
  return { id: Oracles.idOf(definition), createdAt: 0n, updatedAt: 0n, data: definition, status: 0 };
}

function riskOf({ simple, logNormal }: Changes) {
  return {
    logNormalRiskModel: logNormal,
    simpleRiskModel: simple && { params: simple },
  };
}

function monitoringOf(
  changes: Changes | NewMarketConfiguration,
  params: ParameterReader,
): Pick<MarketDefinition, "priceMonitoringSettings" | "liquidityMonitoringParameters"> {
  const { triggers } = changes.priceMonitoringParameters ?? defaultTriggers(params);
  const shown = triggers.map((trigger) => ({ ...trigger, probability: shownDecimal(trigger.probability) }));
  return {
    priceMonitoringSettings: { parameters: { triggers: shown } },
    liquidityMonitoringParameters: liquidityOf(changes.liquidityMonitoringParameters, params),
  };
}

interface DefaultTriggers {
  readonly triggers?: readonly {
    readonly horizon: string | number;
    readonly probability: string;
    readonly auction_extension?: string | number;
    readonly auctionExtension?: string | number;
  }[];
}

function defaultTriggers(params: ParameterReader): PriceMonitoringParameters {
  const { triggers = [] } = params.json<DefaultTriggers>("market.monitor.price.defaultParameters");
  return {
    triggers: triggers.map((trigger) => ({
      horizon: BigInt(trigger.horizon),
      probability: trigger.probability,
      auctionExtension: BigInt(trigger.auction_extension ?? trigger.auctionExtension ?? 0),
    })),
  };
}

function liquidityOf(
  given: LiquidityMonitoringParameters | undefined,
  params: ParameterReader,
): LiquidityMonitoringParameters {
  return {
    targetStakeParameters: given?.targetStakeParameters ?? {
      timeWindow: params.duration("market.stake.target.timeWindow") / SECOND_NS,
      scalingFactor: Number(params.decimal("market.stake.target.scalingFactor").toString()),
    },
    triggeringRatio:
      given === undefined
        ? params.decimal("market.liquidity.targetstake.triggering.ratio").toString()
        : shownDecimal(given.triggeringRatio),
    auctionExtension: given?.auctionExtension || 1n,
  };
}
