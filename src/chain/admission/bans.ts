// Bans: who may not send, and until when. Proof of work and every spam policy keep such a list of their own.

const NS_A_SECOND = 1_000_000_000n;
const BAN_NS_MIN = 30n * NS_A_SECOND;
/** 1/48 cut to 16 decimals, as a whole number of 10^-16 (reference 40, section 3.6). */
const EPOCH_SHARE = 208_333_333_333_333n;
const SHARE_UNIT = 10n ** 16n;

/** How long a ban lasts: 1/48 of an epoch, at least half a minute. */
export function banDurationNs(epochLengthNs: bigint): bigint {
  const share = (epochLengthNs * EPOCH_SHARE) / SHARE_UNIT;
  return share > BAN_NS_MIN ? share : BAN_NS_MIN;
}

/** Party and release time as decimal Unix nanoseconds. */
export type BansState = readonly (readonly [party: string, untilNs: string])[];

export class Bans {
  private readonly until = new Map<string, bigint>();

  /** When the party is released, Unix nanoseconds; undefined when it is not banned. */
  of(party: string): bigint | undefined {
    return this.until.get(party);
  }

  ban(party: string, untilNs: bigint): void {
    this.until.set(party, untilNs);
  }

  pardon(party: string): boolean {
    return this.until.delete(party);
  }

  /** Releases every party whose time has come: at its release time, not a nanosecond earlier. */
  release(nowNs: bigint): void {
    for (const [party, untilNs] of this.until) if (untilNs <= nowNs) this.until.delete(party);
  }

  clear(): void {
    this.until.clear();
  }

  save(): BansState {
    return sortedEntries(this.until).map(([party, untilNs]) => [party, untilNs.toString()]);
  }

  load(state: BansState): void {
    this.until.clear();
    for (const [party, untilNs] of state) this.until.set(party, BigInt(untilNs));
  }
}

/** The entries in the order of their keys' code units, so that a saved state has one form only. */
export function sortedEntries<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
