// The page while its node goes away, is slow or busy, or begins a new chain, and while the page is hidden.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Route } from "playwright-core";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { eventually } from "../support/eventually.ts";
import { HAS_BROWSER, offlineBrowser, sayWhenSkipped } from "../support/offline-browser.ts";
import { processFolder } from "../support/process-folder.ts";
import { mineOverHttp, startTestDevnet } from "../support/test-devnet.ts";
import { Look } from "./look.ts";

sayWhenSkipped("the page without its node");

describe.skipIf(!HAS_BROWSER)("the page without its node", () => {
  const home = join(processFolder("lyra-away-page"), "home");
  let devnet: Devnet;
  let look: Look;

  beforeAll(async () => {
    devnet = await startTestDevnet({ home });
    look = new Look(devnet.nodeUrl, devnet.dataUrl);
    await look.begin(await offlineBrowser());
    // A page behind another file's reads nothing.
    await look.page.bringToFront();
  }, 120_000);
  afterEach(async () => {
    // Left by a test that failed: the others would wait for the same answers.
    await look.page.unrouteAll({ behavior: "ignoreErrors" });
  });
  afterAll(async () => {
    await look?.page.close();
    await devnet?.stop();
  });

  const BLOCKS = "**/lyra/v1/blocks?*";
  const SEGMENTS = "**/lyra/v1/segments?*";
  /** The newest block of the view of blocks. */
  const newestIs = (height: number) =>
    look.page.waitForFunction(
      (text) => document.querySelector("section[aria-label=blocks] tbody td")?.textContent === text,
      height.toLocaleString("en"),
    );

  test("shows the answers of a node that is slower than its blocks", async () => {
    const { page } = look;
    const held: Route[] = [];
    await page.route(BLOCKS, (route) => void held.push(route));
    await page.goto(`${look.pageUrl}/#/`);
    await eventually(() => held.length === 1);
    // Other answers come at the speed of blocks: each is asked for after a block.
    for (let blocks = 0; blocks < 2; blocks++) {
      const next = page.waitForRequest("**/lyra/v1/transactions?*");
      await mineOverHttp(devnet, 1);
      await next;
    }
    expect(look.seen.failures).toEqual([]);
    for (const route of held.splice(0)) await route.continue();
    await page.unroute(BLOCKS);
    await look.atRest();
    const { height } = devnet.chain.status;
    expect(await page.locator(".chart").getAttribute("aria-label")).toContain(
      `in the last ${Math.min(60, height)}`,
    );
  }, 120_000);

  test("keeps what it shows while the node is busy or its answers are cut off, and goes on by itself", async () => {
    const { page } = look;
    await look.open("blocks");
    const before = (await look.rows("blocks"))[0]![0]!;
    const bad = [
      { status: 503, contentType: "application/json", body: '{"code":14,"message":"busy","details":[]}' },
      { status: 200, contentType: "application/json", body: '{"blocks":[{"height":' },
    ];
    let failed = 0;
    await page.route(BLOCKS, (route) => {
      const answer = bad[failed++];
      return answer === undefined ? route.continue() : route.fulfill(answer);
    });
    await mineOverHttp(devnet, 1);
    await eventually(() => failed >= 1);
    expect((await look.rows("blocks"))[0]![0]).toBe(before);
    // No further block is needed.
    await newestIs(devnet.chain.status.height);
    expect(failed).toBe(3);
    await page.unroute(BLOCKS);
    // A view without its first answer says so, and nothing else.
    await page.route(SEGMENTS, (route) => route.fulfill(bad[0]!));
    await look.open("history");
    expect(await page.getByRole("alert").textContent()).toBe("busy");
    expect(await page.getByText(/Whole|Nothing is missing/).count()).toBe(0);
    expect(await page.getByRole("form").count()).toBe(0);
    await page.unroute(SEGMENTS);
    look.seen.complaints.length = 0;
    look.seen.failures.length = 0;
  }, 120_000);

  test("is not called away while the node has too much to do to say how far it is", async () => {
    const { page } = look;
    // The page's own timer would be waited for too long.
    await page.addInitScript(() => {
      const begin = window.setInterval;
      const looks: (() => void)[] = [];
      Object.assign(window, {
        looks,
        setInterval: (act: () => void, ms: number) => {
          if (ms === 10_000) looks.push(act);
          return begin(act, ms);
        },
      });
    });
    await page.reload();
    await look.open("blocks");
    await page.route("**/status", (route) =>
      route.fulfill({ status: 503, json: { code: 14, message: "busy", details: [] } }),
    );
    const causes = [
      () => {
        for (const act of (window as unknown as { looks: (() => void)[] }).looks) act();
      },
      () => void document.dispatchEvent(new Event("visibilitychange")),
    ];
    for (const cause of causes) {
      const answered = page.waitForResponse("**/status");
      await page.evaluate(cause);
      await answered;
      await look.atRest();
      expect(await page.getByText("The node went away").count()).toBe(0);
    }
    await look.open("node");
    expect(await page.getByRole("alert").textContent()).toBe("busy");
    expect(await page.getByText("not yet").count()).toBe(0);
    await page.unroute("**/status");
    await look.open("blocks");
    await mineOverHttp(devnet, 1);
    await newestIs(devnet.chain.status.height);
    look.seen.complaints.length = 0;
    look.seen.failures.length = 0;
  }, 120_000);

  test("reads nothing while it is hidden, and what it missed when it is seen again", async () => {
    const { page, seen } = look;
    await look.open("blocks");
    const become = (state: "hidden" | "visible") =>
      page.evaluate((value) => {
        Object.defineProperty(document, "visibilityState", { value, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    const streams = async () =>
      Number(/^lyra_streams_open (\d+)/m.exec(await (await fetch(`${devnet.dataUrl}/metrics`)).text())?.[1]);
    expect(await streams()).toBe(1);
    await become("hidden");
    await eventually(async () => (await streams()) === 0);
    seen.requests.length = 0;
    await mineOverHttp(devnet, 3);
    await look.atRest();
    expect(seen.requests).toEqual([]);
    await become("visible");
    await newestIs(devnet.chain.status.height);
    await eventually(async () => (await streams()) === 1);
    // Hidden again before the node has answered how far it is.
    await become("hidden");
    await eventually(async () => (await streams()) === 0);
    const held: Route[] = [];
    await page.route("**/status", (route) => void held.push(route));
    await become("visible");
    await eventually(() => held.length > 0);
    await become("hidden");
    await Promise.all(held.map((route) => route.continue()));
    await page.unroute("**/status");
    await look.atRest();
    await mineOverHttp(devnet, 1);
    expect(await streams()).toBe(0);
    await become("visible");
    await eventually(async () => (await streams()) === 1);
  }, 120_000);

  test("is one line, and the page goes on by itself when the node is back", async () => {
    const { page } = look;
    await look.open("blocks");
    const { nodePort, dataPort } = devnet.address;
    const first = (await look.rows("blocks"))[0]![0]!;
    await devnet.stop();
    const notice = page.getByText("The node went away. Trying again…");
    await notice.waitFor();
    expect((await look.rows("blocks"))[0]![0]).toBe(first);
    devnet = await startTestDevnet({ home, nodePort, dataPort });
    await notice.waitFor({ state: "detached" });
    await mineOverHttp(devnet, 1);
    await page.waitForFunction(
      (text) => document.querySelector("section[aria-label=blocks] tbody td")?.textContent === text,
      devnet.chain.status.height.toLocaleString("en"),
    );
    // While it was away the browser complained of each try.
    expect(look.seen.complaints.filter((text) => !/Failed to load resource|WebSocket/.test(text))).toEqual(
      [],
    );
  }, 120_000);

  test("shows the new chain when the node begins another one", async () => {
    const { page } = look;
    await mineOverHttp(devnet, 20);
    await look.open("blocks");
    const { nodePort, dataPort } = devnet.address;
    await devnet.stop();
    await page.getByText("The node went away. Trying again…").waitFor();
    devnet = await startTestDevnet({ chainId: "another-chain", nodePort, dataPort });
    await page.getByText("another-chain").waitFor();
    await newestIs(devnet.chain.status.height);
    expect(await look.text(".height")).toBe(devnet.chain.status.height.toLocaleString("en"));
  }, 120_000);
});
