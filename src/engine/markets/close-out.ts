/**
 * Parties that cannot keep their margin lose their orders, and then their positions to the book
 * (docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties).
 */

import { absolute } from "../../wire/arithmetic.ts";
import {
  OrderStatus,
  OrderTimeInForce,
  OrderType,
  TradeType,
  TransferType,
} from "../../wire/generated/vega.ts";
import type { Movement } from "../collateral.ts";
import { NETWORK } from "./context.ts";
import type { Executions } from "./executions.ts";
import type { LiveOrders } from "./live-orders.ts";
import type { MarginOutcome } from "./margins.ts";
import type { MarketParts } from "./market-parts.ts";
import type { PegRepricer } from "./peg-repricer.ts";
import { bare } from "./positions.ts";
import type { ProvisionUpkeep } from "./provision-upkeep.ts";
import { BUY, opposite, SELL, type Side, type StoredOrder } from "./stored-order.ts";
import { continuousTrade, NO_FEE, type Trade, type TradeFee } from "./trade.ts";
import { asOrderSize } from "./volumes.ts";

interface Distressed extends MarginOutcome {
  readonly size: bigint;
  /** Margin, general and bond balance, after the penalties and before the fees of the close-out. */
  readonly funds: bigint;
}

interface CloseOutParts
  extends Pick<MarketParts, "market" | "positions" | "margins" | "fees" | "provisions"> {
  readonly liveOrders: LiveOrders;
  readonly executions: Executions;
  readonly upkeep: ProvisionUpkeep;
  readonly pegs: PegRepricer;
}

export class CloseOut {
  constructor(private readonly parts: CloseOutParts) {}

  /**
   * @param outcomes of the parties in distress, in the order of their margin update
   * @returns orders that left the book or traded, and whether mark to market must run again
   */
  run(outcomes: readonly MarginOutcome[]): {
    readonly touched: readonly StoredOrder[];
    readonly hasTraded: boolean;
  } {
    const { market, positions, margins } = this.parts;
    if (outcomes.length === 0) return { touched: [], hasTraded: false };
    const removed = this.removeOrders(outcomes);
    let remaining = outcomes;
    if (removed.length > 0) {
      const price = market.status.lastTraded;
      const isSafe = ({ party }: MarginOutcome) => {
        const position = positions.get(party);
        if (position === undefined) return true;
        const { maintenance } = margins.levels(bare(position), price);
        return market.accounts.balance(market.accounts.margin(party)) > maintenance;
      };
      const safe = remaining.filter(isSafe);
      if (safe.length > 0) {
        market.core.emit("distressedOrders", {
          marketId: market.id,
          parties: safe.map(({ party }) => party),
        });
      }
      remaining = remaining.filter((outcome) => !safe.includes(outcome));
    }
    const distressed = remaining.map((outcome) => ({
      ...outcome,
      size: positions.get(outcome.party)?.size ?? 0n,
      funds: margins.fundsOf(outcome.party),
    }));
    if (distressed.length === 0) return { touched: removed, hasTraded: false };
    const net = distressed.reduce((sum, { size }) => sum + size, 0n);
    // Trading can end in an auction, whose book does not match.
    const met = net === 0n ? [] : market.isInAuction ? undefined : this.trade(distressed, net);
    if (met === undefined) {
      this.markDistressed(distressed.map(({ party }) => party));
      return { touched: removed, hasTraded: false };
    }
    this.confiscate(distressed);
    return { touched: [...removed, ...met], hasTraded: net !== 0n };
  }

