/**
 * The way back to an earlier store. While there are snapshots, triggers keep of every row the first value it had since
 * the last of them, in the table `chain_undo_rows`; reverting puts those values back. It costs what has changed since,
 * and being part of the same transactions it survives whatever the store survives.
 *
 * Only for the owner of the writer's connection; every method that changes something wants an open transaction.
 */
import type { Database } from "bun:sqlite";

/** Not reverted: the log itself, the snapshots, rows made from blocks and checked against them by their owner, what is sent. */
const KEPT: ReadonlySet<string> = new Set([
  "chain_snapshots",
  "chain_undo",
  "chain_undo_rows",
  "chain_outbox",
  "segments",
]);
const EVENTS = ["INSERT", "UPDATE", "DELETE"] as const;
const KEY_COLUMNS = 4;
/** Columns of a row that the log can hold (store/schema.ts). */
export const UNDO_COLUMNS = 20;
const LEVEL = "(SELECT level FROM chain_undo)";

interface LoggedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

export class UndoLog {
  private known: readonly LoggedTable[] | undefined;

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
    const later = this.db.query(
      "SELECT DISTINCT level FROM chain_undo_rows WHERE level >= ? ORDER BY level DESC",
    );
    const levels = (later.all(level) as { level: bigint }[]).map((row) => Number(row.level));
    const isThere = this.db.query("SELECT 1 FROM chain_undo_rows WHERE level = ? AND name = ? LIMIT 1");
    // Restored rows are not watched.
    this.setLevel(undefined);
    for (const each of levels) {
      for (const table of this.tables()) if (isThere.get(each, table.name)) this.restore(table, each);
    }
    this.db.run("DELETE FROM chain_undo_rows WHERE level >= ?", [level]);
    this.setLevel(level);
  }

  /** Gives up the way back to one level; the ways to the others stay. @param before the level before it, if any */
  drop(level: number, before: number | undefined): void {
    // A row without a value in the level before has not changed in it.
    if (before !== undefined) {
      this.db.run("UPDATE OR IGNORE chain_undo_rows SET level = ? WHERE level = ?", [before, level]);
    }
    this.db.run("DELETE FROM chain_undo_rows WHERE level = ?", [level]);
  }

  /** No way back is needed any more. */
  remove(): void {
    if (!this.isOn) return;
    for (const { name } of this.tables()) {
      for (const event of EVENTS) this.db.run(`DROP TRIGGER IF EXISTS ${triggerName(event, name)}`);
    }
    this.db.run("DELETE FROM chain_undo_rows");
    this.db.run("DELETE FROM chain_undo");
  }

  /** Makes the triggers of a store whose rows were copied from one that is watched. */
  reinstall(): void {
    if (this.isOn) this.install();
  }

  private install(): void {
    const triggers = this.tables().flatMap(triggersOf);
    this.db.run(triggers.join(";\n"));
  }

  private setLevel(level: number | undefined): void {
    this.db.run("DELETE FROM chain_undo");
    if (level !== undefined) this.db.run("INSERT INTO chain_undo(level) VALUES(?)", [level]);
  }

  private restore({ name, columns, key }: LoggedTable, level: number): void {
    const ofTable = `FROM chain_undo_rows WHERE level = ? AND name = ? AND existed`;
    const keys = key.map((_, n) => `k${n}`).join(", ");
    const absent = `DELETE FROM ${quoted(name)} WHERE (${list(key)}) IN (SELECT ${keys} ${ofTable} = 0)`;
    this.db.run(absent, [level, name]);
    const values = columns.map((_, n) => `v${n}`).join(", ");
    const present = `INSERT OR REPLACE INTO ${quoted(name)}(${list(columns)}) SELECT ${values} ${ofTable} = 1`;
    this.db.run(present, [level, name]);
  }

  private tables(): readonly LoggedTable[] {
    this.known ??= loggedTables(this.db);
    return this.known;
  }
}

