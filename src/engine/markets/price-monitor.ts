/**
 * Price monitoring (docs/protocol/70-trading-liquidity.md#81-price-monitoring): for each trigger the prices between
 * which trades may be made, from a price of the past and what the risk model says of the time since.
 */

import type { Init } from "../../wire/codec.ts";
import { Decimal } from "../../wire/decimal.ts";
import { MarketTradingMode, type PriceMonitoringBounds } from "../../wire/generated/vega.ts";
import { SECOND_NS } from "../../wire/time-text.ts";
import type { MarketContext } from "./context.ts";
import type { PriceMonitorState, TriggerState } from "./records.ts";
import { keyOf, numberKey } from "./tables.ts";
import type { TriggerTerms } from "./terms.ts";
import type { Trade } from "./trade.ts";

const REFRESH = "network.floatingPointUpdates.delay";
/** Factors before the risk model was asked. */
const DOWN = "0.9";
const UP = "1.1";

/** Prices that a market without triggers keeps beside the oldest. */
const UNTRIGGERED_MAX = 100;

/** Prices of the trades that an order would make. */
type Prices = readonly Pick<Trade, "price" | "size">[];

interface Bounds {
  readonly trigger: TriggerTerms;
  readonly state: TriggerState;
  readonly place: number;
  readonly reference: Decimal;
  readonly min: Decimal;
  readonly max: Decimal;
}

export class PriceMonitor {
  constructor(private readonly market: MarketContext) {}

  /**
   * The market's rules were changed: every bound is active, without computed factors. Earlier prices stay the references,
   * those of a time without triggers included, until an opening auction has an indicative price.
   */
  onUpdate(): void {
    this.put({ isInitialised: false, triggers: this.freshTriggers(), nowNs: this.market.nowNs });
    this.switchStaleOff();
  }

  /** Without any price: a new market. */
  reset(): void {
    const { market } = this;
    this.dropPast(() => true);
    market.tables.monitors.set(market.id, {
      isInitialised: false,
      nowNs: market.nowNs,
      first: 0n,
      sum: 0n,
      volume: 0n,
      triggers: this.freshTriggers(),
      // Its time does not change.
      refreshNs: market.tables.monitors.get(market.id)?.refreshNs ?? 0n,
    });
  }

  drop(): void {
    this.dropPast(() => true);
  }

  get isInitialised(): boolean {
    return this.state.isInitialised;
  }

  /**
   * A block has begun: the prices of the last block become one past price
   * (docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order, tick 3).
   */
  onTime(): void {
    const { market, state } = this;
    if (market.nowNs <= state.nowNs) return;
    if (state.volume > 0n) {
      const price = Decimal.of(state.sum).dividedBy(Decimal.of(state.volume)).toString();
      const key = keyOf(market.id, numberKey(market.tables.next()));
      market.tables.pastPrices.set(key, { market: market.id, timeNs: state.nowNs, price });
    }
    this.put({ nowNs: market.nowNs, first: 0n, sum: 0n, volume: 0n });
    this.dropStale();
    this.switchStaleOff();
  }

  /**
   * Whether the factors, and with them the probabilities of trading, have expired
   * (docs/protocol/70-trading-liquidity.md#81-price-monitoring).
   */
  get isRefreshDue(): boolean {
    const { refreshNs } = this.state;
    return refreshNs > 0n && this.market.nowNs >= refreshNs;
  }

  /** Works the factors out again, at the end of an auction and every five minutes. */
  refresh(): void {
    const { market, state } = this;
    const triggers = market.terms.triggers.map((trigger, place) => {
      const before = state.triggers[place]!;
      const reference = before.isActive ? this.referenceOf(trigger) : undefined;
      if (!reference?.isPositive()) return before;
      const seconds = Number(trigger.horizonNs) / Number(SECOND_NS);
      const { min, max } = market.terms.model.priceRange(reference, seconds, trigger.probability);
      return {
        isActive: true,
        down: min.dividedBy(reference).toString(),
        up: max.dividedBy(reference).toString(),
      };
    });
    const refreshNs = market.nowNs + market.params.duration(REFRESH);
    this.put({ triggers, refreshNs });
  }

  /** The first prices that an opening auction indicates. */
  initialise(prices: Prices): void {
    this.restart(prices);
    this.refresh();
  }

