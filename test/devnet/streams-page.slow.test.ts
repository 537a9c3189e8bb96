// A page in a real browser follows a devnet's streams from another origin, as a dApp does (streams-page.html): snapshots, then
// updates while a market trades, through a restart of the node, and without a trace once the tab is closed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { startNode } from "../../src/start-node.ts";
import { HAS_BROWSER, offlineBrowser, openPage, sayWhenSkipped } from "../support/offline-browser.ts";
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

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at as they are
type Json = any;

/** The page's notes on a stream, for each time that it was open. */
interface Session {
  readonly messages: Json[];
  readonly end: { readonly code: number | string; readonly reason: string } | null;
  /** The header `X-Block-Height`, which a page sees of plain requests alone. */
  readonly from: string | null;
}

/** Declarations of the page's script. */
interface PageScript {
  readonly followed: Readonly<Record<string, Session[]>>;
  bySocket(name: string, url: string, filter?: object): void;
  byLines(name: string, url: string, init?: object): void;
  haveReached(at: number, height: number): boolean;
}
declare const window: { readonly streams: PageScript };

sayWhenSkipped("streams");
const STREAMS = 14;
/** After a tab is closed, until the node knows. */
const LEAVE_MS = 1_000;

describe.skipIf(!HAS_BROWSER)("a page of another origin", () => {
  const home = mkdtempSync(join(tmpdir(), "lyra-streams-page-"));
  let devnet: Devnet;
  let market: string;
  let site: ReturnType<typeof Bun.serve>;
  let page: Page;
  const complaints: string[] = [];

  const start = (ports: { dataPort?: number; nodePort?: number }) =>
    // No stream more: one that is left open keeps a later one out.
    startNode({ kind: "devnet", home, thread: true, limits: { streamsPerAddressMax: STREAMS }, ...ports });
  const use = async (tool: string, body: object = {}): Promise<Json> => {
    const options = { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`${devnet.nodeUrl}/devnet/${tool}`, options)).json();
  };
  const read = async (path: string): Promise<Json> => {
    const headers = { accept: "application/json+stream" };
    return (await fetch(`${devnet.dataUrl}/api/v2/${path}`, { headers })).json();
  };

  beforeAll(async () => {
    devnet = await start({});
    ({ market } = await use("market/create", { preset: "btc" }));
    site = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(Bun.file(join(import.meta.dir, "streams-page.html"))),
    });
    page = await openTab();
  });
  afterAll(async () => {
    await page?.close();
    await site?.stop(true);
    await devnet?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function openTab(): Promise<Page> {
    const tab = await openPage(await offlineBrowser(), { requests: [], failures: [], complaints: [] });
    tab.on("pageerror", ({ message }) => complaints.push(message));
    await tab.goto(`http://127.0.0.1:${site.port}/`);
    await tab.evaluate(follow, {
      data: `${devnet.dataUrl}/api/v2/stream/`,
      bus: `${devnet.nodeUrl}/stream/event/bus?height=true`,
      market,
    });
    return tab;
  }

  /** The number of a session that every stream has, and in which it has sent the last block. */
  async function followedUntilNow(at: number): Promise<Record<string, Session>> {
    await page.waitForFunction(
      ([n, height]) => window.streams.haveReached(n!, height!),
      [at, devnet.chain.status.height],
    );
    const all = await page.evaluate(() => window.streams.followed);
    expect(Object.keys(all).length).toBe(STREAMS);
    return Object.fromEntries(Object.entries(all).map(([name, sessions]) => [name, sessions[at]!]));
  }

  /** Every stream of the page has been open this often. */
  const opened = (times: number) =>
    page.waitForFunction(
      ([count, streams]) => {
        const all = Object.values(window.streams.followed);
        return all.length === streams && all.every((sessions) => sessions.length === count);
      },
      [times, STREAMS],
    );

  /** The streams add up to the data API's present answer. */
  async function expectAsRead(streams: Record<string, Session>): Promise<void> {
    const of = (name: string) => streams[name]!.messages;
    for (const name of ["accounts", "account lines"])
      expect(newestOf(rowsOf(of(name), "accounts"), accountKey)).toEqual(
        textsOf(nodesOf((await read("accounts")).accounts)),
      );
    expect(newestOf(rowsOf(of("positions"), "positions"), positionKey)).toEqual(
      textsOf(nodesOf((await read("positions")).positions)),
    );
    const orders = new Map(rowsOf(of("orders"), "orders").map((order) => [order.id, order]));
    const live = nodesOf((await read("orders?filter.liveOnly=true")).orders);
    expect(live.length).toBeGreaterThan(5);
    for (const order of live) expect(orders.get(order.id)).toEqual(order);
    const { marketsData } = await read("markets/data");
    expect(resultsOf(of("market data")).at(-1).marketData.at(-1)).toEqual(marketsData[0]);
    const { buy, sell } = await read(`market/depth/${market}/latest`);
    const [book] = resultsOf(of("depth")).at(-1).marketDepth;
    expect({ buy: book.buy, sell: book.sell }).toEqual({ buy, sell });
    const candles = await read(`candle?candleId=trades_candle_1_hour_${market}&pagination.first=1`);
    expect(resultsOf(of("candle")).at(-1).candle).toEqual(nodesOf(candles.candles)[0]);

    const trades = resultsOf(of("trades")).flatMap((result) => result.trades);
    expect(trades.length).toBeGreaterThan(10);
    expect(resultsOf(of("trade lines")).flatMap((result) => result.trades)).toEqual(trades);
    for (const name of ["bus", "posted bus"]) {
      const events = resultsOf(of(name)).flatMap(({ events: some }) => some);
      expectWithoutGap(events);
      expect(events.flatMap(({ trade }) => trade ?? [])).toEqual(trades);
    }
    const onNode = resultsOf(of("node bus")).flatMap(({ events }) => events);
    expect(onNode.map(({ trade }) => trade.id)).toEqual(trades.map(({ id }) => id));
  }

  const storedTrades = async (): Promise<Json[]> =>
    nodesOf(
      (await read(`trades?marketIds=${market}&pagination.newestFirst=false&pagination.first=1000`)).trades,
    );
  const tradesIn = ({ trades }: Record<string, Session>): Json[] =>
    resultsOf(trades!.messages).flatMap((result) => result.trades);
  /** Trades from before the page opened, and the messages of its first sessions. */
  let earlier: Json[];
  let before: Record<string, Session>;

  test("sees snapshots, then every change while blocks are made", async () => {
    await opened(1);
    const accounts = textsOf(nodesOf((await read("accounts")).accounts));
    earlier = await storedTrades();
    const height = devnet.chain.status.height;
    await use("market/run", { market: "BTC/USD", orders: 60, seed: 7 });
    before = await followedUntilNow(0);
    for (const name of ["accounts", "account lines"]) {
      const results = resultsOf(before[name]!.messages);
      const pages = results.flatMap(({ snapshot }) => snapshot ?? []);
      expect(pages.map(({ lastPage }) => lastPage ?? false)).toEqual(
        pages.map((_, n) => n === pages.length - 1),
      );
      expect(textsOf(pages.flatMap((one) => one.accounts))).toEqual(accounts);
      const others = results.slice(pages.length);
      expect(others.length).toBeGreaterThan(10);
      expect(others.every(({ updates }) => updates.accounts.length > 0)).toBe(true);
    }
    for (const name of ["account lines", "trade lines"]) expect(before[name]!.from).toBe(String(height));
    await expectAsRead(before);
  }, 120_000);

  test("has the reason of the end when the node stops, and goes on when it is there again", async () => {
    const { dataPort, nodePort } = devnet.address;
    const height = devnet.chain.status.height;
    await devnet.stop();
    await page.waitForFunction(() =>
      Object.values(window.streams.followed).every(([session]) => session!.end !== null),
    );
    for (const [name, [session]] of Object.entries(await page.evaluate(() => window.streams.followed))) {
      const { messages, end } = session!;
      expect(messages.at(-1).error.message).toBe("the node is stopping");
      const isByLines = name.includes("lines") || name.includes("posted");
      expect(end).toEqual(
        isByLines ? { code: "done", reason: "" } : { code: 1012, reason: "the node is stopping" },
      );
    }
    devnet = await start({ dataPort, nodePort });
    await opened(2);
    await use("market/run", { market: "BTC/USD", orders: 60, seed: 8 });
    const after = await followedUntilNow(1);
    await expectAsRead(after);
    expect(Number(after["trade lines"]!.from)).toBeGreaterThanOrEqual(height);
    // Nothing was traded while the page was away: what both sessions told is all that came.
    expect([...earlier, ...tradesIn(before), ...tradesIn(after)]).toEqual(await storedTrades());
  }, 120_000);

  test("leaves nothing when its tab is closed: the next one has all its places", async () => {
    await page.close();
    await Bun.sleep(LEAVE_MS);
    page = await openTab();
    await opened(1);
    await use("mine", { blocks: 2 });
    const streams = await followedUntilNow(0);
    expect(Object.values(streams).flatMap(({ messages }) => messages.filter(({ error }) => error))).toEqual(
      [],
    );
    expect(complaints).toEqual([]);
  }, 120_000);
});

