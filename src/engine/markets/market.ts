/**
 * A market: the parts it is made of, and its life from its opening auction to its settlement (reference 70, sections 1.4 and
 * 1.5). The chain calls it at each tick and each block's end; commands reach it through markets.ts.
 */
import { Decimal } from "../../wire/decimal.ts";
import { AccountType, MarketState, OrderStatus, TransferType } from "../../wire/generated/vega.ts";
import { accountId, type Movement } from "../collateral.ts";
import { Auctions } from "./auctions.ts";
import { CloseOut } from "./close-out.ts";
import { MarketContext, type MarketPorts, TRADED } from "./context.ts";
import { EquityShares } from "./equity.ts";
import { Fees } from "./fees.ts";
import { IdGenerator } from "./id-generator.ts";
import { type MarginOutcome, Margins } from "./margins.ts";
import { emitMarketData } from "./market-data.ts";
import { BUY, canRest, SELL, type StoredOrder } from "./order.ts";
import { Orders } from "./orders.ts";
import { Positions } from "./positions.ts";
import { PriceMonitor } from "./price-monitor.ts";
import { Providers } from "./providers.ts";
import { Provisions } from "./provisions.ts";
import { ReferenceFollower } from "./references.ts";
import { liquidityScores } from "./scores.ts";
import { Settlement } from "./settlement.ts";
import { TargetStake } from "./target-stake.ts";
import { buyerOf, sellerOf, type Trade, tradeMessage } from "./trade.ts";

const MARK_FREQUENCY = "network.markPriceUpdateMaximumFrequency";
const FEE_STEP = "market.liquidity.providers.fee.distributionTimeStep";
const SECOND = 1_000_000_000n;

export class Market extends MarketContext {
  readonly positions = new Positions(this);
  readonly margins = new Margins(this);
  readonly fees = new Fees(this);
  readonly settlement = new Settlement(this, this.positions);
  readonly prices = new PriceMonitor(this);
  readonly targetStake = new TargetStake(this);
  readonly equity = new EquityShares(this);
  readonly provisions = new Provisions(this);
  readonly providers = new Providers(this);
  readonly orders = new Orders(this);
  readonly references = new ReferenceFollower(this);
  readonly auctions = new Auctions(this);
  private readonly closeOut = new CloseOut(this);

  constructor(
    ports: MarketPorts,
    id: string,
    asset: string,
    /** Subscriptions to data sources end here. */
    private readonly unsubscribe: (market: Market, what: "settlement" | "termination") => void,
  ) {
    super(ports, id, asset);
  }

  /** Orders can be sent, changed and cancelled. */
  get canTrade(): boolean {
    return TRADED.has(this.record.state);
  }

  /** Liquidity can be committed. */
  get canCommit(): boolean {
    return this.canTrade || this.record.state === MarketState.STATE_PROPOSED;
  }

  /** Settled, cancelled or rejected: dropped at the next tick. */
  get isOver(): boolean {
    const { state } = this.record;
    return OVER.has(state);
  }

  /** Target stake as it is judged now. */
  targetStakeNow(): bigint {
    return this.isInAuction ? this.targetStake.theoretical() : this.targetStake.current();
  }

  /** A part of an amount, cut. */
  contractsOf(amount: bigint, part: Decimal): bigint {
    return Decimal.of(amount).times(part).truncated();
  }

  /** Places an order at the end of its price's queue. */
  putOnBook(order: StoredOrder): void {
    if (!canRest(order.timeInForce)) throw new Error("an order of this kind cannot rest");
    this.tables.orders.set(order.id, { ...order, place: this.tables.next() });
  }

  /** Trades were made: they are shown, and everybody's position follows. */
  applyTrades(trades: readonly Trade[]): void {
    for (const trade of trades) {
      this.emitTrade(trade);
      this.positions.trade(buyerOf(trade), trade.size);
      this.positions.trade(sellerOf(trade), trade.size);
      this.settlement.add(trade);
      this.targetStake.recordInterest();
    }
    this.addTradedValue(trades);
    const last = trades.at(-1);
    if (last !== undefined) this.updateStatus({ lastTraded: last.price });
  }

