// The page at `/graphql` in a real browser that can reach nothing but this server: a query and a subscription are tried.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { DataServer } from "../../../src/planes/data/app.ts";
import {
  HAS_BROWSER,
  offlineBrowser,
  openPage,
  picture,
  type Seen,
  sayWhenSkipped,
} from "../../support/offline-browser.ts";
import { type GraphqlRig, graphqlRig } from "./rig.ts";

sayWhenSkipped("the page of GraphQL");

describe.skipIf(!HAS_BROWSER)("the page of GraphQL without internet", () => {
  let rig: GraphqlRig;
  let server: DataServer;
  let page: Page;
  const seen: Seen = { requests: [], failures: [], complaints: [] };

  beforeAll(async () => {
    rig = await graphqlRig();
    server = rig.listen();
    const browser = await offlineBrowser();
    page = await openPage(browser, seen);
    await page.goto(`${server.url}/graphql`);
    await page.waitForSelector(".graphiql-container");
  });
  afterAll(async () => {
    await page?.close();
    await server?.stop();
    rig?.close();
  });

  const result = () => page.locator(".result-window .CodeMirror-code");

  test("the query that it begins with is answered", async () => {
    await page.locator(".graphiql-execute-button").click();
    await result().filter({ hasText: "chainId" }).waitFor();
    await picture(page, "graphql");
    const text = await result().innerText();
    expect(text).toContain('"chainId": "lyra-sample-1"');
    expect(text).toContain('"code": "');
  });

  test("a subscription is followed", async () => {
    await page.evaluate(() => {
      // biome-ignore lint/suspicious/noExplicitAny: the editor hangs on its element
      const { CodeMirror } = document.querySelector(".graphiql-query-editor .CodeMirror") as any;
      CodeMirror.setValue("subscription { busEvents(types: TimeUpdate, batchSize: 1) { id block } }");
    });
    // The page reads what was typed a moment later.
    await page.waitForFunction(() => localStorage.getItem("graphiql:tabState")?.includes("busEvents"));
    await page.locator(".graphiql-execute-button").click();
    await result().filter({ hasText: "busEvents" }).waitFor();
    await result().filter({ hasText: "busEvents" }).waitFor();
    expect(await result().innerText()).toContain(rig.chain.plane.head()!.hash);
    await page.locator(".graphiql-execute-button").click();
  });

  test("no request left this server, none failed, and nothing broke the page's own rules", () => {
    expect(seen.requests.length).toBeGreaterThan(5);
    expect(seen.requests.filter((url) => !url.startsWith(server.url) && !url.startsWith("data:"))).toEqual(
      [],
    );
    expect(seen.failures).toEqual([]);
    expect(seen.complaints).toEqual([]);
  });

  test("programs get answers where browsers get the page", async () => {
    const url = `${server.url}/graphql`;
    const answer = await fetch(`${url}?query={__typename}`, { headers: { accept: "text/html" } });
    expect(await answer.json()).toEqual({ data: { __typename: "Query" } });
    const bare = await fetch(url);
    expect([bare.status, bare.headers.get("content-type")]).toEqual([422, "application/json"]);
  });
});
