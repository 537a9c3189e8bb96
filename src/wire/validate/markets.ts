/**
 * Proposals of new markets and of changes to markets (docs/protocol/30-node-api-commands.md#46-proposalsubmission;
 * docs/protocol/70-trading-markets.md#13-newmarket-change-checks).
 */
import { isEthereumAddress } from "../../crypto/secp256k1.ts";
import * as messages from "../../errors/validation.ts";
import type { Condition, Filter, PropertyKey, Signer } from "../generated/data.ts";
import type {
  DataSourceDefinition,
  DataSourceDefinitionExternal,
  DataSourceDefinitionInternal,
  DataSourceSpecConfiguration,
  DataSourceSpecConfigurationTime,
  DataSourceSpecToFutureBinding,
  FutureProduct,
  InstrumentConfiguration,
  LiquidityMonitoringParameters,
  LogNormalRiskModel,
  NewMarket,
  NewMarketConfiguration,
  PriceMonitoringParameters,
  PriceMonitoringTrigger,
  SimpleModelParams,
  TargetStakeParameters,
  UpdateFutureProduct,
  UpdateInstrumentConfiguration,
  UpdateMarket,
  UpdateMarketConfiguration,
} from "../generated/vega.ts";
import { isHex64 } from "../identifiers.ts";
import { all, type Check, described, each, first, part, rule, when } from "./check.ts";
import {
  choice,
  decimal,
  decimalProblem,
  exceeds,
  float64Of,
  identifier,
  needed,
  positiveNumber,
  present,
  required,
} from "./fields.ts";

// Sources of a future's settlement price and of its end (docs/protocol/70-trading-markets.md#16-data-sources-oracles).

/** The property of an internal time source. */
const BUILTIN_TIMESTAMP = "vegaprotocol.builtin.timestamp";

/** `path` of the conditions ends in `#`. */
function condition(path: string): Check<Condition> {
  return all(
    required(`${path}.value`, (item) => item.value),
    choice(`${path}.operator`, (item) => item.operator, "vega.data.v1.Condition.Operator"),
  );
}

function filter(path: string): Check<Filter> {
  return all(
    rule(`${path}.key`, messages.IS_NOT_VALID, (item) => item.key === undefined),
    part(
      (item) => item.key,
      required(`${path}.key.name`, (key: PropertyKey) => key.name),
      choice(`${path}.key.type`, (key: PropertyKey) => key.type, "vega.data.v1.PropertyKey.Type"),
    ),
    each((item) => item.conditions, condition(`${path}.conditions.#`)),
  );
}

function signer(path: string): Check<Signer> {
  return first(
    rule(
      path,
      messages.IS_NOT_VALID,
      ({ pubKey, ethAddress }) => (pubKey?.key ?? ethAddress?.address ?? "") === "",
    ),
    rule(path, messages.NOT_A_PUBLIC_KEY, ({ pubKey }) => pubKey !== undefined && !isHex64(pubKey.key)),
    rule(
      path,
      messages.NOT_AN_ETHEREUM_ADDRESS,
      ({ ethAddress }) => ethAddress !== undefined && !isEthereumAddress(ethAddress.address),
    ),
  );
}

function oracle(path: string): Check<DataSourceSpecConfiguration> {
  return all(
    required(`${path}.signers`, (spec) => spec.signers),
    each((spec) => spec.signers, signer(`${path}.signers.#`)),
    required(`${path}.filters`, (spec) => spec.filters),
    each((spec) => spec.filters, filter(`${path}.filters.#`)),
  );
}

/**
 * The original crashes on an external source without an oracle (docs/protocol/30-node-api-events.md#13-easily-missed,
 * surprise 18); here it is required.
 */
function external(path: string): Check<DataSourceDefinitionExternal> {
  return needed(`${path}.external.oracle`, (source) => source.oracle, oracle(`${path}.external.oracle`));
}

function internal(path: string): Check<DataSourceDefinitionInternal> {
  return needed(
    `${path}.internal`,
    (source) => source.time,
    required(`${path}.internal.time.conditions`, (time: DataSourceSpecConfigurationTime) => time.conditions),
    each(
      (time: DataSourceSpecConfigurationTime) => time.conditions,
      condition(`${path}.internal.time.conditions.#`),
    ),
  );
}

type Source = DataSourceDefinition | undefined;

