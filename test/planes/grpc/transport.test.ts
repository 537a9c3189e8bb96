// The transport of a gRPC port: deadlines, cancelled calls, sizes, floods and bytes that are not HTTP/2. Each ends in the right
// status, and nothing is left of it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { status as Status } from "@grpc/grpc-js";
import { ServerStatus } from "../../../src/http/status.ts";
import { type GrpcPort, serveGrpc } from "../../../src/planes/grpc/port.ts";
import { eventually, staysOpen, turns } from "../../support/eventually.ts";
import { GrpcClient } from "../../support/grpc-client.ts";
import { RandomChain } from "../../support/random-chain.ts";
import {
  call,
  callHeaders,
  cancel,
  END_HEADERS,
  END_STREAM,
  FrameType,
  frame,
  RawConnection,
} from "../../support/raw-http2.ts";
import { assetEvent } from "../../support/served-chain.ts";

const DATA = "datanode.api.v2.TradingDataService";
const HEALTH = "grpc.health.v1.Health";
const CONNECTIONS = 12;
const CALLS = 8;
const MEBIBYTE = 1024 * 1024;

const chain = new RandomChain({ grpcConnectionsMax: CONNECTIONS, grpcCallsMax: CALLS });
let port: GrpcPort;
let client: GrpcClient;

const ready = { value: undefined as string | undefined };
const status = new ServerStatus();
const open = () =>
  serveGrpc(
    { kind: "data", data: chain.plane, status },
    { host: "127.0.0.1", port: 0, portFlag: "--grpc-data-port" },
  );

beforeAll(async () => {
  chain.write([{ stepUs: 1_000_000, events: [assetEvent("aa".repeat(32), "first")] }]);
  status.source = {
    head: () => chain.plane.head(),
    notReady: () => ready.value,
    segments: () => 0,
    storeBytes: () => 0,
    logBytes: () => 0,
  };
  port = await open();
  client = new GrpcClient(port.address);
});
afterAll(async () => {
  client.close();
  await port.stop();
  chain.close();
});

const ping = async () => (await client.call(`${DATA}/Ping`)).code;
const streams = () => chain.plane.streams.count;
const descriptors = () => readdirSync("/proc/self/fd").length;

describe("deadlines and cancelled calls", () => {
  test("a stream past its deadline ends with DEADLINE_EXCEEDED, and is closed", async () => {
    const stream = client.stream(`${DATA}/ObserveTrades`, {}, { timeoutMs: 1_500 });
    await eventually(() => streams() === 1);
    expect((await stream.ended).code).toBe(Status.DEADLINE_EXCEEDED);
    await eventually(() => streams() === 0);
  });

  test("a wait for a height ends with the client's deadline, and no one waits any more", async () => {
    const waiting = client.call(
      `${DATA}/ListAssets`,
      {},
      { metadata: { "x-min-height": "99999" }, timeoutMs: 1_500 },
    );
    await eventually(() => chain.plane.heightWaiters.count === 1);
    expect((await waiting).code).toBe(Status.DEADLINE_EXCEEDED);
    await eventually(() => chain.plane.heightWaiters.count === 0);
  });

  test("two hundred streams that are cancelled leave nothing", async () => {
    for (let round = 0; round < 200 / CALLS; round++) {
      const opened = Array.from({ length: CALLS }, () => client.stream(`${DATA}/ObserveOrders`));
      await eventually(() => streams() === CALLS);
      for (const { call } of opened) call.cancel();
      for (const { ended } of opened) expect((await ended).code).toBe(Status.CANCELLED);
      await eventually(() => streams() === 0);
    }
    expect(await ping()).toBe(Status.OK);
  });

  test("x-min-height: a height that is there is read, another is not reached, text is refused", async () => {
    const ask = (height: string) =>
      client.call(`${DATA}/ListAssets`, {}, { metadata: { "x-min-height": height } });
    expect((await ask("1")).code).toBe(Status.OK);
    expect(await ask("soon")).toMatchObject({
      code: Status.INVALID_ARGUMENT,
      text: "X-Min-Height must be a block height",
    });
  });

  test("an answer that is kept is never from before a block that was there when it was asked for", async () => {
    const ask = async (least: number) => {
      const { headers, message } = await client.call(`${DATA}/ListAssets`);
      const height = Number(headers["x-block-height"]);
      expect(height).toBeGreaterThanOrEqual(least);
      // The first block has an asset, and so has each one after it here.
      expect(message.assets.edges.length).toBe(height - before + 1);
    };
    const before = chain.plane.head()!.height;
    for (let n = 1; n <= 40; n++) {
      const height = before + n;
      // Asked for in the turn of the commit, notified or not, and while the next ones are made.
      const early = Array.from({ length: CALLS / 2 }, () => ask(height - 1));
      await new Promise((resolve) => setImmediate(resolve));
      chain.write([{ stepUs: 1, events: [assetEvent(height.toString(16).padStart(64, "0"), "more")] }]);
      if (n % 2 === 0) chain.plane.notifyCommit();
      await Promise.all([...early, ...Array.from({ length: CALLS / 2 }, () => ask(height))]);
    }
  });

  test("calls beyond the limit of a connection wait for a place", async () => {
    const opened = Array.from({ length: CALLS }, () =>
      client.stream(`${DATA}/ObserveVotes`, { partyId: "ab".repeat(32) }),
    );
    await eventually(() => streams() === CALLS);
    const waiting = ping();
    expect(await staysOpen(waiting)).toBe(true);
    for (const { call } of opened) call.cancel();
    await Promise.all(opened.map(({ ended }) => ended));
    expect(await waiting).toBe(Status.OK);
  });
});

