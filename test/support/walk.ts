// Walking a list page by page, and what must hold on the way
// (docs/protocol/10-data-api-serving.md#34-page-assembly-and-pageinfo).
import { expect } from "bun:test";

// biome-ignore lint/suspicious/noExplicitAny: nodes of every list
export type Edge = { node: any; cursor: string };

export interface Page {
  readonly edges: Edge[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string;
    readonly endCursor: string;
  };
}

export type GetPage = (query: string) => Promise<Page>;

/** Pages of one list; queries are added to `path`. */
export function pagesOf(get: (path: string) => Promise<Response>, path: string): GetPage {
  const joined = path.includes("?") ? `${path}&` : `${path}?`;
  return async (query) => {
    const response = await get(joined + query);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${joined}${query}: ${response.status} ${text}`);
    const page = findPage(JSON.parse(text));
    if (!page) throw new Error(`${joined}${query}: no page in ${text.slice(0, 200)}`);
    checkCursors(page);
    return page;
  };
}

function findPage(body: unknown): Page | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  if ("edges" in body && "pageInfo" in body) return body as Page;
  for (const member of Object.values(body)) {
    const pageInfo = findPage(member);
    if (pageInfo) return pageInfo;
  }
  return undefined;
}

function checkCursors({ edges, pageInfo }: Page): void {
  const ends = [edges[0]?.cursor ?? "", edges.at(-1)?.cursor ?? ""];
  expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual(ends);
}

export interface WalkOptions {
  readonly pageRows: number;
  readonly newestFirst: boolean;
  /** Called between two pages. Its changes may make flags untrue, so they are not checked then. */
  readonly between?: () => void | Promise<void>;
  /** A walk that needs more pages than this does not end. */
  readonly pagesMax: number;
}

export type Walk = (page: GetPage, options: WalkOptions) => Promise<Edge[]>;

/** All edges by `first` and `after`. Every flag is checked: something is behind all pages but the first. */
export async function walkForward(page: GetPage, options: WalkOptions): Promise<Edge[]> {
  const edges: Edge[] = [];
  let after = "";
  for (let pages = 1; ; pages++) {
    const { pageRows, newestFirst } = options;
    const answer = await page(`pagination.first=${pageRows}&pagination.newestFirst=${newestFirst}${after}`);
    checkSize(answer, pageRows);
    if (!options.between) expect(answer.pageInfo.hasPreviousPage).toBe(pages > 1);
    edges.push(...answer.edges);
    if (!answer.pageInfo.hasNextPage) return edges;
    checkEnds(answer, pages, options);
    after = `&pagination.after=${encodeURIComponent(answer.pageInfo.endCursor)}`;
    await options.between?.();
  }
}

/** All edges, in the order of display, by `last` and `before`. */
export async function walkBackward(page: GetPage, options: WalkOptions): Promise<Edge[]> {
  const parts: Edge[][] = [];
  let before = "";
  for (let pages = 1; ; pages++) {
    const { pageRows, newestFirst } = options;
    const answer = await page(`pagination.last=${pageRows}&pagination.newestFirst=${newestFirst}${before}`);
    checkSize(answer, pageRows);
    if (!options.between) expect(answer.pageInfo.hasNextPage).toBe(pages > 1);
    parts.unshift(answer.edges);
    if (!answer.pageInfo.hasPreviousPage) return parts.flat();
    checkEnds(answer, pages, options);
    before = `&pagination.before=${encodeURIComponent(answer.pageInfo.startCursor)}`;
    await options.between?.();
  }
}

function checkSize({ edges }: Page, pageRows: number): void {
  expect(edges.length).toBeLessThanOrEqual(pageRows);
}

/** A page that says more follow has a row to go on from. */
function checkEnds({ edges }: Page, pages: number, { pagesMax }: WalkOptions): void {
  expect(edges.length).toBeGreaterThan(0);
  if (pages >= pagesMax) throw new Error(`the walk has not ended after ${pages} pages`);
}

/** The page just after, and the one just before, each row of a list. */
export async function checkEveryCursor(page: GetPage, whole: readonly Edge[], newestFirst: boolean) {
  for (const [i, { cursor }] of whole.entries()) {
    const at = encodeURIComponent(cursor);
    const order = `pagination.newestFirst=${newestFirst}`;
    const next = await page(`pagination.first=2&pagination.after=${at}&${order}`);
    expect(next.edges).toEqual(whole.slice(i + 1, i + 3));
    expect([next.pageInfo.hasPreviousPage, next.pageInfo.hasNextPage]).toEqual([true, i + 3 < whole.length]);
    const previous = await page(`pagination.last=2&pagination.before=${at}&${order}`);
    expect(previous.edges).toEqual(whole.slice(Math.max(0, i - 2), i));
    expect([previous.pageInfo.hasNextPage, previous.pageInfo.hasPreviousPage]).toEqual([true, i - 2 > 0]);
  }
}

/** A cursor whose row is gone still parts the list, and the flags say truthfully what is on its other side. */
export async function checkPlace(
  page: GetPage,
  whole: readonly Edge[],
  cursor: string,
  newestFirst: boolean,
  isForward: boolean,
): Promise<void> {
  const at = `${encodeURIComponent(cursor)}&pagination.newestFirst=${newestFirst}`;
  if (isForward) {
    const { edges, pageInfo } = await page(`pagination.first=10000&pagination.after=${at}`);
    expect(edges).toEqual(edges.length === 0 ? [] : whole.slice(-edges.length));
    expect([pageInfo.hasPreviousPage, pageInfo.hasNextPage]).toEqual([edges.length < whole.length, false]);
  } else {
    const { edges, pageInfo } = await page(`pagination.last=10000&pagination.before=${at}`);
    expect(edges).toEqual(whole.slice(0, edges.length));
    expect([pageInfo.hasNextPage, pageInfo.hasPreviousPage]).toEqual([edges.length < whole.length, false]);
  }
}
