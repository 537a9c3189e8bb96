// Backup and restore of a home, which may be in use: a snapshot of its store, its segments and its configuration in one file,
// with the hash of each. Wallets are not included.
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { codeOf, NodeError, reasonOf } from "../errors/node-error.ts";
import { type Lock, lockHome, tryLock } from "../files/lock.ts";
import { openPlainFile } from "../files/short-file.ts";
import { isDiskFull, isSqliteError } from "../files/sqlite-error.ts";
import { readTar, TAR_END, type TarEntry, TarFault, tarHeader, tarPadding } from "../files/tar.ts";
import { confirm, realSteps } from "../files/whole-file.ts";
import { checkCopy, checkRoom, checkSchemaKnown, copyBytes } from "../store/copy.ts";
import {
  checkLogWhole,
  hasStore,
  openReader,
  openWriter,
  schemaVersionOf,
  segmentDirectory,
  storePath,
} from "../store/database.ts";
import { readHead } from "../store/head.ts";
import { checkPages } from "../store/page-check.ts";
import { sumsPath } from "../store/page-sums.ts";
import { rebuildStore } from "../store/rebuild.ts";
import { checkRowsAgree } from "../store/row-check.ts";
import { type BackupFile, FORMAT, type Manifest, readManifest, unsound } from "./backup-manifest.ts";
import { checkRows, checkSegment } from "./segment-check.ts";
import { segmentPath } from "./segment-format.ts";
import { listSegments, type SegmentRow } from "./segment-table.ts";
import { copyAside } from "./sharing/image.ts";

const MANIFEST = "manifest.json";
const STORE = "lyra.db";
/** Optional files of a home, besides its store and segments. */
const CONFIGURATION = "lyra.toml";
const SETTINGS = [CONFIGURATION, "genesis.json"] as const;
/** Name of the backup's configuration in the restored home; nothing reads it. */
const PUT_BESIDE = `${CONFIGURATION}.restored`;
/** The backup's store, from which rows are copied. */
const RECEIVED = "received.db";
const SEGMENT = /^segments\/[0-9a-f]{64}\.seg$/;
const READ_BYTES = 1024 * 1024;
const MANIFEST_BYTES_MAX = 256 * 1024 * 1024;
const ENTRIES_MAX = 1_000_000;
/** The part of the home that an unfinished restore created. */
const UNFINISHED = "restore.tmp";
/** Names that an empty home may contain. */
const NOTHING = new Set(["lock.db", "lyra.pid", "lost+found", UNFINISHED]);
const LOOK_MS = 200;

export interface BackupProgress {
  readonly step: string;
  /** From 0 to 1. */
  readonly part: number;
}

interface Hooks {
  onProgress?(progress: BackupProgress): void;
  isStopping?(): boolean;
}

export interface BackupResult {
  readonly chainId: string;
  readonly height: number;
  readonly segments: number;
  readonly bytes: number;
}

export interface RestoreResult extends BackupResult {
  /** Foreign objects of the backup's store, such as `trigger bad`; they are not restored. */
  readonly leftOut: readonly string[];
  /** File of the home with the backup's configuration, if the backup has one. */
  readonly settings?: string;
}

interface RestoreOptions extends Hooks {
  readonly file: string;
  readonly home: string;
  /** Whether the backup's configuration becomes the home's. */
  readonly withSettings?: boolean;
}

class Stopped extends Error {}

/** Writes the backup of a home. @returns undefined if stopped @throws NodeError; leaves no files */
export function backupHome(
  options: { readonly home: string; readonly out: string; readonly force?: boolean } & Hooks,
): Promise<BackupResult | undefined> {
  return guarded("backup", async () => {
    const { home, out } = options;
    if (!hasStore(home)) {
      const hint = "name the home of the node with --home DIR";
      throw new NodeError("backup", "store_missing", `there is no store in ${home}`, hint);
    }
    refuseExisting(out, options.force === true);
    const work = `${resolve(out)}.tmp`;
    const lock = lockOutput(out);
    try {
      rmSync(work, { recursive: true, force: true });
      mkdirSync(work, { mode: 0o700 });
      return await new Backup(options, work).run();
    } finally {
      rmSync(work, { recursive: true, force: true });
      lock.release();
      rmSync(`${resolve(out)}.lock`, { force: true });
    }
  });
}

