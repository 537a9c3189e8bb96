// Auctions of the naive market (docs/protocol/70-trading-orders.md#34-entering-an-auction,
// #35-indicative-price-and-uncrossing and docs/protocol/70-trading-liquidity.md#8-auction-triggers).
import { isStatic } from "./book.ts";
import { Decimal, ZERO } from "./decimal.ts";
import type { Fees } from "./margins.ts";
import { BUY, most, type Order, opposite, SELL, type Side, State, Status, Tif, Trigger } from "./model.ts";
import { MarketMonitors } from "./monitors.ts";

export abstract class MarketAuctions extends MarketMonitors {
  startOpening(): void {
    const { nowNs } = this;
    this.auction = {
      trigger: Trigger.opening,
      extension: 0,
      startNs: nowNs,
      endNs: nowNs + this.terms.openingNs,
    };
    this.showAuction();
  }

  enterAuction(trigger: number, lengthNs: bigint): void {
    this.count(`auction by trigger ${trigger}`);
    this.isCleared = false;
    const length = most(lengthNs, this.terms.auctionMinimumNs);
    this.auction = { trigger, extension: 0, startNs: this.nowNs, endNs: this.nowNs + length };
    for (const order of [...this.book, ...this.parked].filter(({ tif }) => tif === Tif.gfn)) {
      const wasParked = order.status === Status.parked;
      this.finish(order, Status.cancelled);
      // A parked order has no part in the position.
      if (!wasParked) this.releaseIfFlat(order.party);
      this.count("GFN cancelled by an auction");
    }
    this.parkPegs();
    this.undeploy();
    this.state = State.suspended;
    this.showAuction();
  }

  /** Both sides keep an order that rests when the book has uncrossed. */
  private keepsBothSides(): boolean {
    const volume = this.uncrossing()?.volume ?? 0n;
    const keeps = (side: Side) => {
      let rest = volume;
      return this.queue(side).some(({ remaining, tif }) => {
        rest -= remaining;
        return rest < 0n && tif !== Tif.gfa;
      });
    };
    return keeps(BUY) && keeps(SELL) && this.hasStaticSides();
  }

  private extend(trigger: number, byNs: bigint): void {
    const auction = this.auction!;
    auction.endNs += byNs;
    const isFirst = auction.extension === Trigger.none;
    auction.extension = trigger;
    this.count(`auction extended by trigger ${trigger}`);
    if (isFirst || trigger !== Trigger.price) this.showAuction();
  }

  /** @returns false when the auction goes on for want of liquidity */
  private hasLiquidity(): boolean {
    this.refillBonds();
    const isFull = this.keepsBothSides();
    const { trigger, extension } = this.auction!;
    const target = this.theoreticalStake();
    // A price auction ends where no stake auction would begin, unless its stake has extended it.
    const isPrice = trigger === Trigger.price && (extension === Trigger.none || extension === Trigger.price);
    const least = isPrice ? this.terms.triggeringRatio.times(Decimal.of(target)).trunc() : target;
    if (isFull && this.supplied >= least) return true;
    this.extend(isFull ? Trigger.stake : Trigger.orders, this.terms.liquidityExtensionNs);
    return false;
  }

  /** Prices have begun it, or extended it last. */
  private get isOfPrices(): boolean {
    const { trigger, extension } = this.auction!;
    return trigger === Trigger.price || extension === Trigger.price;
  }

  /** @returns false when the auction goes on because its price is out of bounds */
  private hasValidPrice(): boolean {
    const { isOfPrices } = this;
    const { price, volume } = this.uncrossing() ?? { price: 0n, volume: 0n };
    const trades = this.indicativeTrades().map(({ size }) => ({ price, size }));
    const before = this.meetPrices(trades);
    if (before === "asleep" && trades.length === 0) {
      if (isOfPrices) this.count("price auction without prices since an update");
      return !isOfPrices;
    }
    if (before === "fresh") this.resetPrices(price, volume);
    const violated = this.violatedBy(trades);
    if (violated.length > 0) {
      this.extend(
        Trigger.price,
        violated.reduce((all, { extensionNs }) => all + extensionNs, 0n),
      );
      return false;
    }
    if (isOfPrices) this.resetPrices(price, volume);
    else this.switchAllOn();
    return true;
  }

