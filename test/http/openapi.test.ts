// The OpenAPI document: complete, described, and true of the answers over the sample recording.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ASSET, PARTY, VALIDATORS } from "../../scripts/sample/cast.ts";
import { Governance } from "../../scripts/sample/governance.ts";
import { COMET, dataSources, METEOR } from "../../scripts/sample/market-config.ts";
import type { Operation, Parameter, Response as ResponseObject } from "../../src/http/openapi/types.ts";
import { DATA_ENDPOINTS } from "../../src/planes/data/endpoints.ts";
import { openSample } from "../support/sample-app.ts";
import { type OpenApiDocument, SchemaValidator } from "../support/schema-validator.ts";

interface Document {
  openapi: string;
  tags: { name: string; description: string }[];
  paths: Record<string, { get: Operation }>;
  components: Record<"schemas" | "parameters" | "headers" | "responses", Record<string, never>>;
}

/** Routes that are not for people: the parts of the documentation's page, and what takes everything else. */
/** Of an archive, which has an answer for parts of it. */
const RANGES = new Set(["206", "304", "416"]);
const UNDOCUMENTED = new Set([
  "/",
  "/api/v2",
  "/docs/",
  "/docs/swagger-ui.js",
  "/docs/swagger-ui.css",
  "/page/{}",
  "/*",
]);
/** Resources that the sample store leaves empty, and why. */
const EMPTY = new Set([
  // Made by the history thread of a running node.
  "/api/v2/networkhistory/segments",
  // There is no swarm.
  "/api/v2/networkhistory/bootstrap",
  // No upgrade was agreed on.
  "/api/v2/upgrade/status",
]);

let home: string;
let sample: Awaited<ReturnType<typeof openSample>>;
let document: Document;
let validator: SchemaValidator | undefined;
let operations: [path: string, operation: Operation][];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "lyra-openapi-"));
  sample = await openSample(home);
  document = (await get("/docs/json")).body as Document;
  operations = Object.entries(document.paths).map(([path, item]) => [path, item.get]);
});

afterAll(() => {
  sample?.close();
  rmSync(home, { recursive: true, force: true });
});

async function get(path: string): Promise<{ status: number; body: unknown }> {
  const response = await sample.app.handle(new Request(`http://localhost${path}`));
  return { status: response.status, body: await response.json() };
}

