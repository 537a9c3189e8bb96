// Payouts at the end of an epoch
// (docs/protocol/60-state-engine-staking.md#86-reward-accounts-and-payout-order-at-epoch-end to #89-payout-events).
// Left-over dust stays in the reward account.
import { enumDescriptor } from "../../src/wire/descriptors.ts";
import { AccountType, TransferType } from "../../src/wire/generated/vega.ts";
import { ASSET } from "./cast.ts";
import { type Account, type Collateral, general, type Move, system } from "./collateral.ts";
import { percent } from "./ratio.ts";
import type { Staking } from "./staking.ts";
import type { World } from "./world.ts";

/** `reward.staking.delegation.delegatorShare` in thousandths. */
const DELEGATOR_SHARE = 883n;

export class Rewards {
  /** Maker fees that takers paid in this epoch, by market and party. */
  private readonly makerFeesPaid = new Map<string, Map<string, bigint>>();

  constructor(
    private readonly world: World,
    private readonly collateral: Collateral,
    private readonly staking: Staking,
  ) {}

  countMakerFee(market: string, party: string, fee: bigint): void {
    const paid = this.makerFeesPaid.get(market) ?? new Map<string, bigint>();
    paid.set(party, (paid.get(party) ?? 0n) + fee);
    this.makerFeesPaid.set(market, paid);
  }

  payOut(epoch: number, dollarMarkets: readonly string[]): void {
    const staking = [
      system(AccountType.ACCOUNT_TYPE_GLOBAL_REWARD, ASSET.token),
      ...Object.values(ASSET).map((asset) => system(AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE, asset)),
    ];
    for (const account of this.collateral.filled(staking)) this.payStakers(account, epoch);
    for (const market of dollarMarkets) {
      const account = system(AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES, ASSET.dollar, market);
      const paid = this.makerFeesPaid.get(market);
      if (paid && this.collateral.balance(account) > 0n) this.payByFees(account, paid, epoch);
    }
    this.makerFeesPaid.clear();
  }

  private payStakers(account: Account, epoch: number): void {
    const pot = this.collateral.balance(account);
    const nodes = this.staking.nodeStakes();
    const all = nodes.reduce((sum, node) => sum + node.total, 0n);
    if (all === 0n) return;
    const amounts = new Map<string, bigint>();
    const add = (party: string, amount: bigint) => amounts.set(party, (amounts.get(party) ?? 0n) + amount);
    for (const { validator, total, byDelegators } of nodes) {
      const earned = (pot * total) / all;
      const delegated = [...byDelegators.values()].reduce((a, b) => a + b, 0n);
      const shared = (earned * DELEGATOR_SHARE * delegated) / (1000n * total);
      add(validator.pubKey, earned - shared);
      for (const [party, amount] of byDelegators) add(party, (shared * amount) / delegated);
    }
    this.pay(account, amounts, epoch);
  }

  private payByFees(account: Account, fees: ReadonlyMap<string, bigint>, epoch: number): void {
    const pot = this.collateral.balance(account);
    const all = [...fees.values()].reduce((a, b) => a + b, 0n);
    this.pay(account, new Map([...fees].map(([party, fee]) => [party, (pot * fee) / all])), epoch);
  }

  private pay(account: Account, amounts: ReadonlyMap<string, bigint>, epoch: number): void {
    const rows = [...amounts].filter(([, amount]) => amount > 0n).sort(([a], [b]) => (a < b ? -1 : 1));
    const total = rows.reduce((sum, [, amount]) => sum + amount, 0n);
    const moves: Move[] = rows.map(([party, amount]) => ({
      from: account,
      to: general(party, account.asset),
      amount,
      type: TransferType.TRANSFER_TYPE_REWARD_PAYOUT,
    }));
    this.collateral.move(moves);
    for (const [party, amount] of rows) {
      this.world.emit({
        rewardPayout: {
          party,
          epochSeq: String(epoch),
          asset: account.asset,
          amount: String(amount),
          percentOfTotalReward: percent(amount, total),
          timestamp: this.world.now,
          rewardType: enumDescriptor("vega.AccountType").nameOf.get(account.type)!,
          market: account.market,
        },
      });
    }
  }
}
