// What was approved under each rule in the running epoch.
import type { Usage } from "./judge.ts";
import type { Spending } from "./spending.ts";
import type { UsageEntry, UsageJournal } from "./usage-journal.ts";

type Amounts = readonly Pick<Spending, "asset" | "amount">[];

export class EpochUsage implements Usage {
  private epoch = -1n;
  private readonly counts = new Map<string, number>();
  private readonly amounts = new Map<string, bigint>();

  /** @param past what was approved before, in its order */
  constructor(
    private readonly journal?: UsageJournal,
    past: readonly UsageEntry[] = [],
  ) {
    for (const { epoch, rule, spending, direction } of past) {
      if (epoch > this.epoch) this.begin(epoch);
      this.change(rule, spending, direction);
    }
  }

  /** A new epoch begins with nothing used. Answers of a node that is late change nothing. */
  enter(epoch: bigint): void {
    if (epoch <= this.epoch) return;
    this.journal?.clear();
    this.begin(epoch);
  }

  transactions(rule: string): number {
    return this.counts.get(rule) ?? 0;
  }

  spent(rule: string, asset: string): bigint {
    return this.amounts.get(keyOf(rule, asset)) ?? 0n;
  }

  /** @returns takes it back, for what was never sent; nothing once another epoch has begun */
  add(rule: string, spending: Amounts): () => void {
    const { epoch } = this;
    this.journal?.append({ epoch, rule, spending, direction: 1 });
    this.change(rule, spending, 1);
    return () => {
      if (epoch !== this.epoch) return;
      this.journal?.append({ epoch, rule, spending, direction: -1 });
      this.change(rule, spending, -1);
    };
  }

  private begin(epoch: bigint): void {
    this.epoch = epoch;
    this.counts.clear();
    this.amounts.clear();
  }

  private change(rule: string, spending: Amounts, direction: 1 | -1): void {
    this.counts.set(rule, this.transactions(rule) + direction);
    for (const { asset, amount } of spending) {
      this.amounts.set(keyOf(rule, asset), this.spent(rule, asset) + BigInt(direction) * amount);
    }
  }
}

const keyOf = (rule: string, asset: string) => `${rule}\n${asset}`;