  /**
   * Checks the trades that an order would make outside of auctions.
   * @param isPersistent of a kind that may start an auction
   * @returns undefined if they are allowed; 0 if the order must not trade; else the length of the auction to hold
   */
  checkTrades(prices: Prices, isPersistent: boolean): bigint | undefined {
    if (prices.length === 0) return undefined;
    const isFirst = !this.isInitialised;
    if (isFirst && this.startWith(prices)) return undefined;
    const violated = this.violations(prices);
    if (violated.length === 0) {
      // The first order after an update is checked, but its prices are not kept.
      if (!isFirst) this.record(prices);
      return undefined;
    }
    if (!isPersistent) return 0n;
    this.deactivate(violated);
    const length = extensionOf(violated);
    const { minAuctionNs } = this.market;
    return length > minAuctionNs ? length : minAuctionNs;
  }

  /**
   * Checks the trades of an auction whose time has passed.
   * @param isPrice prices have begun the auction, or extended it last: it ends with the only price that is kept
   * @returns the extension; 0 if it may end; undefined without a reference since an update
   */
  checkAuction(prices: Prices, isPrice: boolean): bigint | undefined {
    if (!this.isInitialised) {
      if (prices.length === 0) return undefined;
      this.startWith(prices);
    }
    const violated = this.violations(prices);
    if (violated.length > 0) {
      this.deactivate(violated);
      return extensionOf(violated);
    }
    if (isPrice) this.restart(prices);
    else this.activateAll();
    return 0n;
  }

  /** As events show them: active ones, the shortest horizon first (docs/protocol/70-trading-liquidity.md#81-price-monitoring). */
  bounds(): Init<PriceMonitoringBounds>[] {
    const { market } = this;
    if (market.terms.triggers.length === 0) return [];
    const { priceFactor } = market.terms;
    const settings = market.record.definition.priceMonitoringSettings!.parameters!.triggers;
    return this.activeBounds()
      .sort(
        (a, b) =>
          Number(a.trigger.horizonNs - b.trigger.horizonNs) || a.trigger.probability - b.trigger.probability,
      )
      .map(({ trigger, min, max, reference }) => ({
        minValidPrice: shownMin(min, priceFactor),
        maxValidPrice: (max.floor() / priceFactor).toString(),
        trigger: settings[trigger.index],
        referencePrice: (reference.floor() / priceFactor).toString(),
      }));
  }

  /** Lowest and highest price that no active trigger refuses; undefined without any. */
  allowed(): { readonly min: bigint; readonly max: bigint } | undefined {
    const active = this.market.terms.triggers.length > 0 ? this.activeBounds() : [];
    if (active.length === 0) return undefined;
    return {
      min: active.map(({ min }) => min.ceiling()).reduce((a, b) => (a > b ? a : b)),
      max: active.map(({ max }) => max.floor()).reduce((a, b) => (a < b ? a : b)),
    };
  }

  private get state(): PriceMonitorState {
    return this.market.tables.monitors.get(this.market.id)!;
  }

  private freshTriggers(): TriggerState[] {
    return this.market.terms.triggers.map(() => ({ isActive: true, down: DOWN, up: UP }));
  }

  private put(changes: Partial<PriceMonitorState>): void {
    this.market.tables.monitors.set(this.market.id, { ...this.state, ...changes });
  }

  /** For each trade, the first active bound that it breaks. */
  private violations(prices: Prices): Bounds[] {
    const open = this.market.terms.triggers.length > 0 ? this.activeBounds() : [];
    const violated: Bounds[] = [];
    for (const { price } of prices) {
      const at = open.findIndex(({ min, max }) => price < min.ceiling() || price > max.floor());
      if (at >= 0) violated.push(...open.splice(at, 1));
    }
    return violated;
  }

  private deactivate(violated: readonly Bounds[]): void {
    const places = new Set(violated.map(({ place }) => place));
    this.put({
      triggers: this.state.triggers.map((state, place) =>
        places.has(place) ? { ...state, isActive: false } : state,
      ),
    });
  }

  private activeBounds(): Bounds[] {
    return this.market.terms.triggers.flatMap((trigger, place) => {
      const state = this.state.triggers[place]!;
      const reference = state.isActive ? this.referenceOf(trigger) : undefined;
      if (reference === undefined) return [];
      const min = reference.times(Decimal.parse(state.down));
      const max = reference.times(Decimal.parse(state.up));
      return [{ trigger, state, place, reference, min, max }];
    });
  }

