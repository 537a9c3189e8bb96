// The chain's only source of time (docs/architecture.md).
import type { ChainClock } from "../chain/options.ts";
import { MICROSECOND_NS } from "../wire/time-text.ts";

/** Block times are whole microseconds: the store cannot distinguish finer ones. */
const STEP_NS = MICROSECOND_NS;

interface ClockState {
  /** The chain's time less the system's. */
  readonly offsetNs: string;
  readonly frozen: boolean;
  /** Time by which the clock was moved, until a block adopts it: one that is frozen or held then goes on from there. */
  readonly aheadNs: string;
  /** Time of the next block, when it was set. */
  readonly nextNs: string | null;
}

export class Clock implements ChainClock {
  readonly name = "clock";
  private offsetNs = 0n;
  private frozen = false;
  /** Calls that hold it: of this process only, so that a clock whose holder was killed goes on. */
  private holds = 0;
  private aheadNs = 0n;
  private nextNs: bigint | undefined;

  /** @param systemNs the system's time, Unix nanoseconds */
  constructor(private readonly systemNs: () => bigint = systemTimeNs) {}

  get isFrozen(): boolean {
    return this.frozen || this.holds > 0;
  }

  timeAfter(lastNs: bigint, roomNs: bigint): bigint {
    const targetNs = this.nextNs ?? (this.isFrozen ? lastNs + this.aheadNs : this.systemNs() + this.offsetNs);
    const whole = targetNs - (targetNs % STEP_NS);
    const earliest = lastNs - (lastNs % STEP_NS) + roomNs;
    return whole > earliest ? whole : earliest;
  }

  behindNs(lastNs: bigint): bigint {
    if (this.isFrozen || this.nextNs !== undefined) return 0n;
    const behind = lastNs - (this.systemNs() + this.offsetNs);
    return behind > 0n ? behind : 0n;
  }

  made(timeNs: bigint): void {
    // The clock continues from a time that was set, and from the last block if its holder is killed.
    if (this.nextNs !== undefined || this.holds > 0) this.offsetNs = timeNs - this.systemNs();
    this.nextNs = undefined;
    this.aheadNs = 0n;
  }

  forward(nanoseconds: bigint, lastNs: bigint): void {
    if (this.nextNs !== undefined) this.nextNs += nanoseconds;
    else {
      if (!this.isFrozen) this.offsetNs += this.behindNs(lastNs) + nanoseconds;
      this.aheadNs += nanoseconds;
    }
  }

  setNext(timeNs: bigint): void {
    this.nextNs = timeNs;
  }

  freeze(frozen: boolean, lastNs: bigint): void {
    if (this.frozen && !frozen) this.offsetNs = lastNs + this.aheadNs - this.systemNs();
    this.frozen = frozen;
  }

  hold(isHeld: boolean, lastNs: bigint): void {
    this.holds += isHeld ? 1 : -1;
    if (this.isFrozen) return;
    this.offsetNs = lastNs + this.aheadNs - this.systemNs();
  }

  save(): string {
    const { offsetNs, frozen, aheadNs, nextNs } = this;
    const state: ClockState = {
      // A frozen clock continues from the last block's time, a running one from the system's.
      offsetNs: frozen ? "0" : offsetNs.toString(),
      frozen,
      aheadNs: aheadNs.toString(),
      nextNs: nextNs?.toString() ?? null,
    };
    return JSON.stringify(state);
  }

  load(text: string): void {
    const { offsetNs, frozen, aheadNs, nextNs } = JSON.parse(text) as ClockState;
    this.offsetNs = BigInt(offsetNs);
    this.frozen = frozen;
    this.aheadNs = BigInt(aheadNs);
    this.nextNs = nextNs === null ? undefined : BigInt(nextNs);
  }
}

/** Unix nanoseconds, as fine as the system has them. */
export function systemTimeNs(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n;
}

/** The machine's clock as it is set now, Unix microseconds: unlike the time above it jumps when the clock is set. */
export function machineClockUs(): number {
  return Date.now() * 1_000;
}
