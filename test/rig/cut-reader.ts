// A process that reads a store and cuts it to four pages in the middle: bun test/rig/cut-reader.ts HOME.
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { openReader, PAGE_BYTES } from "../../src/store/database.ts";

const home = process.argv[2]!;
const db = openReader(home);
const tables = db.query("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
let rows = 0;
let outcome = "none";
try {
  for (const { name } of tables) {
    for (const _row of db.query(`SELECT * FROM "${name}"`).iterate()) {
      if (++rows === 100) truncateSync(join(home, "lyra.db"), 4 * PAGE_BYTES);
    }
  }
} catch {
  outcome = "error";
}
process.stdout.write(`${outcome}\n`);
