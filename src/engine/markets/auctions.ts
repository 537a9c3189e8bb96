/**
 * Auctions: how they begin, go on, and end with an uncrossing
 * (docs/protocol/70-trading-orders.md#34-entering-an-auction to #36-auction-event, and
 * docs/protocol/70-trading-liquidity.md#8-auction-triggers).
 */

import { Decimal } from "../../wire/decimal.ts";
import {
  AuctionTrigger,
  MarketState,
  MarketTradingMode,
  OrderStatus,
  OrderTimeInForce,
  OrderType,
  TradeType,
} from "../../wire/generated/vega.ts";
import { asInt64 } from "../../wire/limits.ts";
import type { Bonds } from "./bonds.ts";
import type { Extracted, Indication } from "./book.ts";
import type { Executions } from "./executions.ts";
import type { LiquidityFees } from "./liquidity-fees.ts";
import type { LiveOrders } from "./live-orders.ts";
import type { MarkToMarket } from "./mark-to-market.ts";
import type { MarketParts } from "./market-parts.ts";
import type { PegRepricer } from "./peg-repricer.ts";
import type { Auction } from "./records.ts";
import { refreshModels } from "./scores.ts";
import { BUY, SELL, type Side, type StoredOrder } from "./stored-order.ts";
import type { Trade } from "./trade.ts";

const { AUCTION_TRIGGER_PRICE, AUCTION_TRIGGER_UNSPECIFIED } = AuctionTrigger;
const TARGET_NOT_MET = AuctionTrigger.AUCTION_TRIGGER_LIQUIDITY_TARGET_NOT_MET;
const UNABLE_TO_DEPLOY = AuctionTrigger.AUCTION_TRIGGER_UNABLE_TO_DEPLOY_LP_ORDERS;
const LIQUIDITY_TRIGGERS: ReadonlySet<number> = new Set([TARGET_NOT_MET, UNABLE_TO_DEPLOY]);

interface AuctionParts
  extends Pick<MarketParts, "market" | "fees" | "prices" | "targetStake" | "equity" | "provisions"> {
  readonly liveOrders: LiveOrders;
  readonly executions: Executions;
  readonly bonds: Bonds;
  readonly liquidityFees: LiquidityFees;
  readonly pegs: PegRepricer;
  readonly marks: MarkToMarket;
}

export class Auctions {
  constructor(private readonly parts: AuctionParts) {}

  /** The opening auction of a market whose proposal has passed. */
  startOpening(): void {
    const { market } = this.parts;
    market.updateRecord({ state: MarketState.STATE_PENDING });
    market.updateAuction({ isRunning: true });
    this.emit({ isLeaving: false });
    market.emitUpdated();
  }

  /** Prices would leave their bounds. @param length nanoseconds */
  startPrice(length: bigint): void {
    this.start(AUCTION_TRIGGER_PRICE, length);
  }

  /** The minimum duration was changed: an auction with an end lasts at least that long, from its begin. */
  onMinDurationChanged(): void {
    const { market } = this.parts;
    const { beginNs, endNs } = market.auction;
    const minEndNs = asInt64(beginNs + market.minAuctionNs);
    if (endNs === beginNs || minEndNs <= endNs) return;
    market.updateAuction({ endNs: minEndNs });
    this.emit({ extension: AUCTION_TRIGGER_UNSPECIFIED, isLeaving: false });
  }

  /** At each tick (docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order, step 6). */
  onTick(): void {
    const { market, prices } = this.parts;
    if (!market.isInAuction) {
      this.checkLiquidity();
      return;
    }
    const indication = market.book.indication();
    if (market.isOpening && indication !== undefined && !prices.isInitialised)
      prices.initialise([{ price: indication.price, size: indication.volume }]);
    const { beginNs, endNs } = market.auction;
    if (endNs === beginNs || endNs >= market.nowNs) return;
    if (market.isOpening) {
      if (indication === undefined || !this.hasLiquidity(indication)) return;
      if (market.ports.hasModels?.(market.id) === false) return;
    } else if (this.isOfPrices) {
      if (!this.mayEndByPrice(indication) || !this.hasLiquidity(indication)) return;
    } else if (!this.hasLiquidity(indication) || !this.mayEndByPrice(indication)) return;
    this.leave(indication);
  }

