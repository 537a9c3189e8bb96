// Bad requests as bytes on a socket: what no well-behaved client sends. Each is refused or answered, none hangs, and
// after each the server answers others.
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { eventually } from "../support/eventually.ts";
import { sendRaw } from "../support/raw-http.ts";
import { expectNoLeak } from "../support/scenario.ts";
import { runs, SEED } from "../support/seed.ts";
import { assetEvent, ServedChain } from "../support/served-chain.ts";

const served = new ServedChain();
served.commit(assetEvent("aa".repeat(32), "a"));
afterAll(() => served.stop());
afterEach(async () => {
  expect((await fetch(`${served.url}/api/v2/assets`)).status).toBe(200);
});

const PATH = "/api/v2/assets";
const { urlCharactersMax, bodyBytesMax } = DEFAULT_LIMITS;
const END = "Host: localhost:1\r\nConnection: close\r\n\r\n";
const get = (target: string) => `GET ${target} HTTP/1.1\r\n${END}`;
const form = (length: number, body: string, more = "") =>
  `POST ${PATH} HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n${more}${END}${body}`;
const chunk = `1000\r\n${"a".repeat(4096)}\r\n`;

/** 0: the connection is closed without a word. */
type Case = [name: string, request: string, status: number, has?: string];

const addresses: Case[] = [
  ["a NUL byte, escaped", get(`${PATH}?assetId=%00`), 400, "not a valid hex id"],
  ["bytes that are no UTF-8, escaped", get(`${PATH}?assetId=%ff%fe`), 400, "not UTF-8"],
  ["bytes that are no UTF-8, raw", get(`${PATH}?assetId=\xff\xfe`), 400],
  ["a path that is no UTF-8", get("/api/v2/asset/\xff"), 400],
  ["a bad escape in the path", get("/api/v2/asset/%zz"), 404, "Not Found"],
  ["a slash, escaped, in the path", get("/api/v2/asset/a%2Fb"), 404, "Not Found"],
  ["a semicolon", get(`${PATH}?assetId=1;pagination.first=2`), 400, "invalid semicolon separator"],
  ["a fragment", get(`${PATH}#x`), 404],
  ["an address of another host", get("http://elsewhere.example/api/v2/assets"), 200],
  ["as long as may be", get(`${PATH}?x=${"a".repeat(urlCharactersMax - PATH.length - 2)}`), 200],
  [
    "one character longer",
    get(`${PATH}?x=${"a".repeat(urlCharactersMax - PATH.length - 1)}`),
    400,
    `longer than ${urlCharactersMax} characters`,
  ],
  ["longer than the parser takes", get(`${PATH}?x=${"a".repeat(20_000)}`), 431],
  ["a megabyte", get(`${PATH}?x=${"a".repeat(1_000_000)}`), 431],
  ["no address", get("*"), 400],
];

const bodies: Case[] = [
  ["as long as may be", form(bodyBytesMax, "x=".padEnd(bodyBytesMax, "a")), 200],
  [
    "one byte longer",
    form(bodyBytesMax + 1, "x=".padEnd(bodyBytesMax + 1, "a")),
    413,
    `longer than ${bodyBytesMax} bytes`,
  ],
  ["much longer", form(2_000_000, "x=".padEnd(2_000_000, "a")), 413],
  ["a length of exabytes", form(1e18, "x=1"), 400],
  ["a length of gigabytes", form(1e10, "x=1"), 413],
  [
    "chunks without an end in sight",
    `POST ${PATH} HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n${END}${chunk.repeat(300)}0\r\n\r\n`,
    413,
    "longer than",
  ],
  ["a negative length", form(-5, ""), 400],
  ["a length that is not a number", form(Number.NaN, ""), 400],
  ["a length and chunks", form(5, "0\r\n\r\n", "Transfer-Encoding: chunked\r\n"), 400],
  ["bytes that are no UTF-8", form(10, "assetId=\xff\xfe"), 400],
  ["NUL bytes", form(10, "assetId=\0\0"), 400],
  ["a body with a GET", `GET ${PATH} HTTP/1.1\r\nContent-Length: 4\r\n${END}abcd`, 200],
  [
    "a body with another method",
    `PUT ${PATH} HTTP/1.1\r\nContent-Length: 4\r\n${END}abcd`,
    501,
    "Method Not Allowed",
  ],
];

