// The amount of a stream that goes into one commit.

/** The first commits are small, so that a height shows at once ... */
const EVENTS_MIN = 8_192;
/** ... and later ones large: a page of the store that many blocks change is written once for all of them. */
const EVENTS_MAX = 16_384;
/** A commit is due this long after the last one in any case, so that readers see the height move. */
export const COMMIT_MS = 1_000;

/** Events between two collections of garbage. */
export const GARBAGE_EVENTS = 8_192;

/** Events that make a commit due. @param stored events of the stream in commits before */
export function commitEvents(stored: number): number {
  return Math.min(EVENTS_MAX, Math.max(EVENTS_MIN, stored));
}