  /**
   * Outside of auctions: too little stake, or nothing on a side
   * (docs/protocol/70-trading-liquidity.md#82-liquidity-monitoring).
   * @returns whether an auction began
   */
  checkLiquidity(): boolean {
    const { market, bonds, targetStake, provisions, prices } = this.parts;
    bonds.refillAll();
    const hasBoth = this.hasStaticSides();
    const threshold = partOf(targetStake.standing(), market.terms.triggeringRatio);
    if (hasBoth && provisions.supplied() >= threshold) return false;
    this.start(hasBoth ? TARGET_NOT_MET : UNABLE_TO_DEPLOY, market.minAuctionNs);
    // The tick's prices are checked in the auction for the first time.
    prices.switchStaleOff();
    return true;
  }

  private start(trigger: number, length: bigint): void {
    const { market, pegs } = this.parts;
    market.updateAuction({
      mode: MarketTradingMode.TRADING_MODE_MONITORING_AUCTION,
      trigger,
      extension: AUCTION_TRIGGER_UNSPECIFIED,
      beginNs: market.nowNs,
      endNs: asInt64(market.nowNs + length),
      isRunning: true,
      isLeaving: false,
      isExtended: this.isExtendedStill,
    });
    this.cancelKind(OrderTimeInForce.TIME_IN_FORCE_GFN);
    pegs.withdrawAll();
    this.emit({ isLeaving: false });
    market.updateRecord({ state: MarketState.STATE_SUSPENDED });
    market.emitUpdated();
  }

  /** An auction begins without an extension. */
  private get isExtendedStill(): boolean {
    const { auction, ports } = this.parts.market;
    return ports.rules.keepsExtensionFlag && auction.isExtended;
  }

  private extend(trigger: number, length: bigint): void {
    const { market } = this.parts;
    const { endNs, isExtended } = market.auction;
    market.updateAuction({ endNs: asInt64(endNs + length), extension: trigger, isExtended: true });
    // Each lack of liquidity is announced; prices are announced once, and not after another extension.
    if (!isExtended || LIQUIDITY_TRIGGERS.has(trigger)) this.emit({ isLeaving: false });
  }

  /**
   * An auction whose time has passed goes on until there is enough volume and stake
   * (docs/protocol/70-trading-orders.md#35-indicative-price-and-uncrossing).
   */
  private hasLiquidity(indication: Indication | undefined): boolean {
    const { market, bonds, targetStake, provisions } = this.parts;
    bonds.refillAll();
    const hasBoth = this.hasStaticSides() && this.leavesBothSides(indication);
    const target = targetStake.theoretical(indication);
    const required = this.wantsTarget ? target : partOf(target, market.terms.triggeringRatio);
    if (hasBoth && provisions.supplied() >= required) return true;
    this.extend(hasBoth ? TARGET_NOT_MET : UNABLE_TO_DEPLOY, market.terms.liquidityExtensionNs);
    return false;
  }

  /** Whether the end takes the full target stake: not for a price auction, which takes the stake below which an auction begins. */
  private get wantsTarget(): boolean {
    const { trigger, extension } = this.parts.market.auction;
    return (
      this.parts.market.isOpening || trigger !== AUCTION_TRIGGER_PRICE || LIQUIDITY_TRIGGERS.has(extension)
    );
  }

  /**
   * The trades that uncrossing would make: each may break a bound of its own
   * (docs/protocol/70-trading-liquidity.md#81-price-monitoring).
   */
  private indicated(indication: Indication | undefined): { price: bigint; size: bigint }[] {
    const { market } = this.parts;
    if (indication === undefined) return [];
    const { price, volume } = indication;
    if (market.terms.triggers.length === 0) return [{ price, size: volume }];
    const fills = market.book.uncrossing(indication).flatMap((match) => match.fills);
    return fills.map(({ size }) => ({ price, size }));
  }

