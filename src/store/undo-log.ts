/**
 * The way back to an earlier store. While there are snapshots, triggers keep of every row the first value it had since
 * the last of them, in a table `undo_…` beside its own; reverting puts those values back. It costs what has changed
 * since, and being part of the same transactions it survives whatever the store survives.
 *
 * Only for the owner of the writer's connection; every method wants an open transaction.
 */
import type { Database } from "bun:sqlite";

/** Not taken back: the snapshots themselves, and what is made from blocks and checked against them by its owner. */
const KEPT: ReadonlySet<string> = new Set(["chain_snapshots", "chain_undo", "segments"]);
const PREFIX = "undo_";

interface LoggedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

export class UndoLog {
  private tables_: readonly LoggedTable[] | undefined;

  constructor(private readonly db: Database) {}

  /** Whether rows are being watched. */
  get isOn(): boolean {
    return this.db.query("SELECT 1 FROM chain_undo").get() !== null;
  }

  /** From here on changes belong to this level, a number above all earlier ones. */
  enter(level: number): void {
    if (!this.isOn) this.install();
    this.setLevel(level);
  }

  /** Puts every row back to what it was when the level began; the level goes on, later ones are gone. */
  revertTo(level: number): void {
    const levels = this.levelsFrom(level);
    // What is put back is not watched.
    this.setLevel(undefined);
    for (const each of levels) for (const table of this.tables()) this.restore(table, each);
    for (const table of this.tables()) this.db.run(`DELETE FROM ${undoName(table)} WHERE level >= ${level}`);
    this.setLevel(level);
  }

  /** Gives up the way back to one level; the ways to the others stay. @param before the level before it, if any */
  drop(level: number, before: number | undefined): void {
    for (const table of this.tables()) {
      const undo = undoName(table);
      if (before !== undefined) {
        // What the level before has no value for yet has had the same one since.
        const columns = [...table.columns.map(quoted), "existed"].join(", ");
        this.db.run(
          `INSERT OR IGNORE INTO ${undo}(level, ${columns}) SELECT ${before}, ${columns} FROM ${undo} WHERE level = ${level}`,
        );
      }
      this.db.run(`DELETE FROM ${undo} WHERE level = ${level}`);
    }
  }

  /** No way back is needed any more. */
  remove(): void {
    if (!this.isOn) return;
    for (const table of this.tables()) {
      for (const event of ["insert", "update", "delete"]) {
        this.db.run(`DROP TRIGGER IF EXISTS ${quoted(`${PREFIX}${event}_${table.name}`)}`);
      }
      this.db.run(`DROP TABLE IF EXISTS ${undoName(table)}`);
    }
    this.db.run("DELETE FROM chain_undo");
  }

  private install(): void {
    for (const table of this.tables()) for (const sql of definitions(table)) this.db.run(sql);
  }

  private setLevel(level: number | undefined): void {
    this.db.run("DELETE FROM chain_undo");
    if (level !== undefined) this.db.run("INSERT INTO chain_undo(level) VALUES(?)", [level]);
  }

  /** Levels that hold something, the newest first. */
  private levelsFrom(level: number): number[] {
    const levels = new Set<number>();
    for (const table of this.tables()) {
      const sql = `SELECT DISTINCT level FROM ${undoName(table)} WHERE level >= ?`;
      for (const row of this.db.query(sql).all(level) as { level: bigint }[]) levels.add(Number(row.level));
    }
    return [...levels].sort((a, b) => b - a);
  }

  private restore(table: LoggedTable, level: number): void {
    const undo = undoName(table);
    const key = table.key.map(quoted).join(", ");
    const columns = table.columns.map(quoted).join(", ");
    this.db.run(
      `DELETE FROM ${quoted(table.name)} WHERE (${key}) IN (SELECT ${key} FROM ${undo} WHERE level = ${level} AND existed = 0)`,
    );
    this.db.run(
      `INSERT OR REPLACE INTO ${quoted(table.name)}(${columns}) SELECT ${columns} FROM ${undo} WHERE level = ${level} AND existed = 1`,
    );
  }