function refuseExisting(out: string, force: boolean): void {
  if (force || !existsSync(out)) return;
  throw new NodeError(
    "backup",
    "file_exists",
    `${out} is there already`,
    "choose another --out, or say --force",
  );
}

function lockOutput(out: string): Lock {
  let lock: Lock | undefined;
  try {
    lock = tryLock(`${resolve(out)}.lock`);
  } catch (error) {
    const sentence = `${out} cannot be written: ${codeOf(error) ?? reasonOf(error)}`;
    throw new NodeError("backup", "output_failed", sentence, "give --out a file in a folder that exists");
  }
  if (lock !== undefined) return lock;
  throw new NodeError("backup", "output_failed", `another backup is being written to ${out}`, "wait for it");
}

class Backup {
  constructor(
    private readonly options: {
      readonly home: string;
      readonly out: string;
      readonly force?: boolean;
    } & Hooks,
    private readonly work: string,
  ) {}

  async run(): Promise<BackupResult> {
    const { home, out } = this.options;
    const segments = this.bytesOfSegments();
    checkRoom("backup", this.work, 2 * copyBytes(home) + segments);
    // Refuse to back up a damaged store: the copy would look sound but be wrong.
    checkLogWhole(home);
    this.report("checking the store", 0);
    await checkPages(home, this.pause);
    await this.copyStore();
    const { rows, facts } = this.readCopy();
    await checkAllRows(this.work, segmentDirectory(home), rows, this.options);
    const archive = join(this.work, "backup");
    const files = this.write(archive, rows, facts);
    verifyArchive(archive, this.options);
    this.checkStopping();
    refuseExisting(out, this.options.force === true);
    renameSync(archive, out);
    confirm(resolve(out), realSteps);
    return {
      chainId: facts.chainId,
      height: facts.height,
      segments: files.filter(({ name }) => SEGMENT.test(name)).length,
      bytes: statSync(out).size,
    };
  }

  private readonly pause = async () => {
    await new Promise(setImmediate);
    this.checkStopping();
  };

  private checkStopping(): void {
    if (this.options.isStopping?.()) throw new Stopped();
  }

  private report(step: string, part: number): void {
    this.options.onProgress?.({ step, part });
  }

  private bytesOfSegments(): number {
    const db = openReader(this.options.home);
    try {
      return listSegments(db).reduce((sum, { bytes }) => sum + bytes, 0);
    } finally {
      db.close();
    }
  }

  private async copyStore(): Promise<void> {
    const { home } = this.options;
    const path = storePath(this.work);
    const total = copyBytes(home);
    const stopped = Promise.withResolvers<never>();
    const look = setInterval(() => {
      const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      this.report("copying the store", Math.min(1, bytes / total));
      if (this.options.isStopping?.()) stopped.reject(new Stopped());
    }, LOOK_MS);
    try {
      await Promise.race([copyAside({ home, path }), stopped.promise]);
    } finally {
      clearInterval(look);
    }
    this.checkStopping();
  }

  private readCopy() {
    const db = openReader(this.work);
    try {
      const head = readHead(db);
      const { chainId = "", height = 0, hash = "" } = head ?? {};
      return { rows: listSegments(db), facts: { chainId, height, hash, schema: schemaVersionOf(db) } };
    } finally {
      db.close();
    }
  }

