// Price bounds and target stake of the naive market (docs/protocol/70-trading-liquidity.md#8-auction-triggers).
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { sum } from "./book.ts";
import { Decimal } from "./decimal.ts";
import { BUY, most, Provided, SELL, type TriggerTerms } from "./model.ts";
import { rangeOf } from "./risk.ts";
import { MarketSettlement } from "./settlement.ts";

interface Bound {
  readonly trigger: TriggerTerms;
  isOn: boolean;
  /** Factors of the reference price. */
  down: Decimal;
  up: Decimal;
}

interface Priced {
  readonly price: bigint;
  readonly size: bigint;
}

export abstract class MarketMonitors extends MarketSettlement {
  private bounds: Bound[] = freshBounds(this.terms.triggers);
  private past: { readonly timeNs: bigint; readonly price: Decimal }[] = [];
  private current: Priced[] = [];
  private currentNs = this.terms.startNs;
  /** Prices were seen since the last update. */
  private isAwake = false;

  /** The market was updated: its prices stay the references, those of a time without triggers too. */
  renewBounds(): void {
    this.bounds = freshBounds(this.terms.triggers);
    this.isAwake = false;
    if (this.auction !== undefined && !this.isOpening) this.switchStaleOff();
  }

  /** Prices come. @returns what there was of them before: none since an update, or none at all */
  meetPrices(trades: readonly Priced[]): "awake" | "asleep" | "fresh" {
    if (this.isAwake) return "awake";
    if (trades.length === 0) return "asleep";
    this.isAwake = true;
    if (this.past.length + this.current.length === 0) return "fresh";
    this.count("first prices since an update");
    return "asleep";
  }

  /** The block's prices become one of the past. */
  learnTime(): void {
    if (this.current.length > 0) {
      const value = Decimal.of(sum(this.current, ({ price, size }) => price * size));
      const volume = Decimal.of(sum(this.current, ({ size }) => size));
      this.past.push({ timeNs: this.currentNs, price: value.over(volume) });
      this.current = [];
    }
    this.currentNs = this.nowNs;
    this.forgetOldPrices();
    if (this.auction !== undefined && !this.isOpening) this.switchStaleOff();
  }

  /** Removes prices before the horizon of the last trigger; one price stays. */
  private forgetOldPrices(): void {
    const horizonNs = this.bounds.at(-1)?.trigger.horizonNs;
    if (horizonNs === undefined) return;
    while (this.past.length > 1 && this.past[0]!.timeNs < this.currentNs - horizonNs) this.past.shift();
  }

  /** The first price that an opening auction indicates. */
  learnFirstPrice(): void {
    const uncrossing = this.uncrossing();
    if (!this.isOpening || uncrossing === undefined || this.isAwake) return;
    this.resetPrices(uncrossing.price, uncrossing.volume);
    this.recomputeBounds();
  }

  private refreshedNs: bigint | undefined;

  /** Bounds and probabilities grow old. */
  refreshModels(): void {
    if (this.refreshedNs === undefined || this.nowNs - this.refreshedNs < this.terms.refreshNs) return;
    this.recomputeBounds();
    this.count("models refreshed");
  }

  /** A tick's liquidity scores. */
  learnScores(): void {
    const active = this.provisions.filter(({ status }) => status === Provided.active);
    if (!this.hasStaticSides() || active.length === 0) return;
    const limits = this.bounds.filter(({ isOn }) => isOn).flatMap((bound) => this.limitsOf(bound) ?? []);
    this.scores.learn(
      active.map(({ party }) => party),
      this.book,
      {
        bid: this.bestStatic(BUY),
        ask: this.bestStatic(SELL),
        ...this.range(),
        min: limits
          .map(({ min }) => min)
          .reduce<Decimal | undefined>((a, b) => (a ? a.max(b) : b), undefined),
        max: limits
          .map(({ max }) => max)
          .reduce<Decimal | undefined>((a, b) => (a ? a.min(b) : b), undefined),
      },
    );
  }

