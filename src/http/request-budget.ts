/**
 * Requests on their way: the bytes of their bodies, of all ports, come out of one budget, and each
 * request that is not whole has a limit of time. Where the budget is full, slow requests are ended for new ones.
 */
import { Grpc } from "../errors/statuses.ts";
import { ApiError, requestTooSlow } from "./errors.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

/** Larger requests leave a part of the budget to those up to this. */
export const SMALL_REQUEST_BYTES = 32 * 1024;
const LARGE_PARTS = 3 / 4;
/** A request that is younger is not ended for others: an honest one is whole by then. */
const YOUNG_MS = 1_000;
/** Interval at which limits of time are looked at, while requests are on their way. */
const LOOK_MS = 250;

class RequestBudget {
  private usedBytes = 0;
  /** Requests that are not whole, oldest first. */
  private readonly unfinished = new Set<IncomingRequest>();
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    public bytesMax = DEFAULT_LIMITS.requestsBytesMax,
    readonly nowMs = () => performance.now(),
  ) {}

  /**
   * A request that begins.
   * @param timeoutMs until it must be whole
   * @param end called once when it is ended: it was too slow, or gave way to others. Its bytes are given back by then.
   */
  open(timeoutMs: number, end: (reason: ApiError) => void): IncomingRequest {
    return new IncomingRequest(this, timeoutMs, end);
  }

  /** @returns false where there is no room, also without requests that are slow */
  takeBytes(bytes: number, isLarge: boolean, taker?: IncomingRequest): boolean {
    const limit = isLarge ? this.bytesMax * LARGE_PARTS : this.bytesMax;
    for (;;) {
      // A request that is alone always fits: it has a limit of its own.
      if (this.usedBytes + bytes <= limit || this.usedBytes === 0) {
        this.usedBytes += bytes;
        return true;
      }
      if (!this.endOldest(taker)) return false;
    }
  }

  giveBytes(bytes: number): void {
    this.usedBytes -= bytes;
  }

  watch(request: IncomingRequest): void {
    this.unfinished.add(request);
    this.timer ??= setInterval(() => this.endLate(), LOOK_MS);
  }

  unwatch(request: IncomingRequest): void {
    this.unfinished.delete(request);
  }

  private endOldest(taker: IncomingRequest | undefined): boolean {
    const youngMs = this.nowMs() - YOUNG_MS;
    for (const request of this.unfinished) {
      if (request.startMs > youngMs) return false;
      if (!request.holdsBytes || request === taker) continue;
      request.end(this.crowded());
      return true;
    }
    return false;
  }

  private endLate(): void {
    const nowMs = this.nowMs();
    for (const request of this.unfinished) if (request.untilMs <= nowMs) request.end(requestTooSlow());
    if (this.unfinished.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  crowded(): ApiError {
    return new ApiError(Grpc.resourceExhausted, "too many bytes of requests are on their way already");
  }
}

/** Of all ports of a thread. */
export const requestBudget = new RequestBudget();

/** A request while it comes and is worked on. */
export class IncomingRequest {
  private bytes = 0;
  private reason: ApiError | undefined;
  private isReleased = false;
  startMs = 0;
  untilMs = 0;

  constructor(
    private readonly budget: RequestBudget,
    timeoutMs: number,
    private readonly onEnd: (reason: ApiError) => void,
  ) {
    this.expectWithin(timeoutMs);
  }

  get holdsBytes(): boolean {
    return this.bytes > 0;
  }

  /** Why it was ended. */
  get endReason(): ApiError | undefined {
    return this.reason;
  }

  /** Deadline for the whole request. */
  expectWithin(timeoutMs: number): void {
    if (this.isReleased) return;
    this.startMs = this.budget.nowMs();
    this.untilMs = this.startMs + timeoutMs;
    this.budget.watch(this);
  }

  /** The request has arrived whole: no time limit applies any more, and it is not evicted for others. */
  noteWhole(): void {
    this.budget.unwatch(this);
  }

  /** Holds this many more bytes. @throws ApiError 429 where there is no room, or it was released; it holds none then */
  hold(bytes: number): void {
    if (this.isReleased) throw this.reason ?? this.budget.crowded();
    if (!this.budget.takeBytes(bytes, this.bytes + bytes > SMALL_REQUEST_BYTES, this)) {
      this.release();
      throw this.budget.crowded();
    }
    this.bytes += bytes;
  }

  /** Gives some of its bytes back. */
  giveBack(bytes: number): void {
    const released = Math.min(bytes, this.bytes);
    this.bytes -= released;
    this.budget.giveBytes(released);
  }

  /** Releases all its bytes: the request is done or was aborted. */
  release(): void {
    this.isReleased = true;
    this.noteWhole();
    this.giveBack(this.bytes);
  }

  end(reason: ApiError): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.release();
    this.onEnd(reason);
  }
}
