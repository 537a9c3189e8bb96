// A store from elsewhere is not used as it is: its rows are copied into a store that this program's own schema makes.
// No index, trigger, view or table of the other file comes along, and indices are made of the copied rows.
import { Database } from "bun:sqlite";
import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { isDiskFull, isSqliteError } from "../files/sqlite-error.ts";
import { realSteps } from "../files/whole-file.ts";
import { unfit } from "./copy.ts";
import { APPLICATION_ID, PAGE_BYTES } from "./database.ts";
import { checkedHead, readHead, writeHead } from "./head.ts";
import { readFloors } from "./retention.ts";
import { ROW_BYTES_MAX, tableOfHugeRow, tablesOf } from "./row-size.ts";
import { MIGRATIONS, OPTIONAL_TABLES } from "./schema.ts";
import { titleOf } from "./schema-check.ts";
import { UndoLog } from "./undo-log.ts";

/** Rows that are copied between two looks at other work. */
const SLICE_ROWS = 20_000;
const CACHE_KIB = 64 * 1024;

interface RebuildOptions {
  /** Tables whose rows are copied; all without. */
  readonly isCopied?: (table: string) => boolean;
  /** Between slices. @param part from 0 to 1 */
  readonly pause?: (part: number) => Promise<void>;
}

/**
 * Makes a store with the rows of another store, at the schema of its version: `openWriter` brings it up to date.
 * @param source closed, and checked for its version
 * @param path a free one; a failure leaves nothing there
 * @returns what the source had besides the schema, such as `trigger bad`
 * @throws NodeError `copy_failed`, `disk_full`; whatever `pause` throws
 */
export async function rebuildStore(
  source: string,
  path: string,
  options: RebuildOptions = {},
): Promise<string[]> {
  let isDone = false;
  const db = new Database(path, { create: true, readwrite: true, strict: true, safeIntegers: true });
  try {
    const rebuild = new Rebuild(db, source, options);
    const leftOut = await rebuild.run(path);
    db.close(true);
    const file = openSync(path, "r");
    realSteps.sync(file);
    closeSync(file);
    isDone = true;
    return leftOut;
  } finally {
    if (!isDone) {
      db.close(true);
      rmSync(path, { force: true });
    }
  }
}

interface Column {
  readonly name: string;
  readonly pk: bigint;
}

class Rebuild {
  constructor(
    private readonly db: Database,
    private readonly source: string,
    private readonly options: RebuildOptions,
  ) {}

  async run(path: string): Promise<string[]> {
    const { db } = this;
    try {
      this.prepare();
      const version = this.attach();
      for (const { version: step, run } of MIGRATIONS) if (step <= version) run(db);
      this.makeOptionalTables();
      const indices = this.dropIndices();
      for (const table of tablesOf(db)) await this.copyTable(table, path);
      this.copySequences();
      const head = checkedHead(db);
      checkFloors(db, head?.no ?? 0);
      if (head !== undefined) writeHead(db, head);
      else if (readHead(db) !== undefined) throw unfit("its head is not the one of its blocks");
      for (const sql of indices) {
        db.run(sql);
        await this.pause(path);
      }
      new UndoLog(db).reinstall();
      const leftOut = this.leftOut();
      db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
      db.run(`PRAGMA user_version = ${version}`);
      db.run("DETACH source");
      return leftOut;
    } catch (error) {
      throw copyError(error);
    }
  }

  /** Nothing needs a way back: a file that is not finished is made again. */
  private prepare(): void {
    const { db } = this;
    db.run(`PRAGMA page_size = ${PAGE_BYTES}`);
    db.run("PRAGMA journal_mode = OFF");
    db.run("PRAGMA synchronous = OFF");
    db.run("PRAGMA temp_store = FILE");
    db.run(`PRAGMA cache_size = -${CACHE_KIB}`);
    db.run("PRAGMA foreign_keys = OFF");
    db.run("PRAGMA trusted_schema = OFF");
    db.run("PRAGMA cell_size_check = ON");
  }

  private attach(): number {
    const { db } = this;
    db.query("ATTACH ? AS source").run(this.source);
    db.run("PRAGMA source.mmap_size = 0");
    return Number(db.query("PRAGMA source.user_version").values()[0]![0]);
  }

  private makeOptionalTables(): void {
    const isThere = this.db.query("SELECT 1 FROM source.sqlite_schema WHERE type = 'table' AND name = ?");
    for (const [name, sql] of Object.entries(OPTIONAL_TABLES)) if (isThere.get(name)) this.db.run(sql);
  }

