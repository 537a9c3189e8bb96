// Every route of the node plane with good and bad input, over its own port and mounted on the data port; the
// documentation; random bodies (docs/protocol/30-node-api-transactions.md#1-transports and
// docs/protocol/30-node-api-endpoints.md#6-error-bodies).
import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ServerStatus } from "../../../src/http/status.ts";
import { serveData } from "../../../src/planes/data/app.ts";
import { mountedNode, serveNode } from "../../../src/planes/node/app.ts";
import { nodeOpenApiParts } from "../../../src/planes/node/openapi.ts";
import { NODE_ROUTES } from "../../../src/planes/node/plane.ts";
import { expectNoLeak, run } from "../../support/scenario.ts";
import { runs, SEED } from "../../support/seed.ts";
import { type Json, removeChains } from "../../support/small-chain.ts";
import { base64, PARTY, signedTransfer, smallNode } from "./small-node.ts";

const node = smallNode([[]], { minHeightWaitMs: 20 });
const server = serveNode(node.plane, { host: "127.0.0.1", port: 0 });
const data = serveData(node.data, new ServerStatus(), {
  host: "127.0.0.1",
  port: 0,
  mounted: mountedNode(node.plane, new ServerStatus()),
});
const bare = serveData(node.data, new ServerStatus(), { host: "127.0.0.1", port: 0 });
afterAll(async () => {
  await Promise.all([server.stop(), data.stop(), bare.stop()]);
  removeChains();
});

const NOT_FOUND = { code: 5, message: "Not Found", details: [] };
const WRONG_METHOD = { code: 12, message: "Method Not Allowed", details: [] };
const printed = (value: unknown) => JSON.stringify(value, undefined, 2);
const filled = (path: string) =>
  path.replace("{party_id}", PARTY).replace(/^\/votes$/, `/votes?party=${PARTY}`);
const reads = NODE_ROUTES.filter(({ method }) => method === "GET").map(({ path }) => filled(path));
const posts = NODE_ROUTES.filter(({ method }) => method === "POST").map(({ path }) => path);

test("all the routes of the protocol exist", () => {
  expect(NODE_ROUTES.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    "GET /accounts",
    "GET /assets",
    "GET /blockchain/height",
    "GET /delegations",
    "GET /markets",
    "GET /markets/data",
    "GET /network/limits",
    "GET /network/parameters",
    "GET /parties",
    "GET /parties/stake",
    "GET /proposals",
    "GET /statistics",
    "GET /statistics/spam/{party_id}",
    "GET /time",
    "GET /validators",
    "GET /votes",
    "POST /transaction",
    "POST /transaction/check",
    "POST /transaction/raw",
    "POST /transaction/raw/check",
  ]);
});

describe("every read, over the socket", () => {
  test.each(reads)(
    "%s",
    async (path) => {
      const json = { "content-type": "application/json" };
      const joined = path.includes("?") ? "&" : "?";
      const plain = await (await fetch(server.url + path)).text();
      await run(server.url, { name: "plain", get: path, status: 200, is: plain, headers: json });
      expect(plain).toBe(printed(JSON.parse(plain)));
      // Unknown parameters are ignored; the layout is always the same.
      await run(server.url, {
        name: "more",
        get: `${path}${joined}pretty&more=1&more=2`,
        status: 200,
        is: plain,
      });
      await run(server.url, {
        name: "a posted form is a GET",
        method: "POST",
        get: path,
        send: { "content-type": "application/x-www-form-urlencoded" },
        body: "more=1",
        status: 200,
        is: plain,
      });
      for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
        await run(server.url, { name: method, method, get: path, status: 501, is: printed(WRONG_METHOD) });
      }
      await run(server.url, { name: "HEAD", method: "HEAD", get: path, status: 200, is: "", headers: json });
      for (const query of ["%zz", "a;b", "%ff"]) {
        await run(server.url, {
          name: query,
          get: `${path}${joined}${query}`,
          status: 400,
          has: ['"code": 3'],
        });
      }
      await run(server.url, {
        name: "below",
        get: path,
        send: { "x-min-height": "99" },
        status: 412,
        has: ["99"],
      });
      await run(server.url, {
        name: "below, as a posted form",
        method: "POST",
        get: path,
        send: { "x-min-height": "99", "content-type": "application/x-www-form-urlencoded" },
        status: 412,
        has: ["99"],
      });
      await run(server.url, { name: "no height", get: path, send: { "x-min-height": "x" }, status: 400 });
      await run(server.url, {
        name: "height",
        get: path,
        send: { "x-min-height": "1" },
        status: 200,
        is: plain,
      });
    },
    120_000,
  );
});

