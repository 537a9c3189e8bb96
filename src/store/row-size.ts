// The bytes of a store's rows. A row is read whole, and other programs can make one as large as a disk.
import type { Database } from "bun:sqlite";

/** An event has at most 64 MiB, and a row what one event says. */
export const ROW_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Looks at lengths alone: what a row holds is not read.
 * @param schema `main`, or an attached store
 * @param tables those of a devnet's chain have rows of its whole state, and belong to no other home
 * @returns a table with a row that is larger than this program's are
 */
export function tableOfHugeRow(
  db: Database,
  schema: "main" | "source",
  tables: readonly string[],
): string | undefined {
  return tables.find((table) => !table.startsWith("chain_") && hasHugeRow(db, schema, table));
}

function hasHugeRow(db: Database, schema: string, table: string): boolean {
  const columns = db
    .query("SELECT name FROM pragma_table_info(?, ?) WHERE type <> 'INTEGER'")
    .values(table, schema) as [string][];
  if (columns.length === 0) return false;
  const bytes = columns.map(([name]) => `ifnull(octet_length("${name}"), 0)`).join(" + ");
  const [[sql]] = db
    .query(`SELECT sql FROM ${schema}.sqlite_schema WHERE type = 'table' AND name = ?`)
    .values(table) as [[string]];
  // An index could lie.
  const tree = sql.endsWith("WITHOUT ROWID") ? `INDEXED BY "sqlite_autoindex_${table}_1"` : "NOT INDEXED";
  const select = db.prepare(`SELECT 1 FROM ${schema}."${table}" ${tree} WHERE ${bytes} > ? LIMIT 1`);
  try {
    return select.get(ROW_BYTES_MAX) !== null;
  } finally {
    select.finalize();
  }
}

/** Tables of the store that is open. */
export function tablesOf(db: Database): string[] {
  const sql =
    "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
  return (db.query(sql).values() as [string][]).map(([name]) => name);
}
