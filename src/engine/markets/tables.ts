/**
 * The tables of the markets in the engine's state, and the indexes over them: books, parked orders, positions and so on,
 * market by market. Indexes follow every change, reverted and loaded ones too, and are not part of the state.
 */
import type { Cell, State, Table } from "../state.ts";
import { Book } from "./book.ts";
import type {
  Activity,
  EquityShare,
  HaltedMarket,
  InterestRecord,
  MarketRecord,
  MarketStatus,
  Member,
  PastPrice,
  Position,
  PriceMonitorState,
  Provision,
  UnsettledTrade,
  ValueWindow,
} from "./records.ts";
import { endOf, type StoredOrder } from "./stored-order.ts";
import { Supply } from "./supply.ts";

const NUMBER_DIGITS = 16;

/** Key of a thing of a market. */
export const keyOf = (market: string, name: string): string => `${market}/${name}`;

/** A number as a key: in the order of the numbers. */
export const numberKey = (value: number | bigint): string => value.toString().padStart(NUMBER_DIGITS, "0");

/** Things in an order that their own numbers give: sorted when one came out of turn, which loading and taking back do. */
class OrderedIndex<V> {
  private map = new Map<string, V>();
  private isSorted = true;
  private last = -1;
  private listed: readonly V[] | undefined;

  constructor(private readonly numberOf: (value: V) => number) {}

  get size(): number {
    return this.map.size;
  }

  get(key: string): V | undefined {
    return this.map.get(key);
  }

  /** In order: the same list until something changes, and then another, so that the table may change while it is walked. */
  list(): readonly V[] {
    if (this.listed !== undefined) return this.listed;
    if (!this.isSorted) {
      this.map = new Map([...this.map].sort(([, a], [, b]) => this.numberOf(a) - this.numberOf(b)));
      this.isSorted = true;
    }
    this.listed = [...this.map.values()];
    return this.listed;
  }

  note(key: string, before: V | undefined, now: V | undefined): void {
    this.listed = undefined;
    if (now === undefined) {
      this.map.delete(key);
      return;
    }
    const number = this.numberOf(now);
    if (before !== undefined && this.numberOf(before) !== number) this.map.delete(key);
    if (!this.map.has(key)) {
      if (number < this.last) this.isSorted = false;
      else this.last = number;
    }
    this.map.set(key, now);
  }
}

/** Things of parties, by party. */
class PartyIndex<V> {
  private readonly map = new Map<string, V>();
  private listed: readonly V[] | undefined;

  get(party: string): V | undefined {
    return this.map.get(party);
  }

  /** The same list until something changes, and then another. */
  list(): readonly V[] {
    this.listed ??= [...this.map.keys()].sort().map((party) => this.map.get(party)!);
    return this.listed;
  }

  note(party: string, now: V | undefined): void {
    this.listed = undefined;
    noteIn(this.map, party, now);
  }
}

/** Lists over the tables of one market. */
export class MarketIndex {
  /** The market's own records, which everything asks for; the first is kept by market-registry.ts. */
  record: MarketRecord | undefined;
  status: MarketStatus | undefined;
  readonly book = new Book();
  /** Live orders by party and id. */
  readonly ordersOf = new Map<string, Map<string, StoredOrder>>();
  readonly parked = new Map<string, StoredOrder>();
  /** Orders that expire, and pegged ones on the book, by id. */
  readonly expiring = new Map<string, StoredOrder>();
  readonly pegged = new Map<string, StoredOrder>();
  readonly positions = new OrderedIndex<Position>(({ sequence }) => sequence);
  /** Positions without volume and without orders, by party. */
  readonly flat = new Set<string>();
  /** Number of positions with volume. */
  openPositions = 0;
  /** Number of a party's unsettled trades. */
  readonly tradesOf = new Map<string, number>();
  /** Unsettled trades in their order. */
  readonly trades = new OrderedIndex<{ readonly number: number; readonly trade: UnsettledTrade }>(
    ({ number }) => number,
  );
  readonly provisions = new PartyIndex<Provision>();
  /** Number of entries in the shapes of all provisions. */
  shapeEntries = 0;
  readonly shares = new PartyIndex<EquityShare>();
  readonly pastPrices = new OrderedIndex<{ readonly number: number; readonly past: PastPrice }>(
    ({ number }) => number,
  );
  readonly interests = new OrderedIndex<{ readonly number: number; readonly record: InterestRecord }>(
    ({ number }) => number,
  );
  readonly activities = new Map<string, Activity>();
  readonly members = new Map<string, Member>();
  /** Of providers, by party. */
  private readonly supplies = new Map<string, Supply>();
  /** Earliest time at which an order expires, nanoseconds; undefined until it is asked for. */
  private earliest: bigint | undefined;

