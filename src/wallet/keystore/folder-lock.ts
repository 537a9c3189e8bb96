// One writer in a folder at a time, among processes and within one. The lock is the operating system's (an exclusive
// SQLite transaction held open), so it is gone the moment its process is, and nothing is left to clean up.
import { Database } from "bun:sqlite";
import { chmodSync, closeSync, openSync } from "node:fs";
import { join, resolve } from "node:path";
import { reasonOf } from "../../errors/node-error.ts";
import { walletError } from "../errors.ts";
import { codeOf } from "./guard.ts";

const LOCK_FILE = ".lock";
const LOCK_MODE = 0o600;
const RETRY_MS = 10;
/** A write takes milliseconds; whoever waits this long waits for something that hangs. */
const WAIT_MS_MAX = 5_000;

/** Runs an action while nobody else does. @throws NodeError `wallet_busy` when the others take too long */
export async function withFolderLock<T>(
  folder: string,
  action: () => Promise<T>,
  waitMs: number = WAIT_MS_MAX,
): Promise<T> {
  const lock = await takeLock(folder, waitMs);
  try {
    return await action();
  } finally {
    lock.close();
  }
}

async function takeLock(folder: string, waitMs: number): Promise<Database> {
  const path = join(folder, LOCK_FILE);
  const deadline = performance.now() + waitMs;
  for (;;) {
    const lock = tryLock(path);
    if (lock !== undefined) return lock;
    if (performance.now() > deadline) {
      throw walletError("wallet_busy", "another process is writing wallets", "try again when it is done");
    }
    await Bun.sleep(RETRY_MS);
  }
}

function tryLock(path: string): Database | undefined {
  let db: Database | undefined;
  try {
    makePrivate(path);
    // Absolute: Bun cuts off blanks at the start of the path.
    db = new Database(resolve(path), { create: true, readwrite: true });
    db.run("PRAGMA busy_timeout = 0");
    // Nothing is ever written, so no journal need be a file that a killed process leaves.
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("BEGIN EXCLUSIVE");
    return db;
  } catch (error) {
    db?.close();
    if (/locked|busy/i.test(String(error))) return undefined;
    throw walletError(
      "wallets_unusable",
      `the wallets' folder cannot be locked: ${path}: ${codeOf(error) ?? reasonOf(error)}`,
      "the file holds nothing: where it is another user's or was written over, remove it while nobody writes wallets",
    );
  }
}

/**
 * Makes the file closed to others from its first moment on. One that is there is left alone but for its mode: opening
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
