// Stores that lie while every page of them is sound, as another node or a stranger's backup could have them.
import type { Database } from "bun:sqlite";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { openWriter, PAGE_BYTES, storePath } from "../../src/store/database.ts";
import { sumsPath } from "../../src/store/page-sums.ts";

/** An index with entries that are not those of its table. */
export interface ForgedIndex {
  readonly table: string;
  readonly index: string;
  /** Column of the index that gets the value of another row in some entries. */
  readonly column: string;
}

/**
 * Moves some entries of an index: those of a table with other values take its place, and that table is dropped. Sums of
 * pages are made again: they are those of the forged pages.
 * @returns how many entries were moved
 */
export function moveEntries(home: string, { table, index, column }: ForgedIndex, count = 5): number {
  const db = openWriter(home);
  let moved: number;
  let roots: [number, number];
  try {
    const sql = (name: string) =>
      String(db.query("SELECT sql FROM sqlite_schema WHERE name = ?").values(name)[0]![0]);
    db.run(sql(table).replace(/CREATE TABLE \S+?\(/, "CREATE TABLE twin("));
    db.run(`INSERT INTO twin SELECT * FROM ${table}`);
    moved = moveRows(db, table, column, count);
    db.run(sql(index).replace(index, "forged").replace(` ON ${table}(`, " ON twin("));
    roots = [rootOf(db, index), rootOf(db, "forged")];
  } finally {
    db.close();
  }
  swapPages(storePath(home), ...roots);
  for (const statements of [["DROP TABLE twin", "VACUUM"], []]) {
    rmSync(sumsPath(storePath(home)), { force: true });
    const forged = openWriter(home);
    for (const sql of statements) forged.run(sql);
    forged.close();
  }
  return moved;
}

function moveRows(db: Database, table: string, column: string, count: number): number {
  const columns = db.query("SELECT name FROM pragma_table_info(?) WHERE pk > 0").values(table).flat();
  const key = columns.join(", ");
  const other = `SELECT ${column} FROM ${table} WHERE ${column} <> t.${column} LIMIT 1`;
  const some = `SELECT ${key} FROM ${table} t WHERE EXISTS (${other}) LIMIT ${count}`;
  return Number(
    db.query(`UPDATE OR IGNORE twin AS t SET ${column} = (${other}) WHERE (${key}) IN (${some})`).run()
      .changes,
  );
}

function rootOf(db: Database, name: string): number {
  return Number(db.query("SELECT rootpage FROM sqlite_schema WHERE name = ?").values(name)[0]![0]);
}

/** A tree is its root: what the pages hold changes places, and with it the trees. */
function swapPages(path: string, one: number, other: number): void {
  const bytes = readFileSync(path);
  const pageOf = (page: number) => bytes.subarray((page - 1) * PAGE_BYTES, page * PAGE_BYTES);
  const kept = Buffer.from(pageOf(one));
  pageOf(other).copy(pageOf(one));
  kept.copy(pageOf(other));
  writeFileSync(path, bytes);
}