  checkAuction(): void {
    const { auction } = this;
    if (auction === undefined) {
      this.checkLiquidity();
      return;
    }
    this.learnFirstPrice();
    if (auction.endNs >= this.nowNs) return;
    if (auction.trigger === Trigger.opening) {
      if (this.uncrossing() !== undefined && this.hasLiquidity()) this.leaveAuction();
    } else if (this.isOfPrices) {
      if (this.hasValidPrice() && this.hasLiquidity()) this.leaveAuction();
    } else if (this.hasLiquidity() && this.hasValidPrice()) this.leaveAuction();
  }

  /** @returns whether an auction begins */
  private checkLiquidity(): boolean {
    this.refillBonds();
    const sides = [BUY, SELL] as const;
    const isFull = sides.every((side) => this.book.some((order) => order.side === side && isStatic(order)));
    const least = this.terms.triggeringRatio.times(Decimal.of(this.standingStake())).trunc();
    if (isFull && this.supplied >= least) return false;
    this.enterAuction(isFull ? Trigger.stake : Trigger.orders, this.terms.auctionMinimumNs);
    this.switchStaleOff();
    return true;
  }

  private leaveAuction(): void {
    const auction = this.auction!;
    const wasOpening = auction.trigger === Trigger.opening;
    this.count(wasOpening ? "opened" : "auction left");
    const uncrossing = this.uncrossing();
    if (uncrossing !== undefined) this.uncross(wasOpening);
    this.batch += 1n;
    for (const order of this.book.filter(({ tif }) => tif === Tif.gfa)) {
      this.finish(order, Status.cancelled);
      this.releaseIfFlat(order.party);
      this.count("GFA cancelled");
    }
    if (wasOpening) {
      this.resetPrices(uncrossing!.price, uncrossing!.volume);
      this.recomputeBounds();
    }
    const before = this.mark;
    this.mark = this.lastTraded;
    this.isCleared = true;
    this.followReferences([], true);
    this.auction = undefined;
    if (this.checkLiquidity()) {
      this.count("auction follows on an auction");
      this.mark = before;
      if (wasOpening) this.equity.startWindows(this.nowNs);
      return;
    }
    this.fact("auction", "leave", +wasOpening);
    this.isCleared = false;
    this.markToMarket();
    this.nextMarkNs = this.nowNs + this.terms.markFrequencyNs;
    this.state = State.active;
    this.recomputeBounds();
    this.liquidityFeeNow();
    if (wasOpening) this.equity.startWindows(this.nowNs);
  }

  private uncross(isOpening: boolean): void {
    const { price, volume, side } = this.uncrossing()!;
    const shown = price / this.terms.priceFactor;
    let rest = volume;
    const extracted: { order: Order; volume: bigint }[] = [];
    for (const order of this.queue(side)) {
      if (rest === 0n) break;
      const part = rest < order.remaining ? rest : order.remaining;
      extracted.push({ order, volume: part });
      rest -= part;
    }
    const others = this.queue(opposite(side));
    for (const { order, volume: whole } of extracted) {
      let open = whole;
      let value = ZERO;
      for (const passive of others) {
        if (open === 0n) break;
        if (passive.remaining === 0n) continue;
        const size = open < passive.remaining ? open : passive.remaining;
        open -= size;
        order.remaining -= size;
        passive.remaining -= size;
        const [buy, sell] = side === BUY ? [order, passive] : [passive, order];
        this.auctionTrade(buy, sell, size, price, shown, isOpening);
        value = value.plus(this.tradeValue(price, size));
        for (const one of [order, passive]) if (one.remaining === 0n) this.fill(one);
        this.touchedInAuction.push(passive);
      }
      this.equity.recordTraded(value.floor());
    }
    for (const order of this.touchedInAuction) this.showOrder(order);
    for (const { order } of extracted) this.showOrder(order);
    this.touchedInAuction = [];
    this.lastTraded = price;
  }

  private touchedInAuction: Order[] = [];

  private fill(order: Order): void {
    order.status = Status.filled;
    this.take(order);
  }

  private auctionTrade(
    buy: Order,
    sell: Order,
    size: bigint,
    price: bigint,
    shown: bigint,
    isOpening: boolean,
  ) {
    if (buy.party === sell.party) this.count("self-trade in an auction");
    let fees: Fees | undefined;
    if (!isOpening) {
      const whole = this.feesOf(price, size);
      this.payAuctionFees(sell.party, buy.party, whole);
      const half = (fee: bigint) => (fee + 1n) / 2n;
      fees = { maker: 0n, infrastructure: half(whole.infrastructure), liquidity: half(whole.liquidity) };
    }
    this.showTrade(buy, sell, size, shown, 0, 1, fees, undefined);
    this.applyTrade(buy, sell, size, price, shown);
  }
}
