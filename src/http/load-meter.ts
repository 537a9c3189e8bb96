// Tells when one thread is not enough for the requests that come: it works most of the time, and more than one
// request waits for it at each turn.

/** How long is looked at, and how often in a row it has to be so. */
const WINDOW_MS = 250;
const WINDOWS = 2;
/** Share of the time that is spent on answers; the rest goes into reading and writing of sockets. */
const BUSY_SHARE = 0.5;
/** Answers made in one turn of the event loop: one client that asks and waits has one. */
const CROWD = 2;

export class LoadMeter {
  private from: number;
  private busyMs = 0;
  private answers = 0;
  private turns = 0;
  private isTurn = false;
  private windows = 0;

  constructor(
    private readonly nowMs: () => number,
    private readonly onBusy: () => void,
  ) {
    this.from = nowMs();
  }

  /** Does what makes an answer; of one that comes later only the beginning is counted. */
  measure<T>(work: () => T): T {
    const began = this.nowMs();
    const made = work();
    const now = this.nowMs();
    this.busyMs += now - began;
    this.answers++;
    if (!this.isTurn) {
      this.isTurn = true;
      this.turns++;
      setImmediate(() => {
        this.isTurn = false;
      });
    }
    if (now - this.from >= WINDOW_MS) this.close(now);
    return made;
  }

  private close(now: number): void {
    const isBusy = this.busyMs >= BUSY_SHARE * (now - this.from) && this.answers >= CROWD * this.turns;
    this.windows = isBusy ? this.windows + 1 : 0;
    this.from = now;
    this.busyMs = 0;
    this.answers = 0;
    this.turns = 0;
    if (this.windows < WINDOWS) return;
    this.windows = 0;
    this.onBusy();
  }
}
