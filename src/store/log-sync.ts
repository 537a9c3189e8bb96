// Syncs the store's log (the WAL) after a commit. The log is all that needs it: SQLite itself syncs log and store before
// it begins the log anew.
import { closeSync, fdatasyncSync, openSync } from "node:fs";
import { NodeError, reasonOf } from "../errors/node-error.ts";

/** How an open file is synced: `fs.fdatasyncSync`; tests let it fail. */
export type FileSync = (file: number) => void;

export class LogSync {
  private failure: NodeError | undefined;

  /** @param path of the log: it is there from its writer's first commit until the writer closes */
  constructor(
    private readonly path: string,
    private readonly syncFile: FileSync = fdatasyncSync,
  ) {}

  /** Nothing may be written after a sync that failed: what the disk holds is not known. @throws NodeError */
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
