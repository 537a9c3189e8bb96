/**
 * Orders on their way in, changed and taken back (docs/protocol/70-trading-orders.md#25-submission-step-by-step to
 * #210-self-trade-rule and #32-continuous-matching).
 */

import type { CommandText } from "../../errors/result-codes.ts";
import { absolute, compare, smaller } from "../../wire/arithmetic.ts";
import type { OrderAmendment, OrderSubmission } from "../../wire/generated/commands.ts";
import {
  OrderStatus,
  OrderTimeInForce,
  OrderType,
  PeggedReference,
  Side as WireSide,
} from "../../wire/generated/vega.ts";
import type { Movement } from "../collateral.ts";
import { CommandError } from "../errors.ts";
import { parseUint, UINT_MAX } from "../values.ts";
import type { Auctions } from "./auctions.ts";
import type { Bonds } from "./bonds.ts";
import type { Match } from "./book.ts";
import type { Executions } from "./executions.ts";
import type { LiveOrders } from "./live-orders.ts";
import type { MarketParts } from "./market-parts.ts";
import { bookProblem, checkAmendment, expiryOf, pegProblem } from "./order-validity.ts";
import type { PegRepricer } from "./peg-repricer.ts";
import { reducesExposure } from "./positions.ts";
import type { Position } from "./records.ts";
import {
  type MissingFunds,
  ORDER_ERRORS,
  type OrderErrorName,
  orderError,
  refusal,
  SELF_TRADING,
  STOPPING,
} from "./refusals.ts";
import { canRest, endOf, isFinished, type Side, type StoredOrder } from "./stored-order.ts";
import { continuousTrade, type Trade } from "./trade.ts";
import { ORDER_SIZE_MAX } from "./volumes.ts";

const { TIME_IN_FORCE_GTT: GTT, TIME_IN_FORCE_IOC: IOC } = OrderTimeInForce;
const { TIME_IN_FORCE_FOK: FOK, TIME_IN_FORCE_GFA: GFA, TIME_IN_FORCE_GFN: GFN } = OrderTimeInForce;

/** An amended order kept off the book by price monitoring, or because it is post-only. */
const NOT_PLACED = "couldn't insert order in book";

/** Limit of parked orders, as a multiple of pegged orders on books. */
const PARKED_MULTIPLE = 10;

interface OrderEntryParts extends MarketParts {
  readonly liveOrders: LiveOrders;
  readonly executions: Executions;
  readonly bonds: Bonds;
  readonly pegs: PegRepricer;
  readonly auctions: Auctions;
}

export class OrderEntry {
  constructor(private readonly parts: OrderEntryParts) {}

  /** @throws CommandError; a rejected order's event stays */
  submit(party: string, id: string, command: OrderSubmission): void {
    const { market } = this.parts;
    // Without an event: no row can hold such a size.
    if (command.size > ORDER_SIZE_MAX) throw orderError("invalidSize");
    const peg = command.peggedOrder && {
      reference: command.peggedOrder.reference,
      offset: this.pegOffset(command.peggedOrder.offset),
    };
    if (peg !== undefined && this.hasTooManyPegged()) throw refusal(ORDER_ERRORS.tooManyPegged[1]);
    const price = command.price === "" ? 0n : this.internalPrice(command.price);
    const order: StoredOrder = {
      id,
      market: market.id,
      party,
      side: command.side as Side,
      price,
      size: command.size,
      remaining: command.size,
      timeInForce: command.timeInForce,
      type: command.type,
      status: OrderStatus.STATUS_ACTIVE,
      createdAt: market.nowNs,
      updatedAt: 0n,
      expiresAt: command.expiresAt,
      expiryTurn: this.expiryTurn(command.expiresAt),
      version: 1n,
      batchId: 0n,
      reference: command.reference,
      peg,
      provision: "",
      postOnly: command.postOnly,
      reduceOnly: command.reduceOnly,
      reason: 0,
      place: 0,
    };
    const problem = this.problemOf(order);
    if (problem !== undefined) throw this.reject(order, problem);
    market.accounts.ensureMargin(party);
    market.listParty(party);
    this.enter(order);
  }