describe("every read takes a parameter once and in bounds", () => {
  const cases = NODE_ROUTES.filter(({ path }) =>
    ["/accounts", "/assets", "/delegations", "/markets", "/parties/stake", "/proposals", "/votes"].includes(
      path,
    ),
  );
  const name = (path: string) =>
    ({ "/assets": "asset", "/markets": "market", "/proposals": "proposal" })[path] ?? "party";
  test.each(cases.map(({ path }) => path))("%s", async (path) => {
    const twice = `${path}?${name(path)}=a&${name(path)}=b`;
    await run(server.url, { name: "twice", get: twice, status: 400, has: ["too many values for field"] });
    const bracket = `${path}?${name(path)}[x]=b`;
    await run(server.url, { name: "bracket", get: bracket, status: 400, has: ["too many values"] });
    const long = `${path}?${name(path)}=${"a".repeat(15 * 1024)}`;
    await run(server.url, { name: "long", get: long, status: 400, has: ["longer than 15360 characters"] });
    const odd = ["%00", "'", "%22%20OR%201=1", "-1", "%F0%9F%98%80", "0x00", "null"];
    for (const value of odd) {
      await run(server.url, { name: value, get: `${path}?${name(path)}=${value}`, status: 200 });
    }
  });
});

describe("every submission, over the socket", () => {
  test.each(posts)("%s", async (path) => {
    for (const method of ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      await run(server.url, { name: method, method, get: path, status: 501, is: printed(WRONG_METHOD) });
    }
    await run(server.url, { name: "HEAD", method: "HEAD", get: path, status: 501, is: "" });
    for (const body of [
      "{",
      "[]",
      "7",
      '{"tx":7}',
      '{"tx":[]}',
      "\u0000",
      '{"tx":"é"}',
      '{"tx":{"version":"x"}}',
    ]) {
      await run(server.url, { name: body, method: "POST", get: path, body, status: 400, has: ['"code": 3'] });
    }
    const big = " ".repeat(2 * 1024 * 1024 + 1);
    const reasons = ["the request body is longer than 2097152 bytes"];
    await run(server.url, { name: "big", method: "POST", get: path, body: big, status: 413, has: reasons });
    const huge = await fetch(server.url + path, { method: "POST", body: " ".repeat(4 * 1024 * 1024 + 1) });
    expect(huge.status).toBe(413);
  });
});

describe("paths", () => {
  const errors = [
    "/nope",
    "/transaction/",
    "/transaction/raw/check/x",
    "/Time",
    "/time/",
    "/statistics/spam",
  ];
  test.each(errors)("%s is 404", async (get) => {
    await run(server.url, { name: get, get, status: 404, is: printed(NOT_FOUND) });
    await run(server.url, {
      name: get,
      method: "POST",
      get,
      body: "{}",
      status: 404,
      is: printed(NOT_FOUND),
    });
  });
  test("an escaped path is the path", () => run(server.url, { name: "", get: "/%74ime", status: 200 }));
  test("a bad escape is 404", () => run(server.url, { name: "", get: "/%zz", status: 404 }));
  test("health", () => run(server.url, { name: "", get: "/health", status: 200, is: "ok" }));
});

describe("other origins", () => {
  test("may read every answer, errors too", async () => {
    for (const get of ["/time", "/nope", "/votes"]) {
      const headers = { "access-control-allow-origin": "http://a.example" };
      const { status } = await fetch(server.url + get);
      await run(server.url, { name: get, get, send: { origin: "http://a.example" }, status, headers });
    }
  });
  test("may ask first", () =>
    run(server.url, {
      name: "preflight",
      method: "OPTIONS",
      get: "/transaction/raw",
      send: {
        origin: "http://a.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
      },
      status: 204,
      headers: { "access-control-allow-methods": "POST", "access-control-allow-headers": "Content-Type" },
    }));
});

