// Objects of a store's schema that are not this program's: a trigger or a view changes what is written, or read, unseen.
import { Database } from "bun:sqlite";
import { schemaVersionOf } from "./database.ts";
import { MIGRATIONS, OPTIONAL_TABLES } from "./schema.ts";
import { UndoLog } from "./undo-log.ts";

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string | null;
}

/** Names of foreign objects that are shown. */
const NAMED_MAX = 10;
const NAME_CHARACTERS_MAX = 100;

/** Objects that this program does not make, or makes otherwise, and those that it makes and are not there. */
export function schemaFaults(db: Database): string[] {
  const own = new Database(":memory:");
  try {
    const version = schemaVersionOf(db);
    for (const migration of MIGRATIONS) if (migration.version <= version) migration.run(own);
    const needed = objectsOf(own);
    for (const sql of Object.values(OPTIONAL_TABLES)) own.run(sql);
    new UndoLog(own).enter(1);
    const allowed = new Set(objectsOf(own).map(keyOf));
    const objects = objectsOf(db);
    const there = new Set(objects.map(keyOf));
    return [
      ...objects.filter((one) => !allowed.has(keyOf(one))).map((one) => `${titleOf(one)} is not the store's`),
      ...needed.filter((one) => !there.has(keyOf(one))).map((one) => `${titleOf(one)} is missing`),
    ];
  } finally {
    own.close();
  }
}

/** Without SQLite's own, which no statement can forge. */
function objectsOf(db: Database): SchemaObject[] {
  const sql =
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name";
  return db.query(sql).all() as SchemaObject[];
}

function keyOf({ type, name, tbl_name, sql }: SchemaObject): string {
  return JSON.stringify([type, name, tbl_name, sql]);
}

/** Names come from elsewhere, and are shown in terminals. */
export function titleOf({ type, name }: Pick<SchemaObject, "type" | "name">): string {
  return `${type} ${name.slice(0, NAME_CHARACTERS_MAX).replace(/\p{C}/gu, "?")}`;
}

/** The first of a list, and how many more there are. */
export function shortList(texts: readonly string[]): string {
  const rest = texts.length - NAMED_MAX;
  return `${texts.slice(0, NAMED_MAX).join(", ")}${rest > 0 ? `, and ${rest} more` : ""}`;
}
