// What was approved under each rule in the running epoch. Epochs are counted by a node, which could count as fast as it
// likes: a new one begins here no sooner than an epoch takes.
import type { Usage } from "./judge.ts";
import type { Spending } from "./spending.ts";
import type { UsageEntry, UsageJournal } from "./usage-journal.ts";

type Amounts = readonly Pick<Spending, "asset" | "amount">[];

export class EpochUsage implements Usage {
  private epoch = -1n;
  private readonly counts = new Map<string, number>();
  private readonly amounts = new Map<string, bigint>();

  private beganAtMs = Number.NEGATIVE_INFINITY;

  /**
   * @param epochMs an epoch takes at least so long
   * @param past what was approved before, in its order
   */
  constructor(
    private readonly epochMs: number,
    private readonly journal?: UsageJournal,
    past: readonly UsageEntry[] = [],
  ) {
    for (const { epoch, atMs, rule, spending, direction } of past) {
      if (epoch > this.epoch) this.begin(epoch, atMs);
      this.change(rule, spending, direction);
    }
  }

  /**
   * A new epoch begins with nothing used. Answers of a node that is late change nothing, nor do those of one that is
   * early: what was used goes on counting.
   * @param atMs what people's clocks show, Unix milliseconds; set back, it only makes an epoch longer
   */
  enter(epoch: bigint, atMs: number): void {
    if (epoch <= this.epoch || atMs - this.beganAtMs < this.epochMs) return;
    this.journal?.clear();
    this.begin(epoch, atMs);
  }

  transactions(rule: string): number {
    return this.counts.get(rule) ?? 0;
  }

  spent(rule: string, asset: string): bigint {
    return this.amounts.get(keyOf(rule, asset)) ?? 0n;
  }

  /** @returns takes it back, for what was never signed; nothing once another epoch has begun */
  add(rule: string, spending: Amounts): () => void {
    const { epoch } = this;
    const atMs = this.beganAtMs;
    this.journal?.append({ epoch, atMs, rule, spending, direction: 1 });
    this.change(rule, spending, 1);
    return () => {
      if (epoch !== this.epoch) return;
      this.journal?.append({ epoch, atMs, rule, spending, direction: -1 });
      this.change(rule, spending, -1);
    };
  }

  private begin(epoch: bigint, atMs: number): void {
    this.epoch = epoch;
    this.beganAtMs = atMs;
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