describe("mounted on the data port", () => {
  test.each(reads)("%s: the same answer, compact unless ?pretty", async (path) => {
    if (path === "/statistics") node.chain.tell({ startedNs: 1n });
    const want = (await (await fetch(server.url + path)).json()) as Json;
    await run(data.url, { name: path, get: path, status: 200, is: JSON.stringify(want) });
    const pretty = `${path}${path.includes("?") ? "&" : "?"}pretty`;
    await run(data.url, { name: path, get: pretty, status: 200, is: JSON.stringify(want, undefined, 1) });
  });

  test("every answer of the service says how far the store is, of a submission and an error too", async () => {
    const assets = await fetch(`${data.url}/api/v2/assets`);
    const blockHeaders = (response: Response) =>
      ["x-block-height", "x-block-timestamp"].map((name) => response.headers.get(name));
    const store = blockHeaders(assets);
    expect(store[0]).toMatch(/^[1-9]\d*$/);
    for (const path of reads)
      expect([path, blockHeaders(await fetch(data.url + path))]).toEqual([path, store]);
    const body = JSON.stringify({ tx: base64(signedTransfer(78n)) });
    const checked = await fetch(`${data.url}/transaction/raw/check`, { method: "POST", body });
    expect([checked.status, blockHeaders(checked)]).toEqual([200, store]);
    const large = JSON.stringify({ tx: base64(new Uint8Array(1_048_577)), type: "TYPE_SYNC" });
    const refused = await fetch(`${data.url}/transaction/raw`, { method: "POST", body: large });
    expect([refused.status, blockHeaders(refused)]).toEqual([500, store]);
    const unread = await fetch(`${data.url}/transaction/raw`, { method: "POST", body: "{" });
    expect([unread.status, blockHeaders(unread)]).toEqual([400, [null, null]]);
    // The core knows of no store.
    expect(blockHeaders(await fetch(`${server.url}/statistics`))).toEqual([null, null]);
  });

  test("given a chain whose news come after its block, then the height is that of the answer", async () => {
    const { height, timeNs } = node.chain.status;
    node.chain.tell({ height: 0, timeNs: 7_000n });
    const early = await fetch(`${data.url}/blockchain/height`);
    node.chain.tell({ height, timeNs });
    expect(((await early.json()) as Json).height).toBe("0");
    expect(early.headers.get("x-block-height")).toBe("0");
    expect(early.headers.get("x-block-timestamp")).toBe("7000");
  });

  test("submissions go in there too, up to the same size", async () => {
    const submit = async (bytes: Uint8Array) => {
      const body = JSON.stringify({ tx: base64(bytes), type: "TYPE_SYNC" });
      const response = await fetch(`${data.url}/transaction/raw`, { method: "POST", body });
      return { status: response.status, text: await response.text() };
    };
    const accepted = await submit(signedTransfer(77n));
    expect(accepted.status).toBe(200);
    expect(accepted.text).toStartWith('{"success":true,"txHash":"');
    const large = await submit(new Uint8Array(1_048_577));
    expect(large).toMatchObject({ status: 500 });
    expect(large.text).toContain("Tx too large. Max size is 1048576, but got 1048577");
  });

  test("errors have the data port's layout, and its own resources are as before", async () => {
    await run(data.url, { name: "", get: "/transaction/raw", status: 501, is: JSON.stringify(WRONG_METHOD) });
    await run(data.url, { name: "", get: "/nope", status: 404, is: JSON.stringify(NOT_FOUND) });
    await run(data.url, { name: "", get: "/api/v2/assets", status: 200, has: ['"edges":[]'] });
  });

  test("a data port without a node does not have them", async () => {
    for (const get of reads)
      await run(bare.url, { name: get, get, status: 404, is: JSON.stringify(NOT_FOUND) });
  });
});

