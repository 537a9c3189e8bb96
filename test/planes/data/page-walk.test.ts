// Every list, page by page, over random chains full of ties (docs/protocol/10-data-api-serving.md#3-pagination).
// Other chains: LYRA_TEST_SEED; more of them: LYRA_TEST_LENGTH.
import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Dice } from "../../../scripts/sample/seeded.ts";
import { DATA_ENDPOINTS } from "../../../src/planes/data/endpoints.ts";
import { messageDescriptor } from "../../../src/wire/descriptors.ts";
import { LISTS, type ListForms, pathOf } from "../../support/lists.ts";
import { blocksArbitrary, type MadeBlock, RandomChain } from "../../support/random-chain.ts";
import { LENGTH, runs, SEED } from "../../support/seed.ts";
import {
  checkEveryCursor,
  checkPlace,
  type Edge,
  type GetPage,
  pagesOf,
  type Walk,
  walkBackward,
  walkForward,
} from "../../support/walk.ts";

const PAGE_ROWS = [1, 2, 7, 50];
const WHOLE = "pagination.first=10000";

const chains: RandomChain[] = [];
afterAll(() => {
  for (const chain of chains) chain.close();
});

function chainOf(blocks: readonly MadeBlock[]): RandomChain {
  const chain = new RandomChain();
  chains.push(chain);
  chain.write(blocks);
  return chain;
}

function isPaged(message: string): boolean {
  return messageDescriptor(message).fields.some(
    ({ kind, typeName }) =>
      kind === "message" && messageDescriptor(typeName).fields.some(({ name }) => name === "page_info"),
  );
}

test("every list of the data API is walked here", () => {
  const paged = DATA_ENDPOINTS.filter(({ response }) => isPaged(response)).map(({ path }) => path);
  expect(LISTS.map(({ path }) => path).sort()).toEqual(paged.sort());
});

const dice = new Dice(SEED);
/** Each list once, and some of its filters. */
const allForms = LISTS.flatMap((list) =>
  list.queries
    .filter((_, at) => at === 0 || dice.below(1_000) < LENGTH * 1_000)
    .map((query): [string, ListForms, string] => [pathOf(list, query), list, query]),
);

describe(`each row once, in order, to an end (seed ${SEED})`, () => {
  const same = fc
    .sample(blocksArbitrary(runs(12) + 3, runs(10) + 4), { seed: SEED, numRuns: runs(1) })
    .map(chainOf);

  test.each(allForms)("%s", async (path, list, query) => {
    for (const chain of same) {
      const page = pagesOf(chain.get, path);
      const whole = new Map<boolean, Edge[]>();
      for (const newestFirst of list.newestOnly ? [true] : [true, false]) {
        const { edges } = await page(`${WHOLE}&pagination.newestFirst=${newestFirst}`);
        whole.set(newestFirst, edges);
        expect(new Set(edges.map(({ cursor }) => cursor)).size).toBe(edges.length);
        if (query === list.queries[0]) expect(edges.length).toBe(list.count(chain));
        for (const pageRows of PAGE_ROWS) {
          const options = { pageRows, newestFirst, pagesMax: edges.length + 1 };
          expect(await walkForward(page, options)).toEqual(edges);
          if (!list.forwardOnly) expect(await walkBackward(page, options)).toEqual(edges);
        }
        if (!list.forwardOnly) await checkEveryCursor(page, edges, newestFirst);
      }
      if (!list.newestOnly && !list.notReversed)
        expect(whole.get(false)).toEqual(whole.get(true)!.toReversed());
    }
  });
});

describe(`while blocks are added between pages, what stays in its place is seen once (seed ${SEED})`, () => {
  const BLOCKS_ADDED = 4;
  const start = fc.sample(blocksArbitrary(6, 8), { seed: SEED, numRuns: 1 })[0]!;
  const formsMax = Math.max(...LISTS.map(({ queries }) => queries.length));
  const blocksMax = 4 * BLOCKS_ADDED * formsMax;
  const added = fc.sample(blocksArbitrary(blocksMax, 2), { seed: SEED, numRuns: 1 })[0]!;

  test.each(LISTS.map((list): [string, ListForms] => [list.path, list]))("%s", async (_, list) => {
    const chain = chainOf(start);
    const next = added[Symbol.iterator]();
    for (const query of list.queries) {
      const page = pagesOf(chain.get, pathOf(list, query));
      for (const newestFirst of list.newestOnly ? [true] : [true, false]) {
        for (const walk of list.forwardOnly ? [walkForward] : [walkForward, walkBackward])
          await checkGrowing(page, walk, newestFirst, () => chain.write([next.next().value!]));
      }
    }
  });

  async function checkGrowing(page: GetPage, walk: Walk, newestFirst: boolean, grow: () => void) {
    const whole = async () => {
      const { edges } = await page(`${WHOLE}&pagination.newestFirst=${newestFirst}`);
      return edges.map(({ cursor }) => cursor);
    };
    const before = await whole();
    let left = BLOCKS_ADDED;
    // A row may leave and come back: the nodes of an epoch that has ended are those of the next one again.
    let stayed = before;
    const between = async () => {
      if (left-- <= 0) return;
      grow();
      const now = new Set(await whole());
      stayed = stayed.filter((cursor) => now.has(cursor));
    };
    const walked = await walk(page, { pageRows: 3, newestFirst, pagesMax: 1_000, between });
    const isStayed = new Set(stayed);
    expect(walked.map(({ cursor }) => cursor).filter((cursor) => isStayed.has(cursor))).toEqual(stayed);
    const after = new Set(await whole());
    // The places of rows that have moved are places still: between what is before them and what is after them.
    const all = (await page(`${WHOLE}&pagination.newestFirst=${newestFirst}`)).edges;
    const moved = before.filter((cursor) => !after.has(cursor)).slice(0, 12);
    for (const cursor of moved) await checkPlace(page, all, cursor, newestFirst, walk === walkForward);
  }
});