  private referencePrice({ horizonNs }: TriggerTerms): Decimal | undefined {
    const at = this.past.findLast(({ timeNs }) => timeNs <= this.currentNs - horizonNs) ?? this.past[0];
    const first = this.current[0];
    return at?.price ?? (first && Decimal.of(first.price));
  }

  recomputeBounds(): void {
    this.refreshedNs = this.nowNs;
    if (this.hasStaticSides()) this.scores.makeTables(this.bestStatic(BUY), this.bestStatic(SELL));
    for (const bound of this.bounds.filter(({ isOn }) => isOn)) {
      const reference = this.referencePrice(bound.trigger);
      if (reference === undefined || reference.sign <= 0) continue;
      const { horizonNs, probability } = bound.trigger;
      const [low, high] = rangeOf(this.terms, reference, Number(horizonNs) / 1e9, probability);
      bound.down = low.over(reference);
      bound.up = high.over(reference);
    }
  }

  private limitsOf(
    bound: Bound,
  ): { readonly min: Decimal; readonly max: Decimal; readonly at: Decimal } | undefined {
    const at = this.referencePrice(bound.trigger);
    return at && { at, min: at.times(bound.down), max: at.times(bound.up) };
  }

  /** Switches off the first bound that each trade violates. @returns these triggers */
  violatedBy(trades: readonly Priced[]): TriggerTerms[] {
    const violated: TriggerTerms[] = [];
    for (const { price } of trades) {
      const bound = this.bounds.find((one) => {
        const limits = this.limitsOf(one);
        return one.isOn && limits && (price < limits.min.ceil() || price > limits.max.floor());
      });
      if (bound === undefined) continue;
      bound.isOn = false;
      violated.push(bound.trigger);
    }
    return violated;
  }

  recordPrices(trades: readonly Priced[]): void {
    this.current.push(...trades.map(({ price, size }) => ({ price, size })));
  }

  switchOn(triggers: readonly TriggerTerms[]): void {
    for (const bound of this.bounds) if (triggers.includes(bound.trigger)) bound.isOn = true;
  }

  switchStaleOff(): void {
    const last = this.past.at(-1)?.timeNs;
    if (last === undefined || this.current.length > 0) return;
    for (const bound of this.bounds) if (last + bound.trigger.horizonNs < this.nowNs) bound.isOn = false;
  }

  switchAllOn(): void {
    for (const bound of this.bounds) bound.isOn = true;
  }

  /** An auction has ended. @param price of its trades; 0 without any */
  resetPrices(price: bigint, size: bigint): void {
    this.switchAllOn();
    if (price > 0n) {
      this.isAwake = true;
      this.past = [];
      this.current = [{ price, size }];
    } else {
      this.past = this.past.slice(-1);
    }
  }

  shownBounds(): string[] {
    const tick = this.terms.priceFactor;
    return this.bounds
      .filter(({ isOn }) => isOn)
      .sort(
        (a, b) =>
          Number(a.trigger.horizonNs - b.trigger.horizonNs) || a.trigger.probability - b.trigger.probability,
      )
      .flatMap((bound) => {
        const limits = this.limitsOf(bound);
        if (limits === undefined) return [];
        const min = limits.min.ceil() / tick;
        const { horizonNs, probability, extensionNs } = bound.trigger;
        const of = `${horizonNs / SECOND_NS}/${probability}/${extensionNs / SECOND_NS}`;
        const reference = limits.at.floor() / tick;
        return [`${tick === 1n ? min : min + 1n}..${limits.max.floor() / tick} of ${reference} by ${of}`];
      });
  }

  /** Removes entries older than the window: a window that becomes longer does not find them again. */
  recordInterest(): void {
    const from = this.nowNs - this.terms.stakeWindowNs;
    const last = this.interest.at(-1)?.timeNs;
    this.interest = this.interest.filter(({ timeNs }) => timeNs >= from || timeNs === last);
    this.interest.push({ timeNs: this.nowNs, volume: this.openInterest });
  }

