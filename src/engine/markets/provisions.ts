/**
 * Liquidity provisions as records, and the sizes and prices of their orders (docs/protocol/70-trading-liquidity.md#71-messages and
 * #73-order-sizes-and-prices). Orders are placed by peg-repricer.ts.
 */
import type { Init } from "../../wire/codec.ts";
import { Decimal } from "../../wire/decimal.ts";
import {
  type LiquidityOrder,
  type LiquidityProvision,
  LiquidityProvisionStatus,
  OrderStatus,
  OrderTimeInForce,
  OrderType,
  PeggedReference,
} from "../../wire/generated/vega.ts";
import { UINT_MAX } from "../values.ts";
import type { MarketContext } from "./context.ts";
import type { Provision, References, ShapeEntry } from "./records.ts";
import { BUY, SELL, type Side, type StoredOrder } from "./stored-order.ts";
import { keyOf } from "./tables.ts";
import { ORDER_SIZE_MAX } from "./volumes.ts";

const STAKE_TO_VOLUME = "market.liquidity.stakeToCcyVolume";

/** An order that a provision should have on the book. */
export interface PlannedOrder {
  readonly entry: ShapeEntry;
  readonly side: Side;
  readonly price: bigint;
  readonly size: bigint;
}

interface Priced {
  readonly commitment: bigint;
  /** As a market states it. */
  readonly fee: string;
}

export class Provisions {
  /** The cheapest first, as long as the provisions are the same: each order asks. */
  private byFee: { readonly of: readonly Provision[]; readonly sorted: readonly Priced[] } | undefined;

  constructor(private readonly market: MarketContext) {}

  get(party: string): Provision | undefined {
    return this.market.index.provisions.get(party);
  }

  /** By party. */
  list(): readonly Provision[] {
    return this.market.index.provisions.list();
  }

  /** Sum of all commitments. */
  supplied(): bigint {
    let sum = 0n;
    for (const { commitment } of this.list()) sum += commitment;
    return sum;
  }

  put(provision: Provision): Provision {
    this.market.tables.provisions.set(keyOf(provision.market, provision.party), provision);
    return provision;
  }

  /** Puts a provision in another status and shows it. */
  setStatus(provision: Provision, status: number): Provision {
    const next = this.put({ ...provision, status });
    this.emit(next);
    return next;
  }

  /** The last state of a provision. */
  end(provision: Provision, status: number): void {
    this.drop(provision);
    this.emit({ ...provision, status });
  }

  drop({ market, party }: Provision): void {
    this.market.tables.provisions.delete(keyOf(market, party));
  }

  emit(provision: Provision): void {
    this.market.core.emit("liquidityProvision", provisionMessage(provision));
  }

  /**
   * The fee of the provider at which commitments, the cheapest first, reach the target
   * (docs/protocol/70-trading-liquidity.md#76-liquidity-fee-factor).
   */
  liquidityFee(target: bigint): string {
    const provisions = this.list();
    if (this.byFee?.of !== provisions) this.byFee = { of: provisions, sorted: sortedByFee(provisions) };
    const { sorted } = this.byFee;
    let sum = 0n;
    for (const { commitment, fee } of sorted) {
      sum += commitment;
      if (sum >= target) return fee;
    }
    return sorted.at(-1)?.fee ?? "0";
  }

  /**
   * Prices between which a provider's orders count (docs/protocol/70-trading-liquidity.md#73-order-sizes-and-prices);
   * undefined where a static side is empty.
   */
  range(): { readonly low: bigint; readonly high: bigint } | undefined {
    const bid = this.market.book.bestStatic(BUY)?.price;
    const ask = this.market.book.bestStatic(SELL)?.price;
    if (bid === undefined || ask === undefined) return undefined;
    const { priceFactor: tick, priceRange } = this.market.terms;
    const middle = Decimal.of(bid + ask).times(Decimal.parse("0.5"));
    let low = upTo(middle.times(Decimal.one.minus(priceRange)).ceiling(), tick);
    let high = (middle.times(Decimal.one.plus(priceRange)).floor() / tick) * tick;
    if (low <= 0n) low = tick;
    if (low >= high) high = low + tick;
    if (low >= ask) low = ask - tick;
    if (high <= bid) high = bid + tick;
    const highest = this.highestPrice;
    return { low, high: high > highest ? highest : high };
  }