/** The source of trading termination: signed data or the chain's time. */
function terminationSource<T>(path: string, of: (future: T) => Source): Check<T> {
  return needed(
    path,
    of,
    present(`${path}.source_type`, (source: DataSourceDefinition) => source.external ?? source.internal),
    part((source: DataSourceDefinition) => source.external, external(path)),
    part((source: DataSourceDefinition) => source.internal, internal(path)),
  );
}

/** The source of the settlement price: signed data only. */
function settlementSource<T>(path: string, of: (future: T) => Source): Check<T> {
  return needed(
    path,
    of,
    present(`${path}.source_type`, (source: DataSourceDefinition) => source.external ?? source.internal),
    part((source: DataSourceDefinition) => source.external, external(path)),
    rule(path, messages.IS_NOT_VALID, (source: DataSourceDefinition) => source.internal !== undefined),
  );
}

function provides(source: Source, property: string): boolean {
  const time = source?.internal?.time;
  if (time !== undefined) return time.conditions.length > 0 && property === BUILTIN_TIMESTAMP;
  return source?.external?.oracle?.filters.some((item) => item.key?.name === property) ?? false;
}

interface Bound {
  readonly dataSourceSpecForSettlementData: Source;
  readonly dataSourceSpecForTradingTermination: Source;
  readonly dataSourceSpecBinding: DataSourceSpecToFutureBinding | undefined;
}

/**
 * The binding of properties. A new market can bind an internal termination source under any name; an update must name the
 * source's property. As in the original.
 */
function binding<T extends Bound>(path: string, anyInternal: boolean): Check<T> {
  const settlement = (future: T) => future.dataSourceSpecBinding!.settlementDataProperty;
  const termination = (future: T) => future.dataSourceSpecBinding!.tradingTerminationProperty;
  return first(
    present(path, (future) => future.dataSourceSpecBinding),
    all(
      first(
        required(`${path}.settlement_data_property`, settlement),
        rule(
          `${path}.settlement_data_property`,
          messages.IS_MISMATCHING,
          (future) => !provides(future.dataSourceSpecForSettlementData, settlement(future)),
        ),
      ),
      first(
        required(`${path}.trading_termination_property`, termination),
        rule(`${path}.trading_termination_property`, messages.IS_MISMATCHING, (future) => {
          const source = future.dataSourceSpecForTradingTermination;
          if (anyInternal && source !== undefined && source.external === undefined) return false;
          return !provides(source, termination(future));
        }),
      ),
    ),
  );
}

const CHANGE = "proposal_submission.terms.change";
const NEW = `${CHANGE}.new_market.changes`;
const UPDATE = `${CHANGE}.update_market.changes`;