  private tables(): readonly LoggedTable[] {
    this.tables_ ??= loggedTables(this.db);
    return this.tables_;
  }
}

function loggedTables(db: Database): LoggedTable[] {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
  const names = (db.query(sql).all() as { name: string }[]).map(({ name }) => name);
  return names
    .filter((name) => !KEPT.has(name) && !name.startsWith("sqlite_") && !name.startsWith(PREFIX))
    .map((name) => {
      const columns = db.query("SELECT name, pk FROM pragma_table_info(?)").all(name) as {
        name: string;
        pk: bigint;
      }[];
      const key = columns.filter(({ pk }) => pk > 0n).sort((a, b) => Number(a.pk - b.pk));
      if (key.length === 0) throw new Error(`table ${name} has no key`);
      return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
    });
}

/**
 * The undo table and the triggers of a table. They fire before the change, because `INSERT OR REPLACE` tells nobody of
 * the row it replaces; and they ask whether there is a value already, because a conflict clause of their own would be
 * overruled by the one of the statement that fired them.
 */
function definitions(table: LoggedTable): string[] {
  const { name, columns, key } = table;
  const undo = undoName(table);
  const list = (names: readonly string[], from = "") =>
    names.map((column) => from + quoted(column)).join(", ");
  const isKnown = (row: string) => {
    const same = key.map((column) => `${quoted(column)} = ${row}.${quoted(column)}`).join(" AND ");
    return `EXISTS(SELECT 1 FROM ${undo} WHERE level = (SELECT level FROM chain_undo) AND ${same})`;
  };
  const isOn = "(SELECT level FROM chain_undo) IS NOT NULL";
  const keep = (row: string) =>
    `INSERT INTO ${undo}(level, ${list(columns)}, existed) SELECT (SELECT level FROM chain_undo), ${list(columns, `${row}.`)}, 1;`;
  const same = key.map((column) => `${quoted(column)} = NEW.${quoted(column)}`).join(" AND ");
  const keepBefore = `
    INSERT INTO ${undo}(level, ${list(columns)}, existed)
      SELECT (SELECT level FROM chain_undo), ${list(columns)}, 1 FROM ${quoted(name)} WHERE ${same};
    INSERT INTO ${undo}(level, ${list(key)}, existed)
      SELECT (SELECT level FROM chain_undo), ${list(key, "NEW.")}, 0 WHERE NOT EXISTS(SELECT 1 FROM ${quoted(name)} WHERE ${same});`;
  const moved = key.map((column) => `NEW.${quoted(column)} IS NOT OLD.${quoted(column)}`).join(" OR ");
  const trigger = (event: string, when: string, body: string, suffix: string = event) =>
    `CREATE TRIGGER ${quoted(`${PREFIX}${suffix}_${name}`)} BEFORE ${event} ON ${quoted(name)} WHEN ${isOn} AND ${when} BEGIN ${body} END`;
  return [
    `CREATE TABLE ${undo}(level INTEGER NOT NULL, ${columns.map((column) => `${quoted(column)} ANY`).join(", ")},
      existed INTEGER NOT NULL, PRIMARY KEY(level, ${list(key)})) STRICT, WITHOUT ROWID`,
    trigger("insert", `NOT ${isKnown("NEW")}`, keepBefore),
    trigger("delete", `NOT ${isKnown("OLD")}`, keep("OLD")),
    // A row that takes another key leaves the one and comes to the other; nothing in the store does that.
    trigger(
      "update",
      `((${moved}) OR NOT ${isKnown("OLD")})`,
      `SELECT RAISE(ABORT, 'a key changes') WHERE ${moved}; ${keep("OLD")}`,
    ),
  ];
}

function undoName(table: LoggedTable): string {
  return quoted(PREFIX + table.name);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
