// SQLite's errors as facts about the disk and the file.
import { NodeError } from "../errors/node-error.ts";

/** `SQLITE_FULL` and so on; empty for errors of other origin. */
export function sqliteCode(error: unknown): string {
  return (error as { code?: string } | null)?.code ?? "";
}

export function isSqliteError(error: unknown): boolean {
  return sqliteCode(error).startsWith("SQLITE_");
}

/** The index of the log cannot grow for the same reason as the log itself. */
const FULL_CODES: ReadonlySet<string> = new Set(["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "ENOSPC", "EDQUOT"]);

/** From SQLite, from a file operation, or from either through a worker, where only the sentence is left. */
export function isDiskFull(error: unknown): boolean {
  const code = sqliteCode(error);
  if (FULL_CODES.has(code)) return true;
  return error instanceof Error && /ENOSPC|EDQUOT|disk is full/.test(error.message);
}

const DAMAGE_CODES = /^SQLITE_(?:CORRUPT|NOTADB|IOERR_(?:READ|SHORT_READ|DATA|CORRUPTFS)$)/;

/** The file of the store cannot be read as what it was. */
export function isStoreDamage(error: unknown): boolean {
  return DAMAGE_CODES.test(sqliteCode(error)) && !isDiskFull(error);
}

/** The error for a store that fails by itself; undefined for errors of other origin. */
export function storeFailure(error: unknown): NodeError | undefined {
  if (!isSqliteError(error)) return undefined;
  const sentence = `the store fails: ${(error as Error).message}`;
  const hint = "check the disk, then: lyra doctor --home DIR";
  return new NodeError("store", "store_failed", sentence, hint, { cause: error });
}
