// Auctions of a market, held against the market data of the network's own interface.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Auctions } from "../../../src/http/chain-bodies.ts";
import { DEFAULT_LIMITS } from "../../../src/http/limits.ts";
import { DataContext } from "../../../src/planes/data/context.ts";
import { listAuctions } from "../../../src/planes/explorer/auctions.ts";
import { openReader } from "../../../src/store/database.ts";
import { openSample } from "../../support/sample-app.ts";

const home = mkdtempSync(join(tmpdir(), "lyra-auctions-"));
let sample: Awaited<ReturnType<typeof openSample>>;
beforeAll(async () => {
  sample = await openSample(home);
});
afterAll(() => {
  sample?.close();
  rmSync(home, { recursive: true, force: true });
});

const ask = (path: string) => sample.app.handle(new Request(`http://localhost${path}`));
const read = async <T>(path: string): Promise<T> => (await ask(path)).json() as Promise<T>;

interface MarketData {
  readonly timestamp: string;
  readonly auctionStart: string;
  readonly auctionEnd: string;
  readonly trigger: string;
  readonly marketTradingMode: string;
}
interface Page {
  readonly marketData: {
    readonly edges: readonly { readonly node: MarketData }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

/** All market data, newest first. */
async function marketData(market: string): Promise<MarketData[]> {
  const rows: MarketData[] = [];
  for (let after = ""; ; ) {
    const path = `/api/v2/market/data/${market}?startTimestamp=0&endTimestamp=4000000000000000000&pagination.first=1000${after}`;
    const { edges, pageInfo } = (await read<Page>(path)).marketData;
    rows.push(...edges.map(({ node }) => node));
    if (!pageInfo.hasNextPage) return rows;
    after = `&pagination.after=${encodeURIComponent(pageInfo.endCursor)}`;
  }
}

/** Nanoseconds of a time with nanoseconds. */
function nanoseconds(time: string): bigint {
  const [seconds = "", fraction = ""] = time.replace("Z", "").split(".");
  return BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}

test("begin, end and trigger are those that market data show, block by block", async () => {
  const { markets } = await read<{ markets: { edges: { node: { id: string } }[] } }>("/api/v2/markets");
  let seen = 0;
  for (const { node } of markets.edges) {
    const rows = await marketData(node.id);
    const { auctions, since } = await read<Auctions>(`/lyra/v1/markets/${node.id}/auctions`);
    expect(since).toBeNull();
    const starts = [...new Set(rows.map((row) => row.auctionStart))].filter((start) => start !== "0");
    expect(auctions.map(({ start }) => String(nanoseconds(start)))).toEqual(starts);
    for (const { start, left, end, trigger, mode } of auctions) {
      const of = rows.filter((row) => row.auctionStart === String(nanoseconds(start)));
      expect({ trigger, mode }).toEqual({ trigger: of[0]!.trigger, mode: of[0]!.marketTradingMode });
      expect(end === null ? "0" : String(nanoseconds(end))).toBe(of[0]!.auctionEnd);
      const after = rows[rows.indexOf(of[0]!) - 1];
      expect(left === null ? undefined : String(nanoseconds(left))).toBe(after?.timestamp);
      seen++;
    }
    const newest = auctions[0];
    if (newest?.left == null) continue;
    // Times that are asked for are whole seconds.
    const from = Math.ceil(Number(nanoseconds(newest.left) / 1_000_000n) / 1_000) + 1;
    expect((await read<Auctions>(`/lyra/v1/markets/${node.id}/auctions?from=${from}`)).auctions).toEqual([]);
  }
  expect(seen).toBeGreaterThan(0);
});

test("an unknown market is 404, and a time in words 400", async () => {
  expect((await ask(`/lyra/v1/markets/${"ab".repeat(32)}/auctions`)).status).toBe(404);
  expect((await ask("/lyra/v1/markets/none/auctions")).status).toBe(404);
  const { markets } = await read<{ markets: { edges: { node: { id: string } }[] } }>("/api/v2/markets");
  const { id } = markets.edges[0]!.node;
  expect((await ask(`/lyra/v1/markets/${id}/auctions?from=today`)).status).toBe(400);
});

test("times are put into words for auctions alone, not for each block", async () => {
  const db = openReader(home);
  const build = { version: "v0.71.6", commit: "test" };
  const context = new DataContext(db, { limits: DEFAULT_LIMITS, build, home });
  let times = 0;
  const timeNs = context.timeNs.bind(context);
  context.timeNs = (block) => {
    times++;
    return timeNs(block);
  };
  const { markets } = await read<{ markets: { edges: { node: { id: string } }[] } }>("/api/v2/markets");
  let auctions = 0;
  for (const { node } of markets.edges) auctions += listAuctions(context, node.id, 0).auctions.length;
  expect(times).toBeLessThanOrEqual(auctions);
  db.close();
});
