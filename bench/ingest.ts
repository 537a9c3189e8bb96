// Ingest: a recording decoded, projected and committed, against the same rows put in by bare prepared statements.
// Both run in processes of their own, in turn, so that neither profits from the other's warm code.
// bun bench/ingest.ts [FILE] [--rounds N]
import type { Database } from "bun:sqlite";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replayFiles } from "../src/sources/replay.ts";
import { BlockWriter } from "../src/store/block-writer.ts";
import { openReader, openWriter, storePath } from "../src/store/database.ts";
import { defaultRecording, median } from "./support.ts";

export const EVENTS_PER_SECOND_MIN = 60_000;
export const BARE_RATIO_MIN = 0.6;

type SqlRow = (bigint | string | Uint8Array | null)[];

/** Inserts kept by the rows' own tables; derived state such as the head is left out of neither side. */
function readTables(db: Database): { name: string; columns: number; rows: SqlRow[] }[] {
  const names = db.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all() as {
    name: string;
  }[];
  return names.map(({ name }) => {
    const rows = db.query(`SELECT * FROM ${name}`).values() as SqlRow[];
    return { name, columns: rows[0]?.length ?? 0, rows };
  });
}

async function ingestOnce(file: string): Promise<{ ms: number; events: number }> {
  const home = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  const db = openWriter(home);
  const started = performance.now();
  const result = await replayFiles(new BlockWriter(db), db, [file]);
  const ms = performance.now() - started;
  db.close();
  rmSync(home, { recursive: true });
  return { ms, events: result.events };
}

/** The same rows, the same schema and settings, the same number of commits. */
function insertBare(source: string): { ms: number; rows: number } {
  const reader = openReader(source);
  const tables = readTables(reader).filter((table) => table.rows.length > 0);
  const commits = Math.max(1, Math.round(statSync(storePath(source)).size / 1e6));
  reader.close();
  const home = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  const db = openWriter(home);
  const total = tables.reduce((sum, table) => sum + table.rows.length, 0);
  const perCommit = Math.ceil(total / commits);
  const started = performance.now();
  let pending = 0;
  db.run("BEGIN IMMEDIATE");
  for (const { name, columns, rows } of tables) {
    const marks = Array.from({ length: columns }, () => "?").join(", ");
    const insert = db.prepare(`INSERT OR REPLACE INTO ${name} VALUES(${marks})`);
    for (const row of rows) {
      insert.run(...row);
      if (++pending === perCommit) {
        db.run("COMMIT");
        db.run("BEGIN IMMEDIATE");
        pending = 0;
      }
    }
  }
  db.run("COMMIT");
  const ms = performance.now() - started;
  db.close();
  rmSync(home, { recursive: true });
  return { ms, rows: total };
}

async function child<T>(...words: string[]): Promise<T> {
  const run = Bun.spawn([process.execPath, import.meta.path, ...words], {
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(run.stdout).text()) as T;
}

export async function benchIngest(file: string, rounds: number) {
  const source = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  const db = openWriter(source);
  await replayFiles(new BlockWriter(db), db, [file]);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  const lyra: number[] = [];
  const bare: number[] = [];
  let events = 0;
  let rows = 0;
  for (let round = 0; round < rounds; round++) {
    const ours = await child<{ ms: number; events: number }>("--once", file);
    const theirs = await child<{ ms: number; rows: number }>("--bare", source);
    lyra.push(ours.ms);
    bare.push(theirs.ms);
    events = ours.events;
    rows = theirs.rows;
  }
  rmSync(source, { recursive: true });
  return {
    events,
    rows,
    ingestMs: median(lyra),
    bareMs: median(bare),
    eventsPerSecond: (events / median(lyra)) * 1000,
    ratioToBare: median(bare.map((ms, i) => ms / lyra[i]!)),
  };
}

if (import.meta.main) {
  const [mode, path] = process.argv.slice(2);
  if (mode === "--once") console.log(JSON.stringify(await ingestOnce(path!)));
  else if (mode === "--bare") console.log(JSON.stringify(insertBare(path!)));
  else {
    const file = mode && existsSync(mode) ? mode : defaultRecording();
    console.log(JSON.stringify(await benchIngest(file, 7), undefined, 1));
  }
}
