// Checks of the messages that are kept as they came: readers of the store, the API and the CSV writer, parse these
// fields again and have no way to refuse them any more. Fields with columns of their own are checked where they are
// stored.
import { messageDescriptor } from "../../wire/descriptors.ts";
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

type Check = (value: never, field: string) => unknown;

/** A kind of field: its check, which for an enum is made of the type's name. */
type Kind = (typeName: string) => Check;

const kind =
  (check: Check): Kind =>
  () =>
    check;

/** Prices are moved by this many places when positions are calculated; the network allows far fewer. */
const POSITION_PLACES_MAX = 100;

function checkPlaces(value: bigint, field: string): void {
  if (value > POSITION_PLACES_MAX || value < -POSITION_PLACES_MAX) {
    throw new FieldFault(field, `is not within ${POSITION_PLACES_MAX}`, value);
  }
}

const number = kind(checkNumber);
const amount = kind(checkAmount);
const id = kind(checkId);
const label: Kind = labelCheck;
const float = kind(checkFloat);
const decimal = kind(checkDecimal);
const finite = kind(checkFinite);
const int2 = kind(checkInt2);
const int4 = kind(checkInt4);
const int8 = kind(checkInt8);
const places = kind(checkPlaces);

/** The checks of a message's fields. */
export class FieldChecks {
  private compiled: ReadonlyArray<(message: object) => void> | undefined;

  /** @param fields by name; fields of parts with a point: `buyer_fee.maker_fee` */
  constructor(
    private readonly message: string,
    private readonly fields: Readonly<Record<string, Kind>>,
  ) {}

  /** Members that are absent pass. @throws FieldFault */
  readonly check = (message: object): void => {
    this.compiled ??= Object.entries(this.fields).map(([path, kind]) =>
      compiledCheck(this.message, path, kind),
    );
    for (const check of this.compiled) check(message);
  };
}

function compiledCheck(message: string, path: string, kind: Kind): (message: object) => void {
  const steps: string[] = [];
  let typeName = message;
  for (const name of path.split(".")) {
    const field = messageDescriptor(typeName).fields.find((candidate) => candidate.name === name);
    if (!field) throw new Error(`${message} has no field ${path}`);
    steps.push(field.jsonName);
    typeName = field.typeName;
  }
  const check = kind(typeName);
  const visit = (value: unknown, depth: number): void => {
    if (value === undefined) return;
    if (Array.isArray(value)) for (const item of value) visit(item, depth);
    else if (depth === steps.length) check(value as never, path);
    else visit((value as Record<string, unknown>)[steps[depth]!], depth + 1);
  };
  return (value) => visit(value, 0);
}

export const assetChecks = new FieldChecks("vega.Asset", {
  "details.decimals": int4,
  "details.quantum": number,
  "details.erc20.lifetime_limit": number,
  "details.erc20.withdraw_threshold": number,
});

export const depositChecks = new FieldChecks("vega.Deposit", { amount, asset: id, status: label });

export const withdrawalChecks = new FieldChecks("vega.Withdrawal", { amount, asset: id, status: label });

export const transferChecks = new FieldChecks("vega.events.v1.Transfer", {
  amount,
  asset: id,
  "recurring.factor": decimal,
});

export const rewardChecks = new FieldChecks("vega.events.v1.RewardPayoutEvent", {
  percent_of_total_reward: float,
});

export const rankingChecks = new FieldChecks("vega.events.v1.ValidatorRankingEvent", {
  stake_score: number,
  performance_score: number,
  ranking_score: number,
});

export const scoreChecks = new FieldChecks("vega.events.v1.ValidatorScoreEvent", {
  validator_score: number,
  normalised_score: number,
  validator_performance: number,
  raw_validator_score: number,
  multisig_score: number,
});

export const proposalChecks = new FieldChecks("vega.Proposal", {
  required_participation: number,
  required_majority: number,
  required_liquidity_provider_participation: number,
  required_liquidity_provider_majority: number,
});

export const voteChecks = new FieldChecks("vega.Vote", {
  total_governance_token_balance: number,
  total_governance_token_weight: number,
  total_equity_like_share_weight: number,
});

export const orderChecks = new FieldChecks("vega.Order", {
  price: amount,
  size: int8,
  remaining: int8,
  version: int4,
  batch_id: int4,
  side: int2,
  time_in_force: int2,
  type: int2,
  status: int2,
  reason: int2,
  liquidity_provision_id: id,
  "pegged_order.offset": number,
  "pegged_order.reference": int2,
});

export const tradeChecks = new FieldChecks("vega.Trade", {
  price: amount,
  id,
  size: int8,
  aggressor: int2,
  type: int2,
  buyer_auction_batch: int8,
  seller_auction_batch: int8,
  "buyer_fee.maker_fee": number,
  "buyer_fee.infrastructure_fee": number,
  "buyer_fee.liquidity_fee": number,
  "seller_fee.maker_fee": number,
  "seller_fee.infrastructure_fee": number,
  "seller_fee.liquidity_fee": number,
});

export const marginsChecks = new FieldChecks("vega.MarginLevels", {
  maintenance_margin: number,
  search_level: number,
  initial_margin: number,
  collateral_release_level: number,
});

export const provisionChecks = new FieldChecks("vega.LiquidityProvision", {
  commitment_amount: amount,
  fee: number,
  version: int8,
  status: label,
});

export const marketDataChecks = new FieldChecks("vega.MarketData", {
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
});

export const marketChecks = new FieldChecks("vega.Market", {
  decimal_places: int4,
  position_decimal_places: places,
  trading_mode: label,
  state: label,
  linear_slippage_factor: number,
  quadratic_slippage_factor: number,
  "liquidity_monitoring_parameters.target_stake_parameters.scaling_factor": finite,
  "price_monitoring_settings.parameters.triggers.probability": number,
});
