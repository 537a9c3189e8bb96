// The steps from an empty store to the newest schema, by number. One is never edited once released.
import type { Database } from "bun:sqlite";
import { schema1, schema2, schema3, schema4 } from "./schema.ts";
import { convertTransfers } from "./transfers.ts";
import { UndoLog } from "./undo-log.ts";

interface Migration {
  readonly version: number;
  /** Inside a transaction of its own. */
  run(db: Database): void;
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, run: (db) => db.run(schema1) },
  { version: 2, run: (db) => db.run(schema2) },
  {
    version: 3,
    run(db) {
      giveUpSnapshots(db);
      db.run(schema3);
      convertTransfers(db);
      db.run("DROP TABLE transfers_2; DROP TABLE transfers_current_2");
    },
  },
  { version: 4, run: (db) => db.run(schema4) },
];

/** Newest schema this program knows (`PRAGMA user_version` of a store it wrote). */
export const SCHEMA_VERSION = MIGRATIONS[MIGRATIONS.length - 1]!.version;

/** The way back to them leads through rows of the old tables. */
function giveUpSnapshots(db: Database): void {
  new UndoLog(db).remove();
  db.run("DELETE FROM chain_snapshots");
}
