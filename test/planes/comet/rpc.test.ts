// The consensus engine's RPC over a devnet, asked as its clients ask.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createRequire } from "node:module";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import { DOLLAR, type LastBlock, provenTransaction, transferTo } from "../../rig/devnet-client.ts";
import { eventually } from "../../support/eventually.ts";
import { heightAtRest, mineOverHttp, startTestDevnet } from "../../support/test-devnet.ts";

const clients = "@cosmjs/tendermint-rpc";
const resolve = createRequire(process.env.LYRA_COSMJS ?? import.meta.path);
const hasClient = (() => {
  try {
    return resolve.resolve(clients) !== "";
  } catch {
    return false;
  }
})();
if (!hasClient) console.log(`no client of another project: npm install --no-save ${clients}@0.32.4`);

let devnet: Devnet;
let url: string;
let count = 0;

beforeAll(async () => {
  devnet = await startTestDevnet({ cometPort: 0, parameters: { "spam.pow.difficulty": "1" } });
  url = devnet.address.cometUrl!;
  await heightAtRest(devnet);
});
afterAll(() => devnet.stop());

function transfer(amount = 100_000n): Uint8Array {
  const { chainId, height, hash, pow } = devnet.chain.status;
  const last: LastBlock = { chainId, height, hash, difficulty: pow.difficulty };
  const [alice, bob] = devnet.parties;
  const command = transferTo(bob!.publicKey, DOLLAR, amount);
  return provenTransaction(alice!.key, command, last, `comet ${count++}`);
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const hashOf = (bytes: Uint8Array) =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex").toUpperCase();

// biome-ignore lint/suspicious/noExplicitAny: answers of many forms
type Json = any;

async function post(method: string, params?: object): Promise<Json> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params });
  return (await fetch(url, { method: "POST", body })).json();
}
async function call(method: string, params?: object): Promise<Json> {
  const { result, error } = await post(method, params);
  expect(error).toBeUndefined();
  return result;
}

test("a page of another origin may read, by address and by post; HEAD has the length", async () => {
  const origin = "http://explorer.example";
  const read = await fetch(`${url}/status`, { headers: { origin } });
  expect(read.headers.get("access-control-allow-origin")).toBe(origin);
  const refused = await fetch(`${url}/nothing`, { headers: { origin } });
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([404, origin]);
  const head = await fetch(`${url}/genesis`, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
    200,
    String((await (await fetch(`${url}/genesis`)).arrayBuffer()).byteLength),
    "",
  ]);
  const preflight = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type",
  };
  const before = await fetch(url, { method: "OPTIONS", headers: { origin, ...preflight } });
  expect(before.status).toBe(204);
  expect(before.headers.get("access-control-allow-headers")).toBe("Content-Type");
});

