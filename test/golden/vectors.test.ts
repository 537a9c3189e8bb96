// The original service's recorded answers against ours (docs/protocol/10-data-api-endpoints.md#4-core-endpoints): each
// is equal, or stands with its reason in docs/compatibility.md. Through the application, and again over a socket.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { BUILD } from "../../src/node/build.ts";
import type { DataNode } from "../../src/node/start.ts";
import { dataApp } from "../../src/planes/data/app.ts";
import { DataContext } from "../../src/planes/data/context.ts";
import { DataPlane } from "../../src/planes/data/plane.ts";
import { startNode } from "../../src/start-node.ts";
import { openReader } from "../../src/store/database.ts";
import { type RecordedHome, recordedHome } from "../support/recorded-home.ts";
import { type Edge, pagesOf, walkBackward, walkForward } from "../support/walk.ts";
import { type Fetch, hasVectors, ListedAnswers, TEST_NETWORK, VectorRun } from "./vectors.ts";

if (!hasVectors) test.skip("recorded answers: ../shared/vectors and ../shared/data are not here", () => {});

describe.if(hasVectors)("recorded answers", () => {
  const answers = hasVectors ? new ListedAnswers(TEST_NETWORK) : undefined;
  const vectors = answers?.vectors ?? [];
  const entries = answers?.entries ?? [];
  let home: RecordedHome;
  let context: DataContext;
  let node: DataNode;
  let handle: Fetch;

  beforeAll(async () => {
    home = await recordedHome();
    context = new DataContext(openReader(home.path), {
      limits: DEFAULT_LIMITS,
      build: BUILD,
      home: home.path,
    });
    const app = dataApp(new DataPlane(context));
    handle = async (request) => app.handle(request);
    node = await startNode({ kind: "data", home: home.path });
  });
  afterAll(async () => {
    await node.stop();
    context.db.close();
    home.remove();
  });

  test("every difference in docs/compatibility.md is that of an entry", () => {
    expect(answers!.unknown).toEqual([]);
  });

  describe("from the application", () => {
    const run = new VectorRun((request) => handle(request));
    test.each(entries)("%s", (_, vector) => answers!.check(run, vector));
  });

  describe("over a socket", () => {
    let run: VectorRun;
    beforeAll(() => {
      run = new VectorRun(async (request) => {
        // As a client that asks for no compression, and as one that does.
        const response = await fetch(request.clone(), { headers: plainHeaders(request) });
        checkTransfer(response);
        const again = await fetch(request);
        expect(again.status).toBe(response.status);
        expect(await again.text()).toBe(await response.clone().text());
        return response;
      }, node.dataUrl);
    });
    test.each(entries)("%s", (_, vector) => answers!.check(run, vector));
  });

  function plainHeaders(request: Request): Headers {
    const headers = new Headers(request.headers);
    headers.set("accept-encoding", "identity");
    return headers;
  }

  /** A plain content type, no compression, and a length or chunks. */
  function checkTransfer({ headers }: Response): void {
    expect(headers.get("content-encoding")).toBeNull();
    expect(headers.get("content-type")).not.toContain(",");
    const isChunked = headers.get("transfer-encoding") === "chunked";
    expect(isChunked).toBe(headers.get("content-length") === null);
  }

  // Where the original loses rows from page to page, ours together are its single page.
  describe("pages of balance changes, joined", () => {
    const party = "filter.partyIds=c75946d940020ad8df9dd0ece42ba5d533166cc6ecf237e7779f1021c42499de";
    const all = "balances all newest first";
    const oldest = "balances all oldest first";
    const cases: [string, query: string, pageRows: number, newestFirst: boolean, entry: string][] = [
      ["first=50", "", 50, true, all],
      ["oldest first=50", "", 50, false, oldest],
      ["party first=3", party, 3, true, "balances party c75946d9"],
    ];
    test.each(cases)("%s", async (_, query, pageRows, newestFirst, entry) => {
      const page = pagesOf((path) => fetch(node.dataUrl + path), `/api/v2/balance/changes?${query}`);
      const options = { pageRows, newestFirst, pagesMax: 1_000 };
      const forward = await walkForward(page, options);
      expect(await walkBackward(page, options)).toEqual(forward);
      const single = vectors.find(({ name }) => name === entry)!;
      const expected = (single.body as { balances: { edges: Edge[] } }).balances.edges.map(
        ({ node }) => node,
      );
      expect(forward.slice(0, expected.length).map(({ node }) => node)).toEqual(expected);
      if (query !== "") expect(forward.length).toBe(expected.length);
    });
  });

  test("pages of rewards, joined, are the single page", async () => {
    const page = pagesOf((path) => fetch(node.dataUrl + path), "/api/v2/rewards");
    const walked = await walkForward(page, { pageRows: 5, newestFirst: true, pagesMax: 1_000 });
    const single = vectors.find(({ name }) => name === "rewards all")!;
    const expected = (single.body as { rewards: { edges: Edge[] } }).rewards.edges;
    const sorted = (edges: Edge[]) => edges.map((edge) => JSON.stringify(edge.node)).sort();
    expect(sorted(walked)).toEqual(sorted(expected));
  });
});
