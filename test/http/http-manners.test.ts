// HTTP's rules for every port: hosts, bodies, methods, trailers, and where the documents are.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { acceptedForm } from "../../src/http/accept.ts";
import { borrowDevnet, returnDevnet } from "../support/shared-devnet.ts";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await borrowDevnet();
});
afterAll(returnDevnet);

/** A port, a GET that it has, a POST that reads a body, and a body that is too long for it. */
const PORTS = {
  data: { read: "/api/v2/vega/time", post: "/api/v2/assets", tooLong: 70_000 },
  node: { read: "/time", post: "/transaction/raw", tooLong: 2_200_000 },
  faucet: { read: "/api/v1/health", post: "/api/v1/mint", tooLong: 5_000 },
  tools: { read: "/devnet/status", post: "/devnet/mine", tooLong: 1_100_000 },
} as const;
type Port = keyof typeof PORTS;
const ports = Object.keys(PORTS) as Port[];

const urlOf = (port: Port): URL =>
  new URL(
    { data: devnet.dataUrl, node: devnet.nodeUrl, faucet: devnet.faucetUrl, tools: devnet.nodeUrl }[port],
  );

/** Everything that comes back until the server closes, or for a while. */
function raw(port: Port, text: string, waitMs = 250): Promise<{ text: string; isClosed: boolean }> {
  return new Promise((resolve) => {
    const socket = connect(Number(urlOf(port).port), "127.0.0.1");
    let received = "";
    const end = (isClosed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text: received, isClosed });
    };
    // real time: bounds the wait for a connection that stays open
    const timer = setTimeout(() => end(false), waitMs);
    socket.on("data", (bytes) => {
      received += bytes;
    });
    socket.on("end", () => end(true));
    socket.on("error", () => end(true));
    socket.write(text);
  });
}

const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
const FORM = "Content-Type: application/x-www-form-urlencoded";

describe.each(ports)("the %s port", (port) => {
  const { read, post, tooLong } = PORTS[port];

  test("two Host headers are a 400, equal ones too; one is served", async () => {
    const close = "Connection: close\r\n\r\n";
    for (const second of ["b", "localhost"]) {
      const request = `GET ${read} HTTP/1.1\r\nHost: localhost\r\nHost: ${second}\r\n${close}`;
      expect(statusOf((await raw(port, request, 2_000)).text)).toBe(400);
    }
    const good = `GET ${read} HTTP/1.1\r\nHost: localhost\r\n${close}`;
    expect(statusOf((await raw(port, good, 2_000)).text)).toBe(200);
  });

  test("a body beyond the limit is a 413 in the form of the port's errors, announced or not", async () => {
    const url = new URL(post, urlOf(port));
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = " ".repeat(tooLong);
    const announced = await fetch(url, { method: "POST", headers, body });
    expect(announced.status).toBe(413);
    const text = await announced.text();
    expect(text).toContain("the request body is longer than");
    const pieces = new Blob([body]).stream();
    const inPieces = await fetch(url, {
      method: "POST",
      headers,
      body: pieces,
      duplex: "half",
    } as RequestInit);
    expect(inPieces.status).toBe(413);
  });

  test("after a body in pieces the connection is closed: trailers are no next request", async () => {
    for (const trailer of ["", "X-Sum: 1\r\n"]) {
      const head = `POST ${post} HTTP/1.1\r\nHost: localhost\r\n${FORM}\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const { text, isClosed } = await raw(port, `${head}2\r\n{}\r\n0\r\n${trailer}\r\n`, 2_000);
      expect(isClosed).toBe(true);
      expect(text.split("\r\n\r\n")[0]!.toLowerCase()).toContain("\r\nconnection: close");
    }
  });

  test.each(["DELETE", "PUT", "OPTIONS", "PATCH"])(
    "%s is refused with the methods there are",
    async (method) => {
      const refused = await fetch(new URL(read, urlOf(port)), { method });
      expect(refused.status).toBe(port === "faucet" ? 405 : 501);
      expect(refused.headers.get("allow")?.split(", ")).toContain("GET");
      const posted = await fetch(new URL(post, urlOf(port)), {
        method: method === "OPTIONS" ? "PUT" : method,
      });
      expect(posted.headers.get("allow")?.split(", ")).toContain("POST");
    },
  );
});

test.each(["/metrics", "/readyz", "/healthz", "/docs", "/docs/json", "/"])(
  "DELETE %s: 501, with the methods there are",
  async (path) => {
    const refused = await fetch(devnet.dataUrl + path, { method: "DELETE" });
    expect([refused.status, refused.headers.get("allow")]).toEqual([501, "GET, HEAD"]);
  },
);

test.each([
  ["data", "/"],
  ["data", "/api/v2"],
  ["node", "/"],
  ["faucet", "/"],
] as const)("the %s port's %s says where the documents are, and they are there", async (port, path) => {
  const { title, docs, openapi } = (await (await fetch(new URL(path, urlOf(port)))).json()) as Record<
    string,
    string
  >;
  expect(title).toContain("Lyra");
  const page = await fetch(new URL(docs!, urlOf(port)));
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const document = (await (await fetch(new URL(openapi!, urlOf(port)))).json()) as { openapi: string };
  expect(document.openapi).toStartWith("3.1");
});

describe("Accept", () => {
  test.each([
    [null, "normal"],
    ["application/json", "normal"],
    ["application/json+stream", "stream"],
    ["application/json+stream, */*", "stream"],
    ["*/*, application/json+stream", "normal"],
    ["application/json;q=0.9, application/json+pretty", "pretty"],
    ["application/json+stream;q=0.1, */*;q=0.2", "normal"],
    ["text/html, application/json+stream;q=0.5", "stream"],
    ["application/json+stream;q=0", "normal"],
    ["text/html+x", "normal"],
  ] as const)("%p is the form %s", (accept, form) => expect(acceptedForm(accept)).toBe(form));

  test("a list is understood by resources and by the export", async () => {
    const headers = { accept: "application/json+stream, */*" };
    const empty = await fetch(`${devnet.dataUrl}/api/v2/rewards/summaries`, { headers });
    expect(await empty.text()).toBe("{}");
    const refused = await fetch(`${devnet.dataUrl}/api/v2/nothing`, { headers });
    expect(await refused.text()).toBe('{"code":5,"message":"Not Found"}');
  });
});
