// A bound for garbage: by itself the collector lets a process grow to several times of what lives in it.

/** The process may have this much memory before its garbage is collected. */
const MEMORY_BYTES = 192 * 1024 * 1024;

/** Collects garbage of the thread that works, where the process has grown. */
export class GarbageLimit {
  private work = 0;

  /** @param workBetween two collections, in the caller's unit: a hundred times what a collection costs */
  constructor(private readonly workBetween: number) {}

  /** To be called where nothing is held that is no longer needed. */
  noteWork(amount: number): void {
    this.work += amount;
    if (this.work < this.workBetween || process.memoryUsage.rss() < MEMORY_BYTES) return;
    this.work = 0;
    Bun.gc(true);
  }
}

/** Rare enough to be felt by no client, and often enough that a quiet thread does not keep what a busy hour left. */
const LOOK_MS = 10_000;

/** Looks after the garbage of a thread that lives as long as the process. */
export function limitGarbage(): void {
  const limit = new GarbageLimit(1);
  setInterval(() => limit.noteWork(1), LOOK_MS).unref();
}
