// How much of a stream goes into one commit, and what is done about garbage after it.

/** The first commits are small, so that a height is there at once ... */
const EVENTS_MIN = 8_192;
/** ... and later ones large: a page of the store that many blocks change is written once for all of them. */
const EVENTS_MAX = 32_768;
/** A commit is due this long after the last one in any case, so that readers see the height move. */
export const COMMIT_MS = 1_000;

/** The process may have so much memory before its garbage is looked for: by itself it grows to several times of what lives. */
const MEMORY_BYTES = 192 * 1024 * 1024;
/** A collection costs as much as some hundred events. */
const EVENTS_BETWEEN = 16_384;

/** Events that make a commit due. @param stored events of the stream in commits before */
export function commitEvents(stored: number): number {
  return Math.min(EVENTS_MAX, Math.max(EVENTS_MIN, stored));
}

/** Collects garbage of the thread that stores a stream, where the process has grown. */
export class GarbageLimit {
  private events = 0;

  /** To be called after each commit. @param events of the commit */
  noteCommit(events: number): void {
    this.events += events;
    if (this.events < EVENTS_BETWEEN || process.memoryUsage.rss() < MEMORY_BYTES) return;
    this.events = 0;
    Bun.gc(true);
  }
}
