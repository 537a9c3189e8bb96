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
