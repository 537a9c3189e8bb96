/**
 * Orders that follow prices: pegged ones, and those of liquidity provisions. After each change of the book outside of
 * auctions they are repriced (docs/protocol/70-trading-orders.md#27-pegged-orders-brief
 * and docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop).
 */

import { LiquidityProvisionStatus, OrderStatus, PeggedReference } from "../../wire/generated/vega.ts";
import type { Movement } from "../collateral.ts";
import { UINT_MAX } from "../values.ts";
import type { LiquidityFees } from "./liquidity-fees.ts";
import type { LiveOrders } from "./live-orders.ts";
import type { MarginOutcome } from "./margins.ts";
import type { MarketParts } from "./market-parts.ts";
import { type Exposure, withOrder } from "./positions.ts";
import type { ProvisionUpkeep } from "./provision-upkeep.ts";
import { canDeploy, type PlannedOrder, referencePrice } from "./provisions.ts";
import type { Provision, References } from "./records.ts";
import { BUY, SELL, type Side, type StoredOrder } from "./stored-order.ts";

/** Repricing can move the prices that it follows: limit of rounds, though it ends by itself. */
const ROUNDS_MAX = 10;
const NAMES = ["bid", "ask", "midBuy", "midSell"] as const;

/** Orders of provisions: unchanged, removed and new ones. */
interface Exchange {
  readonly kept: StoredOrder[];
  readonly gone: StoredOrder[];
  readonly fresh: StoredOrder[];
}

interface PegParts extends Pick<MarketParts, "market" | "positions" | "margins" | "provisions"> {
  readonly liveOrders: LiveOrders;
  readonly liquidityFees: LiquidityFees;
  readonly upkeep: ProvisionUpkeep;
}

export class PegRepricer {
  constructor(private readonly parts: PegParts) {}

  /** The static prices of this moment. */
  current(): References {
    const { market } = this.parts;
    const bid = market.book.bestStatic(BUY)?.price ?? 0n;
    const ask = market.book.bestStatic(SELL)?.price ?? 0n;
    if (bid === 0n || ask === 0n) return { bid, ask, midBuy: 0n, midSell: 0n };
    return { bid, ask, midBuy: (bid + ask + market.terms.priceFactor) / 2n, midSell: (bid + ask) / 2n };
  }

  /** A pegged order with its price; undefined where it has none, and in auctions. */
  priced(order: StoredOrder, references = this.current()): StoredOrder | undefined {
    const price = this.parts.market.isInAuction ? undefined : this.pegPrice(order, references);
    return price === undefined ? undefined : { ...order, price };
  }

  /** Internal price of a pegged order; undefined without its reference, or if the price exceeds an amount. */
  private pegPrice({ peg, side }: StoredOrder, references: References): bigint | undefined {
    if (peg === undefined) return undefined;
    const reference = referencePrice(peg.reference, side, references);
    const offset = peg.offset * this.parts.market.terms.priceFactor;
    if (reference === 0n || (side === BUY && reference <= offset)) return undefined;
    const price = side === BUY ? reference - offset : reference + offset;
    return price > UINT_MAX ? undefined : price;
  }

