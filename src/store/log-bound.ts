// The bound of the store's log (the WAL). A reader pins what it reads in it, and while one reader follows the other a log
// is never free to begin anew: it grew to several times the store during loads. Beyond the bound the writer waits.
import type { Database } from "bun:sqlite";
import { checkpoint } from "./database.ts";

/** With the commit that exceeds it below 256 MB. */
const LOG_BYTES_MAX = 192 * 1024 * 1024;
const WAIT_MS = 5_000;
const POLL_MS = 5;
/** A reader that outlasts the wait is waited for again after this much more. */
const STEP_BYTES = 8 * 1024 * 1024;

export class LogBound {
  private waitAtBytes: number;

  constructor(
    private readonly db: Database,
    private readonly bytesMax = LOG_BYTES_MAX,
  ) {
    this.waitAtBytes = bytesMax;
  }

  exceeds(bytes: number): boolean {
    return bytes > this.waitAtBytes;
  }

  /** Empties the log, waiting on this thread for its readers. @returns whether that was possible */
  beginAnew(bytes: number): boolean {
    const isAnew = this.foldAll() && checkpoint(this.db, "TRUNCATE").busy === 0n;
    this.waitAtBytes = isAnew ? this.bytesMax : bytes + STEP_BYTES;
    return isAnew;
  }

  /**
   * Whether the store has all of the log. SQLite's own waiting misses the gap between two short reads; asked again and
   * again, it goes on as far as the readers of the moment have come. Those that begin then do not read the log.
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
