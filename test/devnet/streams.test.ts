// Streams of a devnet with a market: a crowd trades while they are followed, and what they tell adds up to what is read.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { eventually } from "../support/eventually.ts";
import {
  accountKey,
  expectWithoutGap,
  newestOf,
  nodesOf,
  positionKey,
  resultsOf,
  rowsOf,
  textsOf,
} from "../support/stream-messages.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at as they are
type Json = any;

const sockets: WebSocket[] = [];
let devnet: Devnet;
let market: string;
beforeAll(async () => {
  devnet = await startTestDevnet();
  ({ market } = await use("market/create", { preset: "btc" }));
});
afterAll(async () => {
  for (const socket of sockets) socket.close();
  await devnet.stop();
});

async function use(tool: string, body: object = {}): Promise<Json> {
  const options = { method: "POST", body: JSON.stringify(body) };
  return (await fetch(`${devnet.nodeUrl}/devnet/${tool}`, options)).json();
}

/** A page of everything, in the form of streams. */
async function read(path: string): Promise<Json> {
  const headers = { accept: "application/json+stream" };
  return (await fetch(`${devnet.dataUrl}/api/v2/${path}`, { headers })).json();
}

class Client {
  readonly messages: Json[] = [];
  readonly opened: Promise<void>;
  ended: { code: number; reason: string } | undefined;

  constructor(path: string, first?: object, url = devnet.dataUrl) {
    const socket = new WebSocket(
      `${url.replace("http", "ws")}${path}${path.includes("?") ? "&" : "?"}height=true`,
    );
    sockets.push(socket);
    this.opened = new Promise((resolve) => {
      socket.onopen = () => {
        if (first) socket.send(JSON.stringify(first));
        resolve();
      };
    });
    socket.onmessage = ({ data }) => void this.messages.push(JSON.parse(data as string));
    socket.onclose = ({ code, reason }) => {
      this.ended = { code, reason };
    };
  }

  /** Waits until the stream has begun, which its first mark of a height or its snapshot says. */
  begins = () => eventually(() => this.messages.length > 0);

  async reaches(height: number): Promise<void> {
    await eventually(() => Number(this.messages.at(-1)?.height ?? 0) >= height);
  }

  get results(): Json[] {
    return resultsOf(this.messages);
  }
}

describe("a crowd that trades", () => {
  test("is told by every stream as the data API reads it", async () => {
    const stream = (path: string) => new Client(`/api/v2/stream/${path}`);
    const clients = {
      accounts: stream("accounts"),
      orders: stream("orders"),
      positions: stream("positions"),
      trades: stream(`trades?marketIds=${market}`),
      margins: stream(`margin/levels?marketId=${market}`),
      data: stream(`markets/data?marketIds=${market}`),
      depth: stream(`markets/depth?marketIds=${market}`),
      candle: stream(`candle/data?candleId=trades_candle_1_hour_${market}`),
      movements: stream("ledger/movements"),
      bus: new Client("/api/v2/stream/event/bus", { type: [1] }),
      nodeBus: new Client("/stream/event/bus", { type: ["BUS_EVENT_TYPE_TRADE"] }, devnet.nodeUrl),
    };
    const all = Object.values(clients);
    await Promise.all(all.map((client) => client.begins()));
    await use("market/run", { market: "BTC/USD", orders: 60, seed: 7 });
    await Promise.all(all.map((client) => client.reaches(devnet.chain.status.height)));

    expect(newestOf(rowsOf(clients.accounts.messages, "accounts"), accountKey)).toEqual(
      textsOf(nodesOf((await read("accounts")).accounts)),
    );
    expect(newestOf(rowsOf(clients.positions.messages, "positions"), positionKey)).toEqual(
      textsOf(nodesOf((await read("positions")).positions)),
    );
    const live = nodesOf((await read("orders?filter.liveOnly=true")).orders);
    const orders = new Map(rowsOf(clients.orders.messages, "orders").map((order) => [order.id, order]));
    expect(live.length).toBeGreaterThan(5);
    for (const order of live) expect(orders.get(order.id)).toEqual(order);

    const trades = clients.trades.results.flatMap((result) => result.trades);
    expect(trades.length).toBeGreaterThan(10);
    const stored = nodesOf((await read(`trades?marketIds=${market}&pagination.newestFirst=false`)).trades);
    expect(trades).toEqual(stored.slice(stored.length - trades.length));
    // The node's own bus prints by the rules of its other answers.
    const onNode = clients.nodeBus.results.flatMap(({ events }) => events);
    expect(onNode.map(({ type, trade }) => [type, trade.id])).toEqual(
      trades.map(({ id }) => ["BUS_EVENT_TYPE_TRADE", id]),
    );

    const levels = nodesOf((await read(`margin/levels?marketId=${market}`)).marginLevels);
    const levelsByParty = new Map(
      clients.margins.results.map(({ marginLevels }) => [marginLevels.partyId, marginLevels]),
    );
    for (const one of levels)
      if (levelsByParty.has(one.partyId)) expect(levelsByParty.get(one.partyId)).toEqual(one);
    expect(levelsByParty.size).toBeGreaterThan(2);
    const { marketsData } = await read("markets/data");
    expect(clients.data.results.at(-1).marketData.at(-1)).toEqual(marketsData[0]);
    const candles = await read(`candle?candleId=trades_candle_1_hour_${market}&pagination.first=1`);
    expect(clients.candle.results.at(-1).candle).toEqual(nodesOf(candles.candles)[0]);
    const { buy, sell } = await read(`market/depth/${market}/latest`);
    const [book] = clients.depth.results.at(-1).marketDepth;
    expect({ buy: book.buy, sell: book.sell }).toEqual({ buy, sell });

    const events = clients.bus.results.flatMap(({ events: some }) => some);
    expectWithoutGap(events);
    const moved = events.flatMap(({ ledgerMovements }: Json) => ledgerMovements?.ledgerMovements ?? []);
    expect(clients.movements.results.map(({ ledgerMovement }) => ledgerMovement)).toEqual(moved);
  }, 120_000);

  test("a revert ends every stream with a reason", async () => {
    const snapshot = await devnet.chain.snapshot();
    const clients = ["accounts", "trades", "ledger/movements"].map(
      (path) => new Client(`/api/v2/stream/${path}`),
    );
    await Promise.all(clients.map((client) => client.begins()));
    await devnet.chain.mine(2);
    await devnet.chain.revert(snapshot);
    for (const client of clients) {
      await eventually(() => client.ended !== undefined);
      expect(client.ended).toEqual({ code: 1012, reason: expect.stringContaining("taken back") });
      expect(client.messages.at(-1).error).toMatchObject({ code: 14 });
    }
    // Streams opened then show the present chain.
    const again = new Client("/api/v2/stream/ledger/movements");
    await again.begins();
    await devnet.chain.mine(1);
    await again.reaches(devnet.chain.status.height);
  }, 120_000);
});
