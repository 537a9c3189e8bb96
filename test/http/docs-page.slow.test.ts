// The documentation in a real browser that can reach nothing but this server.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { DATA_ENDPOINTS } from "../../src/planes/data/endpoints.ts";
import {
  HAS_BROWSER,
  offlineBrowser,
  openPage,
  picture,
  type Seen,
  sayWhenSkipped,
} from "../support/offline-browser.ts";
import { openSample } from "../support/sample-app.ts";

sayWhenSkipped("documentation");

describe.skipIf(!HAS_BROWSER)("documentation without internet", () => {
  let home: string;
  let page: Page;
  let base: string;
  let stop: () => Promise<void>;
  const seen: Seen = { requests: [], failures: [], complaints: [] };

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "lyra-docs-"));
    ({ base, stop } = await serveSample(home));
    const browser = await offlineBrowser();
    page = await openPage(browser, seen);
    await page.goto(`${base}/docs`);
    await page.waitForSelector(".opblock-tag-section");
    await picture(page, "docs-page");
  });

  afterAll(async () => {
    await page?.close();
    await stop?.();
    rmSync(home, { recursive: true, force: true });
  });

  test("lists every operation", async () => {
    const tags = page.locator(".opblock-tag-section > .opblock-tag");
    for (let i = 0; i < (await tags.count()); i++) await tags.nth(i).click();
    await picture(page, "docs-operations");
    const paths = await page
      .locator(".opblock-summary-path")
      .evaluateAll((elements) => elements.map((element) => element.getAttribute("data-path")));
    for (const { path, aliases } of DATA_ENDPOINTS) {
      for (const each of [path, ...(aliases ?? [])]) expect(paths).toContain(each);
    }
    expect(paths).toContain("/api/v2/networkhistory/export");
    expect(paths).toContain("/readyz");
  });

  test("a request can be tried, and the node answers it", async () => {
    const block = page.locator("#operations-Assets-ListAssets");
    await block.locator(".opblock-summary").click();
    await block.locator('tr[data-param-name="pagination.first"] input').fill("2");
    await block.getByRole("button", { name: "Execute" }).click();
    const answer = block.locator(".live-responses-table .response").first();
    await answer.waitFor();
    expect(await answer.locator(".response-col_status").textContent()).toContain("200");
    const body = await answer.locator(".highlight-code").first().textContent();
    expect(body).toContain('"symbol": "LYRE"');
    expect(await answer.textContent()).toContain("x-block-height");
    await picture(page, "docs-try-it-out");
  });

  test("no request left this server, none failed, and nothing broke the page's own rules", () => {
    expect(seen.requests.length).toBeGreaterThan(3);
    expect(seen.requests.filter((url) => !url.startsWith(base) && !url.startsWith("data:"))).toEqual([]);
    expect(seen.failures).toEqual([]);
    expect(seen.complaints).toEqual([]);
  });
});

async function serveSample(home: string): Promise<{ base: string; stop: () => Promise<void> }> {
  const { app, close } = await openSample(home);
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: app.fetch });
  const stop = async () => {
    await server.stop(true);
    close();
  };
  return { base: `http://127.0.0.1:${server.port}`, stop };
}