describe("bytes", () => {
  test("a message of 64 MB is refused by its size, and the connection goes on", async () => {
    const answer = await client.send(`${DATA}/ListAssets`, new Uint8Array(64 * MEBIBYTE));
    expect(answer.code).toBe(Status.RESOURCE_EXHAUSTED);
    expect(answer.text).toContain("larger than max");
    expect(await ping()).toBe(Status.OK);
  });

  test("bytes that are not the message are told as by the original's library", async () => {
    const answer = await client.send(`${DATA}/ListAssets`, Uint8Array.of(0x0a, 0x05, 0x61));
    expect(answer.code).toBe(Status.INTERNAL);
    expect(answer.text).toStartWith("grpc: error unmarshalling request: ");
  });

  test("a number that an enum does not have, and a list that is too long, are refused as REST does", async () => {
    expect(await client.call(`${DATA}/ListAccounts`, { filter: { accountTypes: [99] } })).toMatchObject({
      code: Status.INVALID_ARGUMENT,
      text: 'parsing list "account_types": "99" is not a valid value',
      details: [],
    });
    const partyIds = Array.from({ length: 1_001 }, () => "ab".repeat(32));
    expect(await client.call(`${DATA}/ListAccounts`, { filter: { partyIds } })).toMatchObject({
      code: Status.INVALID_ARGUMENT,
      text: 'parsing list "party_ids": more than 1000 values',
    });
  });

  test("a method that there is not is UNIMPLEMENTED", async () => {
    const answer = await new Promise<number>((resolve) => {
      const bytes = (value: Buffer) => value;
      client.raw.makeUnaryRequest(`/${DATA}/Nothing`, bytes, bytes, Buffer.of(), (error) =>
        resolve(error?.code ?? 0),
      );
    });
    expect(answer).toBe(Status.UNIMPLEMENTED);
  });
});