describe("blocks", () => {
  /** Zeros at the end of a fraction are not written. */
  const sortable = (time: string) =>
    time.replace(/(?:\.(\d+))?Z$/, (_, fraction = "") => `.${fraction.padEnd(9, "0")}Z`);

  test("given all blocks, then each names the one before, and time and height go up", async () => {
    await mineOverHttp(devnet, 5);
    const { sync_info: tip } = await call("status");
    const last = devnet.chain.status;
    expect(tip).toMatchObject({
      latest_block_height: String(last.height),
      latest_block_hash: last.hash.toUpperCase(),
      earliest_block_height: "1",
      catching_up: false,
    });
    let before = { hash: "", parts: { total: 0, hash: "" } };
    let time = "";
    for (let height = 1; height <= last.height; height++) {
      const { block_id: id, block } = await call("block", { height: String(height) });
      expect(block.header).toMatchObject({
        height: String(height),
        chain_id: "lyra-devnet",
        last_block_id: before,
      });
      expect(sortable(block.header.time) > time).toBe(true);
      if (height > 1)
        expect(block.last_commit).toMatchObject({ height: String(height - 1), block_id: before });
      before = id;
      time = sortable(block.header.time);
    }
    expect(before.hash).toBe(last.hash.toUpperCase());
  });

  test("given a submitted transaction, then the block has its bytes, the results its code and its attributes", async () => {
    const tx = transfer();
    const done = await call("broadcast_tx_commit", { tx: base64(tx) });
    expect(done).toMatchObject({
      hash: hashOf(tx),
      check_tx: { code: 0 },
      deliver_tx: { code: 0, data: null },
    });
    const { block } = await call("block", { height: done.height });
    expect(block.data.txs).toContain(base64(tx));
    const { txs_results: results } = await call("block_results", { height: done.height });
    const result = results[block.data.txs.indexOf(base64(tx))];
    const attributes = Object.fromEntries(
      result.events.flatMap(({ type, attributes }: Json) =>
        attributes.map(({ key, value }: Json) => [`${type}.${atob(key)}`, atob(value)]),
      ),
    );
    expect(attributes).toEqual({
      "tx.submitter": devnet.parties[0]!.publicKey,
      "command.type": "Transfer Funds",
      "command.asset": DOLLAR,
    });
    const answer = await call("tx", { hash: Buffer.from(done.hash, "hex").toString("base64") });
    expect(answer).toMatchObject({ hash: done.hash, height: done.height, tx: base64(tx), tx_result: result });
    const key = devnet.parties[0]!.publicKey;
    const query = `tx.submitter='${key}' AND tx.height>=${done.height} AND command.type CONTAINS 'Transfer'`;
    expect(await call("tx_search", { query })).toMatchObject({
      total_count: "1",
      txs: [{ hash: done.hash }],
    });
    const blocks = await call("block_search", { query: "block.height<=3", order_by: "desc", per_page: "2" });
    expect(blocks.total_count).toBe("3");
    expect(blocks.blocks.map((each: Json) => each.block.header.height)).toEqual(["3", "2"]);
  });

  test("given a transaction that fails in its block, then its text is in data and info", async () => {
    await devnet.chain.setBlockMode({ kind: "manual" });
    // Each is good by itself; together they are more than there is.
    const waiting = [transfer(60_000_000_000n), transfer(60_000_000_000n)].map((tx) =>
      call("broadcast_tx_commit", { tx: base64(tx) }),
    );
    await devnet.chain.check(transfer());
    await eventually(() => devnet.chain.status.mempool.count >= 2);
    await mineOverHttp(devnet, 1);
    const [first, second] = await Promise.all(waiting);
    await devnet.chain.setBlockMode({ kind: "instant" });
    expect([first.check_tx.code, first.deliver_tx.code, second.check_tx.code]).toEqual([0, 0, 0]);
    const { code, data, info, log } = second.deliver_tx;
    expect({ code, log, data: atob(data) }).toEqual({ code: 70, log: "", data: info });
    expect(info).toContain("not enough");
    const { txs_results: stored } = await call("block_results", { height: second.height });
    expect(stored).toEqual([first.deliver_tx, second.deliver_tx]);
  });

  test("given a range of heights, then the newest twenty headers of it come, the newest first", async () => {
    await mineOverHttp(devnet, 30);
    const { hash } = await call("broadcast_tx_commit", { tx: base64(transfer()) });
    const last = devnet.chain.status.height;
    const newest = await call("blockchain");
    expect(newest.last_height).toBe(String(last));
    const heights = (metas: Json[]) => metas.map(({ header }) => Number(header.height));
    expect(heights(newest.block_metas)).toEqual(Array.from({ length: 20 }, (_, at) => last - at));
    const { block_id, block } = await call("block", { height: String(last) });
    const [tx] = block.data.txs;
    expect(hashOf(Buffer.from(tx, "base64"))).toBe(hash);
    const size = String(Buffer.from(tx, "base64").length);
    expect(newest.block_metas[0]).toEqual({
      block_id,
      block_size: size,
      header: block.header,
      num_txs: "1",
    });
    const some = await call("blockchain", { minHeight: "3", maxHeight: "5" });
    expect(heights(some.block_metas)).toEqual([5, 4, 3]);
    const old = await call("blockchain", { maxHeight: 2 });
    expect(heights(old.block_metas)).toEqual([2, 1]);
  });

  test("given an impersonated command, then the block's list of submitted transactions has it not", async () => {
    const { publicKey } = devnet.parties[0]!;
    const { height } = await devnet.chain.impersonate(publicKey, {
      cancelTransfer: { transferId: "ab".repeat(32) },
    });
    const { block } = await call("block", { height: String(height) });
    expect(block.data.txs).toEqual([]);
    expect((await call("block_results", { height })).txs_results).toBeNull();
  });
});

