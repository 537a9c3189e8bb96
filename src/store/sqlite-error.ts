// What SQLite's errors say about the disk and the file.

/** `SQLITE_FULL` and so on; empty for errors of other origin. */
export function sqliteCode(error: unknown): string {
  return (error as { code?: string } | null)?.code ?? "";
}

export function isSqliteError(error: unknown): boolean {
  return sqliteCode(error).startsWith("SQLITE_");
}

/** From SQLite, from a file operation, or from either through a worker, where only the sentence is left. */
export function isDiskFull(error: unknown): boolean {
  const code = sqliteCode(error);
  if (code === "SQLITE_FULL" || code === "ENOSPC" || code === "EDQUOT") return true;
  return error instanceof Error && /ENOSPC|EDQUOT|disk is full/.test(error.message);
}
