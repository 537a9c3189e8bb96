/**
 * Payout of rewards at the end of an epoch
 * (docs/protocol/60-state-engine-staking.md#86-reward-accounts-and-payout-order-at-epoch-end to #89-payout-events):
 * type after type, account after account, each with its movements and its events.
 */
import { compare } from "../wire/arithmetic.ts";
import { Decimal } from "../wire/decimal.ts";
import { AccountType, DispatchMetric, TransferType } from "../wire/generated/vega.ts";
import { type Account, accountId, type Collateral, type Movement, NO_MARKET } from "./collateral.ts";
import type { Core } from "./core.ts";
import type { EpochInfo, ParameterReader } from "./ports.ts";
import { sumOf, totalStake } from "./scores.ts";
import { NO_STAKE, type StakeByNode } from "./stakes.ts";
import type { EpochScores, RewardScore } from "./validators.ts";

/**
 * Contributions of parties to a market in an epoch: fees in the market's asset. For the metric of proposers it is
 * the proposer alone, with any amount. A chain without markets answers with none.
 * @param metric vega.DispatchMetric
 */
export type Contributions = (
  market: string,
  metric: number,
  epoch: bigint,
) => readonly { readonly party: string; readonly amount: bigint }[];

const NO_CONTRIBUTIONS: Contributions = () => [];

/**
 * Rewards for activity on markets, in the order of payment
 * (docs/protocol/60-state-engine-staking.md#86-reward-accounts-and-payout-order-at-epoch-end).
 */
const MARKET_REWARDS = [
  [AccountType.ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES, DispatchMetric.DISPATCH_METRIC_MAKER_FEES_RECEIVED],
  [AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES, DispatchMetric.DISPATCH_METRIC_MAKER_FEES_PAID],
  [AccountType.ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES, DispatchMetric.DISPATCH_METRIC_LP_FEES_RECEIVED],
  [AccountType.ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS, DispatchMetric.DISPATCH_METRIC_MARKET_VALUE],
] as const;

const TYPE_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(AccountType).map(([name, value]) => [value, name] as const),
);

export class Rewards {
  constructor(
    private readonly core: Core,
    private readonly params: ParameterReader,
    private readonly collateral: Collateral,
    private readonly contributions: Contributions = NO_CONTRIBUTIONS,
  ) {}

  onEpochEnd(epoch: EpochInfo, scores: EpochScores): void {
    const rewarded = accountId(this.params.text("reward.asset"), AccountType.ACCOUNT_TYPE_GLOBAL_REWARD);
    const cap = this.params.integer("reward.staking.delegation.maxPayoutPerParticipant");
    const treasury = this.collateral.get(rewarded);
    if (treasury !== undefined) this.payStaking(epoch, scores, rewarded, treasury, cap);
    for (const [id, account] of this.accountsOf(AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE)) {
      this.payStaking(epoch, scores, id, account, 0n);
    }
    for (const [type, metric] of MARKET_REWARDS) {
      for (const [id, account] of this.accountsOf(type)) this.payContributors(epoch, id, account, metric);
    }
  }

  private accountsOf(type: number): readonly (readonly [id: string, account: Account])[] {
    return this.collateral
      .assets()
      .flatMap((asset) =>
        this.collateral.systemAccounts(asset).filter(([, account]) => account.type === type),
      )
      .sort(([a], [b]) => compare(a, b));
  }

  /**
   * docs/protocol/60-state-engine-staking.md#87-staking-type-formula-types-1-2: one payout for each group, both of the
   * balance before either.
   */
  private payStaking(epoch: EpochInfo, scores: EpochScores, id: string, account: Account, cap: bigint): void {
    if (account.balance === 0n) return;
    const { stakes, tendermint, ersatz } = scores;
    const stake = {
      tendermint: totalStake(
        tendermint.map(({ nodeId }) => nodeId),
        stakes,
      ),
      ersatz: totalStake(
        ersatz.map(({ nodeId }) => nodeId),
        stakes,
      ),
    };
    const factor = this.params.decimal("network.validators.ersatz.rewardFactor");
    const budgets = groupBudgets(account.balance, stake, factor);
    const rules = { delegatorShare: this.params.decimal("reward.staking.delegation.delegatorShare"), cap };
    this.pay(epoch, id, account, stakingPayout(tendermint, stakes, budgets.tendermint, rules));
    this.pay(epoch, id, account, stakingPayout(ersatz, stakes, budgets.ersatz, rules));
  }

  /**
   * docs/protocol/60-state-engine-staking.md#88-contribution-types, by parts of 16 digits: as these may add up to more
   * than all, the last parties get what is left. Accounts that belong to no market are never paid out.
   */
  private payContributors(epoch: EpochInfo, id: string, account: Account, metric: number): void {
    const { balance, market } = account;
    if (balance === 0n || market === NO_MARKET) return;
    const contributions = this.contributions(market, metric, epoch.seq);
    const total = contributions.reduce((sum, { amount }) => sum + amount, 0n);
    if (total === 0n) return;
    const amounts = new Map<string, bigint>();
    let left = balance;
    for (const { party, amount } of contributions) {
      const score = Decimal.of(amount).dividedBy(Decimal.of(total));
      const due = Decimal.of(balance).times(score).truncated();
      const part = due < left ? due : left;
      if (part > 0n) amounts.set(party, part);
      left -= part;
    }
    this.pay(epoch, id, account, amounts);
  }

