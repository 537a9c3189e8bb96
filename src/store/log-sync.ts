/**
 * Syncs the store's log (the WAL) on another thread, so that whoever committed goes on with the next block meanwhile.
 * The log is all that needs it: SQLite itself syncs log and store before it begins the log anew.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";
import { NodeError, reasonOf } from "../errors.ts";

/** How a file is synced, for tests: `fs.fdatasync` and `fs.fdatasyncSync`. */
export interface FileSync {
  later(file: number, done: (error: Error | null) => void): void;
  now(file: number): void;
}

const DISK: FileSync = { later: fdatasync, now: fdatasyncSync };

export class LogSync {
  private running: Promise<void> | undefined;
  private failure: NodeError | undefined;

  /** @param path of the log: it is there from its writer's first commit until the writer closes */
  constructor(
    private readonly path: string,
    private readonly disk: FileSync = DISK,
  ) {}

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Nothing may be written after a sync that failed: nobody knows what the disk holds. @throws NodeError */
  check(): void {
    if (this.failure) throw this.failure;
  }

  /** Waits for the disk. @throws NodeError */
  now(): void {
    try {
      const file = openSync(this.path, "r+");
      try {
        this.disk.now(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      this.failure = syncError(error);
      throw this.failure;
    }
  }

  /** Not while another one runs. @returns when all that is in the log now is on the disk; it may fail, as `now` */
  later(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.running = promise;
    const end = (error: unknown) => {
      this.running = undefined;
      if (!error) return resolve();
      this.failure = syncError(error);
      reject(this.failure);
    };
    // Whoever does not wait is told by `check`.
    promise.catch(() => {});
    try {
      const file = openSync(this.path, "r+");
      this.disk.later(file, (error) => {
        closeSync(file);
        end(error);
      });
    } catch (error) {
      end(error);
    }
    return promise;
  }

  /** When none runs. @throws NodeError */
  async ended(): Promise<void> {
    await this.running;
    this.check();
  }
}

function syncError(error: unknown): NodeError {
  return new NodeError(
    "store.write",
    "sync_failed",
    `the disk did not take the last blocks: ${reasonOf(error)}`,
    "check the disk and start again: everything that it took is safe",
    undefined,
    { cause: error },
  );
}
