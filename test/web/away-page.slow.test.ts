// The page while its node goes away, and when it is back.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
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
  }, 60_000);
  afterAll(async () => {
    await look?.page.close();
    await devnet?.stop();
  });

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
  }, 30_000);
});
