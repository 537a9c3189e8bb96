/**
 * Equity-like shares of liquidity providers, scores, and the value by which a market has grown
 * (docs/protocol/70-trading-liquidity.md#77-distribution and #78-equity-like-share-and-market-value-proxy).
 */
import { Decimal } from "../../wire/decimal.ts";
import { sumOf } from "../scores.ts";
import type { MarketContext } from "./context.ts";
import type { EquityShare, ValueWindow } from "./records.ts";
import { keyOf } from "./tables.ts";

const SCORE_DECIMALS = 10;
/**
 * Decimals of virtual stakes and of the average traded value: far beyond the published digits. Each window and each smaller
 * commitment multiplies them, and numbers in the state must stay bounded.
 */
const STATE_DECIMALS = 64;
const WINDOW = "market.value.windowLength";

export class EquityShares {
  constructor(private readonly market: MarketContext) {}

  get(party: string): EquityShare | undefined {
    return this.market.index.shares.get(party);
  }

  /** By party. */
  list(): readonly EquityShare[] {
    return this.market.index.shares.list();
  }

  /** Sets a provider's commitment; 0 removes the provider. The stored worth of the market does not change. */
  setStake(party: string, commitment: bigint): void {
    const { market } = this;
    const key = keyOf(market.id, party);
    if (commitment === 0n) {
      this.leaveScore(party);
      market.tables.shares.delete(key);
      return;
    }
    const stored = this.get(party);
    const scored = stored ?? market.status.leftScores?.findLast((left) => left.party === party);
    const before = Decimal.parse(stored?.stake ?? "0");
    const stake = Decimal.of(commitment);
    const change = stake.minus(before);
    let virtualStake = Decimal.parse(stored?.virtualStake ?? "0");
    let average = Decimal.parse(stored?.average ?? "0");
    if (change.isPositive()) {
      const total = this.total("virtualStake").plus(change);
      average = average.times(before).dividedBy(stake).plus(total.times(change).dividedBy(stake));
      virtualStake = virtualStake.plus(change);
    } else if (change.isNegative()) {
      virtualStake = virtualStake.times(stake.dividedBy(before));
    }
    this.put({
      market: market.id,
      party,
      stake: stake.toString(),
      virtualStake: rounded(virtualStake, STATE_DECIMALS).toString(),
      average: average.toString(),
      share: stored?.share ?? "0",
      score: scored?.score ?? "0",
      scores: scored?.scores ?? 0,
    });
  }

  /** The score of a provider that leaves waits for the next tick's: one that comes back before goes on with it. */
  private leaveScore(party: string): void {
    const { market } = this;
    const stored = this.get(party);
    if (stored === undefined || stored.scores === 0) return;
    const { score, scores } = stored;
    const others = (market.status.leftScores ?? []).filter((left) => left.party !== party);
    market.updateStatus({ leftScores: [...others, { party, score, scores }] });
  }

  /** Deletes the shares of a market that has ended. */
  drop(): void {
    for (const { market, party } of this.list()) this.market.tables.shares.delete(keyOf(market, party));
  }

  /** Each party's part of the virtual stake: 1 in all. @param isCounted who takes part */
  shares(isCounted: (party: string) => boolean): Map<string, Decimal> {
    const counted = this.list().filter(({ party }) => isCounted(party));
    const total = counted.reduce(
      (sum, { virtualStake }) => sum.plus(Decimal.parse(virtualStake)),
      Decimal.zero,
    );
    const part = ({ virtualStake }: EquityShare) =>
      total.isZero() ? Decimal.zero : Decimal.parse(virtualStake).dividedBy(total);
    return new Map(counted.map((share) => [share.party, part(share)] as const));
  }

  /** A party's part of all shares, which rounding may have moved away from 1: it counts in votes. */
  shareOf(party: string): Decimal {
    const shares = this.shares(() => true);
    const share = shares.get(party) ?? Decimal.zero;
    return share.isZero() ? share : share.dividedBy(sumOf(shares.values()));
  }

  /**
   * Keeps the shares to publish, if every provider is active
   * (docs/protocol/70-trading-liquidity.md#78-equity-like-share-and-market-value-proxy).
   */
  keepShares(isActive: (party: string) => boolean): void {
    const providers = this.list();
    if (!providers.every(({ party }) => isActive(party))) return;
    const shares = this.shares(() => true);
    for (const provider of providers) {
      const share = shares.get(provider.party)!.toString();
      if (share !== provider.share) this.put({ ...provider, share });
    }
  }

  /** All commitments; those of a market that has ended, too. */
  private get committed(): bigint {
    return this.total("stake").truncated();
  }

