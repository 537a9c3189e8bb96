// The documents of faucet, wallet and devnet tools: each on its own port, linked from the others, described to the
// last member, true of the answers, and with examples that work.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { documentText as cliDocument } from "../scripts/generate-cli.ts";
import { tableText } from "../scripts/generate-tools.ts";
import type { Operation } from "../src/http/openapi/types.ts";
import { openApiParts } from "../src/planes/data/openapi.ts";
import { devnetTools } from "../src/planes/devnet/app.ts";
import { TOOL_LIST } from "../src/planes/devnet/declarations.ts";
import { faucetApp } from "../src/planes/faucet/app.ts";
import { nodeOpenApiParts } from "../src/planes/node/openapi.ts";
import { METHOD_NAMES } from "../src/wallet/service/service.ts";
import { fakeChain } from "./devnet/fake-chain.ts";
import { type OpenApiDocument, SchemaValidator } from "./support/schema-validator.ts";
import { Rig } from "./wallet/service/rig.ts";

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

const PARTY = "0a".repeat(32);
const rig = await Rig.start();
afterAll(() => rig.stop());

const faucet = faucetApp(
  { asset: async () => ({ mintMax: 1_000n }), deposit: async () => "id" },
  { nowMs: () => 1_000_000 },
);
const parties = [{ name: "alice", publicKey: PARTY, balances: [{ symbol: "tUSD", asset: "0b".repeat(32) }] }];
const tools = devnetTools({
  chain: fakeChain().chain,
  parties: () => ({ parties, assets: [{ id: "0b".repeat(32), symbol: "tUSD" }] }),
  story: async () => undefined,
  read: () => undefined,
});

const SERVERS: Record<
  string,
  { readonly page: string; readonly ask: Ask; readonly routes: readonly string[] }
> = {
  faucet: {
    page: "/docs",
    ask: (path, init) => faucet.handle(new Request(`http://127.0.0.1${path}`, init)),
    routes: ["POST /api/v1/mint", "GET /api/v1/health"],
  },
  wallet: {
    page: "/docs",
    ask: async (path, init) =>
      rig.running.fetch(
        new Request(`http://127.0.0.1:1789${path}`, {
          ...init,
          headers: { host: "127.0.0.1:1789", origin: "http://127.0.0.1:1789", ...init?.headers },
        }),
      ),
    routes: ["POST /api/v2/requests", "GET /api/v2/methods", "GET /api/v2/health"],
  },
  devnet: {
    page: "/devnet/docs",
    ask: async (path, init) =>
      tools.answer(
        new Request(`http://127.0.0.1:3003${path}`, { ...init, headers: { host: "127.0.0.1:3003" } }),
        "127.0.0.1",
      ),
    routes: [
      ...TOOL_LIST.map(({ method, path }) => `${method} /devnet/${path}`),
      "GET /devnet/",
      "POST /api/v1/forwardtime",
    ],
  },
};

describe.each(Object.keys(SERVERS))("the document of the %s", (name) => {
  const { page, ask, routes } = SERVERS[name]!;
  const read = async () => (await (await ask(`${page}/json`)).json()) as OpenApiDocument;

  test("is served with a page beside the resources", async () => {
    const html = await ask(page);
    expect(html.status).toBe(200);
    expect(html.headers.get("content-security-policy")).toContain("default-src 'none'");
    const text = await html.text();
    expect(text).not.toContain("://");
    for (const [, path] of text.matchAll(/(?:src|href)="(\/[^"]+)"/g))
      expect((await ask(path!)).status).toBe(200);
    expect((await read()).openapi).toBe("3.1.0");
  });

  test("holds every route", async () => {
    const { paths } = await read();
    const documented = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual([...routes].sort());
  });

  test("describes every member, all the way down", async () => {
    const bare: string[] = [];
    const visit = (value: unknown, at: string): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        if (key === "properties") {
          for (const [member, schema] of Object.entries(inner as object))
            if (!schema.description && !schema.$ref) bare.push(`${at}.${member}`);
        }
        visit(inner, `${at}.${key}`);
      }
    };
    visit(await read(), "");
    expect(bare).toEqual([]);
  });

  test("its examples work, and the answers are what it says", async () => {
    const document = await read();
    const validator = new SchemaValidator(document);
    let pressed = 0;
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(item) as [string, Operation][]) {
        const body = operation.requestBody?.content["application/json"];
        const isEmpty = Object.keys((body?.example as object | undefined) ?? {}).length === 0;
        // This chain is a fake without markets.
        if (path.startsWith("/devnet/market/")) continue;
        // A body that has to name what only its user knows has no example.
        if (body && isEmpty && (body.schema.required?.length || body.schema.properties === undefined))
          continue;
        const response = await ask(path, {
          method: method.toUpperCase(),
          ...(body && { body: JSON.stringify(body.example) }),
        });
        expect({ path, status: response.status }).toEqual({ path, status: 200 });
        pressed++;
        const type = Object.keys((operation.responses["200"] as { content?: object }).content ?? {})[0];
        if (type === undefined) continue;
        expect({ path, faults: validator.check(method, path, "200", await response.json(), type) }).toEqual({
          path,
          faults: [],
        });
      }
    }
    expect(pressed).toBeGreaterThan(1);
  });
});

test("docs/devnet.md has the table that is made from the declarations", () => {
  const text = readFileSync(join(import.meta.dir, "../docs/devnet.md"), "utf8");
  expect(text).toContain(tableText());
});

test("docs/cli.md has the reference that is made from the declarations: bun run generate", async () => {
  const text = readFileSync(join(import.meta.dir, "../docs/cli.md"), "utf8");
  expect(text).toContain("### lyra prune\n");
  expect(await cliDocument(text)).toBe(text);
});

test("a refusal of each is what its document says", async () => {
  const cases = [
    ["faucet", "/api/v1/mint", "400", "{}", "application/json"],
    ["wallet", "/api/v2/requests", "400", "{", "application/json-rpc"],
    ["devnet", "/devnet/mine", "400", '{"blocks":0}', "application/json"],
  ] as const;
  for (const [name, path, status, body, type] of cases) {
    const { ask, page } = SERVERS[name]!;
    const document = (await (await ask(`${page}/json`)).json()) as OpenApiDocument;
    const response = await ask(path, { method: "POST", body });
    expect({ name, status: String(response.status) }).toEqual({ name, status });
    const faults = new SchemaValidator(document).check("post", path, status, await response.json(), type);
    expect({ name, faults }).toEqual({ name, faults: [] });
  }
});

test("the wallet's document names every method", async () => {
  const document = JSON.stringify(await (await SERVERS.wallet!.ask("/docs/json")).json());
  for (const name of METHOD_NAMES) expect(document).toContain(`\`${name}\`: `);
  expect(document).not.toContain("`: \\n");
});

test("each document leads to the others", async () => {
  const own = await Promise.all(
    Object.values(SERVERS).map(async ({ ask, page }) => (await ask(`${page}/json`)).json()),
  );
  for (const { info } of [...own, openApiParts(), nodeOpenApiParts()] as {
    info: { description: string };
  }[]) {
    for (const name of ["data API", "node API", "devnet tools", "faucet", "wallet"])
      expect(info.description).toContain(`[${name}](http://127.0.0.1:`);
  }
});
