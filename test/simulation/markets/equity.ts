// Equity-like shares and the market value of the naive market
// (docs/protocol/70-trading-liquidity.md#78-equity-like-share-and-market-value-proxy).
import { Decimal, ONE, ZERO } from "./decimal.ts";

interface Holding {
  stake: Decimal;
  /** Grows with what is traded. */
  virtual: Decimal;
  /** Average entry valuation. */
  valuation: Decimal;
}

export class Equity {
  private readonly holdings = new Map<string, Holding>();
  private startNs: bigint;
  /** Windows that have ended. */
  private windows = 0n;
  private traded = 0n;
  private mean = ZERO;
  /** Mean at the end of the window before. */
  private previous = ZERO;

  constructor(nowNs: bigint) {
    this.startNs = nowNs;
  }

  /** A party's commitment is new, or another. */
  set(party: string, commitment: bigint): void {
    const stake = Decimal.of(commitment);
    const holding = this.holdings.get(party);
    const before = holding?.stake ?? ZERO;
    if (holding !== undefined && !before.isBelow(stake)) {
      holding.virtual = holding.virtual.times(stake.over(before));
      holding.stake = stake;
      return;
    }
    const added = stake.minus(before);
    // "The total" is that of what has grown.
    const parties = [...this.holdings.keys()];
    const total = parties.reduce((all, one) => all.plus(this.virtualOf(one)), added);
    const valuation = (holding?.valuation ?? ZERO)
      .times(before)
      .over(stake)
      .plus(total.times(added).over(stake));
    this.holdings.set(party, { stake, valuation, virtual: (holding?.virtual ?? ZERO).plus(added) });
  }

  remove(party: string): void {
    this.holdings.delete(party);
  }

  get total(): Decimal {
    return [...this.holdings.values()].reduce((all, { stake }) => all.plus(stake), ZERO);
  }

  valuationOf(party: string): Decimal {
    return this.holdings.get(party)?.valuation ?? ZERO;
  }

  /** Share of a party among some. */
  shareOf(party: string, among: readonly string[]): Decimal {
    const whole = among.reduce((all, one) => all.plus(this.virtualOf(one)), ZERO);
    return whole.sign === 0 ? ZERO : this.virtualOf(party).over(whole);
  }

  private virtualOf(party: string): Decimal {
    return this.holdings.get(party)?.virtual ?? ZERO;
  }

  /** @param value of the trades of one order */
  recordTraded(value: bigint): void {
    this.traded += value;
  }

  /** The opening auction has ended: windows begin, and what it has traded counts for the first one. */
  startWindows(nowNs: bigint): void {
    this.startNs = nowNs;
    this.mean = Decimal.of(this.traded);
    this.traded = 0n;
  }

  /** @returns the growth that a window's end has brought, and whether a stake has followed it; undefined before it */
  endWindow(
    nowNs: bigint,
    lengthNs: bigint,
  ): { readonly growth: Decimal; readonly hasChanged: boolean } | undefined {
    if (nowNs - this.startNs <= lengthNs) return undefined;
    const traded = Decimal.of(this.traded);
    if (this.windows === 0n) this.mean = this.mean.plus(traded);
    else {
      const n = Decimal.of(this.windows + 1n);
      this.mean = this.mean.times(n.minus(ONE).over(n)).plus(traded.over(n));
    }
    if (this.mean.sign > 0) this.windows += 1n;
    const growth = this.previous.sign === 0 ? ZERO : this.mean.minus(this.previous).over(this.previous);
    this.previous = this.mean;
    let hasChanged = false;
    for (const holding of this.holdings.values()) {
      const grown = holding.stake.max(holding.virtual.times(ONE.plus(growth)));
      if (grown.minus(holding.virtual).sign !== 0) hasChanged = true;
      holding.virtual = grown;
    }
    this.traded = 0n;
    this.startNs = nowNs;
    return { growth, hasChanged };
  }

  /** Whether a party's stake has grown by trade. */
  hasGrown(party: string): boolean {
    const holding = this.holdings.get(party);
    return holding?.stake.isBelow(holding.virtual) ?? false;
  }

  /** Market value: what the window's trades would be by its end, and at least all commitments. */
  value(nowNs: bigint, lengthNs: bigint): Decimal {
    const past = nowNs - this.startNs;
    const active = past < lengthNs ? past : lengthNs;
    if (active <= 0n) return this.total;
    return this.total.max(Decimal.of(lengthNs).over(Decimal.of(active)).times(Decimal.of(this.traded)));
  }
}
