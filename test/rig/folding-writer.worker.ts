// Writes small commits into a store and folds its log after a few of them, so that the log restarts all the time.
/// <reference lib="webworker" />
import { checkpoint, type LogState, markLog, openWriter } from "../../src/store/database.ts";

declare const self: Worker;

const ROWS_KEPT = 50;

self.onmessage = ({ data: home }: MessageEvent<string>) => {
  const db = openWriter(home);
  db.run("CREATE TABLE filling(bytes BLOB)");
  self.postMessage("writing");
  for (;;) {
    for (let commits = 0; commits < 3; commits++) {
      db.run("INSERT INTO filling VALUES(zeroblob(20000))");
      markLog(db, Number((db.query("PRAGMA wal_checkpoint(NOOP)").get() as LogState).log))();
    }
    checkpoint(db, "PASSIVE");
    db.run(`DELETE FROM filling WHERE rowid <= (SELECT max(rowid) - ${ROWS_KEPT} FROM filling)`);
  }
};