describe("the document", () => {
  test("is OpenAPI 3.1 and holds every route that is served", () => {
    expect(document.openapi).toBe("3.1.0");
    const served = sample.app.routes
      .map((route) => route.path)
      // A path without its parameter says so.
      .map((path) => path.replace(/:(\w+)/g, "{}"))
      .filter((path) => !UNDOCUMENTED.has(path) && !/\/(?:\/|$)/.test(path));
    const documented = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, "{}"));
    expect([...new Set(served)].sort()).toEqual(documented.sort());
  });

  test("names every operation once, in a group that is described", () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const described = new Map(document.tags.map(({ name, description }) => [name, description]));
    for (const [, { tags, summary }] of operations) {
      expect(summary.length).toBeGreaterThan(3);
      for (const tag of tags) expect(described.get(tag)?.length ?? 0).toBeGreaterThan(10);
    }
  });

  test("describes every parameter, header and response", () => {
    const bare: string[] = [];
    for (const [path, { parameters, responses }] of operations) {
      for (const parameter of parameters.map((p) => resolve<Parameter>(p)))
        if (parameter.description.trim() === "") bare.push(`${path} ${parameter.name}`);
      for (const [status, response] of Object.entries(responses)) {
        const { description, headers } = resolve<ResponseObject>(response);
        if (description.trim() === "") bare.push(`${path} ${status}`);
        for (const [name, header] of Object.entries(headers ?? {}))
          if (!resolve<{ description?: string }>(header).description) bare.push(`${path} ${status} ${name}`);
      }
    }
    expect(bare).toEqual([]);
  });

  test("has every parameter of the request once, the path's among them", () => {
    for (const [path, { parameters }] of operations) {
      const names = parameters.map((p) => resolve<Parameter>(p).name);
      expect(new Set(names).size).toBe(names.length);
      for (const [, name] of path.matchAll(/\{(\w+)\}/g)) expect(names).toContain(name!);
    }
  });

  test("says of exports too that they wait for a height", () => {
    for (const path of ["/api/v2/networkhistory/export", "/api/v2/ledgerentry/export"]) {
      const { parameters, responses } = document.paths[path]!.get;
      expect(parameters.map((p) => resolve<Parameter>(p).name)).toContain("X-Min-Height");
      const errors = ["400", "412", "413", "429", "500", "501", "503"];
      expect(Object.keys(responses).filter((status) => !RANGES.has(status))).toEqual(["200", ...errors]);
    }
  });

  test("refers only to what is there", () => {
    const missing: string[] = [];
    visit(document, (value) => {
      if (typeof value.$ref === "string" && lookUp(value.$ref) === undefined) missing.push(value.$ref);
    });
    expect(missing).toEqual([]);
  });

  test("tells of the errors and of the block an answer was read at", () => {
    const { responses } = document.paths["/api/v2/assets"]!.get;
    expect(Object.keys(responses)).toEqual(["200", "400", "404", "412", "413", "429", "500", "501", "503"]);
    for (const [status, response] of Object.entries(responses)) {
      const retry = status === "429" || status === "503" ? ["Retry-After"] : [];
      expect(Object.keys(resolve<ResponseObject>(response).headers ?? {})).toEqual([
        "X-Block-Height",
        "X-Block-Timestamp",
        "X-History-From",
        ...retry,
      ]);
    }
  });
});

/** Values for paths and queries that need to name something of the sample. */
const WITHDRAWAL = "withdrawal";
const ARGUMENTS: Readonly<Record<string, string>> = {
  "/api/v2/asset/{asset_id}": ASSET.pearl,
  "/api/v2/node/{id}": VALIDATORS[0].id,
  "/api/v2/network/parameters/{key}": "transfer.fee.factor",
  "/api/v2/market/{market_id}": COMET.id,
  "/api/v2/market/data/{market_id}/latest": COMET.id,
  "/api/v2/market/data/{market_id}": `${COMET.id}?startTimestamp=1767603600000000000&endTimestamp=1767607200000000000`,
  "/api/v2/market/depth/{market_id}/latest": COMET.id,
  "/api/v2/market/{market_id}/trade/latest": METEOR.id,
  "/api/v2/oracle/spec/{oracle_spec_id}": dataSources(METEOR).settlement.id,
  "/api/v2/party/{party_id}": PARTY.founder,
  "/api/v2/parties/{party_id}/stake": PARTY.founder,
  "/api/v2/node/signatures": `?id=${ASSET.pearl}`,
  "/api/v2/votes": `?partyId=${PARTY.founder}`,
  "/api/v2/governance": `?proposalId=${COMET.id}`,
  "/api/v2/candle/intervals": `?marketId=${COMET.id}`,
  "/api/v2/estimate/fee": `?marketId=${COMET.id}&price=100&size=1`,
  "/api/v2/estimate/margin": `?marketId=${COMET.id}&side=SIDE_SELL&size=1&price=100`,
  "/api/v2/estimate/position": `?marketId=${COMET.id}&openVolume=-5&collateralAvailable=1000`,
  "/api/v2/candle": `?candleId=trades_candle_5_minutes_${COMET.id}&fromTimestamp=0&toTimestamp=0`,
  "/api/v2/liquidity/provisions": `?marketId=${COMET.id}`,
  "/api/v2/erc20/asset/list/bundle": `?assetId=${ASSET.pearl}`,
  "/api/v2/erc20/asset/limits/bundle": `?proposalId=${Governance.idOf("pearl limits")}`,
  "/api/v2/rewards": `?partyId=${PARTY.founder}`,
  "/api/v2/ledgerentry/history": `?filter.fromAccountFilter.partyIds=${PARTY.treasury}`,
};
/** Paths that need an id which a list tells: the list, and the way to the first id in it. */
const FROM_LIST: Readonly<Record<string, readonly [list: string, member: string, use: string]>> = {
  "/api/v2/deposit/{id}": ["/api/v2/deposits", "deposits", ""],
  "/api/v2/withdrawal/{id}": ["/api/v2/withdrawals", "withdrawals", ""],
  "/api/v2/order/{order_id}": ["/api/v2/orders", "orders", ""],
  "/api/v2/order/versions/{order_id}": ["/api/v2/orders", "orders", ""],
  "/api/v2/erc20/asset/withdrawal/bundle": [
    `/api/v2/withdrawals?partyId=${PARTY.founder}`,
    "withdrawals",
    `?${WITHDRAWAL}Id=`,
  ],
};