  /** The last price of the past that is a horizon old; the oldest without one; else the first of this block. */
  private referenceOf({ horizonNs }: TriggerTerms): Decimal | undefined {
    const { market, state } = this;
    const past = market.index.pastPrices.list();
    const until = state.nowNs - horizonNs;
    let low = 0;
    let high = past.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (past[middle]!.past.timeNs <= until) low = middle + 1;
      else high = middle;
    }
    const last = past[Math.max(0, low - 1)];
    if (last !== undefined) return Decimal.parse(last.past.price);
    return state.volume > 0n ? Decimal.of(state.first) : undefined;
  }

  /** The first prices since an update. @returns whether there were none before, so that these are the references */
  private startWith(prices: Prices): boolean {
    const isFresh = this.market.index.pastPrices.list().length === 0 && this.state.volume === 0n;
    if (isFresh) this.restart(prices);
    else this.put({ isInitialised: true });
    return isFresh;
  }

  /** All bounds are on again, and the given prices are the only ones; without any, the last one of the past stays. */
  private restart(prices: Prices): void {
    this.activateAll();
    if (prices.length > 0) {
      this.dropPast(() => true);
      this.put({ isInitialised: true, first: 0n, sum: 0n, volume: 0n });
      this.record(prices);
      return;
    }
    const last = this.market.index.pastPrices.list().at(-1);
    this.dropPast((number) => number !== last?.number);
  }

  private activateAll(): void {
    this.put({ triggers: this.state.triggers.map((trigger) => ({ ...trigger, isActive: true })) });
  }

  private record(prices: Prices): void {
    const { state } = this;
    const sum = prices.reduce((all, { price, size }) => all + price * size, state.sum);
    const volume = prices.reduce((all, { size }) => all + size, state.volume);
    this.put({ first: state.volume > 0n ? state.first : prices[0]!.price, sum, volume });
  }

  /**
   * Drops prices from before the horizon of the last trigger, except the newest of them, which is its reference. Without
   * triggers the oldest stays, as a reference for triggers that an update may bring, and a number of the newest.
   */
  private dropStale(): void {
    const { market } = this;
    const last = market.terms.triggers.at(-1);
    const past = market.index.pastPrices.list();
    if (last === undefined) {
      const [oldest, ...others] = past;
      const kept = new Set([oldest, ...others.slice(-UNTRIGGERED_MAX)].map((one) => one?.number));
      if (past.length > kept.size) this.dropPast((number) => !kept.has(number));
      return;
    }
    const from = market.nowNs - last.horizonNs;
    const kept = past.find(({ past: { timeNs } }) => timeNs >= from) ?? past.at(-1);
    if (kept !== undefined) this.dropPast((number) => number < kept.number);
  }

  /** Deactivates triggers in a monitoring auction whose horizon lies behind all prices. */
  switchStaleOff(): void {
    const { market } = this;
    if (market.terms.triggers.length === 0) return;
    const { isRunning, mode } = market.auction;
    if (!isRunning || mode !== MarketTradingMode.TRADING_MODE_MONITORING_AUCTION) return;
    const last = market.index.pastPrices.list().at(-1);
    if (last === undefined || this.state.volume > 0n) return;
    const isStale = ({ horizonNs }: TriggerTerms) => market.nowNs - horizonNs > last.past.timeNs;
    const stale = market.terms.triggers.map(isStale);
    if (!stale.some((gone, place) => gone && this.state.triggers[place]!.isActive)) return;
    this.put({
      triggers: this.state.triggers.map((trigger, place) =>
        stale[place] ? { ...trigger, isActive: false } : trigger,
      ),
    });
  }

  private dropPast(isGone: (number: number) => boolean): void {
    const { market } = this;
    for (const { number } of market.index.pastPrices.list()) {
      if (isGone(number)) market.tables.pastPrices.delete(keyOf(market.id, numberKey(number)));
    }
  }
}

function extensionOf(violated: readonly Bounds[]): bigint {
  return violated.reduce((sum, { trigger }) => sum + trigger.extensionNs, 0n);
}

/** The lowest valid price in market precision: rounded down, and up by one tick where there are ticks. */
function shownMin(min: Decimal, priceFactor: bigint): string {
  const valid = min.ceiling() / priceFactor;
  return (priceFactor === 1n ? valid : valid + 1n).toString();
}
