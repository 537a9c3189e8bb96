/**
 * A market: the parts it is made of, and its life from its opening auction to its settlement
 * (docs/protocol/70-trading-markets.md#14-creation-and-transitions and #15-per-block-hooks-in-order). The chain calls
 * it at each tick and each block's end; commands reach it through markets.ts.
 */

import { AccountType, MarketState, TransferType } from "../../wire/generated/vega.ts";
import { SECOND_NS } from "../../wire/time-text.ts";
import { accountId, type Movement } from "../collateral.ts";
import { Auctions } from "./auctions.ts";
import { CloseOut } from "./close-out.ts";
import type { MarketPorts } from "./context.ts";
import { IdGenerator } from "./id-generator.ts";
import type { MarginOutcome } from "./margins.ts";
import { emitMarketData } from "./market-data.ts";
import { Orders } from "./orders.ts";
import { Providers } from "./providers.ts";
import type { Position } from "./records.ts";
import { PegRepricer } from "./references.ts";
import { liquidityScores } from "./scores.ts";
import { keyOf } from "./tables.ts";
import { TradingMarket } from "./trading.ts";

const FEE_STEP = "market.liquidity.providers.fee.distributionTimeStep";

export class Market extends TradingMarket {
  override readonly orders = new Orders(this);
  override readonly references = new PegRepricer(this);
  override readonly auctions = new Auctions(this);
  override readonly providers = new Providers(this);
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

  /** Settled, cancelled or rejected: the next tick drops it. */
  get isOver(): boolean {
    const { state } = this.record;
    return OVER.has(state);
  }

