// The connections of a gRPC port: each must open its first call and finish its headers in time, and on a full port those without
// a call give way.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type ClientHttp2Session, connect, constants } from "node:http2";
import { requestBudget } from "../../../src/http/request-budget.ts";
import { ServerStatus } from "../../../src/http/status.ts";
import { type GrpcPort, serveGrpc } from "../../../src/planes/grpc/port.ts";
import { eventually } from "../../support/eventually.ts";
import { RandomChain } from "../../support/random-chain.ts";
import {
  call,
  callHeaders,
  END_HEADERS,
  FrameType,
  frame,
  message,
  PREFACE,
  RawConnection,
} from "../../support/raw-http2.ts";
import { assetEvent } from "../../support/served-chain.ts";

const DATA = "/datanode.api.v2.TradingDataService";
const PLACES = 8;
const HEADERS = frame(FrameType.headers, END_HEADERS, 3, callHeaders(`${DATA}/Ping`));
const HEADERS_BEGUN = frame(FrameType.headers, 0, 3, callHeaders(`${DATA}/Ping`).subarray(0, 40));
const EMPTY_CONTINUATION = frame(FrameType.continuation, 0, 3);

const chain = new RandomChain({ grpcConnectionsMax: PLACES });
const { nowMs } = requestBudget;
let port: GrpcPort;
let skippedMs = 0;
let raw: RawConnection[] = [];
let clients: Client[] = [];

beforeAll(() => {
  chain.write([{ stepUs: 1_000_000, events: [assetEvent("aa".repeat(32), "first")] }]);
});
beforeEach(async () => {
  const planes = { kind: "data", data: chain.plane, status: new ServerStatus() } as const;
  port = await serveGrpc(planes, { host: "127.0.0.1", port: 0, portFlag: "--grpc-data-port" });
  Object.assign(requestBudget, { nowMs: () => nowMs() + skippedMs });
});
afterEach(async () => {
  for (const one of raw) one.end();
  for (const { session } of clients) session.destroy();
  await port.stop();
  Object.assign(requestBudget, { nowMs });
  skippedMs = 0;
  raw = [];
  clients = [];
});
afterAll(() => chain.close());

/** A client that sends bytes, and answers no ping. */
function open(): RawConnection {
  const connection = new RawConnection(port.port);
  raw.push(connection);
  return connection;
}

const typesOf = (connection: RawConnection) => connection.frames().map(({ type }) => type);
const hasAnswer = (connection: RawConnection, stream: number) => () =>
  connection.frames().some((one) => one.type === FrameType.data && one.stream === stream);

/** A client as libraries are: it answers pings. */
class Client {
  readonly session: ClientHttp2Session;
  goAwayCode: number | undefined;

  constructor() {
    this.session = connect(`http://${port.address}`);
    this.session.on("goaway", (code) => {
      this.goAwayCode = code;
    });
    this.session.on("error", () => {});
    clients.push(this);
  }

  /** Calls, and settles with the status. */
  async ask(): Promise<string> {
    const stream = this.begin(`${DATA}/Ping`);
    stream.end(message());
    const { promise, resolve } = Promise.withResolvers<string>();
    stream.on("trailers", (trailers) => resolve(String(trailers["grpc-status"])));
    stream.on("close", () => resolve("closed"));
    return promise;
  }

  /** A stream of events that goes on. */
  async follow(): Promise<void> {
    const stream = this.begin(`${DATA}/ObserveTrades`);
    stream.end(message());
    const before = chain.plane.streams.count;
    await eventually(() => chain.plane.streams.count > before);
  }

  private begin(path: string) {
    const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" };
    const stream = this.session.request(headers);
    stream.on("error", () => {});
    stream.on("data", () => {});
    return stream;
  }
}

