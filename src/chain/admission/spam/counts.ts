// How often something was done this epoch: in finished blocks, which everybody sees, and in the current one.
import { sortedEntries } from "../bans.ts";

export type CountsState = readonly (readonly [key: string, count: string])[];

export class EpochCounts {
  private finished = new Map<string, bigint>();
  private readonly current = new Map<string, bigint>();

  ofFinishedBlocks(key: string): bigint {
    return this.finished.get(key) ?? 0n;
  }

  of(key: string): bigint {
    return this.ofFinishedBlocks(key) + (this.current.get(key) ?? 0n);
  }

  add(key: string): void {
    this.current.set(key, (this.current.get(key) ?? 0n) + 1n);
  }

  /** At the end of a block. */
  fold(): void {
    for (const [key, count] of this.current) this.finished.set(key, this.ofFinishedBlocks(key) + count);
    this.current.clear();
  }

  clear(): void {
    this.finished.clear();
    this.current.clear();
  }

  /** Counts of finished blocks whose key begins so, in the order of their keys. */
  withPrefix(prefix: string): [key: string, count: bigint][] {
    return sortedEntries(new Map([...this.finished].filter(([key]) => key.startsWith(prefix))));
  }

  /** Between blocks: what is of the current block only is not kept. */
  save(): CountsState {
    return sortedEntries(this.finished).map(([key, count]) => [key, count.toString()]);
  }

  load(state: CountsState): void {
    this.current.clear();
    this.finished = new Map(state.map(([key, count]) => [key, BigInt(count)]));
  }
}

// Accepted and refused deliveries: of one party in one block, or of everybody over some blocks.

export interface Tally {
  refused: bigint;
  total: bigint;
}

export type TallyState = readonly [refused: string, total: string];

export const saveTally = ({ refused, total }: Tally): TallyState => [refused.toString(), total.toString()];
export const loadTally = ([refused, total]: TallyState): Tally => ({
  refused: BigInt(refused),
  total: BigInt(total),
});

/** A party is banned when at least half of its deliveries of a block were refused (reference 40, section 4.2). */
function deservesBan({ refused, total }: Tally): boolean {
  return refused > 0n && refused * 2n >= total;
}

/** Votes become dearer when more than 30 % of them were refused (section 4.3). */
export function isFlood({ refused, total }: Tally): boolean {
  return refused * 10n > total * 3n;
}

/** Tallies by party, for one block. */
export class PartyTallies {
  private readonly tallies = new Map<string, Tally>();

  record(party: string, isRefused: boolean): void {
    const tally = this.tallies.get(party) ?? { refused: 0n, total: 0n };
    tally.total += 1n;
    if (isRefused) tally.refused += 1n;
    this.tallies.set(party, tally);
  }

  /** The parties to ban for this block. */
  offenders(): string[] {
    return [...this.tallies].filter(([, tally]) => deservesBan(tally)).map(([party]) => party);
  }

  clear(): void {
    this.tallies.clear();
  }
}