  /** Whether an order's time has passed: each tick asks, however many orders wait for theirs. */
  hasExpired(nowNs: bigint): boolean {
    if (this.expiring.size === 0) return false;
    if (this.earliest === undefined) {
      for (const { expiresAt } of this.expiring.values())
        if (this.earliest === undefined || expiresAt < this.earliest) this.earliest = expiresAt;
    }
    return this.earliest! <= nowNs;
  }

  /** A provider's orders beside those of its provision. */
  supplyOf(party: string): Supply {
    return this.supplies.get(party) ?? new Supply();
  }

  noteProvision(party: string, now: Provision | undefined): void {
    if (now === undefined) this.supplies.delete(party);
    else if (!this.supplies.has(party)) {
      const supply = new Supply();
      for (const order of this.ordersOf.get(party)?.values() ?? []) supply.noteOrder(undefined, order);
      this.supplies.set(party, supply);
    }
  }

  noteOrder(before: StoredOrder | undefined, now: StoredOrder | undefined): void {
    this.book.noteChange(before, now);
    const { id, party } = (now ?? before)!;
    this.supplies.get(party)?.noteOrder(before, now);
    noteIn(this.parked, id, now !== undefined && now.place === 0 ? now : undefined);
    const end = now === undefined ? 0n : endOf(now);
    noteIn(this.expiring, id, end > 0n ? now : undefined);
    this.noteExpiry(before === undefined ? 0n : endOf(before), end);
    const isPegged = now?.peg !== undefined && now.provision === "" && now.place > 0;
    noteIn(this.pegged, id, isPegged ? now : undefined);
    let orders = this.ordersOf.get(party);
    if (orders === undefined) this.ordersOf.set(party, (orders = new Map()));
    noteIn(orders, id, now);
    if (orders.size === 0) this.ordersOf.delete(party);
  }

  private noteExpiry(before: bigint, now: bigint): void {
    if (before === now || this.earliest === undefined) return;
    if (now > 0n && now < this.earliest) this.earliest = now;
    else if (before === this.earliest) this.earliest = undefined;
  }
}

