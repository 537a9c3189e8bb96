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
  /** Whether the consensus engine answers, and has dialled this application. */
  readonly engine: "dialled" | "hangs" | "away";
  /** Why the last block could not be stored; undefined where it was. */
  readonly failure: string | undefined;
}

/** Judges the facts that are noted, by time. */
export class StallDetector {
  private height = -1;
  private sinceMs = 0;

  /** @returns why this validator is not with the others; undefined while it is */
  note({ height, peers, engine, failure }: Facts, nowMs: number): string | undefined {
    const stands = `this validator stands at block ${height}` as const;
    if (failure !== undefined) return `${stands}: ${failure}`;
    // A validator without a block takes a state from the others, or begins.
    const ahead = height === 0 ? [] : peers.filter((peer) => peer > height + AHEAD_MAX);
    const isWell = engine === "dialled" ? ahead.length === 0 : engine === "away" && height === 0;
    if (height !== this.height || isWell) {
      this.height = height;
      this.sinceMs = nowMs;
      return undefined;
    }
    if (nowMs - this.sinceMs < STILL_MS) return undefined;
    if (engine === "away") return `${stands}: its consensus engine does not answer, or ends again and again`;
    if (engine === "hangs")
      return `${stands}: its consensus engine answers, and has not dialled it: it hangs, and must be killed and started again`;
    return `${stands} while ${ahead.length} of its ${peers.length} peers are at block ${Math.max(...ahead) - 1}: its state differs from theirs, or its consensus engine has failed`;
  }
}
