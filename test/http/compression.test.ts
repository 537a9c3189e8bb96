// Answers for clients that ask for compressed ones: the same content, from wherever it comes, and nothing of it for
// those that do not ask.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { acceptsGzip, COMPRESSED_BYTES_MIN } from "../../src/http/compression.ts";
import { assetEvent, parameterEvent, ServedChain } from "../support/served-chain.ts";

test.each([
  [null, false],
  ["", false],
  ["gzip", true],
  ["GZIP", true],
  ["x-gzip", true],
  ["gzip, deflate, br, zstd", true],
  ["br;q=1.0, gzip;q=0.8, *;q=0.1", true],
  ["deflate, gzip;q=0", false],
  ["*", true],
  ["*;q=0", false],
  ["*, gzip;q=0", false],
  ["gzip;q=0, *", false],
  ["identity", false],
  ["gzipped", false],
  ["br", false],
] as const)("Accept-Encoding %p asks for gzip: %p", (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});

describe("over a socket", () => {
  const served = new ServedChain();
  const id = (n: number) => n.toString(16).padStart(64, "0");
  beforeAll(() => {
    const assets = Array.from({ length: 100 }, (_, n) => assetEvent(id(n + 1), `asset ${n}`));
    const parameters = Array.from({ length: 200 }, (_, n) => parameterEvent(`key.${n}`, "x".repeat(2_000)));
    served.commit(...assets, ...parameters);
  });
  afterAll(() => served.stop());

  const ask = async (path: string, encoding: string | undefined, init: RequestInit = {}) => {
    const headers = {
      ...(init.headers as Record<string, string>),
      "accept-encoding": encoding ?? "identity",
    };
    // The bytes as they came.
    const response = await fetch(served.url + path, { ...init, headers, decompress: false } as RequestInit);
    const bytes = Buffer.from(await response.arrayBuffer());
    return { response, bytes };
  };

  const paths: [name: string, path: string, init: RequestInit][] = [
    ["a page", "/api/v2/assets", {}],
    ["a page that is compressed on another thread", "/api/v2/network/parameters", {}],
    ["an indented page", "/api/v2/assets?pretty", {}],
    ["a posted form", "/api/v2/assets", { method: "POST", body: new URLSearchParams({ x: "1" }) }],
    ["metrics", "/metrics", {}],
    ["the document", "/docs/json", {}],
    ["a script", "/docs/swagger-ui.js", {}],
    ["a style", "/docs/swagger-ui.css", {}],
  ];
  test.each(paths)("%s: the same content in both forms, asked again and again", async (_, path, init) => {
    for (let round = 0; round < 4; round++) {
      const plain = await ask(path, undefined, init);
      const packed = await ask(path, "gzip", init);
      expect(plain.response.headers.get("content-encoding")).toBeNull();
      expect(packed.response.headers.get("content-encoding")).toBe("gzip");
      for (const { response, bytes } of [plain, packed]) {
        expect(response.status).toBe(200);
        expect(response.headers.get("vary")).toContain("Accept-Encoding");
        expect(response.headers.get("content-length")).toBe(String(bytes.length));
      }
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
      // Metrics count these very requests.
      if (path !== "/metrics") expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
      for (const name of ["content-type", "x-block-height"])
        expect(packed.response.headers.get(name)).toBe(plain.response.headers.get(name));
    }
  });

  test("the cache keeps both forms, and neither outlives a block", async () => {
    for (let round = 0; round < 3; round++) {
      served.commit(assetEvent(id(7), `renamed ${round}`));
      for (let again = 0; again < 4; again++)
        for (const encoding of ["gzip", undefined]) {
          const { bytes, response } = await ask("/api/v2/assets", encoding);
          const text = String(encoding ? gunzipSync(bytes) : bytes);
          expect(text).toContain(`renamed ${round}`);
          expect(response.headers.get("x-block-height")).toBe(String(served.height));
        }
    }
    expect(served.cacheHits()).toBeGreaterThan(6);
  });

  test("small answers and errors are sent as they are", async () => {
    for (const path of ["/api/v2/info", "/api/v2/nothing", "/healthz"]) {
      const { response, bytes } = await ask(path, "gzip");
      expect(bytes.length).toBeLessThan(COMPRESSED_BYTES_MIN);
      expect(response.headers.get("content-encoding")).toBeNull();
    }
  });

  test.each(["/docs", "/docs/json", "/docs/swagger-ui.js", "/docs/swagger-ui.css"])(
    "%s: a tag for each form, and 304 for who has it",
    async (path) => {
      const tags = new Set<string>();
      for (const encoding of ["gzip", undefined]) {
        const { response } = await ask(path, encoding);
        const etag = response.headers.get("etag")!;
        expect(etag).toMatch(/^"[0-9a-f]{32}(-gzip)?"$/);
        tags.add(etag);
        const revalidated = await ask(path, encoding, { headers: { "if-none-match": etag } });
        expect([revalidated.response.status, revalidated.bytes.length]).toEqual([304, 0]);
        expect((await ask(path, encoding, { headers: { "if-none-match": '"other"' } })).response.status).toBe(
          200,
        );
        expect(response.headers.get("cache-control")).toMatch(/^(no-cache|public, max-age=3600)$/);
      }
      expect(tags.size).toBe(path === "/docs" ? tags.size : 2);
    },
  );
});
