// The socket of the consensus engine: frames, order of answers, backpressure, and what ends a connection.
import { afterAll, afterEach, describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import protobuf from "protobufjs";
import { PROTO_FOLDER, readProtoFiles } from "../../scripts/wire/protos.ts";
import { FrameFault, FrameSplitter, frameOf } from "../../src/abci/frames.ts";
import { type AbciHandler, AbciServer, abciAddress } from "../../src/abci/server.ts";
import { decodeRequest, encodeRequest, type Request } from "../../src/wire/generated/abci.ts";
import { Scratch } from "../rig/homes.ts";
import { eventually, turns } from "../support/eventually.ts";
import { runs, SEED } from "../support/seed.ts";
import { messageArbitrary } from "../wire/arbitrary.ts";
import { codecOf } from "../wire/codecs.ts";
import { dialEngine } from "./engine-connection.ts";

const hex = (text: string) => Uint8Array.fromHex(text.replaceAll(" ", ""));

describe("frames", () => {
  test("are those that CometBFT was seen to send", () => {
    const echo = encodeRequest({ echo: { message: "hi" } });
    expect(frameOf(echo)).toEqual(hex("06 0a 04 0a 02 68 69"));
    expect(frameOf(encodeRequest({ flush: {} }))).toEqual(hex("02 12 00"));
    expect(frameOf(encodeRequest({ commit: {} }))).toEqual(hex("02 5a 00"));
  });

  test("come out whole and in order, however the stream is cut", () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 12 });
    const property = fc.property(
      messages,
      fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
      (all, sizes) => {
        const stream = Buffer.concat(all.map(frameOf));
        const splitter = new FrameSplitter();
        const frames: Uint8Array[] = [];
        for (let at = 0; at < stream.length; ) {
          const size = sizes.next().value;
          // The piece is overwritten after it: a message must not lie in it.
          const piece = Uint8Array.from(stream.subarray(at, at + size));
          frames.push(...splitter.push(piece));
          piece.fill(255);
          at += size;
        }
        expect(frames.map((each) => Buffer.from(each))).toEqual(all.map((each) => Buffer.from(each)));
        expect(splitter.isInside).toBe(false);
      },
    );
    fc.assert(property, { numRuns: runs(60), seed: SEED });
  });

  test("whose length is above the limit, or never ends, are refused", () => {
    expect(() => [...new FrameSplitter(1_000).push(hex("e907"))]).toThrow(FrameFault);
    expect(() => [...new FrameSplitter().push(hex("ffffffff0f"))]).toThrow(FrameFault);
    expect(() => [...new FrameSplitter().push(hex("8080808080"))]).toThrow(FrameFault);
    expect([...new FrameSplitter(1_000).push(frameOf(new Uint8Array(1_000)))]).toHaveLength(1);
  });
});

test("requests and responses have the bytes that protobufjs gives and reads", () => {
  const root = new protobuf.Root();
  root.resolvePath = (_, path) => `${PROTO_FOLDER}/${path.replace(`${PROTO_FOLDER}/`, "")}`;
  for (const { path } of readProtoFiles())
    if (path.startsWith("tendermint/")) root.loadSync(path, { keepCase: false });
  for (const name of ["tendermint.abci.Request", "tendermint.abci.Response"]) {
    const type = root.lookupType(name);
    const codec = codecOf(name);
    for (const message of fc.sample(messageArbitrary(name), { numRuns: runs(40), seed: SEED })) {
      const bytes = codec.encode(message);
      const other = type.decode(bytes);
      expect(codec.decode(type.encode(other).finish())).toEqual(codec.decode(bytes));
      expect(Buffer.from(codec.encode(codec.decode(type.encode(other).finish())))).toEqual(
        Buffer.from(bytes),
      );
    }
  }
});

test("the address is a socket's path, or a host with a port", () => {
  expect(abciAddress("unix:/tmp/a.sock")).toEqual({ path: "/tmp/a.sock" });
  expect(abciAddress("unix:///tmp/a.sock")).toEqual({ path: "/tmp/a.sock" });
  expect(abciAddress("tcp://127.0.0.1:26658")).toEqual({ host: "127.0.0.1", port: 26_658 });
  expect(abciAddress("tcp://[::1]:0")).toEqual({ host: "::1", port: 0 });
  for (const text of ["", "unix:", "127.0.0.1:1", "tcp://a:70000", "http://a:1"])
    expect(abciAddress(text)).toBeUndefined();
});

