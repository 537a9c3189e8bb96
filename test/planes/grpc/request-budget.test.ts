// Requests of gRPC on their way: their bytes, packed and inflated, come out of the process's budget, and a call whose message does
// not end is ended.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { deflateSync, gzipSync } from "node:zlib";
import { requestBudget } from "../../../src/http/request-budget.ts";
import { ServerStatus } from "../../../src/http/status.ts";
import { type GrpcPort, serveGrpc } from "../../../src/planes/grpc/port.ts";
import { RandomChain } from "../../support/random-chain.ts";
import { assetEvent } from "../../support/served-chain.ts";

const DATA = "/datanode.api.v2.TradingDataService";
const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const MIB = 1024 * 1024;
const OK = "0 OK";
const RESOURCE_EXHAUSTED = "8";
const GAVE_WAY = "too many bytes of requests are on their way already";

const chain = new RandomChain();
const { bytesMax, nowMs } = requestBudget;
let port: GrpcPort;
let client: ClientHttp2Session;
let skippedMs = 0;

beforeAll(async () => {
  chain.write([{ stepUs: 1_000_000, events: [assetEvent("aa".repeat(32), "first")] }]);
  const status = new ServerStatus();
  const planes = { kind: "data", data: chain.plane, status } as const;
  port = await serveGrpc(planes, { host: "127.0.0.1", port: 0, portFlag: "--grpc-data-port" });
});
beforeEach(() => {
  client = connect(`http://${port.address}`);
  requestBudget.bytesMax = 4 * MIB;
  Object.assign(requestBudget, { nowMs: () => nowMs() + skippedMs });
});
afterEach(() => {
  client.destroy();
  Object.assign(requestBudget, { nowMs });
  requestBudget.bytesMax = bytesMax;
  skippedMs = 0;
});
afterAll(async () => {
  await port.stop();
  chain.close();
});

/** A message with its head. */
function framed(message: Uint8Array, isPacked = false): Buffer {
  const head = Buffer.alloc(5);
  head[0] = isPacked ? 1 : 0;
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** A field that no request has, in this many bytes: it is passed over. */
function padding(bytes: number): Buffer {
  const field = Buffer.alloc(bytes, 0x61);
  // Field 100, with a length of four bytes.
  const head = [0xa2, 0x06];
  for (let n = 0, rest = bytes - 6; n < 4; n++, rest >>>= 7) head.push((rest & 127) | (n < 3 ? 128 : 0));
  field.set(head);
  return field;
}

interface Call {
  readonly stream: ClientHttp2Stream;
  /** The status and its sentence, once there is one. */
  readonly status: Promise<string>;
  /** When nothing is left of the stream. */
  readonly closed: Promise<void>;
}

function begin(path: string, encoding?: string): Call {
  const stream = client.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    ...(encoding && { "grpc-encoding": encoding }),
  });
  const { promise: status, resolve } = Promise.withResolvers<string>();
  const note = (headers: Record<string, unknown>) => {
    const code = headers["grpc-status"];
    if (code === undefined) return;
    resolve(`${code} ${decodeURIComponent(String(headers["grpc-message"] ?? ""))}`.trim());
  };
  stream.on("response", note);
  stream.on("trailers", note);
  stream.on("error", () => {});
  stream.on("data", () => {});
  const closed = new Promise<void>((done) => stream.once("close", () => done()));
  return { stream, status, closed };
}

async function answerOf(path: string, message: Buffer, encoding?: string): Promise<string> {
  const call = begin(path, encoding);
  call.stream.end(message);
  return call.status;
}

