// One writer in a folder of wallets at a time, among processes and within one.
import { join } from "node:path";
import { codeOf, reasonOf } from "../../errors/node-error.ts";
import { type Lock, tryLock } from "../../files/lock.ts";
import { walletError } from "../errors.ts";

const LOCK_FILE = ".lock";
const RETRY_MS = 10;
/** A write takes milliseconds; a lock that is held this long is held by something that hangs. */
const WAIT_MS_MAX = 5_000;

/** Runs an action under the folder's lock. @throws NodeError `wallet_busy` when it is not free in time */
export async function withFolderLock<T>(
  folder: string,
  action: () => Promise<T>,
  waitMs: number = WAIT_MS_MAX,
): Promise<T> {
  const lock = await lockInTime(join(folder, LOCK_FILE), waitMs);
  try {
    return await action();
  } finally {
    lock.release();
  }
}

async function lockInTime(path: string, waitMs: number): Promise<Lock> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const lock = lockNow(path);
    if (lock !== undefined) return lock;
    if (performance.now() > deadline) {
      throw walletError("wallet_busy", "another process is writing wallets", "try again when it is done");
    }
    await Bun.sleep(RETRY_MS);
  }
}

function lockNow(path: string): Lock | undefined {
  try {
    return tryLock(path);
  } catch (error) {
    throw walletError(
      "wallets_unusable",
      `the wallets' folder cannot be locked: ${path}: ${codeOf(error) ?? reasonOf(error)}`,
      "the file holds nothing: where it is another user's or was written over, remove it while nobody writes wallets",
    );
  }
}
