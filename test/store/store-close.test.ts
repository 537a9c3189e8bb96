// Closing a store is closing it, whatever became of its statements (store/database.ts).
import type { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { openWriter, storePath } from "../../src/store/database.ts";
import { Scratch } from "../rig/homes.ts";
import { turns } from "../support/eventually.ts";
import { runs } from "../support/seed.ts";

const ROUNDS = Math.max(4, runs(12));

const scratch = new Scratch("store-close");
afterAll(() => scratch.remove());

/** Statements that are collected; when they are finalized is up to the collector. */
async function forgetStatements(db: Database): Promise<void> {
  const prepare = (text: string) => {
    const statement = db.prepare(text);
    statement.get();
    return new WeakRef(statement);
  };
  const statements = Array.from({ length: 20 }, (_, n) => prepare(`SELECT ${n}`));
  for (let n = 0; n < 100 && statements.every((statement) => statement.deref() !== undefined); n++) {
    Bun.gc(false);
    await turns(1);
  }
}

test("a store whose statements were collected is gone when it is closed", async () => {
  const home = scratch.path();
  let left = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const db = openWriter(home);
    await forgetStatements(db);
    db.close();
    // The last one to close a store folds its log back and removes it.
    if (existsSync(`${storePath(home)}-wal`)) left++;
    rmSync(home, { recursive: true });
  }
  expect(left).toBe(0);
});
