// Markets, orders, trades, candles and liquidity provisions over small made-up chains
// (docs/protocol/10-data-api-endpoints.md#515-markets-and-market-data to #517-trades-positions-margins-provisions).
import { afterAll, describe, expect, test } from "bun:test";
import { Field } from "../../../src/wire/block.ts";
import {
  encodeLiquidityProvision,
  encodeMarket,
  encodeMarketData,
  encodeOrder,
  encodeTrade,
  type Order,
  type Trade,
} from "../../../src/wire/generated/vega.ts";
import {
  blockNs,
  blockTime,
  chainOf,
  cursorOf,
  type Event,
  id,
  type Json,
  numberOf,
  openChain,
  removeChains,
  walk,
} from "../../support/small-chain.ts";

afterAll(removeChains);

const MARKET = id(0xa1);
const ALICE = id(0x11);
const BOB = id(0x22);
const SIDE = { buy: 1, sell: 2 } as const;
const LIMIT = 1;
const GTC = 1;
const STATUS = { active: 1, cancelled: 3, stopped: 4, filled: 5 } as const;

const numbers = (edges: Json[], name = "id") => edges.map((edge) => numberOf(edge.node[name]));

function trade(n: number, fields: Partial<Trade> = {}): Event {
  const parties = { buyer: ALICE, seller: BOB, buyOrder: id(1), sellOrder: id(2) };
  return [
    Field.trade,
    encodeTrade({ id: id(n), marketId: MARKET, price: "100", size: 1n, ...parties, ...fields }),
  ];
}

function order(n: number, createdHeight: number, fields: Partial<Order> = {}): Event {
  return [
    Field.order,
    encodeOrder({
      id: id(n),
      marketId: MARKET,
      partyId: ALICE,
      side: SIDE.buy,
      price: "100",
      size: 10n,
      remaining: 10n,
      timeInForce: GTC,
      type: LIMIT,
      createdAt: blockNs(createdHeight) + 7n,
      status: STATUS.active,
      version: 1n,
      ...fields,
    }),
  ];
}

// docs/protocol/10-data-api-endpoints.md#517-trades-positions-margins-provisions.
describe("trades", () => {
  const get = chainOf([
    [trade(1), trade(2, { buyer: BOB, seller: ALICE })],
    [],
    [trade(3, { seller: id(0x33) }), trade(4, { buyer: id(0x33), marketId: id(0xa2) }), trade(5)],
  ]);
  // The n-th event of a block has the sequence n, a trade the block's time plus as many microseconds.
  const cases: [query: string, trades: number[]][] = [
    ["", [5, 4, 3, 2, 1]],
    [`marketIds=${id(0xa2)}&marketIds=${MARKET}`, [5, 4, 3, 2, 1]],
    [`partyIds=${ALICE}&partyIds=${BOB}`, [5, 4, 3, 2, 1]],
    [`partyIds=${id(0x33)}&marketIds=${MARKET}`, [3]],
    [`orderIds=${id(2)}&partyIds=${BOB}`, [5, 4, 2, 1]],
    [
      `dateRange.startTimestamp=${blockNs(1) + 2000n}&dateRange.endTimestamp=${blockNs(3) + 3000n}`,
      [4, 3, 2],
    ],
    [`pagination.after=${cursorOf({ synthetic_time: blockTime(3).replace("Z", ".000002Z") })}`, [3, 2, 1]],
    ["pagination.last=2", [2, 1]],
    [`partyIds=${id(0x44)}`, []],
  ];
  test.each(cases)("%s", async (query, trades) => {
    expect(numbers((await get(`/trades?${query}`)).body.trades.edges)).toEqual(trades);
  });

  test("a walk gives each trade once, also within a block and over several parties", async () => {
    for (const filter of ["", `partyIds=${ALICE}&partyIds=${BOB}&`, `marketIds=${MARKET}&`]) {
      const whole = (await get(`/trades?${filter}`)).body.trades.edges.map((edge: Json) => edge.node);
      expect(await walk(get, `/trades?${filter}`, 1)).toEqual(whole);
    }
  });

  test("a trade has the time of its block and both fees", async () => {
    const { body } = await get(`/market/${MARKET}/trade/latest`);
    expect(body.trade.timestamp).toBe(String(blockNs(3)));
    expect(body.trade.sellerFee).toEqual({ makerFee: "0", infrastructureFee: "0", liquidityFee: "0" });
  });
});