  /** A segment being rebuilt has no file for a moment; it is rebuilt after a restore, too. */
  private write(archive: string, rows: readonly SegmentRow[], facts: Omit<Manifest, "format" | "files">) {
    const { home } = this.options;
    const sources = [
      { name: STORE, path: storePath(this.work) },
      ...rows.map(({ id }) => ({
        name: `segments/${id}.seg`,
        path: segmentPath(segmentDirectory(home), id),
      })),
      ...SETTINGS.map((name) => ({ name, path: join(home, name) })),
    ].filter(({ path }) => existsSync(path));
    const file = openSync(archive, "wx", 0o600);
    try {
      const files: BackupFile[] = [];
      for (const [i, { name, path }] of sources.entries()) {
        this.checkStopping();
        files.push(append(file, name, path));
        this.report("writing", (i + 1) / sources.length);
      }
      const manifest: Manifest = { format: FORMAT, ...facts, files };
      const text = Buffer.from(JSON.stringify(manifest));
      for (const bytes of [tarHeader(MANIFEST, text.length), text, tarPadding(text.length), TAR_END])
        realSteps.write(file, bytes);
      realSteps.sync(file);
      return files;
    } finally {
      closeSync(file);
    }
  }
}

function append(archive: number, name: string, path: string): BackupFile {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    realSteps.write(archive, tarHeader(name, size));
    const sha256 = readThrough(file, 0, size, name, (bytes) => realSteps.write(archive, bytes));
    realSteps.write(archive, tarPadding(size));
    return { name, bytes: size, sha256 };
  } finally {
    closeSync(file);
  }
}

/** @returns the SHA-256 of that many bytes of a file */
function readThrough(
  file: number,
  offset: number,
  length: number,
  name: string,
  use: (bytes: Uint8Array) => void,
): string {
  const hash = new Bun.CryptoHasher("sha256");
  const buffer = Buffer.alloc(Math.min(READ_BYTES, Math.max(1, length)));
  for (let done = 0; done < length; ) {
    const count = readSync(file, buffer, 0, Math.min(buffer.length, length - done), offset + done);
    if (count === 0) throw unsound(`${name} is cut off`);
    const bytes = buffer.subarray(0, count);
    hash.update(bytes);
    use(bytes);
    done += count;
  }
  return hash.digest("hex");
}

interface OpenArchive {
  readonly manifest: Manifest;
  readonly entries: readonly TarEntry[];
}

/** Reads every byte of a backup. @throws NodeError `backup_damaged` */
function verifyArchive(path: string, hooks: Hooks): OpenArchive {
  const file = openPlainFile(path);
  try {
    const archive = openArchive(file);
    for (const [i, { name, bytes, sha256 }] of archive.manifest.files.entries()) {
      if (hooks.isStopping?.()) throw new Stopped();
      const entry = archive.entries[i]!;
      if (readThrough(file, entry.offset, bytes, name, () => {}) !== sha256)
        throw unsound(`${name} in it does not have its SHA-256`);
      hooks.onProgress?.({ step: "verifying", part: (i + 1) / archive.manifest.files.length });
    }
    return archive;
  } catch (error) {
    throw error instanceof TarFault ? unsound(error.message) : error;
  } finally {
    closeSync(file);
  }
}

/** The manifest is the last entry, and lists the others. */
function openArchive(file: number): OpenArchive {
  const entries = readTar(file, fstatSync(file).size, ENTRIES_MAX);
  const last = entries.pop();
  if (last?.name !== MANIFEST || last.bytes > MANIFEST_BYTES_MAX) throw unsound("its manifest is missing");
  const text = Buffer.alloc(last.bytes);
  readSync(file, text, 0, last.bytes, last.offset);
  const manifest = readManifest(text.toString("utf8"));
  checkSchemaKnown("restore", "the backup's store", manifest.schema);
  const listed = manifest.files.map(({ name, bytes }) => `${name} ${bytes}`);
  if (
    !Bun.deepEquals(
      listed,
      entries.map(({ name, bytes }) => `${name} ${bytes}`),
    )
  )
    throw unsound("it does not hold the files that its manifest lists");
  const foreign = entries.find(({ name }) => name !== STORE && !SEGMENT.test(name) && !isSetting(name));
  if (foreign) throw unsound(`it holds a file that is not part of a backup: '${foreign.name}'`);
  if (new Set(entries.map(({ name }) => name)).size < entries.length || entries[0]?.name !== STORE)
    throw unsound("it holds a file twice, or no store");
  return { manifest, entries };
}

function isSetting(name: string): boolean {
  return (SETTINGS as readonly string[]).includes(name);
}

