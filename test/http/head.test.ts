// HEAD on everything that can be read, on every port: the status and headers of the GET, and no body.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { eventually } from "../support/eventually.ts";
import { borrowDevnet, returnDevnet } from "../support/shared-devnet.ts";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await borrowDevnet();
});
afterAll(returnDevnet);

const ID = "ab".repeat(32);
const PLAIN = ["/healthz", "/readyz", "/docs", "/docs/json", "/docs/swagger-ui.css"];
/** A port: where its document is, and what the document does not have. */
const PORTS = {
  data: {
    document: "/docs/json",
    more: [...PLAIN, "/", "/api/v2", "/metrics", "/status", "/health", "/lyra/v1/addresses"],
  },
  node: { document: "/docs/json", more: [...PLAIN, "/", "/health"] },
  faucet: { document: "/docs/json", more: ["/", "/docs", "/docs/json"] },
  tools: { document: "/devnet/docs/json", more: ["/devnet/", "/devnet/docs", "/devnet/docs/json"] },
} as const;
type Port = keyof typeof PORTS;
const urlOf = (port: Port): string =>
  ({ data: devnet.dataUrl, node: devnet.nodeUrl, faucet: devnet.faucetUrl, tools: devnet.nodeUrl })[port];

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
}

/** Every address of a port that is read: its path parameters, and those of the query that have an example. */
async function readableAddresses(port: Port): Promise<string[]> {
  const { document, more } = PORTS[port];
  const { paths } = (await (await fetch(new URL(document, urlOf(port)))).json()) as {
    paths: Record<string, { get?: { parameters?: Parameter[] } }>;
  };
  const addresses = Object.entries(paths).flatMap(([path, { get }]) => {
    if (get === undefined) return [];
    const examples = new Map(get.parameters?.map(({ name, example }) => [name, example]));
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(examples.get(name) ?? ID));
    const query = get.parameters?.filter((each) => each.in === "query" && each.example !== undefined) ?? [];
    const pairs = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
    return [pairs.length === 0 ? filled : `${filled}?${pairs.join("&")}`];
  });
  return [...addresses, ...more];
}

/** Headers that depend on the moment, and on whether the body came in pieces. */
const OF_THE_MOMENT = ["date", "transfer-encoding", "content-length", "connection"];

async function answerOf(url: string, method: string, send: Record<string, string> = {}) {
  const leaving = new AbortController();
  const response = await fetch(url, { method, headers: send, signal: leaving.signal, redirect: "manual" });
  const { status, headers } = response;
  const length = headers.get("content-length");
  const isStream = new URL(url).pathname.includes("/stream/");
  const body = isStream && method === "GET" ? "" : await response.text();
  leaving.abort();
  const shown = Object.fromEntries([...headers].filter(([name]) => !OF_THE_MOMENT.includes(name)));
  return { status, headers: shown, length, body };
}

describe.each(Object.keys(PORTS) as Port[])("on the %s port", (port) => {
  test("HEAD has the status and headers of GET, the length too where GET has one", async () => {
    const addresses = await readableAddresses(port);
    expect(addresses.length).toBeGreaterThan(PORTS[port].more.length);
    for (const address of addresses) {
      const url = new URL(address, urlOf(port)).href;
      const get = await answerOf(url, "GET");
      const head = await answerOf(url, "HEAD");
      const { status, headers } = head;
      expect({ address, status, headers }).toEqual({ address, status: get.status, headers: get.headers });
      expect(head.body).toBe("");
      // Texts that change from one request to the next.
      if (/metrics|status|statistics/.test(address)) continue;
      if (get.length !== null)
        expect({ address, length: head.length }).toEqual({ address, length: get.length });
    }
  });
});

test("HEAD is compressed, unchanged and of a page as the GET is", async () => {
  const url = `${devnet.dataUrl}/docs/json`;
  const { headers } = await answerOf(url, "GET");
  const cases: Record<string, string>[] = [
    { "accept-encoding": "gzip" },
    { "if-none-match": headers.etag! },
    { origin: "https://a.example" },
    { "x-min-height": "no height" },
  ];
  for (const send of cases) {
    for (const address of [url, `${devnet.dataUrl}/api/v2/network/parameters`]) {
      if (send["x-min-height"] !== undefined && address === url) continue;
      const get = await answerOf(address, "GET", send);
      const head = await answerOf(address, "HEAD", send);
      expect([send, head.status, head.headers]).toEqual([send, get.status, get.headers]);
      expect(head.length).toBe(get.length);
      expect(head.body).toBe("");
    }
  }
});

test("HEAD of a stream or an export leaves nothing open", async () => {
  const { dataUrl } = devnet;
  const party = "11".repeat(32);
  for (const path of [
    "stream/trades",
    "stream/event/bus",
    `ledgerentry/export?partyId=${party}&assetId=${ID}`,
  ]) {
    const { status, body } = await answerOf(`${dataUrl}/api/v2/${path}`, "HEAD");
    expect([path, status, body]).toEqual([path, 200, ""]);
  }
  await eventually(async () => {
    const metrics = await (await fetch(`${dataUrl}/metrics`)).text();
    return /^lyra_streams_open 0$/m.test(metrics) && /^lyra_exports_running 0$/m.test(metrics);
  });
});

test("HEAD never becomes a WebSocket", async () => {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-version": "13",
  };
  for (const [path, status] of [
    ["/api/v2/stream/trades", 200],
    ["/api/v2/assets", 200],
    ["/graphql?query=%7Bstatistics%7BchainId%7D%7D", 405],
  ] as const) {
    const answer = await answerOf(devnet.dataUrl + path, "HEAD", upgrade);
    expect([path, answer.status]).toEqual([path, status]);
  }
});

test("HEAD on what is only sent is refused as GET is", async () => {
  const targets = [
    [`${devnet.nodeUrl}/transaction/raw`, 501],
    [`${devnet.nodeUrl}/devnet/mine`, 501],
    [`${devnet.faucetUrl}/api/v1/mint`, 405],
  ] as const;
  for (const [url, status] of targets) {
    const head = await answerOf(url, "HEAD");
    expect([url, head.status, head.headers.allow]).toEqual([url, status, "POST"]);
  }
});