  /** Takes a tick's scores, which add up to 1, into the averages: one counter for all, whenever a provider has come. */
  addScores(scores: ReadonlyMap<string, Decimal>): void {
    const count = this.ticks + 1;
    this.market.updateStatus({ scoredTicks: count, leftScores: [] });
    for (const share of this.list()) {
      const score = scores.get(share.party);
      if (score === undefined) continue;
      const n = Decimal.of(BigInt(count));
      const average = Decimal.parse(share.score)
        .times(n.minus(Decimal.one).dividedBy(n))
        .plus(score.dividedBy(n));
      this.put({ ...share, score: rounded(average, SCORE_DECIMALS).toString(), scores: count });
    }
  }

  /** After a distribution. */
  resetScores(): void {
    if (this.ticks > 0) this.market.updateStatus({ scoredTicks: 0, leftScores: [] });
    for (const share of this.list()) if (share.scores > 0) this.put({ ...share, score: "0", scores: 0 });
  }

  /** The first window begins when the market opens. @param opened value of the opening's trades, part of the first window's */
  startWindows(opened: bigint): void {
    this.putWindow({ startNs: this.market.nowNs, traded: 0n, windows: 0, average: opened.toString() });
  }

  addTraded(value: bigint): void {
    const { window } = this;
    if (window !== undefined) this.putWindow({ ...window, traded: window.traded + value });
  }

  /** Ends a window whose time has passed, and updates the market's worth. @returns whether the window changed stakes */
  onTick(): boolean {
    const { market, window } = this;
    const isOver = window !== undefined && market.nowNs - window.startNs > market.params.duration(WINDOW);
    const isChanged = isOver && this.endWindow(window);
    this.keepValue();
    return isChanged;
  }

  /** Stakes grow with the market's trade. @returns whether one has changed */
  private endWindow(window: ValueWindow): boolean {
    const { market } = this;
    const before = Decimal.parse(window.average);
    const n = Decimal.of(BigInt(window.windows + 1));
    const traded = Decimal.of(window.traded);
    const isFirst = window.windows === 0;
    const mean = isFirst
      ? before.plus(traded)
      : before.times(n.minus(Decimal.one).dividedBy(n)).plus(traded.dividedBy(n));
    const average = rounded(mean, STATE_DECIMALS);
    const growth = isFirst ? Decimal.zero : average.minus(before).dividedBy(before);
    let isChanged = false;
    for (const share of this.list()) {
      const grown = Decimal.parse(share.virtualStake).times(Decimal.one.plus(growth));
      const virtualStake = rounded(Decimal.parse(share.stake).max(grown), STATE_DECIMALS).toString();
      if (virtualStake === share.virtualStake) continue;
      isChanged = true;
      this.put({ ...share, virtualStake });
    }
    this.putWindow({
      startNs: market.nowNs,
      traded: 0n,
      // Windows are counted from the first trade on.
      windows: average.isZero() ? 0 : window.windows + 1,
      average: average.toString(),
    });
    return isChanged;
  }

  /** The market's worth at its last update; a proposed market and a market without trading keep it. */
  get marketValue(): bigint {
    return this.window?.value ?? this.market.status.worth ?? this.valueNow;
  }

  /**
   * At a tick, and with a provision that is new or amended, but not when one goes
   * (docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order, docs/protocol/70-trading-liquidity.md#72-submit
   * and #78-equity-like-share-and-market-value-proxy).
   */
  keepValue(): void {
    const { market, window, valueNow } = this;
    if (window === undefined) {
      if (market.status.worth !== valueNow) market.updateStatus({ worth: valueNow });
    } else if (window.value !== valueNow) this.putWindow({ ...window, value: valueNow });
  }

  /** Commitments, or the trade of a window if that is more. */
  private get valueNow(): bigint {
    const { market, window, committed: commitments } = this;
    if (window === undefined || window.traded === 0n) return commitments;
    const length = market.params.duration(WINDOW);
    const past = market.nowNs - window.startNs;
    // The length may now be shorter than the window's age.
    const active = past < length ? past : length;
    if (active <= 0n) return commitments;
    const part = Decimal.of(length).dividedBy(Decimal.of(active));
    const value = part.times(Decimal.of(window.traded)).truncated();
    return value > commitments ? value : commitments;
  }

  private get ticks(): number {
    return this.market.status.scoredTicks ?? 0;
  }

  private get window(): ValueWindow | undefined {
    return this.market.tables.windows.get(this.market.id);
  }

  private total(member: "stake" | "virtualStake"): Decimal {
    return this.list().reduce((sum, share) => sum.plus(Decimal.parse(share[member])), Decimal.zero);
  }

  private put(share: EquityShare): void {
    this.market.tables.shares.set(keyOf(share.market, share.party), share);
  }

  private putWindow(window: ValueWindow): void {
    this.market.tables.windows.set(this.market.id, window);
  }
}

/** To this many decimals, halves away from zero. */
function rounded(value: Decimal, decimals: number): Decimal {
  return Decimal.shifted(value.times(Decimal.shifted(1n, -decimals)).rounded(), decimals);
}
