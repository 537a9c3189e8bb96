/**
 * Syncs the store's log (the WAL) on another thread, so that whoever committed goes on with the next block meanwhile.
 * The log is all that needs it: SQLite itself syncs log and store before it begins the log anew.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";
import { NodeError, reasonOf } from "../errors/node-error.ts";

/** How a file is synced, for tests: `fs.fdatasync` and `fs.fdatasyncSync`. */
export interface FileSync {
  later(file: number, done: (error: Error | null) => void): void;
  now(file: number): void;
}

const DISK: FileSync = { later: fdatasync, now: fdatasyncSync };

/** A sync that takes longer is waited for: a machine without power may lose no more than about this. */
const BEHIND_MS = 1_000;

export class LogSync {
  private running: { readonly ended: Promise<void>; readonly since: number } | undefined;
  /** For all that was written after the running one began: one sync when it has ended. */
  private next: PromiseWithResolvers<void> | undefined;
  private failure: NodeError | undefined;

  /** @param path of the log: it is there from its writer's first commit until the writer closes */
  constructor(
    private readonly path: string,
    private readonly disk: FileSync = DISK,
  ) {}

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Whether the disk has been at it for so long that whoever writes should wait for it (`now`). */
  get isBehind(): boolean {
    return this.running !== undefined && performance.now() - this.running.since > BEHIND_MS;
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
      throw this.fail(error);
    }
    // Nothing is left for it to do.
    this.next?.resolve();
    this.next = undefined;
  }

  /** @returns when all that is in the log now is on the disk; it may fail, as `now` */
  later(): Promise<void> {
    if (this.running !== undefined) {
      this.next ??= quiet();
      return this.next.promise;
    }
    const sync = quiet();
    this.start(sync);
    return sync.promise;
  }

  /** When there is none running and none to follow. @throws NodeError */
  async ended(): Promise<void> {
    while (this.running !== undefined) await this.running.ended;
    this.check();
  }

  private start(sync: PromiseWithResolvers<void>): void {
    this.running = { ended: sync.promise, since: performance.now() };
    const end = (error: unknown) => {
      this.running = undefined;
      if (error) {
        sync.reject(this.fail(error));
        return;
      }
      sync.resolve();
      const { next } = this;
      this.next = undefined;
      if (next !== undefined) this.start(next);
    };
    try {
      const file = openSync(this.path, "r+");
      this.disk.later(file, (error) => {
        closeSync(file);
        end(error);
      });
    } catch (error) {
      end(error);
    }
  }

  private fail(error: unknown): NodeError {
    this.failure = syncError(error);
    this.next?.reject(this.failure);
    this.next = undefined;
    return this.failure;
  }
}

/** Whoever does not wait for it is told by `check`. */
function quiet(): PromiseWithResolvers<void> {
  const sync = Promise.withResolvers<void>();
  sync.promise.catch(() => {});
  return sync;
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