/** True for a number from `least` to `most`; false for NaN. */
function within(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

function slippage<T>(property: string, of: (changes: T) => string): Check<T> {
  return when(
    (changes) => of(changes) !== "",
    first(
      rule(property, messages.IS_NOT_A_NUMBER, (changes) => decimal(of(changes)) === undefined),
      rule(property, messages.MUST_BE_POSITIVE_OR_ZERO, (changes) => decimal(of(changes))!.sign < 0),
      rule(property, messages.MUST_BE_AT_MOST_1M, (changes) => exceeds(of(changes), 1_000_000)),
    ),
  );
}

function priceMonitoring(path: string): Check<PriceMonitoringParameters> {
  const trigger = `${path}.triggers.#`;
  return all(
    rule(`${path}.triggers`, "maximum 5 triggers allowed", (monitoring) => monitoring.triggers.length > 5),
    each(
      (monitoring) => monitoring.triggers,
      rule(
        `${trigger}.horizon`,
        messages.MUST_BE_POSITIVE,
        (item: PriceMonitoringTrigger) => item.horizon <= 0n,
      ),
      rule(
        `${trigger}.auction_extension`,
        messages.MUST_BE_POSITIVE,
        (item: PriceMonitoringTrigger) => item.auctionExtension <= 0n,
      ),
      rule(
        `${trigger}.probability`,
        "must be numeric and be between 0 (exclusive) and 1 (exclusive)",
        (item: PriceMonitoringTrigger) => float64Of(item.probability) === undefined,
      ),
      // Text that is not a number is out of range as well, and gets both messages; NaN gets neither.
      rule(
        `${trigger}.probability`,
        "should be between 0.9 (exclusive) and 1 (exclusive)",
        (item: PriceMonitoringTrigger) => {
          const probability = float64Of(item.probability) ?? 0;
          return probability <= 0.9 || probability >= 1;
        },
      ),
    ),
  );
}

function liquidityMonitoring(path: string): Check<LiquidityMonitoringParameters> {
  const ratio = `${path}.triggering_ratio`;
  const stake = `${path}.target_stake_parameters`;
  return all(
    first(
      rule(ratio, messages.IS_NOT_A_NUMBER, ({ triggeringRatio }) => triggeringRatio === ""),
      described(ratio, messages.RATIO_NOT_PARSED, ({ triggeringRatio }) => {
        const problem = decimalProblem(triggeringRatio);
        return problem && `error parsing triggering ratio value: ${problem}`;
      }),
      rule(ratio, messages.MUST_BE_BETWEEN_0_AND_1, ({ triggeringRatio }) => {
        return decimal(triggeringRatio)!.sign < 0 || exceeds(triggeringRatio, 1);
      }),
    ),
    // Without a ratio nothing else is checked.
    when(
      (monitoring) => monitoring.triggeringRatio !== "",
      needed(
        stake,
        (monitoring: LiquidityMonitoringParameters) => monitoring.targetStakeParameters,
        rule(
          `${stake}.time_window`,
          messages.MUST_BE_POSITIVE,
          (target: TargetStakeParameters) => target.timeWindow <= 0n,
        ),
        rule(
          `${stake}.scaling_factor`,
          messages.MUST_BE_POSITIVE,
          (target: TargetStakeParameters) => !(target.scalingFactor > 0),
        ),
      ),
    ),
  );
}

/** Rules for new and updated markets. */
function commonChanges<T extends UpdateMarketConfiguration | NewMarketConfiguration>(path: string): Check<T> {
  return all(
    positiveNumber(
      `${path}.lp_price_range`,
      (changes) => changes.lpPriceRange,
      rule(`${path}.lp_price_range`, messages.MUST_BE_AT_MOST_100, (changes) =>
        exceeds(changes.lpPriceRange, 100),
      ),
    ),
    slippage(`${path}.linear_slippage_factor`, (changes) => changes.linearSlippageFactor),
    slippage(`${path}.quadratic_slippage_factor`, (changes) => changes.quadraticSlippageFactor),
    part(
      (changes) => changes.priceMonitoringParameters,
      priceMonitoring(`${path}.price_monitoring_parameters`),
    ),
    part(
      (changes) => changes.liquidityMonitoringParameters,
      liquidityMonitoring(`${path}.liquidity_monitoring_parameters`),
    ),
  );
}

const settlementOf = (future: UpdateFutureProduct | FutureProduct) => future.dataSourceSpecForSettlementData;
const terminationOf = (future: UpdateFutureProduct | FutureProduct) =>
  future.dataSourceSpecForTradingTermination;

function commonFuture<T extends UpdateFutureProduct | FutureProduct>(path: string, isNew: boolean): Check<T> {
  return all(
    required(`${path}.quote_name`, (future) => future.quoteName),
    settlementSource(`${path}.data_source_spec_for_settlement_data`, settlementOf),
    terminationSource(`${path}.data_source_spec_for_trading_termination`, terminationOf),
    binding<T>(`${path}.data_source_spec_binding`, isNew),
  );
}

const NEW_FUTURE = `${NEW}.instrument.product.future`;
const newInstrument: Check<InstrumentConfiguration> = all(
  required(`${NEW}.instrument.name`, (instrument) => instrument.name),
  required(`${NEW}.instrument.code`, (instrument) => instrument.code),
  needed(
    `${NEW}.instrument.product`,
    (instrument) => instrument.future,
    required(`${NEW_FUTURE}.settlement_asset`, (future: FutureProduct) => future.settlementAsset),
    commonFuture<FutureProduct>(NEW_FUTURE, true),
  ),
);

const updateInstrument: Check<UpdateInstrumentConfiguration> = all(
  required(`${UPDATE}.instrument.code`, (instrument) => instrument.code),
  needed(
    `${UPDATE}.instrument.product`,
    (instrument) => instrument.future,
    commonFuture<UpdateFutureProduct>(`${UPDATE}.instrument.product.future`, false),
  ),
);

function simpleModel(path: string): Check<SimpleModelParams> {
  return all(
    rule(`${path}.min_move_down`, messages.MUST_BE_NEGATIVE_OR_ZERO, (model) => !(model.minMoveDown <= 0)),
    rule(`${path}.max_move_up`, messages.MUST_BE_POSITIVE_OR_ZERO, (model) => !(model.maxMoveUp >= 0)),
    rule(
      `${path}.probability_of_trading`,
      messages.MUST_BE_BETWEEN_0_AND_1,
      (model) => !within(model.probabilityOfTrading, 0, 1),
    ),
  );
}

type Model = LogNormalRiskModel;

function notANumber(property: string, of: (model: Model) => number): Check<Model> {
  return rule(property, messages.IS_NOT_A_NUMBER, (model) => Number.isNaN(of(model)));
}

/** Reports only the first error. */
function newLogNormal(path: string): Check<Model> {
  const mu = (model: Model) => model.params!.mu;
  const sigma = (model: Model) => model.params!.sigma;
  const r = (model: Model) => model.params!.r;
  return first(
    present(`${path}.params`, (model) => model.params),
    rule(
      `${path}.risk_aversion_parameter`,
      "must be between [1e-8, 0.1]",
      (model) => !within(model.riskAversionParameter, 1e-8, 0.1),
    ),
    rule(`${path}.tau`, "must be between [1e-8, 1]", (model) => !within(model.tau, 1e-8, 1)),
    notANumber(`${path}.params.mu`, mu),
    rule(`${path}.params.mu`, "must be between [-1e-6,1e-6]", (model) => !within(mu(model), -1e-6, 1e-6)),
    notANumber(`${path}.params.sigma`, sigma),
    rule(`${path}.params.sigma`, "must be between [1e-3,50]", (model) => !within(sigma(model), 1e-3, 50)),
    notANumber(`${path}.params.r`, r),
    rule(`${path}.params.r`, "must be between [-1,1]", (model) => !within(r(model), -1, 1)),
  );
}

/** A running market may keep values outside the ranges for new ones. */
function updateLogNormal(path: string): Check<Model> {
  return first(
    present(`${path}.params`, (model) => model.params),
    rule(
      `${path}.risk_aversion_parameter`,
      messages.MUST_BE_POSITIVE,
      (model) => !(model.riskAversionParameter > 0),
    ),
    rule(`${path}.tau`, messages.MUST_BE_POSITIVE, (model) => !(model.tau > 0)),
    notANumber(`${path}.params.mu`, (model) => model.params!.mu),
    notANumber(`${path}.params.sigma`, (model) => model.params!.sigma),
    rule(`${path}.params.sigma`, messages.MUST_BE_POSITIVE, (model) => model.params!.sigma <= 0),
    notANumber(`${path}.params.r`, (model) => model.params!.r),
  );
}

function riskModel<T extends UpdateMarketConfiguration | NewMarketConfiguration>(
  path: string,
  logNormal: Check<Model>,
): Check<T> {
  return all(
    present(path, (changes) => changes.simple ?? changes.logNormal),
    part((changes) => changes.simple, simpleModel(`${path}.simple`)),
    part((changes) => changes.logNormal, logNormal),
  );
}

const newChanges: Check<NewMarketConfiguration> = all(
  rule(`${NEW}.decimal_places`, messages.MUST_BE_LESS_THAN_150, (changes) => changes.decimalPlaces >= 150n),
  rule(
    `${NEW}.position_decimal_places`,
    messages.MUST_BE_BETWEEN_7,
    ({ positionDecimalPlaces }) => positionDecimalPlaces >= 7n || positionDecimalPlaces <= -7n,
  ),
  commonChanges<NewMarketConfiguration>(NEW),
  needed(`${NEW}.instrument`, (changes) => changes.instrument, newInstrument),
  riskModel<NewMarketConfiguration>(
    `${NEW}.risk_parameters`,
    newLogNormal(`${NEW}.risk_parameters.log_normal`),
  ),
);

const updateChanges: Check<UpdateMarketConfiguration> = all(
  commonChanges<UpdateMarketConfiguration>(UPDATE),
  needed(`${UPDATE}.instrument`, (changes) => changes.instrument, updateInstrument),
  riskModel<UpdateMarketConfiguration>(
    `${UPDATE}.risk_parameters`,
    updateLogNormal(`${UPDATE}.risk_parameters.log_normal`),
  ),
);

export const newMarket: Check<NewMarket> = needed(NEW, (change) => change.changes, newChanges);

export const updateMarket: Check<UpdateMarket> = all(
  identifier(`${CHANGE}.update_market.market_id`, (change) => change.marketId),
  needed(UPDATE, (change) => change.changes, updateChanges),
);
