// Copies of a store that is in use: SQLite makes them of one moment, beside its writer.
import { Database } from "bun:sqlite";
import { closeSync, openSync, rmSync, statfsSync } from "node:fs";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { isDiskFull } from "../files/sqlite-error.ts";
import { realSteps } from "../files/whole-file.ts";
import { tablesOfChain } from "./chain-tables.ts";
import { APPLICATION_ID, schemaVersionOf, storePath } from "./database.ts";
import { hasChain } from "./head.ts";
import { readFloors } from "./retention.ts";
import { MIGRATIONS, OPTIONAL_TABLES, SCHEMA_VERSION } from "./schema.ts";

/** Room that is left on the disk beside what a copy takes: the writer goes on. */
const SPARE_BYTES = 256 * 1024 * 1024;

/** Bytes that a copy of the store takes at the most. */
export function copyBytes(home: string): number {
  const db = openPlain(storePath(home));
  try {
    const [pages, bytes] = ["page_count", "page_size"].map((name) =>
      Number(db.query(`PRAGMA ${name}`).values()[0]![0]),
    );
    return pages! * bytes!;
  } finally {
    db.close();
  }
}

/** @throws NodeError `disk_full` where a folder has no room for this many bytes */
export function checkRoom(attempt: string, folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= bytes + SPARE_BYTES) return;
  const sentence = `the disk has ${megabytes(free)} free, and ${megabytes(bytes + SPARE_BYTES)} are needed`;
  throw new NodeError(
    attempt,
    "disk_full",
    sentence,
    "make room, or choose another place; nothing was changed",
  );
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

/**
 * Copies the store of a home to a path where nothing is, and checks the copy. Waits on this thread until it is done and
 * on the disk; of a copy that failed nothing stays.
 * @throws NodeError `disk_full`, `copy_failed`
 */
export function copyStore(home: string, path: string): void {
  try {
    const db = openPlain(storePath(home));
    try {
      db.query("VACUUM INTO ?").run(path);
    } finally {
      db.close();
    }
    const file = openSync(path, "r");
    realSteps.sync(file);
    closeSync(file);
    checkCopy(path, "own");
  } catch (error) {
    rmSync(path, { force: true });
    if (isDiskFull(error)) {
      const sentence = "the disk is full: the store could not be copied";
      throw new NodeError("store.copy", "disk_full", sentence, "make room; the store is as it was");
    }
    if (error instanceof NodeError) throw error;
    const sentence = `the store could not be copied: ${reasonOf(error)}`;
    throw new NodeError("store.copy", "copy_failed", sentence, "lyra doctor --home DIR --deep");
  }
}

/** Leaves the rows of a copy and the facts of its blocks, and nothing of a chain's own. @throws NodeError `copy_failed` */
export function removeChain(path: string): void {
  const db = new Database(path);
  try {
    db.transaction(() => {
      for (const name of tablesOfChain(db)) db.run(`DELETE FROM ${name}`);
    })();
    db.run("VACUUM");
  } catch (error) {
    throw unfit(reasonOf(error));
  } finally {
    db.close();
  }
  checkCopy(path, "foreign");
}

/**
 * Whether a file is a whole store that this program can read.
 * @param origin a `foreign` one may have nothing besides the tables of its schema: triggers could do anything
 * @throws NodeError `copy_failed`
 */
export function checkCopy(path: string, origin: "own" | "foreign"): void {
  const db = openPlain(path);
  try {
    db.run("PRAGMA trusted_schema = OFF");
    const id = Number(db.query("PRAGMA application_id").values()[0]![0]);
    const version = schemaVersionOf(db);
    if (id !== APPLICATION_ID) throw unfit("it is not a store of Lyra");
    if (version < 1) throw unfit(`it has schema ${version}`);
    checkSchemaKnown("store.copy", "the copy of a store", version);
    // Nothing is read before this: a view by the name of a table can take any time.
    if (origin === "foreign") checkTables(db, version);
    if (origin === "foreign" && hasChain(db)) throw unfit("it holds a chain of its own");
    const verdict = String(db.query("PRAGMA quick_check(1)").values()[0]![0]);
    if (verdict !== "ok") throw unfit(verdict);
  } finally {
    db.close();
  }
}

/** @throws NodeError `copy_failed` */
function checkTables(db: Database, version: number): void {
  const { retention, ...others } = OPTIONAL_TABLES;
  const isThere = db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  const optional = Object.entries(others).flatMap(([name, sql]) => (isThere.get(name) ? [sql] : []));
  const tables = schemaOf(db);
  if (Bun.deepEquals(tables, schemaAt(version, optional))) return;
  const isPruned = Bun.deepEquals(tables, schemaAt(version, [...optional, retention]));
  if (isPruned && readFloors(db).size > 0)
    throw unfit("older rows were removed from it by a disk budget: take a node that keeps its whole history");
  throw unfit("it has other tables than a store has");
}

/** @param what that was made by another program @throws NodeError `schema_newer` */
export function checkSchemaKnown(attempt: string, what: string, version: number): void {
  if (version <= SCHEMA_VERSION) return;
  const sentence = `${what} has schema ${version}, newer than the ${SCHEMA_VERSION} this program knows`;
  throw new NodeError(
    attempt,
    "schema_newer",
    sentence,
    "use the newer program that made it, or a later one",
  );
}

export function unfit(reason: string): NodeError {
  const hint = "get or make the copy again";
  return new NodeError("store.copy", "copy_failed", `a copy of a store is not sound: ${reason}`, hint);
}

/** Without the settings of a reader: copying is refused to a connection that only queries. */
function openPlain(path: string): Database {
  return new Database(path, { readonly: true, safeIntegers: true });
}

function schemaOf(db: Database): unknown[][] {
  return db.query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").values();
}

function schemaAt(version: number, more: readonly string[]): unknown[][] {
  const db = new Database(":memory:");
  try {
    for (const migration of MIGRATIONS) if (migration.version <= version) migration.run(db);
    for (const sql of more) db.run(sql);
    return schemaOf(db);
  } finally {
    db.close();
  }
}