  /**
   * Price monitoring began the auction, or extended it last: prices are checked before the stake
   * (docs/protocol/70-trading-orders.md#35-indicative-price-and-uncrossing).
   */
  private get isOfPrices(): boolean {
    const { trigger, extension } = this.parts.market.auction;
    return trigger === AUCTION_TRIGGER_PRICE || extension === AUCTION_TRIGGER_PRICE;
  }

  private mayEndByPrice(indication: Indication | undefined): boolean {
    const { prices } = this.parts;
    const { isOfPrices } = this;
    const extension = prices.checkAuction(this.indicated(indication), isOfPrices);
    // If an update dropped the prices, a price auction goes on until orders would trade.
    if (extension === undefined) return !isOfPrices;
    if (extension === 0n) return true;
    this.extend(AUCTION_TRIGGER_PRICE, extension);
    return false;
  }

  private hasStaticSides(): boolean {
    const { book } = this.parts.market;
    return book.bestStatic(BUY) !== undefined && book.bestStatic(SELL) !== undefined;
  }

  /** After the uncrossing each side holds an order that stays. */
  private leavesBothSides(indication: Indication | undefined): boolean {
    return [BUY, SELL].every((side) => this.leavesSide(side as Side, indication?.volume ?? 0n));
  }

  private leavesSide(side: Side, traded: bigint): boolean {
    let rest = traded;
    for (const level of this.parts.market.book.levels(side)) {
      if (level.volume <= rest) {
        rest -= level.volume;
        continue;
      }
      for (const order of level.orders) {
        const left = order.remaining - rest;
        rest = rest > order.remaining ? rest - order.remaining : 0n;
        const stays =
          order.timeInForce !== OrderTimeInForce.TIME_IN_FORCE_GFA && order.type === OrderType.TYPE_LIMIT;
        if (left > 0n && stays) return true;
      }
    }
    return false;
  }

  /**
   * Uncrosses the book and goes back to continuous trading, or into the next auction
   * (docs/protocol/70-trading-orders.md#35-indicative-price-and-uncrossing).
   */
  private leave(indication: Indication | undefined): void {
    const { market, liquidityFees, marks, prices, pegs, equity } = this.parts;
    const isOpening = market.isOpening;
    const { beginNs } = market.auction;
    const { tradedValue } = market.status;
    // An opening auction's price is the first one, however far from the indicative price.
    if (isOpening) prices.initialise(this.indicated(indication));
    market.updateStatus({ batch: market.status.batch + 1n });
    market.updateAuction({ isLeaving: true });
    this.uncross(indication, isOpening);
    this.cancelKind(OrderTimeInForce.TIME_IN_FORCE_GFA);
    const left = market.auction;
    const { mark } = market.status;
    market.updateAuction({
      mode: MarketTradingMode.TRADING_MODE_CONTINUOUS,
      trigger: AUCTION_TRIGGER_UNSPECIFIED,
      extension: AUCTION_TRIGGER_UNSPECIFIED,
      beginNs: 0n,
      endNs: 0n,
      isRunning: false,
      isLeaving: false,
      isExtended: this.isExtendedStill,
    });
    market.updateStatus({ mark: market.status.lastTraded });
    pegs.follow([], { isForced: true });
    // Trades before the windows begin count for the opening.
    const startWindows = () => equity.startWindows(market.status.tradedValue - tradedValue);
    if (this.checkLiquidity()) {
      market.updateStatus({ mark });
      if (isOpening) startWindows();
      return;
    }
    this.emit({ ...left, beginNs, isLeaving: true });
    marks.run(market.status.lastTraded);
    market.scheduleMark();
    refreshModels(this.parts);
    // Market data show the state after the auction, including a changed fee.
    market.updateRecord({ state: MarketState.STATE_ACTIVE, ...(isOpening && { openAt: market.nowNs }) });
    market.emitUpdated();
    liquidityFees.update();
    if (isOpening) startWindows();
  }