async function checkAllRows(
  home: string,
  segments: string,
  rows: readonly SegmentRow[],
  hooks: Hooks,
): Promise<void> {
  const db = openReader(home);
  try {
    for (const [i, row] of rows.entries()) {
      if (hooks.isStopping?.()) throw new Stopped();
      if (!existsSync(segmentPath(segments, row.id))) continue;
      await checkSegment(segments, row).catch((error: unknown) => {
        throw unsound(`segment ${row.from}-${row.to}: ${reasonOf(error)}`);
      });
      await checkRows(db, segments, row);
      hooks.onProgress?.({ step: "checking rows", part: (i + 1) / rows.length });
    }
  } finally {
    db.close();
  }
}

/** Restores a home from a backup. @returns undefined if stopped @throws NodeError; an empty home stays empty */
export function restoreHome(options: RestoreOptions): Promise<RestoreResult | undefined> {
  return guarded("restore", async () => {
    const { file, home } = options;
    refuseFilled(home);
    const archive = verifyNamed(file, options);
    const lock = lockHome(home);
    try {
      refuseFilled(home);
      return await restoreInto(options, archive);
    } finally {
      lock.release();
    }
  });
}

function verifyNamed(file: string, hooks: Hooks): OpenArchive {
  try {
    return verifyArchive(file, hooks);
  } catch (error) {
    const code = codeOf(error);
    if (error instanceof NodeError || code === undefined) throw error;
    throw new NodeError(
      "restore",
      "archive_unreadable",
      `${file} cannot be read (${code})`,
      "check its path",
    );
  }
}

/** Removes everything that an unfinished restore moved into the home. */
function refuseFilled(home: string): void {
  if (!existsSync(home)) return;
  const names = readdirSync(home);
  const isUnfinished = names.includes(UNFINISHED) && !hasStore(home);
  const ours = new Set(isUnfinished ? ["segments", `${STORE}-sums`, ...SETTINGS, PUT_BESIDE] : []);
  const foreign = names.find((name) => !NOTHING.has(name) && !ours.has(name));
  if (foreign === undefined) return;
  const sentence = `the home ${home} is not empty: it has ${foreign}`;
  throw new NodeError(
    "restore",
    "home_not_empty",
    sentence,
    "choose another --home, or move what is there away",
  );
}

async function restoreInto(
  options: RestoreOptions,
  { manifest, entries }: OpenArchive,
): Promise<RestoreResult> {
  const { file, home } = options;
  const work = join(home, UNFINISHED);
  for (const name of ["segments", ...SETTINGS, PUT_BESIDE, UNFINISHED])
    rmSync(join(home, name), { recursive: true, force: true });
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  let isWhole = false;
  try {
    // The restored store is built beside the backup's store.
    checkRoom("restore", home, bytes + entries[0]!.bytes);
    mkdirSync(segmentDirectory(work), { recursive: true, mode: 0o700 });
    extract(file, manifest, entries, work, options);
    const leftOut = await makeStore(work, options);
    const rows = openRestored(work, manifest);
    checkListed(entries, rows);
    await checkAllRows(work, segmentDirectory(work), rows, options).catch(asUnsound);
    await checkAgreement(work, options);
    if (options.withSettings !== true && existsSync(join(work, CONFIGURATION)))
      renameSync(join(work, CONFIGURATION), join(work, PUT_BESIDE));
    isWhole = true;
    place(work, home);
    const segments = entries.filter(({ name }) => SEGMENT.test(name)).length;
    const settings = [CONFIGURATION, PUT_BESIDE].find((name) => existsSync(join(home, name)));
    const { chainId, height } = manifest;
    return { chainId, height, segments, bytes, leftOut, ...(settings !== undefined && { settings }) };
  } finally {
    if (!isWhole) rmSync(work, { recursive: true, force: true });
  }
}