  /** docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order, the market's tick. @returns false when the market has ended */
  onTick(): boolean {
    if (this.isOver) return false;
    this.ids = IdGenerator.ofTick(this.core.block.hash, this.id);
    // Before the market's own steps: book and prices are those of the last block
    // (docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order).
    if (this.prices.isRefreshDue) this.refreshModels();
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
      if (this.equity.onTick()) this.providers.keepShares();
      this.score();
      this.providers.updateFee();
      this.core.emit("marketTick", { id: this.id, time: this.nowNs / SECOND_NS });
    }
    this.flush();
    return true;
  }

  emitData(): void {
    emitMarketData(this);
  }

  /** docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order, the end of a block. */
  onBlockEnd(): void {
    // A market that ended in this block still has its block end: the next tick drops it.
    if (this.record.state === MarketState.STATE_REJECTED) return;
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

  /** The time between two marks was changed, nanoseconds. */
  setMarkFrequency(markFrequencyNs: bigint): void {
    const { nextMarkNs, markFrequencyNs: before } = this.status;
    const shifted = nextMarkNs > 0n ? nextMarkNs + markFrequencyNs - before : nextMarkNs;
    this.updateStatus({ markFrequencyNs, nextMarkNs: shifted });
  }

  /** The risk model was changed: margins are computed again, in an opening auction by the indicative price. */
  recheckAll(): void {
    // Without an indicative price there are only orders, which count at their own prices.
    this.recheckMargins(this.margins.priceFor(0n));
  }

  /** The market has ended: drops everything except the fees of the epoch, which rewards need at its end. */
  drop(): void {
    const orders = [...this.index.ordersOf.values()].flatMap((ofParty) => [...ofParty.keys()]);
    for (const id of orders.sort()) this.tables.orders.delete(id);
    this.dropRest();
    for (const party of [...this.index.members.keys()]) this.tables.members.delete(keyOf(this.id, party));
    this.prices.drop();
    this.targetStake.drop();
    this.equity.drop();
  }

  /** Settles gains and losses against a mark price, with all that follows (docs/protocol/70-trading-positions.md#62-mtm-run). */
  override markToMarket(mark: bigint, { recheck = true } = {}): void {
    const { settled, idle } = this.settlement.markToMarket(mark);
    const { version } = this.book;
    const { distressed, isSlashed, unrested } = this.updateMargins(settled, mark);
    const closed = this.closeOut.run(distressed);
    // The network's own trades are settled by a run of their own
    // (docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties, step 10).
    if (closed.hasTraded) this.markToMarket(mark);
    this.providers.updateFee();
    this.references.follow(closed.touched);
    if (!recheck) return;
    // If the book did not change, margins are still current, except for slashed providers.
    const isSame = this.book.version === version && !isSlashed;
    const checked = isSame ? new Set([...idle, ...unrested]) : undefined;
    this.recheckMargins(mark, ({ party }) => checked === undefined || checked.has(party));
  }

  /**
   * Margins of all parties, without close-outs: one event for each party
   * (docs/protocol/70-trading-positions.md#54-when-margin-moves and #62-mtm-run).
   */
  private recheckMargins(price: bigint, isChecked: (position: Position) => boolean = () => true): void {
    for (const position of this.positions.list()) {
      if (!isChecked(position)) continue;
      const { party } = position;
      const movements: Movement[] = [];
      const { shortfall } = this.margins.update(party, position, price, movements, true);
      if (shortfall > 0n) this.providers.slash(party, shortfall, movements);
      this.accounts.emit(movements);
    }
  }

  /** @returns parties that cannot keep their margin, whether a provider was slashed, and parties whose margins a second run would emit again */
  private updateMargins(
    parties: readonly string[],
    mark: bigint,
  ): {
    readonly distressed: MarginOutcome[];
    readonly isSlashed: boolean;
    readonly unrested: readonly string[];
  } {
    const movements: Movement[] = [];
    const outcomes: MarginOutcome[] = [];
    for (const party of parties) {
      const position = this.positions.get(party);
      if (position === undefined) continue;
      outcomes.push(this.margins.update(party, position, mark, movements));
    }
    this.accounts.emit(movements);
    let isSlashed = false;
    const penalties: Movement[] = [];
    for (const { party, shortfall } of outcomes)
      if (shortfall > 0n) isSlashed = this.providers.slash(party, shortfall, penalties) || isSlashed;
    this.accounts.emit(penalties);
    return {
      distressed: outcomes.filter(({ isDistressed }) => isDistressed),
      isSlashed,
      unrested: outcomes.filter(({ isAtRest }) => !isAtRest).map(({ party }) => party),
    };
  }

  /** The vote on the market's proposal has ended (docs/protocol/70-trading-markets.md#14-creation-and-transitions, step 2). */
  openAuction(): void {
    this.auctions.startOpening();
    this.flush();
  }

  /** The proposal of the market was refused. */
  reject(): void {
    this.unsubscribe(this, "termination");
    this.unsubscribe(this, "settlement");
    this.providers.stopAll();
    this.clearAccounts();
    this.updateRecord({ state: MarketState.STATE_REJECTED });
    this.emitUpdated();
  }

  /** The data that ends trading has arrived. */
  terminate(): void {
    const { state } = this.record;
    if (!this.canTrade) return;
    this.ids = IdGenerator.ofBlock(this.core.block.hash, `finalmtm${this.id}`);
    this.unsubscribe(this, "termination");
    if (state === MarketState.STATE_PENDING) {
      this.cancelMarket();
      return;
    }
    if (this.settlement.hasTrades) {
      const mark = this.status.lastTraded;
      this.updateStatus({ mark });
      this.markToMarket(mark, { recheck: false });
    }
    this.updateRecord({ state: MarketState.STATE_TRADING_TERMINATED });
    this.emitUpdated();
    if (this.record.settlementPrice >= 0n) this.settle();
  }

  /** The price at which the market settles is known. @param price in asset precision */
  setSettlementPrice(price: bigint): void {
    this.updateRecord({ settlementPrice: price });
    if (this.record.state === MarketState.STATE_TRADING_TERMINATED) this.settle();
  }

  /**
   * Emits changed margin levels: at the end of a command, a tick and a block. Levels changed by an update or a
   * termination wait for the next of these (docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order).
   */
  flush(): void {
    this.margins.flush();
  }

  /** docs/protocol/70-trading-positions.md#65-final-settlement. */
  private settle(): void {
    const price = this.record.settlementPrice;
    this.settlement.settleFinally(price, () => this.unsubscribe(this, "settlement"));
    this.providers.distribute();
    this.clearAccounts();
    this.updateRecord({ state: MarketState.STATE_SETTLED });
    this.emitUpdated();
    this.keepIndication();
    this.stopOrders();
    this.providers.stopAll();
    this.updateStatus({ mark: price, lastTraded: price });
    this.emitData();
    this.core.emit("settleMarket", {
      marketId: this.id,
      price: price.toString(),
      positionFactor: this.terms.positionFactor,
    });
    // The next tick's data still show the positions.
    this.settlement.dropTrades();
  }

  /**
   * Removes the orders with the market; the last indicative price and volume stay in market data
   * (docs/protocol/70-trading-events.md#93-marketdata).
   */
  private keepIndication(): void {
    if (!this.isInAuction || this.book.shown === undefined) return;
    const { price, volume } = this.book.shown;
    this.updateStatus({ lastIndication: { price, volume } });
  }

  /** Terminated before it had opened. */
  private cancelMarket(): void {
    const turn = (party: string) => this.index.members.get(party)?.sequence ?? 0;
    const parties = [...this.index.ordersOf.keys()].sort((a, b) => turn(a) - turn(b) || (a < b ? -1 : 1));
    for (const party of parties) {
      for (const order of this.orders.ofParty(party)) this.orders.cancelAndRelease(order);
    }
    this.unsubscribe(this, "settlement");
    this.clearAccounts();
    this.updateRecord({ state: MarketState.STATE_CANCELLED });
    this.emitUpdated();
    this.providers.stopAll(({ sequence = 0 }) => sequence);
  }

  /** Orders on the book by id, then parked ones. */
  private stopOrders(): void {
    const orders = [...this.index.ordersOf.values()].flatMap((ofParty) => [...ofParty.values()]);
    orders.sort((a, b) => (a.id < b.id ? -1 : 1));
    const placed = orders.filter(({ place }) => place > 0);
    const parked = orders.filter(({ place }) => place === 0);
    for (const order of [...placed, ...parked]) this.orders.stop(order);
  }

  /** Nothing of the market's trading is kept. */
  private dropRest(): void {
    for (const { party } of this.positions.list()) this.positions.remove(party);
    this.settlement.dropTrades();
  }

  /** docs/protocol/70-trading-positions.md#65-final-settlement, step 6: empties the market's accounts. */
  private clearAccounts(): void {
    const { accounts } = this;
    const movements: Movement[] = [];
    const type = TransferType.TRANSFER_TYPE_CLEAR_ACCOUNT;
    for (const party of this.parties()) {
      const general = accounts.general(party);
      const isListed = this.isListed(party);
      // The network leaves the money of dropped parties on their accounts.
      if (!isListed && this.ports.rules.forgetsParties) continue;
      for (const from of [accounts.margin(party), accounts.bond(party)]) {
        if (!accounts.has(from)) continue;
        const balance = accounts.balance(from);
        // States of earlier versions have such accounts, empty, of parties without a general account.
        if (accounts.has(general) && (isListed || balance > 0n))
          movements.push(accounts.move([from], general, balance, type));
        accounts.remove(from);
      }
    }
    const fees = accounts.balance(accounts.liquidityFees);
    movements.push(
      fees > 0n
        ? accounts.move([accounts.liquidityFees], accounts.insurance, fees, type)
        : accounts.entryOfNothing(accounts.liquidityFees, accounts.insurance, type),
    );
    accounts.remove(accounts.liquidityFees);
    const insurance = accounts.balance(accounts.insurance);
    if (insurance > 0n) {
      const to = [...this.otherInsurances(), accounts.treasury];
      movements.push(this.ports.collateral.split(accounts.insurance, to, insurance, type));
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

  private score(): void {
    if (this.isInAuction) return;
    const scores = liquidityScores(this);
    if (scores.size > 0) this.equity.addScores(scores);
  }

  /** Drops empty positions. */
  private dropFlat(): void {
    for (const party of [...this.index.flat].sort()) {
      if (this.settlement.hasTradesOf(party)) continue;
      if (this.provisions.get(party) === undefined) {
        this.margins.releaseAll(party);
        this.forgetParty(party);
      }
      this.positions.dropFlat(party);
    }
  }

  /** In the order in which the positions were opened. */
  private releaseFlat(): void {
    const flat = [...this.index.flat].map((party) => this.positions.get(party)!);
    for (const { party } of flat.sort((a, b) => a.sequence - b.sequence)) {
      if (this.settlement.hasPositionOf(party)) continue;
      this.margins.releaseAll(party);
      this.forgetParty(party);
    }
  }
}

const OVER: ReadonlySet<number> = new Set([
  MarketState.STATE_SETTLED,
  MarketState.STATE_CANCELLED,
  MarketState.STATE_REJECTED,
  MarketState.STATE_CLOSED,
]);
