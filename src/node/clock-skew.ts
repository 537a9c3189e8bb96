// Lead of this machine's clock over the chain's, from the ages of new blocks.

export interface Clock {
  /** Unix microseconds. */
  nowUs(): number;
  /** Milliseconds of a clock that never goes back. */
  steadyMs(): number;
}

export interface NodeHead {
  readonly height: number;
  /** Not every source tells it. */
  readonly timeUs: number | undefined;
}

/** Differences below it are the way of a block and the time it takes. */
const SKEW_SECONDS_MIN = 10;

/** Heads are looked at over so long. */
const SKEW_WINDOW_MS = 30_000;
const SKEW_SAMPLE_MS = 250;
/** This many of them, over so long, before a clock is said to be ahead. */
const SKEW_HEADS_MIN = 4;
const SKEW_SPAN_MS_MIN = 3_000;
/** Variation of the age of new heads that is the clock's; a node that catches up makes it shrink. */
const SKEW_SPREAD_SECONDS = 5;

/**
 * Lead of this machine's clock over the chain's, in seconds, from the age of each head when it is first seen. A block
 * of the future is the clock's fault in any case; old ones are if each new head is as old as the one before.
 */
export class ClockSkew {
  private height = 0;
  private seen: { readonly ms: number; readonly ageSeconds: number }[] = [];
  private ahead = 0;

  note(head: NodeHead | undefined, clock: Clock): number {
    if (head?.timeUs === undefined) return this.ahead;
    const ageSeconds = (clock.nowUs() - head.timeUs) / 1e6;
    if (ageSeconds < -SKEW_SECONDS_MIN) return ageSeconds;
    if (head.height !== this.height) this.noteAge(clock.steadyMs(), ageSeconds);
    this.height = head.height;
    // The clock was set right.
    if (ageSeconds < this.ahead - SKEW_SPREAD_SECONDS) {
      this.seen = [];
      this.ahead = 0;
    }
    return this.ahead;
  }

  private noteAge(ms: number, ageSeconds: number): void {
    const last = this.seen.at(-1);
    if (last !== undefined && ms - last.ms < SKEW_SAMPLE_MS) return;
    this.seen = [...this.seen.filter((each) => ms - each.ms <= SKEW_WINDOW_MS), { ms, ageSeconds }];
    const ages = this.seen.map((each) => each.ageSeconds);
    const least = Math.min(...ages);
    const isSteady = Math.max(...ages) - least <= SKEW_SPREAD_SECONDS;
    const isLong = this.seen.length >= SKEW_HEADS_MIN && ms - this.seen[0]!.ms >= SKEW_SPAN_MS_MIN;
    this.ahead = isSteady && isLong && least > SKEW_SECONDS_MIN ? least : 0;
  }
}