  /** Parked orders come to the book together when their references do: at most a multiple of the pegged orders that a book may hold. */
  private hasTooManyPegged(): boolean {
    const { tables, params } = this.parts.market;
    const max = Number(params.integer("limits.markets.maxPeggedOrders"));
    return tables.pegged >= max || tables.parked >= PARKED_MULTIPLE * max;
  }

  /** Takes a well-formed order through margins, matching and fees. @throws CommandError */
  private enter(submitted: StoredOrder): void {
    const { pegs, liveOrders } = this.parts;
    const order = submitted.peg === undefined ? submitted : pegs.priced(submitted);
    const touched = order === undefined ? [liveOrders.park(submitted)] : this.place(order);
    pegs.follow(touched);
  }

  /** From the registration of the position on. @returns touched orders */
  private place(order: StoredOrder): StoredOrder[] {
    const { market, prices, auctions, fees, liveOrders, positions } = this.parts;
    const position = positions.register(order);
    const tradable = this.tradable(order, position);
    if (tradable === undefined) throw this.withdraw(order, "reduceOnly");
    const missing =
      order.reduceOnly || reducesExposure(order, position) ? undefined : this.cover(order, position);
    if (missing !== undefined) throw this.withdraw(order, "margin", missing);
    const problem = bookProblem(order);
    if (problem !== undefined) throw this.withdrawCovered(order, problem);
    let trades: Trade[] = [];
    let match: Match | undefined;
    if (!market.isInAuction) {
      match = market.book.match({
        party: order.party,
        side: order.side,
        limit: order.type === OrderType.TYPE_MARKET ? undefined : order.price,
        size: tradable,
        isFillOrKill: order.timeInForce === FOK,
        stopsAtOwn: true,
      });
      if (order.postOnly && match.fills.length > 0) throw this.withdrawCovered(order, "postOnly");
      const length = prices.checkTrades(
        match.fills.map(({ order: { price }, size }) => ({ price, size })),
        order.timeInForce !== IOC && order.timeInForce !== FOK && order.timeInForce !== GFN,
      );
      if (length === 0n) throw this.withdrawCovered(order, "outOfBounds");
      if (length !== undefined) {
        auctions.startPrice(length);
        match = undefined;
        if (order.peg !== undefined) {
          positions.unregister(order);
          liveOrders.park(order);
          liveOrders.releaseIfFlat(order.party);
          return [];
        }
      }
      if (match !== undefined) {
        trades = this.tradesOf(order, match);
        const unpaid = fees.payContinuous(order.party, trades);
        if (unpaid !== undefined) throw this.withdrawCovered(order, "fees", unpaid);
        trades = this.named(trades);
      }
    }
    return this.confirm(order, match, trades);
  }

  /** Matches the order with the book. @returns touched orders */
  private confirm(order: StoredOrder, match: Match | undefined, trades: readonly Trade[]): StoredOrder[] {
    const { market, executions, positions, liveOrders } = this.parts;
    const now = this.settled(order, match);
    if (isFinished(now)) {
      if (now.remaining > 0n) positions.unregister({ ...order, remaining: now.remaining });
    } else {
      market.putOnBook(now);
    }
    market.emitOrder(now);
    const touched = [now, ...liveOrders.fill(match)];
    executions.apply(trades);
    this.endConfirmation(touched);
    return touched;
  }

  /**
   * Orders that follow prices are repriced within the confirmation of trades, and again after any order
   * (docs/protocol/70-trading-orders.md#25-submission-step-by-step, step 16): the second time orders of provisions that
   * were made again take their turn, and a margin that a penalty was taken from is filled again. An amended order takes
   * no margin back: that waits for the block's end (docs/protocol/70-trading-orders.md#28-amend-cancel-batch).
   */
  private endConfirmation(touched: readonly StoredOrder[]): void {
    const { pegs, liveOrders } = this.parts;
    if (touched.length > 1) pegs.follow(touched);
    // For the order's own party alone: other parties get margin back at the block's end.
    liveOrders.releaseIfFlat(touched[0]!.party);
  }

