// One writer for each home. The lock is the operating system's (an exclusive SQLite transaction held open), so it
// is gone the moment its process is; the file beside it only says who holds it.
import { Database } from "bun:sqlite";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ExitCode, NodeError } from "../errors.ts";

export interface HomeLock {
  release(): void;
}

/** Takes a home for this process. @throws NodeError `home_in_use`, naming the other process */
export function lockHome(home: string): HomeLock {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = (error as { code?: string }).code ?? "unknown";
    throw new NodeError(
      "home.lock",
      "home_unusable",
      `the home ${home} cannot be made (${reason})`,
      "choose another --home",
    );
  }
  const holderFile = join(home, "lyra.pid");
  let db: Database;
  try {
    db = new Database(join(home, "lock.db"), { create: true, readwrite: true });
  } catch {
    throw new NodeError(
      "home.lock",
      "home_unusable",
      `the home ${home} cannot be written`,
      "choose another --home",
    );
  }
  try {
    db.run("PRAGMA busy_timeout = 0");
    db.run("PRAGMA locking_mode = EXCLUSIVE");
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (/locked|busy/i.test(String(error))) throw inUse(home, holderFile);
    throw new NodeError(
      "home.lock",
      "home_unusable",
      `the home ${home} cannot be locked: ${(error as Error).message}`,
      "make room or choose another --home",
    );
  }
  writeHolder(holderFile);
  return {
    release() {
      rmSync(holderFile, { force: true });
      db.close();
    },
  };
}

function writeHolder(file: string): void {
  try {
    writeFileSync(file, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    // The lock itself holds; only the hint for others is missing (a full disk, for one).
  }
}

function inUse(home: string, holderFile: string): NodeError {
  let holder = "another process";
  try {
    holder = `process ${readFileSync(holderFile, "utf8").trim()}`;
  } catch {
    // Between taking the lock and writing its name.
  }
  return new NodeError(
    "home.lock",
    "home_in_use",
    `${holder} is using the home ${home}`,
    "stop it, or choose another --home",
    ExitCode.failed,
  );
}
