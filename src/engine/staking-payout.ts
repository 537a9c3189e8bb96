/**
 * Who gets what of a reward for staking (reference 60, section 8.7): pure functions. Nothing is paid beyond the
 * budget; what rounding or the cap leaves over stays where it is.
 */
import { Decimal } from "../wire/decimal.ts";
import { sumOf } from "./scores.ts";
import { NO_STAKE, type StakeByNode } from "./stakes.ts";
import type { RewardScore } from "./validators.ts";

/** Rounds in which delegators share what rounding left over of the rounds before. */
const ROUNDS_MAX = 10;
/** With a cap, rounds stop when what is left is less than this part of it. */
const CAP_PARTS = 1_000n;

export interface PayoutRules {
  /** Part of a node's reward that goes to stake that others delegated. */
  readonly delegatorShare: Decimal;
  /** Most that a party gets; 0 for no limit. */
  readonly cap: bigint;
}

export interface GroupBudgets {
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

/** Amounts by party, for a group of validators and those who delegate to them; 0 is possible. */
export function stakingPayout(
  group: readonly RewardScore[],
  stakes: StakeByNode,
  budget: bigint,
  rules: PayoutRules,
): Map<string, bigint> {
  const paid = new Map<string, bigint>();
  /** Adds to what a party has, as far as the cap lets it. @returns what it got */
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