  /** The order as it is after matching. */
  private settled(order: StoredOrder, match: Match | undefined): StoredOrder {
    const batchId = this.parts.market.status.batch;
    if (match === undefined) return { ...order, batchId };
    const remaining = order.remaining - match.filled;
    const now = { ...order, batchId, remaining };
    if (remaining === 0n) return { ...now, status: OrderStatus.STATUS_FILLED };
    if (match.metOwn) {
      // An amended order may have traded before, while it rested.
      const isPart = remaining < order.size && !order.reduceOnly;
      const status = isPart ? OrderStatus.STATUS_PARTIALLY_FILLED : OrderStatus.STATUS_STOPPED;
      return { ...now, status, reason: SELF_TRADING };
    }
    if (order.reduceOnly) return { ...now, status: OrderStatus.STATUS_STOPPED };
    if (canRest(order.timeInForce)) return now;
    const status = match.filled > 0n ? OrderStatus.STATUS_PARTIALLY_FILLED : OrderStatus.STATUS_STOPPED;
    return { ...now, status };
  }

  /**
   * The trades of a match, with their fees, without ids: only trades whose fees are paid draw an id
   * (docs/protocol/70-trading-orders.md#23-commands-inputdata-oneof-tag).
   */
  tradesOf(order: StoredOrder, { fills }: Match): Trade[] {
    const { market, fees } = this.parts;
    const { priceFactor } = market.terms;
    return fees.priced(
      fills.map(({ order: passive, size }) => continuousTrade(order, passive, size, { id: "", priceFactor })),
    );
  }

  private named(trades: readonly Trade[]): Trade[] {
    return trades.map((trade) => ({ ...trade, id: this.parts.market.ids.next() }));
  }

  /** @throws CommandError */
  amend(party: string, command: OrderAmendment): void {
    const { market, pegs, liveOrders } = this.parts;
    if (!market.canTrade) throw refusal(ORDER_ERRORS.marketClosed[1]);
    const before = liveOrders.find(command.orderId);
    if (before === undefined) throw orderError("invalidOrder");
    if (before.party !== party) throw orderError("invalidParty");
    if (before.provision !== "") throw orderError("editNotAllowed");
    checkAmendment(before, command);
    const after = this.amended(before, command);
    const problem = pegProblem(after);
    if (problem !== undefined) throw orderError(problem);
    if (after.size > ORDER_SIZE_MAX) throw orderError("invalidSize");
    // If nothing of the order remains, it is cancelled, whatever else changes.
    if (after.remaining <= 0n) {
      liveOrders.cancelOrder(before);
      this.finishCancel(party, [before]);
      return;
    }
    const { expiresAt } = after;
    const isLost = after.timeInForce === GTT && expiresAt === 0n;
    if (isLost || (expiresAt !== 0n && expiresAt < after.createdAt))
      throw refusal(ORDER_ERRORS.untilNoTime[1]);
    if (expiresAt > 0n && expiresAt < market.nowNs) {
      liveOrders.removeWith(after, before, OrderStatus.STATUS_EXPIRED);
      // As for any expired order, its margin is released at the block's end (docs/protocol/70-trading-orders.md#29-expiry).
      pegs.follow([before]);
      return;
    }
    if (before.peg !== undefined) {
      this.amendPegged(before, after);
      return;
    }
    this.amendPlaced(before, after);
  }