// docs/protocol/10-data-api-endpoints.md#515-markets-and-market-data.
describe("candles", () => {
  // Blocks are a minute apart from 09:01; trades in minutes 1, 2, 2, 4, 6 and 11 after nine.
  const get = chainOf([
    [trade(1, { price: "100" })],
    [trade(2, { price: "90", size: 2n }), trade(3, { price: "120" })],
    [],
    [trade(4, { price: "110" })],
    [],
    [trade(5, { price: "105" }), trade(6, { price: "95", marketId: id(0xa2) })],
    ...[[], [], [], []],
    [trade(7, { price: "101" })],
  ]);
  const path = `/candle?candleId=trades_candle_5_minutes_${MARKET}`;
  const minutes = (edges: Json[]) =>
    edges.map((edge) => (BigInt(edge.node.start) - blockNs(0)) / 60_000_000_000n);

  test("a candle tells its trades", async () => {
    const { body } = await get(`${path}&pagination.newestFirst=false&pagination.first=1`);
    expect(body.candles.edges[0].node).toEqual({
      start: String(blockNs(0)),
      lastUpdate: String(blockNs(4) + 1000n),
      high: "120",
      low: "90",
      open: "100",
      close: "110",
      volume: "5",
    });
  });

  const cases: [query: string, minutes: bigint[], next: boolean, previous: boolean][] = [
    ["", [10n, 5n, 0n], false, false],
    ["&pagination.newestFirst=false", [0n, 5n, 10n], false, false],
    [`&fromTimestamp=${blockNs(0) + 1000n}&toTimestamp=${blockNs(10)}`, [5n], false, false],
    [`&fromTimestamp=${blockNs(5)}&toTimestamp=${blockNs(10) + 1000n}`, [10n, 5n], false, false],
    [`&pagination.first=1&pagination.after=${cursorOf({ periodStart: blockTime(10) })}`, [5n], true, true],
    [`&pagination.last=1&pagination.before=${cursorOf({ periodStart: blockTime(0) })}`, [5n], true, true],
    ["&pagination.last=2", [5n, 0n], false, true],
  ];
  test.each(cases)("%s", async (query, starts, next, previous) => {
    const { edges, pageInfo } = (await get(path + query)).body.candles;
    expect(minutes(edges)).toEqual(starts);
    expect([pageInfo.hasNextPage, pageInfo.hasPreviousPage]).toEqual([next, previous]);
  });

  test("periods without trades have no candle, and every interval that is listed can be read", async () => {
    const { body } = await get(`/candle/intervals?marketId=${MARKET}`);
    const counts: Record<string, number> = {};
    for (const { interval, candleId } of body.intervalToCandleId) {
      counts[interval] = (await walk(get, `/candle?candleId=${candleId}&`, 2)).length;
    }
    expect(Object.values(counts)).toEqual([5, 5, 3, 1, 1, 1, 1]);
  });

  test("a candle's id names a whole market", async () => {
    const { status, body } = await get("/candle?candleId=trades_candle_1_minute_a1");
    expect([status, body.details[0].code]).toEqual([500, 60001]);
  });
});

test("of several faults of a list the original's first is told", async () => {
  const get = chainOf([]);
  const inner = async (path: string) => (await get(path)).body.details[0].inner;
  const wrong = "filter.partyIds=x&filter.marketIds=x&pagination";
  const market = "one or more market id is invalid";
  expect(await inner(`/positions?${wrong}.first=0`)).toBe(market);
  expect(await inner(`/orders?${wrong}.last=1`)).toBe(market);
  expect(await inner(`/orders?${wrong}.newestFirst=false`)).toBe(market);
  expect(await inner(`/orders?${wrong}.first=0`)).toBe("pagination limit must be greater than 0");
});