  /** Executes the crossing orders. */
  private uncross(indication: Indication | undefined, isOpening: boolean): void {
    const { market, executions, fees } = this.parts;
    if (indication === undefined) return;
    const done: StoredOrder[] = [];
    // Everything is matched before events: an order matched twice is emitted with its last values both times.
    const matches = market.book.uncrossing(indication);
    const trades = matches.map((match) => this.tradesOf(match, indication));
    this.takeVolumes(matches);
    for (const [index, { order, fills }] of matches.entries()) {
      const priced = isOpening ? trades[index]! : fees.payAuction(trades[index]!);
      for (const fill of fills) market.emitOrder(this.afterwards(fill.order));
      executions.apply(priced);
      done.push(this.afterwards(order));
    }
    for (const order of done) market.emitOrder(order);
  }

  /** An order with its matched volume. */
  private afterwards(order: StoredOrder): StoredOrder {
    const live = this.parts.market.tables.orders.get(order.id);
    if (live !== undefined) return live;
    return { ...order, remaining: 0n, status: OrderStatus.STATUS_FILLED, updatedAt: this.parts.market.nowNs };
  }

  private takeVolumes(matches: readonly Extracted[]): void {
    for (const { order, size, fills } of matches) {
      this.takeVolume(order.id, size);
      for (const fill of fills) this.takeVolume(fill.order.id, fill.size);
    }
  }

  private takeVolume(id: string, size: bigint): void {
    const { tables, nowNs } = this.parts.market;
    const order = tables.orders.get(id)!;
    if (order.remaining === size) tables.orders.delete(id);
    else tables.orders.set(id, { ...order, remaining: order.remaining - size, updatedAt: nowNs });
  }

  private tradesOf({ order, fills }: Extracted, { price }: Indication): Trade[] {
    const { market } = this.parts;
    return fills.map(({ order: passive, size }) => ({
      id: market.ids.next(),
      passive,
      aggressor: order,
      size,
      price,
      shown: price / market.terms.priceFactor,
      timestamp: market.nowNs,
      type: TradeType.TYPE_DEFAULT,
      side: 0,
    }));
  }

  /** Cancels orders of a time in force: buys from the lowest price up, sells from the highest down, then parked orders by id. */
  private cancelKind(timeInForce: number): void {
    const { liveOrders } = this.parts;
    const { book, index } = this.parts.market;
    const isEnding = (order: StoredOrder) => order.timeInForce === timeInForce;
    const placed = ([BUY, SELL] as const).flatMap((side) =>
      [...book.levels(side)].reverse().flatMap((level) => [...level.orders].filter(isEnding)),
    );
    const parked = [...index.parked.values()].filter(isEnding).sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const order of placed) liveOrders.cancelAndRelease(order);
    // Parked orders do not count for the position.
    for (const order of parked) liveOrders.cancelOrder(order);
  }

  private emit({ isLeaving, ...over }: Partial<Auction> & { readonly isLeaving: boolean }): void {
    const { market } = this.parts;
    const auction = { ...market.auction, ...over };
    market.core.emit("auction", {
      marketId: market.id,
      openingAuction: auction.mode === MarketTradingMode.TRADING_MODE_OPENING_AUCTION,
      leave: isLeaving,
      start: auction.beginNs,
      end: isLeaving ? market.nowNs : auction.endNs,
      trigger: auction.trigger,
      // The end event does not state what extended the auction (docs/protocol/70-trading-orders.md#36-auction-event).
      extensionTrigger: isLeaving ? AUCTION_TRIGGER_UNSPECIFIED : auction.extension,
    });
  }
}

/** A part of an amount, cut. */
function partOf(amount: bigint, part: Decimal): bigint {
  return Decimal.of(amount).times(part).truncated();
}
