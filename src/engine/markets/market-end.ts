/**
 * The end of a market: rejected, cancelled before it opens, or terminated and settled
 * (docs/protocol/70-trading-markets.md#14-creation-and-transitions and
 * docs/protocol/70-trading-positions.md#65-final-settlement).
 */
import { AccountType, MarketState, TransferType } from "../../wire/generated/vega.ts";
import { accountId, type Movement } from "../collateral.ts";
import { IdGenerator } from "./id-generator.ts";
import type { LiquidityFees } from "./liquidity-fees.ts";
import type { LiveOrders } from "./live-orders.ts";
import type { MarkToMarket } from "./mark-to-market.ts";
import { emitMarketData } from "./market-data.ts";
import type { MarketParts } from "./market-parts.ts";
import type { ProvisionUpkeep } from "./provision-upkeep.ts";
import { keyOf } from "./tables.ts";

interface EndParts extends MarketParts {
  readonly liveOrders: LiveOrders;
  readonly liquidityFees: LiquidityFees;
  readonly upkeep: ProvisionUpkeep;
  readonly marks: MarkToMarket;
  /** Ends the market's subscription to a data source. */
  readonly unsubscribe: (what: "settlement" | "termination") => void;
}

export class MarketEnd {
  constructor(private readonly parts: EndParts) {}

  /** The proposal of the market was refused. */
  reject(): void {
    const { market, upkeep, unsubscribe } = this.parts;
    unsubscribe("termination");
    unsubscribe("settlement");
    upkeep.stopAll();
    this.clearAccounts();
    market.updateRecord({ state: MarketState.STATE_REJECTED });
    market.emitUpdated();
  }

  /** The data that ends trading has arrived. */
  terminate(): void {
    const { market, marks, unsubscribe, settlement } = this.parts;
    const { state } = market.record;
    if (!market.canTrade) return;
    market.ids = IdGenerator.ofBlock(market.core.block.hash, `finalmtm${market.id}`);
    unsubscribe("termination");
    if (state === MarketState.STATE_PENDING) {
      this.cancelMarket();
      return;
    }
    if (settlement.hasTrades) {
      const mark = market.status.lastTraded;
      market.updateStatus({ mark });
      marks.run(mark, { recheck: false });
    }
    market.updateRecord({ state: MarketState.STATE_TRADING_TERMINATED });
    market.emitUpdated();
    if (market.record.settlementPrice >= 0n) this.settle();
  }

  /** The price at which the market settles is known. @param price in asset precision */
  setSettlementPrice(price: bigint): void {
    const { market } = this.parts;
    market.updateRecord({ settlementPrice: price });
    if (market.record.state === MarketState.STATE_TRADING_TERMINATED) this.settle();
  }

  /** docs/protocol/70-trading-positions.md#65-final-settlement. */
  private settle(): void {
    const { market, liquidityFees, upkeep, unsubscribe, settlement } = this.parts;
    const price = market.record.settlementPrice;
    settlement.settleFinally(price, () => unsubscribe("settlement"));
    liquidityFees.distribute();
    this.clearAccounts();
    market.updateRecord({ state: MarketState.STATE_SETTLED });
    market.emitUpdated();
    this.keepIndication();
    this.stopOrders();
    upkeep.stopAll();
    market.updateStatus({ mark: price, lastTraded: price });
    emitMarketData(this.parts);
    market.core.emit("settleMarket", {
      marketId: market.id,
      price: price.toString(),
      positionFactor: market.terms.positionFactor,
    });
    // The next tick's data still show the positions.
    settlement.dropTrades();
  }

  /**
   * Removes the orders with the market; the last indicative price and volume stay in market data
   * (docs/protocol/70-trading-events.md#93-marketdata).
   */
  private keepIndication(): void {
    const { market } = this.parts;
    if (!market.isInAuction || market.book.shown === undefined) return;
    const { price, volume } = market.book.shown;
    market.updateStatus({ lastIndication: { price, volume } });
  }

  /** Terminated before it had opened. */
  private cancelMarket(): void {
    const { market, upkeep, unsubscribe, liveOrders } = this.parts;
    const turn = (party: string) => market.index.members.get(party)?.sequence ?? 0;
    const parties = [...market.index.ordersOf.keys()].sort((a, b) => turn(a) - turn(b) || (a < b ? -1 : 1));
    for (const party of parties) {
      for (const order of liveOrders.ofParty(party)) liveOrders.cancelAndRelease(order);
    }
    unsubscribe("settlement");
    this.clearAccounts();
    market.updateRecord({ state: MarketState.STATE_CANCELLED });
    market.emitUpdated();
    upkeep.stopAll(({ sequence = 0 }) => sequence);
  }

  /** Orders on the book by id, then parked ones. */
  private stopOrders(): void {
    const { market, liveOrders } = this.parts;
    const orders = [...market.index.ordersOf.values()].flatMap((ofParty) => [...ofParty.values()]);
    orders.sort((a, b) => (a.id < b.id ? -1 : 1));
    const placed = orders.filter(({ place }) => place > 0);
    const parked = orders.filter(({ place }) => place === 0);
    for (const order of [...placed, ...parked]) liveOrders.stop(order);
  }

  /** Nothing of the market's trading is kept. */
  private dropRest(): void {
    const { positions, settlement } = this.parts;
    for (const { party } of positions.list()) positions.remove(party);
    settlement.dropTrades();
  }

  /** docs/protocol/70-trading-positions.md#65-final-settlement, step 6: empties the market's accounts. */
  private clearAccounts(): void {
    const { market } = this.parts;
    const { accounts } = market;
    const movements: Movement[] = [];
    const type = TransferType.TRANSFER_TYPE_CLEAR_ACCOUNT;
    for (const party of this.parties()) {
      const general = accounts.general(party);
      const isListed = market.isListed(party);
      // The network leaves the money of dropped parties on their accounts.
      if (!isListed && market.ports.rules.forgetsParties) continue;
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
      movements.push(market.ports.collateral.split(accounts.insurance, to, insurance, type));
    }
    accounts.remove(accounts.insurance);
    accounts.emit(movements);
  }

  private otherInsurances(): string[] {
    const { market } = this.parts;
    const { accounts, ports } = market;
    return ports.collateral
      .systemAccounts(accounts.asset)
      .filter(([id, { type }]) => type === AccountType.ACCOUNT_TYPE_INSURANCE && id !== accounts.insurance)
      .map(([, { market }]) => market)
      .sort()
      .map((market) => accountId(accounts.asset, AccountType.ACCOUNT_TYPE_INSURANCE, undefined, market));
  }

  /** Everybody with an account in the market, by id. */
  private parties(): string[] {
    const { market } = this.parts;
    return market.ports.collateral.marketParties(market.accounts.asset, market.id);
  }

  /** The market has ended: drops everything except the fees of the epoch, which rewards need at its end. */
  drop(): void {
    const { market, prices, targetStake, equity } = this.parts;
    const orders = [...market.index.ordersOf.values()].flatMap((ofParty) => [...ofParty.keys()]);
    for (const id of orders.sort()) market.tables.orders.delete(id);
    this.dropRest();
    for (const party of [...market.index.members.keys()])
      market.tables.members.delete(keyOf(market.id, party));
    prices.drop();
    targetStake.drop();
    equity.drop();
  }
}
