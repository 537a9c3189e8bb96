// Cases for proposals of markets (docs/protocol/30-node-api-commands.md#46-proposalsubmission;
// docs/protocol/70-trading-markets.md#13-newmarket-change-checks).
import { choiceCases, ID, identifierCases, type Patch, type RuleCase, requiredCase } from "./cases.ts";

const oracle = (name: string) => ({
  external: {
    oracle: {
      signers: [{ pubKey: { key: ID } }],
      filters: [
        { key: { name, type: "TYPE_INTEGER" }, conditions: [{ operator: "OPERATOR_EQUALS", value: "1" }] },
      ],
    },
  },
});
const internalTime = { internal: { time: { conditions: [{ operator: 2, value: "5" }] } } };

const future = {
  quoteName: "USD",
  dataSourceSpecForSettlementData: oracle("price"),
  dataSourceSpecForTradingTermination: oracle("end"),
  dataSourceSpecBinding: { settlementDataProperty: "price", tradingTerminationProperty: "end" },
};
const common = {
  lpPriceRange: "0.5",
  linearSlippageFactor: "0.1",
  quadraticSlippageFactor: "0",
  priceMonitoringParameters: {
    triggers: [{ horizon: "1", probability: "0.95", auctionExtension: "1" }],
  },
  liquidityMonitoringParameters: {
    triggeringRatio: "0.7",
    targetStakeParameters: { timeWindow: "1", scalingFactor: 1 },
  },
  logNormal: { riskAversionParameter: 0.01, tau: 0.1, params: { mu: 0, r: 0.1, sigma: 1 } },
};

export const newMarketProposal = {
  newMarket: {
    changes: {
      ...common,
      decimalPlaces: "5",
      positionDecimalPlaces: "-3",
      instrument: { name: "Future", code: "F", future: { ...future, settlementAsset: "any" } },
    },
  },
};
export const updateMarketProposal = {
  updateMarket: { marketId: ID, changes: { ...common, instrument: { code: "F", future } } },
};

const simple = (model: object): Patch => ({ logNormal: undefined, simple: model });

/** Rules that new and changed markets have alike, and those of one of them. Paths are below `changes`. */
export function marketCases(which: "new" | "update"): RuleCase[] {
  const changes = `proposal_submission.terms.change.${which}_market.changes`;
  const own = which === "new" ? newOnly() : updateOnly();
  const rows = [
    ...commonCases(),
    ...own,
    ...monitoringCases(),
    ...sourceCases("settlement_data", "dataSourceSpecForSettlementData"),
    ...sourceCases("trading_termination", "dataSourceSpecForTradingTermination"),
    ...internalCases(which),
    ...bindingCases(),
    ...simpleCases(),
    ...(which === "new" ? newLogNormalCases() : updateLogNormalCases()),
  ];
  const below = (patch: Patch) =>
    Object.fromEntries(
      Object.entries(patch).map(([path, value]) => [`terms.${which}Market.changes.${path}`, value]),
    );
  const market = rows.map((row) => ({
    ...row,
    rule: `${changes}.${row.rule}`,
    on: `${which}Market`,
    broken: below(row.broken),
    ...(row.kept && { kept: below(row.kept) }),
    ...(row.text !== undefined && { text: row.text.replaceAll("~", changes) }),
  }));
  const missing = { ...requiredCase(changes, `terms.${which}Market.changes`), on: `${which}Market` };
  const named = identifierCases(changes.replace(/changes$/, "market_id"), "terms.updateMarket.marketId");
  return [
    ...market,
    missing,
    ...(which === "new" ? [] : named.map((row) => ({ ...row, on: "updateMarket" }))),
  ];
}

