// The store's log (the WAL): synced after each commit, and bounded.

import type { Database } from "bun:sqlite";
import { closeSync, fdatasyncSync, openSync, statSync } from "node:fs";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { checkpoint } from "./database.ts";

/** Sync of an open file: `fs.fdatasyncSync`; tests let it fail. */
export type FileSync = (file: number) => void;

/** Syncs the log after a commit. SQLite itself syncs log and store before it restarts the log. */
export class LogSync {
  private failure: NodeError | undefined;

  /** @param path of the log, which exists from its writer's first commit until the writer closes */
  constructor(
    private readonly path: string,
    private readonly syncFile: FileSync = fdatasyncSync,
  ) {}

  /** Nothing may be written after a sync that failed: the content of the disk is not known. @throws NodeError */
  check(): void {
    if (this.failure) throw this.failure;
  }

  /** Waits until all that is in the log is on the disk. @throws NodeError `sync_failed` */
  sync(): void {
    try {
      const file = openSync(this.path, "r+");
      try {
        this.syncFile(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      this.failure = syncError(error);
      throw this.failure;
    }
  }
}

function syncError(error: unknown): NodeError {
  return new NodeError(
    "store.write",
    "sync_failed",
    `the disk did not take the last blocks: ${reasonOf(error)}`,
    "check the disk and start again: everything that it took is safe",
    { cause: error },
  );
}

/** Of a store of any size ... */
const LOG_BYTES_MAX = 64 * 1024 * 1024;
/** ... and of a large one this part of it: to restart the log copies each of its pages once. */
const STORE_PARTS = 4;
const WAIT_MS = 5_000;
const POLL_MS = 5;
/** A reader that outlasts the wait is waited for again after this much more. */
const STEP_BYTES = 8 * 1024 * 1024;

/**
 * Bounds the log. A reader pins what it reads in it, and while one reader follows the other the log can never
 * restart: it grew to several times the store during loads. Beyond the bound the writer waits.
 */
export class LogBound {
  /** 0 except for readers that outlast the wait. */
  private waitAtBytes = 0;

  /** @param bytesMax a bound of its own, whatever the store's size */
  constructor(
    private readonly db: Database,
    private readonly bytesMax?: number,
  ) {}

  exceeds(bytes: number): boolean {
    if (bytes <= (this.bytesMax ?? LOG_BYTES_MAX) || bytes <= this.waitAtBytes) return false;
    return this.bytesMax !== undefined || bytes > this.storeBytes() / STORE_PARTS;
  }

  private storeBytes(): number {
    return statSync(this.db.filename, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Empties the log, waiting on this thread for its readers. @returns whether that was possible */
  restart(bytes: number): boolean {
    const isAnew = this.foldAll() && checkpoint(this.db, "TRUNCATE").busy === 0n;
    this.waitAtBytes = isAnew ? 0 : bytes + STEP_BYTES;
    return isAnew;
  }

  /**
   * Whether the store has all of the log. SQLite's own waiting misses the gap between two short reads; asked again and
   * again, it goes on as far as the readers of the moment have come. Readers that begin then do not read the log.
   */
  private foldAll(): boolean {
    const untilMs = performance.now() + WAIT_MS;
    for (;;) {
      const { log, checkpointed } = checkpoint(this.db, "PASSIVE");
      if (log === checkpointed) return true;
      if (performance.now() >= untilMs) return false;
      Bun.sleepSync(POLL_MS);
    }
  }
}
