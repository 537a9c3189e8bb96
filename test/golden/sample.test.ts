// The recording that ships with the program: made by scripts/make-sample.ts, the same bytes every time, and with
// something to show in every corner of the store.
import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeSample, SAMPLE_PATH } from "../../scripts/make-sample.ts";
import { tellStory } from "../../scripts/sample/story.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { loadAmount, type StoredAmount } from "../../src/store/amount.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";

/** Tables that a replay leaves empty, and why. */
const EMPTY: Readonly<Record<string, string>> = {
  gaps: "a recording leaves no block out",
  segments: "segments are made by the history, not by the writer of blocks",
};
const BYTES_MAX = 300_000;
const HEIGHT_MIN = 3_000;

let home: string;
let db: Database;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "lyra-sample-"));
  db = openWriter(home);
  const result = await replayFiles(new BlockWriter(db), db, [SAMPLE_PATH]);
  expect(result.files[0]?.damage).toBeUndefined();
});

afterAll(() => {
  db?.close();
  rmSync(home, { recursive: true, force: true });
});

test("the committed file is what the script makes, each time", async () => {
  const committed = await Bun.file(SAMPLE_PATH).bytes();
  expect(committed.length).toBeLessThan(BYTES_MAX);
  expect(sha256(Bun.gunzipSync(committed))).toBe(sha256(tellStory()));
  expect(sha256(committed)).toBe(sha256(makeSample()));
});

function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

test("three whole segments of a thousand blocks, and height 1 twice in one row", () => {
  const rows = db.query("SELECT count(*) AS n, max(height) AS height FROM blocks").get() as {
    n: bigint;
    height: bigint;
  };
  expect(Number(rows.height)).toBeGreaterThan(HEIGHT_MIN);
  expect(rows.n).toBe(rows.height);
  expect(db.query("SELECT value FROM meta WHERE value LIKE '%lyra-sample-1%'").all().length).toBeGreaterThan(
    0,
  );
});

test("every table of the store has rows", () => {
  const tables = db.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all() as {
    name: string;
  }[];
  const bare = tables
    .map(({ name }) => name)
    // A local chain's own are no recording's.
    .filter((name) => !/^(?:sqlite|chain)_/.test(name))
    .filter((name) => db.query(`SELECT 1 FROM "${name}" LIMIT 1`).get() === null);
  expect(bare).toEqual(Object.keys(EMPTY));
});

test.each([
  ["proposals_current", "state", [2, 4, 5, 6]],
  ["proposals_current", "kind", [2, 3, 4, 5, 6, 7]],
  ["orders_current", "status", [1, 2, 3, 4, 5, 6]],
  ["node_signatures", "kind", [1, 2, 3, 4, 5]],
  ["markets_current", "state", [5, 9]],
  ["multisig_signers", "added", [0, 1]],
] as const)("%s: %s has every value that it should show", (table, column, values) => {
  const rows = db.query(`SELECT DISTINCT ${column} AS v FROM ${table} ORDER BY 1`).all() as { v: bigint }[];
  expect(rows.map(({ v }) => Number(v))).toEqual([...values]);
});

interface EntryRow {
  from_account: bigint;
  to_account: bigint;
  quantity: StoredAmount;
  to_balance: StoredAmount;
}

interface AccountRow {
  ref: bigint;
  asset: bigint;
  type: bigint;
  balance: StoredAmount | null;
}

test("money is neither made nor lost: every balance is the sum of its ledger entries", () => {
  const sums = new Map<bigint, bigint>();
  const add = (account: bigint, by: bigint) => sums.set(account, (sums.get(account) ?? 0n) + by);
  for (const row of db.query("SELECT * FROM ledger ORDER BY block, n").all() as EntryRow[]) {
    add(row.from_account, -loadAmount(row.quantity));
    add(row.to_account, loadAmount(row.quantity));
    const external = AccountType.ACCOUNT_TYPE_EXTERNAL;
    if (!isOfType(row.to_account, external))
      expect(sums.get(row.to_account)).toBe(loadAmount(row.to_balance));
  }
  const byAsset = new Map<bigint, bigint>();
  for (const account of accounts()) {
    const sum = sums.get(account.ref) ?? 0n;
    byAsset.set(account.asset, (byAsset.get(account.asset) ?? 0n) + sum);
    if (Number(account.type) === AccountType.ACCOUNT_TYPE_EXTERNAL) continue;
    expect(account.balance === null ? 0n : loadAmount(account.balance)).toBe(sum);
  }
  expect(byAsset.size).toBe(3);
  for (const sum of byAsset.values()) expect(sum).toBe(0n);
});

function accounts(): AccountRow[] {
  const sql =
    "SELECT a.ref, a.asset, a.type, b.balance FROM accounts a LEFT JOIN balances_current b ON b.account = a.ref";
  return db.query(sql).all() as AccountRow[];
}

function isOfType(ref: bigint, type: number): boolean {
  const row = db.query("SELECT type FROM accounts WHERE ref = ?").get(ref) as { type: bigint };
  return Number(row.type) === type;
}

test("positions of each market add up to nothing", () => {
  const rows = db
    .query("SELECT p.market, p.state FROM positions_current c JOIN positions p USING(block, party, market)")
    .all() as { market: bigint; state: string }[];
  const volumes = new Map<bigint, bigint>();
  for (const { market, state } of rows) {
    const pending = BigInt((JSON.parse(state) as string[])[7]!);
    volumes.set(market, (volumes.get(market) ?? 0n) + pending);
  }
  expect([...volumes.values()]).toEqual([0n, 0n]);
});

test("amounts beyond 63 bits are there", () => {
  const rows = db.query("SELECT count(*) AS n FROM balances WHERE typeof(balance) = 'blob'").get() as {
    n: bigint;
  };
  expect(Number(rows.n)).toBeGreaterThan(10);
});