  private amendPlaced(before: StoredOrder, after: StoredOrder): void {
    const { market, positions, margins, pegs } = this.parts;
    // Reductions are measured too, reduce-only orders included.
    const isChanged = (["price", "size", "expiresAt", "timeInForce"] as const).some(
      (name) => after[name] !== before[name],
    );
    const missing = isChanged ? this.cover(after, positions.amend(before, after)) : undefined;
    if (missing !== undefined) {
      positions.amend(after, before);
      throw refusal(ORDER_ERRORS.margin[1], missing);
    }
    if (after.price === before.price && after.size <= before.size) {
      market.tables.orders.set(after.id, after);
      if (after.size < before.size) margins.recheck(positions.get(after.party)!);
      market.emitOrder(after);
      pegs.follow([after]);
      return;
    }
    pegs.follow(this.replace(before, after));
  }

  /** The order loses its place and is entered again. */
  private replace(before: StoredOrder, after: StoredOrder): StoredOrder[] {
    const { market, executions, positions, prices, auctions, fees, pegs, liveOrders } = this.parts;
    market.tables.orders.delete(before.id);
    const fresh = { ...after, place: 0, batchId: market.status.batch };
    if (market.isInAuction) {
      market.putOnBook(fresh);
      market.emitOrder(fresh);
      return [fresh];
    }
    // An amendment has texts of its own, and emits no order that could carry a reason. Moved margin stays
    // (docs/protocol/70-trading-orders.md#28-amend-cancel-batch).
    const restore = (text: CommandText, missing?: MissingFunds) => {
      market.tables.orders.set(before.id, before);
      positions.amend(after, before);
      return refusal(text, missing).keepingChanges();
    };
    const match = market.book.match({
      party: after.party,
      side: after.side,
      limit: after.price,
      size: after.remaining,
      isFillOrKill: false,
      stopsAtOwn: true,
    });
    if (after.postOnly && match.fills.length > 0) throw restore(NOT_PLACED);
    const length = prices.checkTrades(
      match.fills.map(({ order, size }) => ({ price: order.price, size })),
      after.timeInForce !== GFN,
    );
    if (length === 0n) throw restore(NOT_PLACED);
    if (length !== undefined) {
      auctions.startPrice(length);
      if (after.peg !== undefined) {
        positions.unregister(after);
        liveOrders.park(after);
        liveOrders.releaseIfFlat(after.party);
        return [];
      }
      market.putOnBook(fresh);
      market.emitOrder(fresh);
      return [fresh];
    }
    const unnamed = this.tradesOf(after, match);
    const unpaid = fees.payContinuous(after.party, unnamed);
    if (unpaid !== undefined) throw restore("could not apply fees for order", unpaid);
    const trades = this.named(unnamed);
    const now = this.settled(fresh, match);
    if (isFinished(now)) {
      if (now.remaining > 0n) positions.unregister({ ...after, remaining: now.remaining });
    } else {
      market.putOnBook(now);
    }
    const touched = [now, ...liveOrders.fill(match)];
    executions.apply(trades);
    if (touched.length > 1) pegs.follow(touched);
    // Emit the amended order last, after repricing. If repricing removed it, its event was already emitted.
    const last = isFinished(now) ? now : market.tables.orders.get(now.id);
    if (last !== undefined) market.emitOrder(last);
    return touched;
  }

  private amendPegged(before: StoredOrder, after: StoredOrder): void {
    const { market, pegs, liveOrders } = this.parts;
    if (before.place === 0 || market.isInAuction) {
      const priced = market.isInAuction ? undefined : pegs.priced({ ...after, place: 0 });
      if (priced === undefined) {
        market.tables.orders.set(after.id, after);
        market.emitOrder(after);
        pegs.follow([after]);
        return;
      }
      market.tables.orders.delete(before.id);
      pegs.follow(this.placeAmended({ ...priced, status: OrderStatus.STATUS_ACTIVE }));
      return;
    }
    const priced = pegs.priced({ ...after, place: 0 });
    if (priced === undefined) {
      // Emitted twice: as it leaves the book, and as it is changed.
      liveOrders.park(before);
      liveOrders.releaseIfFlat(after.party);
      liveOrders.park({ ...after, place: 0 });
      pegs.follow([before]);
      return;
    }
    this.amendPlaced(before, { ...priced, place: before.place });
  }

