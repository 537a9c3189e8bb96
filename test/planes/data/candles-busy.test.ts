// Candles of a busy market: what they say is what its trades say, and each trade is read once.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_LIMITS } from "../../../src/http/limits.ts";
import { dataApp } from "../../../src/planes/data/app.ts";
import { DataContext } from "../../../src/planes/data/context.ts";
import { DataPlane } from "../../../src/planes/data/plane.ts";
import { openReader } from "../../../src/store/database.ts";
import { compare } from "../../../src/wire/arithmetic.ts";
import { Field } from "../../../src/wire/block.ts";
import { encodeTrade } from "../../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { type MadeBlock, writeBlock, writeBlocks } from "../../history/fixtures.ts";

const MARKET = "a1".repeat(32);
/** A whole day, in seconds. */
const START = 1_767_225_600n;
const PLAIN_PRICES = ["2750000", "31", "999999999999999", "007"];
/** Beyond what a quick look takes. */
const ODD_PRICES = ["1000000000000000", `1${"0".repeat(40)}`];

interface MadeTrade {
  readonly second: bigint;
  readonly seq: number;
  readonly price: bigint;
  readonly size: bigint;
}

let seed = 7;
const random = (below: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

const trades: MadeTrade[] = [];

function block(height: number, second: bigint, count: number): MadeBlock {
  const events = Array.from({ length: count }, (_, i) => {
    const odd = random(500) === 0;
    const price = odd ? ODD_PRICES[random(2)]! : PLAIN_PRICES[random(4)]!;
    const size = odd ? 2n ** 50n : BigInt(random(1_000));
    trades.push({ second, seq: i + 1, price: BigInt(price), size });
    const id = (n: number) => n.toString(16).padStart(64, "0");
    const sides = { buyer: id(1), seller: id(2), buyOrder: id(3), sellOrder: id(4) };
    const message = encodeTrade({ id: id(trades.length), marketId: MARKET, price, size, ...sides });
    return { field: Field.trade, message, seq: i + 1 };
  });
  return { height, timeNs: second * SECOND_NS, events };
}

const home = mkdtempSync(join(tmpdir(), "lyra-candles-"));
// Twenty seconds apart over half an hour, the first hundred trades each; then one a quarter of a day later.
const trading = Array.from({ length: 90 }, (_, i) =>
  block(i + 1, START + BigInt(20 * i), i < 60 ? 110 : i % 3),
);
const { db: writing, writer } = writeBlocks(home, [...trading, block(91, START + 21_600n, 2)]);
const db = openReader(home);
const build = { version: "v", commit: "c" };
const fresh = () => {
  const app = dataApp(new DataPlane(new DataContext(db, { limits: DEFAULT_LIMITS, build })));
  return async (query: string) => {
    const response = await app.handle(new Request(`http://localhost/api/v2/candle?${query}`));
    return (await response.json()) as {
      candles: { edges: { node: unknown; cursor: string }[]; pageInfo: Info };
    };
  };
};
interface Info {
  readonly hasNextPage: boolean;
  readonly endCursor: string;
}
afterAll(() => {
  db.close();
  writing.close();
  rmSync(home, { recursive: true });
});

/** Candles as the trades say, oldest first. */
function model(seconds: bigint) {
  const periods = Map.groupBy(trades, ({ second }) => (second / seconds) * seconds);
  return [...periods].map(([start, all]) => {
    const prices = all.map(({ price }) => price);
    const times = all.map(({ second, seq }) => second * SECOND_NS + BigInt(seq) * 1000n);
    const [low, high] = [...prices].sort(compare).filter((_, i, { length }) => i === 0 || i === length - 1);
    return {
      start: String(start * SECOND_NS),
      lastUpdate: String(times.at(-1)),
      high: String(high ?? low),
      low: String(low),
      open: String(prices[0]),
      close: String(prices.at(-1)),
      volume: String(all.reduce((sum, { size }) => sum + size, 0n)),
    };
  });
}

const INTERVALS: ReadonlyArray<readonly [string, bigint]> = [
  ["1_minute", 60n],
  ["5_minutes", 300n],
  ["15_minutes", 900n],
  ["1_hour", 3600n],
  ["6_hours", 21_600n],
  ["1_day", 86_400n],
];

describe("candles of a busy market", () => {
  test.each(INTERVALS)(
    "of %s say what its trades say, the first time and again, in both directions",
    async (name, seconds) => {
      const get = fresh();
      const want = model(seconds);
      for (const newestFirst of [true, false, true]) {
        const paging = `candleId=trades_candle_${name}_${MARKET}&pagination.newestFirst=${newestFirst}`;
        const ordered = newestFirst ? want.toReversed() : want;
        expect((await get(paging)).candles.edges.map(({ node }) => node)).toEqual(ordered);
        const walked: unknown[] = [];
        for (let after = ""; ; ) {
          const { edges, pageInfo } = (await get(`${paging}&pagination.first=2${after}`)).candles;
          walked.push(...edges.map(({ node }) => node));
          if (!pageInfo.hasNextPage) break;
          after = `&pagination.after=${encodeURIComponent(pageInfo.endCursor)}`;
        }
        expect(walked).toEqual(ordered);
      }
    },
  );

  test("of a minute that is not over take up the trades that follow", async () => {
    const get = fresh();
    const newest = async () =>
      (await get(`candleId=trades_candle_5_minutes_${MARKET}&pagination.first=1`)).candles.edges[0]!.node;
    expect(await newest()).toEqual(model(300n).at(-1)!);
    writeBlock(writer, block(92, START + 21_610n, 3));
    expect(await newest()).toEqual(model(300n).at(-1)!);
    writeBlock(writer, block(93, START + 21_700n, 1));
    expect(await newest()).toEqual(model(300n).at(-1)!);
  });

  test("start each read where the last one ended, and read a minute that is over once", async () => {
    const get = fresh();
    const statements: string[] = [];
    const query = db.query.bind(db);
    db.query = ((sql: string) => {
      statements.push(sql);
      return query(sql);
    }) as typeof db.query;
    const countReads = async (paging: string) => {
      statements.length = 0;
      await get(`candleId=trades_candle_1_day_${MARKET}&${paging}`);
      return statements.filter((sql) => sql.includes("data FROM trades")).length;
    };
    try {
      const first = await countReads("pagination.first=1");
      expect(first).toBeGreaterThan(20);
      for (const sql of new Set(statements.filter((sql) => sql.includes("data FROM trades")))) {
        const plan = query(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
        expect(plan.map(({ detail }) => detail).join()).toMatch(/SEARCH trades USING .*\(block,ord\)[<>]/);
      }
      // The minute of the last block is not over.
      expect(await countReads("pagination.first=2")).toBe(1);
    } finally {
      db.query = query;
    }
  });

  test("of single trades, too, start each read where the last one ended", async () => {
    const sqls: string[] = [];
    const query = db.query.bind(db);
    db.query = ((sql: string) => {
      sqls.push(sql);
      return query(sql);
    }) as typeof db.query;
    try {
      for (const newestFirst of [true, false]) {
        sqls.length = 0;
        await fresh()(`candleId=trades_candle_1_minute_${MARKET}&pagination.newestFirst=${newestFirst}`);
        const reads = sqls.filter((sql) => sql.includes("data FROM trades"));
        expect(reads.length).toBe(Math.ceil(trades.length / 2_000));
        const plan = query(`EXPLAIN QUERY PLAN ${reads[0]!}`).all() as { detail: string }[];
        expect(plan.map(({ detail }) => detail).join()).toMatch(
          newestFirst ? /\(block,ord\)</ : /\(block,ord\)>/,
        );
      }
    } finally {
      db.query = query;
    }
  });
});
