/**
 * A trading market: its independent parts, and the ports between the dependent ones (orders, auctions, providers,
 * repricing).
 */
import { Decimal } from "../../wire/decimal.ts";
import { MarketState, type TradableInstrument } from "../../wire/generated/vega.ts";
import type { Movement } from "../collateral.ts";
import type { Match } from "./book.ts";
import { MarketContext, TAU_SCALING, TRADED } from "./context.ts";
import { EquityShares } from "./equity.ts";
import { Fees } from "./fees.ts";
import { Margins } from "./margins.ts";
import { BUY, canRest, SELL, type StoredOrder } from "./order.ts";
import { Positions } from "./positions.ts";
import { PriceMonitor } from "./price-monitor.ts";
import { Provisions } from "./provisions.ts";
import type { Provision, References } from "./records.ts";
import { Settlement } from "./settlement.ts";
import { TargetStake } from "./target-stake.ts";
import { buyerOf, sellerOf, type Trade, tradeMessage } from "./trade.ts";

const MARK_FREQUENCY = "network.markPriceUpdateMaximumFrequency";

/** orders.ts */
interface OrdersPort {
  park(order: StoredOrder): StoredOrder;
  cancelOrder(order: StoredOrder): void;
  cancelAndRelease(order: StoredOrder): void;
  remove(order: StoredOrder, status: number): void;
  /** @returns the resting orders as they are after it */
  fill(match: Pick<Match, "fills"> | undefined): StoredOrder[];
  /** Live orders of a party, by id. */
  ofParty(party: string): StoredOrder[];
  releaseIfFlat(party: string): void;
}

/** references.ts */
interface ReferencesPort {
  current(): References;
  priced(order: StoredOrder): StoredOrder | undefined;
  follow(touched: readonly StoredOrder[], options?: { readonly isForced?: boolean }): void;
  withdrawAll(): void;
  dropOrder(order: StoredOrder, status: number): void;
}

/** auctions.ts */
interface AuctionsPort {
  /** @param length nanoseconds */
  startPrice(length: bigint): void;
}

/** providers.ts */
interface ProvidersPort {
  slash(party: string, shortfall: bigint, movements: Movement[]): void;
  refillBonds(): void;
  coverAll(provisions: readonly Provision[]): StoredOrder[];
  end(provision: Provision): void;
  updateFee(): void;
}

export abstract class TradingMarket extends MarketContext {
  readonly positions = new Positions(this);
  readonly margins = new Margins(this);
  readonly fees = new Fees(this);
  readonly settlement = new Settlement(this, this.positions);
  readonly prices = new PriceMonitor(this);
  readonly targetStake = new TargetStake(this);
  readonly equity = new EquityShares(this);
  readonly provisions = new Provisions(this);
  abstract readonly orders: OrdersPort;
  abstract readonly references: ReferencesPort;
  abstract readonly auctions: AuctionsPort;
  abstract readonly providers: ProvidersPort;

  /** Settles gains and losses against a mark price, with all that follows. */
  abstract markToMarket(mark: bigint): void;

  /** Orders can be sent, changed and cancelled. */
  get canTrade(): boolean {
    return TRADED.has(this.record.state);
  }

  /** Liquidity can be committed. */
  get canCommit(): boolean {
    return this.canTrade || this.record.state === MarketState.STATE_PROPOSED;
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

  /** The margin of one party, by the rule of rechecks. */
  recheck(party: string): void {
    const position = this.positions.get(party);
    if (position === undefined) return;
    const movements: Movement[] = [];
    this.margins.update(party, position, this.margins.priceFor(this.status.mark), movements, true);
    this.accounts.emit(movements);
  }

  scheduleMark(): void {
    this.updateStatus({ nextMarkNs: this.nowNs + this.params.duration(MARK_FREQUENCY) });
  }

  /** Probabilities and price bounds are worked out again. */
  refreshModels(): void {
    this.prices.refresh();
    const scoredBid = this.book.bestStatic(BUY)?.price;
    const scoredAsk = this.book.bestStatic(SELL)?.price;
    // Without one of them the probabilities stay as they are.
    if (scoredBid === undefined || scoredAsk === undefined) return;
    const scoredScaling = this.params.decimal(TAU_SCALING).toString();
    this.updateStatus({ scoredBid, scoredAsk, scoredModel: undefined, scoredScaling });
  }

  /**
   * The market's rules were changed: probabilities stay those of the former model until they are worked out again
   * (docs/protocol/70-trading-markets.md#17-market-update).
   */
  keepScoredModel({ logNormalRiskModel, simpleRiskModel }: TradableInstrument): void {
    this.updateStatus({ scoredModel: this.status.scoredModel ?? { logNormalRiskModel, simpleRiskModel } });
  }

  /** @param trades of one order: their value is floored together (docs/protocol/70-trading-orders.md#45-activity-tracking-for-rewards) */
  private addTradedValue(trades: readonly Trade[]): void {
    const value = this.contracts(trades.reduce((sum, { price, size }) => sum + price * size, 0n)).truncated();
    if (value === 0n) return;
    this.updateStatus({ tradedValue: this.status.tradedValue + value });
    this.equity.addTraded(value);
  }
}