  /** docs/protocol/60-state-engine-staking.md#89-payout-events: the movements party by party, then an event for each. */
  private pay(
    epoch: EpochInfo,
    id: string,
    { asset, type, market }: Account,
    amounts: ReadonlyMap<string, bigint>,
  ): void {
    const parties = [...amounts].sort(([a], [b]) => compare(a, b));
    const total = parties.reduce((sum, [, amount]) => sum + amount, 0n);
    if (total === 0n) return;
    const movements: Movement[] = parties.map(([party, amount]) => {
      const to = this.collateral.ensureGeneral(party, asset);
      return this.collateral.move({
        from: [id],
        to,
        amount,
        type: TransferType.TRANSFER_TYPE_REWARD_PAYOUT,
      });
    });
    this.collateral.emitMovements(movements);
    for (const [party, amount] of parties) {
      this.core.emit("rewardPayout", {
        party,
        epochSeq: epoch.seq.toString(),
        asset,
        amount: amount.toString(),
        percentOfTotalReward: percentOf(amount, total),
        timestamp: this.core.nowNs,
        rewardType: TYPE_NAMES.get(type)!,
        market,
      });
    }
  }
}

/** With 16 decimals before the point moves by two. */
function percentOf(amount: bigint, total: bigint): string {
  return Decimal.of(amount).dividedBy(Decimal.of(total)).times(Decimal.of(100n)).toString();
}

// Shares of a reward for staking (docs/protocol/60-state-engine-staking.md#87-staking-type-formula-types-1-2): pure
// functions. Nothing is paid beyond the budget; what rounding or the cap leaves over stays where it is.

/** Rounds in which delegators share what rounding left over of the rounds before. */
const ROUNDS_MAX = 10;
/** With a cap, rounds stop when the rest is less than this part of it. */
const CAP_PARTS = 1_000n;

interface PayoutRules {
  /** Part of a node's reward that goes to stake that others delegated. */
  readonly delegatorShare: Decimal;
  /** Most that a party gets; 0 for no limit. */
  readonly cap: bigint;
}

interface GroupBudgets {
  readonly tendermint: bigint;
  readonly ersatz: bigint;
}

/** Splits a balance between the groups by their stake; that of the standby validators counts by `factor`. */
export function groupBudgets(
  balance: bigint,
  stake: { readonly tendermint: bigint; readonly ersatz: bigint },
  factor: Decimal,
): GroupBudgets {
  const own = Decimal.of(stake.tendermint);
  const all = own.plus(Decimal.of(stake.ersatz).times(factor));
  if (!all.isPositive()) return { tendermint: 0n, ersatz: 0n };
  const whole = Decimal.of(balance);
  const tendermint = whole.times(own.dividedBy(all)).truncated();
  const ersatz = whole.times(all.minus(own).dividedBy(all)).truncated();
  // Both parts may have been rounded up.
  const rest = balance - tendermint;
  return { tendermint, ersatz: ersatz < rest ? ersatz : rest };
}

/** Amounts by party, for a group of validators and their delegators; 0 is possible. */
export function stakingPayout(
  group: readonly RewardScore[],
  stakes: StakeByNode,
  budget: bigint,
  rules: PayoutRules,
): Map<string, bigint> {
  const paid = new Map<string, bigint>();
  /** Adds to a party's amount, up to the cap. @returns the added amount */
  const pay = (party: string, amount: bigint): bigint => {
    const before = paid.get(party) ?? 0n;
    const room = rules.cap - before;
    const part = rules.cap === 0n || amount < room ? amount : room;
    paid.set(party, before + part);
    return part;
  };
  for (const { nodeId, vegaPubKey, normalised } of group) {
    if (!normalised.isPositive()) continue;
    const { total, delegators, byDelegators } = stakes.get(nodeId) ?? NO_STAKE;
    if (total === 0n) continue;
    const whole = normalised.times(Decimal.of(budget));
    const fraction = rules.delegatorShare.times(Decimal.of(byDelegators)).dividedBy(Decimal.of(total));
    pay(vegaPubKey, Decimal.one.minus(fraction).times(whole).truncated());
    const pot = fraction.times(whole).truncated();
    if (pot > 0n) payDelegators(weightsOf(delegators, byDelegators), pot, rules.cap, pay);
  }
  return paid;
}

function payDelegators(
  weights: ReadonlyMap<string, Decimal>,
  pot: bigint,
  cap: bigint,
  pay: (party: string, amount: bigint) => bigint,
): void {
  let rest = pot;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const shared = Decimal.of(rest);
    let given = 0n;
    for (const [party, weight] of weights) given += pay(party, weight.times(shared).truncated());
    rest -= given;
    if (given === 0n || rest === 0n || (cap > 0n && rest * CAP_PARTS < cap)) return;
  }
}

/** Each delegator's part; where rounding takes the parts above 1, the largest gives the excess up. */
function weightsOf(delegators: ReadonlyMap<string, bigint>, sum: bigint): Map<string, Decimal> {
  const whole = Decimal.of(sum);
  const weights = new Map(
    [...delegators].map(([party, amount]) => [party, Decimal.of(amount).dividedBy(whole)] as const),
  );
  const excess = sumOf(weights.values()).minus(Decimal.one);
  if (excess.isPositive()) {
    const [party, weight] = [...weights].reduce((largest, entry) =>
      largest[1].isLess(entry[1]) ? entry : largest,
    );
    weights.set(party, weight.minus(excess));
  }
  return weights;
}