  /** Trades of a close-out: the last traded price stays, and the network has no position. */
  applyNetworkTrades(trades: readonly Trade[]): void {
    for (const trade of trades) {
      this.emitTrade(trade);
      this.positions.trade(trade.passive, trade.size);
      this.settlement.add(trade);
      this.targetStake.recordInterest();
    }
    this.addTradedValue(trades);
  }

  emitTrade(trade: Trade): void {
    this.core.emit("trade", tradeMessage(trade));
  }

  /** The margin of one party by the rule of mark to market. */
  recheck(party: string): void {
    const position = this.positions.get(party);
    if (position === undefined) return;
    const movements: Movement[] = [];
    this.margins.update(party, position, this.margins.priceFor(this.status.mark), movements);
    this.accounts.emit(movements);
  }

  /** Section 1.5, the market's tick. @returns false when the market is over */
  onTick(): boolean {
    if (this.isOver) return false;
    this.ids = IdGenerator.ofBlock(this.core.block.hash, this.id);
    if (this.canTrade) this.orders.expire();
    this.prices.onTime();
    const { state } = this.record;
    if (state !== MarketState.STATE_PROPOSED && state !== MarketState.STATE_TRADING_TERMINATED) {
      const { distributedNs } = this.status;
      if (this.nowNs - distributedNs > this.params.duration(FEE_STEP)) {
        this.updateStatus({ distributedNs: this.nowNs });
        this.providers.distribute();
      }
      this.auctions.onTick();
      this.equity.onTick();
      this.score();
      this.providers.onChange();
      this.core.emit("marketTick", { id: this.id, time: this.nowNs / SECOND });
    }
    this.flush();
    return true;
  }

  emitData(): void {
    emitMarketData(this);
  }

  /** Section 1.5, the end of a block. */
  onBlockEnd(): void {
    this.ids = IdGenerator.ofBlock(this.core.block.hash, `blockend${this.id}`);
    const { mark, lastTraded, nextMarkNs } = this.status;
    const hasTraded = this.settlement.hasTrades;
    const price = !hasTraded && mark > 0n ? mark : lastTraded;
    if (price > 0n && !this.isInAuction && this.nowNs >= nextMarkNs) {
      if (price !== mark) this.updateStatus({ mark: price });
      this.scheduleMark();
      if (hasTraded) this.markToMarket(price);
      this.dropFlat();
      if (this.status.lastTraded !== price) this.updateStatus({ lastTraded: price });
    }
    this.releaseFlat();
    this.positions.flush();
    this.flush();
  }

  scheduleMark(): void {
    this.updateStatus({ nextMarkNs: this.nowNs + this.params.duration(MARK_FREQUENCY) });
  }

  /** The time between two marks was changed, nanoseconds. */
  setMarkFrequency(markFrequencyNs: bigint): void {
    const { nextMarkNs, markFrequencyNs: before } = this.status;
    const shifted = nextMarkNs > 0n ? nextMarkNs + markFrequencyNs - before : nextMarkNs;
    this.updateStatus({ markFrequencyNs, nextMarkNs: shifted });
  }

  /** The risk model was changed. */
  recheckAll(): void {
    const price = this.status.mark;
    if (price > 0n)
      this.updateMargins(
        this.positions.list().map(({ party }) => party),
        price,
      );
    this.flush();
  }

  /** Forgets everything: the market is over. */
  drop(): void {
    const orders = [...this.index.ordersOf.values()].flatMap((ofParty) => [...ofParty.keys()]);
    for (const id of orders.sort()) this.tables.orders.delete(id);
    this.dropRest();
    this.prices.drop();
    this.targetStake.drop();
    this.fees.drop();
  }

