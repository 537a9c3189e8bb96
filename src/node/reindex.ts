// Damage in pages of indices alone: their tables are what was written, and make them again.
import type { Database } from "bun:sqlite";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { openReader, openWriter, storePath } from "../store/database.ts";
import { damagedPages } from "../store/page-check.ts";

/**
 * Makes a copy of a store whose indices are made anew.
 * @param folder for the copy; not there yet
 * @returns how many pages were damaged; undefined, and no copy, where other pages are, or may be
 */
export async function copyReindexed(home: string, folder: string): Promise<number | undefined> {
  const pages = await damagedPages(home);
  if (pages === undefined || pages.length === 0 || !areOfIndices(home, pages)) return undefined;
  mkdirSync(folder, { mode: 0o700 });
  // Without the sums: a page that becomes free keeps its damage, and no sum may say otherwise.
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
  return pages.length;
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