function extract(
  path: string,
  manifest: Manifest,
  entries: readonly TarEntry[],
  work: string,
  hooks: Hooks,
): void {
  const archive = openPlainFile(path);
  try {
    for (const [i, { name, bytes, offset }] of entries.entries()) {
      if (hooks.isStopping?.()) throw new Stopped();
      const file = openSync(join(work, name === STORE ? RECEIVED : name), "wx", 0o600);
      try {
        const sha256 = readThrough(archive, offset, bytes, name, (piece) => realSteps.write(file, piece));
        if (sha256 !== manifest.files[i]!.sha256)
          throw unsound(`${name} in it has changed while it was read`);
        realSteps.sync(file);
      } finally {
        closeSync(file);
      }
      hooks.onProgress?.({ step: "restoring", part: (i + 1) / entries.length });
    }
  } finally {
    closeSync(archive);
  }
}

/** Builds the store from the backup's rows. @returns foreign objects that were left out */
async function makeStore(work: string, hooks: Hooks): Promise<string[]> {
  const received = join(work, RECEIVED);
  try {
    checkCopy(received, "own");
    const leftOut = await rebuildStore(received, storePath(work), {
      async pause(part) {
        await new Promise(setImmediate);
        if (hooks.isStopping?.()) throw new Stopped();
        hooks.onProgress?.({ step: "copying rows", part });
      },
    });
    rmSync(received);
    return leftOut;
  } catch (error) {
    if (error instanceof NodeError && error.code === "copy_failed") throw unsound(error.message);
    // A file that is not a database is an error of the backup, not of this machine's disk.
    if (isSqliteError(error) && !isDiskFull(error)) throw unsound(`its store: ${reasonOf(error)}`);
    throw error;
  }
}

/** Migrates the store to this program's schema and writes its page sums. */
function openRestored(work: string, manifest: Manifest): SegmentRow[] {
  openWriter(work).close();
  const db = openReader(work);
  try {
    const head = readHead(db);
    if ((head?.chainId ?? "") !== manifest.chainId)
      throw unsound("its store is of another chain than its manifest says");
    if ((head?.height ?? 0) !== manifest.height || (head?.hash ?? "") !== manifest.hash)
      throw unsound("its store ends at another block than its manifest says");
    return listSegments(db);
  } finally {
    db.close();
  }
}

/** A segment without a row would never be checked; an id is a file name. */
function checkListed(entries: readonly TarEntry[], rows: readonly SegmentRow[]): void {
  const listed = new Set(rows.map(({ id }) => `segments/${id}.seg`));
  for (const name of listed)
    if (!SEGMENT.test(name)) throw unsound("its store lists a segment by what is not an id");
  const foreign = entries.find(({ name }) => SEGMENT.test(name) && !listed.has(name));
  if (foreign) throw unsound(`its store does not list ${foreign.name}`);
}

/** Converts the error of a store in use to an error of the backup. */
function asUnsound(error: unknown): never {
  throw error instanceof NodeError && error.code === "store_damaged" ? unsound(error.message) : error;
}

/** Columns, tables by party and newest rows must agree with the backup's messages. */
async function checkAgreement(work: string, hooks: Hooks): Promise<void> {
  const db = openReader(work);
  try {
    await checkRowsAgree(db, async () => {
      await new Promise(setImmediate);
      if (hooks.isStopping?.()) throw new Stopped();
      hooks.onProgress?.({ step: "comparing rows", part: 1 });
    });
  } catch (error) {
    throw error instanceof Stopped ? error : unsound(reasonOf(error));
  } finally {
    db.close();
  }
}

/** The store is moved last: until then the home is empty. */
function place(work: string, home: string): void {
  renameSync(segmentDirectory(work), segmentDirectory(home));
  for (const name of [...SETTINGS, PUT_BESIDE])
    if (existsSync(join(work, name))) renameSync(join(work, name), join(home, name));
  renameSync(sumsPath(storePath(work)), sumsPath(storePath(home)));
  renameSync(storePath(work), storePath(home));
  confirm(storePath(home), realSteps);
  rmSync(work, { recursive: true, force: true });
}

async function guarded<T>(attempt: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Stopped) return undefined;
    if (error instanceof NodeError || !isDiskFull(error)) throw error;
    throw new NodeError(
      attempt,
      "disk_full",
      "the disk is full",
      "make room and start again; nothing was changed",
    );
  }
}
