// Locks of the operating system: an exclusive SQLite transaction held open, among processes and within one. A lock is
// gone the moment its process is, and nothing is left to clean up.
import { Database } from "bun:sqlite";
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { codeOf, NodeError, reasonOf } from "../errors/node-error.ts";
import { isDiskFull } from "./sqlite-error.ts";
import { writeInPlace } from "./whole-file.ts";

export interface Lock {
  release(): void;
}

const LOCK_MODE = 0o600;

/** Takes the lock of a file that holds nothing else. @returns undefined while another has it */
export function tryLock(path: string): Lock | undefined {
  let db: Database | undefined;
  try {
    makePrivate(path);
    // Absolute: Bun cuts off blanks at the start of the path.
    db = new Database(resolve(path), { create: true, readwrite: true });
    db.run("PRAGMA busy_timeout = 0");
    // Nothing is ever written, so no journal need be a file that a killed process leaves.
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("BEGIN EXCLUSIVE");
  } catch (error) {
    db?.close();
    if (/locked|busy/i.test(String(error))) return undefined;
    throw error;
  }
  const held = db;
  return { release: () => held.close() };
}

/**
 * Makes the file closed to others from its first moment on. An existing file is left alone except for its mode: opening
 * and closing it here would free the locks that this process holds on it.
 */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", LOCK_MODE));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    chmodSync(path, LOCK_MODE);
  }
}

/** Takes a home for this process: one writer for each. @throws NodeError `home_in_use`, naming the other process */
export function lockHome(home: string): Lock {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(`the home ${home} cannot be made (${codeOf(error) ?? "unknown"})`);
  }
  const holderFile = join(home, "lyra.pid");
  let lock: Lock | undefined;
  try {
    lock = tryLock(join(home, "lock.db"));
  } catch (error) {
    if (NOT_WRITABLE.test(codeOf(error) ?? "")) throw readOnly(home);
    throw unusable(
      `the home ${home} cannot be locked: ${reasonOf(error)}`,
      "make room or choose another --home",
    );
  }
  if (lock === undefined) throw inUse(home, holderFile);
  const { release } = lock;
  try {
    // Only a hint for others: the lock is what counts.
    writeInPlace(holderFile, `${process.pid}\n`, "write");
  } catch (error) {
    // On a full disk the hint is missing; where nothing may be written there is no home.
    if (!isDiskFull(error)) {
      release();
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
      release();
    },
  };
}

const NOT_WRITABLE = /^(EACCES|EPERM|EROFS|EISDIR|SQLITE_CANTOPEN.*)$/;

function unusable(sentence: string, hint = "choose another --home"): NodeError {
  return new NodeError("home.lock", "home_unusable", sentence, hint);
}

const readOnly = (home: string) => unusable(`the home ${home} cannot be written`);

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