  /** Prices of orders have 256 bits. */
  private get highestPrice(): bigint {
    return UINT_MAX - (UINT_MAX % this.market.terms.priceFactor);
  }

  /** Orders of a provision that are on the book. */
  ordersOf({ buys, sells }: Provision): StoredOrder[] {
    const { orders } = this.market.tables;
    return [...buys, ...sells]
      .map(({ orderId }) => orders.get(orderId))
      .filter((order) => order !== undefined);
  }

  /** Whether one of its orders is on the book. */
  hasOrders({ buys, sells }: Provision): boolean {
    const { orders } = this.market.tables;
    const isPlaced = ({ orderId }: ShapeEntry) => orders.has(orderId);
    return buys.some(isPlaced) || sells.some(isPlaced);
  }

  /** The orders of a provision at these references; undefined where they cannot be priced. */
  plan(provision: Provision, references: References): PlannedOrder[] | undefined {
    const range = this.range();
    return range === undefined ? undefined : this.planWithin(provision, references, range);
  }

  /** The orders that it might have after an auction: all at their distance from one price, however far that is. */
  planAround(provision: Provision, price: bigint): PlannedOrder[] | undefined {
    const references = { bid: price, ask: price, midBuy: price, midSell: price };
    const range = { low: this.market.terms.priceFactor, high: this.highestPrice };
    return this.planWithin(provision, references, range);
  }

  private planWithin(
    provision: Provision,
    references: References,
    range: { low: bigint; high: bigint },
  ): PlannedOrder[] | undefined {
    const planned: PlannedOrder[] = [];
    const sides = [
      [BUY, provision.buys],
      [SELL, provision.sells],
    ] as const;
    for (const [side, entries] of sides) {
      const rest = this.obligation(provision.commitment) - this.ownSupply(provision.party, side, range);
      const whole = Decimal.of(BigInt(entries.reduce((sum, { proportion }) => sum + proportion, 0)));
      for (const entry of entries) {
        const price = this.entryPrice(entry, side, references, range);
        if (price === undefined) return undefined;
        planned.push({ entry, side, price, size: rest > 0n ? this.sizeOf(entry, rest, whole, price) : 0n });
      }
    }
    return planned;
  }

  /** The order of an entry as it goes to the book. */
  orderOf(provision: Provision, { entry, side, price, size }: PlannedOrder): StoredOrder {
    return {
      id: entry.orderId,
      market: provision.market,
      party: provision.party,
      side,
      price,
      size,
      remaining: size,
      timeInForce: OrderTimeInForce.TIME_IN_FORCE_GTC,
      type: OrderType.TYPE_LIMIT,
      status: OrderStatus.STATUS_ACTIVE,
      createdAt: provision.createdAt,
      updatedAt: this.market.nowNs,
      expiresAt: 0n,
      expiryTurn: 0,
      version: 1n,
      batchId: this.market.status.batch,
      reference: provision.reference,
      peg: undefined,
      provision: provision.id,
      postOnly: false,
      reduceOnly: false,
      reason: 0,
      place: 0,
    };
  }

  /** Emits an entry without an order on the book, with size 0: a new one, or one that ended. @param ended its last status */
  emitStub(provision: Provision, entry: ShapeEntry, side: Side, ended?: number): void {
    const order = this.orderOf(provision, { entry, side, price: 0n, size: 0n });
    const status = ended ?? OrderStatus.STATUS_STOPPED;
    const isNew = ended === undefined;
    this.market.emitOrder({
      ...order,
      status,
      // Never on a book, and unchanged.
      batchId: 0n,
      version: 0n,
      ...(isNew && { timeInForce: OrderTimeInForce.TIME_IN_FORCE_UNSPECIFIED, updatedAt: 0n }),
    });
  }