describe("the server", () => {
  const closing: (() => void)[] = [];
  const scratch = new Scratch("abci");
  afterEach(() => {
    for (const close of closing.splice(0).reverse()) close();
  });
  afterAll(() => scratch.remove());

  const serve = (answer: AbciHandler["answer"], more?: Omit<AbciHandler, "answer">) => {
    const server = new AbciServer({ answer, ...more });
    const port = server.listen({ host: "127.0.0.1", port: 0 });
    closing.push(() => server.stop());
    return { server, port };
  };

  const dial = async (port: number) => {
    const line = await dialEngine(port);
    closing.push(() => line.socket.terminate());
    return line;
  };

  const info = (request: Request) =>
    request.info === undefined ? { checkTx: { code: request.checkTx!.tx[0]! } } : { info: { data: "lyra" } };

  test("answers each connection in the order of its requests, also where an answer takes its time", async () => {
    const gates = new Map<number, PromiseWithResolvers<void>>();
    const { port } = serve((request) => {
      const n = request.checkTx!.tx[0]!;
      if (n % 2 === 0) return { checkTx: { code: n } };
      const gate = Promise.withResolvers<void>();
      gates.set(n, gate);
      return gate.promise.then(() => ({ checkTx: { code: n } }));
    });
    const line = await dial(port);
    const tx = (n: number) => ({ checkTx: { tx: Uint8Array.of(n) } });
    line.send(tx(0), tx(1), { flush: {} }, tx(2), tx(3), { flush: {} });
    await eventually(() => gates.has(1));
    await line.count(1);
    expect(line.answers.map(({ checkTx }) => checkTx?.code)).toEqual([0]);
    gates.get(1)!.resolve();
    await eventually(() => gates.has(3));
    gates.get(3)!.resolve();
    await line.count(6);
    const order: unknown[] = line.answers.map(({ checkTx, flush }) => (flush ? "flush" : checkTx?.code));
    expect(order).toEqual([0, 1, "flush", 2, 3, "flush"]);
  });

  test("serves four connections at once, none of which waits for another, and four more after them", async () => {
    const never = new Promise<never>(() => {});
    const { port, server } = serve((request) => (request.prepareProposal ? never : info(request)));
    const lines = await Promise.all([dial(port), dial(port), dial(port), dial(port)]);
    lines[0]!.send({ prepareProposal: {} });
    for (const line of lines.slice(1)) line.send({ info: {} }, { flush: {} });
    for (const line of lines.slice(1)) await line.count(2);
    expect(lines[1]!.answers[0]!.info?.data).toBe("lyra");
    expect(server.connections).toBe(4);
    const next = await dial(port);
    next.send({ info: {} }, { flush: {} });
    await next.count(2);
  });

  test("answers thousands of requests whose answers are larger than a socket takes at once", async () => {
    const data = "x".repeat(20_000);
    const { port } = serve(() => ({ info: { data } }));
    const line = await dial(port);
    for (let n = 0; n < 500; n++) line.send({ info: {} });
    await line.count(500);
    expect(line.answers.every(({ info: each }) => each?.data === data)).toBe(true);
  });

  test("does not answer an engine that takes no answers, and goes on when it does", async () => {
    const data = "x".repeat(1_000_000);
    let calls = 0;
    const { port } = serve(() => {
      calls++;
      return { info: { data } };
    });
    const line = await dial(port);
    line.socket.pause();
    const count = 48;
    line.send(...Array.from({ length: count }, () => ({ info: {} })));
    await eventually(() => calls > 30);
    await turns(50);
    expect(calls).toBeLessThan(44);
    line.socket.resume();
    await line.count(count);
    expect(calls).toBe(count);
  });

  test.each([
    ["a length beyond the limit", hex("ffffffff7f")],
    ["bytes that are not a request", frameOf(hex("ffff"))],
    ["a request of a kind that is not known", frameOf(hex("f2060100"))],
  ])("closes a connection that sends %s, with a line in the log, and takes the next", async (_, bytes) => {
    const lines: string[] = [];
    const log = spyOn(process.stderr, "write").mockImplementation((text) => {
      lines.push(String(text));
      return true;
    });
    closing.push(() => log.mockRestore());
    const { port, server } = serve(info);
    const bad = await dial(port);
    bad.raw(bytes);
    await bad.closed();
    await eventually(() => server.connections === 0);
    expect(lines.join("")).toContain("a connection of the consensus engine was closed");
    const good = await dial(port);
    good.send({ info: {} }, { flush: {} });
    await good.count(2);
  });

  test("answers a request that failed with an exception, and tells when a connection comes and when it is gone", async () => {
    const log = spyOn(process.stderr, "write").mockImplementation(() => true);
    closing.push(() => log.mockRestore());
    const closed: object[] = [];
    let opened = 0;
    const { port } = serve(
      () => {
        throw new Error("the disk is full");
      },
      { opened: () => opened++, closed: (connection) => closed.push(connection) },
    );
    const line = await dial(port);
    await eventually(() => opened === 1);
    line.send({ commit: {} });
    await line.count(1);
    expect(line.answers[0]!.exception?.error).toBe("the disk is full");
    closing.pop()!();
    await eventually(() => closed.length === 1);
  });

  test("listens on a socket that only its user reaches, in place of one that a killed process left", async () => {
    const path = scratch.path("app.sock");
    for (let n = 0; n < 2; n++) {
      const server = new AbciServer({ answer: info });
      expect(server.listen({ path })).toBe(0);
      closing.push(() => server.stop());
    }
    const { mode } = await Bun.file(path).stat();
    expect(mode & 0o777).toBe(0o600);
    const missing = scratch.path("none");
    expect(() => new AbciServer({ answer: info }).listen({ path: `${missing}/app.sock` })).toThrow(
      `(there is no folder ${missing})`,
    );
  });

  test("reads nothing but requests", () => {
    const noise = fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        decodeRequest(bytes);
      } catch (error) {
        expect((error as Error).name).toBe("WireError");
      }
    });
    fc.assert(noise, { numRuns: runs(200), seed: SEED });
  });
});
