// Every column of a table with messages is compared with its message or with another row: one that is forgotten could be changed
// in a backup, or by a node that gives its history away, and a list would be filtered by it.
import { afterAll, expect, test } from "bun:test";
import { openWriter } from "../../src/store/database.ts";
import { checkRowsAgree } from "../../src/store/row-check.ts";
import { load, MEMORY, SAMPLE, Scratch } from "../rig/homes.ts";

const ONLY_ROW = "the row of its key is replaced, so that no other says when";
/** Columns that nothing else in a store says again. */
const UNCHECKED: Readonly<Record<string, string>> = {
  "votes.first_time": "time of a party's first vote on the proposal, whose row a later vote replaced",
  "nodes.pub_key": "changes with a rotation of keys",
  "nodes.ethereum_address": "changes with a rotation of keys",
  "nodes.block": ONLY_ROW,
  "ranking_scores.block": ONLY_ROW,
  "reward_scores.block": ONLY_ROW,
  "risk_factors.block": ONLY_ROW,
};

const scratch = new Scratch("row-check", MEMORY);
afterAll(() => scratch.remove());

interface Column {
  readonly name: string;
  readonly type: string;
  readonly pk: bigint;
}

test("a changed column of a row with a message is found, in every table", async () => {
  const home = scratch.path();
  await load(home, SAMPLE);
  const db = openWriter(home);
  const columnsOf = (table: string) => db.query("SELECT * FROM pragma_table_info(?)").all(table) as Column[];
  const hasMessages = (table: string) => columnsOf(table).some(({ name }) => name === "data");
  const tables = db.query("SELECT name FROM sqlite_schema WHERE type = 'table'").values().flat() as string[];
  const unchecked: string[] = [];
  for (const table of tables.filter(
    (name) => hasMessages(name) || hasMessages(name.replace("_current", "")),
  )) {
    const columns = columnsOf(table);
    const key = columns.flatMap(({ name, pk }) => (pk > 0n ? [name] : [])).join(", ");
    for (const { name, type, pk } of columns) {
      if (pk > 0n || name === "data" || name === "tx") continue;
      const other = type === "INTEGER" ? `${name} + 1` : type === "TEXT" ? `${name} || '1'` : "x'7777'";
      const row = `(${key}) = (SELECT ${key} FROM ${table} LIMIT 1)`;
      db.run("BEGIN");
      const { changes } = db.query(`UPDATE ${table} SET ${name} = ${other} WHERE ${row}`).run();
      const isFound = await checkRowsAgree(db).then(
        () => changes === 0,
        () => true,
      );
      db.run("ROLLBACK");
      if (!isFound) unchecked.push(`${table}.${name}`);
    }
  }
  db.close();
  expect(unchecked.sort()).toEqual(Object.keys(UNCHECKED).sort());
});
