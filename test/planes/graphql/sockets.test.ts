// The sockets of subscriptions: both protocols against the original's sessions, their limits, and a node without blocks.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { DataServer } from "../../../src/planes/data/app.ts";
import { readGolden } from "../../golden/graphql-vectors.ts";
import { type GraphqlRig, graphqlRig } from "./rig.ts";

interface Session {
  readonly name: string;
  readonly protocols: readonly string[];
  readonly steps: readonly (string | Record<string, unknown>)[];
  readonly received: readonly Record<string, unknown>[];
  readonly close?: { readonly code: number; readonly reason: string };
  readonly chosen: string;
}
type Message = Record<string, unknown>;

const OLD = "graphql-ws";
const NEW = "graphql-transport-ws";
const ACK = { type: "connection_ack" };
const badRequest = (...received: Message[]) => ({
  received,
  close: { code: 4400, reason: "Invalid message received" },
});
const anError = {
  id: "1",
  type: "error",
  payload: [{ message: expect.any(String), extensions: expect.anything() }],
};
const unknownMarket = {
  errors: [
    {
      message: expect.stringContaining("no market found"),
      path: ["marketsDepth"],
      extensions: { code: 13, type: "Internal" },
    },
  ],
  data: null,
};
const DONE = { id: "1", type: "complete" };
/**
 * The protocols' own text where the original does something else (docs/compatibility.md): codes of 4400 and up, an error
 * without `complete`, ids that are in use.
 */
const OURS: Readonly<Record<string, Pick<Session, "received" | "close">>> = {
  [`${NEW} init with a list`]: badRequest(),
  [`${NEW} no init`]: { received: [], close: { code: 4401, reason: "Unauthorized" } },
  [`${NEW} garbage first`]: badRequest(),
  [`${NEW} init twice`]: {
    received: [ACK],
    close: { code: 4429, reason: "Too many initialisation requests" },
  },
  [`${NEW} unknown type`]: badRequest(ACK),
  [`${NEW} query without id`]: badRequest(ACK),
  [`${NEW} bad query`]: { received: [ACK, anError] },
  [`${NEW} syntax error`]: { received: [ACK, anError] },
  [`${NEW} two roots`]: { received: [ACK, anError] },
  [`${NEW} no payload`]: badRequest(ACK),
  [`${NEW} payload text`]: badRequest(ACK),
  [`${NEW} unknown market of depth`]: {
    received: [ACK, { id: "1", type: "next", payload: unknownMarket }, DONE],
  },
  [`${NEW} stop`]: { received: [ACK] },
  [`${NEW} same id twice`]: {
    received: [ACK],
    close: { code: 4409, reason: "Subscriber for 1 already exists" },
  },
  [`${NEW} pong`]: {
    received: [
      ACK,
      {
        id: "1",
        type: "next",
        payload: { data: { networkLimits: { canProposeAsset: expect.any(Boolean) } } },
      },
      DONE,
    ],
  },
  [`${OLD} init with a list`]: {
    received: [{ type: "connection_error", payload: { message: "invalid json" } }],
    close: { code: 1002, reason: "decoding error" },
  },
  [`${OLD} unknown type`]: {
    received: [ACK, { type: "ka" }, { type: "connection_error", payload: { message: "invalid json" } }],
    close: { code: 1002, reason: "decoding error" },
  },
  [`${OLD} bad query`]: { received: [ACK, { type: "ka" }, anError, DONE] },
  [`${OLD} syntax error`]: { received: [ACK, { type: "ka" }, anError, DONE] },
  [`${OLD} two roots`]: { received: [ACK, { type: "ka" }, anError, DONE] },
  [`${OLD} unknown market of depth`]: {
    received: [ACK, { type: "ka" }, { id: "1", type: "data", payload: unknownMarket }, DONE],
  },
  "foo another protocol": { received: [], close: { code: 4406, reason: "Subprotocol not acceptable" } },
};

/** A client that sends a message when all that it waits for has come. */
class Client {
  readonly received: Message[] = [];
  readonly closed = Promise.withResolvers<{ code: number; reason: string }>();
  private waiting: { count: number; done(): void } | undefined;
  private isClosed = false;

  private constructor(readonly socket: WebSocket) {
    socket.onmessage = ({ data }) => {
      this.received.push(JSON.parse(data as string));
      if (this.waiting && this.received.length >= this.waiting.count) this.waiting.done();
    };
    socket.onclose = ({ code, reason }) => {
      this.isClosed = true;
      this.closed.resolve({ code, reason });
      this.waiting?.done();
    };
  }

