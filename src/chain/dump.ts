/**
 * A chain as one text: every row that it has stored, with its state, clock and randomness among them, and its genesis.
 * A home that loads it is the same chain at the same block.
 */
import type { Database } from "bun:sqlite";
import { type Genesis, readGenesis } from "../engine/genesis.ts";
import { NodeError } from "../errors/node-error.ts";
import { isDiskFull } from "../files/sqlite-error.ts";
import { schemaVersionOf } from "../store/database.ts";

const FORMAT = "lyra-chain";
const VERSION = 1;
/** The oldest schema whose rows are those of today: what came since is an index. */
const SAME_ROWS_SINCE = 3;
/** Snapshots belong to the home they were taken in; segments are made from blocks. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "chain_snapshots",
  "chain_undo",
  "chain_undo_rows",
  "segments",
]);

/** Whole numbers as JSON numbers where they are safe, else `["i", decimal]`; bytes as `["b", base64]`. */
type DumpValue = null | number | string | readonly ["i" | "b", string];

interface DumpTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly DumpValue[])[];
}

interface Dump {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  readonly schema: number;
  readonly chainId: string;
  readonly height: number;
  readonly hash: string;
  readonly appHash: string;
  /** A genesis document. */
  readonly genesis: object;
  /** Base64 of the transactions that wait for a block. */
  readonly mempool: readonly {
    readonly bytes: string;
    readonly gas: number;
    readonly impersonated: boolean;
  }[];
  readonly tables: Readonly<Record<string, DumpTable>>;
}

type DumpHead = Pick<Dump, "height" | "hash" | "appHash" | "mempool">;

/** The whole store as text. Everything that belongs to it must be committed. */
export function writeDump(db: Database, genesis: Genesis, head: DumpHead): string {
  const tables: Record<string, DumpTable> = {};
  for (const name of tableNames(db)) tables[name] = readTable(db, name);
  const dump: Dump = {
    format: FORMAT,
    version: VERSION,
    schema: schemaVersionOf(db),
    chainId: genesis.chainId,
    ...head,
    genesis: JSON.parse(genesis.document) as object,
    tables,
  };
  return JSON.stringify(dump);
}

/** @throws NodeError `dump_invalid` */
export function readDump(text: string): Dump {
  let dump: Dump;
  try {
    dump = JSON.parse(text) as Dump;
  } catch {
    throw invalid("it is not JSON");
  }
  if (dump?.format !== FORMAT) throw invalid("it is not a dump of a chain");
  if (dump.version !== VERSION)
    throw invalid(`it has version ${dump.version}, and this program reads ${VERSION}`);
  if (typeof dump.tables !== "object" || dump.tables === null) throw invalid("it has no tables");
  if (typeof dump.genesis !== "object" || dump.genesis === null) throw invalid("it has no genesis");
  if (!Array.isArray(dump.mempool) || !dump.mempool.every(isWaiting))
    throw invalid("its mempool is not valid");
  return dump;
}

function isWaiting(tx: Partial<Dump["mempool"][number]> | null): boolean {
  return typeof tx?.bytes === "string" && typeof tx.gas === "number" && typeof tx.impersonated === "boolean";
}

/** The genesis of a dumped chain, for the engine that shall go on with it. @throws NodeError */
export function genesisOfDump(dump: Dump, read: (text: string) => Genesis = readGenesis): Genesis {
  return read(JSON.stringify(dump.genesis));
}

/** Replaces every row of the store; inside an open transaction. @throws NodeError */
export function loadDump(db: Database, dump: Dump): void {
  if (!(dump.schema >= SAME_ROWS_SINCE && dump.schema <= schemaVersionOf(db))) {
    throw invalid(`it was made with schema ${dump.schema}, and this store has ${schemaVersionOf(db)}`);
  }
  const names = tableNames(db);
  const missing = names.filter((name) => dump.tables[name] === undefined);
  if (missing.length > 0) throw invalid(`it lacks ${missing.join(", ")}`);
  for (const name of names) writeTable(db, name, dump.tables[name]!);
  db.run("DELETE FROM segments");
}

function tableNames(db: Database): string[] {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
  const names = (db.query(sql).all() as { name: string }[]).map(({ name }) => name);
  return names.filter((name) => !LEFT_OUT.has(name) && !name.startsWith("sqlite_"));
}

function columnsOf(db: Database, table: string): string[] {
  const rows = db.query("SELECT name FROM pragma_table_info(?)").all(table) as { name: string }[];
  return rows.map(({ name }) => name);
}

function readTable(db: Database, table: string): DumpTable {
  const columns = columnsOf(db, table);
  const statement = db.prepare(`SELECT ${columns.map(quoted).join(", ")} FROM ${quoted(table)}`);
  try {
    const rows: DumpValue[][] = [];
    for (const row of statement.iterate() as Iterable<Record<string, unknown>>) {
      rows.push(columns.map((column) => encoded(row[column])));
    }
    return { columns, rows };
  } finally {
    statement.finalize();
  }
}

function writeTable(db: Database, table: string, dumped: DumpTable | null): void {
  const { columns, rows } = dumped ?? {};
  const expected = columnsOf(db, table);
  if (!Array.isArray(columns) || !Array.isArray(rows) || columns.join() !== expected.join()) {
    throw invalid(`its table ${table} has not the columns ${expected.join(", ")}`);
  }
  db.run(`DELETE FROM ${quoted(table)}`);
  const marks = columns.map(() => "?").join(", ");
  const insert = db.prepare(
    `INSERT INTO ${quoted(table)}(${columns.map(quoted).join(", ")}) VALUES(${marks})`,
  );
  let written = 0;
  try {
    for (const row of rows) {
      insert.run(...row.map(decoded));
      written++;
    }
  } catch (error) {
    if (isDiskFull(error)) throw error;
    throw invalid(`row ${written + 1} of ${table} cannot be stored`);
  } finally {
    insert.finalize();
  }
}

function encoded(value: unknown): DumpValue {
  if (value instanceof Uint8Array) return ["b", Buffer.from(value).toString("base64")];
  if (typeof value !== "bigint") return value as null | string;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : ["i", value.toString()];
}

function decoded(value: DumpValue): null | bigint | string | Uint8Array {
  if (typeof value === "number") return BigInt(value);
  if (value === null || typeof value === "string") return value;
  const [kind, text] = value;
  return kind === "i" ? BigInt(text) : new Uint8Array(Buffer.from(text, "base64"));
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Why a chain whose rows are in the store cannot go on from there. */
export function loadFailure(error: unknown): unknown {
  return error instanceof NodeError ? error : invalid("it holds no chain that can go on");
}

function invalid(reason: string): NodeError {
  return new NodeError("devnet.load", "dump_invalid", `the dump cannot be loaded: ${reason}`);
}
