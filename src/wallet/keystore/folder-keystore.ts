// Wallets as files in a folder of their own, one each, named like the wallet
// (docs/protocol/50-wallet-keystore.md#51-locations).
//
// A file appears under its name when it is whole and on the disk, by one rename; the folder follows to the disk. So
// at any moment there are the old bytes or the new ones. A killed process leaves a hidden temporary file,
// encrypted like any other, which the next writer takes away.
import { type Dirent, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf, NodeError, reasonOf } from "../../errors/node-error.ts";
import { type Lock, tryLock } from "../../files/lock.ts";
import {
  confirm,
  type FileSteps,
  moveToFree,
  placeNew,
  quietly,
  realSteps,
  removeLeftovers,
  temporaryIn,
  writeTemporary,
} from "../../files/whole-file.ts";
import { walletError, walletExists, walletUnknown } from "../errors.ts";
import { checkWalletName, FILE_BYTES_MAX, nameProblem } from "../limits.ts";
import { checkFolder, readGuarded, stampOf, unusable } from "./guard.ts";
import type { Keystore } from "./keystore.ts";

// A single writer in a folder of wallets at a time, among processes and within one.

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

const FOLDER_MODE = 0o700;
/** More than a new wallet has. */
const PROBE_BYTES = 4096;

export class FolderKeystore implements Keystore {
  /** The action before: settled, and never rejected. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly folder: string,
    private readonly steps: FileSteps = realSteps,
  ) {}

  async names(): Promise<string[]> {
    if (!checkFolder(this.folder)) return [];
    return entriesOf(this.folder)
      .filter((entry) => !entry.isDirectory() && nameProblem(entry.name) === undefined)
      .map(({ name }) => name)
      .sort();
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const path = this.locationOf(name);
    return checkFolder(this.folder) ? readGuarded(path) : undefined;
  }

  stamp(name: string): string | undefined {
    return stampOf(this.locationOf(name));
  }

  async create(name: string, bytes: Uint8Array): Promise<void> {
    const path = this.locationOf(name);
    const temporary = this.writeTemporary(bytes);
    this.attempt(path, () => placeNew(temporary, path, this.steps), temporary);
  }

  async replace(name: string, bytes: Uint8Array): Promise<void> {
    const path = this.locationOf(name);
    // The target is looked at again: a link or another user's file is not written over either.
    if ((await this.read(name)) === undefined) throw walletUnknown();
    const temporary = this.writeTemporary(bytes);
    this.attempt(path, () => this.steps.rename(temporary, path), temporary);
    confirm(path, this.steps);
  }

  async rename(name: string, newName: string): Promise<void> {
    const path = this.locationOf(name);
    const newPath = this.locationOf(newName);
    if ((await this.read(name)) === undefined) throw walletUnknown();
    if (path === newPath) return;
    this.attempt(newPath, () => moveToFree(path, newPath, this.steps));
    confirm(newPath, this.steps);
  }

  async remove(name: string): Promise<void> {
    const path = this.locationOf(name);
    if ((await this.read(name)) === undefined) throw walletUnknown();
    this.attempt(path, () => this.steps.remove(path));
    confirm(path, this.steps);
  }

  async exclusively<T>(action: () => Promise<T>): Promise<T> {
    try {
      mkdirSync(this.folder, { recursive: true, mode: FOLDER_MODE });
    } catch (error) {
      throw this.cannotWrite(this.folder, error);
    }
    checkFolder(this.folder);
    // Within this store one after the other, in order; the lock is for other processes.
    const turn = this.last.then(() =>
      withFolderLock(this.folder, () => {
        quietly(() => removeLeftovers(this.folder, this.steps));
        return action();
      }),
    );
    this.last = turn.catch(() => {});
    return turn;
  }

  async checkWritable(): Promise<void> {
    await this.exclusively(async () => {
      const temporary = this.writeTemporary(new Uint8Array(PROBE_BYTES));
      quietly(() => this.steps.remove(temporary));
    });
  }

  locationOf(name: string): string {
    return join(this.folder, checkWalletName(name));
  }

  /** The bytes in a file under a name that nobody knows. */
  private writeTemporary(bytes: Uint8Array): string {
    // A larger file could not be read again.
    if (bytes.length > FILE_BYTES_MAX) {
      throw walletError(
        "wallet_too_large",
        `a wallet has at most ${FILE_BYTES_MAX} bytes`,
        "make another wallet",
      );
    }
    const temporary = temporaryIn(this.folder);
    try {
      writeTemporary(temporary, bytes, this.steps);
      return temporary;
    } catch (error) {
      throw this.cannotWrite(temporary, error);
    }
  }

  private attempt(path: string, change: () => void, temporary?: string): void {
    try {
      change();
    } catch (error) {
      if (temporary !== undefined) quietly(() => this.steps.remove(temporary));
      if (codeOf(error) === "EEXIST") throw walletExists();
      throw this.cannotWrite(path, error);
    }
  }

  private cannotWrite(path: string, error: unknown): NodeError {
    if (error instanceof NodeError) return error;
    const message = `${path} cannot be written: ${codeOf(error) ?? reasonOf(error)}`;
    return walletError("wallets_unusable", message, "", { cause: error });
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw unusable(folder, error);
  }
}
