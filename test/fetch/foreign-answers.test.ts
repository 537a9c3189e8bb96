// Answers of other programs: each reader of one, of a peer, a core, a wallet's node or a web page, ends soon with an error, however
// much comes, inflated bytes and bodies of errors included.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { dispatch } from "../../src/cli/command/dispatch.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { CometClient } from "../../src/comet/client.ts";
import { CoreClient } from "../../src/comet/core-client.ts";
import { AnswerTooLong, requestAnswer } from "../../src/fetch/answer.ts";
import { HistorySource } from "../../src/history/sharing/source.ts";
import { HttpClient } from "../../src/package/http-client.ts";
import { HttpNode } from "../../src/wallet/sending/http-node.ts";
import { submitRaw } from "../../src/wallet/sending/raw-submission.ts";

const MIB = 1024 * 1024;
/** A reader without a bound ends here too, so that its test fails instead of waiting. */
const GIVEN_UP_BYTES = 96 * MIB;
/** Of the socket's buffers, and what a reader takes. */
const TAKEN_BYTES_MAX = GIVEN_UP_BYTES / 2;
const PIECE = new Uint8Array(256 * 1024).fill(0x20);

let server: ReturnType<typeof Bun.serve>;
let url: string;
let sentBytes = 0;
let status = 500;
let isPacked = false;

beforeAll(() => {
  const packed = gzipSync(Buffer.alloc(GIVEN_UP_BYTES, 0x20));
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch() {
      if (isPacked) return new Response(packed, { status, headers: { "content-encoding": "gzip" } });
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (sentBytes >= GIVEN_UP_BYTES) return controller.close();
          sentBytes += PIECE.length;
          controller.enqueue(PIECE);
        },
      });
      return new Response(body, { status });
    },
  });
  url = `http://127.0.0.1:${server.port}`;
});
beforeEach(() => {
  sentBytes = 0;
  status = 500;
  isPacked = false;
});
afterAll(() => server.stop(true));

/** The end of a reading; the bytes read of 96 MiB show whether it has a bound. */
async function ending(reading: () => Promise<unknown>): Promise<string> {
  const before = process.memoryUsage().rss;
  const text = await reading().then(String, (error: Error) => `${error.name}: ${error.message}`);
  expect(sentBytes).toBeLessThan(TAKEN_BYTES_MAX);
  expect(process.memoryUsage().rss - before).toBeLessThan(GIVEN_UP_BYTES / 2);
  return text;
}

const source = () => new HistorySource(url, { firstPauseMs: 1, stallMs: 5_000 });
const READERS: Readonly<Record<string, () => Promise<unknown>>> = {
  "history of another node": () => source().summary(),
  "a wallet's node": () => new HttpNode(url).lastBlock(),
  "a node that a transaction is sent to": () =>
    submitRaw(new Uint8Array(1), { node: url, mode: "TYPE_SYNC", timeoutMs: 5_000 }),
  "a core": () => new CoreClient(url).statistics(),
  CometBFT: () => new CometClient(url, 5_000, MIB).status(),
  "lyra health": () =>
    dispatch(COMMANDS, ["health", "--url", url, "--quiet"], { asJson: false, logFailure: () => 1 }),
};

describe("an answer that does not end", () => {
  for (const [name, reading] of Object.entries(READERS)) {
    test(`${name}: as an error, as an answer, and inflated out of a few kilobytes`, async () => {
      const failed = /^(?:NodeError|CometUnreachable|CometError|AnswerTooLong|3$)/;
      expect(await ending(reading)).toMatch(failed);
      [sentBytes, status] = [0, 200];
      if (name !== "lyra health") expect(await ending(reading)).toMatch(failed);
      [sentBytes, status, isPacked] = [0, 500, true];
      expect(await ending(reading)).toMatch(failed);
    });
  }

  test("a package's devnet: a body beyond the longest dump is left", async () => {
    const { wholeOf } = await import("../../src/fetch/answer.ts");
    const client = new HttpClient(() => undefined);
    const pieces = (async function* () {
      for (let n = 0; n < 10; n++) yield PIECE;
    })();
    await expect(wholeOf(pieces, 2 * PIECE.length)).rejects.toThrow("the answer is too long");
    client.close();
  });
});

describe("the reader of answers", () => {
  test("gives exactly as many bytes as are allowed, and refuses one more", async () => {
    const body = "x".repeat(1_000);
    const small = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(body) });
    const ask = () => requestAnswer(`http://127.0.0.1:${small.port}/`, { timeoutMs: 5_000 });
    expect(await (await ask()).text(1_000)).toBe(body);
    expect(await (await ask()).text(999).catch((error) => error)).toBeInstanceOf(AnswerTooLong);
    expect(await (await ask()).start(10)).toBe("x".repeat(10));
    expect(await (await ask()).start(2_000)).toBe(body);
    await small.stop(true);
  });

  test("waits no longer than it was told, also in the middle of a body", async () => {
    const silent = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(new ReadableStream({ start: (to) => to.enqueue(PIECE.subarray(0, 5)) })),
    });
    const answer = await requestAnswer(`http://127.0.0.1:${silent.port}/`, { timeoutMs: 50 });
    expect((await answer.text(1_000).catch((error: Error) => error)).toString()).toContain("Timeout");
    await silent.stop(true);
  });
});