/** Runs in the page. */
function follow({ data, bus, market }: { data: string; bus: string; market: string }): void {
  const socket = (name: string, path: string, filter?: object) =>
    window.streams.bySocket(
      name,
      `${data.replace("http", "ws")}${path}${path.includes("?") ? "&" : "?"}height=true`,
      filter,
    );
  socket("accounts", "accounts");
  socket("orders", "orders");
  socket("positions", "positions");
  socket("trades", `trades?marketIds=${market}`);
  socket("margins", `margin/levels?marketId=${market}`);
  socket("market data", `markets/data?marketIds=${market}`);
  socket("depth", `markets/depth?marketIds=${market}`);
  socket("candle", `candle/data?candleId=trades_candle_1_hour_${market}`);
  socket("movements", "ledger/movements");
  socket("bus", "event/bus", { type: [] });
  window.streams.bySocket("node bus", bus.replace("http", "ws"), { type: ["BUS_EVENT_TYPE_TRADE"] });
  window.streams.byLines("account lines", `${data}accounts?height=true`);
  window.streams.byLines("trade lines", `${data}trades?marketIds=${market}&height=true`);
  // With a preflight, which a body of JSON has.
  const headers = { "content-type": "application/json" };
  window.streams.byLines("posted bus", `${data}event/bus?height=true`, {
    method: "POST",
    headers,
    body: "{}",
  });
}