  /** Rules that plans follow besides the book: they change with the market's update, or a parameter. */
  get rules(): string {
    const { params, record } = this.market;
    return `${record.definition.lpPriceRange} ${params.decimal(STAKE_TO_VOLUME)}`;
  }

  private obligation(commitment: bigint): bigint {
    return Decimal.of(commitment).times(this.market.params.decimal(STAKE_TO_VOLUME)).rounded();
  }

  /** Value of a provider's other orders of the side. */
  private ownSupply(party: string, side: Side, range: { low: bigint; high: bigint }): bigint {
    return this.market.contracts(this.market.index.supplyOf(party).value(side, range)).truncated();
  }

  private sizeOf({ proportion }: ShapeEntry, rest: bigint, whole: Decimal, price: bigint): bigint {
    const share = Decimal.of(BigInt(proportion)).dividedBy(whole);
    const factor = Decimal.parse(this.market.terms.positionFactor);
    const size = Decimal.of(rest).times(share).times(factor).dividedBy(Decimal.of(price)).ceiling();
    return size > ORDER_SIZE_MAX ? ORDER_SIZE_MAX : size;
  }

  private entryPrice(
    entry: ShapeEntry,
    side: Side,
    references: References,
    { low, high }: { low: bigint; high: bigint },
  ): bigint | undefined {
    const reference = referencePrice(entry.reference, side, references);
    if (reference === 0n) return undefined;
    const { priceFactor: tick } = this.market.terms;
    const offset = entry.offset * tick;
    if (side === SELL) {
      const price = reference + offset;
      return price > high || price < low ? high : price;
    }
    const price = reference <= offset ? tick : reference - offset;
    return price < low || price > high ? low : price;
  }
}

function sortedByFee(provisions: readonly Provision[]): Priced[] {
  return provisions
    .map(({ commitment, fee }) => ({ commitment, factor: Decimal.parse(fee) }))
    .sort((a, b) => a.factor.compare(b.factor))
    .map(({ commitment, factor }) => ({ commitment, fee: factor.toString() }));
}

/** The price that a peg follows; 0 where there is none (docs/protocol/70-trading-orders.md#27-pegged-orders-brief). */
export function referencePrice(reference: number, side: Side, references: References): bigint {
  if (reference === PeggedReference.PEGGED_REFERENCE_BEST_BID) return references.bid;
  if (reference === PeggedReference.PEGGED_REFERENCE_BEST_ASK) return references.ask;
  return side === BUY ? references.midBuy : references.midSell;
}

const upTo = (value: bigint, tick: bigint): bigint => ((value + tick - 1n) / tick) * tick;

/** Whether the market may place a provision's orders. */
export const canDeploy = ({ status }: Provision): boolean =>
  status === LiquidityProvisionStatus.STATUS_ACTIVE ||
  status === LiquidityProvisionStatus.STATUS_UNDEPLOYED ||
  status === LiquidityProvisionStatus.STATUS_PENDING;

/** Entries of a command's shape with the ids of their orders. */
export function entriesOf(shape: readonly LiquidityOrder[], nextId: () => string): ShapeEntry[] {
  return shape.map(({ reference, proportion, offset }) => ({
    orderId: nextId(),
    reference,
    proportion,
    offset: BigInt(offset),
  }));
}

function provisionMessage(provision: Provision): Init<LiquidityProvision> {
  const entries = (shape: readonly ShapeEntry[]) =>
    shape.map(({ orderId, reference, proportion, offset }) => ({
      orderId,
      liquidityOrder: { reference, proportion, offset: offset.toString() },
    }));
  return {
    id: provision.id,
    partyId: provision.party,
    createdAt: provision.createdAt,
    updatedAt: provision.updatedAt,
    marketId: provision.market,
    commitmentAmount: provision.commitment.toString(),
    fee: provision.fee,
    sells: entries(provision.sells),
    buys: entries(provision.buys),
    version: provision.version,
    status: provision.status,
    reference: provision.reference,
  };
}
