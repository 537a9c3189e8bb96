// What was approved under each rule in the running epoch.
import type { Usage } from "./judge.ts";
import type { Spending } from "./spending.ts";

export class EpochUsage implements Usage {
  private epoch = -1n;
  private readonly counts = new Map<string, number>();
  private readonly amounts = new Map<string, bigint>();

  /** A new epoch begins with nothing used. Answers of a node that is late change nothing. */
  enter(epoch: bigint): void {
    if (epoch <= this.epoch) return;
    this.epoch = epoch;
    this.counts.clear();
    this.amounts.clear();
  }

  transactions(rule: string): number {
    return this.counts.get(rule) ?? 0;
  }

  spent(rule: string, asset: string): bigint {
    return this.amounts.get(`${rule}\n${asset}`) ?? 0n;
  }

  /** @param direction -1 takes back what was never sent */
  add(rule: string, spending: readonly Spending[], direction: 1 | -1 = 1): void {
    this.counts.set(rule, this.transactions(rule) + direction);
    for (const { asset, amount } of spending) {
      this.amounts.set(`${rule}\n${asset}`, this.spent(rule, asset) + BigInt(direction) * amount);
    }
  }
}
