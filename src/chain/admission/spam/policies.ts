// A policy that counts commands of a party in an epoch: five of the six (docs/protocol/40-pow-spam.md#42-simple-policies).
import type { SpamPolicy } from "../../../errors/rules.ts";
import { sentenceTime } from "../../../wire/time-text.ts";
import { ACCEPTED, Bans, type BansState, refuse, sortedEntries, type Verdict } from "../rules.ts";

/** Governance tokens in the party's staking account, in their smallest unit; undefined without such an account. */
export type Tokens = bigint | undefined;

export interface SimplePolicyState {
  readonly max: string;
  readonly minTokens: string;
  readonly counts: CountsState;
  readonly bans: BansState;
}

export class SimplePolicy {
  private readonly counts = new EpochCounts();
  private readonly tallies = new PartyTallies();
  readonly bans = new Bans();

  constructor(
    /** As the texts call it. */
    readonly name: SpamPolicy,
    /** Commands of a party in an epoch. */
    public max: bigint,
    public minTokens: bigint,
  ) {}

  /** For the mempool: looks only at finished blocks, and changes nothing. */
  check(party: string, tokens: Tokens): Verdict {
    const bannedUntil = this.bans.of(party);
    if (bannedUntil !== undefined) return refuseBanned(this.name, bannedUntil);
    if (this.minTokens !== 0n && (tokens === undefined || tokens < this.minTokens)) {
      return refuse(`spam_${this.name}_tokens`, { tokens: tokens ?? 0n, minTokens: this.minTokens });
    }
    const used = this.counts.ofFinishedBlocks(party);
    // A maximum of 0 refuses nothing here, only at delivery (docs/protocol/40-pow-spam.md#8-easily-missed, 16).
    return used > 0n && used >= this.max ? this.refuseCount(used) : ACCEPTED;
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

  save(): SimplePolicyState {
    return {
      max: this.max.toString(),
      minTokens: this.minTokens.toString(),
      counts: this.counts.save(),
      bans: this.bans.save(),
    };
  }

  load(state: SimplePolicyState): void {
    this.max = BigInt(state.max);
    this.minTokens = BigInt(state.minTokens);
    this.counts.load(state.counts);
    this.bans.load(state.bans);
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

export interface VotePolicyState {
  readonly max: string;
  readonly minTokens: string;
  readonly factor: string;
  readonly raisedAt: string | null;
  readonly recent: readonly TallyState[];
  readonly counts: CountsState;
  readonly bans: BansState;
}

export class VotePolicy {
  private readonly counts = new EpochCounts();
  private readonly tallies = new PartyTallies();
  readonly bans = new Bans();
  private factor = 1n;
  /** Height of this epoch's last increase. */
  private raisedAt: bigint | undefined;
  /** Everybody's votes of the last finished blocks, oldest first. */
  private recent: Tally[] = [];
  private block: Tally = { refused: 0n, total: 0n };

  constructor(
    /** Votes of a party on a proposal in an epoch. */
    public max: bigint,
    /** Before it is multiplied. */
    public minTokens: bigint,
  ) {}

  /** Tokens that a vote takes now. */
  get effectiveMinTokens(): bigint {
    return this.minTokens * this.factor;
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
    this.block.total += 1n;
    if (isRefused) {
      this.block.refused += 1n;
      return this.refuseCount(used);
    }
    this.counts.add(key);
    return ACCEPTED;
  }

  endBlock(height: bigint, timeNs: bigint, banDurationNs: bigint): void {
    this.counts.fold();
    this.bans.release(timeNs);
    for (const party of this.tallies.offenders()) this.bans.ban(party, timeNs + banDurationNs);
    this.tallies.clear();
    this.recent = [...this.recent, this.block].slice(-BLOCKS_WATCHED);
    this.block = { refused: 0n, total: 0n };
    this.raise(height);
  }

  startEpoch(): void {
    this.counts.clear();
    this.tallies.clear();
    this.bans.clear();
    this.factor = 1n;
    this.raisedAt = undefined;
    this.recent = [];
    this.block = { refused: 0n, total: 0n };
  }

  /** The party's votes of finished blocks of this epoch, by proposal. */
  countsOf(party: string): { proposal: string; count: bigint }[] {
    const prefix = keyOf(party, "");
    return this.counts
      .withPrefix(prefix)
      .map(([key, count]) => ({ proposal: key.slice(prefix.length), count }));
  }

  save(): VotePolicyState {
    return {
      max: this.max.toString(),
      minTokens: this.minTokens.toString(),
      factor: this.factor.toString(),
      raisedAt: this.raisedAt?.toString() ?? null,
      recent: this.recent.map(saveTally),
      counts: this.counts.save(),
      bans: this.bans.save(),
    };
  }

  load(state: VotePolicyState): void {
    this.startEpoch();
    this.max = BigInt(state.max);
    this.minTokens = BigInt(state.minTokens);
    this.factor = BigInt(state.factor);
    this.raisedAt = state.raisedAt === null ? undefined : BigInt(state.raisedAt);
    this.recent = state.recent.map(loadTally);
    this.counts.load(state.counts);
    this.bans.load(state.bans);
  }

  /** Doubles the minimum when too many votes of everybody were refused. It never goes down inside an epoch. */
  private raise(height: bigint): void {
    if (this.raisedAt !== undefined && height <= this.raisedAt + BigInt(BLOCKS_WATCHED)) return;
    if (this.effectiveMinTokens >= RAISED_MINIMUM_ENOUGH) return;
    const all = { refused: 0n, total: 0n };
    for (const { refused, total } of this.recent) {
      all.refused += refused;
      all.total += total;
    }
    if (!isFlood(all)) return;
    this.factor *= 2n;
    this.raisedAt = height;
  }

  private refuseCount(used: bigint): Verdict {
    return refuse("spam_vote_count", { used, max: this.max });
  }
}

/** Keys and identifiers are hex, so a space cannot stand inside either. */
const keyOf = (party: string, proposal: string) => `${party} ${proposal}`;

// Counts of an epoch: in finished blocks, as everybody sees them, and in the current one.

type CountsState = readonly (readonly [key: string, count: string])[];

class EpochCounts {
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

  /** Between blocks: facts of the current block alone are not kept. */
  save(): CountsState {
    return sortedEntries(this.finished).map(([key, count]) => [key, count.toString()]);
  }

  load(state: CountsState): void {
    this.current.clear();
    this.finished = new Map(state.map(([key, count]) => [key, BigInt(count)]));
  }
}

// Accepted and refused deliveries: of one party in one block, or of everybody over some blocks.

interface Tally {
  refused: bigint;
  total: bigint;
}

type TallyState = readonly [refused: string, total: string];

const saveTally = ({ refused, total }: Tally): TallyState => [refused.toString(), total.toString()];
const loadTally = ([refused, total]: TallyState): Tally => ({
  refused: BigInt(refused),
  total: BigInt(total),
});

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