  /** Settles gains and losses against a mark price, with all that follows (section 6.2). */
  markToMarket(mark: bigint, { recheck = true } = {}): void {
    const parties = this.settlement.markToMarket(mark);
    const distressed = this.updateMargins(parties, mark);
    if (this.closeOut.run(distressed)) {
      this.markToMarket(mark, { recheck });
      return;
    }
    if (!recheck) return;
    this.providers.onChange();
    this.references.follow([]);
    if (!this.isInAuction)
      this.updateMargins(
        this.positions.list().map(({ party }) => party),
        mark,
      );
  }

  /** @returns those that cannot keep their margin */
  private updateMargins(parties: readonly string[], mark: bigint): MarginOutcome[] {
    const movements: Movement[] = [];
    const outcomes: MarginOutcome[] = [];
    for (const party of parties) {
      const position = this.positions.get(party);
      if (position === undefined) continue;
      if (
        position.size === 0n &&
        this.accounts.balance(this.accounts.margin(party)) === 0n &&
        isBare(position)
      )
        continue;
      outcomes.push(this.margins.update(party, position, mark, movements));
    }
    this.accounts.emit(movements);
    for (const { party, shortfall } of outcomes) if (shortfall > 0n) this.providers.slash(party, shortfall);
    return outcomes.filter(({ isDistressed }) => isDistressed);
  }

  /** Probabilities and price bounds are worked out anew. */
  refreshModels(): void {
    this.prices.refresh();
    this.updateStatus({
      scoredBid: this.book.best(BUY)?.price ?? 0n,
      scoredAsk: this.book.best(SELL)?.price ?? 0n,
    });
  }

  /** The vote on the market's proposal is over (section 1.4, step 2). */
  openAuction(): void {
    this.auctions.startOpening();
    this.flush();
  }

  /** The proposal of the market came to nothing. */
  reject(): void {
    this.providers.stopAll();
    this.clearAccounts();
    this.updateRecord({ state: MarketState.STATE_REJECTED });
    this.emitUpdated();
  }

  /** The data that ends trading has come. */
  terminate(): void {
    const { state } = this.record;
    if (!this.canTrade) return;
    this.ids = IdGenerator.ofBlock(this.core.block.hash, `finalmtm${this.id}`);
    if (state === MarketState.STATE_PENDING) {
      this.cancelMarket();
      return;
    }
    this.unsubscribe(this, "termination");
    if (this.settlement.hasTrades) {
      const mark = this.status.lastTraded;
      this.updateStatus({ mark });
      this.markToMarket(mark, { recheck: false });
    }
    this.updateRecord({ state: MarketState.STATE_TRADING_TERMINATED });
    this.updateAuction({ isRunning: false, isLeaving: false });
    this.emitUpdated();
    if (this.record.settlementPrice >= 0n) this.settle();
    this.flush();
  }

  /** The price at which the market settles is known. @param price in asset precision */
  setSettlementPrice(price: bigint): void {
    this.updateRecord({ settlementPrice: price });
    if (this.record.state !== MarketState.STATE_TRADING_TERMINATED) return;
    this.settle();
    this.flush();
  }

  /** Margin levels of what was done are shown. */
  flush(): void {
    this.margins.flush();
  }

  /** Section 6.5. */
  private settle(): void {
    const price = this.record.settlementPrice;
    this.settlement.settleFinally(price, () => this.unsubscribe(this, "settlement"));
    this.providers.distribute();
    this.clearAccounts();
    this.updateRecord({ state: MarketState.STATE_SETTLED });
    this.emitUpdated();
    this.stopOrders();
    this.providers.stopAll();
    this.updateStatus({ mark: price, lastTraded: price });
    this.emitData();
    this.core.emit("settleMarket", {
      marketId: this.id,
      price: price.toString(),
      positionFactor: this.terms.positionFactor,
    });
    this.dropRest();
  }

  /** Terminated before it had opened. */
  private cancelMarket(): void {
    const parties = [...this.index.ordersOf.keys()].sort();
    for (const party of parties) {
      for (const order of this.orders.ofParty(party)) this.orders.cancelOrder(order);
    }
    this.unsubscribe(this, "termination");
    this.unsubscribe(this, "settlement");
    this.clearAccounts();
    this.updateAuction({ isRunning: false, isLeaving: false });
    this.updateRecord({ state: MarketState.STATE_CANCELLED });
    this.emitUpdated();
    this.providers.stopAll();
    this.dropRest();
    this.flush();
  }