  /** They are made again of the rows, which is faster as well. @returns their statements */
  private dropIndices(): string[] {
    const rows = this.db
      .query("SELECT name, sql FROM main.sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
      .all() as { name: string; sql: string }[];
    for (const { name } of rows) this.db.run(`DROP INDEX main.${quoted(name)}`);
    return rows.map(({ sql }) => sql);
  }

  /** In slices by the key, read from the table's own tree. */
  private async copyTable(table: string, path: string): Promise<void> {
    const { db } = this;
    // The schema's first rows are among those of the source.
    db.run(`DELETE FROM main.${quoted(table)}`);
    this.checkSame(table);
    if (this.options.isCopied?.(table) === false) return;
    if (tableOfHugeRow(db, "source", [table]) !== undefined)
      throw unfit(`its table ${table} has a row of more than ${ROW_BYTES_MAX} bytes`);
    const columns = db.query("SELECT name, pk FROM pragma_table_info(?)").all(table) as Column[];
    const names = listOf(columns);
    const key = columns.filter(({ pk }) => pk > 0n).sort((a, b) => Number(a.pk - b.pk));
    // Any other index could lie, and a statement without these words may use it.
    const tree = this.hasKeyTree(table)
      ? `source.${quoted(table)} INDEXED BY ${quoted(`sqlite_autoindex_${table}_1`)}`
      : `source.${quoted(table)} NOT INDEXED`;
    const insert = `INSERT INTO main.${quoted(table)}(${names}) SELECT ${names} FROM ${tree}`;
    if (key.length === 0) {
      db.run(insert);
      return;
    }
    const order = `ORDER BY ${listOf(key)}`;
    const first = db.prepare(`${insert} ${order} LIMIT ${SLICE_ROWS}`);
    const behind = `(${listOf(key)}) > (${key.map(() => "?").join(", ")})`;
    const next = db.prepare(`${insert} WHERE ${behind} ${order} LIMIT ${SLICE_ROWS}`);
    const descending = key.map(({ name }) => `${quoted(name)} DESC`).join(", ");
    const last = db.prepare(
      `SELECT ${listOf(key)} FROM main.${quoted(table)} ORDER BY ${descending} LIMIT 1`,
    );
    try {
      for (let copied = first.run().changes; copied === SLICE_ROWS; ) {
        await this.pause(path);
        copied = next.run(...(last.values()[0] as bigint[])).changes;
      }
    } finally {
      for (const statement of [first, next, last]) statement.finalize();
    }
  }

  /** Whether the table's tree is that of its key, and not of a number. */
  private hasKeyTree(table: string): boolean {
    const select =
      "SELECT 1 FROM source.sqlite_schema WHERE type = 'table' AND name = ? AND sql LIKE '%WITHOUT ROWID'";
    return this.db.query(select).get(table) !== null;
  }

  /** A table with generated columns, another key or another type of rows has another text. */
  private checkSame(table: string): void {
    const select = (schema: string) =>
      this.db.query(`SELECT type, sql FROM ${schema}.sqlite_schema WHERE name = ?`).values(table);
    if (Bun.deepEquals(select("main"), select("source"))) return;
    throw unfit(`its table ${table} is missing, or another than this program makes`);
  }

  /** Numbers of rows that are not there any more are not given again. */
  private copySequences(): void {
    const { db } = this;
    const has = (schema: string) =>
      db.query(`SELECT 1 FROM ${schema}.sqlite_schema WHERE name = 'sqlite_sequence'`).get() !== null;
    if (!has("main") || !has("source")) return;
    this.checkSame("sqlite_sequence");
    for (const table of tablesOf(db)) {
      const row = db.query("SELECT seq FROM source.sqlite_sequence WHERE name = ?").values(table)[0];
      if (row === undefined || typeof row[0] !== "bigint") continue;
      db.query("DELETE FROM main.sqlite_sequence WHERE name = ?").run(table);
      db.query("INSERT INTO main.sqlite_sequence(name, seq) VALUES(?, ?)").run(table, row[0]);
    }
  }

  private leftOut(): string[] {
    const select =
      "SELECT type, name FROM source.sqlite_schema s WHERE NOT EXISTS (SELECT 1 FROM main.sqlite_schema m WHERE m.type = s.type AND m.name = s.name AND m.tbl_name = s.tbl_name AND m.sql IS s.sql) ORDER BY type, name";
    return (this.db.query(select).all() as { type: string; name: string }[]).map(titleOf);
  }

  private async pause(path: string): Promise<void> {
    const part = statSync(path).size / statSync(this.source).size;
    await this.options.pause?.(Math.min(1, part));
  }
}

/** Rows that are said to have been removed are not compared with segments: a floor is a block that existed. */
function checkFloors(db: Database, last: number): void {
  for (const floor of readFloors(db).values())
    if (!(Number.isSafeInteger(floor?.no) && floor.no >= 0 && floor.no <= last))
      throw unfit("rows were removed from it up to a block that it does not have");
}

function listOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => quoted(name)).join(", ");
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function copyError(error: unknown): unknown {
  if (error instanceof NodeError) return error;
  if (isDiskFull(error)) {
    const sentence = "the disk is full: the store could not be copied";
    return new NodeError("store.copy", "disk_full", sentence, "make room, and run the same command again");
  }
  if (error instanceof SyntaxError) return unfit("it holds a value that is not JSON");
  // A duplicate row, or one of another type: SQLite says which column.
  return isSqliteError(error) ? unfit(reasonOf(error)) : error;
}
