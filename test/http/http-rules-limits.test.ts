// Limits of pages and answers (docs/compatibility.md, "Limits"), made small so that a small chain meets them.
import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LISTS, pathOf } from "../support/lists.ts";
import { blocksArbitrary, RandomChain } from "../support/random-chain.ts";
import { SEED } from "../support/seed.ts";
import { pagesOf, walkForward } from "../support/walk.ts";

const blocks = fc.sample(blocksArbitrary(8, 8), { seed: SEED, numRuns: 1 })[0]!;

describe("rows on a page", () => {
  const chain = new RandomChain({ pageRowsDefault: 3, pageRowsMax: 5 });
  chain.write(blocks);
  afterAll(() => chain.close());

  const lists = LISTS.map((list): [string, (typeof LISTS)[number]] => [list.path, list]);
  test.each(lists)("%s", async (_, list) => {
    const page = pagesOf(chain.get, pathOf(list, list.queries[0]!));
    const rows = list.count(chain);
    const wishes: [query: string, limit: number][] = [
      ["", 3],
      ["pagination.newestFirst=true", 3],
      ["pagination.foo=1", 3],
      ["pagination.first=4", 4],
      ["pagination.first=5", 5],
      ["pagination.first=6", 5],
      ["pagination.first=2147483647", 5],
    ];
    for (const [query, limit] of wishes) {
      const { edges, pageInfo } = await page(query);
      expect([query, edges.length, pageInfo.hasNextPage]).toEqual([
        query,
        Math.min(rows, limit),
        rows > limit,
      ]);
    }
    const walked = await walkForward(page, { pageRows: 1_000, newestFirst: true, pagesMax: rows });
    expect(walked.length).toBe(rows);
  });
});

test("an answer that is too large is 429, says what to do, and a smaller page is answered", async () => {
  const chain = new RandomChain({ responseBytesMax: 4_000 });
  chain.write(blocks);
  const path = "/api/v2/deposits";
  const refused = await chain.get(path);
  expect([refused.status, await refused.json()]).toEqual([
    429,
    {
      code: 8,
      message: "the answer is larger than 4000 bytes: ask for fewer rows with pagination.first",
      details: [],
    },
  ]);
  expect(refused.headers.get("x-block-height")).toBe(String(chain.plane.head()!.height));
  expect((await chain.get(`${path}?pagination.first=2`)).status).toBe(200);
  chain.close();
});