const heads: Case[] = [
  ["no host", `GET ${PATH} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400],
  ["a host that is none", `GET ${PATH} HTTP/1.1\r\nHost: a b/c?d#e\r\nConnection: close\r\n\r\n`, 200],
  ["headers without an end", `GET ${PATH} HTTP/1.1\r\n${"X-A: b\r\n".repeat(5_000)}${END}`, 431],
  ["a method that nobody knows", `NOPE ${PATH} HTTP/1.1\r\n${END}`, 0],
  ["a method in lower case", `get ${PATH} HTTP/1.1\r\n${END}`, 0],
  ["TRACE", `TRACE ${PATH} HTTP/1.1\r\n${END}`, 501, "Method Not Allowed"],
  ["HTTP/1.0", `GET ${PATH} HTTP/1.0\r\n\r\n`, 200],
  ["an upgrade to a websocket", `GET ${PATH} HTTP/1.1\r\nUpgrade: websocket\r\n${END}`, 200],
  ["a broken minimum height", `GET ${PATH} HTTP/1.1\r\nX-Min-Height: \xff\r\n${END}`, 400],
  ["no HTTP at all", "\0\x01\x02\r\n\r\n", 400],
  ["TLS", "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n", 400],
];

for (const [title, cases] of [
  ["addresses", addresses],
  ["bodies", bodies],
  ["requests", heads],
] as const) {
  describe(title, () => {
    test.each(cases.map((one): [string, Case] => [one[0], one]))(
      "%s",
      async (_, [, request, status, has]) => {
        const answer = await sendRaw(served.port, request);
        expect({ status: answer.status, body: answer.body }).toEqual({ status, body: answer.body });
        expectNoLeak(answer.body);
        // The HTTP layer's own refusals have no body, every other error is an error object.
        if (status >= 400 && answer.body !== "")
          expect(Object.keys(JSON.parse(answer.body))).toEqual(["code", "message", "details"]);
        if (has !== undefined) expect(answer.body).toContain(has);
      },
    );
  });
}

test("a client that stops in the middle of its body holds up nobody", async () => {
  const answers: string[] = [];
  const data = (_: unknown, chunk: Buffer) => void answers.push(chunk.toString("latin1"));
  const slow = await Bun.connect({ hostname: "127.0.0.1", port: served.port, socket: { data } });
  slow.write(form(50, "abc"));
  expect((await fetch(served.url + PATH)).status).toBe(200);
  expect(answers).toEqual([]);
  // It was only slow: with the rest of its body it has its answer.
  slow.write("x".repeat(47));
  await eventually(() => answers.length > 0);
  expect(answers[0]).toStartWith("HTTP/1.1 ");
  slow.end();
});

test("clients that leave before their answer leave the server whole", async () => {
  const leaving = Array.from({ length: 50 }, async () => {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port: served.port, socket: { data() {} } });
    socket.write(get(PATH));
    socket.terminate();
  });
  await Promise.all(leaving);
});

test(`random bytes (seed ${SEED})`, async () => {
  const line = fc.oneof(
    fc.constantFrom(
      "GET ",
      "POST ",
      PATH,
      "?",
      " HTTP/1.1",
      "\r\n",
      "Host: x",
      "Content-Length: 3",
      "\0",
      ":",
      "%",
    ),
    fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  );
  const property = fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (parts) => {
    // A request that is not refused at once ends here.
    const { body } = await sendRaw(served.port, `${parts.join("")}\r\n${END}\r\n\r\n`);
    expectNoLeak(body);
  });
  await fc.assert(property, { seed: SEED, numRuns: runs(150) });
});
