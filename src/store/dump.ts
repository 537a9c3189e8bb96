// The content of a store as one hash: every table with its columns, every row by its key, every value with its type;
// and the files of its history segments. Two stores with the same digest answer every question alike, however they
// were made. Where rows lie in the file, and how many pages are free, has no part in it.
import type { Database } from "bun:sqlite";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { segmentDirectory } from "./database.ts";
import { hashOfRow } from "./head.ts";

interface TableDigest {
  readonly rows: number;
  /** SHA-256, hex. */
  readonly sha256: string;
}

export interface StoreDigest {
  /** SHA-256 over everything below, hex. */
  readonly sha256: string;
  readonly tables: Readonly<Record<string, TableDigest>>;
  /** SHA-256 of each file in the folder of segments, by its name. */
  readonly files: Readonly<Record<string, string>>;
}

/** @param home its folder of segments belongs to the store; without it the tables alone count */
export function digestStore(db: Database, home?: string): StoreDigest {
  const tables: Record<string, TableDigest> = {};
  db.transaction(() => {
    for (const name of tableNames(db)) tables[name] = digestTable(db, name);
  })();
  const files = home === undefined ? {} : digestFiles(segmentDirectory(home));
  const sha256 = new Bun.CryptoHasher("sha256").update(JSON.stringify({ tables, files })).digest("hex");
  return { sha256, tables, files };
}

function tableNames(db: Database): string[] {
  const sql =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
  return (db.query(sql).all() as { name: string }[]).map(({ name }) => name);
}

interface Column {
  readonly name: string;
  readonly pk: bigint;
}

function digestTable(db: Database, table: string): TableDigest {
  const columns = db.query("SELECT name, pk FROM pragma_table_info(?)").all(table) as Column[];
  const names = columns.map(({ name }) => name);
  const key = columns.filter(({ pk }) => pk > 0n).sort((a, b) => Number(a.pk - b.pk));
  const order = key.length > 0 ? key.map(({ name }) => quoted(name)).join(", ") : "rowid";
  const statement = db.prepare(
    `SELECT ${names.map(quoted).join(", ")} FROM ${quoted(table)} ORDER BY ${order}`,
  );
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify([table, names]));
  let rows = 0;
  try {
    for (const row of statement.iterate() as Iterable<Record<string, unknown>>) {
      const whole = table === "blocks" ? withHash(row) : row;
      for (const name of names) hash.update(encoded(whole[name]));
      rows++;
    }
  } finally {
    statement.finalize();
  }
  return { rows, sha256: hash.digest("hex") };
}

/** A hash that follows from the row is the same whether the row holds it or not. */
function withHash(row: Record<string, unknown>): Record<string, unknown> {
  return { ...row, hash: hashOfRow(row as unknown as Parameters<typeof hashOfRow>[0]) };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Type, length, content: no two lists of values are encoded alike. */
function encoded(value: unknown): Uint8Array | string {
  if (value === null) return "n;";
  if (typeof value === "bigint") return `i${value};`;
  if (typeof value === "number") return `r${value};`;
  if (typeof value === "string") return `t${Buffer.byteLength(value)}:${value};`;
  const bytes = value as Uint8Array;
  return Buffer.concat([Buffer.from(`b${bytes.length}:`), bytes, Buffer.from(";")]);
}

function digestFiles(directory: string): Record<string, string> {
  const files: Record<string, string> = {};
  let names: string[];
  try {
    names = readdirSync(directory).sort();
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error;
    return files;
  }
  for (const name of names) {
    files[name] = new Bun.CryptoHasher("sha256").update(readFileSync(join(directory, name))).digest("hex");
  }
  return files;
}
