// The page as a node serves it: to browsers alone, under a strict policy, compressed once, and its parts for ever.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { Elysia } from "elysia";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import type { Addresses } from "../../../src/http/chain-bodies.ts";
import { ServerStatus } from "../../../src/http/status.ts";
import { pageRoutes } from "../../../src/planes/page/routes.ts";
import { borrowDevnet, returnDevnet } from "../../support/shared-devnet.ts";

const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const PLAIN = { "accept-encoding": "identity" };
/** Everything, compressed. */
const BYTES_MAX = 250 * 1024;
/** Parts that a first visit of the overview loads, compressed. */
const FIRST_BYTES_MAX = 70 * 1024;

let devnet: Devnet;
beforeAll(async () => {
  devnet = await borrowDevnet();
});
afterAll(returnDevnet);

const partsOf = (html: string) =>
  [...html.matchAll(/(?:src|href)="(\/page\/[^"]+)"/g)].map(([, path]) => path!);
const asCompressed = (url: string, headers = {}) =>
  fetch(url, { headers: { "accept-encoding": "gzip", ...headers }, decompress: false });

describe("the page", () => {
  test("is at / of both ports for a browser, and every other client gets the signpost", async () => {
    for (const url of [devnet.nodeUrl, devnet.dataUrl]) {
      const page = await fetch(`${url}/`, { headers: HTML });
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(page.headers.get("vary")).toContain("Accept");
      for (const accept of ["application/json", "*/*"]) {
        const signpost = await fetch(`${url}/`, { headers: { accept } });
        expect((await signpost.json()) as object).toMatchObject({ docs: "/docs", openapi: "/docs/json" });
      }
    }
  });

  test("allows its own scripts, the node's two ports and the wallet's, and no frame around it", async () => {
    for (const url of [devnet.nodeUrl, devnet.dataUrl]) {
      const { headers } = await fetch(`${url}/`, { headers: HTML });
      const policy = new Map(
        headers
          .get("content-security-policy")!
          .split("; ")
          .map((rule) => [rule.split(" ")[0]!, rule.split(" ").slice(1)]),
      );
      expect(policy.get("default-src")).toEqual(["'none'"]);
      expect(policy.get("script-src")).toEqual(["'self'"]);
      expect(policy.get("style-src")).toEqual(["'self'"]);
      expect(policy.get("frame-ancestors")).toEqual(["'none'"]);
      expect(policy.get("require-trusted-types-for")).toEqual(["'script'"]);
      const ports = [devnet.dataUrl, devnet.nodeUrl].flatMap((own) => [own, own.replace("http", "ws")]);
      const all = ["'self'", ...ports, "http://127.0.0.1:1789"];
      expect(policy.get("connect-src")!.toSorted()).toEqual(all.toSorted());
    }
  });

  test.each([
    ["?wallet-port=1790", 1790],
    ["?wallet-port=65535", 65_535],
    ["?wallet-port=0", 1789],
    ["?wallet-port=65536", 1789],
    ["?wallet-port=01790", 1789],
    ["?wallet-port=80%20*", 1789],
    ["?wallet-port=80;script-src%20*", 1789],
    ["?wallet-port=*", 1789],
    ["?wallet-port=@evil.example", 1789],
    ["?wallet-port=1e3", 1789],
    ["?wallet-port=1790&wallet-port=*", 1790],
  ])("%s lets it ask this machine's port %d, and no other one", async (query, port) => {
    const { headers } = await fetch(`${devnet.nodeUrl}/${query}`, { headers: HTML });
    const policy = headers.get("content-security-policy")!;
    const [, ...places] = /connect-src [^;]*/.exec(policy)![0].split(" ");
    const own = [
      "'self'",
      ...[devnet.dataUrl, devnet.nodeUrl].flatMap((url) => [url, url.replace("http", "ws")]),
    ];
    expect(places.filter((place) => !own.includes(place))).toEqual([`http://127.0.0.1:${port}`]);
    expect(policy).not.toContain("*");
  });

  test("names the node's ports under the host that was asked for, and never what a host header smuggles in", async () => {
    const policyFor = async (host: string) => {
      const { status, headers } = await fetch(`${devnet.nodeUrl}/`, { headers: { ...HTML, host } });
      return { status, policy: headers.get("content-security-policy") };
    };
    const { port } = new URL(devnet.dataUrl);
    expect(await policyFor("node.example:3003")).toEqual({
      status: 200,
      policy: expect.stringContaining(`http://node.example:${port} ws://node.example:${port}`),
    });
    for (const host of ["a;script-src *", "a b", "a'b", "*"]) {
      const { status, policy } = await policyFor(host);
      expect(status).toBe(200);
      const places = /connect-src ([^;]*)/.exec(policy!)![1]!.split(" ");
      for (const place of places.slice(1)) expect(place).toMatch(/^(?:http|ws):\/\/[\w.]+:\d+$/);
      expect(places[0]).toBe("'self'");
      expect(policy).not.toContain("script-src *");
    }
  });

  test("has parts that never change under their name, are never sniffed, and are all small", async () => {
    const html = await (await fetch(`${devnet.nodeUrl}/`, { headers: HTML })).text();
    expect(html).not.toMatch(/<script>|<style|style=|\son\w+=|https?:\/\//);
    const parts = partsOf(html);
    expect(parts.length).toBeGreaterThanOrEqual(4);
    let bytes = 0;
    for (const path of parts) {
      const packed = await asCompressed(devnet.nodeUrl + path);
      expect(packed.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(packed.headers.get("x-content-type-options")).toBe("nosniff");
      expect(packed.headers.get("content-encoding")).toBe("gzip");
      const body = await packed.bytes();
      bytes += body.length;
      const plain = await fetch(devnet.dataUrl + path, { headers: PLAIN });
      expect(Buffer.from(await plain.bytes()).equals(gunzipSync(body))).toBe(true);
    }
    expect(bytes).toBeLessThan(FIRST_BYTES_MAX);
    const pack = Bun.file(new URL("../../../src/web/generated/page.pack", import.meta.url));
    expect(pack.size).toBeLessThan(BYTES_MAX);
  });

  test("is answered with 304 to a browser that has it, by the tag of its coding", async () => {
    const first = await asCompressed(`${devnet.nodeUrl}/`, HTML);
    const etag = first.headers.get("etag")!;
    const again = await asCompressed(`${devnet.nodeUrl}/`, { ...HTML, "if-none-match": etag });
    expect([again.status, again.headers.get("content-security-policy")]).toEqual([
      304,
      first.headers.get("content-security-policy"),
    ]);
    const plain = await fetch(`${devnet.nodeUrl}/`, { headers: { ...HTML, ...PLAIN } });
    expect(plain.headers.get("etag")).not.toBe(etag);
  });

  test("has no part of an unknown name, nor its documents under their names", async () => {
    for (const name of ["nothing.js", "index.html", "wallet.html", "..%2f..%2fpackage.json"])
      expect((await fetch(`${devnet.nodeUrl}/page/${name}`)).status).toBe(404);
  });

  test("finds the node's ports and height by a document on both of them, which its own names for early loading", async () => {
    const html = await (await fetch(`${devnet.nodeUrl}/`, { headers: HTML })).text();
    expect(html).toContain('<link rel="preload" as="fetch" crossorigin href="/lyra/v1/addresses">');
    const documents = await Promise.all(
      [devnet.nodeUrl, devnet.dataUrl].map(async (url) => {
        const answer = await fetch(`${url}/lyra/v1/addresses`);
        const { height, timeNs } = devnet.chain.status;
        expect(answer.headers.get("x-block-height")).toBe(String(height));
        expect(answer.headers.get("x-block-timestamp")).toBe(`${timeNs / 1_000n}000`);
        return (await answer.json()) as Addresses;
      }),
    );
    expect(documents[0]).toEqual(documents[1]!);
    const { kind, listening, commandLine } = documents[0]!;
    expect(kind).toBe("devnet");
    // These are the sources.
    expect(commandLine).toBe("npm run lyra --");
    const portOf = (name: string) => listening.find((each) => each.name === name)?.port;
    const { dataPort, nodePort, faucetPort } = devnet.address;
    expect([portOf("data"), portOf("node"), portOf("faucet")]).toEqual([dataPort, nodePort, faucetPort]);
  });
});

describe("the path of a node on its disk", () => {
  const status = new ServerStatus();
  const serverOf = (text: string) =>
    new Elysia().use(pageRoutes(status, { commit: "test" }, text)).listen({ port: 0, hostname: "127.0.0.1" });
  const servers: ReturnType<typeof serverOf>[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.stop(true))));
  const read = async (kind: Addresses["kind"], text: string, headers = {}) => {
    status.kind = kind;
    const server = serverOf(text);
    servers.push(server);
    const answer = await fetch(`http://127.0.0.1:${server.server!.port}/lyra/v1/addresses`, { headers });
    return (await answer.json()) as Addresses;
  };

  test.each([
    ["a program of its machine", "devnet", {}, true],
    ["a page of its machine", "devnet", { origin: "http://localhost:5173" }, true],
    ["another page", "devnet", { origin: "https://evil.example" }, false],
    ["a page whose name was pointed at it", "devnet", { host: "evil.example:3003" }, false],
    ["readers of a validator's node", "sidecar", { origin: "https://evil.example" }, false],
  ] as const)("is for this machine alone: %s, of a %s", async (_, kind, headers, isShown) => {
    status.homeWord = "/home/alice/net";
    status.noteListening({ name: "events", scheme: "unix", host: "/home/alice/events.sock", port: 0 });
    const body = await read(kind, "/home/alice/lyra", headers);
    expect(JSON.stringify(body).includes("alice")).toBe(isShown);
    expect(body.commandLine).toBe(isShown ? "/home/alice/lyra" : "lyra");
    const windows = await read(kind, "'C:\\Users\\alice\\lyra.exe'", headers);
    expect(windows.commandLine).toBe(isShown ? "'C:\\Users\\alice\\lyra.exe'" : "lyra");
    expect((await read(kind, "npm run lyra --", headers)).commandLine).toBe("npm run lyra --");
  });
});