  /**
   * A parked order is entered. If its party cannot pay for it, it stays parked without an event; any other
   * refusal ends it.
   * @throws CommandError
   */
  private placeAmended(order: StoredOrder): StoredOrder[] {
    try {
      return this.place(order);
    } catch (error) {
      const isUnpaid = error instanceof CommandError && error.message === ORDER_ERRORS.margin[1];
      throw isUnpaid ? refusal("insufficient funds for initial margin", error.options.numbers) : error;
    }
  }

  /** Cancels one order, or all of a party in the market. @throws CommandError */
  cancel(party: string, orderId: string): void {
    const { market, liveOrders } = this.parts;
    if (!market.canTrade) throw refusal(ORDER_ERRORS.marketClosed[1]);
    const order = liveOrders.find(orderId);
    if (order === undefined) throw refusal("unable to find the order in the market");
    // Of any party.
    if (order.provision !== "") throw orderError("editNotAllowed");
    if (order.party !== party) throw orderError("invalidParty");
    liveOrders.cancelOrder(order);
    this.finishCancel(party, [order]);
  }

  cancelAll(party: string): void {
    const { pegs, liveOrders } = this.parts;
    const orders = liveOrders.ofParty(party).filter(({ provision }) => provision === "");
    for (const order of orders) liveOrders.cancelAndRelease(order);
    if (orders.length > 0) pegs.follow(orders);
  }

  /** Orders whose time has passed: one event for all of them (docs/protocol/70-trading-orders.md#29-expiry). */
  expire(): void {
    const { market, positions, pegs } = this.parts;
    if (!market.index.hasExpired(market.nowNs)) return;
    const due = [...market.index.expiring.values()].filter(({ expiresAt }) => expiresAt <= market.nowNs);
    due.sort((a, b) => compare(a.expiresAt, b.expiresAt) || a.expiryTurn - b.expiryTurn);
    for (const order of due) {
      if (order.place > 0) positions.unregister(order);
      market.tables.orders.delete(order.id);
    }
    market.core.emit("expiredOrders", { marketId: market.id, orderIds: due.map(({ id }) => id) });
    if (!market.isInAuction) pegs.follow(due);
  }

  private finishCancel(party: string, orders: readonly StoredOrder[]): void {
    const { pegs, liveOrders } = this.parts;
    liveOrders.releaseIfFlat(party);
    pegs.follow(orders);
  }

  /** @returns the funds that the party lacks */
  private cover(order: StoredOrder, position: Position): MissingFunds | undefined {
    const { market, bonds, provisions, margins } = this.parts;
    const provision = provisions.get(order.party);
    const movements: Movement[] = [];
    const price = margins.priceFor(order.price);
    const mayUseBond = provision === undefined || !provision.isPending;
    const fromBond = margins.coverOrder(order.party, position, { price, mayUseBond, movements });
    if (fromBond === undefined) return margins.missing(order.party, position, { price, mayUseBond });
    // In an auction no provision is deployed, so no penalty applies.
    const isDeployed = provision !== undefined && !market.isInAuction;
    if (fromBond > 0n && isDeployed) bonds.slash(order.party, fromBond, movements);
    market.accounts.emit(movements);
    return undefined;
  }

  /** Size of the order that may trade; undefined where a reduce-only order would not reduce the position. */
  private tradable(order: StoredOrder, { size }: Position): bigint | undefined {
    if (!order.reduceOnly) return order.remaining;
    const isOpposite = order.side === WireSide.SIDE_BUY ? size < 0n : size > 0n;
    if (!isOpposite) return undefined;
    if (order.remaining > absolute(size) && order.timeInForce === FOK) return undefined;
    return smaller(order.remaining, absolute(size));
  }