describe("connections", () => {
  const garbage: [string, (connection: RawConnection) => void][] = [
    ["HTTP/1.1", (one) => one.write(Buffer.from("GET / HTTP/1.1\r\nhost: x\r\n\r\n"))],
    ["random bytes", (one) => one.write(Buffer.alloc(10_000, 0xa5))],
    [
      "a frame longer than the settings allow",
      (one) => {
        one.greet();
        one.write(frame(FrameType.headers, END_HEADERS, 1, Buffer.alloc(100_000, 1)));
      },
    ],
    [
      "headers on stream 0",
      (one) => {
        one.greet();
        one.write(frame(FrameType.headers, END_HEADERS, 0, callHeaders(`/${DATA}/Ping`)));
      },
    ],
    [
      "headers that cannot be decoded",
      (one) => {
        one.greet();
        one.write(frame(FrameType.headers, END_HEADERS, 1, Buffer.alloc(50, 0xff)));
      },
    ],
    [
      "a continuation of nothing",
      (one) => {
        one.greet();
        one.write(frame(FrameType.continuation, END_HEADERS, 1, Buffer.alloc(10)));
      },
    ],
    [
      "a window update of zero",
      (one) => {
        one.greet();
        one.write(frame(FrameType.windowUpdate, 0, 0, Buffer.alloc(4)));
      },
    ],
  ];
  test.each(garbage)("%s closes its connection, and no other", async (_, send) => {
    const before = descriptors();
    const connection = new RawConnection(port.port);
    send(connection);
    await connection.closed;
    expect(await ping()).toBe(Status.OK);
    await eventually(() => descriptors() <= before);
  });

  test("a call in pieces of one byte is answered", async () => {
    const connection = new RawConnection(port.port);
    connection.greet();
    for (const byte of call(1, `/${DATA}/Ping`)) {
      connection.write(Buffer.of(byte));
      await turns(1);
    }
    const isOver = ({ type, flags, stream }: ReturnType<RawConnection["frames"]>[number]) =>
      stream === 1 && type === FrameType.headers && (flags & END_STREAM) !== 0;
    await eventually(() => connection.frames().some(isOver));
    connection.end();
  });

  test("calls that are taken back in the bytes of their request leave nothing, and their places are free", async () => {
    const connection = new RawConnection(port.port);
    connection.greet();
    const cancelled = Array.from({ length: 10 * CALLS }, (_, at) => 2 * at + 1);
    for (const stream of cancelled) connection.write(call(stream, `/${DATA}/ObserveOrders`), cancel(stream));
    const last = 2 * cancelled.length + 1;
    connection.write(call(last, `/${DATA}/Ping`));
    const hasMessage = ({ type, stream }: ReturnType<RawConnection["frames"]>[number]) =>
      stream === last && type === FrameType.data;
    await eventually(() => connection.frames().some(hasMessage));
    await eventually(() => streams() === 0);
    connection.end();
  });

  test("calls that are reset by the thousand end the connection, and answers go on", async () => {
    const before = descriptors();
    const connection = new RawConnection(port.port);
    connection.greet();
    let stream = 1;
    for (let round = 0; round < 50 && !connection.isClosed; round++) {
      const calls = Array.from({ length: 500 }, () => {
        stream += 2;
        return [call(stream, `/${DATA}/ListAssets`), cancel(stream)];
      });
      connection.write(...calls.flat());
      await connection.drained();
      await turns(1);
    }
    await connection.closed;
    expect(await ping()).toBe(Status.OK);
    await eventually(() => descriptors() <= before);
  });

  test("a connection beyond the limit is closed; when another one ends there is a place again", async () => {
    const before = descriptors();
    const held = Array.from({ length: 3 * CONNECTIONS }, () => new RawConnection(port.port));
    await eventually(() => held.filter(({ isClosed }) => isClosed).length > CONNECTIONS);
    // The client's own connection has had its place before.
    expect(await ping()).toBe(Status.OK);
    for (const one of held) one.end();
    await eventually(() => descriptors() <= before);
    const other = new GrpcClient(port.address);
    expect((await other.call(`${DATA}/Ping`)).code).toBe(Status.OK);
    other.close();
  });
});

describe("health", () => {
  test("of the port and of each service, and of a name that there is not", async () => {
    for (const service of ["", DATA, HEALTH])
      expect((await client.call(`${HEALTH}/Check`, { service })).message).toEqual({ status: 1 });
    expect(await client.call(`${HEALTH}/Check`, { service: "x" })).toMatchObject({
      code: Status.NOT_FOUND,
      text: "unknown service",
    });
    expect((await client.call(`${HEALTH}/List`)).message.statuses.get(DATA)).toEqual({ status: 1 });
  });

  test("a watch tells when the node is not ready any more, and when it is again", async () => {
    const watch = client.stream(`${HEALTH}/Watch`, { service: DATA });
    await eventually(() => watch.messages.length === 1);
    ready.value = "loading";
    await eventually(() => watch.messages.length === 2);
    ready.value = undefined;
    await eventually(() => watch.messages.length === 3);
    watch.call.cancel();
    expect(watch.messages.map(({ status: one }) => one)).toEqual([1, 2, 1]);
  });
});

describe("an end", () => {
  test("streams end, connections are closed, the port is free", async () => {
    const own = await open();
    const other = new GrpcClient(own.address);
    const stream = other.stream(`${DATA}/ObserveTrades`);
    await eventually(() => streams() === 1);
    const idle = new RawConnection(own.port);
    await eventually(() => !idle.isClosed);
    await own.stop();
    expect([Status.UNAVAILABLE, Status.CANCELLED]).toContain((await stream.ended).code);
    await idle.closed;
    await eventually(() => streams() === 0);
    other.close();
    const again = await serveGrpc(
      { kind: "data", data: chain.plane, status },
      { host: "127.0.0.1", port: own.port, portFlag: "--grpc-data-port" },
    );
    expect(again.port).toBe(own.port);
    await expect(
      serveGrpc(
        { kind: "data", data: chain.plane, status },
        { host: "127.0.0.1", port: own.port, portFlag: "--grpc-data-port" },
      ),
    ).rejects.toMatchObject({ code: "port_in_use", message: `port ${own.port} on 127.0.0.1 is in use` });
    await again.stop();
  });
});
