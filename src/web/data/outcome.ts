// The block of a transaction that was sent, and what it came to there: new blocks are read as they come, and no search is made
// for a hash that is in none.
import type { Activity } from "../../http/chain-bodies.ts";

/** A chain may have stopped. */
export const FOLLOW_MS = 3 * 60_000;
/** Read again before the last known block: an engine's index is behind its blocks. */
const BLOCKS_BEHIND = 10;
/** Of one answer, and answers of one look. */
const ROWS = 200;
const PAGES_MAX = 20;

type Outcome = Pick<Activity["transactions"][number], "height" | "code" | "error">;

interface Node {
  /** The last block. */
  height(): number;
  /** Undefined where there is no answer. */
  read(path: string): Promise<Activity | undefined>;
  /** Calls after new blocks. @returns the end of it */
  onBeat(listener: () => void): () => void;
}

/**
 * Undefined where no block has it by then.
 * @param until ends the wait @param signal ends it without a result @throws the signal's reason
 */
export async function outcomeOf(
  hash: string,
  { height, read, onBeat }: Node,
  until: AbortSignal,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  let from = height();
  let beat = Promise.withResolvers<void>();
  const wake = () => beat.resolve();
  const unfollow = onBeat(wake);
  for (const each of [until, signal]) each.addEventListener("abort", wake);
  try {
    for (;;) {
      const last = height();
      const after = Math.max(0, from - BLOCKS_BEHIND);
      const look = await lookFor(
        hash.toUpperCase(),
        `/lyra/v1/transactions?limit=${ROWS}&after=${after}.0`,
        read,
      );
      if (typeof look === "object") return look;
      if (look === "absent") from = last;
      signal.throwIfAborted();
      if (until.aborted) return undefined;
      await beat.promise;
      beat = Promise.withResolvers();
    }
  } finally {
    unfollow();
  }
}

async function lookFor(hash: string, path: string, read: Node["read"]) {
  let before = "";
  for (let page = 0; page < PAGES_MAX; page++) {
    const transactions = (await read(path + before))?.transactions;
    if (transactions === undefined) return "unanswered";
    const match = transactions.find((each) => each.hash === hash);
    if (match !== undefined) return match;
    if (transactions.length < ROWS) break;
    before = `&before=${transactions.at(-1)!.cursor}`;
  }
  return "absent";
}
