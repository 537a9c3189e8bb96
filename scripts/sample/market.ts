// One market of the sample: its life from proposal to settlement, its orders and trades (reference 70).
import { type Init } from "../../src/wire/codec.ts";
import {
  AccountType,
  AuctionTrigger,
  DataSourceSpecStatus,
  type MarketData,
  MarketState,
  MarketTradingMode,
  OrderError,
  OrderStatus,
  OrderTimeInForce,
  OrderType,
  Side,
  TradeType,
  TransferType,
} from "../../src/wire/generated/vega.ts";
import { Book, type Fill, type LiveOrder } from "./book.ts";
import { type Account, type Collateral, general, type Move, system } from "./collateral.ts";
import { Liquidity } from "./liquidity.ts";
import { BOUNDS_TRIGGER, dataSources, FEES_PPM, type MarketConfig, marketMessage } from "./market-config.ts";
import { Positions } from "./positions.ts";
import { ceilDiv } from "./ratio.ts";
import type { Rewards } from "./rewards.ts";
import { GENESIS_NS, Step, type World } from "./world.ts";

const PPM = 1_000_000n;
/** `network.markPriceUpdateMaximumFrequency`. */
const MARK_EVERY_NS = 180_000_000_000n;
/** Where nothing happens market data is told only once in so many blocks, which keeps the file small. */
const QUIET_BLOCKS = 100;

export interface OrderPlan {
  readonly party: string;
  readonly side: number;
  /** 0 for market orders. */
  readonly price: bigint;
  readonly size: bigint;
  readonly timeInForce?: number;
  readonly reference?: string;
  readonly expiresAt?: bigint;
  readonly postOnly?: boolean;
  readonly peggedOrder?: { reference: number; offset: string };
}

export class Market {
  readonly book = new Book();
  readonly positions: Positions;
  readonly liquidity: Liquidity;
  state: number = MarketState.STATE_PROPOSED;
  private mode: number = MarketTradingMode.TRADING_MODE_NO_TRADING;
  private tags: readonly string[] = ["class:sample", "base:celestial"];
  private readonly timestamps = { proposed: 0n, pending: 0n, open: 0n, close: 0n };
  private auction = { start: 0n, end: 0n };
  private lastTraded = 0n;
  private nextMark = GENESIS_NS;
  private hasChanged = false;

  constructor(
    private readonly world: World,
    private readonly collateral: Collateral,
    private readonly rewards: Rewards,
    readonly config: MarketConfig,
  ) {
    this.positions = new Positions(world, collateral, config, this.book);
    this.liquidity = new Liquidity(world, collateral, this);
    world.every(Step.markets, () => this.tick());
    world.every(Step.blockEnd, () => this.blockEnd());
  }

  get isOpen(): boolean {
    return this.state === MarketState.STATE_ACTIVE;
  }

  account(type: number): Account {
    return system(type, this.config.asset, this.config.id);
  }

  /** Created by its proposal. */
  create(): void {
    const { world, config } = this;
    for (const type of [
      AccountType.ACCOUNT_TYPE_INSURANCE,
      AccountType.ACCOUNT_TYPE_SETTLEMENT,
      AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY,
      AccountType.ACCOUNT_TYPE_FEES_MAKER,
    ]) {
      this.collateral.open(this.account(type));
    }
    this.timestamps.proposed = world.now;
    this.tellSpecs(DataSourceSpecStatus.STATUS_ACTIVE);
    this.tellData();
    world.emit({ marketCreated: this.message() });
    world.emit({
      riskFactor: {
        market: config.id,
        short: String(Number(config.riskShortPpm) / 1e6),
        long: String(Number(config.riskLongPpm) / 1e6),
      },
    });
  }

  startAuction(endHeight: number): void {
    const { world } = this;
    this.auction = { start: world.now, end: world.timeAt(endHeight) };
    this.timestamps.pending = world.now;
    this.state = MarketState.STATE_PENDING;
    this.mode = MarketTradingMode.TRADING_MODE_OPENING_AUCTION;
    this.tellAuction(false);
    this.update();
    world.at(endHeight, Step.markets, () => this.leaveAuction());
  }

  retag(tags: readonly string[]): void {
    this.tags = tags;
    this.update();
  }

  private leaveAuction(): void {
    const price = this.book.uncrossingPrice();
    const trades = this.book.uncross(price);
    if (trades.length === 0) throw new Error(`${this.config.code} has nothing to open with`);
    for (const { order, fill } of trades) {
      this.tellOrder(fill.resting, statusAfter(fill.resting));
      this.tellTrade(order, fill, undefined);
    }
    for (const order of new Set(trades.map((trade) => trade.order))) this.tellOrder(order, statusAfter(order));
    this.lastTraded = price;
    this.positions.mark = price * this.config.priceFactor;
    this.state = MarketState.STATE_ACTIVE;
    this.mode = MarketTradingMode.TRADING_MODE_CONTINUOUS;
    this.timestamps.open = this.world.now;
    this.liquidity.deploy();
    this.tellAuction(true);
    this.positions.markToMarket();
    this.nextMark = this.world.now + MARK_EVERY_NS;
    this.update();
    this.positions.tellLevels();
  }

