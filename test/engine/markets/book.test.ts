// The book beside a list of orders that is sorted again for each question.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Book } from "../../../src/engine/markets/book.ts";
import { Levels } from "../../../src/engine/markets/levels.ts";
import {
  BUY,
  isStatic,
  SELL,
  type Side,
  type StoredOrder,
} from "../../../src/engine/markets/stored-order.ts";

const ORDER: StoredOrder = {
  ...{
    id: "",
    market: "m",
    party: "",
    side: BUY,
    price: 0n,
    size: 0n,
    remaining: 0n,
    timeInForce: 1,
    type: 1,
  },
  ...{ status: 1, createdAt: 0n, updatedAt: 0n, expiresAt: 0n, expiryTurn: 0 },
  ...{ version: 1n, batchId: 0n, reference: "" },
  ...{ peg: undefined, provision: "", postOnly: false, reduceOnly: false, reason: 0, place: 0 },
};

/** Orders by id, and a book that hears of each change. */
class Orders {
  readonly book = new Book();
  readonly all = new Map<string, StoredOrder>();
  private place = 0;

  set(id: string, order: StoredOrder | undefined): void {
    this.book.noteChange(this.all.get(id), order);
    if (order === undefined) this.all.delete(id);
    else this.all.set(id, order);
  }

  add(id: string, order: Partial<StoredOrder>): void {
    this.set(id, { ...ORDER, ...order, id, place: ++this.place });
  }

  /** Resting orders of a side, best first. */
  sorted(side: Side): StoredOrder[] {
    const sign = side === BUY ? -1n : 1n;
    return [...this.all.values()]
      .filter((order) => order.side === side && order.place > 0)
      .sort((a, b) => Number(sign * (a.price - b.price)) || a.place - b.place);
  }
}

const side = fc.constantFrom<Side>(BUY, SELL);
const order = fc.record({
  party: fc.constantFrom("a", "b", "c"),
  side,
  price: fc.bigInt({ min: 1n, max: 12n }),
  remaining: fc.bigInt({ min: 1n, max: 9n }),
  provision: fc.constantFrom("", "", "lp"),
});
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("add" as const), order }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), at: fc.nat(1_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("reduce" as const), at: fc.nat(1_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("park" as const), at: fc.nat(1_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("takeBack" as const), count: fc.integer({ min: 1, max: 5 }) }),
  },
);

/** A book after some steps, of which the last ones may have been taken back as a failed transaction's are. */
function play(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): Orders {
  const orders = new Orders();
  const done: [string, StoredOrder | undefined][] = [];
  const set = (id: string, value: StoredOrder | undefined) => {
    done.push([id, orders.all.get(id)]);
    orders.set(id, value);
  };
  for (const [n, one] of steps.entries()) {
    if (one.kind === "add") {
      done.push([`o${n}`, undefined]);
      orders.add(`o${n}`, one.order);
      continue;
    }
    if (one.kind === "takeBack") {
      for (const [id, before] of done.splice(-one.count).reverse()) orders.set(id, before);
      continue;
    }
    const ids = [...orders.all.keys()];
    const order = orders.all.get(ids[one.at % ids.length] ?? "");
    if (order === undefined) continue;
    if (one.kind === "remove") set(order.id, undefined);
    else if (one.kind === "park") set(order.id, { ...order, place: 0, price: 0n });
    else if (order.remaining > 1n) set(order.id, { ...order, remaining: order.remaining - 1n });
  }
  return orders;
}

const orders = fc.array(step, { maxLength: 60 }).map(play);

/** Against all prices of crossing orders, one by one. */
function expectIndication(all: Orders): void {
  const [bids, asks] = [all.sorted(BUY), all.sorted(SELL)];
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  const indication = all.book.indication();
  if (bid === undefined || ask === undefined || bid < ask) {
    expect(indication).toBeUndefined();
    return;
  }
  const sumOf = (orders: readonly StoredOrder[]) =>
    orders.reduce((sum, { remaining }) => sum + remaining, 0n);
  const crossing = [...bids, ...asks]
    .map(({ price }) => price)
    .filter((price) => price >= ask && price <= bid);
  const volumes = [...new Set(crossing)].map((price) => {
    const demand = sumOf(bids.filter((order) => order.price >= price));
    const supply = sumOf(asks.filter((order) => order.price <= price));
    return { price, volume: demand < supply ? demand : supply };
  });
  const most = volumes.reduce((max, { volume }) => (volume > max ? volume : max), 0n);
  const reaching = volumes.filter(({ volume }) => volume === most).map(({ price }) => price);
  const high = reaching.reduce((a, b) => (a > b ? a : b));
  const low = reaching.reduce((a, b) => (a < b ? a : b));
  // Whole levels of bids that make the volume up: then bids uncross.
  const isWhole = bids.some(({ price }) => sumOf(bids.filter((order) => order.price >= price)) === most);
  expect(indication).toEqual({ price: (high + low) / 2n, volume: most, side: isWhole ? BUY : SELL });
}

