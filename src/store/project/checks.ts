// Checks of the messages that are kept as they came: readers of the store, the API and the CSV writer, parse these
// fields again and have no way to refuse them any more. Fields with columns of their own are checked where
// they are stored.
import type { Init } from "../../wire/codec.ts";
import type {
  RewardPayoutEvent,
  Transfer,
  ValidatorRankingEvent,
  ValidatorScoreEvent,
} from "../../wire/generated/events.ts";
import type {
  Asset,
  Deposit,
  Fee,
  LiquidityProvision,
  MarginLevels,
  Market,
  MarketData,
  Order,
  Proposal,
  Trade,
  Vote,
  Withdrawal,
} from "../../wire/generated/vega.ts";
import type { Rule, Rules } from "../../wire/skim.ts";
import {
  checkAmount,
  checkDecimal,
  checkFinite,
  checkFloat,
  checkId,
  checkInt2,
  checkInt4,
  checkInt8,
  checkNumber,
  FieldFault,
  labelCheck,
} from "../field.ts";

const depositStatus = labelCheck("vega.Deposit.Status");
const withdrawalStatus = labelCheck("vega.Withdrawal.Status");
const provisionStatus = labelCheck("vega.LiquidityProvision.Status");
const tradingMode = labelCheck("vega.Market.TradingMode");
const marketState = labelCheck("vega.Market.State");
const auctionTrigger = labelCheck("vega.AuctionTrigger");

/** Prices are moved by so many places when positions are calculated; the network allows far fewer. */
const POSITION_PLACES_MAX = 100n;

export function checkAsset(m: Asset): void {
  const { details } = m;
  if (!details) return;
  checkInt4(details.decimals, "details.decimals");
  checkNumber(details.quantum, "details.quantum");
  if (!details.erc20) return;
  checkNumber(details.erc20.lifetimeLimit, "details.erc20.lifetime_limit");
  checkNumber(details.erc20.withdrawThreshold, "details.erc20.withdraw_threshold");
}

export function checkDeposit(m: Deposit): void {
  checkAmount(m.amount, "amount");
  checkId(m.asset, "asset");
  depositStatus(m.status, "status");
}

export function checkWithdrawal(m: Withdrawal): void {
  checkAmount(m.amount, "amount");
  checkId(m.asset, "asset");
  withdrawalStatus(m.status, "status");
}

export function checkTransfer({ amount = "", asset = "", recurring }: Init<Transfer>): void {
  checkAmount(amount, "amount");
  checkId(asset, "asset");
  if (recurring) checkDecimal(recurring.factor ?? "", "recurring.factor");
}

export function checkReward(m: RewardPayoutEvent): void {
  checkFloat(m.percentOfTotalReward, "percent_of_total_reward");
}

export function checkRanking(m: ValidatorRankingEvent): void {
  checkNumber(m.stakeScore, "stake_score");
  checkNumber(m.performanceScore, "performance_score");
  checkNumber(m.rankingScore, "ranking_score");
}

export function checkScore(m: ValidatorScoreEvent): void {
  checkNumber(m.validatorScore, "validator_score");
  checkNumber(m.normalisedScore, "normalised_score");
  checkNumber(m.validatorPerformance, "validator_performance");
  checkNumber(m.rawValidatorScore, "raw_validator_score");
  checkNumber(m.multisigScore, "multisig_score");
}

export function checkProposal(m: Proposal): void {
  checkNumber(m.requiredParticipation, "required_participation");
  checkNumber(m.requiredMajority, "required_majority");
  checkNumber(m.requiredLiquidityProviderParticipation ?? "", "required_liquidity_provider_participation");
  checkNumber(m.requiredLiquidityProviderMajority ?? "", "required_liquidity_provider_majority");
}

export function checkVote(m: Vote): void {
  checkNumber(m.totalGovernanceTokenBalance, "total_governance_token_balance");
  checkNumber(m.totalGovernanceTokenWeight, "total_governance_token_weight");
  checkNumber(m.totalEquityLikeShareWeight, "total_equity_like_share_weight");
}

