// Behind a proxy, nodes on this machine are still asked directly, as by the original's client.
import { afterAll, describe, expect, test } from "bun:test";
import { lyra } from "../rig/lyra.ts";

let proxied = 0;
const serve = (status: number) =>
  Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      if (status !== 200) proxied++;
      return Response.json({ chainId: "here" }, { status });
    },
  });
const proxy = serve(502);
const node = serve(200);
afterAll(async () => {
  await proxy.stop(true);
  await node.stop(true);
});

describe("a node on this machine is asked past the proxy", () => {
  const HTTP_PROXY = `http://127.0.0.1:${proxy.port}`;
  const settings: Record<string, string>[] = [
    { HTTP_PROXY },
    { http_proxy: HTTP_PROXY, no_proxy: "example.org" },
    { HTTP_PROXY, NO_PROXY: "example.org,.example.net" },
    { HTTP_PROXY, NO_PROXY: "*" },
  ];
  for (const env of settings) {
    test(Object.entries(env).slice(1).join(" and ") || "without exceptions", async () => {
      for (const host of ["127.0.0.1", "localhost"]) {
        const words = ["devnet", "status", "--json", "--node-url", `http://${host}:${node.port}`];
        const { code, out } = await lyra(words, { env });
        expect([code, out.trim()]).toEqual([0, '{"chainId":"here"}']);
      }
      expect(proxied).toBe(0);
    });
  }

  test("and other nodes through it", async () => {
    const { code } = await lyra(["devnet", "status", "--node-url", "http://node.example"], {
      env: { HTTP_PROXY, NO_PROXY: "example.org" },
    });
    expect([code, proxied]).toEqual([1, 1]);
  });
});
