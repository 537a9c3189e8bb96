// Transfers in the store: named by references, which some of them share; and brought over from the schema before.

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { openWriter, schemaVersionOf, storePath } from "../../src/store/database.ts";
import { MIGRATIONS } from "../../src/store/schema.ts";
import { TransferRows, type TransferState, transferPosition } from "../../src/store/transfers.ts";
import { UndoLog } from "../../src/store/undo-log.ts";
import { MEMORY, Scratch } from "../rig/homes.ts";
import { runs } from "../support/seed.ts";

const scratch = new Scratch("transfers", MEMORY);
afterAll(() => scratch.remove());

/** Identifiers of which many share their first six bytes, and some are shorter than that. */
const IDS = [
  ...Array.from({ length: 12 }, (_, n) => `aabbccddeeff${n.toString(16).padStart(52, "0")}`),
  ...["aabbccddee", "aabbccddee00", "aabbccddeeff", "00", "ff".repeat(32), "11".repeat(32)],
].map((hex) => new Uint8Array(Buffer.from(hex, "hex")));

interface Step {
  readonly id: Uint8Array;
  readonly isNewBlock: boolean;
  readonly fromNo: number;
  readonly toNo: number;
}

const steps = fc.array(
  fc.record({
    id: fc.constantFrom(...IDS),
    isNewBlock: fc.boolean(),
    fromNo: fc.integer({ min: 1, max: 4 }),
    toNo: fc.integer({ min: 1, max: 4 }),
  }),
  { maxLength: 60 },
);

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

interface Shown {
  readonly block: number;
  readonly id: string;
  readonly data: string;
  readonly tx: number;
}

/** The stored rows, and a Map's version of them. */
function written(db: Database, list: readonly Step[]) {
  const rows = new TransferRows(db);
  const history = new Map<string, Shown>();
  const current = new Map<string, { block: number; fromNo: number; toNo: number }>();
  let block = 1;
  for (const [n, { id, isNewBlock, fromNo, toNo }] of list.entries()) {
    if (isNewBlock) block++;
    const state: TransferState = { id, tx: n, data: new Uint8Array([n]), fromNo, toNo };
    rows.put(block, state);
    history.set(`${block} ${hex(id)}`, { block, id: hex(id), data: hex(state.data), tx: n });
    current.set(hex(id), { block, fromNo, toNo });
  }
  return { history, current };
}

interface CurrentRow {
  readonly ref: bigint;
  readonly block: bigint;
  readonly id: Uint8Array;
  readonly from_no: bigint;
  readonly to_no: bigint;
}

const CURRENT = `SELECT c.ref, c.block, t.id, c.from_no, c.to_no FROM transfers_current c
  JOIN transfers t ON t.block = c.block AND t.ref = c.ref ORDER BY c.block, c.ref`;

const currentRows = (db: Database) => db.query(CURRENT).all() as CurrentRow[];

describe("transfers", () => {
  test("are what a Map says, however many share a reference", () => {
    fc.assert(
      fc.property(steps, (list) => {
        const db = openWriter(scratch.path());
        try {
          const { history, current } = written(db, list);
          const kept = db.query("SELECT block, id, data, tx FROM transfers").all() as {
            block: bigint;
            id: Uint8Array;
            data: Uint8Array;
            tx: bigint;
          }[];
          const shown = kept.map(({ block, id, data, tx }) => ({
            ...{ block: Number(block), id: hex(id) },
            ...{ data: hex(data), tx: Number(tx) },
          }));
          const order = (a: Shown, b: Shown) => a.block - b.block || (a.id < b.id ? -1 : 1);
          expect(shown.sort(order)).toEqual([...history.values()].sort(order));
          const rows = currentRows(db);
          expect(rows.length).toBe(current.size);
          for (const { id, block, from_no, to_no } of rows) {
            const { block: expected, fromNo, toNo } = current.get(hex(id))!;
            expect([Number(block), Number(from_no), Number(to_no)]).toEqual([expected, fromNo, toNo]);
          }
        } finally {
          db.close();
        }
      }),
      { numRuns: runs(60) },
    );
  });

  test("are found by their identifier, and what is none of them lies between two", () => {
    const db = openWriter(scratch.path());
    written(
      db,
      IDS.slice(1).map((id) => ({ id, isNewBlock: false, fromNo: 1, toNo: 2 })),
    );
    const get = (sql: string, ref: number) => db.query(sql).get(ref);
    const rows = currentRows(db);
    for (const { id, ref } of rows) expect(transferPosition(id, get)).toBe(Number(ref));
    expect(Number.isInteger(transferPosition(IDS[0]!, get))).toBe(false);
    expect(transferPosition(new Uint8Array(Buffer.from("22".repeat(32), "hex")), get) % 1).not.toBe(0);
    db.close();
  });

  test("sort as their identifiers do, where few share a reference", () => {
    const db = openWriter(scratch.path());
    const some = [IDS[3]!, IDS[2]!, IDS.at(-2)!, IDS.at(-1)!, IDS.at(-3)!, IDS[4]!];
    written(
      db,
      some.map((id) => ({ id, isNewBlock: false, fromNo: 1, toNo: 1 })),
    );
    const ids = currentRows(db).map(({ id }) => hex(id));
    expect(ids).toEqual([...ids].sort());
    db.close();
  });
});

