// Pages of balance changes over HTTP: against the same statement and JSON.stringify behind a bare Bun.serve, against
// a static answer of the same size, and on a large store against a small one. Server, peer and load generator are
// processes of their own; peers take turns within a round.
// bun bench/pages.ts [--rows N] [--rounds N] [--binary PATH]
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openReader, storePath } from "../src/store/database.ts";
import { type BalanceStore, makeBalanceStore } from "./balance-store.ts";
import { type LoadResult, loadInChild } from "./load.ts";
import { median, startLyra } from "./support.ts";

const SMALL_ROWS = 10_000;
const CONNECTIONS = 16;
const MANY_CONNECTIONS = 64;
const MEASURE_MS = 1_500;
/** More than the page cache remembers as asked: a page that comes again would be kept, which costs as well. */
const PATHS = 20_000;
const START_NS = 1_700_000_000_000_000_000n;
const BLOCK_NS = 1_000_123_000n;
const ROWS_PER_BLOCK = 500;

/**
 * Different pages at random places of the history, so that nothing is answered from the page cache.
 * @param from part of the history before which no page begins: pages of a small store are as full as a large one's
 */
function uncachedPaths(rows: number, round: string, filter = "", from = 0): string[] {
  const blocks = Math.max(1, Math.floor(rows / ROWS_PER_BLOCK));
  return Array.from({ length: PATHS }, (_, i) => {
    const end = START_NS + BigInt(1 + Math.floor((from + Math.random() * (1 - from)) * blocks)) * BLOCK_NS;
    return `/api/v2/balance/changes?pagination.first=50${filter}&dateRange.endTimestamp=${end}&i=${round}-${i}`;
  });
}

async function startBare(home: string): Promise<{ port: number; stop(): void }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "bare-server.ts"), home], {
    stdout: "pipe",
  });
  const { value } = await child.stdout.getReader().read();
  return { port: Number(new TextDecoder().decode(value).trim()), stop: () => child.kill() };
}

interface Round {
  readonly page: LoadResult;
  readonly bare: LoadResult;
  readonly cached: LoadResult;
  readonly fixed: LoadResult;
}

async function comparePeers(home: string, rows: number, rounds: number, binary: string | undefined) {
  const lyra = await startLyra(home, binary);
  const bare = await startBare(home);
  const results: Round[] = [];
  const cachedPath = ["/api/v2/balance/changes?pagination.first=50"];
  const fixedPath = ["/api/v2/balance/changes?pagination.first=50&static"];
  for (let r = 0; r < rounds + 1; r++) {
    const paths = (name: string) => uncachedPaths(rows, `${r}${name}`);
    const load = (port: number, list: string[]) =>
      loadInChild({ port, paths: list, connections: CONNECTIONS, durationMs: MEASURE_MS });
    const round = {
      page: await load(lyra.port, paths("a")),
      bare: await load(bare.port, paths("b")),
      cached: await load(lyra.port, cachedPath),
      fixed: await load(bare.port, fixedPath),
    };
    // The first round warms both sides.
    if (r > 0) results.push(round);
  }
  const many = await loadInChild({
    port: lyra.port,
    paths: uncachedPaths(rows, "many"),
    connections: MANY_CONNECTIONS,
    durationMs: MEASURE_MS,
  });
  await lyra.stop();
  bare.stop();
  return {
    pagesPerSecond: median(results.map((r) => r.page.perSecond)),
    barePerSecond: median(results.map((r) => r.bare.perSecond)),
    ratioToBare: median(results.map((r) => r.page.perSecond / r.bare.perSecond)),
    cachedPerSecond: median(results.map((r) => r.cached.perSecond)),
    ratioToStatic: median(results.map((r) => r.cached.perSecond / r.fixed.perSecond)),
    p50Ms64: many.p50Ms,
    p99Ms64: many.p99Ms,
    p99ToP50: many.p99Ms / many.p50Ms,
    errors: results.reduce((sum, r) => sum + r.page.errors + r.cached.errors, 0),
  };
}

/** Pages of the tables that hold balances: by block, by party, and the current ones. */
function balanceBytes(home: string): number {
  const db = openReader(home);
  const sql = "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE 'balances%'";
  const { bytes } = db.query(sql).get() as { bytes: bigint };
  db.close();
  return Number(bytes);
}

/** Milliseconds a page costs the server, one request at a time. */
async function pageCost(
  large: string,
  small: string,
  stores: { large: BalanceStore; small: BalanceStore },
  rounds: number,
  binary: string | undefined,
) {
  const servers = { large: await startLyra(large, binary), small: await startLyra(small, binary) };
  const cost: Record<string, number> = {};
  for (const who of ["busyParty", "rareParty", "unknownParty"] as const) {
    const ratios: number[] = [];
    for (let r = 0; r < rounds + 1; r++) {
      const ms = async (size: "large" | "small") => {
        const store = stores[size];
        const filter = `&filter.partyIds=${store[who]}`;
        const paths = uncachedPaths(store.rows, `${who}${r}`, filter, 0.5);
        return (
          await loadInChild({ port: servers[size].port, paths, connections: 1, durationMs: MEASURE_MS })
        ).p50Ms;
      };
      const ratio = (await ms("large")) / (await ms("small"));
      if (r > 0) ratios.push(ratio);
    }
    cost[who] = median(ratios);
  }
  await servers.large.stop();
  await servers.small.stop();
  return cost;
}

export async function benchPages(rows: number, rounds: number, binary?: string) {
  const root = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  const homes = { large: join(root, "large"), small: join(root, "small") };
  try {
    const stores = {
      large: makeBalanceStore(homes.large, rows),
      small: makeBalanceStore(homes.small, SMALL_ROWS),
    };
    const bytesPerRow = balanceBytes(homes.large) / stores.large.rows;
    const bytesPerRowWithAll = statSync(storePath(homes.large)).size / stores.large.rows;
    const peers = await comparePeers(homes.large, stores.large.rows, rounds, binary);
    const costOfSize = await pageCost(homes.large, homes.small, stores, rounds, binary);
    return { rows: stores.large.rows, bytesPerRow, bytesPerRowWithAll, ...peers, costOfSize };
  } finally {
    rmSync(root, { recursive: true });
  }
}

if (import.meta.main) {
  const option = (name: string) => process.argv[process.argv.indexOf(name) + 1];
  const rows = process.argv.includes("--rows") ? Number(option("--rows")) : 10_000_000;
  const rounds = process.argv.includes("--rounds") ? Number(option("--rounds")) : 5;
  const binary = process.argv.includes("--binary") ? option("--binary") : undefined;
  if (binary && !existsSync(binary)) throw new Error(`there is no ${binary}`);
  console.log(JSON.stringify(await benchPages(rows, rounds, binary), undefined, 1));
}