  static async open(port: number, protocols: readonly string[] = [NEW]): Promise<Client> {
    const url = `ws://127.0.0.1:${port}/graphql`;
    const client = new Client(protocols.length > 0 ? new WebSocket(url, [...protocols]) : new WebSocket(url));
    await new Promise<void>((resolve) => {
      client.socket.onopen = () => resolve();
      client.socket.onerror = () => resolve();
    });
    return client;
  }

  send(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** Settles when this many messages have come, or the socket is closed. */
  async has(count: number): Promise<void> {
    if (this.isClosed || this.received.length >= count) return;
    await new Promise<void>((resolve) => {
      this.waiting = { count, done: resolve };
    });
  }
}

/** A client that writes and does not read. */
class SilentClient {
  private constructor(private readonly socket: Socket) {}

  static async open(port: number, protocol: string): Promise<SilentClient> {
    const socket = connect(port, "127.0.0.1");
    const key = Buffer.alloc(16).toString("base64");
    const head = ["GET /graphql HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade"];
    const handshake = [
      `Sec-WebSocket-Key: ${key}`,
      "Sec-WebSocket-Version: 13",
      `Sec-WebSocket-Protocol: ${protocol}`,
    ];
    socket.write(`${[...head, ...handshake].join("\r\n")}\r\n\r\n`);
    await once(socket, "data");
    socket.pause();
    socket.on("error", () => {});
    return new SilentClient(socket);
  }

  /** A frame with a mask of zeros. */
  send(text: string): void {
    const head = Buffer.alloc(8);
    head.writeUInt16BE(0x81fe, 0);
    head.writeUInt16BE(text.length, 2);
    if (text.length < 126) {
      this.socket.write(
        Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]),
      );
    } else this.socket.write(Buffer.concat([head, Buffer.from(text)]));
  }

  /** Reads after all, until the socket is closed or this many bytes have come. */
  async read(bytes: number): Promise<{ text: string; isClosed: boolean }> {
    const pieces: Buffer[] = [];
    let length = 0;
    return new Promise((resolve) => {
      const end = (isClosed: boolean) => {
        resolve({ text: Buffer.concat(pieces).toString("latin1"), isClosed });
        this.socket.destroy();
      };
      this.socket.on("close", () => end(true));
      this.socket.on("data", (piece: Buffer) => {
        pieces.push(piece);
        length += piece.length;
        if (length >= bytes) end(false);
      });
      this.socket.resume();
    });
  }
}

const subscribe = (query: string, id = "1") => ({ id, type: "subscribe", payload: { query } });

