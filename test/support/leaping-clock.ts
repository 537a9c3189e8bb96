// A clock for units that wait by a clock port.
import { turns } from "./eventually.ts";

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/**
 * Stands still while anything is under way in this thread, and then leaps to the time of the next one that sleeps: a wait of
 * a minute takes no time, and no machine is too slow for it.
 */
export class LeapingClock {
  private ms = 0;
  private readonly sleepers: Sleeper[] = [];
  private isLeaping = false;

  readonly nowMs = (): number => this.ms;

  readonly sleep = (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const atMs = this.ms + ms;
    // Of those that wake at the same time the first to sleep is the first to wake.
    const behind = this.sleepers.findIndex((other) => other.atMs > atMs);
    this.sleepers.splice(behind < 0 ? this.sleepers.length : behind, 0, { atMs, wake: resolve });
    if (!this.isLeaping) void this.leap();
    return promise;
  };

  /** Lets time pass until a condition holds. */
  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition())) await this.sleep(1);
  }

  /** @returns a function that ends it */
  every(ms: number, action: () => void): () => void {
    let isOver = false;
    const run = async () => {
      for (;;) {
        await this.sleep(ms);
        if (isOver) return;
        action();
      }
    };
    void run();
    return () => {
      isOver = true;
    };
  }

  private async leap(): Promise<void> {
    this.isLeaping = true;
    while (this.sleepers.length > 0) {
      await turns();
      const next = this.sleepers.shift()!;
      this.ms = Math.max(this.ms, next.atMs);
      next.wake();
    }
    this.isLeaping = false;
  }
}