  /** Takes an order; runs inside its transaction. */
  place(plan: OrderPlan): LiveOrder {
    const order = this.makeOrder(plan);
    this.positions.hold(order.party, order);
    const fills = this.isOpen ? this.book.match(order, plan.price === 0n) : [];
    this.payFees(order, fills);
    const rests =
      order.remaining > 0n &&
      order.timeInForce !== OrderTimeInForce.TIME_IN_FORCE_IOC &&
      order.timeInForce !== OrderTimeInForce.TIME_IN_FORCE_FOK;
    if (rests) this.book.add(order);
    this.tellOrder(order, rests ? OrderStatus.STATUS_ACTIVE : statusAfter(order));
    for (const fill of fills) this.tellOrder(fill.resting, statusAfter(fill.resting));
    for (const fill of fills) {
      this.tellTrade(order, fill, this.fees(fill));
      this.lastTraded = fill.price;
    }
    this.changed();
    this.positions.tellLevels();
    return order;
  }

  /** An order that is refused because its party has too little. */
  refuse(plan: OrderPlan): void {
    const order = this.makeOrder(plan);
    this.tellOrder(order, OrderStatus.STATUS_REJECTED, OrderError.ORDER_ERROR_MARGIN_CHECK_FAILED);
  }

  cancel(order: LiveOrder): void {
    this.book.remove(order);
    this.tellOrder(order, OrderStatus.STATUS_CANCELLED);
    this.changed();
    this.positions.releaseIdle([order.party]);
    this.positions.tellLevels();
  }

  amend(order: LiveOrder, price: bigint, sizeDelta: bigint): void {
    this.book.remove(order);
    order.price = price;
    order.size += sizeDelta;
    order.remaining += sizeDelta;
    order.version++;
    this.positions.hold(order.party, order);
    this.book.add(order);
    this.tellOrder(order, OrderStatus.STATUS_ACTIVE);
    this.changed();
    this.positions.tellLevels();
  }

  /** The oracle ends trading (reference 70, section 1.4). */
  terminate(): void {
    if (this.positions.hasUnsettledTrades) this.mtm();
    this.state = MarketState.STATE_TRADING_TERMINATED;
    this.mode = MarketTradingMode.TRADING_MODE_NO_TRADING;
    this.timestamps.close = this.world.now;
    this.update();
    this.positions.tellLevels();
  }

  /** The oracle tells the last price; everything is paid back (reference 70, section 6.5). */
  settle(price: bigint): void {
    const { world, config } = this;
    const parties = new Set(this.holders());
    this.positions.settleFinally(price);
    this.tellSpecs(DataSourceSpecStatus.STATUS_DEACTIVATED);
    this.liquidity.payFees();
    const type = TransferType.TRANSFER_TYPE_CLEAR_ACCOUNT;
    const moves: Move[] = [...parties].sort().map((party) => {
      const from = this.positions.marginOf(party);
      return { from, to: general(party, config.asset), amount: this.collateral.balance(from), type };
    });
    this.collateral.move(moves);
    this.liquidity.close();
    const left = this.account(AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY);
    const treasury = system(AccountType.ACCOUNT_TYPE_GLOBAL_REWARD, config.asset);
    this.collateral.move([{ from: left, to: treasury, amount: this.collateral.balance(left), type }]);
    this.state = MarketState.STATE_SETTLED;
    this.update();
    for (const order of [...this.book.orders].sort((a, b) => (a.id < b.id ? -1 : 1))) {
      this.book.remove(order);
      this.tellOrder(order, OrderStatus.STATUS_STOPPED);
    }
    this.lastTraded = price / config.priceFactor;
    this.tellData();
    world.emit({
      settleMarket: { marketId: config.id, price: String(price), positionFactor: String(config.factor) },
    });
  }

  private readonly known = new Set<string>();

  private holders(): Iterable<string> {
    return this.known;
  }