async function sampleUrl(path: string, canonical: string): Promise<string> {
  const from = FROM_LIST[canonical];
  const argument = from ? from[2] + (await firstId(from[0], from[1])) : (ARGUMENTS[canonical] ?? "");
  return path.includes("{") ? path.replace(/\{\w+\}/, argument) : path + argument;
}

/** Keeps a query that stands behind a path's argument at the end of the path. */
function tidy(url: string): string {
  const [, before, query, after] = /^([^?]*)(\?[^/]*)?(\/.*)?$/.exec(url)!;
  return before! + (after ?? "") + (query ?? "");
}

async function firstId(list: string, member: string): Promise<string> {
  const { body } = await get(list);
  const connection = (body as Record<string, { edges: { node: { id: string } }[] }>)[member]!;
  return connection.edges[0]!.node.id;
}

describe("requests that are tried", () => {
  test("every example is answered with 200", async () => {
    const pressed: string[] = [];
    const refused: string[] = [];
    for (const [path, { parameters }] of operations) {
      const url = exampleUrl(
        path,
        parameters.map((p) => resolve<Parameter>(p)),
      );
      if (url === undefined) continue;
      pressed.push(path);
      // No load has ended here; how it answers a running node is tested with nodes.
      if (path === "/readyz") continue;
      const { status, body } = await sample.app.handle(new Request(`http://localhost${url}`));
      // Streams do not end by themselves.
      await body?.cancel();
      if (status !== 200) refused.push(`${status} ${url}`);
    }
    expect(refused).toEqual([]);
    // The sample store has no segments, which a running node makes. The page's own reads are tried in test/planes/explorer.
    const missing = operations.map(([path]) => path).filter((path) => !pressed.includes(path));
    expect(missing.sort()).toEqual([
      "/api/v2/networkhistory/export",
      "/lyra/v1/history/image/{id}",
      "/lyra/v1/history/segments/{id}",
      "/lyra/v1/markets/{id}/auctions",
      "/lyra/v1/transactions/{hash}",
    ]);
  });

  test("a read that is posted as a form is answered as the query is", async () => {
    for (const { path } of DATA_ENDPOINTS) {
      const { parameters } = document.paths[path]!.get;
      const url = exampleUrl(
        path,
        parameters.map((p) => resolve<Parameter>(p)),
      )!;
      const [pathname, query = ""] = url.split("?");
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const posted = new Request(`http://localhost${pathname}`, { method: "POST", headers, body: query });
      const byForm = await sample.app.handle(posted);
      const body = await textOf(url);
      expect({ path, status: byForm.status, body: await byForm.text() }).toEqual({ path, status: 200, body });
    }
  });

  test("a height is bounded as the server bounds it", () => {
    const { schema } = document.components.parameters.MinHeight as unknown as Parameter;
    expect(schema).toMatchObject({ type: "integer", minimum: 0, maximum: 999_999_999_999_999 });
  });
});

