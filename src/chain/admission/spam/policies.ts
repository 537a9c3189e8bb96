// A policy that counts commands of a party in an epoch: five of the six (docs/protocol/40-pow-spam.md#42-simple-policies).
import type { Cell, State, Table } from "../../../engine/state.ts";
import type { SpamPolicy } from "../../../errors/rules.ts";
import { sentenceTime } from "../../../wire/time-text.ts";
import { ACCEPTED, Bans, refuse, type Verdict } from "../rules.ts";

/** Governance tokens in the party's staking account, in their smallest unit; undefined without such an account. */
export type Tokens = bigint | undefined;

/** Parameters of a policy. */
interface PolicyLimits {
  /** Of a party in an epoch: commands, or votes on a proposal. */
  readonly max: bigint;
  readonly minTokens: bigint;
}

export class SimplePolicy {
  private readonly counts: EpochCounts;
  private readonly tallies = new PartyTallies();
  readonly bans: Bans;

  constructor(
    /** As the texts call it. */
    readonly name: SpamPolicy,
    state: State,
    private readonly limits: () => PolicyLimits,
  ) {
    this.counts = new EpochCounts(state.table(`admission.spam.${name}.counts`));
    this.bans = new Bans(state.table(`admission.spam.${name}.bans`));
  }

  get max(): bigint {
    return this.limits().max;
  }

  get minTokens(): bigint {
    return this.limits().minTokens;
  }

  /** For the mempool: looks only at finished blocks, and changes nothing. */
  check(party: string, tokens: Tokens): Verdict {
    const bannedUntil = this.bans.of(party);
    if (bannedUntil !== undefined) return refuseBanned(this.name, bannedUntil);
    const { max, minTokens } = this.limits();
    if (minTokens !== 0n && (tokens === undefined || tokens < minTokens)) {
      return refuse(`spam_${this.name}_tokens`, { tokens: tokens ?? 0n, minTokens });
    }
    const used = this.counts.ofFinishedBlocks(party);
    // A maximum of 0 refuses nothing here, only at delivery (docs/protocol/40-pow-spam.md#8-easily-missed, 16).
    return used > 0n && used >= max ? this.refuseCount(used) : ACCEPTED;
  }

  /** In a block: counts, and remembers what it refused. Bans and balances are not looked at again. */
  deliver(party: string): Verdict {
    const used = this.counts.of(party);
    const isRefused = used >= this.max;
    this.tallies.record(party, isRefused);
    if (isRefused) return this.refuseCount(used);
    this.counts.add(party);
    return ACCEPTED;
  }

  /** @param timeNs of the block that ends */
  endBlock(timeNs: bigint, banDurationNs: bigint): void {
    this.counts.fold();
    this.bans.release(timeNs);
    for (const party of this.tallies.offenders()) this.bans.ban(party, timeNs + banDurationNs);
    this.tallies.clear();
  }

  startEpoch(): void {
    this.counts.clear();
    this.tallies.clear();
    this.bans.clear();
  }

  /** Commands of finished blocks of this epoch: what the statistics show. */
  countOf(party: string): bigint {
    return this.counts.ofFinishedBlocks(party);
  }

  /** Forgets a block that was not finished. */
  reset(): void {
    this.counts.reset();
    this.tallies.clear();
  }

  private refuseCount(used: bigint): Verdict {
    return refuse(`spam_${this.name}_count`, { used, max: this.max });
  }
}

function refuseBanned(policy: SpamPolicy, bannedUntilNs: bigint): Verdict {
  return refuse(`spam_${policy}_banned`, { bannedUntilNs }, [sentenceTime(bannedUntilNs)]);
}

// The policy for votes: counts by proposal, and a minimum of tokens that doubles while many votes are refused
// (docs/protocol/40-pow-spam.md#43-vote-policy).

/** Finished blocks that the network-wide ratio is taken over, and blocks between two increases. */
const BLOCKS_WATCHED = 10;
/** From this minimum on there is no further increase: 1600 tokens of 18 decimals. */
const RAISED_MINIMUM_ENOUGH = 1_600n * 10n ** 18n;

interface VoteTide {
  readonly factor: bigint;
  /** Height of this epoch's last increase. */
  readonly raisedAt: bigint | undefined;
  /** Everybody's votes of the last finished blocks, oldest first. */
  readonly recent: readonly Tally[];
}

const CALM: VoteTide = { factor: 1n, raisedAt: undefined, recent: [] };

export class VotePolicy {
  private readonly counts: EpochCounts;
  private readonly tallies = new PartyTallies();
  readonly bans: Bans;
  private readonly tide: Cell<VoteTide>;
  private block: Tally = NO_DELIVERIES;

  constructor(
    state: State,
    private readonly limits: () => PolicyLimits,
  ) {
    this.counts = new EpochCounts(state.table("admission.spam.vote.counts"));
    this.bans = new Bans(state.table("admission.spam.vote.bans"));
    this.tide = state.cell("admission.spam.vote.tide", CALM);
  }

  get max(): bigint {
    return this.limits().max;
  }

  /** Before it is multiplied. */
  get minTokens(): bigint {
    return this.limits().minTokens;
  }

  /** Tokens that a vote takes now. */
  get effectiveMinTokens(): bigint {
    return this.minTokens * this.tide.get().factor;
  }