function commonCases(): RuleCase[] {
  const slippage = (property: string, path: string): RuleCase[] => [
    { rule: `${property} (is not a valid number)`, broken: { [path]: "." }, kept: { [path]: "" } },
    { rule: `${property} (must be positive or zero)`, broken: { [path]: "-1e-9" }, kept: { [path]: "-0" } },
    {
      rule: `${property} (must be at most 1000000)`,
      broken: { [path]: "1000000.1" },
      kept: { [path]: "1e6" },
    },
  ];
  return [
    { rule: "lp_price_range (is not a valid number)", broken: { lpPriceRange: "" } },
    { rule: "lp_price_range (must be positive)", broken: { lpPriceRange: "0" } },
    {
      rule: "lp_price_range (must be at most 100)",
      broken: { lpPriceRange: "100.1" },
      kept: { lpPriceRange: "100" },
    },
    ...slippage("linear_slippage_factor", "linearSlippageFactor"),
    ...slippage("quadratic_slippage_factor", "quadraticSlippageFactor"),
    requiredCase("instrument", "instrument"),
    requiredCase("instrument.code", "instrument.code"),
    requiredCase("instrument.product", "instrument.future"),
    requiredCase("instrument.product.future.quote_name", "instrument.future.quoteName"),
    requiredCase("risk_parameters", "logNormal"),
    requiredCase("risk_parameters.log_normal.params", "logNormal.params"),
  ];
}

function newOnly(): RuleCase[] {
  return [
    {
      rule: "decimal_places (must be less than 150)",
      broken: { decimalPlaces: "150" },
      kept: { decimalPlaces: "149" },
    },
    {
      rule: "position_decimal_places (must be between -7 and 7)",
      broken: { positionDecimalPlaces: "-7" },
      kept: { positionDecimalPlaces: "6" },
    },
    requiredCase("instrument.name", "instrument.name"),
    requiredCase("instrument.product.future.settlement_asset", "instrument.future.settlementAsset"),
  ];
}

function updateOnly(): RuleCase[] {
  return [];
}

function monitoringCases(): RuleCase[] {
  const trigger = "price_monitoring_parameters.triggers";
  const first = "priceMonitoringParameters.triggers.0";
  const one = { horizon: "1", probability: "0.95", auctionExtension: "1" };
  const stake = "liquidity_monitoring_parameters.target_stake_parameters";
  const stakePath = "liquidityMonitoringParameters.targetStakeParameters";
  const ratio = "liquidity_monitoring_parameters.triggering_ratio";
  const ratioPath = "liquidityMonitoringParameters.triggeringRatio";
  return [
    {
      rule: `${trigger} (maximum 5 triggers allowed)`,
      broken: { "priceMonitoringParameters.triggers": Array(6).fill(one) },
      kept: { "priceMonitoringParameters.triggers": Array(5).fill(one) },
    },
    { rule: `${trigger}.#.horizon (must be positive)`, broken: { [`${first}.horizon`]: "0" } },
    {
      rule: `${trigger}.#.auction_extension (must be positive)`,
      broken: { [`${first}.auctionExtension`]: "-1" },
    },
    {
      rule: `${trigger}.#.probability (must be numeric and be between 0 (exclusive) and 1 (exclusive))`,
      broken: { [`${first}.probability`]: "1e400" },
      text: `~.${trigger}.0.probability (must be numeric and be between 0 (exclusive) and 1 (exclusive), should be between 0.9 (exclusive) and 1 (exclusive))`,
    },
    {
      rule: `${trigger}.#.probability (should be between 0.9 (exclusive) and 1 (exclusive))`,
      broken: { [`${first}.probability`]: "0.9" },
      kept: { [`${first}.probability`]: "0.9999999" },
    },
    {
      // Without a ratio nothing else is asked for.
      rule: `${ratio} (is not a valid number)`,
      broken: { [ratioPath]: "", [stakePath]: undefined },
      kept: { liquidityMonitoringParameters: undefined, priceMonitoringParameters: undefined },
    },
    {
      rule: `${ratio} (error parsing triggering ratio value: can't convert <text> to decimal<reason>)`,
      broken: { [ratioPath]: "1ex" },
      text: `~.${ratio} (error parsing triggering ratio value: can't convert 1ex to decimal: exponent is not numeric)`,
      kept: { [ratioPath]: "1e-1" },
    },
    {
      rule: `${ratio} (should be between 0 (inclusive) and 1 (inclusive))`,
      broken: { [ratioPath]: "1.01" },
      kept: { [ratioPath]: "1" },
    },
    requiredCase(stake, stakePath),
    { rule: `${stake}.time_window (must be positive)`, broken: { [`${stakePath}.timeWindow`]: "0" } },
    { rule: `${stake}.scaling_factor (must be positive)`, broken: { [`${stakePath}.scalingFactor`]: "NaN" } },
  ];
}