  makeOrder(plan: OrderPlan, liquidityProvisionId = ""): LiveOrder {
    const isMarketOrder = plan.price === 0n;
    const fallback = isMarketOrder ? OrderTimeInForce.TIME_IN_FORCE_IOC : OrderTimeInForce.TIME_IN_FORCE_GTC;
    this.known.add(plan.party);
    return {
      id: this.world.newId("order"),
      party: plan.party,
      side: plan.side,
      price: plan.price,
      size: plan.size,
      remaining: plan.size,
      timeInForce: plan.timeInForce ?? fallback,
      type: isMarketOrder ? OrderType.TYPE_MARKET : OrderType.TYPE_LIMIT,
      createdAt: this.world.now,
      expiresAt: plan.expiresAt ?? 0n,
      reference: plan.reference ?? "",
      liquidityProvisionId,
      peggedOrder: plan.peggedOrder,
      postOnly: plan.postOnly ?? false,
      version: 1,
      status: OrderStatus.STATUS_ACTIVE,
    };
  }

  tellOrder(order: LiveOrder, status: number, reason?: number): void {
    order.status = status;
    this.world.emit({
      order: {
        id: order.id,
        marketId: this.config.id,
        partyId: order.party,
        side: order.side,
        price: String(order.price),
        size: order.size,
        remaining: order.remaining,
        timeInForce: order.timeInForce,
        type: order.type,
        createdAt: order.createdAt,
        status,
        expiresAt: order.expiresAt,
        reference: order.reference,
        reason,
        updatedAt: order.createdAt === this.world.now ? 0n : this.world.now,
        version: BigInt(order.version),
        batchId: 1n,
        peggedOrder: order.peggedOrder,
        liquidityProvisionId: order.liquidityProvisionId,
        postOnly: order.postOnly,
      },
    });
  }

  private fees({ price, size }: Fill) {
    const value = (price * this.config.priceFactor * size) / this.config.factor;
    return {
      maker: ceilDiv(value * FEES_PPM.maker, PPM),
      infrastructure: ceilDiv(value * FEES_PPM.infrastructure, PPM),
      liquidity: ceilDiv(value * this.config.liquidityFeePpm, PPM),
    };
  }

  /** The aggressor pays (reference 70, section 4.2). */
  private payFees(order: LiveOrder, fills: readonly Fill[]): void {
    if (fills.length === 0) return;
    const { asset, id } = this.config;
    const payer = general(order.party, asset);
    const maker = this.account(AccountType.ACCOUNT_TYPE_FEES_MAKER);
    const fees = fills.map((fill) => this.fees(fill));
    const sum = (of: "infrastructure" | "liquidity") => fees.reduce((total, fee) => total + fee[of], 0n);
    const infrastructure = system(AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE, asset);
    const liquidity = this.account(AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY);
    const T = TransferType;
    this.collateral.move([
      ...fees.map((fee) => ({ from: payer, to: maker, amount: fee.maker, type: T.TRANSFER_TYPE_MAKER_FEE_PAY })),
      {
        from: payer,
        to: infrastructure,
        amount: sum("infrastructure"),
        type: T.TRANSFER_TYPE_INFRASTRUCTURE_FEE_PAY,
      },
      { from: payer, to: liquidity, amount: sum("liquidity"), type: T.TRANSFER_TYPE_LIQUIDITY_FEE_PAY },
      ...fills.map((fill, i) => ({
        from: maker,
        to: general(fill.resting.party, asset),
        amount: fees[i]!.maker,
        type: T.TRANSFER_TYPE_MAKER_FEE_RECEIVE,
      })),
    ]);
    for (const fee of fees) this.rewards.countMakerFee(id, order.party, fee.maker);
  }

  private tellTrade(order: LiveOrder, fill: Fill, fees: ReturnType<Market["fees"]> | undefined): void {
    const isBuy = order.side === Side.SIDE_BUY;
    const [buy, sell] = isBuy ? [order, fill.resting] : [fill.resting, order];
    const paid = fees && {
      makerFee: String(fees.maker),
      infrastructureFee: String(fees.infrastructure),
      liquidityFee: String(fees.liquidity),
    };
    const free = fees && { makerFee: "0", infrastructureFee: "0", liquidityFee: "0" };
    this.world.emit({
      trade: {
        id: this.world.newId("trade"),
        marketId: this.config.id,
        price: String(fill.price),
        size: fill.size,
        buyer: buy.party,
        seller: sell.party,
        aggressor: fees ? order.side : Side.SIDE_UNSPECIFIED,
        buyOrder: buy.id,
        sellOrder: sell.id,
        timestamp: this.world.now,
        type: TradeType.TYPE_DEFAULT,
        buyerFee: isBuy ? paid : free,
        sellerFee: isBuy ? free : paid,
      },
    });
    const internal = fill.price * this.config.priceFactor;
    this.positions.trade(buy.party, fill.size, internal);
    this.positions.trade(sell.party, -fill.size, internal);
  }

  private tick(): void {
    if (this.mode === MarketTradingMode.TRADING_MODE_NO_TRADING) return;
    this.expireOrders();
    if (!this.hasChanged && this.world.height % QUIET_BLOCKS !== 0) return;
    this.tellData();
    this.hasChanged = false;
  }

