// Opens databases: the only place of their settings.
import { Database, constants as flags, type Statement } from "bun:sqlite";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { isDiskFull } from "../files/sqlite-error.ts";
import { admitWord } from "../wire/identifiers.ts";
import { lostFrames, PageSums, sumsPath } from "./page-sums.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./schema.ts";

/** Below this a WAL can be corrupted by a reset that races a reader (sqlite.org, "WAL-reset bug"). */
const SQLITE_VERSION_MIN = [3, 51, 3] as const;
/** Wide rows (market data, markets) stay on their page up to about 2,000 bytes. */
export const PAGE_BYTES = 8192;
/** More is filled with pages that come once. No memory map: a page that the disk cannot read would be a bus error there, for a gain below 1.2. */
const WRITER_CACHE_KIB = 16 * 1024;
/** A thread that reads: pages of a large store are seldom asked for twice, and the system keeps them as well. */
const READER_CACHE_KIB = 8 * 1024;
const BUSY_TIMEOUT_MS = 5_000;
/** Compiled statements kept for each connection: the resources have a few hundred texts (Bun's own default is 20). */
const STATEMENTS_KEPT = 512;
/** "LYRA" as a number, so that a foreign SQLite file is recognised (`PRAGMA application_id`). */
export const APPLICATION_ID = 0x4c595241;

/** Absolute: Bun cuts off blanks at the start of a database's path. */
export function storePath(home: string): string {
  return resolve(home, "lyra.db");
}

/**
 * Identity of a store's file, to notice its replacement; undefined where there is none, or a folder above may not be
 * entered any more.
 */
export function storeIdentity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

export function segmentDirectory(home: string): string {
  return join(home, "segments");
}

class StoreDatabase extends Database {
  /** Opened in a home that cannot be written. */
  readonly isImmutable: boolean;
  /** The writer's. */
  private sums: PageSums | undefined;
  private readonly identity = storeIdentity(this.filename);

  constructor(path: string, options: ConstructorParameters<typeof Database>[1]) {
    super(path, options);
    this.isImmutable = typeof options === "number";
  }

  // biome-ignore lint/suspicious/noExplicitAny: the same type parameters as in the class above
  override query(sql: string): any {
    return this.exact(super.query(sql));
  }

