// A policy that counts commands of a party in an epoch: five of the six (reference 40, section 4.2).

import type { SpamPolicy } from "../../../errors/rules.ts";
import { sentenceTime } from "../../../wire/time-text.ts";
import { Bans, type BansState } from "../bans.ts";
import { ACCEPTED, refuse, type Verdict } from "../verdict.ts";
import { type CountsState, EpochCounts } from "./counts.ts";
import { PartyTallies } from "./tally.ts";

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
    // A maximum of 0 stops nobody here, only at delivery (section 8, 16).
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

export function refuseBanned(policy: SpamPolicy, bannedUntilNs: bigint): Verdict {
  return refuse(`spam_${policy}_banned`, { bannedUntilNs }, [sentenceTime(bannedUntilNs)]);
}
