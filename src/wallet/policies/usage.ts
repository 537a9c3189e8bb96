// The approvals under each rule in the running epoch. Epochs are counted by a node, which could count as fast as it
// likes: a new one begins here no sooner than an epoch takes. And a node could hold back what was signed late in one
// epoch, and send it in the next: so that counts in the next as well, until no chain takes it any more.

import { readFileSync } from "node:fs";
import { realSteps, writeFileWhole, writeInPlace } from "../../files/whole-file.ts";
import type { Spending, Usage } from "./decision.ts";

// The approvals of a policy in the running epoch, one JSON line each, so that its limits hold over a restart. The log of
// requests cannot serve for that: pages fill it, and what is old leaves it.

interface UsageEntry {
  readonly epoch: bigint;
  /** When the epoch began for this wallet, Unix milliseconds. */
  readonly atMs: number;
  /** When it was approved, Unix milliseconds. */
  readonly signedMs: number;
  readonly rule: string;
  readonly spending: readonly Pick<Spending, "asset" | "amount">[];
  /** -1 takes back what was never signed. */
  readonly direction: 1 | -1;
}

interface UsageJournal {
  /** @throws when it cannot be written: what would be forgotten must not be approved */
  append(entry: UsageEntry): void;
  /** Another epoch: nothing is left but these, all at once. */
  restart(entries: readonly UsageEntry[]): void;
}

const NEVER_OVER_MS = Number.MAX_SAFE_INTEGER;

export class UsageJournalFile implements UsageJournal {
  constructor(private readonly path: string) {}

  append(entry: UsageEntry): void {
    // A line of its own also behind half a line, which a full disk leaves.
    writeInPlace(this.path, `\n${lineOf(entry)}\n`, "append");
  }

  restart(entries: readonly UsageEntry[]): void {
    const text = entries.map((entry) => `${lineOf(entry)}\n`).join("");
    writeFileWhole(this.path, Buffer.from(text), realSteps);
  }

  /** An incomplete line is of an approval that never was: the process ended before, or the disk was full. */
  read(): UsageEntry[] {
    return this.text().split("\n").flatMap(entryOf);
  }

  private text(): string {
    try {
      return readFileSync(this.path, "utf8");
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return "";
      throw error;
    }
  }
}

function lineOf({ epoch, atMs, signedMs, rule, spending, direction }: UsageEntry): string {
  const amounts = spending.map(({ asset, amount }) => ({ asset, amount: amount.toString() }));
  return JSON.stringify({ epoch: epoch.toString(), atMs, signedMs, rule, spending: amounts, direction });
}

function entryOf(line: string): UsageEntry[] {
  if (line === "") return [];
  try {
    const { epoch, atMs, signedMs, rule, spending, direction } = JSON.parse(line) as Line;
    const amounts = spending.map(({ asset, amount }) => ({ asset, amount: BigInt(amount) }));
    const sign = direction === -1 ? -1 : 1;
    // Of a version that wrote no time: the epoch may have begun at any moment, the last one among them.
    const began = typeof atMs === "number" ? atMs : NEVER_OVER_MS;
    const signed = typeof signedMs === "number" ? signedMs : began;
    return [
      { epoch: BigInt(epoch), atMs: began, signedMs: signed, rule, spending: amounts, direction: sign },
    ];
  } catch {
    return [];
  }
}

interface Line {
  readonly epoch: string;
  readonly atMs?: number;
  readonly signedMs?: number;
  readonly rule: string;
  readonly spending: readonly { readonly asset: string; readonly amount: string }[];
  readonly direction: number;
}

type Amounts = readonly Pick<Spending, "asset" | "amount">[];

/** A proof is good for 500 blocks at the most (docs/protocol/40-pow-spam.md#21-proof-of-work): no network takes an hour for them. */
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
      if (epoch > this.epoch) this.startEpoch(epoch, atMs, []);
      const one = { rule, spending, signedMs };
      if (direction === 1) this.used.push(one);
      else this.remove(this.used.findLast((entry) => isSame(entry, one)));
    }
  }

  /**
   * A new epoch begins with nothing used but what may be on its way. Answers of a node that is late change nothing, nor
   * do those of one that is early: what was used goes on counting.
   * @param atMs what people's clocks show, Unix milliseconds; set back, it only makes an epoch longer
   */
  enterEpoch(epoch: bigint, atMs: number): void {
    this.nowMs = atMs;
    if (epoch <= this.epoch || atMs - this.beganAtMs < this.epochMs) return;
    const carried = this.used.filter(({ signedMs }) => atMs - signedMs < this.carryMs);
    this.journal?.restart(carried.map((one) => ({ ...one, epoch, atMs, direction: 1 })));
    this.startEpoch(epoch, atMs, carried);
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

  private startEpoch(epoch: bigint, atMs: number, carried: Used[]): void {
    this.epoch = epoch;
    this.beganAtMs = atMs;
    this.used = carried;
  }

  private remove(one: Used | undefined): void {
    this.used = this.used.filter((entry) => entry !== one);
  }
}

function isSame(a: Used, b: Used): boolean {
  return a.rule === b.rule && a.signedMs === b.signedMs && textOf(a) === textOf(b);
}

const textOf = ({ spending }: Used) => spending.map(({ asset, amount }) => `${asset} ${amount}`).join();
