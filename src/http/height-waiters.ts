// Requests that wait for a height (`X-Min-Height`). Commits wake them, so that a thousand cost no more than one: at
// each commit the head is read once, and only when it has reached the lowest height that is waited for are they gone
// through. Commits without a notification (another connection, another process) are noticed by one look for all.
import { Grpc } from "../errors/statuses.ts";
import { ApiError } from "./errors.ts";
import { STOPPING } from "./status.ts";

interface Waiter {
  readonly height: number;
  readonly timer: ReturnType<typeof setTimeout>;
  settle(isReached: boolean): void;
  fail(error: unknown): void;
}

const stopping = () => new ApiError(Grpc.unavailable, STOPPING, [], true);

interface HeightWaitersOptions {
  /** Requests that wait at once. */
  readonly max: number;
  /** Time that each one waits. */
  readonly waitMs: number;
  /** Interval at which the head is read for all of them without a notification. */
  readonly lookMs: number;
  /** Height of the last commit, read now; 0 before the first. */
  readonly headHeight: () => number;
}

export class HeightWaiters {
  private isStopped = false;
  private readonly waiters = new Set<Waiter>();
  private lowest = Number.POSITIVE_INFINITY;
  private look: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly options: HeightWaitersOptions) {}

  get count(): number {
    return this.waiters.size;
  }

  /**
   * Settles with true once the height is reached, with false when that takes too long or `signal` is aborted.
   * @throws ApiError 503 when too many wait already, or the node stops
   */
  async waitFor(height: number, signal: AbortSignal): Promise<boolean> {
    const { max, headHeight } = this.options;
    if (headHeight() >= height) return true;
    if (this.isStopped) throw stopping();
    if (this.waiters.size >= max) {
      throw new ApiError(Grpc.unavailable, `${max} requests wait for a height already`, [], true);
    }
    return signal.aborted ? false : this.enqueue(height, signal);
  }

  /** To be called after every commit; costs next to nothing while no request waits. */
  notify(): void {
    if (this.waiters.size === 0) return;
    try {
      const head = this.options.headHeight();
      if (head < this.lowest) return;
      let lowest = Number.POSITIVE_INFINITY;
      for (const waiter of this.waiters) {
        if (waiter.height <= head) waiter.settle(true);
        else if (waiter.height < lowest) lowest = waiter.height;
      }
      this.lowest = lowest;
    } catch (error) {
      // An unreadable store never reaches a height.
      for (const waiter of this.waiters) waiter.fail(error);
    }
  }

  /** The node stops: refuse all waiting requests, so that clients go to another node. */
  stop(): void {
    this.isStopped = true;
    for (const waiter of this.waiters) waiter.fail(stopping());
  }

  private enqueue(height: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(waiter.timer);
        signal.removeEventListener("abort", giveUp);
        this.remove(waiter);
      };
      const waiter: Waiter = {
        height,
        timer: setTimeout(() => waiter.settle(false), this.options.waitMs),
        settle(isReached) {
          leave();
          resolve(isReached);
        },
        fail(error) {
          leave();
          reject(error);
        },
      };
      const giveUp = () => waiter.settle(false);
      signal.addEventListener("abort", giveUp, { once: true });
      this.waiters.add(waiter);
      if (height < this.lowest) this.lowest = height;
      this.look ??= setInterval(() => this.notify(), this.options.lookMs);
    });
  }

  private remove(waiter: Waiter): void {
    this.waiters.delete(waiter);
    if (this.waiters.size > 0) return;
    this.lowest = Number.POSITIVE_INFINITY;
    clearInterval(this.look);
    this.look = undefined;
  }
}