// docs/protocol/10-data-api-endpoints.md#516-orders.
describe("orders", () => {
  const get = chainOf([
    [
      order(5, 1),
      order(3, 1, { price: "90", remaining: 4n }),
      order(4, 1, { side: SIDE.sell, price: "110" }),
    ],
    [order(3, 1, { status: STATUS.filled, remaining: 0n, price: "90", version: 2n })],
    [order(1, 3, { partyId: BOB, remaining: 1n }), order(5, 1, { status: STATUS.stopped })],
    // The same order again, created again.
    [order(5, 4, { price: "101", version: 1n })],
  ]);

  test("newest creation first, then by id; a walk gives each once", async () => {
    const { body } = await get("/orders");
    expect(numbers(body.orders.edges).filter((n) => n !== 5)).toEqual([1, 3, 4]);
    expect(numbers(body.orders.edges)[0]).toBe(5);
    const whole = body.orders.edges.map((edge: Json) => edge.node);
    expect(await walk(get, "/orders?", 1)).toEqual(whole);
    expect(await walk(get, `/orders?filter.partyIds=${ALICE}&filter.partyIds=${BOB}&`, 1)).toEqual(whole);
  });

  const cases: [filter: string, orders: number[]][] = [
    ["filter.liveOnly=true", [5, 1, 4]],
    [`filter.liveOnly=true&filter.partyIds=${BOB}`, [1]],
    ["filter.statuses=STATUS_FILLED&filter.statuses=STATUS_CANCELLED", [3]],
    [`filter.dateRange.startTimestamp=${blockNs(2)}&filter.dateRange.endTimestamp=${blockNs(3)}`, [3]],
    ["filter.reference=none", []],
  ];
  test.each(cases)("%s", async (filter, orders) => {
    expect(numbers((await get(`/orders?${filter}`)).body.orders.edges)).toEqual(orders);
  });

  test("an order created anew reads as it is now; versions are the last state of each, newest first", async () => {
    expect((await get(`/order/${id(5)}`)).body.order).toMatchObject({
      price: "101",
      status: "STATUS_ACTIVE",
      createdAt: String(blockNs(4)),
    });
    const versions = await walk(get, `/order/versions/${id(3)}?`, 1);
    expect(versions.map((node) => [node.version, node.status])).toEqual([
      ["2", "STATUS_FILLED"],
      ["1", "STATUS_ACTIVE"],
    ]);
    const { status, body } = await get(`/order/versions/${id(3)}?pagination.last=1`);
    expect([status, body.details[0].code]).toEqual([500, 20005]);
  });

  test("depth adds live orders up by price, best first", async () => {
    const { body } = await get(`/market/depth/${MARKET.toUpperCase()}/latest?maxDepth=1`);
    expect(body).toMatchObject({
      marketId: MARKET,
      buy: [{ price: "101", numberOfOrders: "1", volume: "10" }],
      sell: [{ price: "110", numberOfOrders: "1", volume: "10" }],
      lastTrade: null,
      sequenceNumber: String(blockNs(4) + 1n),
    });
  });
});

test("sums of volumes end at the largest number of their field", async () => {
  const size = 2n ** 63n - 1n;
  const orders = [1, 2, 3].map((n) => order(n, 1, { size, remaining: size }));
  const get = chainOf([[...orders, trade(1, { size }), trade(2, { size }), trade(3, { size })]]);
  const most = String(2n ** 64n - 1n);
  const [level] = (await get(`/market/depth/${MARKET}/latest`)).body.buy;
  expect(level).toEqual({ price: "100", numberOfOrders: "3", volume: most });
  const { candles } = (await get(`/candle?candleId=trades_candle_block_${MARKET}`)).body;
  expect(candles.edges.map(({ node }: Json) => node.volume)).toEqual([most]);
  const { positions } = (await get("/positions?pagination.newestFirst=false")).body;
  expect(positions.edges.map(({ node }: Json) => node.openVolume)).toEqual([String(size), String(-size)]);
});

test("markets: rejected ones never, settled ones unless told; ties in time break by id", async () => {
  const market = (n: number, state: number): Event => [
    Field.marketCreated,
    encodeMarket({ id: id(n), state }),
  ];
  const get = chainOf([
    [market(2, 5), market(1, 5)],
    [market(3, 2), market(4, 9)],
  ]);
  expect(numbers((await get("/markets")).body.markets.edges)).toEqual([4, 2, 1]);
  expect(numbers((await get("/markets?includeSettled=false")).body.markets.edges)).toEqual([2, 1]);
  expect((await walk(get, "/markets?", 1)).map((node) => numberOf(node.id))).toEqual([4, 2, 1]);
  expect((await get(`/market/${id(3)}`)).body.market.state).toBe("STATE_REJECTED");
});

