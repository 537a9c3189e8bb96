// The client in a page of another origin, in a real browser: every stream through a restart of the devnet, and reads.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { connect } from "../../src/client/connect.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { startNode } from "../../src/start-node.ts";
import {
  HAS_BROWSER,
  offlineBrowser,
  openPage,
  type Seen,
  sayWhenSkipped,
} from "../support/offline-browser.ts";
import type { Follower, followAll } from "./followers.ts";

sayWhenSkipped("the client");

interface PageScript {
  readonly connect: typeof connect;
  readonly followAll: typeof followAll;
  followers: Follower[];
}
declare const window: PageScript;

const PAGE = `<!doctype html><title>client</title><script type="module">
  import { connect } from "/client.js";
  import { followAll } from "/followers.js";
  Object.assign(window, { connect, followAll });
</script>`;

async function scriptOf(path: string): Promise<string> {
  const entrypoints = [join(import.meta.dir, path)];
  const { outputs } = await Bun.build({ entrypoints, target: "browser", minify: true });
  return outputs[0]!.text();
}

describe.skipIf(!HAS_BROWSER)("a page", () => {
  const home = mkdtempSync(join(tmpdir(), "lyra-client-page-"));
  const seen: Seen = { requests: [], failures: [], complaints: [] };
  let devnet: Devnet;
  let site: ReturnType<typeof Bun.serve>;
  let page: Page;

  const start = (ports: { dataPort?: number; nodePort?: number } = {}) =>
    startNode({ kind: "devnet", home, thread: true, ...ports });
  async function use(tool: string, body: object = {}) {
    const options = { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(`${devnet.nodeUrl}/devnet/${tool}`, options);
    expect(answer.status).toBe(200);
    return (await answer.json()) as { market: string };
  }

  beforeAll(async () => {
    devnet = await start();
    const scripts = new Map([
      ["/client.js", await scriptOf("../../src/client/connect.ts")],
      ["/followers.js", await scriptOf("followers.ts")],
    ]);
    site = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch({ url }) {
        const script = scripts.get(new URL(url).pathname);
        const type = script === undefined ? "text/html" : "text/javascript";
        return new Response(script ?? PAGE, { headers: { "content-type": type } });
      },
    });
    const browser = await offlineBrowser();
    page = await openPage(browser, seen);
    await page.goto(`http://127.0.0.1:${site.port}/`);
    await page.waitForFunction(() => "followAll" in window);
  }, 60_000);
  afterAll(async () => {
    await page?.close();
    await site?.stop(true);
    await devnet?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  test("follows every stream through a restart of the devnet without a gap", async () => {
    const { market } = await use("market/create", { preset: "btc" });
    const subject = { market, party: devnet.parties[0]!.publicKey };
    const { dataUrl, nodeUrl } = devnet;
    await page.evaluate(
      ([url, about]) => {
        const { connect, followAll } = window;
        window.followers = followAll(connect({ dataUrl: url }), about);
        return Promise.all(window.followers.map((follower) => follower.upTo(1)));
      },
      [dataUrl, subject] as const,
    );
    await use("market/run", { market, orders: 20, seed: 1 });
    await devnet.stop();
    devnet = await start({
      dataPort: Number(new URL(dataUrl).port),
      nodePort: Number(new URL(nodeUrl).port),
    });
    await use("market/run", { market, orders: 20, seed: 2 });
    const results = await page.evaluate(
      async ([url, height]) => {
        const lyra = window.connect({ dataUrl: url });
        await Promise.all(window.followers.map((follower) => follower.upTo(height)));
        const results: [string, number, string][] = [];
        for (const follower of window.followers)
          results.push([follower.name, follower.reconnects, await follower.difference(lyra)]);
        return results;
      },
      [dataUrl, devnet.chain.status.height] as const,
    );
    expect(results.length).toBe(16);
    for (const [name, reconnects, difference] of results)
      expect({ name, wasCutOff: reconnects > 0, difference }).toEqual({
        name,
        wasCutOff: true,
        difference: "",
      });
  }, 120_000);

  test("reads pages, and gets errors with their cause", async () => {
    const read = await page.evaluate(async (url) => {
      const lyra = window.connect({ dataUrl: url });
      let rows = 0;
      for await (const { value } of lyra.network.listParameters.rows({ pagination: { first: 50 } }))
        rows += value === "" ? 0 : 1;
      const error = await lyra.accounts.list({ filter: { marketIds: ["x"] } }).catch((reason) => reason);
      return { rows, error: `${error.code} ${error.message}` };
    }, devnet.dataUrl);
    expect(read.rows).toBeGreaterThan(50);
    expect(read.error).toBe("invalid_argument invalid party id: one or more market id is invalid");
  });
});