  private stakeAt(price: bigint, interest: bigint): bigint {
    const value = Decimal.of(price * interest)
      .over(this.terms.sizeFactor)
      .trunc();
    const risk = this.terms.long.max(this.terms.short).times(Decimal.of(100_000n)).trunc();
    return (value * risk * this.terms.stakeScaling) / 10_000_000_000n;
  }

  private maximumInterest(): bigint {
    const from = this.nowNs - this.terms.stakeWindowNs;
    // The last block with trades counts however long ago it was.
    const last = this.interest.at(-1)?.timeNs;
    return this.interest
      .filter(({ timeNs }) => timeNs >= from || timeNs === last)
      .reduce((max, { volume }) => most(max, volume), 0n);
  }

  /** As market data show it. */
  targetStake(): bigint {
    return this.isInAuction ? this.theoreticalStake() : this.stakeNow();
  }

  /** By the mark price and the open interest that there was: fees and commitments go by it. */
  stakeNow(): bigint {
    return this.stakeAt(this.mark, this.maximumInterest());
  }

  /** Below a part of it an auction begins: what was traded before the window counts as far as it is still there. */
  standingStake(): bigint {
    const from = this.nowNs - this.terms.stakeWindowNs;
    const highest = this.interest
      .filter(({ timeNs }) => timeNs >= from)
      .reduce((max, { volume }) => most(max, volume), this.openInterest);
    if (highest < this.maximumInterest()) this.count("interest of a block behind the window");
    return this.stakeAt(this.mark, highest);
  }

  /** With the indicative trades of an auction. */
  theoreticalStake(): bigint {
    const uncrossing = this.uncrossing();
    const sizes = new Map(this.positions.map(({ party, size }) => [party, size]));
    for (const { buy, sell, size } of this.indicativeTrades()) {
      sizes.set(buy, (sizes.get(buy) ?? 0n) + size);
      sizes.set(sell, (sizes.get(sell) ?? 0n) - size);
    }
    const after = sum([...sizes.values()], (size) => (size > 0n ? size : 0n));
    const from = this.nowNs - this.terms.stakeWindowNs;
    const within = this.interest.filter(({ timeNs }) => timeNs >= from);
    if (within.length === 0 && this.interest.length > 0) this.count("open interest of an auction alone");
    const highest = within.reduce((max, { volume }) => most(max, volume), after);
    return this.stakeAt(uncrossing?.price ?? this.mark, highest);
  }

  indicativeTrades(): { readonly buy: string; readonly sell: string; readonly size: bigint }[] {
    const trades: { buy: string; sell: string; size: bigint }[] = [];
    const buys = this.queue(BUY).map(({ party, remaining }) => ({ party, remaining }));
    const sells = this.queue(SELL).map(({ party, remaining }) => ({ party, remaining }));
    let rest = this.uncrossing()?.volume ?? 0n;
    while (rest > 0n) {
      const [buy, sell] = [buys[0]!, sells[0]!];
      const size = [buy.remaining, sell.remaining, rest].reduce((a, b) => (a < b ? a : b));
      trades.push({ buy: buy.party, sell: sell.party, size });
      rest -= size;
      buy.remaining -= size;
      sell.remaining -= size;
      if (buy.remaining === 0n) buys.shift();
      if (sell.remaining === 0n) sells.shift();
    }
    return trades;
  }
}

const freshBounds = (triggers: readonly TriggerTerms[]): Bound[] =>
  sortedTriggers(triggers).map((trigger) => ({
    trigger,
    isOn: true,
    down: Decimal.of("0.9"),
    up: Decimal.of("1.1"),
  }));

/** In the proposal's order, but a shorter horizon that is as probable moves ahead. */
function sortedTriggers(triggers: readonly TriggerTerms[]): TriggerTerms[] {
  return [...triggers].sort((a, b) => (a.horizonNs < b.horizonNs && a.probability >= b.probability ? -1 : 0));
}