async function textOf(url: string): Promise<string> {
  return (await sample.app.handle(new Request(`http://localhost${url}`))).text();
}

/** The address that is asked when nothing is filled in; undefined when that cannot be tried. */
function exampleUrl(path: string, parameters: readonly Parameter[]): string | undefined {
  const query = new URLSearchParams();
  let url = path;
  for (const { name, in: place, required, example } of parameters) {
    if (example === undefined && required) return undefined;
    if (example === undefined) continue;
    if (place === "path") url = url.replace(`{${name}}`, encodeURIComponent(String(example)));
    else for (const value of [example].flat()) query.append(name, String(value));
  }
  return query.size > 0 ? `${url}?${query}` : url;
}

describe("the answers over the sample are what the document says", () => {
  for (const endpoint of DATA_ENDPOINTS) {
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      test(path, async () => {
        const { status, body } = await get(tidy(await sampleUrl(path, endpoint.path)));
        expect({ path, status, message: (body as { message?: string }).message }).toMatchObject({
          status: 200,
        });
        expect(check(path, "200", body)).toEqual([]);
        if (!EMPTY.has(endpoint.path)) expect(hasContent(body)).toBe(true);
      });
    }
  }

  test("errors too", async () => {
    for (const [url, path, status] of [
      ["/api/v2/assets?pagination.first=x", "/api/v2/assets", 400],
      [`/api/v2/asset/${"00".repeat(32)}`, "/api/v2/asset/{asset_id}", 404],
    ] as const) {
      const answer = await get(url);
      expect(answer.status).toBe(status);
      expect(check(path, String(status), answer.body)).toEqual([]);
    }
  });

  test("those of exports, which come in two forms", async () => {
    for (const [path, query] of [
      ["/api/v2/networkhistory/export", ""],
      ["/api/v2/networkhistory/export", "?fromBlock=x"],
      ["/api/v2/networkhistory/export", "?manifest=7"],
      ["/api/v2/ledgerentry/export", ""],
      ["/api/v2/ledgerentry/export", "?dateRange.startTimestamp=x"],
    ] as const) {
      const { status, body } = await get(path + query);
      expect({ path, query, status, faults: check(path, "400", body) }).toEqual({
        path,
        query,
        status: 400,
        faults: [],
      });
    }
    expect(check("/api/v2/ledgerentry/export", "400", { message: "no" })).not.toEqual([]);
  });

  test("and an answer that is something else is seen", () => {
    expect(check("/api/v2/assets", "200", { assets: { edges: [{ node: 1, cursor: "" }] } })).toEqual([
      "/assets: must have required property 'pageInfo' (pageInfo)",
      "/assets/edges/0/node: must be object",
    ]);
  });
});

/** Whether there is a row, or a value that is not the empty one of its kind. */
function hasContent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value === null || value === "" || value === 0 || value === "0" || value === false) return false;
  if (typeof value !== "object") return true;
  const members = value as Record<string, unknown>;
  if (Array.isArray(members.edges)) return members.edges.length > 0;
  return Object.values(members).some(hasContent);
}

function check(path: string, status: string, body: unknown): string[] {
  validator ??= new SchemaValidator(document as unknown as OpenApiDocument);
  return validator.check("get", path, status, body);
}

function resolve<T>(part: unknown): T {
  const { $ref } = part as { $ref?: string };
  return ($ref === undefined ? part : lookUp($ref)) as T;
}

function lookUp(ref: string): unknown {
  let node: unknown = document;
  for (const part of ref.replace("#/", "").split("/")) node = (node as Record<string, unknown>)?.[part];
  return node;
}

function visit(value: unknown, see: (value: Record<string, unknown>) => void): void {
  if (typeof value !== "object" || value === null) return;
  see(value as Record<string, unknown>);
  for (const member of Object.values(value)) visit(member, see);
}
