// How often somebody may do something: a bucket for each name, which fills up again with time.

export interface RateLimit {
  readonly perSecond: number;
  /** At once, after a while of nothing. */
  readonly burst: number;
}

const NAMES_MAX = 10_000;

export class RateLimiter {
  private readonly buckets = new Map<string, { left: number; atMs: number }>();

  constructor(
    private readonly limit: RateLimit,
    private readonly nowMs: () => number,
  ) {}

  /** @returns seconds until it may be done; 0 when it may be done now, and is counted */
  take(name: string): number {
    const now = this.nowMs();
    const { perSecond, burst } = this.limit;
    const bucket = this.buckets.get(name) ?? { left: burst, atMs: now };
    const left = Math.min(burst, bucket.left + ((now - bucket.atMs) / 1000) * perSecond);
    // The one that was used the longest ago goes first: new names do not make the limits of others forgotten at once.
    this.buckets.delete(name);
    if (this.buckets.size >= NAMES_MAX) this.buckets.delete(this.buckets.keys().next().value!);
    const isTaken = left >= 1;
    this.buckets.set(name, { left: isTaken ? left - 1 : left, atMs: now });
    return isTaken ? 0 : Math.ceil((1 - left) / perSecond);
  }
}