export function checkOrder(m: Order): void {
  checkAmount(m.price, "price");
  checkInt8(m.size, "size");
  checkInt8(m.remaining, "remaining");
  checkInt4(m.version, "version");
  checkInt4(m.batchId, "batch_id");
  checkInt2(m.side, "side");
  checkInt2(m.timeInForce, "time_in_force");
  checkInt2(m.type, "type");
  checkInt2(m.status, "status");
  if (m.reason !== undefined) checkInt2(m.reason, "reason");
  checkId(m.liquidityProvisionId, "liquidity_provision_id");
  if (!m.peggedOrder) return;
  checkNumber(m.peggedOrder.offset, "pegged_order.offset");
  checkInt2(m.peggedOrder.reference, "pegged_order.reference");
}

export function checkTrade(m: Trade): void {
  checkAmount(m.price, "price");
  checkId(m.id, "id");
  checkInt8(m.size, "size");
  checkInt2(m.aggressor, "aggressor");
  checkInt2(m.type, "type");
  checkInt8(m.buyerAuctionBatch, "buyer_auction_batch");
  checkInt8(m.sellerAuctionBatch, "seller_auction_batch");
  if (m.buyerFee) checkFee(m.buyerFee, "buyer_fee");
  if (m.sellerFee) checkFee(m.sellerFee, "seller_fee");
}

function checkFee(m: Fee, side: string): void {
  checkNumber(m.makerFee, `${side}.maker_fee`);
  checkNumber(m.infrastructureFee, `${side}.infrastructure_fee`);
  checkNumber(m.liquidityFee, `${side}.liquidity_fee`);
}

export function checkMargins(m: MarginLevels): void {
  checkNumber(m.maintenanceMargin, "maintenance_margin");
  checkNumber(m.searchLevel, "search_level");
  checkNumber(m.initialMargin, "initial_margin");
  checkNumber(m.collateralReleaseLevel, "collateral_release_level");
}

export function checkProvision(m: LiquidityProvision): void {
  checkAmount(m.commitmentAmount, "commitment_amount");
  checkNumber(m.fee, "fee");
  checkInt8(m.version, "version");
  provisionStatus(m.status, "status");
}

export function checkMarketData(m: MarketData): void {
  checkNumber(m.markPrice, "mark_price");
  checkNumber(m.bestBidPrice, "best_bid_price");
  checkNumber(m.bestOfferPrice, "best_offer_price");
  checkNumber(m.bestStaticBidPrice, "best_static_bid_price");
  checkNumber(m.bestStaticOfferPrice, "best_static_offer_price");
  checkNumber(m.midPrice, "mid_price");
  checkNumber(m.staticMidPrice, "static_mid_price");
  checkNumber(m.indicativePrice, "indicative_price");
  checkNumber(m.targetStake, "target_stake");
  checkNumber(m.suppliedStake, "supplied_stake");
  tradingMode(m.marketTradingMode, "market_trading_mode");
  auctionTrigger(m.trigger, "trigger");
  auctionTrigger(m.extensionTrigger, "extension_trigger");
  marketState(m.marketState, "market_state");
}

export function checkMarket(m: Market): void {
  checkInt4(m.decimalPlaces, "decimal_places");
  const places = m.positionDecimalPlaces;
  if (places > POSITION_PLACES_MAX || places < -POSITION_PLACES_MAX) {
    throw new FieldFault("position_decimal_places", `is not within ${POSITION_PLACES_MAX}`, places);
  }
  tradingMode(m.tradingMode, "trading_mode");
  marketState(m.state, "state");
  checkNumber(m.linearSlippageFactor, "linear_slippage_factor");
  checkNumber(m.quadraticSlippageFactor, "quadratic_slippage_factor");
  const scaling = m.liquidityMonitoringParameters?.targetStakeParameters?.scalingFactor ?? 0;
  checkFinite(scaling, "liquidity_monitoring_parameters.target_stake_parameters.scaling_factor");
  for (const { probability } of m.priceMonitoringSettings?.parameters?.triggers ?? []) {
    checkNumber(probability, "price_monitoring_settings.parameters.triggers.probability");
  }
}

// The checks above as rules of a skim: a message that is plain by these passes those. They change together
// (test/wire/skim.test.ts).

const number: Rule = { is: "number" };
const label: Rule = { is: "label" };
/** Amounts of 256 bits have 77 digits and some have 78. */
const amount: Rule = { is: "digits", max: 77 };
const int4: Rule = { is: "below", bits: 28 };
/** Fits 16 bits with a sign. */
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
