// The checks of checks.ts as rules of a skim: what is plain by these passes those. Whoever changes one changes both
// (test/wire/skim.test.ts holds them together).
import type { Rule, Rules } from "../../wire/skim.ts";

const number: Rule = { is: "number" };
const label: Rule = { is: "label" };
/** Amounts of 256 bits have 77 digits and some have 78. */
const amount: Rule = { is: "digits", max: 77 };
const int4: Rule = { is: "below", bits: 28 };
/** What fits 16 bits with a sign. */
const int2: Rule = { is: "below", bits: 14 };
const epoch: Rule = { is: "digits", max: 15 };

export const MARKET_DATA_RULES: Rules = {
  mark_price: number,
  best_bid_price: number,
  best_offer_price: number,
  best_static_bid_price: number,
  best_static_offer_price: number,
  mid_price: number,
  static_mid_price: number,
  indicative_price: number,
  target_stake: number,
  supplied_stake: number,
  market_trading_mode: label,
  trigger: label,
  extension_trigger: label,
  market_state: label,
};

export const MARKET_RULES: Rules = {
  decimal_places: int4,
  position_decimal_places: { is: "upTo", max: 100 },
  trading_mode: label,
  state: label,
  linear_slippage_factor: number,
  quadratic_slippage_factor: number,
  "liquidity_monitoring_parameters.target_stake_parameters.scaling_factor": { is: "finite" },
  "price_monitoring_settings.parameters.triggers.probability": number,
};

export const ORDER_RULES: Rules = {
  price: amount,
  size: { is: "below", bits: 56 },
  remaining: { is: "below", bits: 56 },
  version: int4,
  batch_id: int4,
  side: int2,
  time_in_force: int2,
  type: int2,
  status: int2,
  reason: int2,
  liquidity_provision_id: { is: "id" },
  "pegged_order.offset": number,
  "pegged_order.reference": int2,
};

export const PROPOSAL_RULES: Rules = {
  state: int2,
  required_participation: number,
  required_majority: number,
  required_liquidity_provider_participation: number,
  required_liquidity_provider_majority: number,
};

export const MARGIN_RULES: Rules = {
  maintenance_margin: number,
  search_level: number,
  initial_margin: number,
  collateral_release_level: number,
};

export const RANKING_RULES: Rules = {
  stake_score: number,
  performance_score: number,
  ranking_score: number,
  epoch_seq: epoch,
};

export const SCORE_RULES: Rules = {
  validator_score: number,
  normalised_score: number,
  validator_performance: number,
  raw_validator_score: number,
  multisig_score: number,
  epoch_seq: epoch,
};

export const EPOCH_RULES: Rules = { seq: { is: "below", bits: 49 } };

export const ACCOUNT_RULES: Rules = { balance: amount, type: label };

export const DELEGATION_RULES: Rules = { amount, epoch_seq: epoch };
