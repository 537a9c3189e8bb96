// The log beside the store is bounded: by what the writer waits for, and because no reader of ours holds it for long.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { renameSync, rmSync, truncateSync } from "node:fs";
import { RowSource } from "../../src/history/rows/source.ts";
import { EXPORT_TABLES } from "../../src/history/tables.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { checkpoint, openReader, openWriter } from "../../src/store/database.ts";
import { readHead } from "../../src/store/head.ts";
import { LogBound } from "../../src/store/wal.ts";
import { SAMPLE, Scratch } from "../rig/homes.ts";

const scratch = new Scratch("log-bound");
afterAll(() => scratch.remove());

const MB = 1024 * 1024;

test("a table that is read from end to end holds the log for some blocks of it only", async () => {
  const home = scratch.path();
  const db = openWriter(home);
  await replayFiles(new BlockWriter(db), db, [SAMPLE]);
  const reader = openReader(home);
  const source = new RowSource(reader);
  const range = { first: 1, last: readHead(db)!.no };
  try {
    let large = 0;
    for (const { name, lines } of EXPORT_TABLES) {
      const rows = [...lines(source, range)].length;
      // Rows in the order of ids are sorted before the first row comes.
      if (rows < 200) continue;
      large++;
      const walk = lines(source, range)[Symbol.iterator]();
      walk.next();
      // The reader's snapshot lacks rows that are committed now.
      db.run(`UPDATE meta SET value = value || ' ' WHERE key = 'head'`);
      for (let i = 0; i < rows * 0.9; i++) walk.next();
      const { log, checkpointed } = checkpoint(db, "PASSIVE");
      expect([name, checkpointed]).toEqual([name, log]);
      expect([...{ [Symbol.iterator]: () => walk }].length).toBeGreaterThan(0);
    }
    expect(large).toBeGreaterThan(3);
  } finally {
    source.close();
    reader.close();
    db.close();
  }
});

test.each(["moved", "replaced"])(
  "a home that is %s keeps its log, and folds it back when it is in its place again",
  (what) => {
    const home = scratch.path();
    const db = openWriter(home);
    db.run("INSERT INTO meta (key, value) VALUES ('one', 1)");
    const away = () => renameSync(home, `${home}-elsewhere`);
    away();
    if (what === "replaced") openWriter(home).close();
    const before = checkpoint(db, "PASSIVE");
    expect(before.log).toBeGreaterThan(before.checkpointed);
    rmSync(home, { recursive: true, force: true });
    renameSync(`${home}-elsewhere`, home);
    const { log, checkpointed } = checkpoint(db, "PASSIVE");
    expect(checkpointed).toBe(log);
    db.close();
    openWriter(home).close();
  },
);

test("the bound is 64 MB, or a quarter of a store that is larger than 256 MB", () => {
  const path = scratch.file("", "store.db");
  const db = new Database(path);
  try {
    const bound = new LogBound(db);
    const boundsAt = (storeBytes: number) => {
      truncateSync(path, storeBytes);
      return [60, 65, 100, 127, 129, 300].filter((size) => bound.exceeds(size * MB));
    };
    expect(boundsAt(10 * MB)).toEqual([65, 100, 127, 129, 300]);
    expect(boundsAt(256 * MB)).toEqual([65, 100, 127, 129, 300]);
    expect(boundsAt(512 * MB)).toEqual([129, 300]);
  } finally {
    db.close();
  }
});
