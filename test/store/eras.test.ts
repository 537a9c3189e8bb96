import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWriter } from "../../src/store/database.ts";
import { Eras } from "../../src/store/eras.ts";

test("an era ends between blocks once it is full, and a rollback takes its beginning back", () => {
  const home = mkdtempSync(join(tmpdir(), "lyra-eras-"));
  const db = openWriter(home);
  const eras = new Eras(db, 3);
  const block = (no: number, rows: number, isContinued = false) => {
    eras.startBlock(no, isContinued);
    const numbers = Array.from({ length: rows }, () => eras.nextRow());
    eras.endBlock();
    return numbers;
  };
  const stored = () =>
    db
      .query("SELECT no, first_block, rows FROM eras ORDER BY no")
      .values()
      .map((row) => row.map(Number));
  expect(block(1, 2)).toEqual([1, 1]);
  expect(block(2, 5)).toEqual([1, 1, 1, 1, 1]);
  expect(block(2, 1, true)).toEqual([1]);
  db.run("BEGIN");
  expect(block(4, 1)).toEqual([2]);
  db.run("ROLLBACK");
  eras.reset();
  expect(stored()).toEqual([[1, 1, 8]]);
  expect(block(5, 1)).toEqual([2]);
  expect(stored()).toEqual([
    [1, 1, 8],
    [2, 5, 1],
  ]);
  db.close();
  rmSync(home, { recursive: true });
});