/** A store as the program before schema 3 left it. */
function oldStore(home: string, list: readonly Step[]): void {
  mkdirSync(home, { recursive: true });
  const db = new Database(storePath(home), { create: true, strict: true, safeIntegers: true });
  for (const { version, run } of MIGRATIONS) if (version < 3) run(db);
  db.run("PRAGMA application_id = 0x4c595241");
  db.run("PRAGMA user_version = 2");
  for (let no = 1; no <= 4; no++) {
    db.run("INSERT INTO ids(ref, no, bytes) VALUES(?, ?, ?)", [1000 * no, no, new Uint8Array([no])]);
  }
  let block = 1;
  for (const [n, { id, isNewBlock, fromNo, toNo }] of list.entries()) {
    if (isNewBlock) block++;
    const data = new Uint8Array([n]);
    db.run("INSERT OR REPLACE INTO transfers(block, id, tx, data) VALUES(?, ?, ?, ?)", [block, id, n, data]);
    const parties = [1000 * fromNo, 1000 * toNo];
    db.run("INSERT OR REPLACE INTO transfers_current VALUES(?, ?, ?, ?)", [id, block, ...parties]);
  }
  new UndoLog(db).enter(1);
  db.run("INSERT INTO chain_snapshots(value) VALUES('{}')");
  db.run("INSERT OR REPLACE INTO transfers(block, id, tx, data) VALUES(99, x'01', 1, x'01')");
  db.run("DELETE FROM transfers WHERE block = 99");
  db.close();
}

test("a store of schema 2 is brought over, with every transfer that it has", () => {
  fc.assert(
    fc.property(steps, (list) => {
      const home = scratch.path();
      oldStore(home, list);
      const db = openWriter(home);
      const fresh = openWriter(scratch.path());
      try {
        expect(schemaVersionOf(db)).toBe(MIGRATIONS.at(-1)!.version);
        const { history, current } = written(fresh, list);
        const rows = currentRows(db);
        const shown = rows.map(({ id, block, from_no, to_no }) => [hex(id), block, from_no, to_no].join());
        const expected = [...current].map(([id, { block, fromNo, toNo }]) =>
          [id, block, fromNo, toNo].join(),
        );
        expect(shown.sort()).toEqual(expected.sort());
        const { count } = db.query("SELECT count(*) AS count FROM transfers").get() as { count: bigint };
        expect(Number(count)).toBe(history.size);
        // Nothing of the old ones is left, nor of the way back to them.
        const names =
          "SELECT name FROM sqlite_schema WHERE name LIKE '%\\_2' ESCAPE '\\' OR type = 'trigger'";
        expect(db.query(names).all()).toEqual([]);
        expect(db.query("SELECT * FROM chain_snapshots").all()).toEqual([]);
        expect(new UndoLog(db).isOn).toBe(false);
      } finally {
        db.close();
        fresh.close();
      }
    }),
    { numRuns: runs(30) },
  );
});

describe("while its schema is changed", () => {
  const list: readonly Step[] = fc.sample(steps, { numRuns: 1, seed: 7 })[0]!;
  const namesIn = (home: string) => readdirSync(home).filter((name) => name.includes("-schema-"));

  test("a checked copy of the store is there, and gone when that has succeeded", () => {
    const home = scratch.path();
    oldStore(home, list);
    const before = digestOfTables(storePath(home));
    const migration = MIGRATIONS.find(({ version }) => version === 4)!;
    const { run } = migration;
    let during: string[] = [];
    try {
      migration.run = () => {
        during = namesIn(home);
        throw new Error("no");
      };
      expect(() => openWriter(home)).toThrow("the store could not be brought to schema 4");
    } finally {
      migration.run = run;
    }
    expect([during, namesIn(home)]).toEqual([["lyra.db-schema-2"], ["lyra.db-schema-2"]]);
    expect(digestOfTables(join(home, "lyra.db-schema-2"))).toBe(before);
    // The copy of schema 2 stays until the last step: step 3 was done and is not done again.
    const db = openWriter(home);
    expect(schemaVersionOf(db)).toBe(MIGRATIONS.at(-1)!.version);
    db.close();
    expect(namesIn(home)).toEqual([]);
  });

  test("without a copy nothing is changed", () => {
    const home = scratch.path();
    oldStore(home, list);
    // A folder stands where the copy would be.
    mkdirSync(join(home, "lyra.db-schema-2", "in the way"), { recursive: true });
    const before = digestOfTables(storePath(home));
    expect(() => openWriter(home)).toThrow("no copy of it could be made");
    expect(digestOfTables(storePath(home))).toBe(before);
  });
});

/** Of all rows of all tables of a store, whatever its schema is. */
function digestOfTables(path: string): string {
  const db = new Database(path, { safeIntegers: true });
  const hash = new Bun.CryptoHasher("sha256");
  const tables = db.query("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name").all() as {
    name: string;
    sql: string;
  }[];
  for (const { name, sql } of tables) {
    hash.update(sql);
    for (const row of db.query(`SELECT * FROM "${name}"`).values())
      hash.update(row.map((value) => (value instanceof Uint8Array ? hex(value) : String(value))).join());
  }
  db.close();
  return hash.digest("hex");
}