/** A source of the two of a future; faults of its binding are reported as well. */
function sourceCases(title: string, member: string): RuleCase[] {
  const source = `instrument.product.future.data_source_spec_for_${title}`;
  const path = `instrument.future.${member}`;
  const oracleOf = `${source}.external.oracle`;
  const oraclePath = `${path}.external.oracle`;
  const mismatch = `~.instrument.product.future.data_source_spec_binding.${title}_property (is mismatching)`;
  const unbound = (rule: string, broken: Patch): RuleCase => ({
    rule,
    broken,
    text: `${mismatch}, ~.${rule.replaceAll("#", "0")}`,
  });
  const signers = `${oraclePath}.signers`;
  return [
    unbound(`${source} (is required)`, { [path]: undefined }),
    title === "settlement_data"
      ? unbound(`${source}.source_type (is required)`, { [`${path}.external`]: undefined })
      : terminationTypeCase(source, path),
    unbound(`${oracleOf} (is required)`, { [oraclePath]: undefined }),
    requiredCase(`${oracleOf}.signers`, signers),
    { rule: `${oracleOf}.signers.# (is not a valid value)`, broken: { [`${signers}.0`]: {} } },
    {
      rule: `${oracleOf}.signers.# (is not a valid vega public key)`,
      broken: { [`${signers}.0.pubKey.key`]: "ab" },
    },
    {
      rule: `${oracleOf}.signers.# (is not a valid ethereum address)`,
      broken: { [`${signers}.0`]: { ethAddress: { address: "0x12" } } },
      kept: { [`${signers}.0`]: { ethAddress: { address: "5b".repeat(20) } } },
    },
    unbound(`${oracleOf}.filters (is required)`, { [`${oraclePath}.filters`]: [] }),
    unbound(`${oracleOf}.filters.#.key (is not a valid value)`, {
      [`${oraclePath}.filters.0.key`]: undefined,
    }),
    unbound(`${oracleOf}.filters.#.key.name (is required)`, { [`${oraclePath}.filters.0.key.name`]: "" }),
    ...choiceCases(`${oracleOf}.filters.#.key.type`, `${oraclePath}.filters.0.key.type`),
    ...conditionCases(`${oracleOf}.filters.#`, `${oraclePath}.filters.0`),
  ];
}

/** A source without a type is no external one, so in a new market its binding is let pass. */
function terminationTypeCase(source: string, path: string): RuleCase {
  return {
    rule: `${source}.source_type (is required)`,
    broken: {
      [`${path}.external`]: undefined,
      "instrument.future.dataSourceSpecBinding": {
        settlementDataProperty: "price",
        tradingTerminationProperty: "",
      },
    },
    text:
      "~.instrument.product.future.data_source_spec_binding.trading_termination_property (is required), " +
      `~.${source}.source_type (is required)`,
  };
}

function conditionCases(property: string, path: string): RuleCase[] {
  return [
    requiredCase(`${property}.conditions.#.value`, `${path}.conditions.0.value`),
    ...choiceCases(`${property}.conditions.#.operator`, `${path}.conditions.0.operator`),
  ];
}

