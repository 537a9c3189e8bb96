// Streams over sockets (docs/protocol/10-data-api-streams.md#61-transport): WebSockets and lines of JSON, their errors,
// limits and slow clients.
import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { Limits } from "../../../../src/http/limits.ts";
import { ServerStatus } from "../../../../src/http/status.ts";
import { type DataServer, serveData } from "../../../../src/planes/data/app.ts";
import { Streams } from "../../../../src/planes/data/observe/streams.ts";
import type { Block } from "../../../../src/wire/block.ts";
import { eventually, turns } from "../../../support/eventually.ts";
import { StreamedChain, sampleBlocks } from "../../../support/streamed-chain.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at as they are
type Json = any;

/** Blocks of the sample that are stored when a client joins: markets, accounts and orders among them. */
const BEFORE = 1_200;
let blocks: Block[];
const opened: { close(): unknown }[] = [];

beforeAll(async () => {
  blocks = await sampleBlocks();
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

function serve(limits: Partial<Limits> = {}, before = BEFORE): { chain: StreamedChain; server: DataServer } {
  const chain = new StreamedChain(blocks, limits);
  chain.commit(before);
  const server = serveData(chain.plane, new ServerStatus(), { host: "127.0.0.1", port: 0 });
  opened.push({
    async close() {
      await server.stop();
      chain.close();
    },
  });
  return { chain, server };
}

/** A client with a WebSocket. */
class Client {
  readonly texts: string[] = [];
  readonly ended: Promise<{ code: number; reason: string }>;
  private readonly socket: WebSocket;
  private woken = () => {};

  constructor(server: DataServer, path: string, first?: object) {
    this.socket = new WebSocket(`${server.url.replace("http", "ws")}${path}`);
    this.ended = new Promise((resolve) => {
      this.socket.onclose = ({ code, reason }) => resolve({ code, reason });
    });
    this.socket.onopen = () => first && this.send(first);
    this.socket.onmessage = ({ data }) => {
      this.texts.push(data as string);
      this.woken();
    };
    opened.push({ close: () => this.socket.close() });
  }

  send(message: object | string): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** Its messages, once it has this many. */
  async messages(count: number): Promise<Json[]> {
    while (this.texts.length < count) {
      await new Promise<void>((resolve) => {
        this.woken = resolve;
      });
    }
    return this.texts.map((text) => JSON.parse(text));
  }

  close(): void {
    this.socket.close();
  }
}

/** A connection that sends bytes and shows what comes. */
function raw(server: DataServer, head: string, body = ""): Socket & { text: string } {
  const socket = Object.assign(connect(server.port, "127.0.0.1"), { text: "" });
  socket.on("data", (piece) => {
    socket.text += piece.toString("latin1");
  });
  socket.on("error", () => {});
  socket.write(`${head}\r\nHost: localhost\r\n\r\n${body}`);
  opened.push({ close: () => socket.destroy() });
  return socket;
}

const UPGRADE =
  "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";

const requestOf = (path: string, chain: StreamedChain): string => {
  const [market] = chain.markets();
  if (path.startsWith("markets/")) return `?marketIds=${market}`;
  if (path === "candle/data") return `?candleId=trades_candle_1_minute_${market}`;
  if (path === "votes") return `?proposalId=${"ab".repeat(32)}`;
  return "";
};

describe("messages", () => {
  test("a snapshot comes first, in pages, by the rules of streams", async () => {
    const { chain, server } = serve();
    const stored = chain.get("accounts").accounts.edges.map(({ node }: Json) => node);
    expect(stored.length).toBeGreaterThan(50);
    const pages = Math.ceil(stored.length / 50);
    const messages = await new Client(server, "/api/v2/stream/accounts").messages(pages);
    const sorted = (rows: Json[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(sorted(messages.flatMap(({ result }) => result.snapshot.accounts))).toEqual(sorted(stored));
    expect(messages.map(({ result }) => result.snapshot.lastPage)).toEqual([
      ...new Array(pages - 1).fill(undefined),
      true,
    ]);
  });

  test("given lines of any kind that has nothing to tell, then its headers are there at once, and what comes later is lines", async () => {
    const { chain, server } = serve({}, 2);
    const paths = Streams.kinds.map(({ path }) => path).filter((path) => !/^(?:markets|candle)\//.test(path));
    const answers = await Promise.all(
      ["event/bus", ...paths].map(async (path) => {
        const socket = raw(server, `GET /api/v2/stream/${path}${requestOf(path, chain)} HTTP/1.1`);
        await eventually(() => socket.text.includes("\r\n\r\n"));
        return [path, socket.text.slice(0, 12), /\r\nX-Block-Height: \d+\r\n/i.test(socket.text)];
      }),
    );
    expect(answers.filter(([, status, hasHeight]) => status !== "HTTP/1.1 200" || !hasHeight)).toEqual([]);

    const { body } = await fetch(`${server.url}/api/v2/stream/trades`);
    chain.commit(BEFORE);
    let lines = "";
    for await (const piece of body!) {
      lines += Buffer.from(piece).toString("utf8");
      if (lines.includes("\n")) break;
    }
    expect(JSON.parse(lines.slice(0, lines.indexOf("\n")))).toHaveProperty("result");
  });

  test("given pretty, then each message of a socket is indented and otherwise the same", async () => {
    const { server } = serve();
    const path = `/api/v2/stream/positions?partyId=${"ab".repeat(32)}`;
    for (const target of [`${path}&pretty`, `${path}&pretty=true`]) {
      const client = new Client(server, target);
      await client.messages(1);
      expect(client.texts).toEqual(['{\n "result": {\n  "snapshot": {\n   "lastPage": true\n  }\n }\n}']);
    }
  });

  test("an empty snapshot is one page", async () => {
    const { server } = serve();
    const client = new Client(server, `/api/v2/stream/positions?partyId=${"ab".repeat(32)}`);
    await client.messages(1);
    expect(client.texts).toEqual(['{"result":{"snapshot":{"lastPage":true}}}']);
  });

  test("every kind tells the same over a WebSocket and as lines, with its height where that is asked for", async () => {
    const { chain, server } = serve();
    const from = chain.height;
    const clients = Streams.kinds.map(({ path }) => {
      const target = `/api/v2/stream/${path}${requestOf(path, chain)}`;
      const withHeights = `${target}${target.includes("?") ? "&" : "?"}height=true`;
      return {
        path,
        plain: new Client(server, target),
        marked: new Client(server, withHeights),
        lines: raw(server, `GET ${target} HTTP/1.1`),
      };
    });
    await eventually(() => chain.plane.streams.count === 3 * clients.length);
    const last = from + 1_500;
    chain.commit(500);
    chain.commit(500);
    chain.commit(500);
    for (const { path, plain, marked, lines } of clients) {
      await eventually(() => marked.texts.some((text) => text.startsWith(`{"height":"${last}","cursor":`)));
      const events = marked.texts.filter((text) => text !== "" && !text.startsWith('{"height"'));
      await eventually(() => plain.texts.length === events.length);
      // The same messages, each with the height of its block beside it, which never falls.
      expect(events.map((text) => text.replace(/,"height":"\d+"\}$/, "}"))).toEqual(plain.texts);
      const heights = marked.texts.map((text) =>
        Number(/"height":"(\d+)"(?:,"cursor":"\1-[0-9A-F]{16}")?\}$/.exec(text)![1]),
      );
      expect(heights).toEqual(heights.toSorted((a, b) => a - b));
      expect(heights[0]).toBe(from);
      if (plain.texts.length === 0) continue;
      await eventually(
        () => lines.text.split("\n").filter((line) => line.startsWith("{")).length >= plain.texts.length,
      );
      const [head] = lines.text.split("\r\n\r\n");
      expect(head).toContain("200 OK");
      expect(head!.toLowerCase()).toContain(`x-block-height: ${from}`);
      expect(head!.toLowerCase()).toContain("content-type: application/json");
      // Chunks of the body stand between other lines.
      const texts = lines.text.split(/\r?\n/).filter((line) => line.startsWith("{"));
      expect({ path, texts }).toEqual({ path, texts: plain.texts });
    }
  });

  test("the upgrade tells the height that the stream begins at", async () => {
    const { chain, server } = serve();
    const socket = raw(server, `GET /api/v2/stream/trades HTTP/1.1\r\n${UPGRADE}`);
    await eventually(() => socket.text.includes("\r\n\r\n"));
    expect(socket.text).toContain("101 Switching Protocols");
    expect(socket.text.toLowerCase()).toContain(`x-block-height: ${chain.height}`);
  });

  test("a resource that is not a stream is one frame with its usual body, and a normal end", async () => {
    const { server } = serve();
    for (const path of ["/api/v2/assets?pagination.first=1", "/api/v2/asset/00", "/api/v2/nothing"]) {
      const client = new Client(server, path);
      const { code } = await client.ended;
      const plain = await (await fetch(server.url + path)).text();
      expect({ path, code, texts: client.texts }).toEqual({ path, code: 1000, texts: [plain] });
    }
  });
});

describe("errors", () => {
  const unknownMarket = {
    code: 13,
    message: "Internal error",
    details: [
      {
        "@type": "type.googleapis.com/vega.ErrorDetail",
        code: 10000,
        message: "no market found for id: ab: malformed request",
      },
    ],
  };
  const cases: [string, number, Json][] = [
    ["markets/depth?marketIds=ab", 500, { error: unknownMarket }],
    ["markets/data?marketIds=ab", 500, { error: unknownMarket }],
    [
      "votes",
      400,
      {
        error: {
          code: 3,
          message: "InvalidArgument error",
          details: [
            {
              "@type": "type.googleapis.com/vega.ErrorDetail",
              code: 10024,
              message: "missing proposal id or party id",
            },
          ],
        },
      },
    ],
    ["candle/data", 400, { error: { code: 3, details: [{ code: 10030 }] } }],
    ["candle/data?candleId=x", 500, { error: { code: 13, details: [{ code: 60002 }] } }],
    ["orders?partyIds=x", 400, { error: { code: 3, details: [{ message: "invalid party id" }] } }],
    ["orders?marketIds=x", 400, { error: { code: 3, details: [{ message: "invalid party id" }] } }],
    ["accounts?partyId=xyz", 400, { error: { code: 3, details: [{ code: 80006 }] } }],
  ];
  test.each(cases)("%s", async (path, status, body) => {
    const { chain, server } = serve();
    const answer = await fetch(`${server.url}/api/v2/stream/${path}`);
    expect(answer.status).toBe(status);
    const error = await answer.json();
    expect(error).toMatchObject(body);
    const client = new Client(server, `/api/v2/stream/${path}`);
    const { code, reason } = await client.ended;
    expect(client.texts).toEqual([JSON.stringify(error)]);
    expect(code).toBe(1011);
    expect(reason).not.toBe("");
    expect(chain.plane.streams.count).toBe(0);
  });

  test("a query that cannot be read has the flat body", async () => {
    const { server } = serve();
    const answer = await fetch(`${server.url}/api/v2/stream/accounts?type=nothing`);
    expect(answer.status).toBe(400);
    const body = await answer.json();
    expect(body).toMatchObject({ code: 3, message: expect.stringContaining('parsing field "type"') });
    expect(body).not.toHaveProperty("details");
    const heights = await fetch(`${server.url}/api/v2/stream/accounts?height=2`);
    expect(heights.status).toBe(400);
  });

  test("the event bus takes its filter from the body of a POST, or the query; never from nowhere", async () => {
    const { chain, server } = serve();
    const path = "/api/v2/stream/event/bus";
    const post = (body: string, type: string) =>
      raw(server, `POST ${path} HTTP/1.1\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}`, body);
    const filter = '{"type":["BUS_EVENT_TYPE_BEGIN_BLOCK"],"batchSize":"2"} {"batchSize":"2"}';
    const clients = [
      post(filter, "application/json"),
      post(filter, "application/x-www-form-urlencoded"),
      raw(server, `GET ${path}?type=BUS_EVENT_TYPE_BEGIN_BLOCK HTTP/1.1`),
    ];
    await eventually(() => chain.plane.streams.count === clients.length);
    chain.commit(9);
    const lines = (text: string) => text.split(/\r?\n/).filter((line) => line.startsWith("{"));
    for (const [n, client] of clients.entries()) {
      await eventually(() => lines(client.text).length >= (n < 2 ? 2 : 9));
      const events = lines(client.text).map((line) => JSON.parse(line).result.events);
      expect(events.map((some) => some.length)).toEqual(n < 2 ? [2, 2] : new Array(9).fill(1));
      for (const { type } of events.flat()) expect(type).toBe(49);
    }
    const dropped = raw(server, `GET ${path} HTTP/1.1\r\nContent-Length: 2`, "{}");
    await eventually(() => dropped.text.includes("send it by POST"));
    expect(dropped.text).toContain("400 Bad Request");
    expect((await fetch(server.url + path, { method: "PUT" })).status).toBe(501);
    const unread = await fetch(server.url + path, { method: "POST", body: '{"type":["NOTHING"]}' });
    expect(unread.status).toBe(400);
  });

  test("a stream that ends with its node says so", async () => {
    const { chain, server } = serve();
    const client = new Client(server, "/api/v2/stream/trades");
    const lines = raw(server, "GET /api/v2/stream/trades HTTP/1.1");
    await eventually(() => chain.plane.streams.count === 2);
    chain.plane.streams.stop();
    expect(await client.ended).toEqual({ code: 1012, reason: "the node is stopping" });
    expect(client.texts).toEqual(['{"error":{"code":14,"message":"the node is stopping"}}']);
    await eventually(() => lines.text.includes(client.texts[0]!));
  });

  test("a node that stops tells streams of lines why, and ends their answers whole", async () => {
    const { chain, server } = serve();
    const clients = Array.from({ length: 20 }, (_, at) =>
      raw(server, `GET /api/v2/stream/${at % 2 ? "trades" : "accounts"}?height=true HTTP/1.1`),
    );
    await eventually(() => chain.plane.streams.count === clients.length);
    await eventually(() => clients.every(({ text }) => text.includes('"height"')));
    await server.stop();
    await eventually(() => clients.every(({ closed }) => closed));
    for (const { text } of clients) {
      expect(text).toContain('{"error":{"code":14,"message":"the node is stopping"}}\n');
      expect(text).toEndWith("\r\n0\r\n\r\n");
    }
  });

  test("blocks that are taken back end every stream", async () => {
    const { chain, server } = serve();
    const clients = ["accounts", "ledger/movements"].map(
      (path) => new Client(server, `/api/v2/stream/${path}`),
    );
    await eventually(() => chain.plane.streams.count === 2);
    chain.plane.renewContext();
    for (const client of clients) {
      const { code, reason } = await client.ended;
      expect({ code, reason }).toEqual({ code: 1012, reason: expect.stringContaining("taken back") });
    }
  });
});

describe("limits", () => {
  test("of all streams, and of those of an address; a place is free again when a client leaves", async () => {
    for (const limits of [{ streamsMax: 2 }, { streamsPerAddressMax: 2 }]) {
      const { chain, server } = serve(limits);
      const first = new Client(server, "/api/v2/stream/accounts");
      const second = new Client(server, "/api/v2/stream/event/bus", { type: [] });
      await eventually(() => chain.plane.streams.count === 2);
      const third = await fetch(`${server.url}/api/v2/stream/trades`);
      expect(third.status).toBe(429);
      expect(third.headers.get("retry-after")).toBe("1");
      const { error } = await third.json();
      expect(error).toMatchObject({ code: 8, message: expect.stringContaining("2 streams") });
      const fourth = new Client(server, "/api/v2/stream/ledger/movements");
      expect((await fourth.ended).code).toBe(1013);
      expect(JSON.parse(fourth.texts[0]!).error.code).toBe(8);
      first.close();
      await eventually(() => chain.plane.streams.count === 1);
      await new Client(server, "/api/v2/stream/accounts").messages(1);
      second.close();
      await eventually(() => chain.plane.streams.count === 1);
    }
  });

  const slow: [string, string][] = [
    ["a WebSocket", `GET /api/v2/stream/orders HTTP/1.1\r\n${UPGRADE}`],
    ["lines", "GET /api/v2/stream/orders HTTP/1.1"],
  ];
  test.each(slow)("a client of %s that reads nothing costs its queue, and is dropped", async (_, head) => {
    const { chain, server } = serve({ streamBacklogBytesMax: 1024 * 1024 }, blocks.length);
    const reader = new Client(server, "/api/v2/stream/orders");
    await reader.messages(1);
    const socket = raw(server, head);
    await eventually(() => chain.plane.streams.count === 2);
    await eventually(() => socket.text !== "");
    socket.pause();
    let isClosed = false;
    socket.on("close", () => {
      isClosed = true;
    });
    // Each is some kilobytes: far more than the system holds for a socket, and then the queue is full.
    for (let n = 0; n < 1_000 && chain.plane.streams.count === 2; n++) {
      chain.again();
      await turns(1);
    }
    await eventually(() => chain.plane.streams.count === 1);
    socket.resume();
    await eventually(() => isClosed);
    expect(socket.text).toContain("channel closed");
    // The one that reads is still there, and has everything.
    const before = reader.texts.length;
    chain.again();
    await reader.messages(before + 1);
  });
});
