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