function noteIn<V>(map: Map<string, V>, key: string, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

export class MarketTables {
  readonly markets: Table<MarketRecord>;
  readonly statuses: Table<MarketStatus>;
  /** By id: active on a book, or parked. */
  readonly orders: Table<StoredOrder>;
  readonly positions: Table<Position>;
  readonly trades: Table<UnsettledTrade>;
  readonly provisions: Table<Provision>;
  readonly shares: Table<EquityShare>;
  readonly windows: Table<ValueWindow>;
  readonly monitors: Table<PriceMonitorState>;
  readonly pastPrices: Table<PastPrice>;
  readonly interests: Table<InterestRecord>;
  readonly activities: Table<Activity>;
  readonly halted: Table<HaltedMarket>;
  readonly members: Table<Member>;
  /** Counter of placements, positions, trades and markets: a later object has a larger number. */
  private readonly count: Cell<number>;
  private readonly indexes = new Map<string, MarketIndex>();
  /** Pegged orders on the books of all markets, and those that are parked. */
  private peggedCount = 0;
  private parkedCount = 0;

  constructor(state: State) {
    this.markets = state.table("markets");
    this.statuses = state.table("markets.status");
    this.orders = state.table("markets.orders");
    this.positions = state.table("markets.positions");
    this.trades = state.table("markets.trades");
    this.provisions = state.table("markets.provisions");
    this.shares = state.table("markets.shares");
    this.windows = state.table("markets.windows");
    this.monitors = state.table("markets.monitors");
    this.pastPrices = state.table("markets.prices");
    this.interests = state.table("markets.interests");
    this.activities = state.table("markets.activities");
    this.halted = state.table("markets.halted");
    this.members = state.table("markets.members");
    this.count = state.cell("markets.count", 0);
    this.statuses.onChange((id, _before, now) => {
      this.of(id).status = now;
    });
    this.orders.onChange((_id, before, now) => {
      this.peggedCount += countsAsPegged(now) - countsAsPegged(before);
      this.parkedCount += countsAsParked(now) - countsAsParked(before);
      this.of((now ?? before)!.market).noteOrder(before, now);
    });
    this.positions.onChange((_key, before, now) => {
      const { market, party } = (now ?? before)!;
      const index = this.of(market);
      index.positions.note(party, before, now);
      index.openPositions += countsAsOpen(now) - countsAsOpen(before);
      if (now !== undefined && now.size === 0n && now.buy === 0n && now.sell === 0n) index.flat.add(party);
      else index.flat.delete(party);
    });
    this.trades.onChange((key, before, now) => {
      const number = Number(key.slice(-NUMBER_DIGITS));
      const entry = (trade: UnsettledTrade | undefined) => trade && { number, trade };
      const { market, party } = (now ?? before)!;
      const index = this.of(market);
      index.trades.note(key, entry(before), entry(now));
      const count =
        (index.tradesOf.get(party) ?? 0) + (now === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
      if (count > 0) index.tradesOf.set(party, count);
      else index.tradesOf.delete(party);
    });
    this.provisions.onChange((_key, before, now) => {
      const { market, party } = (now ?? before)!;
      const index = this.of(market);
      index.provisions.note(party, now);
      index.shapeEntries += entriesIn(now) - entriesIn(before);
      index.noteProvision(party, now);
    });
    this.shares.onChange((_key, before, now) => {
      const { market, party } = (now ?? before)!;
      this.of(market).shares.note(party, now);
    });
    this.pastPrices.onChange((key, before, now) => {
      const number = Number(key.slice(-NUMBER_DIGITS));
      const entry = (past: PastPrice | undefined) => past && { number, past };
      this.of((now ?? before)!.market).pastPrices.note(key, entry(before), entry(now));
    });
    this.interests.onChange((key, before, now) => {
      const number = Number(key.slice(-NUMBER_DIGITS));
      const entry = (record: InterestRecord | undefined) => record && { number, record };
      this.of((now ?? before)!.market).interests.note(key, entry(before), entry(now));
    });
    this.members.onChange((key, _before, now) => {
      const end = key.indexOf("/");
      noteIn(this.of(key.slice(0, end)).members, key.slice(end + 1), now);
    });
    this.activities.onChange((_key, before, now) => {
      const { market, party } = (now ?? before)!;
      noteIn(this.of(market).activities, party, now);
    });
  }

  /** The lists of a market. */
  of(market: string): MarketIndex {
    let index = this.indexes.get(market);
    if (index === undefined) {
      index = new MarketIndex();
      this.indexes.set(market, index);
    }
    return index;
  }

  /** Pegged orders that rest on books, those of liquidity provisions not counted. */
  get pegged(): number {
    return this.peggedCount;
  }

  /** Pegged orders that wait for a price. */
  get parked(): number {
    return this.parkedCount;
  }

  /** The next number of the counter. */
  next(): number {
    const number = this.count.get() + 1;
    this.count.set(number);
    return number;
  }
}

function countsAsPegged(order: StoredOrder | undefined): number {
  return order?.peg !== undefined && order.provision === "" && order.place > 0 ? 1 : 0;
}

function countsAsOpen(position: Position | undefined): number {
  return position !== undefined && position.size !== 0n ? 1 : 0;
}

function entriesIn(provision: Provision | undefined): number {
  return provision === undefined ? 0 : provision.buys.length + provision.sells.length;
}

function countsAsParked(order: StoredOrder | undefined): number {
  return order !== undefined && order.place === 0 ? 1 : 0;
}
