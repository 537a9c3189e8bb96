// What was approved under each rule in the running epoch. Epochs are counted by a node, which could count as fast as it
// likes: a new one begins here no sooner than an epoch takes. And a node could hold back what was signed late in one
// epoch, and send it in the next: so that counts in the next as well, until no chain takes it any more.
import type { Usage } from "./judge.ts";
import type { Spending } from "./spending.ts";
import type { UsageEntry, UsageJournal } from "./usage-journal.ts";

type Amounts = readonly Pick<Spending, "asset" | "amount">[];

/** A proof is good for 500 blocks at the most (reference 40, section 2.1): no network takes an hour for them. */
const SENT_BY_MS = 3_600_000;

interface Used {
  readonly rule: string;
  readonly spending: Amounts;
  readonly signedMs: number;
}

export class EpochUsage implements Usage {
  private epoch = -1n;
  private beganAtMs = Number.NEGATIVE_INFINITY;
  private nowMs = Number.NEGATIVE_INFINITY;
  private used: Used[] = [];
  private readonly carryMs: number;

  /**
   * @param epochMs an epoch takes at least so long
   * @param past what was approved before, in its order
   */
  constructor(
    private readonly epochMs: number,
    private readonly journal?: UsageJournal,
    past: readonly UsageEntry[] = [],
  ) {
    this.carryMs = Math.min(SENT_BY_MS, epochMs);
    for (const { epoch, atMs, signedMs, rule, spending, direction } of past) {
      if (epoch > this.epoch) this.begin(epoch, atMs, []);
      const one = { rule, spending, signedMs };
      if (direction === 1) this.used.push(one);
      else this.remove(this.used.findLast((known) => isSame(known, one)));
    }
  }

  /**
   * A new epoch begins with nothing used but what may be on its way. Answers of a node that is late change nothing, nor
   * do those of one that is early: what was used goes on counting.
   * @param atMs what people's clocks show, Unix milliseconds; set back, it only makes an epoch longer
   */
  enter(epoch: bigint, atMs: number): void {
    this.nowMs = atMs;
    if (epoch <= this.epoch || atMs - this.beganAtMs < this.epochMs) return;
    const carried = this.used.filter(({ signedMs }) => atMs - signedMs < this.carryMs);
    this.journal?.restart(carried.map((one) => ({ ...one, epoch, atMs, direction: 1 })));
    this.begin(epoch, atMs, carried);
  }

  transactions(rule: string): number {
    return this.counted(rule).length;
  }

  spent(rule: string, asset: string): bigint {
    let sum = 0n;
    for (const { spending } of this.counted(rule))
      for (const one of spending) if (one.asset === asset) sum += one.amount;
    return sum;
  }

  /** @returns takes it back, for what was never signed; nothing once another epoch has begun */
  add(rule: string, spending: Amounts): () => void {
    const { epoch, beganAtMs: atMs } = this;
    const one = { rule, spending, signedMs: this.nowMs };
    this.journal?.append({ ...one, epoch, atMs, direction: 1 });
    this.used.push(one);
    return () => {
      if (!this.used.includes(one)) return;
      this.journal?.append({ ...one, epoch: this.epoch, atMs: this.beganAtMs, direction: -1 });
      this.remove(one);
    };
  }

  /** Of this epoch, or still on its way from the one before. */
  private counted(rule: string): Used[] {
    return this.used.filter(
      (one) =>
        one.rule === rule && (one.signedMs >= this.beganAtMs || this.nowMs - one.signedMs < this.carryMs),
    );
  }

  private begin(epoch: bigint, atMs: number, carried: Used[]): void {
    this.epoch = epoch;
    this.beganAtMs = atMs;
    this.used = carried;
  }

  private remove(one: Used | undefined): void {
    this.used = this.used.filter((known) => known !== one);
  }
}

function isSame(a: Used, b: Used): boolean {
  return a.rule === b.rule && a.signedMs === b.signedMs && textOf(a) === textOf(b);
}

const textOf = ({ spending }: Used) => spending.map(({ asset, amount }) => `${asset} ${amount}`).join();
