// One writer for each home. The lock is the operating system's (an exclusive SQLite transaction held open), so it
// is gone the moment its process is; the file beside it only says who holds it.
import { Database } from "bun:sqlite";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { NodeError } from "../errors/node-error.ts";
import { isDiskFull } from "./sqlite-error.ts";

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
    // Absolute, as the store's path is.
    db = new Database(resolve(home, "lock.db"), { create: true, readwrite: true });
  } catch {
    throw readOnly(home);
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
  try {
    writeFileSync(holderFile, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    // On a full disk the lock itself holds and only the hint for others is missing; what may not be written is no home.
    if (!isDiskFull(error)) {
      db.close();
      throw readOnly(home);
    }
  }
  return {
    release() {
      try {
        // Another home may have been put in the place of this one.
        if (readFileSync(holderFile, "utf8").trim() === `${process.pid}`) rmSync(holderFile, { force: true });
      } catch {
        // A name that stays behind means nothing without the lock.
      }
      db.close();
    },
  };
}

function readOnly(home: string): NodeError {
  const sentence = `the home ${home} cannot be written`;
  return new NodeError("home.lock", "home_unusable", sentence, "choose another --home");
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
  );
}
