// Repairs a damaged home: segments from rows that are sound, the store from its recording.
// New files are verified before they replace the old ones, which are kept.
import type { Database } from "bun:sqlite";
import { copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { lockHome } from "../files/lock.ts";
import { buildSegment } from "../history/segment.ts";
import { checkRows, checkSegment } from "../history/segment-check.ts";
import { SegmentDamage } from "../history/segment-format.ts";
import { listSegments, recordSegment, type SegmentRow } from "../history/segment-table.ts";
import { replayFiles } from "../ingest/replay.ts";
import { BlockWriter } from "../store/block-writer.ts";
import { openReader, openWriter, segmentDirectory, storePath } from "../store/database.ts";
import { type ChainHead, hasChain, readHead } from "../store/head.ts";
import { checkPages, damagedPages } from "../store/page-check.ts";
import { sumsPath } from "../store/page-sums.ts";
import { rebuildStore } from "../store/rebuild.ts";
import { schemaFaults, shortList } from "../store/schema-check.ts";

/** A fault, and whether it is repaired. */
interface Repair {
  readonly ok: boolean;
  readonly detail: string;
}

/** The new store until it is verified. */
const UNFINISHED = "repair.tmp";

/** @param recordings of the chain in the home, from its first block. @throws NodeError `home_in_use` */
export async function repairHome(home: string, recordings: readonly string[]): Promise<Repair[]> {
  const lock = lockHome(home);
  try {
    const damage = await storeDamage(home);
    if (damage === undefined) return [...(await remakeSums(home)), ...(await remakeSegments(home))];
    const store = (await remakeIndices(home)) ?? (await remakeStore(home, recordings));
    const detail = `the store: ${damage}; ${store.detail}`;
    return [{ ok: store.ok, detail }, ...(store.ok ? await remakeSegments(home) : [])];
  } finally {
    lock.release();
  }
}

/** Why the store cannot be trusted; undefined when it can. */
async function storeDamage(home: string): Promise<string | undefined> {
  try {
    await checkPages(home);
    const db = openReader(home);
    try {
      await checkStore(db, home, listSegments(db));
    } finally {
      db.close();
    }
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** @throws Error */
async function checkStore(db: Database, home: string, segments: readonly SegmentRow[]): Promise<void> {
  const integrity = db.query("PRAGMA integrity_check(1)").values()[0]![0];
  if (integrity !== "ok") throw new NodeError("store.check", "store_damaged", String(integrity));
  const faults = schemaFaults(db);
  if (faults.length > 0) throw new NodeError("store.check", "store_damaged", shortList(faults));
  for (const row of segments) {
    try {
      await checkRows(db, segmentDirectory(home), row);
    } catch (error) {
      // The file is damaged, not the rows.
      if (!(error instanceof SegmentDamage)) throw error;
    }
  }
}

/** Only of a store that is sound. */
async function remakeSums(home: string): Promise<Repair[]> {
  const checked = await checkPages(home);
  if (checked !== undefined && checked.sumsDamaged === 0) return [];
  rmSync(sumsPath(storePath(home)), { force: true });
  openWriter(home).close();
  return [{ ok: true, detail: "the sums of the store's pages are made again, of the pages as they are" }];
}

async function remakeSegments(home: string): Promise<Repair[]> {
  const repairs: Repair[] = [];
  const db = openReader(home);
  try {
    for (const row of listSegments(db)) {
      const repair = await remakeSegment(db, home, row);
      if (repair) repairs.push(repair);
    }
  } finally {
    db.close();
  }
  return repairs;
}

/** The same rows make the same file, and its name is the hash of its content. */
async function remakeSegment(db: Database, home: string, row: SegmentRow): Promise<Repair | undefined> {
  const directory = segmentDirectory(home);
  const isSound = () =>
    checkSegment(directory, row).then(
      () => true,
      () => false,
    );
  if (await isSound()) return undefined;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const making = mkdtempSync(join(directory, "repair-"));
  const name = `the segment of blocks ${row.from} to ${row.to}`;
  try {
    const segment = await buildSegment(db, making, row);
    const isSame = segment.id === row.id && segment.bytes === row.bytes;
    if (!isSame) return { ok: false, detail: `${name}: the store's rows make another one` };
    renameSync(join(making, `${row.id}.seg`), join(directory, `${row.id}.seg`));
    return { ok: await isSound(), detail: `${name} is made again` };
  } catch (error) {
    return { ok: false, detail: `${name}: ${reasonOf(error)}` };
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** @returns undefined where rows may be damaged, or making the rest again did not help */
async function remakeIndices(home: string): Promise<Repair | undefined> {
  const unfinished = join(home, UNFINISHED);
  rmSync(unfinished, { recursive: true, force: true });
  try {
    const remade = (await copyReindexed(home, unfinished)) ?? (await copyRows(home, unfinished));
    if (remade === undefined) return undefined;
    await checkPages(unfinished);
    const db = openReader(unfinished);
    try {
      await checkStore(db, home, listSegments(db));
    } finally {
      db.close();
    }
    const kept = replaceStore(home, unfinished);
    return { ok: true, detail: `${remade}; the damaged store is kept in ${kept}` };
  } catch {
    return undefined;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

interface OldStore {
  readonly head: ChainHead | undefined;
  readonly segments: readonly SegmentRow[];
  readonly isDevnet: boolean;
}

async function remakeStore(home: string, recordings: readonly string[]): Promise<Repair> {
  const old = readOld(home);
  if (old.isDevnet || existsSync(join(home, "genesis.json"))) {
    return { ok: false, detail: "a devnet's chain is in no recording: restore its home from a backup" };
  }
  if (recordings.length === 0)
    return { ok: false, detail: "it can be made again from its recording: --recording FILE" };
  const unfinished = join(home, UNFINISHED);
  rmSync(unfinished, { recursive: true, force: true });
  try {
    const head = await loadAgain(home, unfinished, recordings, old);
    await checkPages(unfinished);
    const kept = replaceStore(home, unfinished);
    return {
      ok: true,
      detail: `it is made again up to block ${head.height}; the damaged one is kept in ${kept}`,
    };
  } catch (error) {
    return { ok: false, detail: `it could not be made again, and is left as it was: ${reasonOf(error)}` };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** As far as it can be read. */
function readOld(home: string): OldStore {
  let db: Database | undefined;
  const old: { head?: ChainHead | undefined; segments: SegmentRow[]; isDevnet: boolean } = {
    segments: [],
    isDevnet: false,
  };
  try {
    db = openReader(home);
    old.isDevnet = hasChain(db);
    old.head = readHead(db);
    old.segments = listSegments(db);
  } catch {
    // The recording has the rest.
  } finally {
    db?.close();
  }
  return { head: undefined, ...old };
}

/** @throws Error when the new store is not the old one as it was before the damage */
async function loadAgain(
  home: string,
  unfinished: string,
  recordings: readonly string[],
  old: OldStore,
): Promise<ChainHead> {
  const db = openWriter(unfinished);
  try {
    const { files, head } = await replayFiles(new BlockWriter(db), db, recordings);
    const damaged = files.find((file) => file.damage);
    if (damaged || head === undefined)
      throw refused(`${damaged?.path ?? "the recording"} is damaged or empty`);
    if (old.head && old.head.chainId !== head.chainId) throw refused(`it is of chain ${head.chainId}`);
    if (old.head && old.head.height > head.height)
      throw refused(`it ends at block ${head.height}, the store at ${old.head.height}`);
    for (const row of old.segments) recordSegment(db, row);
    await checkStore(db, home, old.segments);
    return head;
  } finally {
    db.close();
  }
}

function refused(reason: string): NodeError {
  return new NodeError("store.check", "store_damaged", `the recording does not fit: ${reason}`);
}

/** At every moment one of the two stores exists under its name. @returns the folder of the old one */
function replaceStore(home: string, unfinished: string): string {
  const kept = mkdtempSync(join(home, "damaged-"));
  const [from, to] = [storePath(unfinished), storePath(home)];
  for (const end of ["", "-wal", "-sums"]) {
    if (existsSync(`${to}${end}`)) linkSync(`${to}${end}`, join(kept, `lyra.db${end}`));
  }
  // They are of the old store alone.
  for (const end of ["-wal", "-shm", "-sums"]) rmSync(`${to}${end}`, { force: true });
  renameSync(from, to);
  renameSync(sumsPath(from), sumsPath(to));
  return kept;
}

// Damage in pages of indices alone: their tables are sound, and make them again.

/**
 * Makes a copy of a store whose indices are made again.
 * @param folder for the copy; not there yet
 * @returns what was made again; undefined, and no copy, where other pages are damaged, or may be
 */
async function copyReindexed(home: string, folder: string): Promise<string | undefined> {
  const pages = await damagedPages(home);
  if (pages === undefined || pages.length === 0 || !areOfIndices(home, pages)) return undefined;
  mkdirSync(folder, { mode: 0o700 });
  // Without the sums: a page that becomes free keeps its damage, and its sum would differ.
  for (const end of ["", "-wal"]) {
    const from = storePath(home) + end;
    if (existsSync(from)) copyFileSync(from, storePath(folder) + end);
  }
  const db = openWriter(folder);
  try {
    db.run("REINDEX");
  } finally {
    db.close();
  }
  return `${pages.length} damaged pages were of indices, which are made again from their tables`;
}

/** Where every page is what was written to it, and the rest of the store does not agree with its rows. */
async function copyRows(home: string, folder: string): Promise<string | undefined> {
  const pages = await damagedPages(home);
  if (pages === undefined || pages.length > 0) return undefined;
  mkdirSync(folder, { mode: 0o700 });
  const leftOut = await rebuildStore(storePath(home), storePath(folder));
  openWriter(folder).close();
  const rest = leftOut.length === 0 ? "" : `, without ${shortList(leftOut)}`;
  return `the store is made again of its rows${rest}`;
}

function areOfIndices(home: string, pages: readonly number[]): boolean {
  const db = openReader(home);
  try {
    const ofTables = pagesOf(db, "table");
    if (pages.some((page) => ofTables.has(page))) return false;
    // Neither free pages nor those of the store itself.
    const ofIndices = pagesOf(db, "index");
    return pages.every((page) => ofIndices.has(page));
  } finally {
    db.close();
  }
}

function pagesOf(db: Database, type: "table" | "index"): ReadonlySet<number> {
  const trees = db
    .query("SELECT name FROM sqlite_schema WHERE type = ? AND rootpage > 0")
    .values(type)
    .flat();
  const names = type === "table" ? ["sqlite_schema", ...trees] : trees;
  const pages = new Set<number>();
  // A tree by its name: of the others, which may be damaged, nothing is read.
  const select = db.query("SELECT pageno FROM dbstat WHERE name = ?");
  for (const name of names as string[]) for (const [page] of select.values(name)) pages.add(Number(page));
  return pages;
}