  /** Refuses the order: undoes its registration, and emits it as stopped or rejected. */
  private withdraw(order: StoredOrder, name: OrderErrorName, missing?: MissingFunds): Error {
    const { positions } = this.parts;
    positions.unregister(order);
    return this.reject(order, name, this.parts.market.nowNs, missing);
  }

  /** The same for an order whose margin was moved. */
  private withdrawCovered(order: StoredOrder, name: OrderErrorName, missing?: MissingFunds): Error {
    const { liveOrders } = this.parts;
    const error = this.withdraw(order, name, missing);
    liveOrders.releaseIfFlat(order.party);
    return error;
  }

  private reject(order: StoredOrder, name: OrderErrorName, updatedAt = 0n, missing?: MissingFunds): Error {
    const status = STOPPING.has(name) ? OrderStatus.STATUS_STOPPED : OrderStatus.STATUS_REJECTED;
    const [reason] = ORDER_ERRORS[name];
    // A market without trading does not check the order (docs/protocol/70-trading-orders.md#22-order-message).
    const version = name === "marketClosed" ? 0n : order.version;
    this.parts.market.emitOrder({ ...order, status, reason, updatedAt, version });
    return orderError(name, missing);
  }

  private expiryTurn(expiresAt: bigint): number {
    return expiresAt === 0n ? 0 : this.parts.market.tables.next();
  }

  /** A price in market precision in internal units. @throws CommandError beyond 256 bits */
  private internalPrice(text: string): bigint {
    const price = parseUint(text.replace(/^\+/, ""));
    const internal = (price ?? UINT_MAX) * this.parts.market.terms.priceFactor;
    if (price === undefined || internal > UINT_MAX) throw refusal("invalid order price");
    return internal;
  }

  /** Offset of a peg in market precision. @throws CommandError for one of more than 256 bits */
  private pegOffset(text: string): bigint {
    this.internalPrice(text.replace("-", ""));
    return BigInt(text);
  }

  /** Checks 3 to 5 of a submission. */
  private problemOf(order: StoredOrder): OrderErrorName | undefined {
    const { market } = this.parts;
    if (!market.canTrade) return "marketClosed";
    if (market.isInAuction) {
      if (order.timeInForce === GFN) return "goodForNormalInAuction";
      if (order.timeInForce === IOC) return "immediateInAuction";
      if (order.timeInForce === FOK) return "fillOrKillInAuction";
    } else if (order.timeInForce === GFA) {
      return "goodForAuctionOutside";
    }
    if (order.expiresAt > 0n && order.expiresAt < order.createdAt) return "invalidExpiry";
    if (order.type === OrderType.TYPE_NETWORK) return "ofTheNetwork";
    const problem = pegProblem(order);
    if (problem !== undefined) return problem;
    if (!market.accounts.has(market.accounts.general(order.party))) return "noGeneralAccount";
    return undefined;
  }

  private amended(before: StoredOrder, command: OrderAmendment): StoredOrder {
    const { market } = this.parts;
    const timeInForce = command.timeInForce === 0 ? before.timeInForce : command.timeInForce;
    const expiresAt = expiryOf(before, command);
    const end = endOf({ timeInForce, expiresAt });
    const reference = command.peggedReference || before.peg?.reference;
    const remaining = before.remaining + command.sizeDelta;
    return {
      ...before,
      price: command.price === undefined ? before.price : this.internalPrice(command.price),
      size: before.size + command.sizeDelta,
      remaining: remaining < 0n ? 0n : remaining,
      timeInForce,
      expiresAt,
      expiryTurn: end === endOf(before) ? before.expiryTurn : this.expiryTurn(end),
      version: before.version + 1n,
      updatedAt: market.nowNs,
      peg: before.peg && {
        reference: reference ?? PeggedReference.PEGGED_REFERENCE_UNSPECIFIED,
        offset: command.peggedOffset === "" ? before.peg.offset : this.pegOffset(command.peggedOffset),
      },
    };
  }
}