  /** Orders on the book by id, then parked ones. */
  private stopOrders(): void {
    const orders = [...this.index.ordersOf.values()].flatMap((ofParty) => [...ofParty.values()]);
    orders.sort((a, b) => (a.id < b.id ? -1 : 1));
    const placed = orders.filter(({ place }) => place > 0);
    const parked = orders.filter(({ place }) => place === 0);
    for (const order of [...placed, ...parked]) this.orders.remove(order, OrderStatus.STATUS_STOPPED);
  }

  /** Nothing of the market's trading is kept. */
  private dropRest(): void {
    for (const { party } of this.positions.list()) this.positions.remove(party);
    this.settlement.dropTrades();
  }

  /** Section 6.5, step 6: everything on the market's accounts goes back or on. */
  private clearAccounts(): void {
    const { accounts } = this;
    const movements: Movement[] = [];
    const type = TransferType.TRANSFER_TYPE_CLEAR_ACCOUNT;
    for (const party of this.parties()) {
      for (const from of [accounts.margin(party), accounts.bond(party)]) {
        if (!accounts.has(from)) continue;
        movements.push(accounts.move([from], accounts.general(party), accounts.balance(from), type));
        accounts.remove(from);
      }
    }
    const fees = accounts.balance(accounts.liquidityFees);
    movements.push(accounts.move([accounts.liquidityFees], accounts.insurance, fees, type));
    accounts.remove(accounts.liquidityFees);
    const insurance = accounts.balance(accounts.insurance);
    if (insurance > 0n) {
      const to = [...this.otherInsurances(), accounts.treasury];
      movements.push(this.ports.collateral.move({ from: [accounts.insurance], to, amount: insurance, type }));
    }
    accounts.remove(accounts.insurance);
    accounts.emit(movements);
  }

  private otherInsurances(): string[] {
    const { accounts, ports } = this;
    return ports.collateral
      .systemAccounts(accounts.asset)
      .filter(([id, { type }]) => type === AccountType.ACCOUNT_TYPE_INSURANCE && id !== accounts.insurance)
      .map(([, { market }]) => market)
      .sort()
      .map((market) => accountId(accounts.asset, AccountType.ACCOUNT_TYPE_INSURANCE, undefined, market));
  }

  /** Everybody with an account in the market, by id. */
  private parties(): string[] {
    return this.ports.collateral.marketParties(this.accounts.asset, this.id);
  }

  private addTradedValue(trades: readonly Trade[]): void {
    const value = trades.reduce((sum, { price, size }) => sum + this.contracts(price * size).truncated(), 0n);
    if (value === 0n) return;
    this.updateStatus({ tradedValue: this.status.tradedValue + value });
    this.equity.addTraded(value);
  }

  private score(): void {
    if (this.isInAuction) return;
    const scores = liquidityScores(this);
    if (scores.size > 0) this.equity.addScores(scores);
  }

  /** Positions that are nothing any more are forgotten. */
  private dropFlat(): void {
    for (const party of [...this.index.flat].sort()) {
      if (this.settlement.hasTradesOf(party)) continue;
      if (this.provisions.get(party) === undefined) this.margins.releaseAll(party);
      this.positions.forget(party);
    }
  }

  private releaseFlat(): void {
    for (const party of [...this.index.flat].sort()) {
      if (!this.settlement.hasTradesOf(party)) this.margins.releaseAll(party);
    }
  }
}

const OVER: ReadonlySet<number> = new Set([
  MarketState.STATE_SETTLED,
  MarketState.STATE_CANCELLED,
  MarketState.STATE_REJECTED,
  MarketState.STATE_CLOSED,
]);

const isBare = ({ buy, sell }: { readonly buy: bigint; readonly sell: bigint }): boolean =>
  buy === 0n && sell === 0n;