describe("submissions", () => {
  test("the same bytes again are the error of the engine's cache", async () => {
    const tx = base64(transfer());
    const sync = await call("broadcast_tx_sync", { tx });
    expect(sync).toMatchObject({ code: 0, data: "", log: "", codespace: "" });
    expect((await post("broadcast_tx_sync", { tx })).error).toEqual({
      code: -32603,
      message: "Internal error",
      data: "tx already exists in cache",
    });
  });

  test("given bytes that are no transaction, then async says nothing of it, sync and check say why", async () => {
    const tx = base64(Buffer.from("not a transaction"));
    expect(await call("broadcast_tx_async", { tx })).toMatchObject({ code: 0, data: "" });
    const sync = await call("broadcast_tx_sync", { tx });
    expect(sync.code).toBe(60);
    expect(Buffer.from(sync.data, "hex").toString()).toContain("unmarshal");
    const checked = await call("check_tx", { tx });
    expect(checked).toMatchObject({ code: 60, events: [] });
    const commit = await call("broadcast_tx_commit", { tx });
    expect(commit).toMatchObject({ check_tx: { code: 60 }, deliver_tx: { code: 0 }, height: "0" });
  });

  test("in an address bytes are hexadecimal or a text in quotes", async () => {
    const tx = transfer();
    const answer = await (await fetch(`${url}/broadcast_tx_sync?tx=0x${tx.toHex()}`)).json();
    expect(answer).toMatchObject({ id: -1, result: { code: 0, hash: hashOf(tx) } });
    const text = await (await fetch(`${url}/check_tx?tx="abc"`)).json();
    expect(text).toMatchObject({ result: { code: 60 } });
  });
});

describe("requests", () => {
  test.each([
    ["block", { height: "0" }, -32603, "height must be greater than 0, but got 0"],
    ["block", { height: 99_999 }, -32603, "must be less than or equal to the current blockchain height"],
    ["block", { height: "x" }, -32602, "error converting json params to arguments"],
    ["block", [1, 2], -32602, "expected 1 parameters ([height]), got 2"],
    ["blockchain", { minHeight: -1 }, -32603, "heights must be non-negative"],
    ["blockchain", { minHeight: 3, maxHeight: 2 }, -32603, "min height 3 can't be greater than max height 2"],
    ["tx", { hash: "AAA" }, -32602, "arguments: illegal base64 data at input byte 0"],
    ["tx", { hash: "AA\nAA\n" }, -32603, "tx (000000) not found"],
    ["tx", { hash: "AAAA" }, -32603, "tx (000000) not found"],
    ["tx_search", { query: "a ~ b" }, -32603, "failed to parse query"],
    ["tx_search", { query: "tx.height>0", page: "50" }, -32603, "page should be within [1, "],
    ["tx_search", { query: "tx.height>0", order_by: "up" }, -32603, "expected order_by to be either"],
    ["genesis_chunked", { chunk: 4 }, -32603, "there are 0 chunks, 4 is invalid"],
    ["fly", {}, -32601, undefined],
    ["abci_info", {}, -32601, undefined],
    ["commit", { height: "1" }, -32601, undefined],
    ["toString", {}, -32601, undefined],
    ["subscribe", { query: "tm.event='Tx'" }, -32601, undefined],
  ])("%s %j", async (method, params, code, text) => {
    const { error, id } = await post(method, params);
    expect({ id, code: error.code }).toEqual({ id: 7, code });
    if (text !== undefined) expect(error.data).toContain(text);
  });

  test("a batch is answered in order, without those that have no id; what is not JSON is -32700", async () => {
    const send = async (body: string) => (await fetch(url, { method: "POST", body })).json() as Promise<Json>;
    const batch = [
      { id: 1, method: "health" },
      { method: "health" },
      { id: "b", method: "num_unconfirmed_txs" },
    ];
    expect(await send(JSON.stringify(batch))).toEqual([
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: "b", result: { n_txs: "0", total: "0", total_bytes: "0", txs: null } },
    ]);
    expect((await send("{")).error.code).toBe(-32700);
    expect(await send("[1]")).toEqual({ jsonrpc: "2.0", error: expect.objectContaining({ code: -32700 }) });
    const many = Array.from({ length: 101 }, (_, id) => ({ id, method: "health" }));
    expect((await send(JSON.stringify(many))).error.code).toBe(-32600);
  });

  test("addresses: unknown ones are 404, errors are 500 with the id -1, the root lists the methods", async () => {
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
    expect((await fetch(`${url}/subscribe?query="tm.event='Tx'"`)).status).toBe(404);
    const failed = await fetch(`${url}/block?height=0`);
    expect({ status: failed.status, ...((await failed.json()) as object) }).toMatchObject({
      status: 500,
      id: -1,
    });
    expect(await (await fetch(url)).text()).toContain("/block?height=_");
    const { result } = (await (await fetch(`${url}/block?height="2"`)).json()) as Json;
    expect(result.block.header.height).toBe("2");
  });

  test("the genesis, whole and in chunks, is the chain's", async () => {
    const { genesis } = await call("genesis");
    const { data, total } = await call("genesis_chunked", { chunk: "0" });
    expect(total).toBe("1");
    expect(JSON.parse(atob(data))).toEqual(genesis);
    expect(genesis).toMatchObject({ chain_id: "lyra-devnet", validators: [{ power: "10" }] });
    expect(genesis.app_state.network_parameters["spam.pow.difficulty"]).toBe("1");
    const { validators, total: all } = await call("validators");
    expect(validators[0].pub_key).toEqual(genesis.validators[0].pub_key);
    expect(all).toBe("1");
  });
});