  /**
   * Reprices the orders that follow prices.
   * @param touched orders that came, went or traded
   */
  follow(touched: readonly StoredOrder[], { isForced = false } = {}): void {
    const { market } = this.parts;
    let orders = touched;
    let forced = isForced;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      if (market.isInAuction) return;
      const before = market.status.references;
      const now = this.current();
      const moved = new Set<keyof References>();
      for (const name of NAMES) if (forced || before[name] !== now[name]) moved.add(name);
      if (moved.size > 0) market.updateStatus({ references: now });
      if (now.bid === 0n || now.ask === 0n) {
        this.withdrawAll();
        return;
      }
      if (moved.size === 0 && orders.length === 0) return;
      this.repricePegged(moved, now);
      orders = this.deploy(now, orders, forced || moved.size > 0);
      // A provision has ended: reprice everything.
      forced = true;
      if (orders.length === 0) return;
    }
  }

  /** Removes pegged orders and orders of provisions from the book: in auctions, and without a reference. */
  withdrawAll(): void {
    const { market, liveOrders, provisions } = this.parts;
    for (const order of byId(market.index.pegged.values())) {
      liveOrders.park(order);
      liveOrders.releaseIfFlat(order.party);
    }
    // All provisions are emitted before the first of their orders.
    for (const provision of provisions.list()) this.undeploy(provision);
    const provided = byId(this.provided());
    for (const order of provided) liveOrders.dropProvided(order, OrderStatus.STATUS_PARKED);
    // Their margin waits for the block's end, or for the next deployment
    // (docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order and
    // docs/protocol/70-trading-orders.md#34-entering-an-auction).
    if (market.ports.rules.holdsMargin) return;
    for (const party of new Set(provided.map((order) => order.party))) liveOrders.releaseIfFlat(party);
  }

  private repricePegged(moved: ReadonlySet<keyof References>, references: References): void {
    if (moved.size === 0) return;
    const { market, positions } = this.parts;
    const isAffected = ({ peg }: StoredOrder) => {
      if (peg === undefined) return false;
      if (peg.reference === PeggedReference.PEGGED_REFERENCE_BEST_BID) return moved.has("bid");
      if (peg.reference === PeggedReference.PEGGED_REFERENCE_BEST_ASK) return moved.has("ask");
      // The middle is one reference, even where its two roundings differ.
      return moved.has("midBuy") || moved.has("midSell");
    };
    const placed = [...market.index.pegged.values()].filter(isAffected);
    const parked = [...market.index.parked.values()].filter(isAffected);
    if (placed.length === 0 && parked.length === 0) return;
    for (const order of placed) {
      positions.unregister(order);
      market.tables.orders.delete(order.id);
    }
    // Parked orders without a price stay as they are.
    const returning = parked.filter((order) => this.pegPrice(order, references) !== undefined);
    const entering: StoredOrder[] = [];
    for (const order of [...byId(placed), ...byId(returning)]) {
      const now = { ...order, updatedAt: market.nowNs, place: 0 };
      const price = this.pegPrice(order, references);
      if (price !== undefined) {
        entering.push({ ...now, price, status: OrderStatus.STATUS_ACTIVE, batchId: market.status.batch });
        continue;
      }
      const waiting = { ...now, price: 0n, status: OrderStatus.STATUS_PARKED };
      market.tables.orders.set(waiting.id, waiting);
      market.emitOrder(waiting);
    }
    for (const order of entering) {
      positions.register(order);
      market.putOnBook(order);
      market.emitOrder(order);
    }
    this.coverPegged(entering);
  }

  /** Orders of provisions that are on the book. */
  private provided(): StoredOrder[] {
    const { provisions } = this.parts;
    return provisions.list().flatMap((provision) => provisions.ordersOf(provision));
  }

  /** Margins of parties with new orders on the book; parties that cannot pay lose these orders alone. */
  private coverPegged(entered: readonly StoredOrder[]): void {
    const { market, margins, positions, liveOrders } = this.parts;
    const movements: Movement[] = [];
    const outcomes: MarginOutcome[] = [];
    const parties = [...new Set(entered.map(({ party }) => party))].sort();
    // Orders of provisions are off the book and the positions at this moment
    // (docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop, step 5): a provider with pegged orders
    // of its own gets back what they do not need, and pays for its provision's orders again when these are placed.
    const provided = this.provided();
    margins.withoutOrders(provided, () => {
      for (const party of parties) {
        const position = provided
          .filter((order) => order.party === party)
          .reduce<Exposure>((rest, order) => withOrder(rest, order, -order.remaining), positions.get(party)!);
        outcomes.push(margins.update(party, position, market.status.mark, movements));
      }
    });
    market.accounts.emit(movements);
    // A bond pays for them without a penalty: shortages are checked once provisions are placed
    // (docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop, steps 5 and 8).
    for (const { party, isDistressed } of outcomes) {
      if (!isDistressed) continue;
      for (const { id } of entered.filter((order) => order.party === party))
        liveOrders.cancelAndRelease(market.tables.orders.get(id)!);
    }
  }

  /** Places the orders of all provisions. @returns orders that left the book because of it */
  private deploy(references: References, touched: readonly StoredOrder[], isMoved: boolean): StoredOrder[] {
    const { market, upkeep, liquidityFees, provisions } = this.parts;
    const deployable = provisions.list().filter(canDeploy);
    if (deployable.length === 0) return [];
    this.noteRenewed();
    const isProvider = (party: string) => {
      const own = provisions.get(party);
      return own !== undefined && canDeploy(own);
    };
    const { rules } = provisions;
    const isPlanned = market.status.plannedBy === rules;
    if (!isMoved && isPlanned && !touched.some(({ party }) => isProvider(party))) {
      this.moveBehind(deployable, touched);
      // The price at which a provider's position could be closed follows the book.
      const gone = upkeep.coverAll(deployable.filter(({ isPending }) => !isPending));
      // So does the fee, with the target stake after the trades (step 8).
      liquidityFees.update();
      return gone;
    }
    if (!isPlanned) market.updateStatus({ plannedBy: rules });
    this.exchangeAll(deployable, references);
    const gone = upkeep.coverAll(deployable);
    liquidityFees.update();
    return gone;
  }

  /**
   * On the network all orders of provisions leave the book and come back
   * (docs/protocol/70-trading-liquidity.md#74-reference-moves-repricing-loop, steps 5 and 7).
   */
  private noteRenewed(): void {
    const { market, positions } = this.parts;
    if (market.status.deployedNs !== market.nowNs) market.updateStatus({ deployedNs: market.nowNs });
    for (const order of this.provided()) {
      positions.touch(order.party);
      if (order.updatedAt === 0n) market.tables.orders.set(order.id, { ...order, updatedAt: market.nowNs });
    }
  }

  /** Brings the orders of provisions to the prices and sizes of these references. */
  private exchangeAll(deployable: readonly Provision[], references: References): void {
    const { market, provisions, positions, liveOrders } = this.parts;
    const exchanged: Exchange = { kept: [], gone: [], fresh: [] };
    for (const provision of deployable) {
      const planned = provisions.plan(provision, references);
      if (planned === undefined) {
        this.undeploy(provision);
        exchanged.gone.push(...provisions.ordersOf(provision));
        continue;
      }
      if (provision.status !== LiquidityProvisionStatus.STATUS_ACTIVE) {
        provisions.setStatus(provision, LiquidityProvisionStatus.STATUS_ACTIVE);
      }
      for (const plan of planned) this.exchange(provision, plan, exchanged);
    }
    for (const order of byId(exchanged.kept)) this.moveToEnd(order);
    for (const order of byId(exchanged.gone)) liveOrders.dropProvided(order, OrderStatus.STATUS_PARKED);
    for (const order of exchanged.fresh) {
      positions.register(order);
      market.putOnBook(order);
      market.emitOrder(order);
    }
  }

  /** Keeps, removes or replaces the order of an entry. */
  private exchange(provision: Provision, plan: PlannedOrder, { kept, gone, fresh }: Exchange): void {
    const { market, positions, provisions } = this.parts;
    const live = market.tables.orders.get(plan.entry.orderId);
    // An order that has traded is replaced, whatever remains of it.
    if (live?.price === plan.price && live.size === plan.size && live.remaining === plan.size) {
      kept.push(live);
      return;
    }
    if (live !== undefined) {
      if (plan.size === 0n) gone.push(live);
      else {
        positions.unregister(live);
        market.tables.orders.delete(live.id);
      }
    }
    if (plan.size > 0n) fresh.push(provisions.orderOf(provision, plan));
  }

  private undeploy(provision: Provision): void {
    const { provisions } = this.parts;
    if (provision.status === LiquidityProvisionStatus.STATUS_ACTIVE) {
      provisions.setStatus(provision, LiquidityProvisionStatus.STATUS_UNDEPLOYED);
    }
  }

  /** Moves orders of provisions behind other orders at their price, in the order of their ids. */
  private moveBehind(deployable: readonly Provision[], touched: readonly StoredOrder[]): void {
    const { provisions } = this.parts;
    const provided = deployable.flatMap((provision) => provisions.ordersOf(provision));
    for (const side of [BUY, SELL] as const) {
      const joined = this.pricesOf(touched, side);
      const own = provided.filter((order) => order.side === side);
      // An order alone at its price is in order, unless another order came to that price.
      if (joined.size === 0 && own.length < 2) continue;
      for (const [price, level] of Map.groupBy(own, (order) => order.price)) {
        const sorted = byId(level);
        const isSorted = sorted.every(({ place }, index) => index === 0 || sorted[index - 1]!.place < place);
        if (joined.has(price) || !isSorted) for (const order of sorted) this.moveToEnd(order);
      }
    }
  }

  /** Present prices of touched orders on a side: they may have been added, moved or removed since. */
  private pricesOf(touched: readonly StoredOrder[], side: Side): ReadonlySet<bigint> {
    const prices = new Set<bigint>();
    for (const { id } of touched) {
      const order = this.parts.market.tables.orders.get(id);
      if (order !== undefined && order.place > 0 && order.side === side) prices.add(order.price);
    }
    return prices;
  }

  /** Moves an order to the last place at its price. */
  private moveToEnd(order: StoredOrder): void {
    const { market } = this.parts;
    const level = market.book.at(order.side, order.price);
    if (level !== undefined && level.lastPlace === order.place) return;
    market.tables.orders.set(order.id, { ...order, place: market.tables.next() });
  }
}

const byId = (orders: Iterable<StoredOrder>): StoredOrder[] =>
  [...orders].sort((a, b) => (a.id < b.id ? -1 : 1));