function loggedTables(db: Database): LoggedTable[] {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
  const names = (db.query(sql).all() as { name: string }[]).map(({ name }) => name);
  return names
    .filter((name) => !KEPT.has(name) && !name.startsWith("sqlite_"))
    .map((name) => loggedTable(db, name));
}

function loggedTable(db: Database, name: string): LoggedTable {
  const rows = db.query("SELECT name, pk FROM pragma_table_info(?)").all(name) as {
    name: string;
    pk: bigint;
  }[];
  const columns = rows.map((column) => column.name);
  const inKey = rows.filter(({ pk }) => pk > 0n).sort((a, b) => Number(a.pk - b.pk));
  const key = inKey.map((column) => column.name);
  if (key.length === 0 || key.length > KEY_COLUMNS || columns.length > UNDO_COLUMNS) {
    throw new Error(`the undo log cannot hold rows of ${name}`);
  }
  return { name, columns, key };
}

/**
 * The triggers of a table. They fire before the change, because `INSERT OR REPLACE` fires no trigger for the row it
 * replaces; and they ask whether there is a value already, because a conflict clause of their own would be overruled
 * by the one of the statement that fired them.
 */
function triggersOf({ name, columns, key }: LoggedTable): string[] {
  const keyOf = (row: string) =>
    Array.from({ length: KEY_COLUMNS }, (_, n) => (key[n] ? `${row}.${quoted(key[n])}` : "0"));
  const isKnown = (row: string) => {
    // The plus removes the column's type: compared with one, a key of any type is not looked up but searched for.
    const same = keyOf(row).map((value, n) => `k${n} = +${value}`);
    return `EXISTS(SELECT 1 FROM chain_undo_rows WHERE level = ${LEVEL} AND name = '${name}' AND ${same.join(" AND ")})`;
  };
  const into = (values: boolean) => {
    const old = values ? columns.map((_, n) => `, v${n}`).join("") : "";
    return `INSERT INTO chain_undo_rows(level, name, k0, k1, k2, k3, existed${old})`;
  };
  const row = (from: string, existed: boolean) => {
    const old = existed ? columns.map((column) => `, ${from}.${quoted(column)}`).join("") : "";
    return `SELECT ${LEVEL}, '${name}', ${keyOf(existed ? from : "NEW").join(", ")}, ${existed ? 1 : 0}${old}`;
  };
  const sameKey = key.map((column) => `t.${quoted(column)} = NEW.${quoted(column)}`).join(" AND ");
  const fromRow = `FROM ${quoted(name)} t WHERE ${sameKey}`;
  const moved = key.map((column) => `NEW.${quoted(column)} IS NOT OLD.${quoted(column)}`).join(" OR ");
  const trigger = (event: (typeof EVENTS)[number], when: string, body: string) =>
    `CREATE TRIGGER ${triggerName(event, name)} BEFORE ${event} ON ${quoted(name)} WHEN ${LEVEL} IS NOT NULL AND ${when} BEGIN ${body}; END`;
  return [
    trigger(
      "INSERT",
      `NOT ${isKnown("NEW")}`,
      `${into(true)} ${row("t", true)} ${fromRow}; ${into(false)} ${row("NEW", false)} WHERE NOT EXISTS(SELECT 1 ${fromRow})`,
    ),
    trigger("DELETE", `NOT ${isKnown("OLD")}`, `${into(true)} ${row("OLD", true)}`),
    // A row that took another key would leave one place and come to another; nothing in the store does that.
    trigger(
      "UPDATE",
      `((${moved}) OR NOT ${isKnown("OLD")})`,
      `SELECT RAISE(ABORT, 'a key changes') WHERE ${moved}; ${into(true)} ${row("OLD", true)}`,
    ),
  ];
}

function triggerName(event: string, table: string): string {
  return quoted(`undo_${event.toLowerCase()}_${table}`);
}

function list(names: readonly string[]): string {
  return names.map(quoted).join(", ");
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
