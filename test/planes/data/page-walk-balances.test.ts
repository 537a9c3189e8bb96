// Balance changes over random chains: the rows are those of a plain model of
// docs/protocol/10-data-api-endpoints.md#41-listbalancechanges.
import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { DEFAULT_LIMITS } from "../../../src/http/limits.ts";
import { dataApp } from "../../../src/planes/data/app.ts";
import { DataContext } from "../../../src/planes/data/context.ts";
import { DataPlane } from "../../../src/planes/data/plane.ts";
import { accountHash } from "../../../src/store/ids.ts";
import { Field } from "../../../src/wire/block.ts";
import { enumDescriptor } from "../../../src/wire/descriptors.ts";
import { canonicalIdentifier } from "../../../src/wire/identifiers.ts";
import { blocksArbitrary, type PlacedEvent, RandomChain } from "../../support/random-chain.ts";
import { ASSETS, BUSY_PARTIES, MARKETS } from "../../support/random-values.ts";
import { runs, SEED } from "../../support/seed.ts";
import { type Edge, type Page, pagesOf } from "../../support/walk.ts";

const chain = new RandomChain();
chain.write(fc.sample(blocksArbitrary(30, 8), { seed: SEED, numRuns: 1 })[0]!);
afterAll(() => chain.close());

const typeNames = enumDescriptor("vega.AccountType").nameOf;

interface ModelRow {
  readonly no: number;
  readonly hash: string;
  readonly node: Edge["node"];
}

/** The last balance of each account and block, by block and account id. */
function model(events: readonly PlacedEvent[]): ModelRow[] {
  const rows = new Map<string, ModelRow>();
  for (const { field, message, no, timeNs } of events) {
    if (field !== Field.account) continue;
    const node = {
      timestamp: String(timeNs),
      balance: message.balance,
      partyId: message.owner === "*" ? "network" : canonicalIdentifier(message.owner),
      assetId: canonicalIdentifier(message.asset),
      marketId: message.marketId === "!" ? "" : canonicalIdentifier(message.marketId),
      accountType: typeNames.get(message.type),
    };
    const hash = Buffer.from(accountHash(node.assetId, node.partyId, node.marketId, message.type));
    rows.set(`${no} ${hash.toString("hex")}`, { no, hash: hash.toString("hex"), node });
  }
  return [...rows.values()].sort((a, b) => a.no - b.no || (a.hash < b.hash ? -1 : 1));
}

const rows = model(chain.events);
const times = [...new Set(rows.map(({ node }) => BigInt(node.timestamp)))];
const someOf = (values: readonly string[]) => fc.subarray([...values], { maxLength: 3 });
const filter = fc.record(
  {
    assetId: fc.constantFrom(...ASSETS.slice(0, 3)),
    partyIds: someOf([...BUSY_PARTIES, "network"]),
    marketIds: someOf(MARKETS.slice(0, 4)),
    accountTypes: fc.subarray([1, 3, 4, 9, 12], { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
/** Bounds on, just before and just after the times of blocks; also the wrong way round. */
const bound = fc.tuple(fc.constantFrom(...times), fc.constantFrom(-1000n, -1n, 0n, 1n, 999n, 1000n));
const dateRange = fc.record(
  { startTimestamp: bound.map(([t, d]) => t + d), endTimestamp: bound.map(([t, d]) => t + d) },
  { requiredKeys: [] },
);

const floorUs = (ns: bigint) => ns / 1000n;

test(`the rows are those of the model, whatever the filter (seed ${SEED})`, async () => {
  const property = fc.asyncProperty(filter, dateRange, fc.boolean(), async (by, range, newestFirst) => {
    const query = new URLSearchParams({ "pagination.first": "10000" });
    query.set("pagination.newestFirst", String(newestFirst));
    for (const [name, value] of Object.entries(by))
      for (const one of [value].flat()) query.append(`filter.${name}`, String(one));
    for (const [name, value] of Object.entries(range)) query.set(`dateRange.${name}`, String(value));
    const expected = rows.filter(({ node }) => {
      const timeUs = floorUs(BigInt(node.timestamp));
      if (by.assetId !== undefined && node.assetId !== by.assetId) return false;
      if (by.partyIds?.length && !by.partyIds.includes(node.partyId)) return false;
      if (by.marketIds?.length && !by.marketIds.includes(node.marketId)) return false;
      if (
        by.accountTypes?.length &&
        !by.accountTypes.some((type) => typeNames.get(type) === node.accountType)
      )
        return false;
      if (range.startTimestamp !== undefined && timeUs < floorUs(range.startTimestamp)) return false;
      return range.endTimestamp === undefined || timeUs < floorUs(range.endTimestamp);
    });
    if (newestFirst) expected.reverse();
    const { edges } = await pagesOf(chain.get, `/api/v2/balance/changes?${query}`)("");
    expect(edges.map(({ node }) => node)).toEqual(expected.map(({ node }) => node));
  });
  await fc.assert(property, { seed: SEED, numRuns: runs(200) });
});

test(`a page that may look at few rows ends early, and a walk still gives all of them (seed ${SEED})`, async () => {
  for (const rowsPassedMax of [1, 7, 60]) {
    const limits = { ...DEFAULT_LIMITS, rowsPassedMax };
    const context = new DataContext(chain.context.db, { limits, build: chain.context.build });
    const app = dataApp(new DataPlane(context));
    const get = async (path: string) => app.handle(new Request(`http://localhost${path}`));
    let early = 0;
    const walks = fc.record({
      filter,
      newestFirst: fc.boolean(),
      backward: fc.boolean(),
      size: fc.integer({ min: 1, max: 9 }),
    });
    const property = fc.asyncProperty(walks, async ({ filter: by, newestFirst, backward, size }) => {
      const query = new URLSearchParams({ "pagination.newestFirst": String(newestFirst) });
      for (const [name, value] of Object.entries(by))
        for (const one of [value].flat()) query.append(`filter.${name}`, String(one));
      const path = `/api/v2/balance/changes?${query}`;
      const want = (await pagesOf(chain.get, path)("pagination.first=10000")).edges.map(({ node }) => node);
      // Not `pagesOf`: the outer cursors of a page that ended early are not those of its rows.
      const page = async (paging: string) => {
        const { balances } = (await (await get(`${path}&${paging}`)).json()) as { balances: Page };
        return balances;
      };
      const walked: Edge["node"][] = [];
      for (let at = ""; ; ) {
        const { edges, pageInfo } = await page(`pagination.${backward ? "last" : "first"}=${size}${at}`);
        const nodes = edges.map(({ node }) => node);
        if (backward) walked.unshift(...nodes);
        else walked.push(...nodes);
        if (!(backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) break;
        if (edges.length < size) early++;
        const place = backward ? pageInfo.startCursor : pageInfo.endCursor;
        expect(at).not.toContain(encodeURIComponent(place));
        at = `&pagination.${backward ? "before" : "after"}=${encodeURIComponent(place)}`;
      }
      expect(walked).toEqual(want);
    });
    await fc.assert(property, { seed: SEED, numRuns: runs(30) });
    expect(early).toBeGreaterThan(0);
  }
});
