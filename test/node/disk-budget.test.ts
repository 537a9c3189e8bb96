// Old rows go, current state never; what is gone is said, and nothing of it is damage.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { exportChunks } from "../../src/history/export.ts";
import { planExport } from "../../src/history/export-plan.ts";
import { RowSource } from "../../src/history/rows/source.ts";
import { checkRows } from "../../src/history/segment-check.ts";
import { listSegments } from "../../src/history/segment-table.ts";
import { EXPORT_TABLES, tableNumber } from "../../src/history/tables.ts";
import { DiskBudget } from "../../src/node/disk-budget.ts";
import { homeSize, totalOf } from "../../src/node/home-size.ts";
import { Loading } from "../../src/node/loading.ts";
import { startNode } from "../../src/start-node.ts";
import { checkCopy } from "../../src/store/copy.ts";
import { checkpoint, openReader, openWriter, segmentDirectory, storePath } from "../../src/store/database.ts";
import { readHead } from "../../src/store/head.ts";
import { PRUNABLE_TABLES, readFloors } from "../../src/store/retention.ts";
import { TxSweep } from "../../src/store/tx-sweep.ts";
import { MEMORY } from "../rig/homes.ts";
import { Lyra } from "../rig/lyra.ts";
import { anyMoment } from "../support/eventually.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const SAMPLE = "data/sample.evts.gz";
const folder = mkdtempSync(join(MEMORY, "lyra-budget-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Disk = { readonly bytes: number | undefined; readonly retention: "archive" | "standard" | "lite" };
const ALL: Disk = { bytes: undefined, retention: "archive" };

function loadingOf(home: string, disk: Disk): Loading {
  return new Loading(home, { segmentLength: 100, segments: undefined, disk });
}

async function load(name: string, file: string, disk: Disk): Promise<string> {
  const home = join(folder, name);
  const loading = loadingOf(home, disk);
  await loading.replay([file], {});
  await loading.segmentsMade();
  await loading.prune();
  await loading.close();
  return home;
}

function copyOf(home: string, name: string): string {
  const copy = join(folder, name);
  cpSync(home, copy, { recursive: true });
  return copy;
}

async function prune(home: string, disk: Disk): Promise<void> {
  const loading = loadingOf(home, disk);
  await loading.segmentsMade();
  await loading.prune();
  await loading.close();
}

/** Everything but history: each table as one text; orders that have ended belong to history. */
function stateOf(home: string): Record<string, string> {
  const db = openReader(home);
  const sql =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
  const history = new Set([
    ...PRUNABLE_TABLES.map(({ name }) => name),
    ...["balances_by_party", "ledger_by_party", "segments", "retention"],
  ]);
  const names = (db.query(sql).all() as { name: string }[]).map(({ name }) => name);
  const texts = names
    .filter((name) => !history.has(name))
    .map((name) => {
      const where = name === "orders_current" ? "WHERE live = 1" : "";
      const rows = db.query(`SELECT * FROM ${name} ${where}`).values();
      return [name, JSON.stringify(rows.map((row) => row.map(String)).sort())] as const;
    });
  const pointed = [
    ["orders", "SELECT o.data FROM orders_current c JOIN orders o USING(block, ord) WHERE c.live = 1"],
    ["markets", "SELECT m.data FROM markets_current c JOIN markets m USING(block, id)"],
    ["positions", "SELECT p.state FROM positions_current c JOIN positions p USING(block, party, market)"],
    [
      "margin_levels",
      "SELECT m.data FROM margin_levels_current c JOIN margin_levels m USING(block, account)",
    ],
    [
      "market_data",
      "SELECT (SELECT data FROM market_data d WHERE d.market = c.id ORDER BY block DESC, ord DESC LIMIT 1) FROM markets_current c",
    ],
  ].map(
    ([name, query]) => [`current ${name}`, String(db.query(query!).values().map(String).sort())] as const,
  );
  db.close();
  return Object.fromEntries([...texts, ...pointed]);
}

async function expectSound(home: string): Promise<void> {
  const db = openReader(home);
  expect(db.query("PRAGMA integrity_check(5)").values()).toEqual([["ok"]]);
  for (const row of listSegments(db)) await checkRows(db, segmentDirectory(home), row);
  db.close();
}

function segmentIds(home: string): string[] {
  const db = openReader(home);
  const ids = listSegments(db).map(({ id }) => id);
  db.close();
  return ids;
}

function floorsOf(home: string): Record<string, number> {
  const db = openReader(home);
  const floors = Object.fromEntries([...readFloors(db)].map(([name, { height }]) => [name, height]));
  db.close();
  return floors;
}

/** Three days of a devnet, as an event file. */
async function recordDays(record: string): Promise<void> {
  const devnet = await startTestDevnet({ record, fund: false });
  const dollar = madeUpAssetId("dUSD");
  for (let hours = 0; hours < 72; hours += 6) {
    await devnet.chain.forwardTime(6n * 3_600_000_000_000n);
    for (const party of ["0a", "0b", "0c"]) await devnet.chain.bridge.deposit(party.repeat(32), dollar, 5n);
    await devnet.chain.mine(40);
  }
  await devnet.stop();
}

const DAYS = join(folder, "days.evts");
let sample: string;
let days: string;
beforeAll(async () => {
  await recordDays(DAYS);
  sample = await load("sample", SAMPLE, ALL);
  days = await load("days", DAYS, ALL);
});

describe("a budget", () => {
  test("given less than the home takes, then rows and segments go, current state stays, the rest is as it was", async () => {
    const home = copyOf(sample, "budget");
    const budget = Math.round(totalOf(homeSize(sample)) * 0.7);
    await prune(home, { bytes: budget, retention: "archive" });
    expect(Object.keys(floorsOf(home)).length).toBeGreaterThan(0);
    expect(stateOf(home)).toEqual(stateOf(sample));
    const left = segmentIds(home);
    expect(left.length).toBeLessThan(segmentIds(sample).length);
    expect(segmentIds(sample).slice(-left.length)).toEqual(left);
    expect(homeSize(home).segmentBytes).toBeLessThanOrEqual(budget / 5);
    await expectSound(home);
    expect(() => checkCopy(storePath(home), "foreign")).toThrow(
      "older rows were removed from it by a disk budget",
    );
  });

  test("given enough, then nothing goes; a plan changes nothing", async () => {
    const home = copyOf(sample, "enough");
    await prune(home, { bytes: 1e9, retention: "archive" });
    expect(floorsOf(home)).toEqual({});
    const loading = loadingOf(home, { bytes: 1_200_000, retention: "archive" });
    await loading.segmentsMade();
    const { tables, segments } = loading.prunePlan();
    expect(tables.length).toBeGreaterThan(0);
    expect(segments.length).toBeGreaterThan(0);
    await loading.close();
    expect(floorsOf(home)).toEqual({});
    expect(segmentIds(home)).toEqual(segmentIds(sample));
  });

  test("given rows that no segment has, then they stay", async () => {
    const home = join(folder, "no-segments");
    const disk = { bytes: 100_000, retention: "archive" } as const;
    const loading = new Loading(home, { segmentLength: 1_000_000, segments: undefined, disk });
    await loading.replay([SAMPLE], {});
    await loading.prune();
    await loading.close();
    expect(floorsOf(home)).toEqual({});
  });
});

describe("a retention", () => {
  test("given a machine on which a second passes at each look at the clock, then it is not over too soon", async () => {
    const [quick, slow] = [copyOf(days, "quick"), copyOf(days, "slow")];
    await prune(quick, { bytes: undefined, retention: "lite" });
    const db = openWriter(slow);
    let nowMs = 0;
    const clock = { steadyMs: () => (nowMs += 1_000) };
    const budget = new DiskBudget(slow, db, { bytes: undefined, retention: "lite" }, clock);
    const head = readHead(db)!;
    budget.lookAgain();
    do {
      db.run("BEGIN IMMEDIATE");
      budget.beforeCommit(head);
      db.run("COMMIT");
      budget.afterCommit(true);
    } while (!budget.isDone);
    db.close();
    expect(floorsOf(slow)).toEqual(floorsOf(quick));
  });

  test("given lite, then a day is kept, by the chain's time, while the file is loaded and after it", async () => {
    const home = copyOf(days, "lite");
    await prune(home, { bytes: undefined, retention: "lite" });
    const db = openReader(home);
    const head = db.query("SELECT max(time) AS time FROM blocks").get() as { time: bigint };
    for (const { name, days } of PRUNABLE_TABLES) {
      if (days === undefined) continue;
      const floor = readFloors(db).get(name);
      if (floor === undefined) {
        // The recording has no results of transactions.
        expect([name, db.query(`SELECT 1 FROM ${name} LIMIT 1`).get()]).toEqual([name, null]);
        continue;
      }
      const keptUs = Number(head.time) - floor.timeUs;
      expect([name, keptUs > 86_400_000_000]).toEqual([name, true]);
    }
    const sql = "SELECT count(*) AS rows FROM ledger WHERE block <= ?";
    const removed = db.query(sql).get(readFloors(db).get("ledger")!.no) as { rows: bigint };
    expect(removed.rows).toBe(0n);
    db.close();
    expect(stateOf(home)).toEqual(stateOf(days));
    expect(segmentIds(home)).toEqual(segmentIds(days));
    await expectSound(home);
    const again = await load("lite-loaded", DAYS, { bytes: undefined, retention: "lite" });
    expect(segmentIds(again)).toEqual(segmentIds(days));
    expect(floorsOf(again)).toEqual(floorsOf(home));
    expect(stateOf(again)).toEqual(stateOf(days));
  });

  test("given removed rows, then exports of them come from segments as before, and requests say what is gone", async () => {
    const home = copyOf(days, "asked");
    await prune(home, { bytes: undefined, retention: "lite" });
    const exported = async (from: string) => {
      const db = openReader(from);
      const segments = listSegments(db);
      const hash = new Bun.CryptoHasher("sha256");
      const range = { from: BigInt(segments[0]!.from), to: BigInt(segments[1]!.to), manifest: true };
      const plan = await planExport(segmentDirectory(from), segments, {
        table: tableNumber("ledger"),
        ...range,
      });
      for await (const chunk of exportChunks(plan)) hash.update(chunk);
      db.close();
      return hash.digest("hex");
    };
    expect(await exported(home)).toBe(await exported(days));
    const node = await startNode({ kind: "data", home });
    const api = `${node.dataUrl}/api/v2`;
    const ledger = await fetch(`${api}/ledgerentry/history`);
    const { ledger: height } = floorsOf(home) as { ledger: number };
    expect(ledger.headers.get("x-history-from")).toBe(String(height + 1));
    expect((await fetch(`${api}/accounts`)).headers.get("x-history-from")).toBeNull();
    const historyFrom = async (query: string) =>
      (await fetch(`${node.dataUrl}/graphql?query=${encodeURIComponent(query)}`)).headers.get(
        "x-history-from",
      );
    const entries = "ledgerEntries{edges{cursor}}";
    expect(await historyFrom(`{${entries} networkLimits{canProposeAsset}}`)).toBe(String(height + 1));
    expect(await historyFrom("{networkLimits{canProposeAsset}}")).toBeNull();
    const status = (await (await fetch(`${node.dataUrl}/status`)).json()) as {
      disk: { historyFrom: Record<string, number>; text: string };
    };
    expect(status.disk.historyFrom.ledger).toBe(height + 1);
    expect(status.disk.text).toContain("older rows are removed, the shortest history reaches");
    await node.stop();
  });
});

test("given a budget that removes rows while they are compared with a segment, then that is not damage", async () => {
  const home = copyOf(sample, "compared");
  const bytes = Math.round(totalOf(homeSize(sample)) * 0.65);
  let pruned: Promise<unknown> | undefined;
  const db = openReader(home);
  const onTable = async () => {
    pruned ??= prune(home, { bytes, retention: "archive" });
    await pruned;
  };
  await checkRows(db, segmentDirectory(home), listSegments(db)[0]!, { onSlice: async () => {}, onTable });
  db.close();
  expect(Object.values(floorsOf(home)).some((height) => height > 0)).toBe(true);
});

test("given rows that are made to lines, then the log can start at each of them", async () => {
  const home = copyOf(sample, "unpinned");
  const writer = openWriter(home);
  writer.run("CREATE TABLE written(n)");
  const db = openReader(home);
  const source = new RowSource(db);
  for (const { name, lines } of EXPORT_TABLES) {
    let seen = 0;
    for (const _ of lines(source, { first: 1, last: 10_000 })) {
      if (++seen > 3) break;
      await source.yieldTo(async () => {
        writer.run("INSERT INTO written VALUES(1)");
        expect({ name, busy: checkpoint(writer, "TRUNCATE").busy }).toEqual({ name, busy: 0n });
      });
    }
  }
  source.close();
  db.close();
  writer.close();
});

test("given hashes that no row has any more, then they go, and every row still finds its own", async () => {
  const home = copyOf(sample, "hashes");
  await prune(home, { bytes: Math.round(totalOf(homeSize(sample)) * 0.65), retention: "archive" });
  const db = openWriter(home);
  const no = Math.min(...[...readFloors(db).values()].map((floor) => floor.no));
  const tables = db
    .query(
      "SELECT s.name FROM sqlite_schema s WHERE s.type = 'table' AND s.name NOT LIKE 'chain_%' AND (SELECT count(*) FROM pragma_table_info(s.name) WHERE name IN ('tx', 'block')) = 2",
    )
    .values()
    .map(([name]) => String(name));
  const newer = tables.map((name) =>
    Number(
      db
        .query(`SELECT coalesce(min(tx), 1000000000) AS tx FROM ${name} WHERE block > ? AND tx > 1`)
        .values(no)[0]![0],
    ),
  );
  // As the note of that block would have it.
  const last = Math.min(...newer) - 1;
  const note = `tx:${String(no).padStart(12, "0")}`;
  db.query("INSERT INTO retention(name, value) VALUES(?, ?)").run(note, String(last));
  const count = () => Number(db.query("SELECT count(*) AS n FROM txs").values()[0]![0]);
  const before = count();
  const sweep = new TxSweep(db, 1);
  // A clock that is past its end each time: a piece at a time.
  let deleted = 0;
  for (let turn = 0; turn < 2_000; turn++) deleted += sweep.sweepUntil(0, no, () => 1);
  expect(deleted).toBeGreaterThan(0);
  expect(count()).toBe(before - deleted);
  for (const name of tables) {
    const lost = db
      .query(`SELECT count(*) AS n FROM ${name} WHERE tx > 1 AND tx NOT IN (SELECT id FROM txs)`)
      .values();
    expect([name, Number(lost[0]![0])]).toEqual([name, 0]);
  }
  // Nothing more is due, now or after a start.
  expect(new TxSweep(db, 1).sweepUntil(1, no, () => 0)).toBe(0);
  db.close();
});

test("given kill -9 while rows go, then the home is sound each time, and the next run ends what was begun", async () => {
  const home = copyOf(sample, "killed");
  const bytes = Math.round(totalOf(homeSize(sample)) * 0.62);
  let kills = 0;
  for (let round = 0; round < 12; round++) {
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, "prune-child.ts"), home, String(bytes)],
      {
        stdout: "pipe",
        stderr: "inherit",
      },
    );
    const reader = child.stdout.getReader();
    await reader.read();
    await anyMoment(round);
    child.kill("SIGKILL");
    await child.exited;
    kills++;
  }
  expect(kills).toBe(12);
  await prune(home, { bytes, retention: "archive" });
  await expectSound(home);
  expect(stateOf(home)).toEqual(stateOf(sample));
  const floors = floorsOf(home);
  const db = openReader(home);
  for (const name of ["ledger", "trades", "rewards"]) {
    const floor = readFloors(db).get(name)?.no ?? 0;
    const left = db.query(`SELECT count(*) AS rows FROM ${name} WHERE block <= ?`).get(floor) as {
      rows: bigint;
    };
    expect([name, left.rows]).toEqual([name, 0n]);
  }
  db.close();
  expect(Object.keys(floors).length).toBeGreaterThan(0);
}, 120_000);

test("lyra prune: a dry run says what would go, the run removes it, doctor finds all well", async () => {
  const home = copyOf(days, "command");
  const words = ["prune", "--retention", "lite", "--home", home, "--segment-length", "100"];
  const dry = await new Lyra([...words, "--dry-run", "--json"]).end();
  const plan = JSON.parse(dry.out) as { tables: { name: string }[] };
  expect(plan.tables.map(({ name }) => name)).toContain("ledger");
  expect(floorsOf(home)).toEqual({});
  const done = await new Lyra(words).end();
  expect({ code: done.code, out: done.out }).toMatchObject({ code: 0, out: expect.stringContaining("gone") });
  const doctor = await new Lyra(["doctor", "--deep", "--home", home]).end();
  expect({ code: doctor.code, err: doctor.err }).toEqual({ code: 0, err: "" });
  expect(doctor.out).toContain("older rows are removed");
  const nothing = await new Lyra(["prune", "--home", home]).end();
  expect(nothing.code).toBe(2);
}, 120_000);