describe("the documentation", () => {
  test("holds every route, and every operation has a described group", async () => {
    const document = (await node.ask("/docs/json")).body;
    expect(document.openapi).toBe("3.1.0");
    const described = new Set(document.tags.map((tag: Json) => tag.name));
    const documented: string[] = [];
    for (const [path, item] of Object.entries(document.paths as Json)) {
      for (const [method, operation] of Object.entries(item as Json)) {
        documented.push(`${method.toUpperCase()} ${path}`);
        const { tags, summary, parameters } = operation as Json;
        expect(summary.length).toBeGreaterThan(3);
        for (const tag of tags) expect(described).toContain(tag);
        for (const parameter of parameters) expect(parameter.description).not.toBe("");
      }
    }
    const routes = NODE_ROUTES.map(({ method, path }) => `${method} ${path}`);
    const service = ["/lyra/v1/state", "/health", "/healthz", "/readyz", "/docs", "/docs/json"].map(
      (path) => `GET ${path}`,
    );
    expect(documented.sort()).toEqual([...routes, ...service].sort());
  });

  test("says of what is read, and of nothing that is sent, that it waits for a height", () => {
    const { components, ...parts } = nodeOpenApiParts();
    const paths: Json = parts.paths;
    expect(Object.keys(components.parameters)).toEqual(["MinHeight", "Strict"]);
    for (const { method, path } of NODE_ROUTES) {
      const { get, post } = paths[path]!;
      const { parameters, responses } = (method === "GET" ? get : post)!;
      const waits = parameters.some(({ $ref }: Json) => $ref?.endsWith("/MinHeight"));
      expect({ path, waits, has412: "412" in responses }).toEqual({
        path,
        waits: method === "GET",
        has412: method === "GET",
      });
    }
  });

  test("refers only to what is there", () => {
    const parts = nodeOpenApiParts();
    const text = JSON.stringify(parts);
    for (const [, path] of text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)) {
      const [kind, name] = path!.split("/") as [keyof typeof parts.components, string];
      expect(Object.keys(parts.components[kind])).toContain(name);
    }
  });

  test("the page names no other host", async () => {
    const page = await node.ask("/docs");
    expect(page.status).toBe(200);
    expect(page.text).not.toContain("://");
  });
});

describe("random bodies", () => {
  const good = base64(signedTransfer(5n));
  const inside = fc.oneof(
    fc.constantFrom(
      good,
      good.slice(0, 40),
      good.slice(0, 41),
      "",
      "AA==",
      "=",
      "A",
      "é",
      null,
      1,
      -0.5,
      true,
    ),
    fc.string({ maxLength: 40 }),
    fc.base64String({ maxLength: 80 }),
    fc.uint8Array({ maxLength: 60 }).map(base64),
    fc.jsonValue({ maxDepth: 4 }),
  );
  const transaction = fc.record(
    {
      inputData: inside,
      input_data: inside,
      signature: fc.oneof(
        inside,
        fc.record({ value: inside, algo: inside, version: inside }, { requiredKeys: [] }),
      ),
      pubKey: inside,
      address: inside,
      version: fc.oneof(inside, fc.constantFrom("TX_VERSION_V3", 3, 2, 1)),
      pow: fc.oneof(inside, fc.record({ tid: inside, nonce: inside }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  );
  const request = fc.record(
    {
      tx: fc.oneof(inside, transaction),
      type: fc.oneof(inside, fc.constantFrom("TYPE_SYNC", 2, "TYPE_COMMIT", 9)),
    },
    { requiredKeys: [] },
  );
  const deep = fc.integer({ min: 0, max: 5_000 }).map((n) => `{"tx":${"[".repeat(n)}${"]".repeat(n)}}`);
  const body = fc.oneof(
    { weight: 6, arbitrary: request.map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: fc.tuple(request, fc.nat(200)).map(([v, n]) => JSON.stringify(v).slice(0, n)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
    { weight: 1, arbitrary: deep },
  );
  const type = fc.constantFrom(
    "application/json",
    "text/plain",
    "application/grpc",
    "multipart/form-data; boundary=x",
  );

  test("are answered by a verdict or an error object, and tell nothing of the inside", async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...posts), body, type, async (path, sent, contentType) => {
        const answer = await node.post(`${path}?details=true`, sent, { "content-type": contentType });
        seen.add(answer.status);
        expectNoLeak(answer.text.replaceAll(/"[^"]*\\u[^"]*"/g, '""'));
        if (answer.status === 200) {
          expect(typeof answer.body.success).toBe("boolean");
          expect(answer.body.success).toBe(answer.body.code === 0);
          if (!answer.body.success) expect(answer.body.details.rule).toMatch(/^[a-z_]+$/);
          return;
        }
        expect(Object.keys(answer.body)).toEqual(["code", "message", "details"]);
        // A 500 is only ever the chain's or the codec's own word, with its detail.
        if (answer.status === 500) expect(answer.body.details).toMatchObject([{ code: 10000 }]);
        else expect([400, answer.body.code]).toEqual([answer.status, 3]);
        expect(answer.text.length).toBeLessThan(2_000);
      }),
      { seed: SEED, numRuns: runs(400) },
    );
    // The rig reaches verdicts and errors. Now and then it sends the good transaction twice, which the chain answers with 500.
    seen.delete(500);
    expect([...seen].sort()).toEqual([200, 400]);
  });
});
