// The pages of the network in a real browser, from another origin: a node is accepted, then everything that a trader, a
// staker or a reader of blocks is shown, over HTTP and both protocols of subscriptions, while a devnet's market trades.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import { startNode } from "../../../src/start-node.ts";
import {
  HAS_BROWSER,
  offlineBrowser,
  openPage,
  type Seen,
  sayWhenSkipped,
} from "../../support/offline-browser.ts";
import { QUERIES, SUBSCRIPTIONS, type Subject } from "./page-operations.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as they are
type Json = any;

sayWhenSkipped("the pages of the network");

/** Time that a page waits for the first block of a node before it asks the next node. */
const ACCEPTED_WITHIN_MS = 3_000;

describe.skipIf(!HAS_BROWSER)("a page of the network", () => {
  const home = mkdtempSync(join(tmpdir(), "lyra-pages-"));
  const seen: Seen = { requests: [], failures: [], complaints: [] };
  let devnet: Devnet;
  let subject: Subject;
  let site: ReturnType<typeof Bun.serve>;
  let page: Page;

  const use = async (tool: string, body: object = {}): Promise<Json> => {
    const options = { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`${devnet.nodeUrl}/devnet/${tool}`, options)).json();
  };
  const read = async (path: string): Promise<Json> =>
    (await fetch(`${devnet.dataUrl}/api/v2/${path}`)).json();
  const trade = () => use("market/run", { market: subject.market, orders: 40, seed: 3 });

  beforeAll(async () => {
    devnet = await startNode({ kind: "devnet", home, thread: true, cometPort: 0 });
    const { market } = await use("market/create", { preset: "btc" });
    await use("market/run", { market, orders: 60, seed: 7 });
    const { positions } = await read(`positions?filter.marketIds=${market}`);
    const party = positions.edges[0].node.partyId;
    const { orders } = await read(`orders?filter.marketIds=${market}&filter.partyIds=${party}`);
    const { accounts } = await read(
      `accounts?filter.partyIds=${party}&filter.accountTypes=ACCOUNT_TYPE_GENERAL`,
    );
    const { nodes } = await read("nodes");
    const { epoch } = await read("epoch");
    subject = {
      party,
      market,
      asset: accounts.edges[0].node.asset,
      node: nodes.edges[0].node.id,
      epoch: epoch.seq,
      order: orders.edges[0].node.id,
    };
    site = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () =>
        new Response("<!doctype html><title>a page</title>", { headers: { "content-type": "text/html" } }),
    });
    const browser = await offlineBrowser();
    page = await openPage(browser, seen);
    await page.goto(`http://127.0.0.1:${site.port}/`);
  });
  afterAll(async () => {
    await page?.close();
    await site?.stop(true);
    await devnet?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const ask = (operation: { readonly title: string; readonly query: string; readonly variables?: object }) =>
    page.evaluate(
      async ({ url, title, query, variables }) => {
        const response = await fetch(url, {
          method: "POST",
          headers: { accept: "*/*", "content-type": "application/json" },
          body: JSON.stringify({ operationName: title, variables: variables ?? {}, query }),
        });
        const height = response.headers.get("x-block-height");
        const time = response.headers.get("x-block-timestamp");
        return { status: response.status, height, time, body: (await response.json()) as Json };
      },
      { url: `${devnet.dataUrl}/graphql`, ...operation },
    );

  test.each(QUERIES.map((each) => [each.title, each] as const))("is answered %s", async (_, operation) => {
    const { title, query, variables, filled } = operation;
    const { status, height, time, body } = await ask({ title, query, variables: variables?.(subject) ?? {} });
    expect([status, body.errors]).toEqual([200, undefined]);
    for (const path of filled) {
      const value = path.split(".").reduce((part, name) => part?.[name], body.data);
      expect(Array.isArray(value) ? value.length : value, `${path} of ${title}`).toBeTruthy();
    }
    // The measure of a node's health for a page: it may be read across origins.
    expect(Number(height)).toBe(devnet.chain.status.height);
    expect(Number(time)).toBeGreaterThan(0);
  });

  test("finds the height of the chain where the answer's header has it", async () => {
    const { body, height } = await ask(QUERIES[0]!);
    expect(body.data.statistics.blockHeight).toBe(height);
  });

  describe.each(["graphql-transport-ws", "graphql-ws"])("over %s", (protocol) => {
    test("accepts a node that makes no blocks, and is told everything when its market trades", async () => {
      const operations = SUBSCRIPTIONS.map(({ title, query, variables }) => ({
        operationName: title,
        query,
        variables: variables?.(subject) ?? {},
      }));
      await page.evaluate(follow, { url: devnet.dataUrl.replace("http", "ws"), protocol, operations });
      const answers = (): Promise<Json[][]> => page.evaluate("window.payloads");
      await page.waitForFunction("window.payloads[0].length > 0", undefined, { timeout: ACCEPTED_WITHIN_MS });
      const before = devnet.chain.status.height;
      await trade();
      await page.waitForFunction(
        (quiet) => {
          const { payloads } = window as unknown as { payloads: object[][] };
          return payloads.every((each, at) => quiet[at] || each.length > 1);
        },
        SUBSCRIPTIONS.map(({ isQuiet }) => isQuiet === true),
      );
      for (const [at, payloads] of (await answers()).entries()) {
        const { title, field } = SUBSCRIPTIONS[at]!;
        for (const payload of payloads) {
          expect([title, payload.errors]).toEqual([title, undefined]);
          expect(Object.keys(payload.data)).toEqual([field]);
        }
      }
      expect(devnet.chain.status.height).toBeGreaterThan(before);
      expect(await page.evaluate("window.faults")).toEqual([]);
      await page.evaluate("window.socket.close()");
    });
  });

  test("reads blocks and transactions as the block explorer does", async () => {
    const { dataUrl, chain } = devnet;
    const get = (url: string): Promise<Json> =>
      page.evaluate(async (address) => (await fetch(address)).json() as Json, url);
    const { transactions } = await get(`${dataUrl}/rest/transactions?limit=25`);
    expect(transactions.length).toBe(25);
    const [newest] = transactions;
    const older = await get(`${dataUrl}/rest/transactions?limit=5&before=${transactions[24].cursor}`);
    expect(older.transactions.length).toBe(5);
    expect((await get(`${dataUrl}/rest/transactions/${newest.hash}`)).transaction.hash).toBe(newest.hash);
    const filter = `filters[tx.submitter]=${newest.submitter}&filters[cmd.type]=Chain%20Event`;
    const events = await get(`${dataUrl}/rest/transactions?limit=5&${filter}`);
    expect(events.transactions[0]).toMatchObject({ submitter: newest.submitter, type: "Chain Event" });
    const comet = devnet.address.cometUrl;
    expect(Number((await get(`${comet}/status`)).result.sync_info.latest_block_height)).toBe(
      chain.status.height,
    );
    expect((await get(`${comet}/block?height=${newest.block}`)).result.block.data.txs.length).toBeGreaterThan(
      0,
    );
    expect((await get(`${comet}/blockchain`)).result.block_metas.length).toBeGreaterThan(10);
    expect((await get(`${comet}/validators`)).result.validators.length).toBe(1);
    expect((await get(`${comet}/genesis`)).result.genesis.chain_id).toBe(devnet.chainId);
  });

  test("was refused nothing by its browser", () => {
    expect(seen.failures.filter((each) => !each.endsWith("/favicon.ico"))).toEqual([]);
    expect(seen.complaints.filter((each) => !each.includes("favicon"))).toEqual([]);
  });
});

/** In the page: one socket, all operations, each payload kept. */
function follow(options: {
  readonly url: string;
  readonly protocol: string;
  readonly operations: readonly object[];
}): void {
  const { url, protocol, operations } = options;
  const isLater = protocol === "graphql-transport-ws";
  const socket = new WebSocket(`${url}/graphql`, protocol);
  const payloads: object[][] = operations.map(() => []);
  const faults: string[] = [];
  Object.assign(window, { socket, payloads, faults });
  socket.onopen = () => socket.send(JSON.stringify({ type: "connection_init", payload: {} }));
  socket.onmessage = ({ data }) => {
    const { type, id, payload } = JSON.parse(data as string);
    if (type === "connection_ack")
      for (const [at, operation] of operations.entries())
        socket.send(
          JSON.stringify({ id: String(at), type: isLater ? "subscribe" : "start", payload: operation }),
        );
    else if (type === "next" || type === "data") payloads[Number(id)]!.push(payload);
    else if (type !== "ka" && type !== "ping") faults.push(data as string);
  };
}