/** A websocket that collects what comes. */
class Listener {
  readonly messages: Json[] = [];
  isClosed = false;
  private constructor(readonly socket: WebSocket) {
    socket.onmessage = ({ data }) => this.messages.push(JSON.parse(String(data)));
    socket.onclose = () => (this.isClosed = true);
  }

  static async open(): Promise<Listener> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/websocket`);
    await new Promise((done) => (socket.onopen = done));
    return new Listener(socket);
  }

  send(id: number, method: string, query?: string): void {
    this.socket.send(
      JSON.stringify({ jsonrpc: "2.0", id, method, params: query === undefined ? {} : { query } }),
    );
  }

  async until(isDone: () => boolean): Promise<void> {
    await eventually(isDone, () => `${isDone}: got ${JSON.stringify(this.messages).slice(0, 500)}`);
  }
}

describe("a websocket", () => {
  test("given subscriptions, then each block and each matching transaction comes once, until it ends them", async () => {
    const listener = await Listener.open();
    listener.send(1, "subscribe", "tm.event='NewBlock'");
    listener.send(2, "subscribe", "tm.event='Tx' AND command.type='Transfer Funds'");
    listener.send(3, "subscribe", "tm.event='Tx' AND command.type='Withdraw'");
    listener.send(4, "status");
    await listener.until(() => listener.messages.length === 4);
    expect(listener.messages.slice(0, 3).map(({ id, result }) => ({ id, result }))).toEqual(
      [1, 2, 3].map((id) => ({ id, result: {} })),
    );
    const before = devnet.chain.status.height;
    const tx = transfer();
    await call("broadcast_tx_commit", { tx: base64(tx) });
    await mineOverHttp(devnet, 100);
    const { height } = devnet.chain.status;
    const blocks = () => listener.messages.filter(({ id, result }) => id === 1 && result.data);
    await listener.until(() => blocks().length === height - before);
    expect(blocks().map(({ result }) => Number(result.data.value.block.header.height))).toEqual(
      Array.from({ length: height - before }, (_, at) => before + 1 + at),
    );
    const txs = listener.messages.filter(({ id, result }) => id === 2 && result.data);
    expect(txs).toHaveLength(1);
    expect(txs[0].result).toMatchObject({
      data: {
        type: "tendermint/event/Tx",
        value: { TxResult: { tx: base64(tx), result: { events: [{ type: "tx" }, { type: "command" }] } } },
      },
      events: { "tm.event": ["Tx"], "tx.hash": [hashOf(tx)] },
    });
    expect(listener.messages.filter(({ id }) => id === 3)).toHaveLength(1);
    listener.send(5, "unsubscribe", "tm.event='NewBlock'");
    listener.send(6, "unsubscribe", "tm.event='NewBlock'");
    listener.send(7, "unsubscribe_all");
    await listener.until(() => listener.messages.some(({ id }) => id === 7));
    expect(listener.messages.find(({ id }) => id === 6).error.data).toBe("subscription not found");
    const { length } = listener.messages;
    await mineOverHttp(devnet, 3);
    // Asked after the blocks: its answer is the next message.
    listener.send(8, "health");
    await listener.until(() => listener.messages.some(({ id }) => id === 8));
    expect(listener.messages).toHaveLength(length + 1);
    listener.socket.close();
  });

  test("at most a hundred clients, and none with a message above 64 KiB", async () => {
    const listeners: Listener[] = [];
    for (let n = 0; n < 100; n++) listeners.push(await Listener.open());
    const refused = await fetch(`${url}/websocket`, {
      headers: {
        ...{ connection: "Upgrade", upgrade: "websocket" },
        ...{ "sec-websocket-version": "13", "sec-websocket-key": btoa("0123456789abcdef") },
      },
    });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    const [first, ...others] = listeners;
    first!.socket.send(" ".repeat(65 * 1024));
    await first!.until(() => first!.isClosed);
    for (const { socket } of others) socket.close();
    for (const other of others) await other.until(() => other.isClosed);
  });

  test("at most five subscriptions, none twice", async () => {
    const listener = await Listener.open();
    for (let at = 0; at < 6; at++) listener.send(at, "subscribe", `tx.height=${at}`);
    listener.send(6, "unsubscribe", "tx.height=0");
    listener.send(7, "subscribe", "tx.height=1");
    listener.send(8, "subscribe", "no query");
    await listener.until(() => listener.messages.length === 9);
    const errors = listener.messages
      .filter(({ error }) => error)
      .map(({ id, error }) => [id, error.data.slice(0, 28)]);
    expect(errors).toEqual([
      [5, "max_subscriptions_per_client"],
      [7, "already subscribed"],
      [8, "failed to parse query: synta"],
    ]);
    listener.socket.close();
  });
});

test.skipIf(!hasClient)(
  "given the client of another project, then it reads blocks, results, searches and events",
  async () => {
    const { Tendermint34Client } = resolve(clients) as Json;
    const client = await Tendermint34Client.connect(url);
    const tx = transfer();
    const done = await client.broadcastTxCommit({ tx });
    expect(done.deliverTx.code).toBe(0);
    const { block, blockId } = await client.block(done.height);
    expect(block.txs.map(base64)).toContain(base64(tx));
    expect((await client.blockResults(done.height)).results).toHaveLength(block.txs.length);
    expect((await client.tx({ hash: done.hash })).height).toBe(done.height);
    expect((await client.txSearch({ query: `tx.height=${done.height}` })).totalCount).toBe(block.txs.length);
    expect((await client.validatorsAll(done.height)).total).toBe(1);
    expect((await client.genesis()).chainId).toBe("lyra-devnet");
    expect((await client.status()).syncInfo.latestBlockHeight).toBeGreaterThanOrEqual(done.height);
    expect(blockId.hash).toHaveLength(32);
    const socket = await Tendermint34Client.connect(url.replace("http", "ws"));
    const heights: number[] = [];
    const stream = socket.subscribeNewBlock();
    stream.addListener({
      next: ({ header }: Json) => heights.push(header.height),
      error() {},
      complete() {},
    });
    // Until the subscription exists.
    await eventually(async () => {
      await mineOverHttp(devnet, 1);
      return heights.length > 0;
    });
    await mineOverHttp(devnet, 3);
    await eventually(() => heights.at(-1) === devnet.chain.status.height);
    expect(heights).toEqual(heights.map((_, n) => heights[0]! + n));
    expect(heights.length).toBeGreaterThan(3);
    socket.disconnect();
  },
);