  private expireOrders(): void {
    const due = this.book.orders.filter((o) => o.expiresAt > 0n && o.expiresAt <= this.world.now);
    if (due.length === 0) return;
    for (const order of due) this.book.remove(order);
    this.world.emit({ expiredOrders: { marketId: this.config.id, orderIds: due.map((order) => order.id) } });
    this.changed();
  }

  private blockEnd(): void {
    if (!this.isOpen) return;
    if (this.world.now >= this.nextMark && this.positions.hasUnsettledTrades) this.mtm();
    this.positions.releaseIdle(this.known);
    this.positions.tellLevels();
  }

  private mtm(): void {
    this.positions.mark = this.lastTraded * this.config.priceFactor;
    this.positions.markToMarket();
    this.nextMark = this.world.now + MARK_EVERY_NS;
    this.changed();
  }

  private changed(): void {
    this.hasChanged = true;
  }

  update(): void {
    this.world.emit({ marketUpdated: this.message() });
    this.changed();
  }

  private message() {
    return {
      ...marketMessage(this.config, this.tags),
      tradingMode: this.mode,
      state: this.state,
      marketTimestamps: { ...this.timestamps },
    };
  }

  private tellAuction(leave: boolean): void {
    const { start, end } = this.auction;
    const trigger = AuctionTrigger.AUCTION_TRIGGER_OPENING;
    const marketId = this.config.id;
    this.world.emit({ auction: { marketId, openingAuction: true, leave, start, end, trigger } });
  }

  private tellSpecs(status: number): void {
    const { settlement, termination } = dataSources(this.config);
    for (const { id, data } of [settlement, termination]) {
      const spec = { id, createdAt: this.timestamps.proposed, data, status };
      this.world.emit({ oracleSpec: { externalDataSourceSpec: { spec } } });
    }
  }

  private tellData(): void {
    this.world.emit({ marketData: this.data() });
  }

  private data(): Init<MarketData> {
    const { book, config, auction } = this;
    const bid = book.best(Side.SIDE_BUY);
    const offer = book.best(Side.SIDE_SELL);
    const mid = bid > 0n && offer > 0n ? (bid + offer) / 2n : 0n;
    const isAuction = this.mode === MarketTradingMode.TRADING_MODE_OPENING_AUCTION;
    const mark = this.positions.mark / config.priceFactor;
    const reference = mark > 0n ? mark : config.openingPrice;
    const bounds = {
      minValidPrice: String((reference * 9n) / 10n),
      maxValidPrice: String((reference * 11n) / 10n),
      trigger: BOUNDS_TRIGGER,
      referencePrice: String(reference),
    };
    return {
      markPrice: String(mark),
      bestBidPrice: String(bid),
      bestBidVolume: book.volumeAtBest(Side.SIDE_BUY),
      bestOfferPrice: String(offer),
      bestOfferVolume: book.volumeAtBest(Side.SIDE_SELL),
      bestStaticBidPrice: String(bid),
      bestStaticBidVolume: book.volumeAtBest(Side.SIDE_BUY),
      bestStaticOfferPrice: String(offer),
      bestStaticOfferVolume: book.volumeAtBest(Side.SIDE_SELL),
      midPrice: String(mid),
      staticMidPrice: String(mid),
      market: config.id,
      timestamp: this.world.now,
      openInterest: this.positions.openInterest,
      auctionEnd: isAuction ? auction.end : 0n,
      auctionStart: isAuction ? auction.start : 0n,
      indicativePrice: isAuction ? String(book.uncrossingPrice()) : "0",
      marketTradingMode: this.mode,
      trigger: isAuction ? AuctionTrigger.AUCTION_TRIGGER_OPENING : AuctionTrigger.AUCTION_TRIGGER_UNSPECIFIED,
      targetStake: String(this.positions.openInterest * reference),
      suppliedStake: String(this.liquidity.commitment),
      priceMonitoringBounds: this.isOpen ? [bounds] : [],
      marketValueProxy: String(this.liquidity.commitment),
      liquidityProviderFeeShare: this.liquidity.shares(),
      marketState: this.state,
      nextMarkToMarket: this.nextMark,
      lastTradedPrice: String(this.lastTraded),
    };
  }
}

function statusAfter(order: LiveOrder): number {
  if (order.remaining === 0n) return OrderStatus.STATUS_FILLED;
  const isFleeting = order.timeInForce === OrderTimeInForce.TIME_IN_FORCE_IOC;
  if (!isFleeting) return OrderStatus.STATUS_ACTIVE;
  return order.remaining === order.size ? OrderStatus.STATUS_STOPPED : OrderStatus.STATUS_PARTIALLY_FILLED;
}