describe("time", () => {
  const unfinished: [string, (connection: RawConnection) => void][] = [
    ["says nothing", () => {}],
    ["sends half of its preface", (one) => one.write(PREFACE.subarray(0, 10))],
    ["greets, and opens no call", (one) => one.greet()],
    ["does not finish the frame of its headers", (one) => one.greet(undefined, HEADERS.subarray(0, 30))],
    ["does not end its headers", (one) => one.greet(undefined, HEADERS_BEGUN)],
  ];
  test.each(unfinished)("a connection that %s is closed", async (_, send) => {
    const honest = new Client();
    expect(await honest.ask()).toBe("0");
    const connection = open();
    send(connection);
    await eventually(() => connection.isConnected);
    expect(await honest.ask()).toBe("0");
    skippedMs = 21_000;
    await connection.closed;
    expect(await honest.ask()).toBe("0");
  });

  test.each([
    ["frame", [HEADERS.subarray(0, 30)]],
    ["header block", [HEADERS_BEGUN, EMPTY_CONTINUATION]],
  ])(
    "a connection that has been answered, and does not finish its next %s, is told and closed",
    async (_, rest) => {
      const connection = open();
      connection.greet(undefined, call(1, `${DATA}/Ping`));
      await eventually(hasAnswer(connection, 1));
      connection.write(...rest);
      skippedMs = 11_000;
      await eventually(() => typesOf(connection).includes(FrameType.ping));
      connection.write(rest.length > 1 ? EMPTY_CONTINUATION : HEADERS.subarray(30, 31));
      skippedMs = 27_000;
      await connection.closed;
      expect(typesOf(connection)).toContain(FrameType.goAway);
    },
  );

  test("headers that do not end close a connection whose other call goes on", async () => {
    const connection = open();
    connection.greet(undefined, call(1, `${DATA}/ObserveTrades`));
    await eventually(() => chain.plane.streams.count === 1);
    connection.write(HEADERS_BEGUN);
    expect(await new Client().ask()).toBe("0");
    skippedMs = 11_000;
    await eventually(() => typesOf(connection).includes(FrameType.ping));
    skippedMs = 27_000;
    await connection.closed;
    await eventually(() => chain.plane.streams.count === 0);
  });

  test("connections that are idle between calls, or follow a stream, stay", async () => {
    const [idle, following] = [new Client(), new Client()];
    expect(await idle.ask()).toBe("0");
    await following.follow();
    const silent = open();
    silent.greet(undefined, call(1, `${DATA}/Ping`));
    await eventually(hasAnswer(silent, 1));
    skippedMs = 11_000;
    await eventually(() => typesOf(silent).includes(FrameType.ping));
    // The one that does not answer its pings shows that the time of all has passed.
    skippedMs = 27_000;
    await silent.closed;
    expect(await idle.ask()).toBe("0");
    expect(chain.plane.streams.count).toBe(1);
    expect([idle.goAwayCode, following.goAwayCode]).toEqual([undefined, undefined]);
  });

  test("a call of no method is over although its client does not end it", async () => {
    const connection = open();
    connection.greet(undefined, frame(FrameType.headers, END_HEADERS, 1, callHeaders("/no.Service/Method")));
    await eventually(() => typesOf(connection).includes(FrameType.reset));
    connection.write(call(3, `${DATA}/Ping`));
    await eventually(hasAnswer(connection, 3));
  });
});

describe("a full port", () => {
  test("connections that open no call give way, the oldest first, and those between two calls stay", async () => {
    const idle = new Client();
    expect(await idle.ask()).toBe("0");
    const silent = Array.from({ length: 3 * PLACES }, open);
    await eventually(() => silent.filter(({ isClosed }) => isClosed).length >= 2 * PLACES + 1);
    expect(await new Client().ask()).toBe("0");
    expect(await idle.ask()).toBe("0");
    expect(silent.at(-1)!.isClosed).toBe(false);
  });

  test("then those that are idle, the longest first, and they are told", async () => {
    const idle = Array.from({ length: PLACES }, () => new Client());
    for (const client of idle) expect(await client.ask()).toBe("0");
    expect(await idle[0]!.ask()).toBe("0");
    expect(await new Client().ask()).toBe("0");
    await eventually(() => idle[1]!.goAwayCode !== undefined);
    expect(idle.map(({ goAwayCode }) => goAwayCode)).toEqual([
      undefined,
      constants.NGHTTP2_NO_ERROR,
      ...Array<undefined>(PLACES - 2).fill(undefined),
    ]);
  });

  test("connections with a call under way keep their places, and a further one is closed", async () => {
    const busy = Array.from({ length: PLACES }, () => new Client());
    for (const client of busy) await client.follow();
    const further = open();
    await further.closed;
    expect(chain.plane.streams.count).toBe(PLACES);
    expect(await busy[0]!.ask()).toBe("0");
  });
});
