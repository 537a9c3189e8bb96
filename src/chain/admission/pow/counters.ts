// How many transactions each party has built on each height, and how much difficulty they showed.
import { sortedEntries } from "../bans.ts";
import { sortedHeights } from "./heights.ts";

export interface PartyCounter {
  /** Sum of the zero bits found. */
  observed: bigint;
  /** Transactions accepted. */
  seen: bigint;
}

type CounterState = readonly [party: string, observed: string, seen: string];
export type HeightCountersState = readonly (readonly [height: string, counters: readonly CounterState[]])[];

export class HeightCounters {
  private readonly heights = new Map<bigint, Map<string, PartyCounter>>();

  has(height: bigint): boolean {
    return this.heights.has(height);
  }

  of(height: bigint, party: string): PartyCounter | undefined {
    return this.heights.get(height)?.get(party);
  }

  /**
   * Begins a party's counter for a height.
   * @param isAlone the original's defect: the counters of all other parties for this height are lost
   */
  begin(height: bigint, party: string, bits: bigint, isAlone: boolean): void {
    const counter = { observed: bits, seen: 1n };
    const parties = this.heights.get(height);
    if (parties && !isAlone) parties.set(party, counter);
    else this.heights.set(height, new Map([[party, counter]]));
  }

  forget(height: bigint): void {
    this.heights.delete(height);
  }

  /** The party's counters, by ascending height. */
  ofParty(party: string): { height: bigint; counter: Readonly<PartyCounter> }[] {
    return sortedHeights(this.heights).flatMap(([height, parties]) => {
      const counter = parties.get(party);
      return counter ? [{ height, counter }] : [];
    });
  }

  save(): HeightCountersState {
    return sortedHeights(this.heights).map(([height, parties]) => [
      height.toString(),
      sortedEntries(parties).map(
        ([party, { observed, seen }]) => [party, observed.toString(), seen.toString()] as const,
      ),
    ]);
  }

  load(state: HeightCountersState): void {
    this.heights.clear();
    for (const [height, counters] of state) {
      const parties = counters.map(
        ([party, observed, seen]) => [party, { observed: BigInt(observed), seen: BigInt(seen) }] as const,
      );
      this.heights.set(BigInt(height), new Map(parties));
    }
  }
}