describe("a book", () => {
  test("keeps orders in priority, whatever was rolled back", () => {
    fc.assert(
      fc.property(orders, (all) => {
        const { book } = all;
        for (const one of [BUY, SELL] as const) {
          const expected = all.sorted(one);
          const levels = [...book.levels(one)];
          expect(levels.flatMap((level) => [...level.orders])).toEqual(expected);
          for (const level of levels) {
            const there = expected.filter(({ price }) => price === level.price);
            expect(level.volume).toBe(there.reduce((sum, { remaining }) => sum + remaining, 0n));
            expect(level.staticVolume).toBe(
              there.filter(isStatic).reduce((sum, { remaining }) => sum + remaining, 0n),
            );
          }
          expect(book.best(one)?.price).toBe(expected[0]?.price);
          expect(book.bestStatic(one)?.price).toBe(expected.find(isStatic)?.price);
        }
      }),
    );
  });

  test("matches by price and time, up to the limit, an own order, or nothing at all", () => {
    const request = fc.record({
      party: fc.constantFrom("a", "b", "c", "d"),
      side,
      limit: fc.option(fc.bigInt({ min: 1n, max: 12n }), { nil: undefined }),
      size: fc.bigInt({ min: 1n, max: 40n }),
      isFillOrKill: fc.boolean(),
      stopsAtOwn: fc.boolean(),
    });
    fc.assert(
      fc.property(orders, request, (all, incoming) => {
        const { party, limit, size, isFillOrKill, stopsAtOwn } = incoming;
        const other = incoming.side === BUY ? SELL : BUY;
        let rest = size;
        let metOwn = false;
        const fills: { id: string; size: bigint }[] = [];
        for (const resting of all.sorted(other)) {
          if (limit !== undefined && (incoming.side === BUY ? resting.price > limit : resting.price < limit))
            break;
          if (rest === 0n) break;
          if (stopsAtOwn && resting.party === party) {
            metOwn = true;
            break;
          }
          const part = resting.remaining < rest ? resting.remaining : rest;
          fills.push({ id: resting.id, size: part });
          rest -= part;
        }
        const outcome = all.book.match(incoming);
        const isKilled = isFillOrKill && rest > 0n;
        expect(outcome.fills.map((fill) => ({ id: fill.order.id, size: fill.size }))).toEqual(
          isKilled ? [] : fills,
        );
        expect(outcome.filled).toBe(isKilled ? 0n : size - rest);
        expect(outcome.metOwn).toBe(metOwn);
      }),
    );
  });

  test("knows the price at which a volume can be closed", () => {
    fc.assert(
      fc.property(orders, side, fc.bigInt({ min: 1n, max: 60n }), (all, one, size) => {
        const units = all
          .sorted(one)
          .flatMap(({ price, remaining }) => Array(Number(remaining)).fill(price) as bigint[]);
        const matched = units.slice(0, Number(size));
        const expected =
          BigInt(matched.length) < size ? undefined : matched.reduce((sum, price) => sum + price, 0n) / size;
        expect(all.book.exitPrice(one, size)).toBe(expected);
      }),
    );
  });

  test("indicates where it would uncross", () => {
    fc.assert(fc.property(orders, expectIndication));
  });

  test("does all of it with thousands of levels, which come, go and are taken back", () => {
    const wide = fc.record({
      side,
      price: fc.bigInt({ min: 1n, max: 2_000n }),
      remaining: fc.bigInt({ min: 1n, max: 9n }),
      isRemoved: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(wide, { minLength: 1_500, maxLength: 1_500, size: "max" }), (list) => {
        const all = new Orders();
        for (const [n, { isRemoved: _, ...one }] of list.entries()) all.add(`o${n}`, one);
        for (const isLeaving of [true, false]) {
          expectIndication(all);
          for (const one of [BUY, SELL] as const) {
            const levels = [...all.book.levels(one)];
            const prices = [...new Set(all.sorted(one).map(({ price }) => price))];
            expect(levels.map(({ price }) => price)).toEqual(prices);
            for (const level of levels) expect(all.book.at(one, level.price)).toBe(level);
            expect(all.book.at(one, 2_001n)).toBeUndefined();
          }
          if (!isLeaving) continue;
          for (const [n, { isRemoved }] of list.entries()) if (isRemoved) all.set(`o${n}`, undefined);
        }
      }),
      { numRuns: 3 },
    );
  });

  test("sums thousands of levels by looking at few, whichever has changed", () => {
    let looks = 0;
    const levels = new Levels(BUY, ({ volume }) => {
      looks++;
      return volume;
    });
    const put = (price: number) =>
      levels.insert({ ...ORDER, side: BUY, price: BigInt(price), remaining: 2n, place: price });
    for (let n = 1; n <= 8_000; n++) put((n * 4_111) % 10_007);
    expect(levels.sumTo(1n)).toBe(16_000n);
    for (let n = 8_001; n <= 9_000; n++) {
      put((n * 4_111) % 10_007);
      looks = 0;
      expect(levels.sumTo(1n)).toBe(2n * BigInt(n));
      expect(looks).toBeLessThanOrEqual(64);
    }
  });

  test("knows the last place of a level, whatever left it", () => {
    fc.assert(
      fc.property(orders, (all) => {
        for (const one of [BUY, SELL] as const)
          for (const level of all.book.levels(one))
            expect(level.lastPlace).toBe(Math.max(...[...level.orders].map(({ place }) => place)));
      }),
    );
  });

  // docs/protocol/70-trading-orders.md#35-indicative-price-and-uncrossing.
  test("with equal maxima at 10000 and 3000 indicates 6500, with one alone 10000", () => {
    const two = new Orders();
    two.add("b1", { side: BUY, price: 10_000n, remaining: 5n });
    two.add("s1", { side: SELL, price: 3_000n, remaining: 5n });
    expect(two.book.indication()).toEqual({ price: 6_500n, volume: 5n, side: BUY });
    const one = new Orders();
    one.add("b1", { side: BUY, price: 10_000n, remaining: 5n });
    one.add("b2", { side: BUY, price: 10_000n, remaining: 5n });
    one.add("b3", { side: BUY, price: 3_000n, remaining: 4n });
    one.add("s1", { side: SELL, price: 10_000n, remaining: 5n });
    one.add("s2", { side: SELL, price: 3_000n, remaining: 3n });
    expect(one.book.indication()).toEqual({ price: 10_000n, volume: 8n, side: SELL });
  });
});
