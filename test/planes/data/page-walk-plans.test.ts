// The cost of a page: SQLite's own plan of every query behind every list (EXPLAIN QUERY PLAN). A page is read from an
// index, in order, so that its cost does not grow with the history; whatever is not so stands in the table below.
import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { LISTS, type ListForms, pathOf } from "../../support/lists.ts";
import { blocksArbitrary, RandomChain } from "../../support/random-chain.ts";
import { pagesOf } from "../../support/walk.ts";

/**
 * `scan`: rows that the filter does not want are read and passed over, in order, up to the end of the page.
 * `sort`: all rows that the filter wants are read and sorted for each page.
 */
type Cost = "scan" | "sort";

/** Path and parameters of a form, what it costs, and why that is right. */
const EXCEPTIONS: ReadonlyArray<readonly [form: string, costs: readonly Cost[], why: string]> = [
  ["accounts ?filter.partyIds&filter.partyIds&filter.partyIds", ["sort"], "a few parties' accounts"],
  ["accounts ?filter.accountTypes", ["scan"], "a type has a large share of all accounts"],
  ["balance/changes ?filter.assetId", ["scan"], "of more accounts than are read party by party"],
  ["balance/changes ?filter.marketIds&filter.marketIds", ["scan"], "the same"],
  ["rewards/epoch/summaries ?filter.assetIds", ["scan"], "a few sums an epoch"],
  ["rewards/epoch/summaries ?filter.marketIds", ["scan"], "a few sums an epoch"],
  ["delegations ?epochId", ["sort"], "one epoch's delegations"],
  ["nodes ?epochSeq", ["scan"], "validators are few"],
  ["chain/keys/ethereum/rotations ?nodeId", ["scan"], "a validator's key changes are rare"],
  ["governances ?", ["sort"], "the votes of a page's proposals"],
  ["governances ?proposerPartyId", ["scan", "sort"], "the votes; proposals are few"],
  ["governances ?proposalState", ["scan", "sort"], "the votes; proposals are few"],
  ["governances ?proposalReference", ["sort"], "the votes; few proposals share a reference"],
  ["upgrade/proposals ?approvedBy", ["scan", "sort"], "one proposal a release"],
  ["upgrade/proposals ?status", ["scan", "sort"], "one proposal a release"],
  ["markets ?includeSettled", ["scan"], "markets are few"],
  ["orders ?filter.liveOnly", ["scan", "sort"], "an index holds the live orders alone"],
  ["orders ?filter.reference", ["scan"], "no index by reference; a client names its party with it"],
  ["orders ?filter.statuses", ["scan"], "a status has a large share of all orders"],
  ["order/versions/{order_id} ?", ["sort"], "the versions of one order"],
  ["positions ?filter.partyIds&filter.partyIds&filter.partyIds", ["sort"], "a few parties' positions"],
  ["positions ?filter.marketIds", ["sort"], "one market's current positions"],
  ["margin/levels ?partyId", ["sort"], "one party's margin accounts"],
  ["margin/levels ?marketId", ["sort"], "one market's margin accounts"],
  ["liquidity/provisions ?partyId&live", ["scan", "sort"], "current provisions are few"],
];

const chain = new RandomChain();
chain.write(fc.sample(blocksArbitrary(30, 14), { seed: 3, numRuns: 1 })[0]!);
const { db } = chain.context;
const query = db.query.bind(db) as (sql: string) => ReturnType<typeof db.query>;
const statements = new Set<string>();
db.query = ((sql: string) => {
  statements.add(sql);
  return query(sql);
}) as typeof db.query;
afterAll(() => chain.close());

function formOf(list: ListForms, parameters: string): string {
  return `${list.path.replace("/api/v2/", "")} ?${parameters.replaceAll(/=[^&]*/g, "")}`;
}

function costsOf(sql: string, isFirstPageOfAll: boolean): Cost[] {
  const plan = query(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
  const costs: Cost[] = [];
  for (const { detail } of plan) {
    // Not "LAST n TERMS": those sort what shares a block or an epoch.
    if (detail === "USE TEMP B-TREE FOR ORDER BY") costs.push("sort");
    // Of a table; subqueries in parentheses, JSON lists (virtual) and the recursive `v` are not. The few eras (`e`) are walked.
    const isTable = /^SCAN \w+(?! VIRTUAL)/.test(detail) && !/^SCAN [ve]\b|VIRTUAL/.test(detail);
    if (isTable && !isFirstPageOfAll && !/LIMIT 1$/.test(sql)) costs.push("scan");
  }
  return costs;
}

async function costsOfForm(list: ListForms, parameters: string): Promise<Cost[]> {
  const page = pagesOf(chain.get, pathOf(list, parameters));
  const costs = new Set<Cost>();
  const ask = async (paging: string, isFirstPageOfAll: boolean) => {
    statements.clear();
    const { edges } = await page(paging);
    for (const sql of [...statements]) for (const cost of costsOf(sql, isFirstPageOfAll)) costs.add(cost);
    return edges;
  };
  const edges = await ask("pagination.first=20", parameters === "");
  expect(edges.length).toBeGreaterThan(1);
  const at = encodeURIComponent(edges[1]!.cursor);
  await ask(`pagination.first=2&pagination.after=${at}`, false);
  if (!list.newestOnly)
    await ask(`pagination.first=2&pagination.newestFirst=false&pagination.after=${at}`, false);
  if (!list.forwardOnly) await ask(`pagination.last=2&pagination.before=${at}`, false);
  return [...costs].sort();
}

const forms = LISTS.flatMap((list) =>
  list.queries.map((parameters): [string, ListForms, string] => [formOf(list, parameters), list, parameters]),
);

test.each(forms)("%s", async (form, list, parameters) => {
  const exception = EXCEPTIONS.find(([name]) => name === form);
  expect(await costsOfForm(list, parameters)).toEqual([...(exception?.[1] ?? [])]);
});

test("every exception is a form of a list", () => {
  const names = new Set(forms.map(([form]) => form));
  expect(EXCEPTIONS.map(([form]) => form).filter((form) => !names.has(form))).toEqual([]);
});

test("trades of an order are found by its id, whatever else is asked of them", async () => {
  const id = "ab".repeat(32);
  for (const more of ["", `&marketIds=${id}`, `&partyIds=${id}`, `&partyIds=${id}&marketIds=${id}`]) {
    statements.clear();
    await pagesOf(chain.get, `/api/v2/trades?orderIds=${id}${more}`)("pagination.first=5");
    const details = [...statements]
      .filter((sql) => sql.includes("FROM trades"))
      .flatMap((sql) => query(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[])
      .map(({ detail }) => detail)
      .filter((detail) => / trades\b/.test(detail));
    expect(details.length).toBe(2);
    for (const detail of details) expect(detail).toMatch(/trades_by_(?:buy|sell)_order/);
  }
});