/** The chain's own time as a source: never of a price. */
function internalCases(which: "new" | "update"): RuleCase[] {
  const future = "instrument.product.future";
  const termination = `${future}.data_source_spec_for_trading_termination.internal`;
  const path = "instrument.future.dataSourceSpecForTradingTermination";
  const bound = "instrument.future.dataSourceSpecBinding.tradingTerminationProperty";
  const timed = { [path]: internalTime, [bound]: "vegaprotocol.builtin.timestamp" };
  const mismatch = `~.${future}.data_source_spec_binding.trading_termination_property (is mismatching), `;
  const unbound = which === "new" ? "" : mismatch;
  const conditions = `${path}.internal.time.conditions`;
  const row = (rule: string, patch: Patch, prefix = ""): RuleCase => ({
    rule,
    broken: { ...timed, ...patch },
    kept: timed,
    text: `${prefix}~.${rule.replaceAll("#", "0")}`,
  });
  return [
    {
      rule: `${future}.data_source_spec_for_settlement_data (is not a valid value)`,
      broken: {
        "instrument.future.dataSourceSpecForSettlementData": internalTime,
        "instrument.future.dataSourceSpecBinding.settlementDataProperty": "vegaprotocol.builtin.timestamp",
      },
    },
    row(`${termination} (is required)`, { [path]: { internal: {} } }, unbound),
    row(`${termination}.time.conditions (is required)`, { [path]: { internal: { time: {} } } }, unbound),
    row(`${termination}.time.conditions.#.value (is required)`, {
      [conditions]: [{ operator: 2 }],
    }),
    row(`${termination}.time.conditions.#.operator (is required)`, { [conditions]: [{ value: "5" }] }),
    row(`${termination}.time.conditions.#.operator (is not a valid value)`, {
      [conditions]: [{ value: "5", operator: 99 }],
    }),
  ];
}

function bindingCases(): RuleCase[] {
  const binding = "instrument.product.future.data_source_spec_binding";
  const path = "instrument.future.dataSourceSpecBinding";
  return [
    requiredCase(binding, path),
    requiredCase(`${binding}.settlement_data_property`, `${path}.settlementDataProperty`),
    {
      rule: `${binding}.settlement_data_property (is mismatching)`,
      broken: { [`${path}.settlementDataProperty`]: "end" },
    },
    requiredCase(`${binding}.trading_termination_property`, `${path}.tradingTerminationProperty`),
    {
      rule: `${binding}.trading_termination_property (is mismatching)`,
      broken: { [`${path}.tradingTerminationProperty`]: "price" },
    },
  ];
}

function simpleCases(): RuleCase[] {
  const model = "risk_parameters.simple";
  const edge = simple({ minMoveDown: 0, maxMoveUp: 0, probabilityOfTrading: 1 });
  return [
    {
      rule: `${model}.min_move_down (must be negative or zero)`,
      broken: simple({ minMoveDown: 0.1 }),
      kept: edge,
    },
    {
      rule: `${model}.max_move_up (must be positive or zero)`,
      broken: simple({ maxMoveUp: -0.1 }),
      kept: edge,
    },
    {
      rule: `${model}.probability_of_trading (should be between 0 (inclusive) and 1 (inclusive))`,
      broken: simple({ probabilityOfTrading: 1.1 }),
      kept: edge,
    },
  ];
}

const MODEL = "risk_parameters.log_normal";

function notANumberCases(): RuleCase[] {
  return ["mu", "sigma", "r"].map((member) => ({
    rule: `${MODEL}.params.${member} (is not a valid number)`,
    broken: { [`logNormal.params.${member}`]: "NaN" },
  }));
}

function newLogNormalCases(): RuleCase[] {
  const range = (
    property: string,
    path: string,
    message: string,
    outside: unknown,
    edge: number,
  ): RuleCase => ({
    rule: `${MODEL}.${property} (${message})`,
    broken: { [`logNormal.${path}`]: outside },
    kept: { [`logNormal.${path}`]: edge },
  });
  return [
    range("risk_aversion_parameter", "riskAversionParameter", "must be between [1e-8, 0.1]", 0.11, 1e-8),
    range("tau", "tau", "must be between [1e-8, 1]", "NaN", 1),
    range("params.mu", "params.mu", "must be between [-1e-6,1e-6]", 2e-6, -1e-6),
    range("params.sigma", "params.sigma", "must be between [1e-3,50]", "Infinity", 50),
    range("params.r", "params.r", "must be between [-1,1]", -1.1, -1),
    ...notANumberCases(),
  ];
}

function updateLogNormalCases(): RuleCase[] {
  const positive = (property: string, path: string): RuleCase => ({
    rule: `${MODEL}.${property} (must be positive)`,
    broken: { [`logNormal.${path}`]: 0 },
    kept: { [`logNormal.${path}`]: 1e9 },
  });
  return [
    positive("risk_aversion_parameter", "riskAversionParameter"),
    positive("tau", "tau"),
    positive("params.sigma", "params.sigma"),
    ...notANumberCases(),
  ];
}
