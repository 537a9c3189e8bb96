// Whether a validator stands still while others go on, by the heights of both.

/** A validator that is behind for this long without a block of its own does not only come late. */
const STILL_MS = 5_000;
/** Blocks that a peer may be ahead of what is committed here: the one under way, and one more. */
const AHEAD_MAX = 2;

interface Facts {
  /** Of the last block here. */
  readonly height: number;
  /** Heights that peers work on. */
  readonly peers: readonly number[];
  /** Whether the consensus engine, which answers, has dialled this application. */
  readonly isDialled: boolean;
}

/** Judges the heights that are noted, by time. */
export class StallDetector {
  private height = -1;
  private isDialled = true;
  private sinceMs = 0;

  /** @returns why this validator is not with the others; undefined while it is */
  note({ height, peers, isDialled }: Facts, nowMs: number): string | undefined {
    // A validator without a block takes a state from the others, or begins.
    const ahead = height === 0 ? [] : peers.filter((peer) => peer > height + AHEAD_MAX);
    const isWell = isDialled && (height !== this.height || ahead.length === 0);
    if (isWell || isDialled !== this.isDialled) {
      this.height = height;
      this.isDialled = isDialled;
      this.sinceMs = nowMs;
      return undefined;
    }
    if (nowMs - this.sinceMs < STILL_MS) return undefined;
    if (!isDialled)
      return `this validator stands at block ${height}: its consensus engine answers, and has not dialled it: it hangs, and must be killed and started again`;
    return `this validator stands at block ${height} while ${ahead.length} of its ${peers.length} peers are at block ${Math.max(...ahead) - 1}: its state differs from theirs, or its consensus engine has failed`;
  }
}
