/** Proposals of new markets and of changes to markets (reference 30, section 4.6; reference 70, section 1.3). */

import * as say from "../../errors/validation.ts";
import type {
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
import { all, type Check, each, first, part, rule, told, when } from "./check.ts";
import { binding, settlementSource, terminationSource } from "./data-sources.ts";
import { decimal, identifier, needed, positiveNumber, present, required } from "./fields.ts";
import { decimalProblem } from "./go-numbers.ts";

const CHANGE = "proposal_submission.terms.change";
const NEW = `${CHANGE}.new_market.changes`;
const UPDATE = `${CHANGE}.update_market.changes`;

/** True for a number from `least` to `most`. Written so that what is no number is outside of every range. */
function within(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

function slippage<T>(property: string, of: (changes: T) => string): Check<T> {
  return when(
    (changes) => of(changes) !== "",
    first(
      rule(property, say.IS_NOT_A_NUMBER, (changes) => decimal(of(changes)) === undefined),
      rule(property, say.MUST_BE_POSITIVE_OR_ZERO, (changes) => decimal(of(changes))!.sign < 0),
      rule(property, say.MUST_BE_AT_MOST_1M, (changes) => decimal(of(changes))!.value > 1_000_000),
    ),
  );
}

function priceMonitoring(path: string): Check<PriceMonitoringParameters> {
  const trigger = `${path}.triggers.#`;
  return all(
    rule(`${path}.triggers`, "maximum 5 triggers allowed", (monitoring) => monitoring.triggers.length > 5),
    each(
      (monitoring) => monitoring.triggers,
      rule(`${trigger}.horizon`, say.MUST_BE_POSITIVE, (item: PriceMonitoringTrigger) => item.horizon <= 0n),
      rule(
        `${trigger}.auction_extension`,
        say.MUST_BE_POSITIVE,
        (item: PriceMonitoringTrigger) => item.auctionExtension <= 0n,
      ),
      rule(
        `${trigger}.probability`,
        "must be numeric and be between 0 (exclusive) and 1 (exclusive)",
        (item: PriceMonitoringTrigger) => decimal(item.probability) === undefined,
      ),
      // What is no number is outside as well, and gets both messages.
      rule(
        `${trigger}.probability`,
        "should be between 0.9 (exclusive) and 1 (exclusive)",
        (item: PriceMonitoringTrigger) => {
          const probability = decimal(item.probability)?.value ?? 0;
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
      rule(ratio, say.IS_NOT_A_NUMBER, ({ triggeringRatio }) => triggeringRatio === ""),
      told(ratio, say.RATIO_NOT_PARSED, ({ triggeringRatio }) => {
        const problem = decimalProblem(triggeringRatio);
        return problem && `error parsing triggering ratio value: ${problem}`;
      }),
      rule(ratio, say.MUST_BE_BETWEEN_0_AND_1, ({ triggeringRatio }) => {
        const { sign, value } = decimal(triggeringRatio)!;
        return sign < 0 || value > 1;
      }),
    ),
    // Without a ratio nothing else is asked for.
    when(
      (monitoring) => monitoring.triggeringRatio !== "",
      needed(
        stake,
        (monitoring: LiquidityMonitoringParameters) => monitoring.targetStakeParameters,
        rule(
          `${stake}.time_window`,
          say.MUST_BE_POSITIVE,
          (target: TargetStakeParameters) => target.timeWindow <= 0n,
        ),
        rule(
          `${stake}.scaling_factor`,
          say.MUST_BE_POSITIVE,
          (target: TargetStakeParameters) => !(target.scalingFactor > 0),
        ),
      ),
    ),
  );
}

/** What new and changed markets have in common. */
function commonChanges<T extends UpdateMarketConfiguration | NewMarketConfiguration>(path: string): Check<T> {
  return all(
    positiveNumber(
      `${path}.lp_price_range`,
      (changes) => changes.lpPriceRange,
      rule(
        `${path}.lp_price_range`,
        say.MUST_BE_AT_MOST_100,
        (changes) => decimal(changes.lpPriceRange)!.value > 100,
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
    rule(`${path}.min_move_down`, say.MUST_BE_NEGATIVE_OR_ZERO, (model) => !(model.minMoveDown <= 0)),
    rule(`${path}.max_move_up`, say.MUST_BE_POSITIVE_OR_ZERO, (model) => !(model.maxMoveUp >= 0)),
    rule(
      `${path}.probability_of_trading`,
      say.MUST_BE_BETWEEN_0_AND_1,
      (model) => !within(model.probabilityOfTrading, 0, 1),
    ),
  );
}

type Model = LogNormalRiskModel;

function notANumber(property: string, of: (model: Model) => number): Check<Model> {
  return rule(property, say.IS_NOT_A_NUMBER, (model) => Number.isNaN(of(model)));
}

/** Only the first thing that is wrong is said. */
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

/** A market that runs may keep values outside of the ranges for new ones. */
function updateLogNormal(path: string): Check<Model> {
  return first(
    present(`${path}.params`, (model) => model.params),
    rule(
      `${path}.risk_aversion_parameter`,
      say.MUST_BE_POSITIVE,
      (model) => !(model.riskAversionParameter > 0),
    ),
    rule(`${path}.tau`, say.MUST_BE_POSITIVE, (model) => !(model.tau > 0)),
    notANumber(`${path}.params.mu`, (model) => model.params!.mu),
    notANumber(`${path}.params.sigma`, (model) => model.params!.sigma),
    rule(`${path}.params.sigma`, say.MUST_BE_POSITIVE, (model) => model.params!.sigma <= 0),
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
  rule(`${NEW}.decimal_places`, say.MUST_BE_LESS_THAN_150, (changes) => changes.decimalPlaces >= 150n),
  rule(
    `${NEW}.position_decimal_places`,
    say.MUST_BE_BETWEEN_7,
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
