// A market of the sample: its life from proposal to settlement, its orders and trades (docs/protocol/70-*.md).
import type { Init } from "../../src/wire/codec.ts";
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
  TransferType,
} from "../../src/wire/generated/vega.ts";
import { Book, type Fill, type LiveOrder } from "./book.ts";
import { type Account, type Collateral, general, type Move, system } from "./collateral.ts";
import { Liquidity } from "./liquidity.ts";
import { dataSources, FEES_PPM, type MarketConfig, marketMessage } from "./market-config.ts";
import {
  bookMessage,
  boundsMessage,
  sampleOrderMessage,
  type TradeFees,
  tradeMessage,
} from "./market-messages.ts";
import { newOrder, type OrderPlan, statusAfter } from "./order.ts";
import { Positions } from "./positions.ts";
import { ceilDiv } from "./ratio.ts";
import type { Rewards } from "./rewards.ts";
import { GENESIS_NS, Step, type World } from "./world.ts";

const PPM = 1_000_000n;
/** `network.markPriceUpdateMaximumFrequency`. */
const MARK_EVERY_NS = 300_000_000_000n;
/** Where nothing happens market data is sent only once in a number of blocks, which keeps the file small. */
const QUIET_BLOCKS = 100;

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
  /** Parties that ever had an order here. */
  private readonly known = new Set<string>();

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
    for (const order of new Set(trades.map((trade) => trade.order)))
      this.tellOrder(order, statusAfter(order));
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

  /** The oracle ends trading (docs/protocol/70-trading-markets.md#14-creation-and-transitions). */
  terminate(): void {
    if (this.positions.hasUnsettledTrades) this.mtm();
    this.state = MarketState.STATE_TRADING_TERMINATED;
    this.mode = MarketTradingMode.TRADING_MODE_NO_TRADING;
    this.timestamps.close = this.world.now;
    this.update();
    this.positions.tellLevels();
  }

  /** The oracle tells the last price; everything is paid back (docs/protocol/70-trading-positions.md#65-final-settlement). */
  settle(price: bigint): void {
    const { world, config } = this;
    this.positions.settleFinally(price);
    this.tellSpecs(DataSourceSpecStatus.STATUS_DEACTIVATED);
    this.liquidity.payFees();
    const type = TransferType.TRANSFER_TYPE_CLEAR_ACCOUNT;
    const moves: Move[] = [...this.known].sort().map((party) => {
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

  makeOrder(plan: OrderPlan, liquidityProvisionId = ""): LiveOrder {
    this.known.add(plan.party);
    return newOrder(plan, this.world.newId("order"), this.world.now, liquidityProvisionId);
  }

  tellOrder(order: LiveOrder, status: number, reason?: number): void {
    order.status = status;
    this.world.emit({ order: sampleOrderMessage(order, this.config.id, this.world.now, reason) });
  }

  private fees({ price, size }: Fill): TradeFees {
    const value = (price * this.config.priceFactor * size) / this.config.factor;
    return {
      maker: ceilDiv(value * FEES_PPM.maker, PPM),
      infrastructure: ceilDiv(value * FEES_PPM.infrastructure, PPM),
      liquidity: ceilDiv(value * this.config.liquidityFeePpm, PPM),
    };
  }

  /** The aggressor pays (docs/protocol/70-trading-orders.md#42-fee-transfers). */
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
      ...fees.map((fee) => ({
        from: payer,
        to: maker,
        amount: fee.maker,
        type: T.TRANSFER_TYPE_MAKER_FEE_PAY,
      })),
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

  private tellTrade(order: LiveOrder, fill: Fill, fees: TradeFees | undefined): void {
    const trade = tradeMessage(order, fill, fees);
    const { id: marketId } = this.config;
    this.world.emit({
      trade: { ...trade, id: this.world.newId("trade"), marketId, timestamp: this.world.now },
    });
    const internal = fill.price * this.config.priceFactor;
    this.positions.trade(trade.buyer, fill.size, internal);
    this.positions.trade(trade.seller, -fill.size, internal);
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
    const isAuction = this.mode === MarketTradingMode.TRADING_MODE_OPENING_AUCTION;
    const mark = this.positions.mark / config.priceFactor;
    const reference = mark > 0n ? mark : config.openingPrice;
    return {
      ...bookMessage(book),
      ...(isAuction
        ? {
            auctionStart: auction.start,
            auctionEnd: auction.end,
            trigger: AuctionTrigger.AUCTION_TRIGGER_OPENING,
            indicativePrice: String(book.uncrossingPrice()),
          }
        : { indicativePrice: "0" }),
      markPrice: String(mark),
      market: config.id,
      timestamp: this.world.now,
      openInterest: this.positions.openInterest,
      marketTradingMode: this.mode,
      targetStake: String(this.positions.openInterest * reference),
      suppliedStake: String(this.liquidity.commitment),
      priceMonitoringBounds: this.isOpen ? [boundsMessage(reference)] : [],
      marketValueProxy: String(this.liquidity.commitment),
      liquidityProviderFeeShare: this.liquidity.shares(),
      marketState: this.state,
      nextMarkToMarket: this.nextMark,
      lastTradedPrice: String(this.lastTraded),
    };
  }
}