  /** Steps 1 to 3; emits orders after provisions. @returns orders that were on the book */
  private removeOrders(outcomes: readonly MarginOutcome[]): StoredOrder[] {
    const { market, upkeep, positions, provisions, liveOrders, pegs } = this.parts;
    const removed: StoredOrder[] = [];
    for (const { party } of outcomes) {
      for (const side of [BUY, SELL]) {
        for (const order of this.onBook(party, side as Side)) {
          positions.unregister(order);
          market.tables.orders.delete(order.id);
          removed.push({ ...order, place: 0 });
        }
      }
    }
    let isProvided = false;
    for (const { party } of outcomes) {
      const provision = provisions.get(party);
      if (provision === undefined) continue;
      upkeep.end(provision);
      isProvided = true;
    }
    for (const order of removed)
      market.emitOrder({ ...order, status: OrderStatus.STATUS_STOPPED, updatedAt: market.nowNs });
    for (const { party } of outcomes) {
      for (const order of liveOrders.ofParty(party)) liveOrders.remove(order, OrderStatus.STATUS_STOPPED);
    }
    // Each cancelled provision reprices everything: the network trades with the book of that moment.
    if (isProvided) pegs.follow([], { isForced: true });
    return removed;
  }

  /** Buys from the lowest price up, sells from the highest down, each price in its queue's order. */
  private onBook(party: string, side: Side): StoredOrder[] {
    const { liveOrders } = this.parts;
    const mine = liveOrders.ofParty(party).filter((order) => order.side === side && order.place > 0);
    const direction = side === BUY ? 1 : -1;
    return mine.sort((a, b) => {
      if (a.price !== b.price) return a.price < b.price ? -direction : direction;
      return a.place - b.place;
    });
  }

  /** Steps 6 to 8: the network takes the positions over and closes them against the book. @returns the resting orders; undefined where that is too thin */
  private trade(distressed: readonly Distressed[], net: bigint): StoredOrder[] | undefined {
    const { market, executions, fees, liveOrders } = this.parts;
    const side = net > 0n ? SELL : BUY;
    const size = absolute(net);
    const network: StoredOrder = {
      ...this.networkOrder({ id: market.ids.next(), side, size, reference: "LS" }),
      batchId: market.status.batch,
    };
    const match = market.book.match({
      party: NETWORK,
      side,
      limit: undefined,
      size,
      isFillOrKill: true,
      stopsAtOwn: false,
    });
    if (match.filled < size) return undefined;
    this.showDistress([], new Set(distressed.map(({ party }) => party)));
    const trades = fees.pricedCloseOut(
      match.fills.map(({ order, size: part }) => ({
        ...continuousTrade(network, order, part, {
          id: market.ids.next(),
          priceFactor: market.terms.priceFactor,
        }),
        type: TradeType.TYPE_NETWORK_CLOSE_OUT_GOOD,
      })),
    );
    const value = match.fills.reduce((sum, { order, size: part }) => sum + order.price * part, 0n);
    const average = value / size;
    market.emitOrder({ ...network, remaining: 0n, status: OrderStatus.STATUS_FILLED });
    const touched = liveOrders.fill(match);
    const owed = fees.payCloseOut(distressed, trades);
    executions.applyOfNetwork(trades);
    const taken = distressed.map((one) => this.takeOver(one, average, owed.get(one.party) ?? NO_FEE));
    for (const trade of taken) executions.emit(trade);
    return touched;
  }

  /** Step 8, for one party: its position goes to the network, on paper. @returns the trade, to emit after all orders */
  private takeOver({ party, size }: Distressed, average: bigint, fee: TradeFee): Trade {
    const { market, margins } = this.parts;
    const own: Side = size > 0n ? SELL : BUY;
    const volume = absolute(size);
    const theirs = this.networkOrder({
      id: market.ids.next(),
      side: opposite(own),
      size: volume,
      reference: "close-out distressed",
    });
    const mine: StoredOrder = {
      ...this.networkOrder({
        id: market.ids.next(),
        side: own,
        size: volume,
        reference: `distressed-${party}`,
      }),
      party,
      price: average,
    };
    const filled = { remaining: 0n, status: OrderStatus.STATUS_FILLED };
    market.emitOrder({ ...mine, ...filled });
    market.emitOrder({ ...theirs, price: average, ...filled });
    margins.showNone(party);
    return {
      id: market.ids.next(),
      passive: mine,
      aggressor: theirs,
      size: theirs.size,
      price: average,
      shown: average / market.terms.priceFactor,
      timestamp: market.nowNs,
      type: TradeType.TYPE_NETWORK_CLOSE_OUT_BAD,
      side: theirs.side,
      ...(own === BUY ? { buyerFee: fee } : { sellerFee: fee }),
    };
  }