  /** Whole numbers as bigint; a connection that was opened by flags has no option for it (see `openImmutable`). */
  private exact(statement: Statement): Statement {
    if (this.isImmutable) statement.safeIntegers(true);
    return statement;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the same type parameters as in the class above
  override prepare(sql: string, ...words: unknown[]): any {
    return this.exact(super.prepare(sql, ...(words as [])));
  }

  keepSums(): void {
    this.sums = PageSums.open(this.filename, Number(pageSize(this)));
  }

  /** Whether its file is not where it was opened: the home was moved or replaced. */
  get isElsewhere(): boolean {
    return storeIdentity(this.filename) !== this.identity;
  }

  /** Sums the pages that are about to come into the store. */
  recordSums(): number | undefined {
    const { synchronous } = this.query("PRAGMA synchronous").get() as { synchronous: bigint };
    return this.sums?.record(synchronous > 0n);
  }

  markLog(frames: number): (() => void) | undefined {
    return this.sums?.markLog(frames);
  }

  dropMark(): void {
    this.sums?.dropMark();
  }

  /** The last connection that closes folds the log back into the store, with or without sums. */
  private closeSums(): void {
    try {
      this.recordSums();
      this.dropMark();
    } catch {
      this.sums?.discard();
    }
    this.sums?.close();
    this.sums = undefined;
  }

  /**
   * Bun's strict close finalizes the statements and closes now. Its lenient one lets the connection linger, with its
   * locks, until the last statement is collected: it would then remove the log of any store that lies at this path.
   */
  override close(): void {
    if (this.sums) this.closeSums();
    super.close(true);
  }
}

/** Opens the store for writing, makes it if it is not there, and brings its schema up to date. */
export function openWriter(home: string): Database {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  // Before SQLite reads it: the next commit would be written over the rest.
  checkLogWhole(home);
  checkNotEmptied(home);
  checkNotGone(home);
  const db = open(storePath(home), { readwrite: true, create: true });
  try {
    checkVersion(db);
    // No pages: it is new, or its maker was killed before the first one. Only then can their size be chosen.
    if (pageCount(db) === 0n) {
      db.run(`PRAGMA page_size = ${PAGE_BYTES}`);
      rmSync(sumsPath(db.filename), { force: true });
    }
    db.run("PRAGMA journal_mode = WAL");
    db.run("PRAGMA synchronous = FULL");
    // The writer alone checkpoints, between blocks (store/block-writer.ts).
    db.run("PRAGMA wal_autocheckpoint = 0");
    db.keepSums();
    migrate(db);
  } catch (error) {
    db.close();
    throw openError(error);
  }
  return db;
}

/** End of the log, in frames. */
export interface LogState {
  readonly busy: bigint;
  readonly log: bigint;
  /** Frames of them that the store has. */
  readonly checkpointed: bigint;
}

/**
 * Folds the log back into the store: the only way to do so, because the sums of the pages go before. A home that was moved or
 * replaced under the program keeps its log until it is in its place again.
 * @throws NodeError `store_damaged` when the log has changed behind the writer's back
 */
export function checkpoint(db: Database, mode: "PASSIVE" | "TRUNCATE"): LogState {
  const summed = db instanceof StoreDatabase ? db.recordSums() : undefined;
  const state = db.query("PRAGMA wal_checkpoint(NOOP)").get() as LogState;
  if (db instanceof StoreDatabase && db.isElsewhere) return state;
  if (summed !== undefined && Number(state.log) > summed) throw logDamaged(summed);
  if (mode === "TRUNCATE" && db instanceof StoreDatabase) db.dropMark();
  return db.query(`PRAGMA wal_checkpoint(${mode})`).get() as LogState;
}

/**
 * Remembers how far the log reaches, so that a start notices when it does not any more.
 * @param frames of the log after the last commit
 * @returns to be called when they are durable
 */
export function markLog(db: Database, frames: number): () => void {
  return (db instanceof StoreDatabase ? db.markLog(frames) : undefined) ?? (() => {});
}

/** @throws NodeError `store_damaged` when blocks that were acknowledged are gone from the log */
export function checkLogWhole(home: string): void {
  const lost = lostFrames(storePath(home));
  if (lost === undefined) return;
  throw new NodeError(
    "store.open",
    "store_damaged",
    `the store's log can be read up to frame ${lost.sound} of ${lost.written}: blocks that were stored are in the rest`,
    "restore the home from a backup, or its chain with: lyra doctor --repair --recording FILE; to go on without those blocks, remove lyra.db-sums",
  );
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size;

/** A new store has its first page before its sums. @throws NodeError `store_damaged` for one whose pages are gone */
function checkNotEmptied(home: string): void {
  const path = storePath(home);
  if (sizeOf(path) !== 0 || (sizeOf(sumsPath(path)) ?? 0) === 0) return;
  throw new NodeError(
    "store.open",
    "store_damaged",
    "the store is empty, and it had pages",
    "restore the home from a backup, or its chain with: lyra doctor --repair --recording FILE; to start over, remove lyra.db-sums",
  );
}

/** Files that a home without a store never has. The last holds the place up to which events of the log are stored. */
const BESIDE_STORE = ["lyra.db-sums", "lyra.db-wal", "events/read"];

/** A new store would have segments removed, and events of the log passed over. @throws NodeError `store_missing` */
function checkNotGone(home: string): void {
  if (hasStore(home)) return;
  const left = BESIDE_STORE.find((name) => (sizeOf(join(home, name)) ?? 0) > 0) ?? anySegment(home);
  if (left === undefined) return;
  throw new NodeError(
    "store.open",
    "store_missing",
    `lyra.db is not there, and ${left} is of a home that had one`,
    "put it back, or fill the home: lyra history fetch --from URL, or lyra restore into an empty one; to start over, take another --home",
  );
}

function anySegment(home: string): string | undefined {
  const folder = segmentDirectory(home);
  const name = existsSync(folder) ? readdirSync(folder).find((each) => each.endsWith(".seg")) : undefined;
  return name === undefined ? undefined : `segments/${name}`;
}

export function logDamaged(sound: number): NodeError {
  return new NodeError(
    "store.check",
    "store_damaged",
    `the store's log is not what was written to it behind frame ${sound}`,
    "check the disk, restore the home from a backup, or load its recording into another home",
  );
}

/** Whether a home has a store. @throws NodeError `store_unreadable` where it cannot be looked for */
export function hasStore(home: string): boolean {
  try {
    statSync(storePath(home));
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    const sentence = `the store in ${home} cannot be read (${code})`;
    throw new NodeError("store.open", "store_unreadable", sentence, "check the rights of the home");
  }
}

/** Whether an existing home cannot be written to. */
export function isReadOnlyHome(home: string): boolean {
  return hasStore(home) && readOnlyHome(home) !== undefined;
}

/** A chain of its own may name assets by words: they are identifiers in every thread that reads its store. */
function admitWords(db: Database): void {
  const row = db.query("SELECT value FROM chain_meta WHERE key = 'genesis'").get() as {
    value: string;
  } | null;
  if (row === null) return;
  const { app_state: state } = JSON.parse(row.value) as { app_state?: { assets?: object | null } };
  for (const id of Object.keys(state?.assets ?? {})) admitWord(id);
}

/** Opens an existing store for queries only. Many may be open beside the writer, in any process. */
export function openReader(home: string): Database {
  if (!hasStore(home)) {
    throw new NodeError(
      "store.open",
      "store_missing",
      `there is no store in ${home}`,
      "load one with: lyra replay FILE --home DIR",
    );
  }
  // Read-only, so that the last reader to close leaves the log to the writer, which has sums of its pages. SQLite
  // recovers a log that a killed writer left all the same.
  let db: Database;
  try {
    db = open(storePath(home), { readonly: true });
  } catch (error) {
    const refusal = readOnlyHome(home);
    if (refusal === undefined) throw error;
    if (hasLog(home)) throw refusal;
    db = openImmutable(home);
  }
  try {
    checkVersion(db);
    if (schemaVersionOf(db) < SCHEMA_VERSION) {
      throw new NodeError(
        "store.open",
        "schema_older",
        `the store has schema ${schemaVersionOf(db)}, this program reads ${SCHEMA_VERSION}`,
        "open it once for writing to bring it up to date: lyra serve --home DIR",
      );
    }
    if (!(db as StoreDatabase).isImmutable) db.run("PRAGMA query_only = ON");
    db.run(`PRAGMA cache_size = -${READER_CACHE_KIB}`);
    admitWords(db);
  } catch (error) {
    db.close();
    throw openError(error);
  }
  return db;
}

/** Undefined when it can be written: then that is not why it does not open. */
function readOnlyHome(home: string): NodeError | undefined {
  try {
    accessSync(home, constants.W_OK);
    return undefined;
  } catch (error) {
    const code = (error as { code?: string }).code ?? "unknown";
    return new NodeError(
      "store.open",
      "home_read_only",
      `the store cannot be opened: the home ${home} cannot be written (${code}), which reading it takes too`,
      "copy the home to where it can be written, and read the copy",
      { cause: error },
    );
  }
}

/** Whether a killed writer left a log, which only a writer can fold back. */
function hasLog(home: string): boolean {
  return (statSync(`${storePath(home)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** A whole store in a home that cannot be written: without locks and without the files that readers keep beside it. */
function openImmutable(home: string): StoreDatabase {
  const path = `${pathToFileURL(storePath(home)).href}?immutable=1`;
  return prepared(() => new StoreDatabase(path, flags.SQLITE_OPEN_READONLY | flags.SQLITE_OPEN_URI));
}

function open(path: string, mode: { readonly: true } | { readwrite: true; create: boolean }): StoreDatabase {
  return prepared(() => new StoreDatabase(path, { ...mode, strict: true, safeIntegers: true }));
}

function prepared(connect: () => StoreDatabase): StoreDatabase {
  checkSqlite();
  Database.MAX_QUERY_CACHE_SIZE = STATEMENTS_KEPT;
  let db: StoreDatabase | undefined;
  try {
    db = connect();
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    db.run(`PRAGMA cache_size = -${WRITER_CACHE_KIB}`);
    db.run("PRAGMA temp_store = FILE");
    db.run("PRAGMA foreign_keys = OFF");
    db.query("SELECT count(*) FROM sqlite_schema").get();
  } catch (error) {
    db?.close();
    throw openError(error);
  }
  return db;
}

function openError(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  if (isDiskFull(error)) {
    const hint = "make room and start again";
    return new NodeError("store.open", "disk_full", "the disk is full: the store cannot be opened", hint);
  }
  return new NodeError(
    "store.open",
    "store_unreadable",
    `the store cannot be opened: ${reasonOf(error)}`,
    "check it with: lyra doctor --home DIR",
    { cause: error },
  );
}

function pageCount(db: Database): bigint {
  return (db.query("PRAGMA page_count").get() as { page_count: bigint }).page_count;
}

function pageSize(db: Database): bigint {
  return (db.query("PRAGMA page_size").get() as { page_size: bigint }).page_size;
}

function checkSqlite(): void {
  const probe = new Database(":memory:");
  const version = String((probe.query("SELECT sqlite_version() AS v").get() as { v: string }).v);
  probe.close();
  const parts = version.split(".").map(Number);
  for (const [i, minimum] of SQLITE_VERSION_MIN.entries()) {
    const part = parts[i] ?? 0;
    if (part > minimum) return;
    if (part < minimum) {
      throw new NodeError(
        "store.open",
        "sqlite_too_old",
        `SQLite ${version} is older than ${SQLITE_VERSION_MIN.join(".")}`,
        "use the Bun version of the lockfile",
      );
    }
  }
}

export function schemaVersionOf(db: Database): number {
  return Number((db.query("PRAGMA user_version").get() as { user_version: bigint }).user_version);
}

function checkVersion(db: Database): void {
  const version = schemaVersionOf(db);
  const id = Number((db.query("PRAGMA application_id").get() as { application_id: bigint }).application_id);
  const { tables } = db.query("SELECT count(*) AS tables FROM sqlite_schema").get() as { tables: bigint };
  if ((version > 0 || tables > 0n) && id !== APPLICATION_ID) {
    throw new NodeError(
      "store.open",
      "store_foreign",
      "the database in this home is not a Lyra store",
      "choose another --home",
    );
  }
  if (version > SCHEMA_VERSION) {
    throw new NodeError(
      "store.open",
      "schema_newer",
      `the store has schema ${version}, newer than the ${SCHEMA_VERSION} this program knows`,
      "use the newer program that wrote it",
    );
  }
}

function migrate(db: Database): void {
  checkVersion(db);
  const version = schemaVersionOf(db);
  const isOlder = version > 0 && version < SCHEMA_VERSION;
  const copy = isOlder ? keepCopy(db, version) : undefined;
  for (const migration of MIGRATIONS) {
    if (migration.version <= version) continue;
    try {
      db.transaction(() => {
        migration.run(db);
        db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
        db.run(`PRAGMA user_version = ${migration.version}`);
      }).immediate();
    } catch (error) {
      throw copy === undefined ? error : migrationFailed(error, migration.version, copy);
    }
  }
  removeCopies(db.filename);
}

const COPY = "-schema-";

/**
 * A copy of the store as it is, checked, for as long as its schema is changed: the steps have no way back. After a kill
 * the next start makes it again, or removes it where the steps are done.
 * @returns its path @throws NodeError when there is no room for it
 */
function keepCopy(db: Database, version: number): string {
  const path = `${db.filename}${COPY}${version}`;
  const half = `${path}.tmp`;
  try {
    rmSync(half, { force: true, recursive: true });
    db.query("VACUUM INTO ?").run(half);
    const copy = new Database(half, { readonly: true, safeIntegers: true });
    try {
      const check = copy.query("PRAGMA quick_check(1)").get() as { quick_check: string };
      if (check.quick_check !== "ok" || schemaVersionOf(copy) !== version) throw new Error(check.quick_check);
    } finally {
      copy.close();
    }
    const file = openSync(half, "r");
    fsyncSync(file);
    closeSync(file);
    renameSync(half, path);
    return path;
  } catch (error) {
    rmSync(half, { force: true, recursive: true });
    const hint = `nothing was changed: make room for a copy of the store (${statSync(db.filename).size} bytes), or check the disk`;
    const sentence = `the store has schema ${version}, and no copy of it could be made before it is brought up to date`;
    const options = { cause: error };
    throw isDiskFull(error)
      ? new NodeError("store.migrate", "disk_full", sentence, hint, options)
      : new NodeError("store.migrate", "migration_failed", sentence, hint, options);
  }
}

function migrationFailed(error: unknown, version: number, copy: string): NodeError {
  const sentence = `the store could not be brought to schema ${version}`;
  const hint = `it is as it was, and a checked copy is ${basename(copy)} in the home`;
  const options = { cause: error };
  return isDiskFull(error)
    ? new NodeError("store.migrate", "disk_full", sentence, `${hint}: make room and start again`, options)
    : new NodeError("store.migrate", "migration_failed", sentence, hint, options);
}

/** Of migrations that are done. */
function removeCopies(filename: string): void {
  if (filename === "" || filename === ":memory:") return;
  const prefix = `${basename(filename)}${COPY}`;
  for (const name of readdirSync(dirname(filename)))
    if (name.startsWith(prefix)) rmSync(join(dirname(filename), name), { force: true });
}
