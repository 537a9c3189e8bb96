// Locks what nobody uses: one clock for one wallet, or for all of a service.

interface IdleLockOptions {
  /** Time without use until the lock, milliseconds. */
  readonly idleMs: number;
  /** Called once: locks. */
  readonly lock: () => void;
  /** A clock that goes on while the machine sleeps, milliseconds. */
  readonly nowMs: () => number;
  /** As `setTimeout`; calls back later at the earliest. @returns how to call it off */
  readonly later: (action: () => void, delayMs: number) => () => void;
}

/** `later` of the runtime; a waiting lock keeps no process alive. */
export function laterByTimer(action: () => void, delayMs: number): () => void {
  const timer = setTimeout(action, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}

/** The longest that timers of the runtime wait: of a longer delay they make one millisecond. */
const DELAY_MAX_MS = 2 ** 31 - 1;

export class IdleLock {
  private deadlineMs: number;
  private callOff: (() => void) | undefined;
  private isOver = false;

  constructor(private readonly options: IdleLockOptions) {
    this.deadlineMs = options.nowMs() + options.idleMs;
    this.wait(options.idleMs);
  }

  /**
   * Says that there was use, and gives it the whole time again. Timers stand still while a machine sleeps: what
   * became too old meanwhile is locked now, and not used once more.
   * @returns whether it is still unlocked
   */
  touch(): boolean {
    if (!this.isOver && this.options.nowMs() >= this.deadlineMs) this.end();
    if (!this.isOver) this.deadlineMs = this.options.nowMs() + this.options.idleMs;
    return !this.isOver;
  }

  /** Locks never: what it watched over is locked already, or goes on by itself. */
  stop(): void {
    this.isOver = true;
    this.callOff?.();
  }

  private wait(delayMs: number): void {
    this.callOff = this.options.later(
      () => {
        if (this.isOver) return;
        // A clock that was set back keeps nothing unlocked for as long as it was set back.
        this.deadlineMs = Math.min(this.deadlineMs, this.options.nowMs() + this.options.idleMs);
        const leftMs = this.deadlineMs - this.options.nowMs();
        if (leftMs <= 0) this.end();
        else this.wait(leftMs);
      },
      Math.min(delayMs, DELAY_MAX_MS),
    );
  }

  private end(): void {
    this.stop();
    this.options.lock();
  }
}