  /** Step 9. */
  private confiscate(distressed: readonly Distressed[]): void {
    const { market, positions } = this.parts;
    const { accounts } = market;
    const movements: Movement[] = [];
    const insured = accounts.balance(accounts.insurance);
    for (const { party, funds } of distressed) {
      market.core.emit("settleDistressed", {
        marketId: market.id,
        partyId: party,
        margin: funds.toString(),
        price: market.status.mark.toString(),
      });
      positions.remove(party);
      const margin = accounts.margin(party);
      for (const from of [accounts.bond(party), accounts.general(party)]) {
        const amount = accounts.balance(from);
        if (amount === 0n) continue;
        movements.push(accounts.move([from], margin, amount, TransferType.TRANSFER_TYPE_MARGIN_LOW));
      }
      const amount = accounts.balance(margin);
      if (amount > 0n) {
        const type = TransferType.TRANSFER_TYPE_MARGIN_CONFISCATED;
        const movement = accounts.move([margin], accounts.insurance, amount, type);
        // Each entry shows the insurance's balance without the other entries
        // (docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties, step 9).
        const entries = movement.entries!.map((entry) => ({
          ...entry,
          toAccountBalance: (insured + amount).toString(),
        }));
        movements.push({ ...movement, entries });
      }
      if (accounts.has(margin)) accounts.remove(margin);
    }
    // All entries are one movement.
    const entries = movements.flatMap((movement) => movement.entries ?? []);
    const balances = movements.flatMap((movement) => movement.balances ?? []);
    if (entries.length > 0) accounts.emit([{ entries, balances }]);
  }

  /** They keep their positions, and are tried again at each mark to market. */
  private markDistressed(parties: readonly string[]): void {
    const { positions } = this.parts;
    const added: string[] = [];
    for (const party of parties) {
      const position = positions.get(party);
      if (position === undefined || position.isDistressed) continue;
      positions.update(position, { isDistressed: true });
      added.push(party);
    }
    this.showDistress(added, new Set(parties));
  }

  /** @param inDistress parties still in distress; all others become safe */
  private showDistress(distressedParties: readonly string[], inDistress: ReadonlySet<string>): void {
    const { market, positions } = this.parts;
    const safeParties: string[] = [];
    for (const position of positions.list()) {
      if (!position.isDistressed || inDistress.has(position.party)) continue;
      positions.update(position, { isDistressed: false });
      safeParties.push(position.party);
    }
    if (distressedParties.length + safeParties.length === 0) return;
    safeParties.sort();
    market.core.emit("distressedPositions", { marketId: market.id, distressedParties, safeParties });
  }

  private networkOrder(of: {
    readonly id: string;
    readonly side: Side;
    readonly size: bigint;
    readonly reference: string;
  }): StoredOrder {
    const { market } = this.parts;
    const size = asOrderSize(of.size);
    return {
      id: of.id,
      market: market.id,
      party: NETWORK,
      side: of.side,
      price: 0n,
      size,
      remaining: size,
      timeInForce: OrderTimeInForce.TIME_IN_FORCE_FOK,
      type: OrderType.TYPE_NETWORK,
      status: OrderStatus.STATUS_ACTIVE,
      createdAt: market.nowNs,
      updatedAt: 0n,
      expiresAt: 0n,
      expiryTurn: 0,
      version: 0n,
      batchId: 0n,
      reference: of.reference,
      peg: undefined,
      provision: "",
      postOnly: false,
      reduceOnly: false,
      reason: 0,
      place: 0,
    };
  }
}
