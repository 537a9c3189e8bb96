// Sorted queries are planned when they are prepared, not each time they run (store/database.ts).
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWriter, plannedOnce } from "../src/store/database.ts";

const home = mkdtempSync(join(tmpdir(), "lyra-planned-"));
const db = openWriter(home);
afterAll(() => {
  db.close();
  rmSync(home, { recursive: true });
});

describe("the text of a query", () => {
  test.each([
    ["SELECT a FROM t WHERE b = ? ORDER BY c LIMIT ?", "SELECT a FROM t WHERE b = +? ORDER BY c LIMIT +?"],
    [
      "\n  select a FROM t WHERE b = ?2 AND c IN (?1,?10)",
      "\n  select a FROM t WHERE b = +?2 AND c IN (+?1,+?10)",
    ],
    ["WITH x AS (SELECT ?) SELECT * FROM x", "WITH x AS (SELECT +?) SELECT * FROM x"],
    [`SELECT '?', 'it''s ?', "a?" FROM t WHERE b = ?`, `SELECT '?', 'it''s ?', "a?" FROM t WHERE b = +?`],
    ["INSERT INTO t VALUES(?, ?)", "INSERT INTO t VALUES(?, ?)"],
    ["UPDATE t SET a = ? WHERE b = ?", "UPDATE t SET a = ? WHERE b = ?"],
  ])("%j", (sql, expected) => expect(plannedOnce(sql)).toBe(expected));
});

describe("a query with an order and a limit", () => {
  /** So long that its planning cannot be overlooked. */
  const branch = Array.from({ length: 300 }, (_, i) => `iif(height > ${i}, time + ${i}, 0)`).join(" + ");
  const sql = `SELECT no, iif(no < 0, ${branch}, 1) FROM blocks WHERE height = ? AND no < ? ORDER BY no DESC LIMIT ?`;
  const RUNS = 200;

  test.each(["prepare", "query"] as const)("%s: is planned once, whatever its values", (way) => {
    const planning = performance.now();
    const statement = db[way](sql.replace("no < 0", way === "query" ? "no < -1" : "no < 0"));
    statement.all(1, 2, 3);
    const once = performance.now() - planning;
    const running = performance.now();
    for (let i = 0; i < RUNS; i++) statement.all(i, i + 1, 10);
    expect(performance.now() - running).toBeLessThan((once * RUNS) / 4);
  });

  test("takes values of every kind as before", () => {
    db.run("CREATE TEMP TABLE kinds(k INTEGER, v BLOB)");
    const values = [1n, -(2n ** 62n), null, "text", new Uint8Array([1, 2]), 0.5];
    for (const [i, value] of values.entries()) db.run("INSERT INTO kinds VALUES(?, ?)", [i, value]);
    const byValue = db.query("SELECT k FROM kinds WHERE v IS ? ORDER BY k");
    expect(values.map((value) => byValue.values(value)[0]![0])).toEqual([0n, 1n, 2n, 3n, 4n, 5n]);
    // A number in text finds the same in a column of numbers.
    expect(db.query("SELECT k FROM kinds WHERE k = ? ORDER BY v").values("3")).toEqual([[3n]]);
  });
});