  check(party: string, proposal: string, tokens: Tokens): Verdict {
    const bannedUntil = this.bans.of(party);
    if (bannedUntil !== undefined) return refuseBanned("vote", bannedUntil);
    const minTokens = this.effectiveMinTokens;
    if (tokens === undefined || tokens < minTokens) {
      return refuse("spam_vote_tokens", { tokens: tokens ?? 0n, minTokens });
    }
    const used = this.counts.ofFinishedBlocks(keyOf(party, proposal));
    return used > 0n && used >= this.max ? this.refuseCount(used) : ACCEPTED;
  }

  deliver(party: string, proposal: string): Verdict {
    const key = keyOf(party, proposal);
    const used = this.counts.of(key);
    const isRefused = used >= this.max;
    this.tallies.record(party, isRefused);
    this.block = tallyWith(this.block, isRefused);
    if (isRefused) return this.refuseCount(used);
    this.counts.add(key);
    return ACCEPTED;
  }

  endBlock(height: bigint, timeNs: bigint, banDurationNs: bigint): void {
    this.counts.fold();
    this.bans.release(timeNs);
    for (const party of this.tallies.offenders()) this.bans.ban(party, timeNs + banDurationNs);
    this.tallies.clear();
    const { block } = this;
    this.block = NO_DELIVERIES;
    const { recent } = this.tide.get();
    // Blocks without votes, one after the other, change nothing.
    if (block.total === 0n && recent.length === BLOCKS_WATCHED && recent.every(({ total }) => total === 0n))
      return;
    this.tide.set({ ...this.tide.get(), recent: [...recent, block].slice(-BLOCKS_WATCHED) });
    this.raise(height);
  }

  startEpoch(): void {
    this.counts.clear();
    this.tallies.clear();
    this.bans.clear();
    this.tide.set(CALM);
    this.block = NO_DELIVERIES;
  }

  /** The party's votes of finished blocks of this epoch, by proposal. */
  countsOf(party: string): { proposal: string; count: bigint }[] {
    const prefix = keyOf(party, "");
    return this.counts
      .withPrefix(prefix)
      .map(([key, count]) => ({ proposal: key.slice(prefix.length), count }));
  }

  /** Forgets a block that was not finished. */
  reset(): void {
    this.counts.reset();
    this.tallies.clear();
    this.block = NO_DELIVERIES;
  }

  /** Doubles the minimum when too many votes of everybody were refused. It never goes down inside an epoch. */
  private raise(height: bigint): void {
    const { factor, raisedAt, recent } = this.tide.get();
    if (raisedAt !== undefined && height <= raisedAt + BigInt(BLOCKS_WATCHED)) return;
    if (this.effectiveMinTokens >= RAISED_MINIMUM_ENOUGH) return;
    let [refused, total] = [0n, 0n];
    for (const each of recent) {
      refused += each.refused;
      total += each.total;
    }
    if (isFlood({ refused, total })) this.tide.set({ factor: factor * 2n, raisedAt: height, recent });
  }

  private refuseCount(used: bigint): Verdict {
    return refuse("spam_vote_count", { used, max: this.max });
  }
}

/** Keys and identifiers are hex, so a space cannot stand inside either. */
const keyOf = (party: string, proposal: string) => `${party} ${proposal}`;

// Counts of an epoch: in finished blocks, as everybody sees them, and in the current one.

class EpochCounts {
  private readonly current = new Map<string, bigint>();

  constructor(private readonly finished: Table<bigint>) {}

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
    for (const key of this.finished.keys()) this.finished.delete(key);
    this.current.clear();
  }

  /** Counts of finished blocks whose key begins so, in the order of their keys. */
  withPrefix(prefix: string): [key: string, count: bigint][] {
    return this.finished.keysWithPrefix(prefix).map((key) => [key, this.finished.get(key)!]);
  }

  reset(): void {
    this.current.clear();
  }
}

// Accepted and refused deliveries: of one party in one block, or of everybody over some blocks.

interface Tally {
  readonly refused: bigint;
  readonly total: bigint;
}

const NO_DELIVERIES: Tally = { refused: 0n, total: 0n };

function tallyWith({ refused, total }: Tally, isRefused: boolean): Tally {
  return { refused: isRefused ? refused + 1n : refused, total: total + 1n };
}

/** A party is banned when at least half of its deliveries of a block were refused (docs/protocol/40-pow-spam.md#42-simple-policies). */
function deservesBan({ refused, total }: Tally): boolean {
  return refused > 0n && refused * 2n >= total;
}

/** Votes become dearer when more than 30 % of them were refused (docs/protocol/40-pow-spam.md#43-vote-policy). */
function isFlood({ refused, total }: Tally): boolean {
  return refused * 10n > total * 3n;
}

/** Tallies by party, for one block. */
class PartyTallies {
  private readonly tallies = new Map<string, Tally>();

  record(party: string, isRefused: boolean): void {
    this.tallies.set(party, tallyWith(this.tallies.get(party) ?? NO_DELIVERIES, isRefused));
  }

  /** The parties to ban for this block. */
  offenders(): string[] {
    if (this.tallies.size === 0) return [];
    return [...this.tallies].filter(([, tally]) => deservesBan(tally)).map(([party]) => party);
  }

  clear(): void {
    this.tallies.clear();
  }
}