describe("requests on their way over gRPC", () => {
  test("packed ones inflate no further than there is room, and others are answered beside them", async () => {
    const bomb = framed(gzipSync(padding(MIB)), true);
    expect(bomb.length).toBeLessThan(2_000);
    const calls = Array.from({ length: 20 }, () => begin(`${DATA}/ListAssets`, "gzip"));
    for (const { stream } of calls) stream.write(bomb);
    const refused = await Promise.any(calls.map(({ status }) => status));
    expect(refused).toBe(`${RESOURCE_EXHAUSTED} ${GAVE_WAY}`);
    expect(await answerOf(`${DATA}/Ping`, framed(Buffer.of()))).toBe(OK);
    for (const { stream } of calls) stream.close();
  });

  test("a packed one is read as a plain one", async () => {
    requestBudget.bytesMax = 16 * MIB;
    const message = padding(100_000);
    expect(await answerOf(`${DATA}/ListAssets`, framed(message))).toBe(OK);
    expect(await answerOf(`${DATA}/ListAssets`, framed(gzipSync(message), true), "gzip")).toBe(OK);
    expect(await answerOf(`${DATA}/ListAssets`, framed(deflateSync(message), true), "deflate")).toBe(OK);
    expect(await answerOf(`${DATA}/ListAssets`, framed(message, true), "gzip")).toBe(
      "13 Failed to decompress message",
    );
    expect(await answerOf(`${DATA}/ListAssets`, framed(message, true), "br")).toStartWith("12 ");
    expect(await answerOf(`${DATA}/ListAssets`, framed(gzipSync(padding(5 * MIB)), true), "gzip")).toBe(
      `8 Received message larger than max (${4 * MIB} bytes)`,
    );
  });

  test("parts of messages count as they come, and a slow one gives way to a new one", async () => {
    const slow = Array.from({ length: 5 }, () => begin(`${DATA}/ListAssets`));
    const whole = framed(padding(900_000));
    for (const { stream } of slow) stream.write(whole.subarray(0, 800_000));
    const [first] = slow;
    // Five of them are more than there is room for.
    expect(await Promise.any(slow.map(({ status }) => status))).toBe(`${RESOURCE_EXHAUSTED} ${GAVE_WAY}`);
    skippedMs = 2_000;
    expect(await answerOf(`${DATA}/ListAssets`, whole)).toBe(OK);
    for (const { stream } of slow) stream.close();
    await first!.closed;
  });

  test("messages of a few bytes cost what they take of memory", async () => {
    requestBudget.bytesMax = MIB;
    const tiny = Buffer.concat(Array(10_000).fill(framed(Buffer.of(0x3a, 0x00))));
    const call = begin(REFLECTION);
    call.stream.write(tiny);
    expect(await call.status).toBe(`${RESOURCE_EXHAUSTED} ${GAVE_WAY}`);
    // Nothing more of it is wanted: the stream is closed although the client has not ended it.
    await call.closed;
  });

  test("a call whose message does not end is ended, and so is one whose client says no more", async () => {
    const half = begin(`${DATA}/ListAssets`);
    half.stream.write(framed(padding(1_000)).subarray(0, 500));
    const silent = begin(REFLECTION);
    const open = begin(`${DATA}/ListAssets`);
    open.stream.write(framed(Buffer.of()));
    await answerOf(`${DATA}/Ping`, framed(Buffer.of()));
    skippedMs = 11_000;
    for (const { status, closed } of [half, silent, open]) {
      expect(await status).toBe("4 the request body comes too slowly");
      await closed;
    }
  });

  test("a call that goes on is not ended between its messages, but inside one", async () => {
    const question = framed(Buffer.of(0x3a, 0x00));
    const call = begin(REFLECTION);
    const answered = new Promise((resolve) => call.stream.once("data", resolve));
    call.stream.write(question);
    await answered;
    skippedMs = 11_000;
    const again = new Promise((resolve) => call.stream.once("data", resolve));
    call.stream.write(question);
    await again;
    call.stream.write(question.subarray(0, 6));
    await answerOf(`${DATA}/Ping`, framed(Buffer.of()));
    skippedMs = 22_000;
    expect(await call.status).toBe("4 the request body comes too slowly");
  });

  test("headers have at most 16 KiB", async () => {
    const call = (bytes: number) => {
      const headers = { ":method": "POST", ":path": `${DATA}/Ping`, "content-type": "application/grpc" };
      const stream = client.request({ ...headers, te: "trailers", "x-long": "a".repeat(bytes) });
      const ending = new Promise<string>((resolve) => {
        stream.on("response", (answer) => resolve(`status ${answer[":status"]}`));
        stream.on("error", () => resolve("reset"));
      });
      stream.on("data", () => {});
      stream.end(framed(Buffer.of()));
      return ending;
    };
    expect(await call(15_000)).toBe("status 200");
    expect(await call(17_000)).toBe("reset");
  });

  test("answered calls hold nothing", async () => {
    requestBudget.bytesMax = MIB;
    const message = framed(gzipSync(padding(600_000)), true);
    for (let n = 0; n < 5; n++) expect(await answerOf(`${DATA}/ListAssets`, message, "gzip")).toBe(OK);
    const watched = begin("/grpc.health.v1.Health/Watch");
    const first = new Promise((resolve) => watched.stream.once("data", resolve));
    watched.stream.end(framed(Buffer.of()));
    await first;
    expect(await answerOf(`${DATA}/ListAssets`, message, "gzip")).toBe(OK);
    watched.stream.close();
  });
});
