// Compares the store's pages, and the frames of its log, with the sums that the writer keeps.
import type { Database } from "bun:sqlite";
import { closeSync, openSync, readSync } from "node:fs";
import { NodeError } from "../errors/node-error.ts";
import { checkLogWhole, type LogState, logDamaged, openReader, storePath } from "./database.ts";
import { PageSumFile, readLog, sumOf, sumsPath } from "./page-sums.ts";

/** 1 MB of pages at a time: for so long the writer's log is pinned. */
const BATCH_PAGES = 128;
const LOOKS = 3;
const LOOK_MS = 50;
/** A log that restarts meanwhile is read again. */
const LOG_ATTEMPTS = 5;

interface PagesChecked {
  readonly pages: number;
  /** Sums that are damaged themselves: their pages cannot be checked. */
  readonly sumsDamaged: number;
  /** The sums were made of existing pages: earlier damage is not found. */
  readonly isLater: boolean;
}

/**
 * Beside a writer too: pages that are in the log are read from there, and have its sums.
 * @returns undefined for a store without sums
 * @throws NodeError `store_damaged`
 */
export async function checkPages(
  home: string,
  pause?: () => Promise<void>,
): Promise<PagesChecked | undefined> {
  return compare(
    home,
    (damaged) => {
      throw pageDamaged(damaged);
    },
    pause,
  );
}

/**
 * All pages that differ from what was written to them.
 * @returns undefined where not every page has a sum that can be read
 * @throws NodeError `store_damaged` when the log is damaged, or the store cannot even be opened
 */
export async function damagedPages(home: string): Promise<readonly number[] | undefined> {
  const pages: number[] = [];
  const checked = await compare(home, (damaged) => void pages.push(...damaged));
  return checked?.sumsDamaged === 0 ? pages : undefined;
}

async function compare(
  home: string,
  onDamage: (pages: readonly number[]) => void,
  pause?: () => Promise<void>,
): Promise<PagesChecked | undefined> {
  const path = storePath(home);
  const sums = PageSumFile.open(sumsPath(path), "r");
  if (sums === undefined) return undefined;
  const file = openSync(path, "r");
  try {
    let sumsDamaged = 0;
    for (let first = 1; first <= sums.pages; first += BATCH_PAGES) {
      const batch = await checkAgain(home, file, sums, first);
      if (batch.damaged.length > 0) onDamage(batch.damaged);
      sumsDamaged += batch.sumsDamaged;
      if (pause) await pause();
    }
    checkLog(home);
    return { pages: sums.pages, sumsDamaged, isLater: sums.isLater };
  } finally {
    closeSync(file);
    sums.close();
  }
}

/**
 * A page counts as damaged when it is so at each of some looks: the log can restart between what one look reads, and be as
 * long as before.
 */
async function checkAgain(
  home: string,
  file: number,
  sums: PageSumFile,
  first: number,
): Promise<BatchChecked> {
  let batch = checkBatch(home, file, sums, first);
  for (let look = 1; look < LOOKS && batch.damaged.length > 0; look++) {
    await Bun.sleep(LOOK_MS);
    const { damaged, sumsDamaged } = checkBatch(home, file, sums, first);
    batch = { damaged: batch.damaged.filter((page) => damaged.includes(page)), sumsDamaged };
  }
  return batch;
}

interface BatchChecked {
  readonly damaged: readonly number[];
  readonly sumsDamaged: number;
}

/** While a reader is at work no page is changed but those that are in the log. */
function checkBatch(home: string, file: number, sums: PageSumFile, first: number): BatchChecked {
  const db = openReader(home);
  try {
    db.run("BEGIN");
    db.query("SELECT count(*) FROM sqlite_schema").get();
    const { pageBytes } = sums;
    const count = Math.min(BATCH_PAGES, sums.pages - first + 1);
    const bytes = Buffer.alloc(count * pageBytes);
    readSync(file, bytes, 0, bytes.length, (first - 1) * pageBytes);
    let sumsDamaged = 0;
    const suspects: number[] = [];
    for (const [i, { kind, sum }] of sums.read(first, count).entries()) {
      const page = bytes.subarray(i * pageBytes, (i + 1) * pageBytes);
      // A page that was freed before it was ever written is a hole.
      const isLost = kind === "damaged" || (kind === "none" && page.some((byte) => byte !== 0));
      if (isLost) sumsDamaged++;
      if (kind === "sum" && sumOf(page) !== sum) suspects.push(first + i);
    }
    if (suspects.length === 0) return { damaged: [], sumsDamaged };
    const logged = pagesOfLog(home);
    db.run("COMMIT");
    const damaged = suspects.filter((page) => !logged.has(page) || isReadDamaged(db, file, sums, page));
    return { damaged, sumsDamaged };
  } finally {
    db.close();
  }
}

/** A log of which the store has everything is not read any more, and its sums are those of the store's pages. */
function isReadDamaged(db: Database, file: number, sums: PageSumFile, page: number): boolean {
  const stateOf = () => db.query("PRAGMA wal_checkpoint(NOOP)").get() as LogState;
  const before = stateOf();
  if (before.log !== before.checkpointed) return false;
  const bytes = Buffer.alloc(sums.pageBytes);
  readSync(file, bytes, 0, bytes.length, (page - 1) * sums.pageBytes);
  const differs = sumOf(bytes) !== sums.read(page, 1)[0]!.sum;
  return differs && Bun.deepEquals(before, stateOf());
}

function pagesOfLog(home: string): ReadonlySet<number> {
  const pages = new Set<number>();
  const collect = (committed: ReadonlyMap<number, number>) => {
    for (const page of committed.keys()) pages.add(page);
  };
  readLog(`${storePath(home)}-wal`, undefined, collect, () => 0);
  return pages;
}

/** A flipped bit in the log is served, and cuts it off there at the next start. */
function checkLog(home: string): void {
  checkLogWhole(home);
  let sound = 0;
  for (let attempt = 0; attempt < LOG_ATTEMPTS; attempt++) {
    const db = openReader(home);
    try {
      db.query("SELECT count(*) FROM sqlite_schema").get();
      const { log } = db.query("PRAGMA wal_checkpoint(NOOP)").get() as LogState;
      sound =
        readLog(
          `${storePath(home)}-wal`,
          undefined,
          () => {},
          () => 0,
        )?.frames ?? 0;
      if (sound >= Number(log)) return;
    } finally {
      db.close();
    }
  }
  throw logDamaged(sound);
}

function pageDamaged(pages: readonly number[]): NodeError {
  const rest = pages.length > 1 ? ` and ${pages.length - 1} more near it` : "";
  return new NodeError(
    "store.check",
    "store_damaged",
    `page ${pages[0]}${rest} of the store is not what was written to it`,
    "restore the home from a backup, or load its recording into another home",
  );
}