describe("the protocols of subscriptions", () => {
  let rig: GraphqlRig;
  let server: DataServer;
  beforeAll(async () => {
    rig = await graphqlRig({ socketSubscriptionsMax: 3 });
    server = rig.listen();
  });
  afterAll(async () => {
    await server.stop();
    rig.close();
  });

  const sessions = readGolden<Session[]>(join(import.meta.dir, "../../golden/graphql-ws-protocol.json.gz"));
  test.each(sessions.map((each) => [`${each.protocols.join(" and ")} ${each.name}`.trim(), each] as const))(
    "%s",
    async (title, session) => {
      const { received, close } = OURS[title] ?? session;
      const client = await Client.open(server.port, session.protocols);
      for (const step of session.steps) if (typeof step === "string" || !("wait" in step)) client.send(step);
      await client.has(received.length);
      if (close) expect(await client.closed.promise).toEqual(close);
      // A ping after all of it: nothing more comes before its pong.
      else if (session.protocols.join() === NEW) {
        client.send({ type: "ping" });
        await client.has(received.length + 1);
        expect(client.received.pop()).toEqual({ type: "pong" });
      }
      expect(client.received).toEqual(received as Message[]);
      if (!close) expect(client.socket.protocol).toBe(session.chosen);
      client.socket.close();
    },
  );

  test("a subscription is told its payloads, and its end ends it alone", async () => {
    const client = await Client.open(server.port);
    client.send({ type: "connection_init" });
    client.send(subscribe("subscription{busEvents(types:TimeUpdate,batchSize:1){type}}", "time"));
    client.send(subscribe("subscription{trades{id}}", "trades"));
    await client.has(1);
    await until(() => rig.chain.plane.streams.count === 2);
    rig.chain.commit();
    await client.has(2);
    expect(client.received[1]).toEqual({
      id: "time",
      type: "next",
      payload: { data: { busEvents: [{ type: "TimeUpdate" }] } },
    });
    client.send({ id: "time", type: "complete" });
    await until(() => rig.chain.plane.streams.count === 1);
    client.socket.close();
    await until(() => rig.chain.plane.streams.count === 0);
  });

  test("a page accepts a node that makes no blocks: the last block's time is told", async () => {
    const client = await Client.open(server.port);
    client.send({ type: "connection_init" });
    client.send(
      subscribe(
        "subscription{busEvents(types:TimeUpdate,batchSize:1){id block event{...on TimeUpdate{timestamp}}}}",
      ),
    );
    await client.has(2);
    const { hash, height } = rig.chain.plane.head()!;
    expect(client.received[1]).toMatchObject({
      type: "next",
      payload: {
        data: { busEvents: [{ id: `${height}-1`, block: hash, event: { timestamp: expect.any(String) } }] },
      },
    });
    client.socket.close();
  });

  test("a socket has a limited number of subscriptions", async () => {
    const client = await Client.open(server.port);
    client.send({ type: "connection_init" });
    for (let n = 0; n < 4; n++) client.send(subscribe("subscription{trades{id}}", String(n)));
    await client.has(2);
    expect(client.received[1]).toMatchObject({
      id: "3",
      type: "error",
      payload: [{ message: "more than 3 subscriptions of one socket" }],
    });
    client.socket.close();
  });

  test("a message of more than a megabyte closes the socket", async () => {
    const client = await Client.open(server.port);
    client.send("x".repeat(1024 * 1024 + 1));
    expect((await client.closed.promise).code).toBe(1009);
  });

  test("a message of nearly a megabyte is read", async () => {
    const client = await Client.open(server.port);
    client.send({ type: "connection_init" });
    client.send(subscribe(`query{__typename}${" ".repeat(1_000_000)}`));
    await client.has(2);
    expect(client.received[1]).toMatchObject({ payload: { data: { __typename: "Query" } } });
    client.socket.close();
  });

  test.each([
    [NEW, "subscribe", "next"],
    [OLD, "start", "data"],
  ])("a client of %s that asks on and reads nothing is closed", async (protocol, type, answer) => {
    const queries = 3_000;
    const silent = await SilentClient.open(server.port, protocol);
    silent.send(JSON.stringify({ type: "connection_init" }));
    // An answer holds the name of its operation, and so is as long as that.
    const name = "x".repeat(10_000);
    for (let n = 0; n < queries; n++)
      silent.send(JSON.stringify({ id: `${n}${name}`, type, payload: { query: "{__typename}" } }));
    const { text, isClosed } = await silent.read(queries * name.length);
    expect(isClosed).toBe(true);
    const answers = text.split(`"type":"${answer}"`).length - 1;
    expect(answers).toBeGreaterThan(0);
    expect(answers).toBeLessThan(queries / 2);
  });

  test("the node's end ends a subscription with its reason", async () => {
    const own = await graphqlRig();
    const port = own.listen();
    const client = await Client.open(port.port);
    client.send({ type: "connection_init" });
    client.send(subscribe("subscription{trades{id}}"));
    await client.has(1);
    await until(() => own.chain.plane.streams.count === 1);
    own.chain.plane.streams.stop();
    await client.has(3);
    expect(client.received.slice(1)).toEqual([
      {
        id: "1",
        type: "next",
        payload: {
          data: null,
          errors: [
            {
              message: "the node is stopping",
              path: ["trades"],
              extensions: { code: 14, type: "Unavailable" },
            },
          ],
        },
      },
      { id: "1", type: "complete" },
    ]);
    await port.stop();
    own.close();
  });
});

describe("handshakes", () => {
  test("an address has a limited number of sockets", async () => {
    const rig = await graphqlRig({ streamsPerAddressMax: 2 });
    const server = rig.listen();
    const clients = await Promise.all([Client.open(server.port), Client.open(server.port)]);
    const third = await Client.open(server.port);
    expect((await third.closed.promise).code).not.toBe(1000);
    for (const client of clients) client.socket.close();
    await server.stop();
    rig.close();
  });

  test.each([NEW, OLD])("a socket of %s that says nothing is closed", async (protocol) => {
    const rig = await graphqlRig({ socketInitMs: 10 });
    const server = rig.listen();
    const client = await Client.open(server.port, [protocol]);
    expect(await client.closed.promise).toEqual({ code: 4408, reason: "Connection initialisation timeout" });
    await server.stop();
    rig.close();
  });

  test("half a handshake is refused", async () => {
    const rig = await graphqlRig();
    const server = rig.listen();
    const half = await fetch(`http://127.0.0.1:${server.port}/graphql`, {
      headers: { upgrade: "websocket" },
    });
    expect([half.status, await half.text()]).toEqual([
      400,
      'Bad Request\n{"errors":[{"message":"unable to upgrade"}],"data":null}',
    ]);
    await server.stop();
    rig.close();
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}