test("market data history: both ends inclusive, every event of a block, the last traded price not kept", async () => {
  const data = (price: string): Event => [
    Field.marketData,
    encodeMarketData({ market: MARKET, markPrice: price, lastTradedPrice: "9", timestamp: 1n }),
  ];
  const get = chainOf([[data("1")], [data("2"), data("3")], [data("4")]]);
  const path = `/market/data/${MARKET}?startTimestamp=${blockNs(1)}&endTimestamp=${blockNs(2)}&`;
  const nodes = await walk(get, path, 1);
  expect(nodes.map((node) => node.markPrice)).toEqual(["3", "2", "1"]);
  expect(nodes[0]).toMatchObject({ timestamp: String(blockNs(2)), lastTradedPrice: "", midPrice: "0" });
  expect((await get(`/market/data/${MARKET}`)).body.marketData.edges).toEqual([]);
});

test("latest market data: an identifier in capital letters matches nothing", async () => {
  const get = chainOf([[[Field.marketData, encodeMarketData({ market: MARKET, markPrice: "1" })]]]);
  expect((await get(`/market/data/${MARKET}/latest`)).body.marketData.markPrice).toBe("1");
  const { status, body } = await get(`/market/data/${MARKET.toUpperCase()}/latest`);
  expect([status, body.details[0].code]).toEqual([500, 30004]);
});

test("liquidity provisions: history by default, filters on what only the message tells", async () => {
  const provision = (n: number, status: number, reference: string): Event => [
    Field.liquidityProvision,
    encodeLiquidityProvision({ id: id(n), partyId: ALICE, marketId: MARKET, status, reference, fee: "0.10" }),
  ];
  const get = chainOf([
    [provision(1, 6, "a"), provision(2, 6, "b")],
    [provision(1, 1, "a")],
    [provision(2, 3, "b")],
  ]);
  const list = async (query: string) => {
    const nodes = await walk(get, `/liquidity/provisions?partyId=${ALICE}&${query}`, 1);
    return nodes.map((node) => `${numberOf(node.id)} ${node.status} ${node.fee}`);
  };
  expect(await list("")).toEqual([
    "2 STATUS_CANCELLED 0.1",
    "1 STATUS_ACTIVE 0.1",
    "2 STATUS_PENDING 0.1",
    "1 STATUS_PENDING 0.1",
  ]);
  expect(await list("reference=a&")).toEqual(["1 STATUS_ACTIVE 0.1", "1 STATUS_PENDING 0.1"]);
  expect(await list("live=true&")).toEqual(["1 STATUS_ACTIVE 0.1"]);
  expect(await list("live=true&reference=a&")).toEqual(["1 STATUS_ACTIVE 0.1"]);
  expect(await list("live=true&reference=b&")).toEqual([]);
  expect((await get("/liquidity/provisions")).status).toBe(500);
});

test("live liquidity provisions: those that are over are looked through once for a page, however many they are", async () => {
  const provision = (n: number, status: number): Event => [
    Field.liquidityProvision,
    encodeLiquidityProvision({
      id: n.toString(16).padStart(64, "0"),
      partyId: ALICE,
      marketId: MARKET,
      status,
      fee: "0",
    }),
  ];
  const over = Array.from({ length: 5_000 }, (_, n) => provision(n, 3));
  const { get, context } = openChain([[...over, provision(5_001, 1), provision(5_002, 6)]]);
  const query = context.db.query.bind(context.db);
  let looks = 0;
  context.db.query = ((sql: string) => {
    if (sql.includes("liquidity_provisions_current")) looks++;
    return query(sql);
  }) as typeof query;
  const nodes = await walk(get, `/liquidity/provisions?marketId=${MARKET}&live=true&`, 1);
  expect(nodes.map((node) => node.status)).toEqual(["STATUS_PENDING", "STATUS_ACTIVE"]);
  expect(looks).toBe(2);
});
